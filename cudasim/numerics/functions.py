"""The math library.

A function of float32 is computed in float64 and rounded once, so that its bits are
the same on every machine (except for about one result in 2**28, where the last bit of
the float64 decides). The float64 functions are NumPy's where NumPy has them: good to
about one unit in the last place, so their last bit differs between machines.
"""

import numpy as np

from . import special, trigonometry
from .pieces import in_pieces
from .rounding import F32, F64


@in_pieces
def _zeros_added(r, a, b):
    return np.where((a == 0) & (b == 0), a + b, r)[()]


def fmax(a, b):
    """The greater; a NaN loses against a number, and -0 against +0."""
    r = np.fmax(a, b)
    if b.ndim == 0 and b == 0 and not np.signbit(b):
        return r + b
    return _zeros_added(r, a, b) if _signs_differ(r, a, b) else r


def fmin(a, b):
    """The lesser; a NaN loses against a number, and +0 against -0."""
    r = np.fmin(a, b)
    return -_zeros_added(-r, -a, -b) if _signs_differ(r, a, b) else r


def _signs_differ(r, a, b):
    """Whether some result is a zero that may come from one -0 and one +0."""
    zero = r == 0
    return bool(zero.any() and (zero & (np.signbit(a) != np.signbit(b))).any())


def round_away(x):
    """The nearest integer, halves away from zero."""
    t = np.trunc(x)
    t = np.where(abs(x - t) >= 0.5, t + np.copysign(x.dtype.type(1), x), t)
    return np.copysign(t, x)


def remainder(x, y):
    """IEEE: x - n * y exactly, n the integer nearest to x / y, even at halves."""
    a, b = np.abs(x), np.abs(y)
    r = np.where(b > np.finfo(b.dtype).max / 2, a, np.fmod(a, b + b))
    once = r > b - r
    r = np.where(once, r - b, r)
    r = np.where(once & (r >= b - r), r - b, r)
    r = np.where(np.isinf(a), np.nan, np.where(np.isinf(b), a, r))
    return np.where(np.signbit(x), -r, r).astype(x.dtype)[()]


def remquo(x, y):
    """(remainder, the last three bits of the quotient, with its sign)."""
    a, b = np.abs(x), np.abs(y)
    within = np.fmod(a, b * b.dtype.type(8))
    count = np.rint((within - remainder(within, b)) / b)
    count = np.where(np.isfinite(count), count, 0).astype(np.int32) & np.int32(7)
    return remainder(x, y), np.where(np.signbit(x) != np.signbit(y), -count, count)[()]


def scalbln(x, n):
    """x * 2**n for a long n; past 5000 every result is 0 or infinite."""
    return np.ldexp(x, np.clip(n, -5000, 5000).astype(np.int32))


def saturate(x):
    """Into [0, 1]; NaN becomes 0."""
    return np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0))[()]


def fdim(x, y):
    return np.where(x <= y, x.dtype.type(0), x - y)[()]


def logb(x):
    """The exponent, as a float."""
    e = np.frexp(x)[1].astype(x.dtype) - x.dtype.type(1)
    e = np.where(x == 0, -np.inf, np.where(np.isfinite(x), e, x * x))
    return e.astype(x.dtype)[()]


def ilogb(x):
    """The exponent, as an int: INT_MIN for 0 and NaN, INT_MAX for infinity."""
    e = np.frexp(x)[1].astype(np.int32) - np.int32(1)
    e = np.where(np.isinf(x), np.int32(2**31 - 1), e)
    return np.where((x == 0) | (x != x), np.int32(-(2**31)), e)[()]


def frexp(x):
    m, e = np.frexp(x)
    return m, e.astype(np.int32)


def modf(x):
    """The fraction and the integer part, both with the sign of x."""
    return np.modf(x)


def ldexp(x, n):
    return np.ldexp(x, n)


def rsqrt(x):
    return 1.0 / np.sqrt(x)


def cbrt(x):
    """NumPy's is less exact on some processors: one step of Newton's mends it."""
    y = np.cbrt(x)
    better = y - (y - x / (y * y)) / 3
    return np.where(np.isfinite(better), better, y)


def rcbrt(x):
    return 1.0 / cbrt(x)


def exp10(x):
    return np.power(10.0, x)


def power(x, y):
    """x**y of float64, good enough for float32; the special cases are left to pow."""
    if ((x > 0) & (x < np.inf) & np.isfinite(y)).all():
        return np.exp(y * np.log(x))
    return np.power(x, y)


def integer_power(x, n):
    """x**n by repeated squaring in the type of x, as CUDA does for an int n."""
    one = x.dtype.type(1)
    left, result = np.abs(n.astype(np.int64)), one
    while np.any(left):
        result = np.where(left & 1, result * x, result)[()]
        x, left = x * x, left >> 1
    return np.where(n < 0, one / result, result)[()]


def norm(*xs):
    """The length of a vector, scaled so that nothing overflows."""
    sizes = [np.abs(x) for x in xs]
    most = sizes[0]
    for size in sizes[1:]:
        most = np.fmax(most, size)
    scale = np.frexp(most)[1]
    total = sum(np.ldexp(size, -scale) ** 2 for size in sizes)
    length = np.ldexp(np.sqrt(total), scale)
    return np.where(np.isinf(most), np.inf, length)[()]


def reciprocal_norm(*xs):
    return 1.0 / norm(*xs)


# Functions of float64, which also serve float32, half and bfloat16.
WIDE = {
    "sqrt": np.sqrt, "rsqrt": rsqrt, "cbrt": cbrt, "rcbrt": rcbrt, "exp": np.exp,
    "exp2": np.exp2, "exp10": exp10, "expm1": np.expm1, "log": np.log,
    "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sin": np.sin,
    "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "sinpi": trigonometry.sinpi,
    "cospi": trigonometry.cospi,
    "atan2": np.arctan2, "hypot": np.hypot, "rhypot": reciprocal_norm,
    "norm3d": norm, "rnorm3d": reciprocal_norm, "norm4d": norm,
    "rnorm4d": reciprocal_norm, "rcp": np.reciprocal, "floor": np.floor,
    "ceil": np.ceil, "trunc": np.trunc, "rint": np.rint, "pow": np.power,
    **special.WIDE,
}  # fmt: skip
# For float32 these have a cheaper way.
NARROW = WIDE | trigonometry.NARROW | {"pow": power, "erf": special.erf_narrow}
# Exact in the type of the arguments.
EXACT = {
    "sqrt": np.sqrt, "fabs": np.abs, "abs": np.abs, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": round_away, "rint": np.rint, "nearbyint": np.rint,
    "fmin": fmin, "fmax": fmax, "fmod": np.fmod, "fdim": fdim,
    "copysign": np.copysign, "nextafter": np.nextafter, "remainder": remainder,
    "logb": logb, "ilogb": ilogb, "ldexp": ldexp, "scalbn": ldexp,
    "scalbln": scalbln, "remquo": remquo, "frexp": frexp,
    "modf": modf, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "signbit": np.signbit, "fdivide": np.true_divide,
}  # fmt: skip


def in_float32(function):
    """A function of float64 as one of float32, rounded once."""

    @in_pieces
    def narrow(*xs):
        return function(*(x.astype(F64) for x in xs)).astype(F32)

    return narrow
