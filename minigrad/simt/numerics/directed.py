"""float32 and float64 operations that name their rounding: __fadd_rz and its kin."""

import numpy as np

from .fma import fma32, fma64, fma_directed
from .pieces import in_pieces
from .rounding import F32, F64, add_odd, narrow, odd, split


def _add(mode):
    return lambda a, b: narrow(add_odd(a.astype(F64), b.astype(F64)), mode)


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


def _table():
    table = {}
    makers = {
        "fadd": _add, "fsub": _subtract, "fmul": _multiply, "fdiv": _divide,
        "fsqrt": _root, "frcp": _reciprocal, "fmaf": fma_directed,
    }  # fmt: skip
    for mode in "zud":
        for name, make in makers.items():
            table[f"__{name}_r{mode}"] = in_pieces(make(mode))
    nearest = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide,
        "sqrt": np.sqrt, "rcp": np.reciprocal,
    }  # fmt: skip
    for name, function in nearest.items():
        table[f"__f{name}_rn"] = table[f"__d{name}_rn"] = function
    return table | {
        "__fmaf_rn": fma32,
        "__fma_rn": fma64,
        "__frsqrt_rn": _reciprocal_root,
    }


DIRECTED = _table()
