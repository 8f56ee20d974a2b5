"""Operators that treat each element by itself.

A line of the tables below is a whole operator: its NumPy formula, which is what it
means and runs on "cpu", and its expression in CUDA C, which is put into
kernels/elementwise.cu and runs on "sim" and "cuda". Operands are broadcast, and
computed in the dtype that `promotion` says.
"""

import numpy as np

from ..dispatch import KERNELS
from ..promotion import FLOATS, INTEGERS
from ..storage import DTYPES, bool_, int64, uint8
from . import formulas as f
from . import fused
from .base import (
    ALL,
    NUMBERS,
    Elementwise,
    as_float,
    of_values,
    table,
    without_bool,
)

# ------------------------------------------------- the operators


def through(dy):
    return dy


def quotient(a, b):
    """a // b, as a number that nobody differentiates."""
    return floor_divide(*(x.detach() if hasattr(x, "storage") else x for x in (a, b)))


def no_slope(dy):
    raise RuntimeError(
        "derivative for aten::floor_divide is not implemented: it is 0 but for jumps. "
        "x.detach() // y says that no gradient is wanted"
    )


def flat(dy):
    """Of div(rounding_mode=...): zeros, although there are jumps."""
    return dy.new_number(0, dy.dtype).expand(dy.shape)


add, sub, mul, div, floored, floor_divide, trunc_divide, remainder, power = table(
    ("add", np.add, "a + b", (through, through), ALL),
    ("sub", np.subtract, "a - b", (through, lambda dy: -dy), NUMBERS, without_bool),
    ("mul", np.multiply, "a * b",
     ((fused.mul_backward, "b"), (fused.mul_backward, "a")), ALL),
    ("div", np.true_divide, "a / b",
     (lambda dy, b: dy / b, (fused.div_backward, "ab")), FLOATS, as_float),
    ("floor_divide", f.floor_divide, "floor_divide(a, b)", (flat, flat)),
    ("floor_divide", f.floor_divide, "floor_divide(a, b)", (no_slope, no_slope)),
    ("trunc_divide", f.trunc_divide, "trunc_divide(a, b)", (flat, flat)),
    ("remainder", f.remainder, "remainder_of(a, b)",
     (through, lambda dy, a, b: -dy * quotient(a, b))),
    ("pow", f.power, "power(a, b)",
     ((fused.pow_backward, "ab"),
      (fused.pow_exponent_backward, "ay"))),
)  # fmt: skip

minimum, maximum, clamp_min, clamp_max, clamped = table(
    ("minimum", np.minimum, "(a < b || a != a ? a : b)",
     ((fused.max_backward, "ba"),
      (fused.max_backward, "ab")), ALL),
    ("maximum", np.maximum, "(a > b || a != a ? a : b)",
     ((fused.max_backward, "ab"),
      (fused.max_backward, "ba")), ALL),
    ("clamp_min", np.maximum, "(a > b || a != a ? a : b)",
     (lambda dy, a, b: where(a >= b, dy, 0), lambda dy, a, b: where(a < b, dy, 0)),
     ALL),
    ("clamp_max", np.minimum, "(a < b || a != a ? a : b)",
     (lambda dy, a, b: where(a <= b, dy, 0), lambda dy, a, b: where(a > b, dy, 0)),
     ALL),
    ("clamp", f.clamp, "clamped(a, b, c)",
     (lambda dy, a, b, c: where((a >= b) & (a <= c), dy, 0),
      lambda dy, a, b, c: where((a < b) & below(b, c), dy, 0),
      lambda dy, a, b, c: where((a > c) | below(c, b), dy, 0))),
)  # fmt: skip


def below(a, b):
    """a < b, where either may be a number."""
    return a < b if hasattr(a, "storage") else b > a


eq, ne, lt, le, gt, ge = table(
    ("eq", np.equal, "a == b"),
    ("ne", np.not_equal, "a != b"),
    ("lt", np.less, "a < b"),
    ("le", np.less_equal, "a <= b"),
    ("gt", np.greater, "a > b"),
    ("ge", np.greater_equal, "a >= b"),
    dtypes=ALL,
    result=bool_,
)

logical_and, logical_or, logical_not, isnan = table(
    ("logical_and", np.logical_and, "a && b"),
    ("logical_or", np.logical_or, "a || b"),
    ("logical_not", np.logical_not, "!a"),
    ("isnan", lambda x: x != x, "a != a"),
    dtypes=ALL,
    result=bool_,
)

bitwise_and, bitwise_or, bitwise_xor, bitwise_not = table(
    ("bitwise_and", np.bitwise_and, "a & b"),
    ("bitwise_or", np.bitwise_or, "a | b"),
    ("bitwise_xor", np.bitwise_xor, "a ^ b"),
    ("bitwise_not", np.invert, "a ^ (M)-1"),  # ~true is an int, and not 0
    dtypes=(bool_, *INTEGERS),
)

where = Elementwise(
    "where", lambda a, b, c: np.where(a, b, c), "(a ? b : c)",
    (None, lambda dy, a: fused.where_backward(dy, a, True),
     lambda dy, a: fused.where_backward(dy, a, False)), ALL, of_values,
)  # fmt: skip

neg, abs, relu = table(  # noqa: A001  PyTorch's names
    ("neg", np.negative, "-a", [lambda dy: -dy]),
    ("abs", np.abs, "(a < 0 ? -a : a == 0 ? 0 : a)",
     [(fused.abs_backward, "a")]),
    ("relu", f.relu, "(a < 0 ? 0 : a)", [(fused.relu_backward, "y")]),
)  # fmt: skip

exp, log, sqrt, root, rsqrt, sigmoid, tanh, sin, cos, erf = table(
    ("exp", np.exp, "exp(a)", [(fused.exp_backward, "y")]),
    ("log", np.log, "log(a)", [(fused.log_backward, "a")]),
    ("sqrt", np.sqrt, "sqrt(a)", [(fused.sqrt_backward, "y")]),
    ("std", np.sqrt, "sqrt(a)", [(fused.std_backward, "y")]),
    ("rsqrt", f.rsqrt, "1 / sqrt(a)", [(fused.rsqrt_backward, "y")]),
    ("sigmoid", f.sigmoid, "1 / (1 + exp(-a))",
     [(fused.sigmoid_backward, "y")]),
    ("tanh", np.tanh, "tanh(a)", [(fused.tanh_backward, "y")]),
    ("sin", np.sin, "sin(a)", [(fused.sin_backward, "a")]),
    ("cos", np.cos, "cos(a)", [(fused.cos_backward, "a")]),
    ("erf", f.erf, "erf(a)", [(fused.erf_backward, "a")]),
    dtypes=FLOATS,
    rule=as_float,
)  # fmt: skip

gelu_erf, gelu_tanh = table(
    ("gelu", f.gelu, "gelu(a)", [(fused.gelu_backward, "a")]),
    ("gelu_tanh", f.gelu_tanh, "gelu_tanh(a)",
     [(fused.gelu_tanh_backward, "a")]),
    dtypes=FLOATS,
)  # fmt: skip


class Cast(Elementwise):
    """A copy in another dtype, or in the same: `cast[float32](x)`."""

    def __init__(self, dtype):
        same = [through] if dtype in FLOATS else None
        super().__init__("copy", f.copy, "a", same, [dtype], lambda x: dtype)
        self.dtype = dtype

    def find(self, operands):
        """The kernel, without asking `find_kernel`: tensors are copied before that."""
        return KERNELS[self.name, operands[0].device, self.dtype]


cast = {dtype: Cast(dtype) for dtype in DTYPES}
for _device in "sim", "cuda":  # by int64 -1.5 becomes 255, as in PyTorch, and not 0
    KERNELS["copy", _device, uint8].wide = int64
