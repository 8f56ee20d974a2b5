"""max_pool2d and avg_pool2d, forward and backward: on "cpu" tap by tap."""

import numpy as np

from .. import layout
from ..kernels import convolution as holes
from ..storage import float32, int32, int64
from . import ladder
from .arrays import as_array
from .ladder import Rung, computed_in, memory
from .shape import gather
from .unfold import Sliding
from .window import is_simple, padded, under_taps

MAX, MAX_INPUT, AVG, AVG_INPUT = (
    [Rung("thread an element", name, "pool.cu")]
    for name in ("max_pool2d", "max_pool2d_input", "avg_pool2d", "avg_pool2d_input")
)


def planes(x):
    """(..., H, W): all dimensions but the last two."""
    return x.shape[:-2]


# ------------------------------------------------- maximum


def is_square(dtype, w, **facts):
    """May a kernel of lab 07 treat it?"""
    plain = w.kernel[0] == w.kernel[1] and w.dilation == (1, 1)
    return is_simple(dtype, w) and plain


def is_float(dtype, **facts):
    return dtype == float32


MAX.insert(0, Rung("yours", "max_pool2d", holes.max_pool2d, is_square))
MAX_INPUT.insert(
    0, Rung("yours", "max_pool2d_backward", holes.max_pool2d_backward, is_float)
)


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
        if (rung := ladder.choose(MAX, dtype=x.dtype, w=w)).is_hole:
            return self.yours(rung, x, shape, w)
        y, indices = x.new_empty(shape), x.new_empty(shape, dtype=int64)
        args = *map(memory, (x, y, indices)), w.struct(x.device)
        types = [x.dtype, computed_in(x.dtype)]
        self.each(MAX, types, y.numel(), args, [x, y, indices], w=w)
        return y, indices

    def yours(self, rung, x, shape, w):
        """Launch the kernel of lab 07."""
        y, indices = x.new_empty(shape), x.new_empty(shape, dtype=int32)
        sizes = layout.numel(planes(x)), *w.size, *w.out, w.kernel[0], w.stride[0]
        args = *map(memory, (x, y, indices)), *np.int32([*sizes, w.padding[0]])
        grid = -(-y.numel() // 256), 1, 1
        if y.numel():
            self.launch(rung, (), grid, 256, args, (x, y, indices))
        return y, indices.long()


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
        if (rung := ladder.choose(MAX_INPUT, dtype=dy.dtype)).is_hole:
            return self.yours(rung, dy, indices.int(), dx.zero_())
        args = *map(memory, (dy, indices, dx)), w.struct(dy.device)
        types = [dy.dtype, computed_in(dy.dtype)]
        self.each(MAX_INPUT, types, dx.numel(), args, [dy, indices, dx])
        return dx

    def yours(self, rung, dy, indices, dx):
        """Launch the kernel of lab 07."""
        count = layout.numel(planes(dy))
        sizes = count, dx.numel() // max(count, 1), dy.numel() // max(count, 1)
        args = *map(memory, (dy, indices, dx)), *np.int32(sizes)
        grid = -(-max(dx.numel(), dy.numel()) // 256), 1, 1
        if dx.numel():
            self.launch(rung, (), grid, 256, args, (dy, indices, dx))
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
average.gradients.once = True  # PyTorch saves the input
average_input = AvgPoolInput("avg_pool2d_input", AvgPoolInput.__doc__, [
    lambda dy, w, count_pad, divisor: average(
        dy, w=w, count_pad=count_pad, divisor=divisor)
])  # fmt: skip
