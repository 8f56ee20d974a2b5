"""max_pool2d and avg_pool2d, forward and backward: on "cpu" tap by tap."""

import math

import numpy as np

from .. import launch
from ..check import check
from ..dispatch import operator
from ..dtypes import int64
from ..kernels import learner_variants
from ..launch import Variant
from ..layout import as_ints
from .indexing import gather
from .pointwise_backward import masked
from .unfold import EACH, added_up, padded, pairs, per_window, under_taps, window_of


def pool_window(shape, kernel, stride, padding, dilation, ceil_mode, name):
    """The Window over images, or what is wrong with it, in PyTorch's words."""
    stride = kernel if stride in (None, (), []) else stride
    how = kernel, _, padding, dilation = pairs(name, kernel, stride, padding, dilation)
    check(len(shape) in (3, 4) and all(shape[-3:]),
          f"{name}: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch "
          f"size for input, but got: {list(shape)}")  # fmt: skip
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        check(p <= ((k - 1) * d + 1) // 2,
              f"{name}: pad should be at most half of effective kernel size, but got "
              f"pad={p}, kernel_size={k} and dilation={d}")  # fmt: skip
    size, channels = shape[-2:], shape[-3]
    w = window_of(size, *how, ceil_mode=ceil_mode)
    out = w.out
    check(min(out) >= 1, f"{name}: Given input size: ({channels}x{size[0]}x{size[1]}). "
          f"Calculated output size: ({channels}x{max(0, out[0])}x{max(0, out[1])}). "
          "Output size is too small")  # fmt: skip
    return w


# ------------------------------------------------- kernels


def averages(f):
    return int(f.count_pad), f.dtype, f.wide


ELEMENT = "thread an element"
MAX = launch.variants(
    learner_variants.MAX_POOL,
    Variant(ELEMENT, "max_pool2d", "pool.cu", args="x y indices window count", **EACH),
)


def is_apart(f):
    """Do windows stand side by side, and cover the image?"""
    w = f.w
    whole = tuple(o * k for o, k in zip(w.out, w.kernel, strict=True)) == tuple(w.size)
    return whole and w.stride == w.kernel and w.padding == (0, 0) == (
        w.dilation[0] - 1, w.dilation[1] - 1)  # fmt: skip


MAX_INPUT = launch.variants(
    learner_variants.MAX_POOL_BACKWARD,
    Variant(ELEMENT, "max_pool2d_input", "pool.cu",
            args="dy indices dx window count mask", **EACH),
    Variant("thread a window", "max_pool2d_input_apart", "pool.cu", is_apart,
            "dy indices dx window count mask", **EACH | {"more": per_window}),
)  # fmt: skip
AVG = launch.one(ELEMENT, "avg_pool2d", "pool.cu", args="x y window divisor:int count",
                 types=averages, **EACH)  # fmt: skip
AVG_INPUT = launch.one(ELEMENT, "avg_pool2d_input", "pool.cu", types=averages,
                       args="dy dx window divisor:int count", **EACH)  # fmt: skip


@operator(vjps=[lambda dy, i, w: max_input(dy, i, w=w)], results=(None, int64),
          name="max_pool2d")  # fmt: skip
def max_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                     ceil_mode=False):  # fmt: skip
    """The largest element of each window, and its index in the plane."""
    how = kernel_size, stride, padding, dilation, ceil_mode
    return {"w": pool_window(input.shape, *how, "max_pool2d")}


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1,  # noqa: A002
               ceil_mode=False, return_indices=False):  # fmt: skip
    """The largest element of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. Of equal elements the first one counts; a NaN is larger
    than every number. return_indices: also where it was, ih * W + iw, int64.
    """
    how = kernel_size, stride, padding, dilation, ceil_mode
    y, indices = max_with_indices(input, *how)
    return (y, indices) if return_indices else y


@max_with_indices.cpu
def _(x, w):
    array = padded(x, w, -np.inf)
    any_nan = array.size and np.isnan(array.min())
    (_, first), *others = under_taps(array, w)
    best, dtype = first.copy(), np.uint8 if w.taps < 256 else np.int32
    tap = np.zeros(best.shape, dtype)  # of equal ones the first, of NaN the last
    for number, (_, part) in enumerate(others, 1):
        part = part.copy()  # in one piece: it is read twice
        better = part > best
        if any_nan:
            better |= np.isnan(part)
        np.maximum(best, part, out=best)
        np.maximum(tap, better * dtype(number), out=tap)  # far faster than `where`
    return best, indices_of(tap, w)


@max_with_indices.device
def _(x, w):
    x, shape = x.contiguous(), (*x.shape[:-2], *w.out)
    y, indices = x.new_empty(shape), x.new_empty(shape, dtype=int64)
    launch.run(MAX, "max_pool2d", x=x, y=y, indices=indices, w=w, n=y.numel())
    return y, indices


def indices_of(tap, w):
    """The indices ih * W + iw of the taps that were found at each place."""
    (high, wide), (top, left) = w.size, w.padding
    row, col = np.indices(w.kernel).reshape(2, -1) * np.array(w.dilation)[:, None]
    ih = (np.arange(w.out[0]) * w.stride[0] - top)[:, None]
    iw = np.arange(w.out[1]) * w.stride[1] - left
    if not (top or left):
        indices = (row * wide + col).take(tap)
        indices += ih * wide + iw
        return indices
    places = ih + row.take(tap), iw + col.take(tap)
    # A window of -inf alone may have found the padding: then its first element counts.
    ways = zip(places, w.dilation, strict=True)
    ih, iw = (np.where(at < 0, at % d, at) for at, d in ways)
    return np.where((ih < high) & (iw < wide), ih * wide + iw, -1)


def picked(dy, b):
    """The elements of dy (..., H, W) at the indices b (..., OH, OW)."""
    flat = dy.reshape(math.prod(dy.shape[:-2]), -1)
    return gather(flat, 1, b.reshape(flat.shape[0], -1)).view(b.shape)


@operator("dy indices mask", vjps=[picked, None, None], name="max_pool2d_input")
def max_input(dy, indices, mask=None, *, w):
    """dx: each dy goes to where its window's maximum was; 0 where the mask is.

    mask: the result of a relu that was pooled; minigrad.jit fuses its gradient so.
    """


@max_input.cpu
def _(dy, at, mask, w):
    size, count = w.size[0] * w.size[1], math.prod(dy.shape[:-2])
    dx, shape = np.zeros(count * size, dy.dtype), (*dy.shape[:-2], *w.size)
    inside, every = at.reshape(-1) >= 0, np.arange(0, count * size, size)
    at, dy = (at.reshape(count, -1) + every[:, None]).reshape(-1), dy.reshape(-1)
    if not inside.all():  # windows in the padding alone
        at, dy = at[inside], dy[inside]
    ways = zip(w.stride, w.kernel, w.dilation, strict=True)
    if all(s > (k - 1) * d for s, k, d in ways):
        dx[at] = dy  # no window overlaps another
    else:
        np.add.at(dx, at, dy)
    dx = dx.reshape(shape)
    return dx if mask is None else masked(dx, mask)


@max_input.device
def _(dy, indices, mask, w):
    dy, indices = dy.contiguous(), indices.contiguous()
    dx = dy.new_empty((*dy.shape[:-2], *w.size))
    variants = MAX_INPUT if mask is None else MAX_INPUT[1:]  # the lab's knows no mask
    launch.run(variants, max_input.name, dy=dy, indices=indices, dx=dx, w=w,
               n=dx.numel(),
               mask=mask if mask is None else mask.contiguous())  # fmt: skip
    return dx


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


@operator(vjps=[lambda dy, w, count_pad, divisor: avg_input(dy, w, count_pad, divisor)])
def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False,
               count_include_pad=True, divisor_override=None):  # fmt: skip
    """The mean of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. count_include_pad: the padding counts as elements, of
    value 0. divisor_override: what sums are divided by, in place of the number.
    """
    if divisor_override is not None:
        (divisor_override,) = as_ints((divisor_override,))
    check(divisor_override != 0, "avg_pool2d: divisor must be not zero")
    how = kernel_size, stride, padding, 1, ceil_mode
    w = pool_window(input.shape, *how, "avg_pool2d")
    return {"w": w, "count_pad": bool(count_include_pad), "divisor": divisor_override}


avg_pool2d.gradients.once = True  # PyTorch saves the input


@avg_pool2d.cpu
def _(x, w, count_pad, divisor):
    y = np.zeros((*x.shape[:-2], *w.out), x.dtype)
    for _, part in under_taps(padded(x, w), w):
        y += part
    return y / np.asarray(counts(w, count_pad, divisor), x.dtype)


@avg_pool2d.device
def _(x, w, count_pad, divisor):
    x, y = x.contiguous(), x.new_empty((*x.shape[:-2], *w.out))
    launch.run(AVG, "avg_pool2d", x=x, y=y, w=w, n=y.numel(), count_pad=count_pad,
               divisor=divisor or 0)  # fmt: skip
    return y


def averaged(dy, w, count_pad, divisor):
    """avg_pool2d of these windows."""
    own = window_of(w.size, w.kernel, w.stride, w.padding, (1, 1))
    how = w.kernel, w.stride, w.padding, own != w, count_pad, divisor
    return avg_pool2d(dy, *how)


@operator(vjps=[averaged], name="avg_pool2d_input")
def avg_input(dy, w, count_pad, divisor):
    """dx: each dy is shared among its window."""


@avg_input.cpu
def _(dy, w, count_pad, divisor):
    share = dy / np.asarray(counts(w, count_pad, divisor), dy.dtype)
    shape = *dy.shape[:-2], *w.kernel, *w.out
    return added_up(np.broadcast_to(share[..., None, None, :, :], shape), w)


@avg_input.device
def _(dy, w, count_pad, divisor):
    dy, dx = dy.contiguous(), dy.new_empty((*dy.shape[:-2], *w.size))
    launch.run(AVG_INPUT, avg_input.name, dy=dy, dx=dx, w=w, n=dx.numel(),
               count_pad=count_pad, divisor=divisor or 0)  # fmt: skip
    return dx
