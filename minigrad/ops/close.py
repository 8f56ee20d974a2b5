"""What is finite, what is close, what is equal: made of other operators."""

import math

from ..promotion import FLOATS
from ..storage import bool_
from .base import tensor_for


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
    if x.dtype != tensor_for("isclose", "other", other).dtype:
        raise RuntimeError(
            f"{x.dtype} did not match {other.dtype}: isclose() takes tensors of one "
            "dtype, as x.to(other.dtype) makes one"
        )
    for name, value in {"rtol": rtol, "atol": atol}.items():
        if value < 0:
            raise RuntimeError(
                f"{name} must be greater than or equal to zero, but got {value}"
            )
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
    return x.shape == tensor_for("equal", "other", other).shape and bool(
        (x == other).all()
    )
