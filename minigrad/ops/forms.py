"""Elementwise operators as PyTorch has them called: with options, and by signs."""

import math
from numbers import Integral, Real

import numpy as np

from ..promotion import FLOATS, INTEGERS, result_type
from ..storage import bool_, to_number
from .base import tensor_for, without_bool
from .elementwise import (
    add,
    bitwise_not,
    clamp_max,
    clamp_min,
    clamped,
    div,
    floored,
    gelu_erf,
    gelu_tanh,
    mul,
    power,
    rsqrt,
    sqrt,
    sub,
    trunc_divide,
    where,
)


def scaled(x, other, alpha):
    """alpha * other, the second operand of x + alpha * other."""
    if type(alpha) is int and alpha == 1:
        return other
    if not isinstance(alpha, Real):
        raise TypeError(f"argument 'alpha' must be Number, not {type(alpha).__name__}")
    dtype = result_type(x, other)
    if isinstance(alpha, bool) and dtype != bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if not isinstance(alpha, Integral) and dtype not in FLOATS:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point "
            "number."
        )
    if not hasattr(other, "storage"):
        return bool(other * alpha) if dtype == bool_ else other * alpha
    return mul(other.to(dtype=dtype), bool(alpha) if dtype == bool_ else alpha)


def named(name):
    """Give a function the name that it has as a method: errors tell it."""

    def rename(function):
        function.__name__ = function.__qualname__ = name
        return function

    return rename


@named("add")
def plus(x, other, *, alpha=1):
    """x + alpha * other."""
    return add(x, scaled(x, other, alpha))


def subtracted(x, other, alpha):
    """The same of x - alpha * other, where neither is bool."""
    without_bool(x, other)
    return scaled(x, other, alpha)


@named("sub")
def minus(x, other, *, alpha=1):
    """x - alpha * other."""
    return sub(x, subtracted(x, other, alpha))


DIVISIONS = {None: div, "trunc": trunc_divide, "floor": floored}


def division(rounding_mode):
    """The operator that divides and rounds: not, to zero, or down."""
    if rounding_mode not in DIVISIONS:
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
            f"found {rounding_mode!r}"
        )
    return DIVISIONS[rounding_mode]


@named("div")
def divide(x, other, *, rounding_mode=None):
    """x / other, and the quotient rounded: "trunc" to zero, "floor" down."""
    return division(rounding_mode)(x, other)


def root_of(exponent):
    """sqrt for 0.5, rsqrt for -0.5: of -inf they are NaN, as in PyTorch; else None."""
    return {0.5: sqrt, -0.5: rsqrt}.get(exponent if isinstance(exponent, Real) else 0)


def checked_exponent(x, exponent):
    """The exponent; RuntimeError for a number below 0 where whole numbers stay whole.

    A tensor's numbers are not looked at: there 1 / x^-exponent loses its fraction.
    """
    whole = result_type(x, exponent) in INTEGERS
    if whole and not hasattr(exponent, "storage") and exponent < 0:
        raise RuntimeError(
            "Integers to negative integer powers are not allowed: x.float() ** "
            f"{exponent}"
        )
    return exponent


def pow(x, exponent):  # noqa: A001
    """x to the power of exponent; whole numbers stay whole."""
    if found := root_of(exponent):
        return found(x)
    return power(x, checked_exponent(x, exponent))


def clamp(x, min=None, max=None):
    """x, but at least `min` and at most `max`; NaN stays NaN."""
    operator, bounds = clamp_of(min, max)
    return operator(x, *bounds)


def clamp_of(min, max):
    """The operator that clamps to these bounds, one of which may be None; and them."""
    given = [bound for bound in (min, max) if bound is not None]
    if not given:
        raise RuntimeError("clamp: at least one of 'min' or 'max' must not be None")
    tensors = [bound for bound in given if hasattr(bound, "storage")]
    if 0 < len(tensors) < len(given) and tensors[0].ndim:
        raise TypeError(
            "clamp() takes two numbers or two tensors as min and max, but got "
            f"{type(min).__name__} and {type(max).__name__}"
        )
    return (clamp_max if min is None else clamp_min if max is None else clamped), given


def gelu(x, approximate="none"):
    """x times the share of a normal distribution that lies below x."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            f"approximate argument must be either none or tanh. Got {approximate!r}"
        )
    return gelu_tanh(x) if approximate == "tanh" else gelu_erf(x)


def invert(x):
    """~x: all bits turned; of bool, not x."""
    if x.dtype in FLOATS:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type "
            f"tensors, not on {x.dtype}"
        )
    return bitwise_not(x)


def positive(x):
    """+x: x itself."""
    if x.dtype == bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return x


@named("where")
def where_self(x, condition, other):
    """x where the condition holds, else other."""
    return where(condition, x, other)


def filling(value, x):
    """A number as a tensor like x; RuntimeError where x's dtype ends before it."""
    found = to_number(value, x.dtype)
    if found.dtype.kind == "f" and np.isinf(found) and math.isfinite(value):
        raise RuntimeError(
            f"value cannot be converted to type {x.dtype} without overflow: {value}"
        )
    return x.new_number(found, x.dtype)


def masked_fill(x, mask, value):
    """x, with `value` where the mask holds, in x's own dtype."""
    if tensor_for("masked_fill", "mask", mask).dtype != bool_:
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{mask.dtype}"
        )
    if not hasattr(value, "storage"):
        value = filling(value, x)
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


COMPARED = Real, np.bool_, np.ndarray


def comparison(operator):
    """== and !=: beside what is neither a tensor nor a number, Python decides.

    But not beside an array of NumPy, which looks like one: it is refused, as by `+`.
    """

    def method(self, other):
        if not hasattr(other, "storage") and not isinstance(other, COMPARED):
            return NotImplemented
        return operator(self, other)

    return method
