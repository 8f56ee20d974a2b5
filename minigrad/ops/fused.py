"""The gradients of elementwise operators, as operators: one launch each.

A line is as in elementwise.py. Its operands are a, the gradient of the result, and
what the gradient is computed from; its formula is often a hole of gradients.py. These
operators have gradients, too, so that gradients of gradients can be computed.
"""

import math

import numpy as np

from ..promotion import FLOATS
from . import formulas, ladder
from . import gradients as hole
from .base import table
from .formulas import erf


def floats(*rows):
    return table(*rows, dtypes=FLOATS)


def log(x):
    """The natural logarithm of a tensor or a number."""
    return x.log() if hasattr(x, "storage") else math.log(x)


# ------------------------------------------------- arithmetic

mul_backward, div_backward, pow_backward, pow_exponent_backward = floats(
    ("mul_backward", hole.mul_backward, "a * b",
     (lambda dy, b: dy * b, lambda dy, a: dy * a)),
    ("div_backward", hole.div_backward, "-a * ((b / c) / c)",
     (lambda dy, b, c: -dy * (b / c / c), lambda dy, a, c: -dy * (a / c / c),
      lambda dy, a, b, c: 2 * dy * a * (b / c / c / c))),
    ("pow_backward", hole.pow_backward, "(c == 0 ? 0 : a * (c * power(b, c - 1)))",
     (lambda dy, b, c: pow_backward(dy, b, c),
      lambda dy, a, b, c: pow_backward(dy * a * c, b, c - 1),
      lambda dy, a, b, c: dy * a * (b ** (c - 1) + c * b ** (c - 1) * log(b)))),
    ("pow_exponent_backward", hole.pow_exponent_backward,
     "(b == 0 && c <= 1 ? 0 : a * (c * log(b)))",
     (lambda dy, b, c: pow_exponent_backward(dy, b, c),
      lambda dy, a, b, c: dy * a * c / b,
      lambda dy, a, b: dy * a * log(b))),
)  # fmt: skip
max_backward, where_backward_one, where_backward_other, abs_backward = floats(
    ("max_backward", hole.max_backward, "(b < c ? 0 : b == c ? a / 2 : a)",
     (lambda dy, b, c: max_backward(dy, b, c), None, None)),
    ("where_backward", lambda dy, c: hole.where_backward(dy, c != 0, True),
     "(b != 0 ? a : 0)", (lambda dy, b: where_backward(dy, b, True), None)),
    ("where_backward_other", lambda dy, c: hole.where_backward(dy, c != 0, False),
     "(b != 0 ? 0 : a)", (lambda dy, b: where_backward(dy, b, False), None)),
    ("abs_backward", lambda dy, x: dy * np.where(x == x, np.sign(x), 0),
     "a * (M)((b > 0) - (b < 0))",
     (lambda dy, b: abs_backward(dy, b), None)),
)  # fmt: skip


def where_backward(dy, condition, chosen):
    """See the hole."""
    operator = where_backward_one if chosen else where_backward_other
    return operator(dy, condition)


# ------------------------------------------------- of the result y

(relu_backward, exp_backward, sqrt_backward, std_backward, rsqrt_backward,
 sigmoid_backward, tanh_backward) = floats(
    ("relu_backward", ladder.formula(hole.relu_backward, formulas.relu_backward),
     "(b <= 0 ? 0 : a)",
     (lambda dy, b: relu_backward(dy, b), None)),
    ("exp_backward", hole.exp_backward, "a * b",
     (lambda dy, b: dy * b, lambda dy, a: dy * a)),
    ("sqrt_backward", lambda dy, y: dy / (2 * y), "a / (2 * b)",
     (lambda dy, b: dy / (2 * b), lambda dy, a, b: -dy * a / (2 * b * b))),
    ("std_backward", lambda dy, y: np.where(y == 0, 0, dy / (2 * y)),
     "(b == 0 ? 0 : a / (2 * b))",
     (lambda dy, b: std_backward(dy, b), lambda dy, a, b: -dy * a / (2 * b * b))),
    ("rsqrt_backward", lambda dy, y: -0.5 * dy * y * y * y, "(M)-0.5 * a * b * b * b",
     (lambda dy, b: rsqrt_backward(dy, b), lambda dy, a, b: -1.5 * dy * a * b * b)),
    ("sigmoid_backward", hole.sigmoid_backward, "a * (1 - b) * b",
     (lambda dy, b: sigmoid_backward(dy, b), lambda dy, a, b: dy * a * (1 - 2 * b))),
    ("tanh_backward", hole.tanh_backward, "a * (1 - b * b)",
     (lambda dy, b: tanh_backward(dy, b), lambda dy, a, b: -2 * dy * a * b)),
)  # fmt: skip

# ------------------------------------------------- of the operand x

PHI = 0.3989422804014327  # 1 / sqrt(2 pi): the normal density at 0
SLOPE = 1.1283791670955126  # 2 / sqrt(pi): erf's at 0


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


log_backward, sin_backward, cos_backward, erf_backward = floats(
    ("log_backward", hole.log_backward, "a / b",
     (lambda dy, b: dy / b, lambda dy, a, b: -dy * a / (b * b))),
    ("sin_backward", lambda dy, x: dy * np.cos(x), "a * cos(b)",
     (lambda dy, b: dy * b.cos(), lambda dy, a, b: -dy * a * b.sin())),
    ("cos_backward", lambda dy, x: -dy * np.sin(x), "-a * sin(b)",
     (lambda dy, b: -dy * b.sin(), lambda dy, a, b: -dy * a * b.cos())),
    ("erf_backward", lambda dy, x: dy * SLOPE * np.exp(-x * x),
     f"a * (M){SLOPE} * exp(-b * b)",
     (lambda dy, b: erf_backward(dy, b),
      lambda dy, a, b: -2 * b * erf_backward(dy * a, b))),
)  # fmt: skip
gelu_backward, gelu_tanh_backward = floats(
    ("gelu_backward", lambda dy, x: dy * gelu_slope(x), "a * gelu_slope(b)",
     (lambda dy, b: gelu_backward(dy, b),
      lambda dy, a, b: dy * a * (2 - b * b) * PHI * (b * b * -0.5).exp())),
    ("gelu_tanh_backward", lambda dy, x: dy * gelu_tanh_slope(x),
     "a * gelu_tanh_slope(b)",
     (lambda dy, b: gelu_tanh_backward(dy, b),
      lambda dy, a, b: dy * a * gelu_tanh_curve(b))),
)  # fmt: skip
