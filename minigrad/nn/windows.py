"""Layers that look through windows at images (N, C, H, W): Conv2d and pooling."""

import math

from .. import functional as f
from ..factories import empty
from ..ops import steps
from . import init
from .module import Module
from .parameter import Parameter


def pair(n):
    """(n, n) of a number; a pair as it is."""
    return tuple(n) if isinstance(n, tuple | list) else (n, n)


class Conv2d(Module):
    """A convolution of images: (N, C, H, W) to (N, out_channels, OH, OW).

    weight: (out_channels, in_channels / groups, KH, KW). kernel_size, stride, padding,
    dilation: ints or pairs (down, across).
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device="cpu",
        dtype=None,
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode='zeros' only, not {padding_mode}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = pair(kernel_size), pair(stride)
        self.padding, self.dilation = pair(padding), pair(dilation)
        self.groups = groups
        size = out_channels, in_channels // groups, *self.kernel_size
        like = {"device": device, "dtype": dtype}
        self.weight = Parameter(empty(size, **like))
        self.register_parameter(
            "bias", Parameter(empty(out_channels, **like)) if bias else None
        )
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew, both between ± 1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.uniform_fan_in_(self.bias, self.weight)

    def forward(self, input):
        how = self.stride, self.padding, self.dilation
        if steps.are_asked_for() and self.groups == 1:
            return steps.conv2d(input, self.weight, self.bias, *how)
        return f.conv2d(input, self.weight, self.bias, *how, self.groups)

    def extra_repr(self):
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        text += f", padding={self.padding}" if self.padding != (0, 0) else ""
        text += f", dilation={self.dilation}" if self.dilation != (1, 1) else ""
        text += f", groups={self.groups}" if self.groups != 1 else ""
        return text + (", bias=False" if self.bias is None else "")


class MaxPool2d(Module):
    """The largest number of each window of an image."""

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input):
        return f.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window of an image; padding counts as 0."""

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return f.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self):
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"padding={self.padding}"
        )
