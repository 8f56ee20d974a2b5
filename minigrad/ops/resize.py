"""Images of other sizes: pad, interpolate, adaptive_avg_pool2d."""

import math
from numbers import Integral

import numpy as np

from ..check import check
from ..dispatch import functional, number_for, tensor_for
from ..dtypes import int64
from ..layout import as_ints, as_shape
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
    mirrors = mode in ("reflect", "replicate")  # they also read what is cut off
    for dim, before, after in sides:
        cut = before + after if mirrors else min(before, 0) + min(after, 0)
        check(input.shape[dim] + cut >= 0, lambda: f"pad: {(before, after)} cuts more "
              f"off dimension {dim} than its {input.shape[dim]} elements")  # fmt: skip
    if mode == "constant":
        return constant(input, sides, 0 if value is None else value)
    if mode not in PLACES:
        raise NotImplementedError(f"Unrecognized padding mode {mode}")
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
    dims = {"nearest": (3, 4, 5), "bilinear": (4,)}.get(mode, ())
    check(tensor_for("interpolate", "input", input).ndim in dims,
          lambda: f"interpolate: mode {mode!r} of {input.ndim}D input; there are "
          "'nearest' of 3D to 5D, 'bilinear' of 4D", NotImplementedError)  # fmt: skip
    check(mode == "bilinear" or align_corners is None,
          "align_corners goes with mode 'bilinear' alone", ValueError)  # fmt: skip
    if mode == "bilinear":
        check_dtype("interpolate", input)
    for dim, out, step in resized(input, size, scale_factor, mode):
        if mode == "bilinear":
            input = between(input, dim, out, step, align_corners)
        else:
            at, most = np.floor(np.arange(out) * np.float32(step)), input.shape[dim] - 1
            input = input.index_select(dim, input.new_tensor(at.clip(max=most), int64))
    return input


def resized(x, size, scale_factor, mode):
    """Yields for each dimension: (dim, its new size, the step between reads)."""
    check((size is None) != (scale_factor is None),
          "only one of size or scale_factor should be defined", ValueError)  # fmt: skip
    given, dims = scale_factor if size is None else size, range(2, x.ndim)
    given = given if isinstance(given, tuple | list) else (given,) * len(dims)
    check(len(given) == len(dims), lambda: "Input and output must have the same number "
          f"of spatial dimensions, but got input of shape {list(x.shape)} and "
          f"{list(given)}", ValueError)  # fmt: skip
    for dim, number in zip(dims, given, strict=True):
        n = x.shape[dim]
        if size is None:
            out = math.floor(n * number_for("interpolate", "scale_factor", number))
        else:
            out = number_for("interpolate", "size", number, Integral)
        check(n > 0 < out, "Input and output sizes should be greater than 0, but got "
              f"input {n} output {out}")  # fmt: skip
        whole = out == n or mode == "nearest" and out == 2 * n  # of images, as PyTorch
        by_size = size is not None or whole and x.ndim == 4
        yield dim, out, n / out if by_size else 1 / number


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
    check(len(sizes) == 2, f"adaptive_avg_pool2d: expected 2 sizes, got {sizes}")
    high, wide = input.shape[-2:]
    pairs = zip(sizes, (high, wide), strict=True)
    rows, columns = as_shape([n if given is None else given for given, n in pairs])
    if rows and columns and high % rows == wide % columns == 0:
        return avg_pool2d(input, (high // rows, wide // columns))
    return means(means(input, -2, rows), -1, columns)


def means(x, dim, count):
    """The means of `count` parts along one dimension, neighbors of about one size."""
    n = x.shape[dim]
    ends = [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
    x = x.transpose(dim, -1)
    parts = [x[..., start:end].mean(-1, True) for start, end in ends] or [x[..., :0]]
    return cat(parts, -1).transpose(dim, -1)
