"""Convolutions as layers."""

from ..ops import unfused
from ..ops.conv import check_operands, shape_of
from . import functional as f
from . import init
from .module import Module
from .parameter import new_parameters


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
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(
                f"Invalid padding string {padding!r}, should be 'same' or 'valid'"
            )
        if padding == "same" and pair(stride) != (1, 1):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode='zeros' only, not {padding_mode}")
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride = pair(kernel_size), pair(stride)
        self.padding = padding if isinstance(padding, str) else pair(padding)
        self.dilation, self.groups = pair(dilation), groups
        size = out_channels, in_channels // groups, *self.kernel_size
        bias = out_channels if bias else None
        new_parameters(self, device, dtype, weight=size, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew, both between ± 1 / sqrt(fan_in)."""
        init.as_layers_(self.weight, self.bias)

    def forward(self, input):
        operands = input, self.weight, self.bias
        how = self.stride, self.padding, self.dilation
        plain = self.groups == 1 and not isinstance(self.padding, str)
        if unfused.wants_unfused() and plain:
            shape_of(input.shape, self.weight.shape, *how)
            check_operands(*operands)
            if input.ndim == 4:
                return unfused.conv2d(*operands, *how)
        return f.conv2d(*operands, *how, self.groups)

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}"
        defaults = {"padding": (0, 0), "dilation": (1, 1), "groups": 1}
        for name in "kernel_size", "stride", *defaults:
            value = getattr(self, name)
            text += f", {name}={value}" if value != defaults.get(name) else ""
        return text + (", bias=False" if self.bias is None else "")
