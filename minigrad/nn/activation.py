"""Activations: functions of each element, or of the elements along one dimension."""

from . import functional as f
from .module import Module


class Activation(Module):
    """One that can write its result into its input."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def extra_repr(self):
        options = super().extra_repr(), "inplace=True" if self.inplace else ""
        return ", ".join(filter(None, options))


class ReLU(Activation):
    """The larger of x and 0."""

    def forward(self, input):
        return f.relu(input, self.inplace)


class ReLU6(Activation):
    """x, but no less than 0 and no more than 6."""

    def forward(self, input):
        return f.relu6(input, self.inplace)


class LeakyReLU(Activation):
    """x above 0, else negative_slope * x."""

    _shown = ("negative_slope",)

    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input):
        return f.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(Activation):
    """x above 0, else alpha * (exp(x) - 1)."""

    _shown = ("alpha",)

    def __init__(self, alpha=1.0, inplace=False):
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input):
        return f.elu(input, self.alpha, self.inplace)


class Hardtanh(Activation):
    """x, but no less than min_val and no more than max_val."""

    _shown = "min_val", "max_val"

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False):
        super().__init__(inplace)
        if not max_val > min_val:
            text = f"max_val ({max_val}) must be greater than min_val ({min_val})"
            raise AssertionError(text)
        self.min_val, self.max_val = min_val, max_val

    def forward(self, input):
        return f.hardtanh(input, self.min_val, self.max_val, self.inplace)


class SiLU(Activation):
    """x * sigmoid(x)."""

    def forward(self, input):
        return f.silu(input, self.inplace)


class Mish(Activation):
    """x * tanh(softplus(x))."""

    def forward(self, input):
        return f.mish(input, self.inplace)


class GELU(Module):
    """x times the share of a normal distribution that lies below x."""

    _shown = ("approximate",)

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return f.gelu(input, approximate=self.approximate)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    _shown = "beta", "threshold"

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input):
        return f.softplus(input, self.beta, self.threshold)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        return f.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return f.tanh(input)


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
