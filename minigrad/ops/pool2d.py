"""max_pool2d and avg_pool2d as PyTorch calls them, and what may be wrong with them."""

from ..layout import as_ints
from .base import expect
from .pool import average, maximum
from .window import Window, pair, places


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1,  # noqa: A002
               ceil_mode=False, return_indices=False):  # fmt: skip
    """The largest element of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. Of equal elements the first one counts; a NaN is larger
    than every number. return_indices: also where it was, ih * W + iw, int64.
    """
    name = "max_pool2d"
    w = pool_window(shape_of(input, name), kernel_size, stride, padding, dilation,
                    ceil_mode, name)  # fmt: skip
    y, indices = maximum(input, w=w)
    return (y, indices) if return_indices else y


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False,  # noqa: A002
               count_include_pad=True, divisor_override=None):  # fmt: skip
    """The mean of each window: (N, C, H, W) -> (N, C, OH, OW).

    stride: None is kernel_size. count_include_pad: the padding counts as elements, of
    value 0. divisor_override: what sums are divided by, in place of the number.
    """
    if divisor_override is not None:
        (divisor_override,) = as_ints((divisor_override,))
    if divisor_override == 0:
        raise RuntimeError("avg_pool2d: divisor must be not zero")
    name = "avg_pool2d"
    w = pool_window(shape_of(input, name), kernel_size, stride, padding, 1,
                    ceil_mode, name)  # fmt: skip
    how = {"count_pad": bool(count_include_pad), "divisor": divisor_override}
    return average(input, w=w, **how)


def shape_of(x, name):
    """The shape of a tensor; TypeError for what is none."""
    try:
        return x._layout[0]
    except AttributeError:
        expect(name, {"input": x})
        raise


def pool_window(shape, kernel, stride, padding, dilation, ceil_mode, name):
    """The Window over images, or what is wrong with it, in PyTorch's words."""
    kernel = pair(kernel, "kernel_size", name)
    stride = kernel if stride in (None, (), []) else pair(stride, "stride", name)
    padding, dilation = pair(padding, "padding", name), pair(dilation, "dilation", name)
    if len(shape) not in (3, 4) or not all(shape[-3:]):
        raise RuntimeError(
            f"{name}: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch "
            f"size for input, but got: {list(shape)}"
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
    size, channels = shape[-2:], shape[-3]
    ways = zip(size, kernel, stride, padding, dilation, strict=True)
    out = tuple(places(*way, ceil_mode=ceil_mode) for way in ways)
    if min(out) < 1:
        raise RuntimeError(
            f"{name}: Given input size: ({channels}x{size[0]}x{size[1]}). Calculated "
            f"output size: ({channels}x{max(0, out[0])}x{max(0, out[1])}). Output size "
            "is too small"
        )
    return Window(size, out, kernel, stride, padding, dilation)
