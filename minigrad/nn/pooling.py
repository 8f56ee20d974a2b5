"""Images, (N, C, H, W) or (C, H, W), made smaller or larger."""

from . import functional as f
from .module import Module


class MaxPool2d(Module):
    """The largest number of each window."""

    _shown = "kernel_size", "stride", "padding", "dilation", "ceil_mode"

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
        window = self.kernel_size, self.stride, self.padding, self.dilation
        return f.max_pool2d(input, *window, self.ceil_mode, self.return_indices)


class AvgPool2d(Module):
    """The mean of each window; padding counts as 0."""

    _shown = "kernel_size", "stride", "padding"

    def __init__(
        self,
        kernel_size,
        stride=None,
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        window = self.kernel_size, self.stride, self.padding, self.ceil_mode
        divisor = self.count_include_pad, self.divisor_override
        return f.avg_pool2d(input, *window, *divisor)


class AdaptiveAvgPool2d(Module):
    """The mean of each of so many windows, of as equal sizes as possible.

    output_size: an int or (OH, OW); None keeps the input's size.
    """

    _shown = ("output_size",)

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return f.adaptive_avg_pool2d(input, self.output_size)


class Upsample(Module):
    """An image enlarged to `size` or by `scale_factor`: mode "nearest", "bilinear"."""

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None
    ):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.mode, self.align_corners = mode, align_corners

    def forward(self, input):
        how = self.size, self.scale_factor, self.mode, self.align_corners
        return f.interpolate(input, *how)

    def extra_repr(self):
        by = "size" if self.scale_factor is None else "scale_factor"
        return f"{by}={getattr(self, by)}, mode={self.mode!r}"
