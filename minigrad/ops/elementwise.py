"""Operators that treat each element by itself.

A line of the tables below is a whole operator: its NumPy formula, which is what it
means and runs on "cpu", and its expression in CUDA C, which is put into
kernels/elementwise.cu and runs on "sim" and "cuda". Operands are broadcast, and
computed in the dtype that `promotion` says.
"""

from numbers import Real

import numpy as np

from ..dispatch import KERNELS
from ..promotion import FLOATS, INTEGERS, result_type
from ..storage import DTYPES, bool_
from . import formulas as f
from . import fused
from .base import ALL, NUMBERS, Elementwise, as_float, of_values, table, without_bool

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


add, sub, mul, div, floor_divide, trunc_divide, remainder, power = table(
    ("add", np.add, "a + b", (through, through), ALL),
    ("sub", np.subtract, "a - b", (through, lambda dy: -dy), NUMBERS, without_bool),
    ("mul", np.multiply, "a * b",
     ((fused.mul_backward, "b"), (fused.mul_backward, "a")), ALL),
    ("div", np.true_divide, "a / b",
     (lambda dy, b: dy / b, (fused.div_backward, "ab")), FLOATS, as_float),
    ("floor_divide", f.floor_divide, "floor_divide(a, b)", (no_slope, no_slope)),
    ("trunc_divide", f.trunc_divide, "trunc_divide(a, b)", (no_slope, no_slope)),
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

# ------------------------------------------------- as PyTorch calls them


DIVISIONS = {None: div, "trunc": trunc_divide, "floor": floor_divide}


def division(rounding_mode):
    """The operator that divides and rounds: not, to zero, or down."""
    if rounding_mode not in DIVISIONS:
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
            f"found {rounding_mode!r}"
        )
    return DIVISIONS[rounding_mode]


def divide(x, other, *, rounding_mode=None):
    """x / other, and the quotient rounded: "trunc" to zero, "floor" down."""
    return division(rounding_mode)(x, other)


def root_of(exponent):
    """sqrt for 0.5, rsqrt for -0.5: of -inf they are NaN, as in PyTorch; else None."""
    return {0.5: sqrt, -0.5: rsqrt}.get(exponent if isinstance(exponent, Real) else 0)


def pow(x, exponent):  # noqa: A001
    """x to the power of exponent; whole numbers stay whole."""
    if found := root_of(exponent):
        return found(x)
    whole = result_type(x, exponent) in INTEGERS
    if whole and not hasattr(exponent, "storage") and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return power(x, exponent)


def clamp(x, min=None, max=None):
    """x, but at least `min` and at most `max`; NaN stays NaN."""
    if min is None and max is None:
        raise RuntimeError("clamp: at least one of 'min' or 'max' must not be None")
    if min is None:
        return clamp_max(x, max)
    return clamp_min(x, min) if max is None else clamped(x, min, max)


def gelu(x, approximate="none"):
    """x times the share of a normal distribution that lies below x."""
    return gelu_tanh(x) if approximate == "tanh" else gelu_erf(x)


def where_self(x, condition, other):
    """x where the condition holds, else other."""
    return where(condition, x, other)


def masked_fill(x, mask, value):
    """x, with `value` where the mask holds, in x's own dtype."""
    if not hasattr(value, "storage"):
        value = x.new_number(value, x.dtype)
    elif value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
            f"with {value.ndim} dimension(s)."
        )
    return where(mask, value.to(x.device, x.dtype), x)


def reflected(operator):
    """An operator with its operands exchanged, as a method: 2 - x is x.__rsub__(2)."""

    def method(self, other):
        return operator(other, self)

    return method


def comparison(operator):
    """== and !=: beside what is neither a tensor nor a number, Python decides."""

    def method(self, other):
        if not hasattr(other, "storage") and not isinstance(other, Real):
            return NotImplemented
        return operator(self, other)

    return method


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
