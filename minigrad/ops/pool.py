"""max_pool2d and avg_pool2d, forward and backward: on "cpu" tap by tap."""

import numpy as np

from .. import layout
from ..storage import int64
from .arrays import as_array
from .ladder import Rung, computed_in, memory
from .shape import gather
from .unfold import Sliding
from .window import Window, padded, pair, places, under_taps

MAX, MAX_INPUT, AVG, AVG_INPUT = (
    [Rung("thread an element", name, "pool.cu")]
    for name in ("max_pool2d", "max_pool2d_input", "avg_pool2d", "avg_pool2d_input")
)


def planes(x):
    """(..., H, W): all dimensions but the last two."""
    return x.shape[:-2]


# ------------------------------------------------- maximum


class MaxPool(Sliding):
    """The largest element of each window, and its index in the plane."""

    def on_cpu(self, x, w):
        array = padded(as_array(x, computed_in(x.dtype)), w, -np.inf)
        with np.errstate(all="ignore"):
            any_nan = array.size and np.isnan(array.min())
            best, col = largest(along(array, -1, w, 1), any_nan)
            rows, cols = along(best, -2, w, 0), along(col, -2, w, 0)
            best, row = largest(rows, any_nan)
        col = chosen(cols, row)
        return x.new_of(best, x.dtype), x.new_of(indices_of(row, col, w), int64)

    def on_device(self, x, w):
        x, shape = x.contiguous(), (*planes(x), *w.out)
        y, indices = x.new_empty(shape), x.new_empty(shape, dtype=int64)
        args = *map(memory, (x, y, indices)), w.struct(x.device)
        types = [x.dtype, computed_in(x.dtype)]
        self.each(MAX, types, y.numel(), args, [x, y, indices])
        return y, indices


def along(x, axis, w, side):
    """For each tap along one side of the window: what lies under it at every place."""
    n, step, out = w.kernel[side], w.stride[side], w.out[side]
    begins = (k * w.dilation[side] for k in range(n))
    parts = (slice(b, b + (out - 1) * step + 1, step) for b in begins)
    return [
        x[(..., part) if axis == -1 else (..., part, slice(None))] for part in parts
    ]


def largest(parts, any_nan):
    """The largest of several arrays, and the number of the array that has it.

    Of equal ones the first one counts, of NaN, which is larger than all, the last.
    """
    first, *rest = parts
    best, dtype = first.copy(), np.uint8 if len(parts) < 256 else np.int32
    number = np.zeros(first.shape, dtype)
    for i, part in enumerate(rest, 1):
        better = part > best
        if any_nan:
            better |= np.isnan(part)
        np.maximum(best, part, out=best)
        np.maximum(number, better * dtype(i), out=number)  # far faster than `where`
    return best, number


def chosen(parts, number):
    """Of several arrays the elements of the one that `number` names."""
    return sum(part * (number == i) for i, part in enumerate(parts))


def indices_of(row, col, w):
    """The indices ih * W + iw of the taps (row, col) that were found at each place."""
    (high, wide), (top, left) = w.size, w.padding
    ih = (np.arange(w.out[0]) * w.stride[0] - top)[:, None]
    iw = np.arange(w.out[1]) * w.stride[1] - left
    if top or left:  # a window of -inf alone may have found the padding
        row = np.maximum(row, -(ih // w.dilation[0]))
        col = np.maximum(col, -(iw // w.dilation[1]))
    steps = w.dilation[0] * wide, w.dilation[1]
    indices = np.multiply(row, steps[0], dtype=np.int64)
    indices += np.multiply(col, steps[1], dtype=np.int64)
    indices += ih * wide + iw
    if top or left:
        inside = (ih + row * w.dilation[0] < high) & (iw + col * w.dilation[1] < wide)
        np.copyto(indices, -1, where=~inside)
    return indices


class MaxPoolInput(Sliding):
    """dx: each dy goes to where its window's maximum was."""

    def on_cpu(self, dy, indices, w):
        array, at = as_array(dy, computed_in(dy.dtype)), indices.memory()
        size, count = w.size[0] * w.size[1], layout.numel(planes(dy))
        dx = np.zeros(count * size, array.dtype)
        inside, every = at.reshape(-1) >= 0, np.arange(0, count * size, size)
        at = (at.reshape(count, -1) + every[:, None]).reshape(-1)
        array = array.reshape(-1)
        if not inside.all():  # windows in the padding alone
            at, array = at[inside], array[inside]
        ways = zip(w.stride, w.kernel, w.dilation, strict=True)
        if all(s > (k - 1) * d for s, k, d in ways):
            dx[at] = array  # no window overlaps another
        else:
            np.add.at(dx, at, array)
        return dy.new_of(dx.reshape(*planes(dy), *w.size), dy.dtype)

    def on_device(self, dy, indices, w):
        dy, indices = dy.contiguous(), indices.contiguous()
        dx = dy.new_empty((*planes(dy), *w.size))
        args = *map(memory, (dy, indices, dx)), w.struct(dy.device)
        types = [dy.dtype, computed_in(dy.dtype)]
        self.each(MAX_INPUT, types, dx.numel(), args, [dy, indices, dx])
        return dx


# ------------------------------------------------- mean


def counts(w, count_pad, divisor):
    """What the sum of each window is divided by: (OH, 1) times (1, OW), or a number."""
    if divisor:
        return divisor
    sides = []
    for o, s, p, k, n in zip(w.out, w.stride, w.padding, w.kernel, w.size, strict=True):
        begin = np.arange(o) * s - p
        end = np.minimum(begin + k, n + p)
        if not count_pad:
            begin, end = np.maximum(begin, 0), np.minimum(end, n)
        sides.append(end - begin)
    return np.multiply.outer(*sides)


class AvgPool(Sliding):
    """The mean of each window."""

    def on_cpu(self, x, w, count_pad, divisor):
        wide = computed_in(x.dtype)
        array, y = padded(as_array(x, wide), w), np.zeros((*planes(x), *w.out), wide)
        for _, _, part in under_taps(array, w):
            y += part
        return x.new_of(y / np.asarray(counts(w, count_pad, divisor), wide), x.dtype)

    def on_device(self, x, w, count_pad, divisor):
        x, y = x.contiguous(), x.new_empty((*planes(x), *w.out))
        args = memory(x), memory(y), w.struct(x.device), np.int32(divisor or 0)
        types = [int(count_pad), x.dtype, computed_in(x.dtype)]
        self.each(AVG, types, y.numel(), args, [x, y])
        return y


class AvgPoolInput(Sliding):
    """dx: each dy is shared among its window."""

    def on_cpu(self, dy, w, count_pad, divisor):
        wide = computed_in(dy.dtype)
        share = as_array(dy, wide) / np.asarray(counts(w, count_pad, divisor), wide)
        (top, left), (high, broad), (rows, cols) = w.padding, w.size, w.extent()
        shape = *planes(dy), max(rows, top + high), max(cols, left + broad)
        dx = np.zeros(shape, wide)
        for _, _, part in under_taps(dx, w):
            part += share
        return dy.new_of(dx[..., top : top + high, left : left + broad], dy.dtype)

    def on_device(self, dy, w, count_pad, divisor):
        dy, dx = dy.contiguous(), dy.new_empty((*planes(dy), *w.size))
        args = memory(dy), memory(dx), w.struct(dy.device), np.int32(divisor or 0)
        types = [int(count_pad), dy.dtype, computed_in(dy.dtype)]
        self.each(AVG_INPUT, types, dx.numel(), args, [dy, dx])
        return dx


def picked(dy, b):
    """The elements of dy (..., H, W) at the indices b (..., OH, OW)."""
    planes_ = dy.reshape(layout.numel(planes(dy)), -1)
    return gather(planes_, 1, b.reshape(planes_.shape[0], -1)).view(b.shape)


maximum = MaxPool(
    "max_pool2d", MaxPool.__doc__, [lambda dy, i, w: maximum_input(dy, i, w=w)]
)
maximum_input = MaxPoolInput("max_pool2d_input", MaxPoolInput.__doc__, [picked, None])
average = AvgPool("avg_pool2d", AvgPool.__doc__, [
    lambda dy, w, count_pad, divisor: average_input(
        dy, w=w, count_pad=count_pad, divisor=divisor)
])  # fmt: skip
average_input = AvgPoolInput("avg_pool2d_input", AvgPoolInput.__doc__, [
    lambda dy, w, count_pad, divisor: average(
        dy, w=w, count_pad=count_pad, divisor=divisor)
])  # fmt: skip

# ------------------------------------------------- as PyTorch calls them


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1,  # noqa: A002
               ceil_mode=False, return_indices=False):  # fmt: skip
    """The largest element of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. Of equal elements the first one counts; a NaN is larger
    than every number. return_indices: also where it was, ih * W + iw, int64.
    """
    w = pool_window(
        input, kernel_size, stride, padding, dilation, ceil_mode, "max_pool2d"
    )
    y, indices = maximum(input, w=w)
    return (y, indices) if return_indices else y


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False,  # noqa: A002
               count_include_pad=True, divisor_override=None):  # fmt: skip
    """The mean of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. count_include_pad: the padding counts as elements, of
    value 0. divisor_override: what sums are divided by, in place of the number.
    """
    if divisor_override == 0:
        raise RuntimeError("avg_pool2d: divisor must be not zero")
    w = pool_window(input, kernel_size, stride, padding, 1, ceil_mode, "avg_pool2d")
    how = {"count_pad": bool(count_include_pad), "divisor": divisor_override}
    return average(input, w=w, **how)


def pool_window(x, kernel, stride, padding, dilation, ceil_mode, name):
    """The Window, or what is wrong with it, in PyTorch's words."""
    kernel = pair(kernel, "kernel_size", name)
    stride = kernel if stride in (None, (), []) else pair(stride, "stride", name)
    padding, dilation = pair(padding, "padding", name), pair(dilation, "dilation", name)
    if x.ndim not in (3, 4) or not all(x.shape[-3:]):
        raise RuntimeError(
            f"{name}: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch "
            f"size for input, but got: {list(x.shape)}"
        )
    if min(kernel) < 1:
        raise RuntimeError(f"{name}: kernel size should be greater than zero")
    if min(stride) < 1:
        raise RuntimeError(f"{name}: stride should not be zero")
    if min(dilation) < 1:
        raise RuntimeError(
            f"{name}: dilation should be greater than zero, but got dilationH: "
            f"{dilation[0]} dilationW: {dilation[1]}"
        )
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"{name}: pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"{name}: pad should be at most half of effective kernel size, but got "
                f"pad={p}, kernel_size={k} and dilation={d}"
            )
    size, channels = x.shape[-2:], x.shape[-3]
    ways = zip(size, kernel, stride, padding, dilation, strict=True)
    out = tuple(places(*way, ceil_mode=ceil_mode) for way in ways)
    if min(out) < 1:
        raise RuntimeError(
            f"{name}: Given input size: ({channels}x{size[0]}x{size[1]}). Calculated "
            f"output size: ({channels}x{max(0, out[0])}x{max(0, out[1])}). Output size "
            "is too small"
        )
    return Window(size, out, kernel, stride, padding, dilation)
