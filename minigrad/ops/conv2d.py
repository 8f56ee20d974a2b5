"""conv2d as PyTorch calls it: its arguments, and what may be wrong with them."""

from ..layout import as_ints
from .base import expect
from .conv import convolve
from .conv_sizes import Shape
from .window import Window, places


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1,  # noqa: A002
           groups=1):  # fmt: skip
    """The sum of each window times the weights: (N, C, H, W) -> (N, O, OH, OW).

    weight: (O, C / groups, KH, KW). bias: (O,) or None. padding: zeros around the
    image, a number or one for height and one for width; "valid" is none, "same" so many
    that the image keeps its size, which needs stride 1. An image without N gives one.
    RuntimeError where the sizes do not fit.
    """
    sizes = checked(input, weight, bias, stride, padding, dilation, groups)
    if input.ndim == 4:
        return convolve(input, weight, bias, sizes=sizes)
    return convolve(input.unsqueeze(0), weight, bias, sizes=sizes).squeeze(0)


def checked(input, weight, bias, stride, padding, dilation, groups):  # noqa: A002
    """The Shape of a convolution; RuntimeError for operands that do not fit."""
    try:
        shapes = input._layout[0], weight._layout[0]
        _ = bias is None or bias._layout
    except AttributeError:
        expect("conv2d", {"input": input, "weight": weight}, {"bias": bias})
        raise
    sizes = shape_of(*shapes, stride, padding, dilation, groups)
    check_operands(input, weight, bias)
    return sizes


def shape_of(x, w, stride=1, padding=0, dilation=1, groups=1):
    """The Shape of a convolution of x with w, both given by their shapes."""
    if len(x) not in (3, 4):
        raise RuntimeError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of "
            f"size: {list(x)}"
        )
    if len(w) != 4:
        raise RuntimeError(
            f"conv2d: expected a weight (O, C / groups, KH, KW), got shape {list(w)}"
        )
    stride, dilation = two(stride, "stride"), two(dilation, "dilation")
    if type(groups) is not int:
        (groups,) = as_ints((groups,))
    if groups < 1:
        raise RuntimeError("conv2d: non-positive groups is not supported")
    if min(stride) < 1:
        raise RuntimeError("conv2d: non-positive stride is not supported")
    if min(dilation) < 1:
        raise RuntimeError(
            f"conv2d: dilation should be greater than zero, but got {list(dilation)}"
        )
    before, after = paddings(padding, stride, dilation, w[2:])
    if min(before) < 0:
        raise RuntimeError("conv2d: negative padding is not supported")
    check_channels(x, w, groups)
    size, kernel = tuple(x[-2:]), tuple(w[2:])
    check_fits(size, kernel, before, after, dilation)
    ways = zip(size, kernel, stride, before, dilation, after, strict=True)
    out = tuple(places(*way) for way in ways)
    window = Window(size, out, kernel, stride, before, dilation)
    return Shape(x[0] if len(x) == 4 else 1, x[-3], w[0], groups, window)


def two(value, name):
    """A number, or one for height and one for width."""
    if type(value) is tuple and len(value) == 2 and {*map(type, value)} == {int}:
        return value
    try:
        numbers = as_ints((value,))
    except TypeError:
        raise TypeError(
            f"conv2d: {name} is an int, or a tuple of two ints, not {value!r}"
        ) from None
    if len(numbers) not in (1, 2):
        raise RuntimeError(
            f"conv2d: expected {name} to be a single integer value or a list of 2 "
            f"values to match the convolution dimensions, but got {name}={[*numbers]}"
        )
    return numbers * 2 if len(numbers) == 1 else numbers


def paddings(padding, stride, dilation, kernel):
    """The padding (above, left) and (below, right)."""
    if not isinstance(padding, str):
        return (two(padding, "padding"),) * 2
    if padding not in ("same", "valid"):
        raise RuntimeError(f"conv2d: Invalid padding string: {padding!r}")
    if padding == "valid":
        return ((0, 0),) * 2
    if stride != (1, 1):
        raise RuntimeError(
            "conv2d: padding='same' is not supported for strided convolutions"
        )
    totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    before = tuple(n // 2 for n in totals)  # an odd one more is behind
    return before, tuple(n - b for n, b in zip(totals, before, strict=True))


def check_channels(x, w, groups):
    channels, out = x[-3], w[0]
    if out < groups:
        raise RuntimeError(
            f"conv2d: Given groups={groups}, expected weight to be at least {groups} "
            f"at dimension 0, but got weight of size {list(w)} instead"
        )
    if out % groups:
        raise RuntimeError(
            f"conv2d: Given groups={groups}, expected weight to be divisible by "
            f"{groups} at dimension 0, but got weight of size {list(w)} instead"
        )
    if channels != w[1] * groups:
        raise RuntimeError(
            f"conv2d: Given groups={groups}, weight of size {list(w)}, expected "
            f"input{list(x)} to have {w[1] * groups} channels, but got {channels} "
            "channels instead"
        )


def check_fits(size, kernel, before, after, dilation):
    padded = [sum(n) for n in zip(size, before, after, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    if min(kernel) < 1:
        raise RuntimeError(f"conv2d: a kernel of size {kernel} has no elements")
    if any(r > n for r, n in zip(reach, padded, strict=True)):
        raise RuntimeError(
            "conv2d: Calculated padded input size per channel: "
            f"({padded[0]} x {padded[1]}). Kernel size: ({reach[0]} x {reach[1]}). "
            "Kernel size can't be greater than actual input size"
        )


def check_operands(x, w, bias):
    """One dtype for all; a bias for each channel."""
    for name, t in ("weight", w), ("bias", bias):
        if t is not None and t.dtype != x.dtype:
            raise RuntimeError(
                f"conv2d: expected {name} of the input's dtype {x.dtype}, but found "
                f"{t.dtype}: {name}.to(input.dtype) makes a copy"
            )
    if bias is not None and bias.shape != w.shape[:1]:
        raise RuntimeError(
            f"conv2d: Given weight of size {list(w.shape)}, expected bias to be "
            f"1-dimensional with {w.shape[0]} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )
