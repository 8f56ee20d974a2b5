"""Layers that look through windows at images (N, C, H, W): Conv2d and pooling."""

from ..factories import empty
from ..ops import steps
from ..ops.conv2d import checked
from . import functional as f
from . import init
from .module import Module
from .parameter import Parameter


def pair(n):
    """(n, n) of a number; a pair as it is."""
    return tuple(n) if isinstance(n, tuple | list) else (n, n)


class Conv2d(Module):
    """A convolution of images: (N, C, H, W) to (N, out_channels, OH, OW).

    weight: (out_channels, in_channels / groups, KH, KW). kernel_size, stride, padding,
    dilation: ints or pairs (down, across); padding also "same" or "valid".
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
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be 'same' or 'valid'"
                )
            if padding == "same" and pair(stride) != (1, 1):
                raise ValueError(
                    "padding='same' is not supported for strided convolutions"
                )
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode='zeros' only, not {padding_mode}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = pair(kernel_size), pair(stride)
        self.padding = padding if isinstance(padding, str) else pair(padding)
        self.dilation = pair(dilation)
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
        init.as_layers_(self.weight, self.bias)

    def forward(self, input):
        how = self.stride, self.padding, self.dilation
        given = input, self.weight, self.bias
        plain = self.groups == 1 and not isinstance(self.padding, str)
        if steps.are_asked_for() and plain:
            checked(*given, *how, self.groups)
            if input.ndim == 4:
                return steps.conv2d(*given, *how)
        return f.conv2d(*given, *how, self.groups)

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
