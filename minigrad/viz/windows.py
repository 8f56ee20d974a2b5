"""Windows over an image: convolution, im2col, pooling, and what a block shares."""

from collections import Counter
from itertools import product

import numpy as np

from .canvas import HEIGHT, SOFT, UNIT, Canvas
from .picture import style
from .words import count

ACROSS, MARGIN, BETWEEN = 8.16, 0.2, 0.45
PADDING = "padding: zeros that are not stored"


def windows(image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0)):
    """Draw what one element of a convolution's result reads.

    image: a matrix. kernel_size and the others: an int or a pair, as in conv2d. at: the
    element of the result, (row, column), or a list of such: a drawing for each. In each
    box of the window stands the number of its tap beneath the value.
    """
    sweep = Sweep(image, kernel_size, stride, padding, dilation)
    places = at if isinstance(at, list) else [at]
    grids = [[sweep.under(place), sweep.result(place)] for place in places]
    alt = f"An image of {sized(sweep.image.shape)}, {sweep.words()}. " + " ".join(
        f"Element {place} of the result reads {sweep.cells(place)}." for place in places
    )
    key = [("marked", "the window; beneath: the tap's number")]
    return drawn(sweep.words(), grids, key + sweep.key(), alt)


def columns(image, kernel_size, stride=1, padding=0, dilation=1, at=(0, 0)):
    """Draw im2col: the image, and the matrix whose columns are its windows."""
    sweep = Sweep(image, kernel_size, stride, padding, dilation)
    chosen = sweep.places.index(sweep.checked(at))
    cells = {
        (tap, n): ("marked" if n == chosen else "read", sweep.value(cell), "")
        for n, place in enumerate(sweep.places)
        for tap, cell in enumerate(sweep.taps(place))
    }
    matrix = Grid(f"columns: {count(len(sweep.places), 'window')}", cells)
    alt = (
        f"An image of {sized(sweep.image.shape)}, {sweep.words()}. Its "
        f"{count(len(sweep.places), 'window')} as columns: {sized(matrix.size)}. "
        f"Column {chosen} holds {sweep.cells(at)}."
    )
    key = [("marked", f"window {chosen}; beneath: the row of the matrix")]
    return drawn(sweep.words(), [[sweep.under(at), matrix]], key + sweep.key(), alt)


def pooling(image, kernel_size, stride=None, padding=0):
    """Draw max pooling: the largest of each window, and where it comes from."""
    sweep = Sweep(image, kernel_size, stride or kernel_size, padding, 1)
    pooled, chosen = {}, {}
    for n, place in enumerate(sweep.places):
        inside = [cell for cell in sweep.taps(place) if sweep.is_inside(cell)]
        best = max(
            inside, key=lambda cell: sweep.image[cell]
        )  # of equal ones the first
        pooled[place] = "read", sweep.value(best), str(n)
        chosen.setdefault(best, []).append(str(n))
    cells = {
        cell: ("marked" if cell in chosen else "unused", sweep.value(cell),
               " ".join(chosen.get(cell, [])))
        for cell in np.ndindex(sweep.image.shape)
    }  # fmt: skip
    heading = f"max pooling, {sweep.words()}"
    alt = f"An image of {sized(sweep.image.shape)}, {heading}. " + " ".join(
        f"Window {n} takes {sweep.value(cell)} from {cell}."
        for cell, numbers in chosen.items() for n in numbers
    )  # fmt: skip
    grids = [[Grid("image", cells), Grid("result", pooled)]]
    key = [("marked", "the largest of a window; beneath: the windows' numbers")]
    return drawn(heading, grids, key, alt)


def overlaps(shape, kernel_size, stride=1, padding=0, dilation=1):
    """Draw in how many windows each element of an image lies."""
    sweep = Sweep(np.zeros(shape), kernel_size, stride, padding, dilation)
    times = Counter(cell for place in sweep.places for cell in sweep.taps(place))
    cells = {c: (shade(times[c]), str(times[c]), "") for c in np.ndindex(*shape)}
    alt = f"In how many windows each element lies, {sweep.words()}: " + "; ".join(
        " ".join(str(times[row, col]) for col in range(shape[1]))
        for row in range(shape[0])
    )
    return drawn(sweep.words(), [[Grid("in how many windows", cells)]], [], alt)


def halo(tile, kernel_size):
    """Draw what a block of tile x tile threads reads, and how often."""
    reach = kernel_size - 1
    sweep = Sweep(np.zeros((tile + reach,) * 2), kernel_size, 1, 0, 1)
    times = Counter(cell for place in sweep.places for cell in sweep.taps(place))
    before = reach // 2
    middle = range(before, before + tile)
    kinds = {2: "read", 1: "line", 0: "touched"}
    cells = {
        cell: (kinds[sum(i in middle for i in cell)], str(times[cell]), "")
        for cell in np.ndindex(sweep.image.shape)
    }
    heading = (
        f"{tile} x {tile} threads read {sized(sweep.image.shape)} elements, "
        f"{sum(times.values())} times in all"
    )
    key = [("read", "the tile: an element below each thread"), ("line", "the halo"),
           ("touched", "its corners"),
           (None, "in a box: how many threads read it")]  # fmt: skip
    return drawn(heading, [[Grid("", cells)]], key, heading)


class Sweep:
    """Where a window of an image comes to lie."""

    def __init__(self, image, kernel_size, stride, padding, dilation):
        self.image = np.asarray(image.tolist() if hasattr(image, "tolist") else image)
        if self.image.ndim != 2:
            raise ValueError(
                f"image is a matrix, of two dimensions; this has shape "
                f"{self.image.shape}: choose one, such as x[0, 0]"
            )
        given = kernel_size, stride, padding, dilation
        self.size, self.stride, self.padding, self.dilation = map(pair, given)
        wide = [d * (k - 1) + 1 for k, d in zip(self.size, self.dilation, strict=True)]
        room = zip(self.image.shape, self.padding, wide, self.stride, strict=True)
        self.shape = [(n + 2 * p - w) // s + 1 for n, p, w, s in room]
        if min(self.shape) < 1:
            raise ValueError(f"a window of {sized(wide)} does not fit into the image")
        self.places = [*product(*map(range, self.shape))]

    def checked(self, place):
        if tuple(place) not in self.places:
            raise IndexError(
                f"the result has {sized(self.shape)} elements; at={place} is not one"
            )
        return tuple(place)

    def taps(self, place):
        """The cells of the image, or of its padding, that a place reads, in order."""
        begins = [i * s - p for i, s, p in
                  zip(place, self.stride, self.padding, strict=True)]  # fmt: skip
        return [
            tuple(b + k * d for b, k, d in zip(begins, tap, self.dilation, strict=True))
            for tap in product(*map(range, self.size))
        ]

    def is_inside(self, cell):
        return all(0 <= i < n for i, n in zip(cell, self.image.shape, strict=True))

    def value(self, cell):
        return f"{self.image[cell]:.3g}" if self.is_inside(cell) else "0"

    def cells(self, place):
        return ", ".join(map(self.value, self.taps(self.checked(place))))

    def under(self, place):
        """The image with its padding; in the window the numbers of its taps."""
        taps = {cell: str(n) for n, cell in enumerate(self.taps(self.checked(place)))}
        ranges = [range(-p, n + p) for n, p in
                  zip(self.image.shape, self.padding, strict=True)]  # fmt: skip
        cells = {}
        for cell in product(*ranges):
            plain = "read" if self.is_inside(cell) else "free"
            kind = "marked" if cell in taps else plain
            cells[cell] = kind, self.value(cell), taps.get(cell, "")
        return Grid("image", cells)

    def result(self, place):
        cells = {p: ("marked" if p == tuple(place) else "read", "", "")
                 for p in self.places}  # fmt: skip
        return Grid("result", cells)

    def key(self):
        return [("free", PADDING)] if any(self.padding) else []

    def words(self):
        """The window in words: 3 x 3, stride 2."""
        named = "stride", "padding", "dilation"
        values = self.stride, self.padding, self.dilation
        said = [f"{name} {v[0] if v[0] == v[1] else v}" for name, v, plain in
                zip(named, values, (1, 0, 1), strict=True)
                if v != (plain, plain)]  # fmt: skip
        return ", ".join([f"window {sized(self.size)}", *said])


class Grid:
    """A matrix of boxes. cells: {(row, column): (kind, value, what stands beneath)}.

    numbered: whether rows and columns have their numbers.
    """

    def __init__(self, title, cells, numbered=False):
        self.title, self.cells, self.numbered = title, cells, numbered
        self.first = [min(place[i] for place in cells) for i in (0, 1)]
        self.size = [1 + max(p[i] for p in cells) - self.first[i] for i in (0, 1)]
        longest = max(len(text) for _, *texts in cells.values() for text in texts)
        self.unit = max(UNIT, 0.1 + 0.085 * longest)
        self.room = 0.24 * numbered
        self.width = self.room + max(self.unit * self.size[1], 0.085 * len(title))
        self.height = 0.3 + self.room + HEIGHT * self.size[0]

    def draw(self, canvas, x, y):
        canvas.write(x, y + 0.12, self.title, ha="left", weight="bold")
        for (row, column), (kind, value, small) in self.cells.items():
            left = x + self.room + self.unit * (column - self.first[1])
            top = y + 0.3 + self.room + HEIGHT * (row - self.first[0])
            canvas.cell(left, top, kind, value, small, self.unit)
            if self.numbered and row == self.first[0]:
                canvas.label(left + self.unit / 2, top - 0.1, str(column))
            if self.numbered and column == self.first[1]:
                canvas.label(left - 0.07, top + HEIGHT / 2, str(row), ha="right")


def drawn(heading, grids, key, alt):
    """The picture: the heading, the grids side by side, and what the boxes mean.

    grids: groups of grids that stand in one row.
    """
    top = 0.5 if heading else MARGIN
    x, y, low, placed = MARGIN, top, top, []
    for group in grids:
        if x > MARGIN and x + sum(grid.width + BETWEEN for grid in group) > ACROSS:
            x, y = MARGIN, low + 0.2
        for grid in group:
            placed.append((grid, x, y))
            x, low = x + grid.width + BETWEEN, max(low, y + grid.height)
    wide = max(7.2, *(x + grid.width + MARGIN for grid, x, _ in placed))
    with style():
        canvas = Canvas(wide, low + 0.2 + 0.3 * len(key) + 0.05)
        canvas.write(MARGIN, 0.24, heading, 11, ha="left", weight="bold")
        for grid, *corner in placed:
            grid.draw(canvas, *corner)
        for n, (kind, words) in enumerate(key):
            y = low + 0.18 + 0.3 * n
            if kind:
                canvas.box(MARGIN, y, kind, 0.26, 0.22)
            canvas.write(MARGIN + 0.36, y + 0.11, words, 8.5, ha="left", color=SOFT)
        return canvas.picture(alt)


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)


def sized(shape):
    return " x ".join(map(str, shape))


def shade(times):
    """A tint for each number of windows."""
    return f"block {times % 6}" if times else "unused"
