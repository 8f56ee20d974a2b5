"""The gradients of elementwise operators, each in one launch where it would take many.

The formula is often an exercise of vjp.py. These operators have gradients, too, so that
gradients have gradients.
"""

import math

import numpy as np

from .. import launch
from ..dtypes import FLOATS
from . import vjp
from .pointwise_kernels import pointwise
from .special import erf, in_chunks


def masked(dy, y):
    """dy, but 0 where y <= 0; without np.where, which is slow."""
    keep = (y <= 0).view(np.int8) - np.int8(1)  # 0, or -1: all bits
    return (dy.view(f"i{dy.itemsize}") & keep).view(dy.dtype)


def relu_backward_of(dy, y):
    """The learner's, or the fastest."""
    answered = launch.requested != "fastest"
    return vjp.relu_backward(dy, y) if answered else masked(dy, y)


def of_gradient(name, formula, expression, by_dy, *vjps):
    """by_dy: its own gradient by dy; ...: itself again, since it is linear in dy."""
    vjps = None if by_dy is ... else by_dy, *vjps
    operator = pointwise(name, formula, expression, *vjps, dtypes=FLOATS)
    if by_dy is ...:
        operator.gradients.formulas[0] = operator, tuple("bc"[: operator.arity - 1])
    return operator


def log_of(x):
    """The natural logarithm of a tensor or a number."""
    return x.log() if hasattr(x, "storage") else math.log(x)


mul_backward = of_gradient("mul_backward", lambda dy, b: dy * b, "a * b",
    lambda dy, b: dy * b, lambda dy, a: dy * a)  # fmt: skip
div_backward = of_gradient("div_backward", vjp.div_backward, "-a * ((b / c) / c)",
    lambda dy, b, c: -dy * (b / c / c), lambda dy, a, c: -dy * (a / c / c),
    lambda dy, a, b, c: 2 * dy * a * (b / c / c / c))  # fmt: skip
pow_backward = of_gradient("pow_backward", vjp.pow_backward,
    "(c == 0 ? 0 : a * (c * power(b, c - 1)))", ...,
    lambda dy, a, b, c: pow_backward(dy * a * c, b, c - 1),
    lambda dy, a, b, c:
        dy * a * (b ** (c - 1) + c * b ** (c - 1) * log_of(b)))  # fmt: skip
pow_exponent_backward = of_gradient("pow_exponent_backward",
    lambda dy, a, y: np.where((a == 0) & (y <= 1), 0, dy * (y * np.log(a))),
    "(b == 0 && c <= 1 ? 0 : a * (c * log(b)))", ...,
    lambda dy, a, b, c: dy * a * c / b,
    lambda dy, a, b: dy * a * log_of(b))  # fmt: skip
max_backward = of_gradient("max_backward",
    lambda dy, a, b: np.where(a < b, 0, np.where(a == b, dy / 2, dy)),
    "(b < c ? 0 : b == c ? a / 2 : a)", ..., None, None)  # fmt: skip
where_backward = of_gradient("where_backward",
    lambda dy, c: np.where(c != 0, dy, 0), "(b != 0 ? a : 0)",
    ..., None)  # fmt: skip
where_backward_other = of_gradient("where_backward_other",
    lambda dy, c: np.where(c != 0, 0, dy), "(b != 0 ? 0 : a)",
    ..., None)  # fmt: skip
abs_backward = of_gradient("abs_backward",
    lambda dy, x: dy * np.where(x == x, np.sign(x), 0), "a * (M)((b > 0) - (b < 0))",
    ..., None)  # fmt: skip
relu_backward = of_gradient("relu_backward", relu_backward_of, "(b <= 0 ? 0 : a)",
    ..., None)  # fmt: skip
exp_backward = of_gradient("exp_backward", lambda dy, y: dy * y, "a * b",
    lambda dy, b: dy * b, lambda dy, a: dy * a)  # fmt: skip
sqrt_backward = of_gradient("sqrt_backward", lambda dy, y: dy / (2 * y), "a / (2 * b)",
    lambda dy, b: dy / (2 * b), lambda dy, a, b: -dy * a / (2 * b * b))  # fmt: skip
std_backward = of_gradient("std_backward",
    lambda dy, y: np.where(y == 0, 0, dy / (2 * y)), "(b == 0 ? 0 : a / (2 * b))",
    ..., lambda dy, a, b: -dy * a / (2 * b * b))  # fmt: skip
rsqrt_backward = of_gradient("rsqrt_backward", lambda dy, y: -0.5 * dy * y * y * y,
    "(M)-0.5 * a * b * b * b", ..., lambda dy, a, b: -1.5 * dy * a * b * b)  # fmt: skip
sigmoid_backward = of_gradient("sigmoid_backward",
    lambda dy, y: dy * (1 - y) * y, "a * (1 - b) * b", ...,
    lambda dy, a, b: dy * a * (1 - 2 * b))  # fmt: skip
tanh_backward = of_gradient("tanh_backward", vjp.tanh_backward, "a * (1 - b * b)",
    ..., lambda dy, a, b: -2 * dy * a * b)  # fmt: skip
log_backward = of_gradient("log_backward", lambda dy, a: dy / a, "a / b",
    lambda dy, b: dy / b, lambda dy, a, b: -dy * a / (b * b))  # fmt: skip

PHI = 0.3989422804014327  # 1 / sqrt(2 pi): the normal density at 0
SLOPE = 1.1283791670955126  # 2 / sqrt(pi): erf's at 0


@in_chunks
def gelu_slope(x):
    cdf = 0.5 * (1 + erf(x * 0.5**0.5))
    return (cdf + x * PHI * np.exp(-0.5 * x * x)).astype(x.dtype)


def gelu_tanh_slope(x):
    t = np.tanh(2 * PHI * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + x * (1 - t * t) * PHI * (1 + 0.134145 * x * x)


def gelu_tanh_curve(x):
    """The second derivative of gelu_tanh, of a tensor."""
    t, slope = (2 * PHI * (x + 0.044715 * x**3)).tanh(), 1 + 0.134145 * x * x
    inner = 2 * PHI * slope
    return (1 - t * t) * (inner + x * (PHI * 0.26829 * x - t * inner * inner))


sin_backward = of_gradient("sin_backward", lambda dy, x: dy * np.cos(x), "a * cos(b)",
    lambda dy, b: dy * b.cos(), lambda dy, a, b: -dy * a * b.sin())  # fmt: skip
cos_backward = of_gradient("cos_backward", lambda dy, x: -dy * np.sin(x), "-a * sin(b)",
    lambda dy, b: -dy * b.sin(), lambda dy, a, b: -dy * a * b.cos())  # fmt: skip
erf_backward = of_gradient("erf_backward", lambda dy, x: dy * SLOPE * np.exp(-x * x),
    f"a * (M){SLOPE} * exp(-b * b)", ...,
    lambda dy, a, b: -2 * b * erf_backward(dy * a, b))  # fmt: skip
gelu_backward = of_gradient("gelu_backward", lambda dy, x: dy * gelu_slope(x),
    "a * gelu_slope(b)", ...,
    lambda dy, a, b: dy * a * (2 - b * b) * PHI * (b * b * -0.5).exp())  # fmt: skip
gelu_tanh_backward = of_gradient("gelu_tanh_backward",
    lambda dy, x: dy * gelu_tanh_slope(x), "a * gelu_tanh_slope(b)", ...,
    lambda dy, a, b: dy * a * gelu_tanh_curve(b))  # fmt: skip
silu_backward = of_gradient("silu_backward",
    in_chunks(lambda dy, x: dy * silu_slope(x)),
    "a * (1 + b * (1 - 1 / (1 + exp(-b)))) / (1 + exp(-b))", ...,
    lambda dy, a, b: dy * a * silu_curve(b))  # fmt: skip
mish_backward = of_gradient("mish_backward",
    in_chunks(lambda dy, x: dy * mish_slope(x)), "a * mish_slope(b)", ...,
    lambda dy, a, b: dy * a * mish_curve(b))  # fmt: skip


def silu_slope(x):
    s = 1 / (1 + np.exp(-x))
    return s * (1 + x * (1 - s))


def silu_curve(x):
    """The second derivative of silu, of a tensor."""
    s = x.sigmoid()
    return s * (1 - s) * (2 + x * (1 - 2 * s))


def mish_slope(x):
    t = np.tanh(np.logaddexp(x, x.dtype.type(0)))
    return t + x * (1 - t * t) / (1 + np.exp(-x))


def mish_curve(x):
    """The second derivative of mish, of a tensor."""
    t, s = (1 + x.exp()).log().tanh(), x.sigmoid()
    slope = (1 - t * t) * s
    return slope * (2 + x * (1 - s) - 2 * x * t * s)
