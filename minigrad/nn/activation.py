"""Activations: functions of each element, or of the elements along one dimension."""

from . import functional as f
from .module import Module


class ReLU(Module):
    """The larger of x and 0."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return f.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        return f.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return f.tanh(input)


class GELU(Module):
    """x times the share of a normal distribution that lies below x."""

    _shown = ("approximate",)

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return f.gelu(input, approximate=self.approximate)


class Softmax(Module):
    """exp(x), divided by its sum along `dim`."""

    _shown = ("dim",)

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return f.softmax(input, self.dim)


class LogSoftmax(Softmax):
    """The logarithm of softmax."""

    def forward(self, input):
        return f.log_softmax(input, self.dim)
