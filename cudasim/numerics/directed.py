"""float32 and float64 operations that name their rounding, such as __fadd_rz."""

import math
from fractions import Fraction

import numpy as np

from .fma import fma32, fma64, fma_directed
from .pieces import in_pieces
from .rounding import F32, F64, add_odd, narrow, odd, signed_zero, split


def _add(mode):
    def add(a, b):
        return narrow(
            signed_zero(add_odd(a.astype(F64), b.astype(F64)), a, b, mode), mode
        )

    return add


def _subtract(mode):
    add = _add(mode)
    return lambda a, b: add(a, -b)


def _multiply(mode):
    return lambda a, b: narrow(np.multiply(a, b, dtype=F64), mode)


def _residual(a, q, b):
    """a - q * b with the right sign, for float32 a and b and the float64 quotient."""
    high, low = split(q)
    return (a - high * b) - low * b


def _divide(mode):
    def divide(a, b):
        a, b = a.astype(F64), b.astype(F64)
        q = a / b
        error = _residual(a, q, b) * np.sign(b)
        return narrow(odd(q, error), mode)

    return divide


def _root(mode):
    def root(x):
        x = x.astype(F64)
        s = np.sqrt(x)
        return narrow(odd(s, _residual(x, s, s)), mode)

    return root


def _reciprocal(mode):
    divide = _divide(mode)
    return lambda x: divide(F32(1), x)


def _reciprocal_root(x):
    return (1.0 / np.sqrt(x.astype(F64))).astype(F32)


# The nearest float64, and the exact result's excess over it (of a root: its sign).
DOUBLE = {
    "dadd": (lambda a, b: a + b, lambda r, a, b: a + b - r),
    "dsub": (lambda a, b: a - b, lambda r, a, b: a - b - r),
    "dmul": (lambda a, b: a * b, lambda r, a, b: a * b - r),
    "ddiv": (np.true_divide, lambda r, a, b: a / b - r),
    "drcp": (lambda x: 1.0 / x, lambda r, x: 1 / x - r),
    "dsqrt": (np.sqrt, lambda r, x: x - r * r),
    "fma": (fma64, lambda r, a, b, c: a * b + c - r),
}
ADDENDS = {
    "dadd": lambda a, b: (a, b),
    "dsub": lambda a, b: (a, -b),
    "fma": lambda a, b, c: (a * b, c),
}


def _in_double(name, mode):
    """A float64 operation rounded in one direction: lane by lane, with fractions."""
    nearest, over = DOUBLE[name]

    def one(*xs):
        r = float(nearest(*map(F64, xs)))
        if not all(map(math.isfinite, xs)) or math.isnan(r):
            return r
        if math.isinf(r):
            exact = name not in ("ddiv", "drcp") or xs[-1] != 0
            more = -r if exact else 0.0
        else:
            more = over(Fraction(r), *map(Fraction, xs))
        if more == 0 and r == 0 and mode == "d" and name in ADDENDS:
            negative = any(math.copysign(1, x) < 0 for x in ADDENDS[name](*xs))
            return -0.0 if negative else r
        if mode == "z":
            beyond = more < 0 if r > 0 else more > 0 > r
            return math.nextafter(r, 0.0) if beyond else r
        if (more > 0) if mode == "u" else (more < 0):
            return math.nextafter(r, math.inf if mode == "u" else -math.inf)
        return r

    every = np.vectorize(one, otypes=[F64])
    return lambda *xs: every(*xs)[()]


def _table():
    table = {}
    makers = {
        "fadd": _add, "fsub": _subtract, "fmul": _multiply, "fdiv": _divide,
        "fsqrt": _root, "frcp": _reciprocal, "fmaf": fma_directed,
    }  # fmt: skip
    for mode in "zud":
        for name, make in makers.items():
            table[f"__{name}_r{mode}"] = in_pieces(make(mode))
        for name in DOUBLE:
            table[f"__{name}_r{mode}"] = _in_double(name, mode)
        table[f"__fmaf_ieee_r{mode}"] = table[f"__fmaf_r{mode}"]
    nearest = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide,
        "sqrt": np.sqrt, "rcp": np.reciprocal,
    }  # fmt: skip
    for name, function in nearest.items():
        table[f"__f{name}_rn"] = table[f"__d{name}_rn"] = function
    return table | {
        "__fmaf_rn": fma32,
        "__fmaf_ieee_rn": fma32,
        "__fma_rn": fma64,
        "__frsqrt_rn": _reciprocal_root,
    }


DIRECTED = _table()
