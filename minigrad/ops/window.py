"""Windows that slide over images: sizes, their mistakes, and windows as views.

Everywhere: N images of C channels, H x W; a window has KH x KW taps, DH and DW apart,
and goes by the strides SH and SW over the image, with PH and PW of padding around it.
"""

from typing import NamedTuple

import numpy as np

from ..layout import as_ints
from ..storage import float32
from .ladder import struct

STRUCT = np.dtype(
    [(name, "i4") for name in ("H", "W", "OH", "OW", "KH", "KW", "SH", "SW", "PH", "PW",
                               "DH", "DW")],
    align=True,
)  # fmt: skip


class Window(NamedTuple):
    """The sizes of a sliding window, each for height and width."""

    size: tuple  # of the image
    out: tuple  # how many places there are
    kernel: tuple
    stride: tuple
    padding: tuple  # above and left
    dilation: tuple

    @property
    def taps(self):
        return self.kernel[0] * self.kernel[1]

    def numbers(self):
        """As they stand in STRUCT."""
        return [n for pair in self for n in pair]

    def struct(self, device):
        """A kernel's argument `Window`."""
        return as_struct(self.numbers(), STRUCT, device)

    def extent(self):
        """Rows and columns of the padded image that windows reach."""
        sizes = zip(self.out, self.stride, self.kernel, self.dilation, strict=True)
        return tuple((o - 1) * s + (k - 1) * d + 1 for o, s, k, d in sizes)


def as_struct(numbers, dtype, device):
    """Whole numbers as a kernel's argument."""
    return struct(np.array(tuple(numbers), dtype), device)


def pair(value, name, operator):
    """A number, or one for height and one for width, as a tuple of two."""
    numbers = as_ints((value,))
    if len(numbers) not in (1, 2):
        raise RuntimeError(
            f"{operator}: {name} must either be a single int, or a tuple of two ints, "
            f"not {value!r}"
        )
    return numbers * 2 if len(numbers) == 1 else numbers


def places(size, kernel, stride, padding, dilation, after=None, ceil_mode=False):
    """How many places a window has along one dimension.

    padding: before; `after`, where it is another, behind. ceil_mode: the last place may
    reach beyond the padding, if it begins before the padding behind.
    """
    after = padding if after is None else after
    room = size + padding + after - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - ((count - 1) * stride >= size + padding)


def is_simple(dtype, w, **facts):
    """May a kernel of lab 07 treat it? float, and the same for height and width."""
    both = w.stride, w.padding, w.dilation
    return dtype == float32 and all(a == b for a, b in both)


def simple_numbers(planes, w):
    """The whole numbers of im2col and col2im in lab 07."""
    numbers = planes, *w.size, *w.kernel, *w.out
    return np.int32([*numbers, w.stride[0], w.padding[0], w.dilation[0]])


# ------------------------------------------------- windows of arrays


def padded(x, w, fill=0):
    """An array (..., H, W) with `fill` around it, as far as windows reach."""
    (top, left), (high, wide) = w.padding, w.size
    rows, cols = w.extent()
    rows, cols = max(rows, top + high), max(cols, left + wide)
    if (rows, cols) == (high, wide):
        return x
    y = np.full((*x.shape[:-2], rows, cols), fill, x.dtype)
    y[..., top : top + high, left : left + wide] = x
    return y


def windows(x, w):
    """An array (..., KH, KW, OH, OW), a view of padded images: nothing is copied."""
    *lead, down, right = x.strides
    steps = [*zip(w.dilation, (down, right), strict=True)]
    steps += [*zip(w.stride, (down, right), strict=True)]
    shape = (*x.shape[:-2], *w.kernel, *w.out)
    strides = [*lead, *(a * b for a, b in steps)]
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def under_taps(x, w):
    """For each tap (kh, kw): the view (..., OH, OW) of what lies under it in x."""
    for kh in range(w.kernel[0]):
        for kw in range(w.kernel[1]):
            parts = [
                slice(k * d, k * d + (o - 1) * s + 1, s)
                for k, d, o, s in zip(
                    (kh, kw), w.dilation, w.out, w.stride, strict=True
                )
            ]
            yield kh, kw, x[(..., *parts)]


def added_up(columns, w):
    """The adjoint of windows(padded(x)): (..., KH, KW, OH, OW) -> (..., H, W)."""
    rows, cols = w.extent()
    (top, left), (high, wide) = w.padding, w.size
    lead = columns.shape[:-4]
    rows, cols = max(rows, top + high), max(cols, left + wide)
    x = np.zeros((*lead, rows, cols), columns.dtype)
    for kh, kw, part in under_taps(x, w):
        part += columns[..., kh, kw, :, :]
    return x[..., top : top + high, left : left + wide]
