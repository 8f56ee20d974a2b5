"""Convolutions as layers."""

from ..dispatch import tensor_for
from ..ops.conv import check_operands, shape_of
from . import functional as f
from . import init, unfused
from .module import Module
from .parameter import new_parameters


class Convolution(Module):
    """The base. weight: (out_channels, in_channels / groups, *kernel_size).

    kernel_size, stride, padding, dilation: ints, or one for each of `dims` dimensions;
    padding also "same" or "valid".
    """

    dims, transposed = 2, False
    output_padding = (0, 0)

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
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be 'same' or 'valid'"
            )
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode='zeros' only, not {padding_mode}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = self.sizes(kernel_size), self.sizes(stride)
        if padding == "same" and {*self.stride} != {1}:
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.padding = padding if isinstance(padding, str) else self.sizes(padding)
        self.dilation, self.groups = self.sizes(dilation), groups
        channels = out_channels, in_channels // groups
        if self.transposed:
            channels = in_channels, out_channels // groups
        size, bias = (*channels, *self.kernel_size), out_channels if bias else None
        new_parameters(self, device, dtype, weight=size, bias=bias)
        self.reset_parameters()

    def sizes(self, n):
        """(n, n) of a number, or as many as there are dimensions; a tuple as it is."""
        return tuple(n) if isinstance(n, tuple | list) else (n,) * self.dims

    def reset_parameters(self):
        """Draw weight and bias anew, both between ± 1 / sqrt(fan_in)."""
        init.as_layers_(self.weight, self.bias)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}"
        zeros, ones = self.sizes(0), self.sizes(1)
        defaults = {"padding": zeros, "dilation": ones, "output_padding": zeros}
        for name in "kernel_size", "stride", *defaults:
            value = getattr(self, name)
            text += f", {name}={value}" if value != defaults.get(name) else ""
        text += f", groups={self.groups}" if self.groups != 1 else ""
        return text + (", bias=False" if self.bias is None else "")


class Conv1d(Convolution):
    """A convolution of signals: (N, C, L) to (N, out_channels, OL)."""

    dims, output_padding = 1, (0,)

    def forward(self, input):
        how = self.stride, self.padding, self.dilation, self.groups
        return f.conv1d(input, self.weight, self.bias, *how)


class Conv2d(Convolution):
    """A convolution of images: (N, C, H, W) to (N, out_channels, OH, OW)."""

    def forward(self, input):
        operands = input, self.weight, self.bias
        how = self.stride, self.padding, self.dilation
        plain = self.groups == 1 and not isinstance(self.padding, str)
        if unfused.wants_unfused() and plain:
            tensor_for("conv2d", "input", input)
            shape_of(input.shape, self.weight.shape, *how)
            check_operands(*operands)
            if input.ndim == 4:
                return unfused.conv2d(*operands, *how)
        return f.conv2d(*operands, *how, self.groups)


class ConvTranspose2d(Convolution):
    """What Conv2d's gradient does: each input element adds its multiple of the weights.

    weight: (in_channels, out_channels / groups, KH, KW). output_padding: rows and
    columns added below and to the right of the output.
    """

    transposed = True

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device="cpu",
        dtype=None,
    ):
        how = stride, padding, dilation, groups, bias, padding_mode, device, dtype
        super().__init__(in_channels, out_channels, kernel_size, *how)
        self.output_padding = self.sizes(output_padding)

    def forward(self, input):
        how = self.stride, self.padding, self.output_padding, self.groups, self.dilation
        return f.conv_transpose2d(input, self.weight, self.bias, *how)
