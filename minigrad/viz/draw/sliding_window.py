"""Where a window of an image comes to lie, as in a convolution or a pooling."""

from itertools import product

import numpy as np

from .grids import Grid
from .text import sized

PADDING = "padding: zeros that are not stored"


class SlidingWindow:
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

    def text(self):
        """The window in words: 3 x 3, stride 2."""
        named = "stride", "padding", "dilation"
        values = self.stride, self.padding, self.dilation
        options = [f"{name} {v[0] if v[0] == v[1] else v}" for name, v, plain in
                zip(named, values, (1, 0, 1), strict=True)
                if v != (plain, plain)]  # fmt: skip
        return ", ".join([f"window {sized(self.size)}", *options])


def pair(value):
    return (value, value) if isinstance(value, int) else tuple(value)
