"""unfold and fold: the windows of images as columns, and their adjoint."""

import numpy as np

from ..kernels.convolution import col2im, im2col
from ..storage import float32, float64
from . import ladder
from .arrays import as_array
from .ladder import Rung, computed_in, memory
from .rows import RowOperator
from .window import (
    Window,
    added_up,
    is_simple,
    padded,
    pair,
    places,
    simple_numbers,
    windows,
)

THREADS = 256
MANY = 2**31 - THREADS  # elements that an int cannot count


class Sliding(RowOperator):
    """An operator of windows whose kernels take a thread an element."""

    def each(self, ladder_, types, n, args, tensors, **facts):
        """Launch a rung of the ladder with n threads."""
        rung = ladder.choose(ladder_, dtype=tensors[0].dtype, **facts)
        self.one_each(rung, types, n, args, tensors)

    def one_each(self, rung, types, n, args, tensors):
        """Launch n threads, and tell the kernel the number."""
        if not n:
            return
        before, index = "", np.int32
        if max(n, *(x.numel() for x in tensors)) >= MANY:
            before, index = "#define INDEX long long\n", np.int64
        grid, args = (-(-n // THREADS), 1, 1), [*args, index(n)]
        self.launch(rung, types, grid, THREADS, args, tensors, before)

    def yours(self, rung, x, y, w, planes):
        """Launch the kernel of lab 07."""
        n = max(x.numel(), y.numel())
        args = memory(x), memory(y), *simple_numbers(planes, w)
        if n:
            self.launch(rung, (), (-(-n // THREADS), 1, 1), THREADS, args, (x, y))
        return y


# ------------------------------------------------- unfold

UNFOLD = [
    Rung("yours", "im2col", im2col, is_simple),
    Rung("element", "unfold_element", "unfold.cu"),
    Rung("window", "unfold_window", "unfold.cu"),
]


class Unfold(Sliding):
    """x (N, C, H, W) -> (N, C * KH * KW, OH * OW): each window is a column."""

    def on_cpu(self, x, w):
        array = windows(padded(as_array(x, computed_in(x.dtype)), w), w).copy()
        shape = x.shape[0], x.shape[1] * w.taps, w.out[0] * w.out[1]
        return x.new_of(array.reshape(shape), x.dtype)

    def on_device(self, x, w):
        x, (n, c) = x.contiguous(), x.shape[:2]
        y = x.new_empty((n, c * w.taps, w.out[0] * w.out[1]))
        rung = ladder.choose(UNFOLD, dtype=x.dtype, w=w)
        if rung.way == "yours":
            return self.yours(rung, x, y, w, n * c)
        threads = y.numel() // (w.taps if rung.way == "window" else 1)
        args = memory(x), memory(y), w.struct(x.device)
        self.one_each(rung, [x.dtype], threads, args, [x, y])
        return y


unfold_windows = Unfold("unfold", Unfold.__doc__, [lambda dy, w: fold_windows(dy, w=w)])


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):  # noqa: A002
    """The windows of images as columns: (N, C, H, W) -> (N, C * KH * KW, places).

    Rows are ordered by channel, then by the window's rows and columns. An image without
    N gives a matrix. RuntimeError where no window fits.
    """
    check_images(input, "unfold")
    sizes = checked(kernel_size, dilation, padding, stride, "unfold")
    w = window_of(input.shape[-2:], *sizes)
    if min(w.out) < 1:
        raise RuntimeError(
            f"unfold: Given input with spatial size {w.size}, kernel_size={w.kernel}, "
            f"dilation={w.dilation}, padding={w.padding}, calculated shape of the "
            f"array of sliding blocks as {w.out}, but its components must be at least "
            "one."
        )
    batch = input if input.ndim == 4 else input.unsqueeze(0)
    y = unfold_windows(batch, w=w)
    return y if input.ndim == 4 else y.squeeze(0)


# ------------------------------------------------- fold


def has_atomics(dtype, **facts):
    return dtype in (float32, float64)


FOLD = [
    Rung("yours", "col2im", col2im, is_simple),
    Rung("scatter", "fold_scatter", "unfold.cu", has_atomics),
    Rung("gather", "fold_gather", "unfold.cu"),
]


class Fold(Sliding):
    """y (N, C * KH * KW, OH * OW) -> (N, C, H, W): what is in one place is added."""

    def on_cpu(self, y, w):
        n, channels = y.shape[0], y.shape[1] // w.taps
        array = as_array(y, computed_in(y.dtype))
        columns = array.reshape(n, channels, *w.kernel, *w.out)
        return y.new_of(np.ascontiguousarray(added_up(columns, w)), y.dtype)

    def on_device(self, y, w):
        y, shape = y.contiguous(), (y.shape[0], y.shape[1] // w.taps, *w.size)
        x, types = y.new_empty(shape), [y.dtype, computed_in(y.dtype)]
        rung = ladder.choose(FOLD, dtype=y.dtype, w=w)
        if rung.way == "yours":
            return self.yours(rung, y, x.zero_(), w, shape[0] * shape[1])
        threads = x.numel()
        if rung.way == "scatter":
            x, types, threads = x.zero_(), [y.dtype], y.numel()
        args = memory(y), memory(x), w.struct(y.device)
        self.one_each(rung, types, threads, args, [y, x])
        return x


fold_windows = Fold("fold", Fold.__doc__, [lambda dy, w: unfold_windows(dy, w=w)])


def fold(
    input,  # noqa: A002
    output_size,
    kernel_size,
    dilation=1,
    padding=0,
    stride=1,
):
    """Columns added up where their windows were: (N, C * KH * KW, places) -> images.

    The adjoint of `unfold`: the sum of all products is the same,
    (unfold(x) * y).sum() = (x * fold(y)).sum(). RuntimeError where the columns are not
    those of images of output_size.
    """
    if input.ndim not in (2, 3) or not all(input.shape[-2:]):
        raise RuntimeError(
            "fold: Expected 2D or 3D (batch mode) tensor for input with possibly 0 "
            f"batch size and non-zero dimensions for input, but got: "
            f"{list(input.shape)}"
        )
    sizes = checked(kernel_size, dilation, padding, stride, "fold")
    w = window_of(pair(output_size, "output_size", "fold"), *sizes)
    check_columns(input, w)
    batch = input if input.ndim == 3 else input.unsqueeze(0)
    x = fold_windows(batch, w=w)
    return x if input.ndim == 3 else x.squeeze(0)


# ------------------------------------------------- what may be wrong


def window_of(size, kernel, dilation, padding, stride):
    """The Window for an image of this size."""
    ways = zip(size, kernel, stride, padding, dilation, strict=True)
    out = tuple(places(*way) for way in ways)
    return Window(tuple(size), out, kernel, stride, padding, dilation)


def checked(kernel_size, dilation, padding, stride, operator):
    """The four as pairs; RuntimeError for those that are no sizes of a window."""
    kernel = pair(kernel_size, "kernel_size", operator)
    given = [
        ("kernel size", "kernel_height", "kernel_width", kernel),
        ("dilation", "dilation_height", "dilation_width",
         pair(dilation, "dilation", operator)),
        ("stride", "stride_height", "stride_width", pair(stride, "stride", operator)),
    ]  # fmt: skip
    for what, high, wide, (a, b) in given:
        if min(a, b) < 1:
            raise RuntimeError(
                f"{operator}: {what} should be greater than zero, but got {high}: {a} "
                f"{wide}: {b}"
            )
    padding = pair(padding, "padding", operator)
    if min(padding) < 0:
        raise RuntimeError(
            f"{operator}: padding should be non-negative, but got pad_height: "
            f"{padding[0]} pad_width: {padding[1]}"
        )
    return kernel, given[1][-1], padding, given[2][-1]


def check_images(x, operator):
    if x.ndim not in (3, 4) or not all(x.shape[-3:]):
        raise RuntimeError(
            f"{operator}: Expected 3D or 4D (batch mode) tensor with possibly 0 batch "
            f"size and other non-zero dimensions for input, but got: {list(x.shape)}"
        )


def check_columns(y, w):
    rows, columns = y.shape[-2:]
    if rows % w.taps:
        raise RuntimeError(
            f"fold: Expected size of input's dimension 1 to be divisible by the "
            f"product of kernel_size, but got input.size(1)={rows} and "
            f"kernel_size={w.kernel}."
        )
    high, wide = (max(0, n) for n in w.out)
    if columns != high * wide:
        raise RuntimeError(
            f"fold: Given output_size={w.size}, kernel_size={w.kernel}, dilation="
            f"{w.dilation}, padding={w.padding}, stride={w.stride}, expected size of "
            "input's dimension 2 to match the calculated number of sliding blocks "
            f"{high} * {wide} = {high * wide}, but got input.size(2)={columns}."
        )
