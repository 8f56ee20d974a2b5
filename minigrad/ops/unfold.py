"""unfold and fold: the windows of images as columns, and their adjoint.

Everywhere: N images of C channels, H x W; a window has KH x KW taps, DH and DW apart,
and moves by the strides SH and SW over the image, with PH and PW of padding around it.
"""

from typing import NamedTuple

import numpy as np

from .. import launch
from ..check import check
from ..dispatch import operator
from ..dtypes import float32, float64
from ..kernels import learner_variants
from ..launch import MANY, Variant, struct
from ..layout import as_ints

NAMES = "H W OH OW KH KW SH SW PH PW DH DW"
STRUCT = np.dtype([(name, "i4") for name in NAMES.split()])


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
        return struct(np.array(tuple(self.numbers()), STRUCT), device)

    def extent(self):
        """Rows and columns of the padded image, as far as windows reach."""
        ways = zip(*self, strict=True)
        return [max((o - 1) * s + (k - 1) * d + 1, p + n) for n, o, k, s, p, d in ways]


def pair(operator, name, value):
    """A number, or one for height and one for width, as a tuple of two."""
    try:
        numbers = as_ints((value,))
    except TypeError:
        raise TypeError(
            f"{operator}: {name} is an int, or a tuple of two ints, not {value!r}"
        ) from None
    check(len(numbers) in (1, 2), lambda: f"{operator}: {name} must either be a single "
          f"int, or a tuple of two ints, not {value!r}")  # fmt: skip
    return numbers * 2 if len(numbers) == 1 else numbers


def pairs(operator, kernel_size, stride, padding, dilation):
    """The four as pairs, as window_of takes them; RuntimeError where they are wrong."""
    sizes, given = [], {"kernel size": kernel_size, "stride": stride,
                        "padding": padding, "dilation": dilation}  # fmt: skip
    for name, value in given.items():
        numbers = pair(operator, name.replace(" ", "_"), value)
        what = "non-negative" if name == "padding" else "greater than zero"
        check(min(numbers) >= (name != "padding"),
              f"{operator}: {name} should be {what}, but got {numbers}")  # fmt: skip
        sizes.append(numbers)
    return sizes


def window_of(size, kernel, stride, padding, dilation, after=None, ceil_mode=False):
    """The Window for an image of this size. after: the padding below and to the right,
    if that differs. ceil_mode: see `places`."""
    ways = zip(size, kernel, stride, padding, dilation, after or padding, strict=True)
    out = tuple(places(*way, ceil_mode) for way in ways)
    return Window(tuple(size), out, kernel, stride, padding, dilation)


def places(size, kernel, stride, padding, dilation, after, ceil_mode):
    """How many places a window has along one dimension, with padding before and after.

    ceil_mode: the last place may reach beyond the padding, if it begins before the
    padding after.
    """
    room = size + padding + after - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - ((count - 1) * stride >= size + padding)


# ------------------------------------------------- windows of arrays


def padded(x, w, fill=0):
    """An array (..., H, W) with `fill` around it, as far as windows reach."""
    (top, left), (high, wide), extent = w.padding, w.size, w.extent()
    if extent == [high, wide]:
        return x
    y = np.full((*x.shape[:-2], *extent), fill, x.dtype)
    y[..., top : top + high, left : left + wide] = x
    return y


def windows(x, w):
    """An array (..., KH, KW, OH, OW), a view of padded images: nothing is copied."""
    *lead, down, right = x.strides
    steps = zip((*w.dilation, *w.stride), (down, right) * 2, strict=True)
    shape = (*x.shape[:-2], *w.kernel, *w.out)
    strides = [*lead, *(a * b for a, b in steps)]
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def under_taps(x, w):
    """For each tap (kh, kw): the view (..., OH, OW) of what lies under it in x."""
    for tap in np.ndindex(w.kernel):
        ways = zip(tap, w.dilation, w.out, w.stride, strict=True)
        parts = (slice(k * d, k * d + (o - 1) * s + 1, s) for k, d, o, s in ways)
        yield tap, x[(..., *parts)]


def added_up(columns, w):
    """The adjoint of windows(padded(x)): (..., KH, KW, OH, OW) -> (..., H, W)."""
    (top, left), (high, wide) = w.padding, w.size
    x = np.zeros((*columns.shape[:-4], *w.extent()), columns.dtype)
    for (kh, kw), part in under_taps(x, w):
        part += columns[..., kh, kw, :, :]
    return x[..., top : top + high, left : left + wide]


# ------------------------------------------------- kernels


def counted(f):
    """The window and n as arguments: n is a long where an int cannot count so far."""
    index = np.int64 if many(f) else np.int32
    return {"window": f.w.struct(f.device), "count": index(f.n)}


def many(f):
    sizes = (x.numel() for x in vars(f).values() if hasattr(x, "storage"))
    return max(f.n, *sizes) >= MANY


def index(f):
    return "#define INDEX long long\n" if many(f) else ""


def per_window(f):
    """A thread for each window, and all of its taps."""
    f.n //= f.w.taps
    return counted(f)


EACH = {"before": index, "more": counted}  # of a thread for each of n
UNFOLD = launch.variants(
    learner_variants.IM2COL,
    Variant("element", "unfold_element", "unfold.cu", args="x y window count",
            types=lambda f: [f.dtype], **EACH),
    Variant("window", "unfold_window", "unfold.cu", args="x y window count",
            types=lambda f: [f.dtype], before=index, more=per_window),
)  # fmt: skip


@operator(vjps=[lambda dy, w: fold_windows(dy, w=w)], name="unfold")
def unfold_windows(x, w):
    """x (N, C, H, W) -> (N, C * KH * KW, OH * OW): each window is a column."""


@unfold_windows.cpu
def _(x, w):
    shape = x.shape[0], x.shape[1] * w.taps, w.out[0] * w.out[1]
    return windows(padded(x, w), w).copy().reshape(shape)


@unfold_windows.device
def _(x, w):
    x, (n, c) = x.contiguous(), x.shape[:2]
    y = x.new_empty((n, c * w.taps, w.out[0] * w.out[1]))
    launch.run(UNFOLD, "unfold", x=x, y=y, w=w, n=y.numel(), planes=n * c)
    return y


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):  # noqa: A002
    """The windows of images as columns: (N, C, H, W) -> (N, C * KH * KW, places).

    Rows are ordered by channel, then by the window's rows and columns. An image without
    N gives a matrix. RuntimeError where no window fits.
    """
    check(input.ndim in (3, 4) and all(input.shape[-3:]), lambda: "unfold: Expected 3D "
          "or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
          f"dimensions for input, but got: {list(input.shape)}")  # fmt: skip
    how = pairs("unfold", kernel_size, stride, padding, dilation)
    w = window_of(input.shape[-2:], *how)
    check(min(w.out) >= 1, lambda: f"unfold: Given input with spatial size {w.size}, "
          f"kernel_size={w.kernel}, dilation={w.dilation}, padding={w.padding}, "
          f"calculated shape of the array of sliding blocks as {w.out}, but its "
          "components must be at least one.")  # fmt: skip
    batch = input if input.ndim == 4 else input.unsqueeze(0)
    y = unfold_windows(batch, w=w)
    return y if input.ndim == 4 else y.squeeze(0)


def scatters(f):
    f.n = f.y.numel()
    return counted(f)


FOLD = launch.variants(
    learner_variants.COL2IM,
    Variant("scatter", "fold_scatter", "unfold.cu",
            lambda f: f.dtype in (float32, float64), "y x window count",
            types=lambda f: [f.dtype], before=index, more=scatters),
    Variant("gather", "fold_gather", "unfold.cu", args="y x window count", **EACH),
)  # fmt: skip


@operator(vjps=[lambda dy, w: unfold_windows(dy, w=w)], name="fold")
def fold_windows(y, w):
    """y (N, C * KH * KW, OH * OW) -> (N, C, H, W): what is in one place is added."""


@fold_windows.cpu
def _(y, w):
    columns = y.reshape(y.shape[0], y.shape[1] // w.taps, *w.kernel, *w.out)
    return np.ascontiguousarray(added_up(columns, w))


@fold_windows.device
def _(y, w):
    y, shape = y.contiguous(), (y.shape[0], y.shape[1] // w.taps, *w.size)
    x = y.new_zeros(shape)  # scatter and the learner's kernel add to it
    launch.run(FOLD, "fold", y=y, x=x, w=w, n=x.numel(), planes=shape[0] * shape[1])
    return x


def fold(input, output_size, kernel_size, dilation=1, padding=0,  # noqa: A002
         stride=1):  # fmt: skip
    """Columns added up where their windows were: (N, C * KH * KW, places) -> images.

    The adjoint of `unfold`: the sum of all products is the same,
    (unfold(x) * y).sum() = (x * fold(y)).sum(). RuntimeError where the columns are not
    those of images of output_size.
    """
    check(input.ndim in (2, 3) and all(input.shape[-2:]), lambda: "fold: Expected 2D "
          "or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
          f"dimensions for input, but got: {list(input.shape)}")  # fmt: skip
    how = pairs("fold", kernel_size, stride, padding, dilation)
    w = window_of(pair("fold", "output_size", output_size), *how)
    rows, columns = input.shape[-2:]
    check(rows % w.taps == 0, lambda: "fold: Expected size of input's dimension 1 to "
          f"be divisible by the product of kernel_size, but got input.size(1)={rows} "
          f"and kernel_size={w.kernel}.")  # fmt: skip
    high, wide = (max(0, n) for n in w.out)
    check(columns == high * wide, lambda: f"fold: Given output_size={w.size}, "
          f"kernel_size={w.kernel}, dilation={w.dilation}, padding={w.padding}, "
          f"stride={w.stride}, expected size of input's dimension 2 to match the "
          f"calculated number of sliding blocks {high} * {wide} = {high * wide}, but "
          f"got input.size(2)={columns}.")  # fmt: skip
    batch = input if input.ndim == 3 else input.unsqueeze(0)
    x = fold_windows(batch, w=w)
    return x if input.ndim == 3 else x.squeeze(0)
