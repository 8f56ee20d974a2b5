"""What operators mean, in NumPy: the specification that kernels are compared with."""

import math

import numpy as np

from ..simt.numerics.special import erf


def copy(x):
    return x


def rsqrt(x):
    return 1 / np.sqrt(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, x.dtype.type(0))  # NaN stays NaN


def relu_backward(dy, y):
    """dy, but 0 where y <= 0; `where` takes five times as long for such a mask."""
    keep = (y <= 0).view(np.int8) - np.int8(1)  # 0, or -1: all bits
    return (dy.view(f"i{dy.itemsize}") & keep).view(dy.dtype)


def gelu(x):
    """x times the share of a normal distribution that lies below x."""
    return 0.5 * x * (1 + erf(x * 0.5**0.5)).astype(x.dtype)


def gelu_tanh(x):
    """gelu by a formula without erf."""
    return 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


def clamp(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def power(a, b):
    """a ** b; of whole numbers with b < 0 it is 1 / a**-b without its fraction."""
    if np.result_type(a, b).kind == "f":
        return np.power(a, b)
    a, b = np.broadcast_arrays(a, b)
    small = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0))
    return np.where(b < 0, small, np.power(a, np.maximum(b, 0)))


def mean(x, axis, keepdims=False):
    """The mean over the dimensions `axis`; NaN without elements."""
    count = math.prod(x.shape[d] for d in axis)
    return np.sum(x, axis=axis, keepdims=keepdims) / x.dtype.type(count)


def divided(divide):
    """An integer division that refuses to divide by zero, as PyTorch does on a CPU."""

    def checked(a, b):
        if np.result_type(a, b).kind in "iu" and not np.all(b):
            raise RuntimeError("ZeroDivisionError: a whole number was divided by 0")
        return divide(a, b)

    return checked


def truncated(a, b):
    """a / b rounded to zero."""
    if np.result_type(a, b).kind == "f":
        return np.trunc(a / b)
    down = np.floor_divide(a, b)
    return down + ((down * b != a) & ((a < 0) != (b < 0)))


floor_divide = divided(np.floor_divide)
trunc_divide = divided(truncated)
remainder = divided(np.remainder)
