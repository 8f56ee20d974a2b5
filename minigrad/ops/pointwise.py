"""Operators that treat each element by itself.

A line is a whole operator: its name, what it means in NumPy (which is what runs on
"cpu"), its expression in CUDA C, of a, b and c (which kernels/elementwise.cu runs on
"sim" and "cuda"), and the gradients of a, b and c. Operands are broadcast, and computed
in the dtype that `result_type` says.
"""

import builtins
import functools
import itertools
import math
from numbers import Integral, Real

import numpy as np

from ..check import check
from ..dispatch import KERNELS, METHODS, functional, method, number_for, tensor_for
from ..dtypes import DTYPES, FLOATS, INTEGERS, bool_, float32, int64, result_type, uint8
from ..storage import DEVICES, to_number
from . import pointwise_backward as vjps
from .pointwise_kernels import Pointwise, copy, pointwise
from .special import erf as erf_of
from .special import in_chunks

ALL = DTYPES

# ------------------------------------------------- in which dtype


def as_float(*operands):
    """Whole numbers are computed in float32."""
    dtype = result_type(*operands)
    return dtype if dtype in FLOATS else float32


def of_values(condition=None, *values):
    """`where` takes the dtype of its values."""
    check(len(values) == 2, lambda: "where() takes a condition and two values, got "
          f"{len(values)}: where(condition, x, y). condition.nonzero() gives the "
          "indices where it is true", TypeError)  # fmt: skip
    check(tensor_for("where", "condition", condition).dtype in (bool_, uint8),
          lambda: "where expected condition to be a boolean tensor, but got a tensor "
          f"with dtype {condition.dtype}")  # fmt: skip
    return result_type(*values)


def check_dtype(name, x, dtypes=FLOATS):
    """NotImplementedError unless x is a tensor of one of the dtypes."""
    check(tensor_for(name, "input", x).dtype in dtypes,
          f'"{name}" not implemented for {x.dtype}', NotImplementedError)  # fmt: skip


def without_bool(*operands):
    """PyTorch neither subtracts nor negates bool: what would True - True - True be?"""
    kinds = {x.dtype if hasattr(x, "storage") else type(x) for x in operands}
    what = ("Negation", "on") if len(operands) == 1 else ("Subtraction", "with")
    check(not kinds & {bool, bool_}, "{}, the `-` operator, {} a bool tensor is not "
          "supported: use x.logical_not() or x != y, or turn it into numbers with "
          "x.long()".format(*what))  # fmt: skip
    return result_type(*operands)


# ------------------------------------------------- what they mean, in NumPy


def numpy_rsqrt(x):
    return 1 / np.sqrt(x)


def numpy_sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numpy_relu(x):
    return np.maximum(x, x.dtype.type(0))  # NaN stays NaN


@in_chunks
def numpy_gelu(x):
    y = erf_of(x * x.dtype.type(0.5**0.5))
    y += 1
    y *= x
    y *= 0.5
    return y


def numpy_gelu_tanh(x):
    """gelu by a formula without erf."""
    return 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))


def numpy_clamp(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def numpy_power(a, b):
    """a ** b; of whole numbers with b < 0 it is 1 / a**-b without its fraction."""
    if np.result_type(a, b).kind == "f":
        return np.power(a, b)
    a, b = np.broadcast_arrays(a, b)
    small = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b & 1), 0))
    return np.where(b < 0, small, np.power(a, np.maximum(b, 0)))


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


# ------------------------------------------------- arithmetic


def through(dy):
    return dy


def negated(dy):
    return -dy


def no_slope(dy):
    raise RuntimeError("derivative for aten::floor_divide is not implemented. Use "
                       "x.detach() // y if no gradient is needed")  # fmt: skip


def flat(dy):
    """Of div(rounding_mode=...): zeros, although there are jumps."""
    return dy.new_number(0, dy.dtype).expand(dy.shape)


add = pointwise("add", np.add, "a + b", through, through, dtypes=ALL)
sub = pointwise("sub", np.subtract, "a - b", through, negated, rule=without_bool)
mul = pointwise("mul", np.multiply, "a * b",
    (vjps.mul_backward, "b"), (vjps.mul_backward, "a"), dtypes=ALL)  # fmt: skip
div = pointwise("div", np.true_divide, "a / b", lambda dy, b: dy / b,
    (vjps.div_backward, "ab"), dtypes=FLOATS, rule=as_float)  # fmt: skip
floored = pointwise("div_floor", divided(np.floor_divide), "floor_divide(a, b)", flat,
    flat)  # fmt: skip
floor_divide = pointwise("floor_divide", divided(np.floor_divide), "floor_divide(a, b)",
    no_slope, no_slope)  # fmt: skip
trunc_divide = pointwise("trunc_divide", divided(truncated), "trunc_divide(a, b)", flat,
    flat)  # fmt: skip
remainder = pointwise("remainder", divided(np.remainder), "remainder_of(a, b)", through,
    lambda dy, a, b: -dy * floored(a, b))  # fmt: skip
power = pointwise("pow", numpy_power, "power(a, b)",
    (vjps.pow_backward, "ab"), (vjps.pow_exponent_backward, "ay"))  # fmt: skip

# ------------------------------------------------- comparisons, logic and bits

BITS = bool_, *INTEGERS

eq = pointwise("eq", np.equal, "a == b", dtypes=ALL, result=bool_)
ne = pointwise("ne", np.not_equal, "a != b", dtypes=ALL, result=bool_)
lt = pointwise("lt", np.less, "a < b", dtypes=ALL, result=bool_)
le = pointwise("le", np.less_equal, "a <= b", dtypes=ALL, result=bool_)
gt = pointwise("gt", np.greater, "a > b", dtypes=ALL, result=bool_)
ge = pointwise("ge", np.greater_equal, "a >= b", dtypes=ALL, result=bool_)
logical_and = pointwise("logical_and", np.logical_and, "a && b", dtypes=ALL,
    result=bool_)  # fmt: skip
logical_or = pointwise("logical_or", np.logical_or, "a || b", dtypes=ALL, result=bool_)
logical_not = pointwise("logical_not", np.logical_not, "!a", dtypes=ALL, result=bool_)
isnan = pointwise("isnan", lambda x: x != x, "a != a", dtypes=ALL, result=bool_)
bitwise_and = pointwise("bitwise_and", np.bitwise_and, "a & b", dtypes=BITS)
bitwise_or = pointwise("bitwise_or", np.bitwise_or, "a | b", dtypes=BITS)
bitwise_xor = pointwise("bitwise_xor", np.bitwise_xor, "a ^ b", dtypes=BITS)
bitwise_not = pointwise("bitwise_not", np.invert, "a ^ (M)-1", dtypes=BITS)

# ------------------------------------------------- larger, smaller, chosen

LARGER, SMALLER = "(a > b || a != a ? a : b)", "(a < b || a != a ? a : b)"
larger_of = (vjps.max_backward, "ab")
smaller_of = (vjps.max_backward, "ba")
maximum = pointwise("maximum", np.maximum, LARGER, larger_of, smaller_of, dtypes=ALL)
minimum = pointwise("minimum", np.minimum, SMALLER, smaller_of, larger_of, dtypes=ALL)
clamp_min = pointwise("clamp_min", np.maximum, LARGER,
    lambda dy, a, b: where(a >= b, dy, 0), lambda dy, a, b: where(a < b, dy, 0),
    dtypes=ALL)  # fmt: skip
clamp_max = pointwise("clamp_max", np.minimum, SMALLER,
    lambda dy, a, b: where(a <= b, dy, 0), lambda dy, a, b: where(a > b, dy, 0),
    dtypes=ALL)  # fmt: skip
clamped = pointwise("clamp", numpy_clamp, "clamped(a, b, c)",
    lambda dy, a, b, c: where((a >= b) & (a <= c), dy, 0),
    lambda dy, a, b, c: where((a < b) & (b < c), dy, 0),
    lambda dy, a, b, c: where((a > c) | (c < b), dy, 0))  # fmt: skip
where = pointwise("where", lambda a, b, c: np.where(a, b, c), "(a ? b : c)", None,
    (vjps.where_backward, "a"), (vjps.where_backward_other, "a"), dtypes=ALL,
    rule=of_values)  # fmt: skip


# ------------------------------------------------- functions of one number


def float_unary(name, formula, expression, *vjps):
    """A function of one number whose result is a float, also for integers."""
    how = {"dtypes": FLOATS, "rule": as_float}
    return method(pointwise(name, formula, expression, *vjps, **how))


neg = pointwise("neg", np.negative, "-a", negated, rule=without_bool)
abs = pointwise("abs", np.abs, "(a < 0 ? -a : a == 0 ? 0 : a)",
    (vjps.abs_backward, "a"))  # fmt: skip
relu = pointwise("relu", numpy_relu, "(a < 0 ? 0 : a)", (vjps.relu_backward, "y"))
exp = float_unary("exp", np.exp, "exp(a)", (vjps.exp_backward, "y"))
log = float_unary("log", np.log, "log(a)", (vjps.log_backward, "a"))
sqrt = float_unary("sqrt", np.sqrt, "sqrt(a)", (vjps.sqrt_backward, "y"))
# std and norm end with it: where all squares are 0 it has the gradient 0, not infinity.
sqrt_of_squares = pointwise("std", np.sqrt, "sqrt(a)", (vjps.std_backward, "y"),
    dtypes=FLOATS, rule=as_float)  # fmt: skip
rsqrt = float_unary("rsqrt", numpy_rsqrt, "1 / sqrt(a)", (vjps.rsqrt_backward, "y"))
sigmoid = float_unary("sigmoid", numpy_sigmoid, "1 / (1 + exp(-a))",
    (vjps.sigmoid_backward, "y"))  # fmt: skip
tanh = float_unary("tanh", np.tanh, "tanh(a)", (vjps.tanh_backward, "y"))
sin = float_unary("sin", np.sin, "sin(a)", (vjps.sin_backward, "a"))
cos = float_unary("cos", np.cos, "cos(a)", (vjps.cos_backward, "a"))
erf = float_unary("erf", erf_of, "erf(a)", (vjps.erf_backward, "a"))
gelu_erf = pointwise("gelu", numpy_gelu, "gelu(a)", (vjps.gelu_backward, "a"),
    dtypes=FLOATS)  # fmt: skip
gelu_tanh = pointwise("gelu_tanh", numpy_gelu_tanh, "gelu_tanh(a)",
    (vjps.gelu_tanh_backward, "a"), dtypes=FLOATS)  # fmt: skip

# ------------------------------------------------- exponentials and logarithms

exp2 = float_unary("exp2", np.exp2, "exp2(a)", lambda dy, y: dy * y * math.log(2))
expm1 = float_unary("expm1", np.expm1, "expm1(a)", lambda dy, y: dy * (y + 1))
log1p = float_unary("log1p", np.log1p, "log1p(a)", lambda dy, a: dy / (a + 1))
log2 = float_unary("log2", np.log2, "log2(a)", lambda dy, a: dy / (a * math.log(2)))
log10 = float_unary("log10", np.log10, "log10(a)",
    lambda dy, a: dy / (a * math.log(10)))  # fmt: skip

# ------------------------------------------------- angles

tan = float_unary("tan", np.tan, "tan(a)", lambda dy, y: dy * (1 + y * y))
asin = float_unary("asin", np.arcsin, "asin(a)", lambda dy, a: dy * (1 - a * a).rsqrt())
acos = float_unary("acos", np.arccos, "acos(a)",
    lambda dy, a: -dy * (1 - a * a).rsqrt())  # fmt: skip
atan = float_unary("atan", np.arctan, "atan(a)", lambda dy, a: dy / (a * a + 1))
sinh = float_unary("sinh", np.sinh, "sinh(a)", lambda dy, a: dy * a.cosh())
cosh = float_unary("cosh", np.cosh, "cosh(a)", lambda dy, a: dy * a.sinh())
asinh = float_unary("asinh", np.arcsinh, "asinh(a)",
    lambda dy, a: dy * (a * a + 1).rsqrt())  # fmt: skip
acosh = float_unary("acosh", np.arccosh, "acosh(a)",
    lambda dy, a: dy * (a * a - 1).rsqrt())  # fmt: skip
atanh = float_unary("atanh", np.arctanh, "atanh(a)", lambda dy, a: dy / (1 - a * a))
atan2 = method(pointwise("atan2", np.arctan2, "atan2(a, b)",
    lambda dy, a, b: where((a == 0) & (b == 0), 0, dy * b / (a * a + b * b)),
    lambda dy, a, b: where((a == 0) & (b == 0), 0, -dy * a / (a * a + b * b)),
    dtypes=FLOATS, rule=as_float))  # fmt: skip

# ------------------------------------------------- copies, and rounding


class Cast(Pointwise):
    """A copy in another dtype, or in the same: `cast[float32](x)`."""

    def __init__(self, dtype):
        same = [through] if dtype in FLOATS else []
        how = {"dtypes": [dtype], "rule": lambda x: dtype}
        super().__init__("copy", copy, "a", *same, **how)
        self.dtype = dtype

    def find(self, operands):
        """The kernel, without `find_kernel`: the lab that writes it copies tensors."""
        return KERNELS[self.name, operands[0].device, self.dtype]


cast = {dtype: Cast(dtype) for dtype in DTYPES}
for _device in "sim", "cuda":  # by int64 -1.5 becomes 255, as in PyTorch, and not 0
    KERNELS["copy", _device, uint8].wide = int64


def rounding(name, formula, expression):
    """An operator that rounds floats, and copies whole numbers."""
    for device, dtype in itertools.product(DEVICES, INTEGERS):
        KERNELS[name, device, dtype] = KERNELS["copy", device, dtype]
    return method(pointwise(name, formula, expression, flat, dtypes=FLOATS))


floor = rounding("floor", np.floor, "floor(a)")
ceil = rounding("ceil", np.ceil, "ceil(a)")
trunc = rounding("trunc", np.trunc, "trunc(a)")
to_even = rounding("round", np.rint, "rint(a)")
to_decimals = pointwise("round_decimals", lambda x, scale: np.rint(x * scale) / scale,
    "(rint(a * b) / b)", flat, None, dtypes=FLOATS)  # fmt: skip
to_tens = pointwise("round_tens", lambda x, scale: np.rint(x / scale) * scale,
    "(rint(a / b) * b)", flat, None, dtypes=FLOATS)  # fmt: skip


@method
def round(input, *, decimals=0):  # noqa: A001
    """input rounded to so many decimals, halves to the even digit."""
    if not number_for("round", "decimals", decimals, Integral):
        return to_even(input)
    check_dtype("round", input)
    operator = to_decimals if decimals > 0 else to_tens
    return operator(input, 10.0 ** builtins.abs(decimals))


frac = method(pointwise("frac", lambda x: x - np.trunc(x), "a - trunc(a)", through,
    dtypes=FLOATS))  # fmt: skip
sign = method(pointwise("sign",
    lambda x: ((x > 0).astype(np.int8) - (x < 0)).astype(x.dtype),
    "(M)((a > 0) - (a < 0))", flat, dtypes=ALL))  # fmt: skip
lerp_of = pointwise("lerp",
    lambda a, b, c: np.where(np.abs(c) < 0.5, a + c * (b - a), b - (b - a) * (1 - c)),
    "((c < 0 ? -c : c) < (M)0.5 ? a + c * (b - a) : b - (b - a) * (1 - c))",
    lambda dy, c: dy * (1 - c), lambda dy, c: dy * c, lambda dy, a, b: dy * (b - a),
    dtypes=FLOATS)  # fmt: skip


@method
def lerp(input, end, weight):
    """input + weight * (end - input); weight: a number or a tensor."""
    check(tensor_for("lerp", "end", end).dtype == input.dtype, lambda: "expected dtype "
          f"{input.dtype} for `end` but got dtype {end.dtype}")  # fmt: skip
    check_dtype("lerp", input)
    return lerp_of(input, end, weight)


# ------------------------------------------------- activations

silu_of = pointwise("silu", in_chunks(lambda x: x / (1 + np.exp(-x))),
    "a / (1 + exp(-a))", (vjps.silu_backward, "a"), dtypes=FLOATS)  # fmt: skip
mish_of = pointwise("mish",
    in_chunks(lambda x: x * np.tanh(np.logaddexp(x, x.dtype.type(0)))),
    "a * tanh(a > 20 ? a : log1p(exp(a)))", (vjps.mish_backward, "a"),
    dtypes=FLOATS)  # fmt: skip
elu_of = pointwise("elu", lambda x, alpha: np.where(x > 0, x, alpha * np.expm1(x)),
    "(a > 0 ? a : b * expm1(a))", lambda dy, a, b: where(a > 0, dy, dy * b * a.exp()),
    None, dtypes=FLOATS)  # fmt: skip
leaky_relu_of = pointwise("leaky_relu", lambda x, slope: np.where(x > 0, x, x * slope),
    "(a > 0 ? a : a * b)", lambda dy, a, b: where(a > 0, dy, dy * b), None,
    dtypes=FLOATS)  # fmt: skip
softplus_of = pointwise("softplus", lambda x, beta, threshold:
        np.where(x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta),
    "(a * b > c ? a : log1p(exp(a * b)) / b)",
    lambda dy, a, b, c: where(a * b > c, dy, dy * (a * b).sigmoid()),
    None, None, dtypes=FLOATS)  # fmt: skip
hardtanh_of = pointwise("hardtanh", numpy_clamp, "clamped(a, b, c)",
    lambda dy, a, b, c: where((a > b) & (a < c), dy, 0), None, None)  # fmt: skip


def activated(operator, input, *numbers, inplace=False):
    """An activation in the input's dtype; inplace: written into the input."""
    check_dtype(operator.name, input, operator.dtypes)
    if input.dtype in INTEGERS:
        numbers = [int(n) for n in numbers]
    if not inplace:
        return operator(input, *numbers)
    x = input.clone() if input.requires_grad else input  # the gradient needs it
    return input.copy_(operator(x, *numbers))


@functional
def relu6(input, inplace=False):
    """min(max(input, 0), 6)."""
    return activated(hardtanh_of, input, 0.0, 6.0, inplace=inplace)


@functional
def silu(input, inplace=False):
    """input * sigmoid(input), also known as swish."""
    return activated(silu_of, input, inplace=inplace)


@functional
def mish(input, inplace=False):
    """input * tanh(softplus(input))."""
    return activated(mish_of, input, inplace=inplace)


@functional
def elu(input, alpha=1.0, inplace=False):
    """input where it is above 0, else alpha * (exp(input) - 1)."""
    return activated(elu_of, input, alpha, inplace=inplace)


@functional
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """input where it is above 0, else negative_slope * input."""
    return activated(leaky_relu_of, input, negative_slope, inplace=inplace)


@functional
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """input between min_val and max_val; without a gradient at these."""
    check(min_val <= max_val, "min_val cannot be greater than max_val", ValueError)
    check(getattr(input, "dtype", None) != uint8 or min_val >= 0,
          "cannot do hardtanh on an unsigned type with negative limits")  # fmt: skip
    return activated(hardtanh_of, input, min_val, max_val, inplace=inplace)


@functional
def softplus(input, beta=1.0, threshold=20.0):
    """log(1 + exp(beta * input)) / beta; input where beta * input > threshold."""
    return activated(softplus_of, input, beta, threshold)


# ------------------------------------------------- as PyTorch calls them, by options


def scaled(x, other, alpha):
    """alpha * other, the second operand of x + alpha * other."""
    if type(alpha) is int and alpha == 1:
        return other
    check(isinstance(alpha, Real),
          lambda: f"argument 'alpha' must be Number, not {type(alpha).__name__}",
          TypeError)  # fmt: skip
    dtype = result_type(x, other)
    check(not isinstance(alpha, bool) or dtype == bool_,
          "Boolean alpha only supported for Boolean results.")  # fmt: skip
    check(isinstance(alpha, Integral) or dtype in FLOATS, "For integral input tensors, "
          "argument alpha must not be a floating point number.")  # fmt: skip
    alpha = bool(alpha) if dtype == bool_ else alpha
    if not hasattr(other, "storage"):
        return bool(other * alpha) if dtype == bool_ else other * alpha
    return mul(other.to(dtype=dtype), alpha)


def by_options(name):
    """Make a method of a function that chooses (an operator, its other operands).

    The method keeps that function as `choose`, for its in-place form.
    """

    def decorator(choose):
        choose.__name__ = choose.__qualname__ = name

        @functools.wraps(choose)
        def run(x, *args, **named):
            operator, others = choose(x, *args, **named)
            return operator.call(x, *others)

        run.choose = choose
        return run

    return decorator


@by_options("add")
def plus(x, other, *, alpha=1):
    """x + alpha * other."""
    return add, (scaled(x, other, alpha),)


@by_options("sub")
def minus(x, other, *, alpha=1):
    """x - alpha * other."""
    without_bool(x, other)
    return sub, (scaled(x, other, alpha),)


DIVISIONS = {None: div, "trunc": trunc_divide, "floor": floored}


@by_options("div")
def divide(x, other, *, rounding_mode=None):
    """x / other, and the quotient rounded: "trunc" to zero, "floor" down."""
    check(rounding_mode in DIVISIONS, lambda: "div expected rounding_mode to be one of "
          f"None, 'trunc', or 'floor' but found {rounding_mode!r}")  # fmt: skip
    return DIVISIONS[rounding_mode], (other,)


ROOTS = {0.5: sqrt, -0.5: rsqrt}  # of -inf they are NaN, as in PyTorch


@by_options("pow")
def pow(x, exponent):  # noqa: A001
    """x to the power of exponent; whole numbers stay whole, so none below 0 is taken.

    A tensor's numbers are not looked at: there 1 / x^-exponent loses its fraction.
    """
    number = isinstance(exponent, Real)
    if number and exponent in ROOTS:
        return ROOTS[exponent], ()
    whole = result_type(x, exponent) in INTEGERS
    check(not whole or not number or exponent >= 0,
          lambda: "Integers to negative integer powers are not allowed: x.float() ** "
          f"{exponent}")  # fmt: skip
    return power, (exponent,)


@by_options("clamp")
def clamp(x, min=None, max=None):
    """x, but at least `min` and at most `max`; NaN stays NaN."""
    given = [bound for bound in (min, max) if bound is not None]
    check(given, "clamp: at least one of 'min' or 'max' must not be None")
    tensors = [bound for bound in given if hasattr(bound, "storage")]
    check(not 0 < len(tensors) < len(given) or not tensors[0].ndim,
          lambda: "clamp() takes two numbers or two tensors as min and max, but got "
          f"{type(min).__name__} and {type(max).__name__}", TypeError)  # fmt: skip
    return (clamp_max if min is None else clamp_min if max is None else clamped), given


clip = METHODS["clip"] = clamp


def gelu(x, approximate="none"):
    """x times the share of a normal distribution that lies below x."""
    check(approximate in ("none", "tanh"), lambda: "approximate argument must be "
          f"either none or tanh. Got {approximate!r}")  # fmt: skip
    return gelu_tanh(x) if approximate == "tanh" else gelu_erf(x)


def invert(x):
    """~x: each bit inverted; of bool the logical not."""
    check(x.dtype not in FLOATS, lambda: "~ (operator.invert) is only implemented on "
          f"integer and Boolean-type tensors, not on {x.dtype}", TypeError)  # fmt: skip
    return bitwise_not(x)


def positive(x):
    """+x: x itself."""
    check(x.dtype != bool_, "The `+` operator, on a bool tensor is not supported.")
    return x


def where_self(x, condition, other):
    """x where the condition holds, else other."""
    return where(condition, x, other)


where_self.__name__ = where_self.__qualname__ = "where"  # its name as a method


def filling(value, x, name):
    """A number, or a tensor of one, as a tensor without dimensions of x's dtype.

    RuntimeError where that dtype cannot hold it.
    """
    if hasattr(value, "storage"):
        check(not value.ndim, lambda: f"{name} only supports a 0-dimensional value "
              f"tensor, but got tensor with {value.ndim} dimension(s).")  # fmt: skip
        return value.to(x.device, x.dtype)
    number = to_number(value, x.dtype)
    check(number.dtype.kind != "f" or not np.isinf(number) or not math.isfinite(value),
          lambda: f"value cannot be converted to type {x.dtype} without overflow: "
          f"{value}")  # fmt: skip
    return x.new_number(number, x.dtype)


def masked_fill(x, mask, value):
    """x, with `value` where the mask holds, in x's own dtype."""
    check(tensor_for("masked_fill", "mask", mask).dtype == bool_,
          lambda: "masked_fill_ only supports boolean masks, but got mask with dtype "
          f"{mask.dtype}")  # fmt: skip
    return where(mask, filling(value, x, "masked_fill_"), x)


def reflected(operator):
    """An operator with its operands exchanged, as a method: 2 - x is x.__rsub__(2)."""
    return lambda self, other: operator(other, self)


COMPARED = Real, np.bool_, np.ndarray


def comparison(operator):
    """== and !=: beside what is neither a tensor nor a number, Python decides.

    A NumPy array is refused, as by `+`.
    """

    def method(self, other):
        if not hasattr(other, "storage") and not isinstance(other, COMPARED):
            return NotImplemented
        return operator(self, other)

    return method


def isfinite(x):
    """Which elements are neither infinite nor NaN, as a tensor of bool."""
    return x.abs() < math.inf if x.dtype in FLOATS else x == x


def isinf(x):
    """Which elements are inf or -inf, as a tensor of bool."""
    return x.abs() == math.inf if x.dtype in FLOATS else x != x


def isclose(x, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |x - other| <= atol + rtol * |other|, or both are equal; NaN is not.

    Of the same dtype, else RuntimeError. equal_nan: NaN beside NaN counts as close.
    """
    check(x.dtype == tensor_for("isclose", "other", other).dtype,
          lambda: f"{x.dtype} did not match {other.dtype}: isclose() takes tensors of "
          "one dtype, as x.to(other.dtype) makes one")  # fmt: skip
    for name, value in {"rtol": rtol, "atol": atol}.items():
        check(value >= 0, lambda: f"{name} must be greater than or equal to zero, but "
              f"got {value}")  # fmt: skip
    same = x == other
    if equal_nan:
        same = same | x.isnan() & other.isnan()
    if x.dtype == bool_:
        x = x.float()
    there = other if other.dtype in FLOATS else other.float()
    apart = (x - there).abs()
    return same | isfinite(apart) & (apart <= atol + (rtol * there).abs())


def allclose(x, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Is isclose() true everywhere? A Python bool."""
    return bool(isclose(x, other, rtol, atol, equal_nan).all())


def equal(x, other):
    """Have both the same shape and the same elements? A Python bool."""
    alike = x.shape == tensor_for("equal", "other", other).shape
    return alike and bool((x == other).all())
