"""Operators that treat each element by itself.

A line of the tables below is a whole operator: its NumPy formula, which is what it
means and runs on "cpu", and its expression in CUDA C, which is put into
kernels/elementwise.cu and runs on "sim" and "cuda". Operands are broadcast, and
computed in the dtype that `promotion` says.
"""

from numbers import Real

import numpy as np

from ..dispatch import KERNELS, Operator, register
from ..promotion import FLOATS, INTEGERS, result_type
from ..storage import DTYPES, bool_, float32
from . import formulas as f
from .arrays import NumpyMap
from .mapping import DeviceMap

ALL = DTYPES
NUMBERS = (*INTEGERS, *FLOATS)


class Elementwise(Operator):
    """formula: in NumPy, of arrays. expression: in CUDA C, of a, b and c.

    dtypes: those it computes in. result: the result's dtype, where that is another.
    """

    def __init__(self, name, formula, expression, dtypes=NUMBERS, rule=result_type,
                 result=None, doc=""):  # fmt: skip
        super().__init__(name, rule, doc or f"{name} of each element: {expression}")
        self.formula, self.expression, self.result = formula, expression, result
        for dtype in dtypes:
            register(name, ["cpu"], [dtype], NumpyMap(self, dtype))
            register(name, ["sim", "cuda"], [dtype], DeviceMap(self, dtype))


# ------------------------------------------------- in which dtype


def as_float(*operands):
    """Whole numbers are computed in float32."""
    dtype = result_type(*operands)
    return dtype if dtype in FLOATS else float32


def of_values(condition, *values):
    """`where` takes the dtype of its values."""
    return result_type(*values)


def without_bool(*operands):
    """PyTorch does not subtract bool: what would True - True - True be?"""
    kinds = {x.dtype if hasattr(x, "storage") else type(x) for x in operands}
    if kinds & {bool, bool_}:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported: use "
            "x.logical_not() or x != y, or turn it into numbers with x.long()"
        )
    return result_type(*operands)


# ------------------------------------------------- the operators


def _table(*rows, **common):
    return [Elementwise(*row, **common) for row in rows]


add, sub, mul, div, floor_divide, trunc_divide, remainder, power = _table(
    ("add", np.add, "a + b", ALL),
    ("sub", np.subtract, "a - b", NUMBERS, without_bool),
    ("mul", np.multiply, "a * b", ALL),
    ("div", np.true_divide, "a / b", FLOATS, as_float),
    ("floor_divide", f.floor_divide, "floor_divide(a, b)"),
    ("trunc_divide", f.trunc_divide, "trunc_divide(a, b)"),
    ("remainder", f.remainder, "remainder_of(a, b)"),
    ("pow", f.power, "power(a, b)"),
)

minimum, maximum, clamped = _table(
    ("minimum", np.minimum, "(a < b || a != a ? a : b)", ALL),
    ("maximum", np.maximum, "(a > b || a != a ? a : b)", ALL),
    ("clamp", f.clamp, "clamped(a, b, c)"),
)

eq, ne, lt, le, gt, ge = _table(
    ("eq", np.equal, "a == b"),
    ("ne", np.not_equal, "a != b"),
    ("lt", np.less, "a < b"),
    ("le", np.less_equal, "a <= b"),
    ("gt", np.greater, "a > b"),
    ("ge", np.greater_equal, "a >= b"),
    dtypes=ALL,
    result=bool_,
)

logical_and, logical_or, logical_not, isnan = _table(
    ("logical_and", np.logical_and, "a && b"),
    ("logical_or", np.logical_or, "a || b"),
    ("logical_not", np.logical_not, "!a"),
    ("isnan", lambda x: x != x, "a != a"),
    dtypes=ALL,
    result=bool_,
)

where = Elementwise(
    "where", lambda a, b, c: np.where(a, b, c), "(a ? b : c)", ALL, of_values
)

neg, abs, relu = _table(  # noqa: A001  PyTorch's names
    ("neg", np.negative, "-a"),
    ("abs", np.abs, "(a < 0 ? -a : a == 0 ? 0 : a)"),
    ("relu", f.relu, "(a < 0 ? 0 : a)"),
)

exp, log, sqrt, rsqrt, sigmoid, tanh, sin, cos, erf = _table(
    ("exp", np.exp, "exp(a)"),
    ("log", np.log, "log(a)"),
    ("sqrt", np.sqrt, "sqrt(a)"),
    ("rsqrt", f.rsqrt, "1 / sqrt(a)"),
    ("sigmoid", f.sigmoid, "1 / (1 + exp(-a))"),
    ("tanh", np.tanh, "tanh(a)"),
    ("sin", np.sin, "sin(a)"),
    ("cos", np.cos, "cos(a)"),
    ("erf", f.erf, "erf(a)"),
    dtypes=FLOATS,
    rule=as_float,
)

gelu_erf, gelu_tanh = _table(
    ("gelu", f.gelu, "gelu(a)"),
    ("gelu_tanh", f.gelu_tanh, "gelu_tanh(a)"),
    dtypes=FLOATS,
)

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


def root(exponent):
    """sqrt for 0.5, rsqrt for -0.5: of -inf they are NaN, as in PyTorch; else None."""
    return {0.5: sqrt, -0.5: rsqrt}.get(exponent if isinstance(exponent, Real) else 0)


def pow(x, exponent):  # noqa: A001
    """x to the power of exponent; whole numbers stay whole."""
    if found := root(exponent):
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
        return minimum(x, max)
    return maximum(x, min) if max is None else clamped(x, min, max)


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
        super().__init__("copy", f.copy, "a", [dtype], lambda x: dtype)
        self.dtype = dtype

    def find(self, operands):
        """The kernel, without asking `find_kernel`: tensors are copied before that."""
        return KERNELS[self.name, operands[0].device, self.dtype]


cast = {dtype: Cast(dtype) for dtype in DTYPES}
