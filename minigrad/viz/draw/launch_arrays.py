"""The parts of the picture of a launch: the grid of blocks, and the elements."""

from math import prod

import numpy as np

from cudasim import spread

from .canvas import HEIGHT, INK, TINTS, UNIT
from .kernel_launch import place
from .page import MARGIN, WIDTH
from .planes import cut, with_gaps

ABOVE, SLOTS = 0.26, 64  # room for numbers over a row; elements of a long array
ACROSS = WIDTH - 2 * MARGIN


class Blocks:
    """The blocks of the grid: x to the right, y down; of several in z the first."""

    HIGH = 0.3

    def __init__(self, drawing):
        self.drawing, grid = drawing, drawing.grid
        longest = len(drawing.block(prod(grid) * drawing.threads - 1))
        self.unit = max(UNIT, 0.1 + 0.085 * longest)
        self.columns = cut(grid[0], int((ACROSS - 0.4) / self.unit))
        self.rows = cut(grid[1], 6)
        self.height = ABOVE + self.HIGH * len(self.rows) + 0.1

    def draw(self, canvas, y):
        grid = self.drawing.grid
        title = "the blocks" + (f" with z = 0 of {grid[2]}" if grid[2] > 1 else "")
        canvas.write(MARGIN, y + 0.1, title, ha="left", weight="bold")
        for down, row in enumerate(self.rows):
            for right, column in enumerate(self.columns):
                x = MARGIN + self.unit * right
                self.one(canvas, x, y + ABOVE + self.HIGH * down, row, column)

    def one(self, canvas, x, y, row, column):
        middle = x + self.unit / 2, y + self.HIGH / 2
        if row is None or column is None:
            canvas.write(*middle, "\u2026", 10)
            return
        grid = self.drawing.grid
        canvas.box(x, y, tint(row * grid[0] + column, grid), self.unit, self.HIGH)
        canvas.write(*middle, place((column, row, 0), grid), 9)


def tint(number, grid):
    """The look of a block: other than those of its neighbors."""
    x, y, z = spread(number, grid)
    return f"block {(x + 2 * y + 3 * z) % len(TINTS)}"


class ArrayRow:
    """The elements of an array of one dimension (or none), row after row."""

    def __init__(self, drawing):
        self.drawing, self.slots = drawing, slots(drawing)
        self.drawn = [n for n in self.slots if n is not None]
        self.unit = drawing.unit(self.drawn)
        self.unit = max(self.unit, 0.05 + 0.07 * len(str(drawing.array.size)))
        self.across = int(ACROSS / self.unit + 0.01)
        rows = -(-len(self.slots) // self.across)
        self.height = 0.3 + rows * (HEIGHT + ABOVE)

    def draw(self, canvas, y):
        canvas.write(MARGIN, y + 0.12, self.drawing.name, ha="left", weight="bold")
        for at, number in enumerate(self.slots):
            x = MARGIN + self.unit * (at % self.across)
            top = y + 0.5 + (HEIGHT + ABOVE) * (at // self.across)
            if number is None:
                canvas.write(x + self.unit / 2, top + HEIGHT / 2, "\u2026", 12)
                continue
            canvas.label(x + self.unit / 2, top - 0.1, str(number))
            self.drawing.draw_cell(canvas, x, top, number, self.unit)


def slots(drawing):
    """The elements that are drawn, None for a gap: all, or head, tail, what is odd, and
    where one block ends and the next begins."""
    size = drawing.array.size
    if size <= SLOTS:
        return list(range(size))
    block = np.where(drawing.none, -1, drawing.first // drawing.threads)
    ends = np.flatnonzero(np.diff(block))
    odd = [*np.flatnonzero(drawing.none)[:3], *np.flatnonzero(drawing.two)[:3]]
    edges = [n for e in [*ends[:3], *ends[-2:]] for n in range(e - 1, e + 3)]
    keep = {*range(8), *range(size - 4, size), *map(int, odd + edges)}
    return with_gaps(sorted(n for n in keep if 0 <= n < size), size)


class ArrayPlane:
    """One plane of an array of two dimensions or more: rows down, columns across."""

    def __init__(self, drawing, plane):
        self.drawing, self.plane = drawing, plane
        self.unit = drawing.unit(self.numbers())
        corner = (*plane.leading, 0, 0)[-len(drawing.shape) :]
        room = min(24, int((ACROSS - 0.36) / self.unit))
        plane.cols = chosen_along(drawing, corner, -1, room)
        plane.rows = chosen_along(drawing, corner, -2, 14)
        self.drawn = self.numbers()
        self.height = 0.5 + HEIGHT * len(plane.rows)

    def numbers(self):
        return [self.number(i) for *_, i in self.plane.places() if i is not None]

    def number(self, index):
        return int(np.ravel_multi_index(index, self.drawing.shape))

    def draw(self, canvas, y):
        plane, left, top = self.plane, MARGIN + 0.36, y + 0.46
        label = canvas.label
        label(left, y + 0.16, plane.title, 9.5, ha="left", weight="bold", color=INK)
        for at, column in enumerate(plane.cols):
            text = "\u2026" if column is None else str(column)
            label(left + self.unit * (at + 0.5), top - 0.1, text)
        for at, row in enumerate(plane.rows):
            text = "\u2026" if row is None else str(row)
            label(left - 0.07, top + HEIGHT * (at + 0.5), text, ha="right")
        for down, right, index in plane.places():
            if index is not None:
                x, low = left + self.unit * right, top + HEIGHT * down
                self.drawing.draw_cell(canvas, x, low, self.number(index), self.unit)


class IdleThreads:
    """The threads that write nothing: those that a guard stops, mostly."""

    def __init__(self, drawing, numbers):
        self.drawing, some = drawing, [*map(int, numbers[:SLOTS])]
        names = [name for n in some for name in (drawing.thread(n), drawing.block(n))]
        self.unit = max(UNIT, 0.08 + 0.075 * max(map(len, names)))
        self.numbers = some[: int(ACROSS / self.unit) - 1]
        self.more = len(numbers) > len(self.numbers)
        self.height = 0.34 + HEIGHT

    def draw(self, canvas, y):
        title = "threads that write nothing"
        canvas.write(MARGIN, y + 0.16, title, ha="left", weight="bold")
        for at, number in enumerate(self.numbers):
            texts = self.drawing.thread(number), self.drawing.block(number)
            x = MARGIN + self.unit * at
            canvas.cell(x, y + 0.32, "unused", *texts, self.unit)
        if self.more:
            x = MARGIN + self.unit * len(self.numbers)
            canvas.write(x + self.unit / 2, y + 0.32 + HEIGHT / 2, "\u2026", 12)


def chosen_along(drawing, corner, axis, most):
    """The rows or columns that are drawn: all, or the ends and where blocks meet."""
    size = drawing.shape[axis]
    if size <= most:
        return list(range(size))
    line = list(corner)
    line[axis] = slice(None)
    first = drawing.first.reshape(drawing.shape)[tuple(line)]
    block = np.where(first < 0, -1, first // drawing.threads)
    edges = np.flatnonzero(np.diff(block))[:1]
    keep = {int(e) + i for e in edges for i in (-1, 0, 1, 2)}
    keep |= {0, 1, size - 2, size - 1}
    left = most - 2 - len(keep) - len(edges)
    keep |= set(range(2, 2 + max(left, 0)))
    return with_gaps(sorted(n for n in keep if 0 <= n < size), size)
