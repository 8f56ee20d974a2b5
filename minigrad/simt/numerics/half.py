"""half and bfloat16: arithmetic, comparison, functions, and pairs of them.

float32 holds more than twice their digits: + - * / there, rounded again, are exact.
"""

import operator

import numpy as np

from .fma import fma16, fma_bfloat16
from .functions import NARROW, fmax, fmin
from .rounding import F32, F64, double_to_bfloat16, from_bfloat16, to_bfloat16

ARITHMETIC = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
COMPARISON = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
FUNCTIONS = {
    "hsqrt": "sqrt", "hrsqrt": "rsqrt", "hexp": "exp", "hexp2": "exp2", "hlog": "log",
    "hlog2": "log2", "hlog10": "log10", "hsin": "sin", "hcos": "cos", "hrcp": "rcp",
    "hfloor": "floor", "hceil": "ceil", "htrunc": "trunc", "hrint": "rint",
}  # fmt: skip


def _bf16(function):
    """A function of float32 values as one of bfloat16's bits."""
    return lambda *xs: to_bfloat16(function(*map(from_bfloat16, xs)))


def _bf16_test(function):
    return lambda *xs: function(*map(from_bfloat16, xs))


def half_op(op, bf16=False):
    """The operator on half, or on the bits of bfloat16; unary minus is "neg"."""
    if op == "neg":
        return _bf16(operator.neg) if bf16 else operator.neg
    if op in COMPARISON:
        return _bf16_test(COMPARISON[op]) if bf16 else COMPARISON[op]
    return _bf16(ARITHMETIC[op]) if bf16 else ARITHMETIC[op]


def _saturate(x):
    """Into [0, 1]; NaN becomes 0."""
    zero, one = x.dtype.type(0), x.dtype.type(1)
    return np.where(x > 0, np.minimum(x, one), zero)[()]


def _saturated(function, bf16):
    sat = _bf16(_saturate) if bf16 else _saturate
    return lambda *xs: sat(function(*xs))


def _ordered_ne(a, b):
    return (a < b) | (a > b)


def _isinf(x):
    """-1, 0 or 1, as __hisinf has it."""
    return np.where(np.isinf(x), np.sign(x), 0).astype(np.int32)[()]


def _wide(function, bf16):
    """A function of float64 as one of half or bfloat16."""
    if bf16:
        return lambda x: double_to_bfloat16(function(from_bfloat16(x).astype(F64)))
    return lambda x: function(x.astype(F64)).astype(np.float16)


def _scalar_table(bf16):
    """What is called alike for both formats."""
    made, test = (_bf16, _bf16_test) if bf16 else (lambda f: f, lambda f: f)
    fma = fma_bfloat16 if bf16 else fma16
    table = {
        "__hmin": made(fmin), "__hmax": made(fmax), "__hfma": fma,
        "__hfma_sat": _saturated(fma, bf16), "__hneg": half_op("neg", bf16),
        "__habs": made(np.abs),
        "__hne": test(_ordered_ne), "__hisnan": test(np.isnan),
        "__hisinf": test(_isinf),
    }  # fmt: skip
    for name, op in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items():
        table[f"__h{name}"] = table[f"__h{name}_rn"] = half_op(op, bf16)
        table[f"__h{name}_sat"] = _saturated(half_op(op, bf16), bf16)
    for name, op in {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        table[f"__h{name}"] = half_op(op, bf16)
    for name, function in FUNCTIONS.items():
        table[name] = _wide(NARROW[function], bf16)
    return table


def _both(function):
    """A function of numbers as one of pairs."""
    return lambda *xs: (function(*(x[0] for x in xs)), function(*(x[1] for x in xs)))


def _table(bf16):
    """Every builtin of one of the two formats, pairs included."""
    table = _scalar_table(bf16)
    for name in ("add", "sub", "mul", "min", "max", "fma", "neg", "abs"):
        table[f"__h{name}2"] = _both(table[f"__h{name}"])
    table["__h2div"] = _both(table["__hdiv"])
    for name in ("sqrt", "rsqrt", "exp", "log"):
        table["h2" + name] = _both(table["h" + name])
    to_float = from_bfloat16 if bf16 else lambda x: x.astype(F32)
    from_float = to_bfloat16 if bf16 else lambda x: x.astype(np.float16)
    name = "bfloat16" if bf16 else "half"
    return table | {
        "__low2float": lambda x: to_float(x[0]),
        "__high2float": lambda x: to_float(x[1]),
        f"__low2{name}": lambda x: x[0],
        f"__high2{name}": lambda x: x[1],
        f"__{name}2{name}2": lambda x: (x, x),
        f"__floats2{name}2_rn": lambda x, y: (from_float(x), from_float(y)),
        "__float2half2_rn": lambda x: (from_float(x), from_float(x)),
        "__float22half2_rn": lambda x: (from_float(x[0]), from_float(x[1])),
        "__half22float2": lambda x: (to_float(x[0]), to_float(x[1])),
        "__halves2half2": lambda x, y: (x, y),
        "make_half2": lambda x, y: (x, y),
    }


HALF, BFLOAT16 = _table(False), _table(True)
