"""Images of other sizes: pad, interpolate, adaptive_avg_pool2d."""

import math

import numpy as np

from ..check import check
from ..dispatch import functional, tensor_for
from ..dtypes import int64
from ..layout import as_ints
from .pointwise import check_dtype
from .pooling import avg_pool2d
from .shape import cat

# ------------------------------------------------- pad


@functional
def pad(input, pad, mode="constant", value=None):
    """input with more elements around it, or fewer where `pad` is negative.

    pad: (before, after) of the last dimension, then of the one before it, and so on.
    mode: "constant" puts `value` there (0), "reflect" and "replicate" mirror the image
    or repeat its edge, "circular" goes on at the other end.
    """
    numbers = as_ints((pad,))
    most = 2 * tensor_for("pad", "input", input).ndim
    check(len(numbers) % 2 == 0 and len(numbers) <= most, lambda: "Padding length must "
          "be divisible by 2 and at most twice the number of dimensions of the input, "
          f"but got {len(numbers)} for {input.ndim}")  # fmt: skip
    ends = [*zip(numbers[::2], numbers[1::2], strict=True)]
    sides = [(input.ndim - 1 - i, *end) for i, end in enumerate(ends)]
    for dim, before, after in sides:
        check(input.shape[dim] + min(before, 0) + min(after, 0) >= 0,
              lambda: f"pad: {(before, after)} cuts more off dimension {dim} than its "
              f"{input.shape[dim]} elements")  # fmt: skip
    if mode == "constant":
        return constant(input, sides, 0 if value is None else value)
    if mode not in PLACES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value not in (None, 0):
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "circular":  # what is cut off does not come round again
        input = constant(input, [(d, min(b, 0), min(a, 0)) for d, b, a in sides], 0)
        sides = [(d, max(b, 0), max(a, 0)) for d, b, a in sides]
    for dim, before, after in sides:
        input = input.index_select(dim, places(input, dim, before, after, mode))
    return input


def constant(x, sides, value):
    inside, whole, shape = [slice(None)] * x.ndim, [slice(None)] * x.ndim, [*x.shape]
    for dim, before, after in sides:
        n, shape[dim] = x.shape[dim], x.shape[dim] + before + after
        inside[dim] = slice(max(-before, 0), n - max(-after, 0))
        whole[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    y = x.new_empty(tuple(shape)).fill_(value)
    y[tuple(whole)] = x[tuple(inside)]
    return y


PLACES = {
    "reflect": lambda i, n: (n - 1) - abs((n - 1) - i % max(2 * (n - 1), 1)),
    "replicate": lambda i, n: i.clip(0, n - 1),
    "circular": lambda i, n: i % n,
}


def places(x, dim, before, after, mode):
    """Where the elements of the padded dimension are read."""
    n, most = x.shape[dim], x.shape[dim] - (mode == "reflect")
    check(mode == "replicate" or max(before, after) <= most,
          lambda: f"pad: {mode} padding of {max(before, after)} is too large for "
          f"dimension {dim} of size {n}")  # fmt: skip
    check(n, lambda: f"pad: dimension {dim} has no elements for mode {mode!r}")
    return x.new_tensor(PLACES[mode](np.arange(-before, n + after), n), int64)


# ------------------------------------------------- interpolate


@functional
def interpolate(input, size=None, scale_factor=None, mode="nearest",
                align_corners=None):  # fmt: skip
    """(N, C, H, W) in another size: mode "nearest", or "bilinear".

    size: of the result, or scale_factor: how much larger; numbers, or one for each
    dimension. align_corners: do the centres of the corners stay where they are?
    """
    dims = range(2, tensor_for("interpolate", "input", input).ndim)
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined")
    check(mode in ("nearest", "bilinear") and (mode != "bilinear" or len(dims) == 2),
          lambda: f"interpolate: mode {mode!r} of {input.ndim}D input; there are "
          "'nearest', and 'bilinear' of 4D input", NotImplementedError)  # fmt: skip
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners goes with mode 'bilinear' alone")
    given = scale_factor if size is None else size
    given = given if isinstance(given, tuple | list) else (given,) * len(dims)
    if mode == "bilinear":
        check_dtype("interpolate", input)
    check(len(given) == len(dims), lambda: "Input and output must have the same number "
          f"of spatial dimensions, but got input of shape {list(input.shape)} and "
          f"{list(given)}", ValueError)  # fmt: skip
    for dim, number in zip(dims, given, strict=True):
        n = input.shape[dim]
        out = number if scale_factor is None else math.floor(n * number)
        whole = out == n or mode == "nearest" and out == 2 * n  # of images, as PyTorch
        by_size = scale_factor is None or whole and len(dims) == 2
        step = n / out if by_size else 1 / number
        if mode == "bilinear":
            input = between(input, dim, out, step, align_corners)
        else:
            at = np.minimum(np.floor(np.arange(out) * np.float32(step)), n - 1)
            input = input.index_select(dim, input.new_tensor(at, int64))
    return input


def between(x, dim, out, step, align_corners):
    """Linear interpolation along one dimension."""
    n, i = x.shape[dim], np.arange(out)
    if align_corners:
        at = i * ((n - 1) / (out - 1) if out > 1 else 0)
    else:
        at = np.maximum((i + 0.5) * step - 0.5, 0)
    low = np.minimum(np.floor(at), n - 1)
    shape = [-1 if d == dim else 1 for d in range(x.ndim)]
    share = x.new_tensor(at - low, x.dtype).view(shape)
    first, second = (x.index_select(dim, x.new_tensor(np.minimum(p, n - 1), int64))
                     for p in (low, low + 1))  # fmt: skip
    return first * (1 - share) + second * share


# ------------------------------------------------- adaptive pooling


@functional
def adaptive_avg_pool2d(input, output_size):
    """The means of (..., H, W) over OH x OW parts as equal as can be."""
    sizes = output_size if isinstance(output_size, tuple | list) else (output_size,) * 2
    check(tensor_for("adaptive_avg_pool2d", "input", input).ndim in (3, 4),
          lambda: "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got "
          f"{list(input.shape)}")  # fmt: skip
    pairs = zip(sizes, input.shape[-2:], strict=True)
    rows, columns = (n if given is None else given for given, n in pairs)
    high, wide = input.shape[-2:]
    if rows and columns and high % rows == wide % columns == 0:
        return avg_pool2d(input, (high // rows, wide // columns))
    return means(means(input, -2, rows), -1, columns)


def means(x, dim, count):
    """The means of `count` parts along one dimension, neighbours of about one size."""
    n = x.shape[dim]
    ends = [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
    x = x.transpose(dim, -1)
    parts = [x[..., start:end].mean(-1, True) for start, end in ends] or [x[..., :0]]
    return cat(parts, -1).transpose(dim, -1)
