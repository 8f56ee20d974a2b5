"""Padding: images with more rows and columns around them."""

from . import functional as f
from .module import Module


class ZeroPad2d(Module):
    """Zeros around an image; padding: an int, or (left, right, top, bottom)."""

    mode = "constant"

    def __init__(self, padding):
        super().__init__()
        several = isinstance(padding, tuple | list)
        self.padding = tuple(padding) if several else (padding,) * 4

    def forward(self, input):
        return f.pad(input, self.padding, self.mode)

    def extra_repr(self):
        return str(self.padding)


class ReflectionPad2d(ZeroPad2d):
    """The image mirrored at its border, which is not repeated."""

    mode = "reflect"
