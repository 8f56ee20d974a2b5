"""half and bfloat16: arithmetic, comparison, functions, and pairs of them.

float32 has more than twice their digits, so + - * / in float32, rounded again, are
correctly rounded.
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
    "hexp10": "exp10", "htanh": "tanh", "htanh_approx": "tanh", "hfloor": "floor",
    "hceil": "ceil", "htrunc": "trunc", "hrint": "rint",
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


def _nan_stays(function):
    """min or max that gives the NaN of the device if there is one."""

    def run(a, b):
        nan = np.uint16(0x7FFF).view(np.float16).astype(a.dtype)
        return np.where((a != a) | (b != b), nan, function(a, b))[()]

    return run


def _relu(function, bf16):
    """max(function(...), 0); a NaN stays."""
    above = _nan_stays(fmax)
    above = _bf16(above) if bf16 else above

    def run(*xs):
        result = function(*xs)
        return above(result, result.dtype.type(0))

    return run


UNORDERED = {
    "equ": lambda a, b: ~((a < b) | (a > b)), "neu": operator.ne,
    "ltu": lambda a, b: ~(a >= b), "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b), "geu": lambda a, b: ~(a < b),
}  # fmt: skip
COMPARES = ("eq", "ne", "lt", "le", "gt", "ge", *UNORDERED)


def _scalar_table(bf16):
    """The functions with the same name in both formats."""
    narrow, test = (_bf16, _bf16_test) if bf16 else (lambda f: f, lambda f: f)
    fma = fma_bfloat16 if bf16 else fma16
    table = {
        "__hmin": narrow(fmin), "__hmax": narrow(fmax), "__hfma": fma,
        "__hmin_nan": narrow(_nan_stays(fmin)), "__hmax_nan": narrow(_nan_stays(fmax)),
        "__hfma_relu": _relu(fma, bf16),
        "__hfma_sat": _saturated(fma, bf16), "__hneg": half_op("neg", bf16),
        "__habs": narrow(np.abs),
        "__hne": test(_ordered_ne), "__hisnan": test(np.isnan),
        "__hisinf": test(_isinf),
    }  # fmt: skip
    for name, op in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items():
        table[f"__h{name}"] = table[f"__h{name}_rn"] = half_op(op, bf16)
        table[f"__h{name}_sat"] = _saturated(half_op(op, bf16), bf16)
    for name, op in {"eq": "==", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        table[f"__h{name}"] = half_op(op, bf16)
    for name, function in UNORDERED.items():
        table[f"__h{name}"] = test(function)
    for name, function in FUNCTIONS.items():
        table[name] = _wide(NARROW[function], bf16)
    return table


def _both(function):
    """A function of numbers as one of pairs."""
    return lambda *xs: (function(*(x[0] for x in xs)), function(*(x[1] for x in xs)))


def paired(name):
    """The name for pairs: __hadd2 and __hadd2_sat, but h2exp."""
    if not name.startswith("__"):
        return "h2" + name[1:]
    base, line, ending = name[2:].partition("_")
    return f"__{base}2{line}{ending}"


def _as_number(test, bf16):
    """A test that gives 1.0 or 0.0."""
    one = np.uint16(0x3F80) if bf16 else np.float16(1)
    return lambda *xs: np.where(test(*xs), one, one.dtype.type(0))[()]


def _pair_tests(name, test, bf16):
    """__heq2, __heq2_mask and __hbeq2 of one comparison."""
    both = _both(test)

    def mask(*xs):
        low, high = both(*xs)
        bits = np.where(low, np.uint32(0xFFFF), np.uint32(0))
        return (bits | np.where(high, np.uint32(0xFFFF0000), np.uint32(0)))[()]

    return {
        f"__h{name}2": _both(_as_number(test, bf16)),
        f"__h{name}2_mask": mask,
        f"__hb{name}2": lambda *xs: operator.and_(*both(*xs)),
    }


def _complex_fma(fma, negated):
    """a * b + c of complex numbers, in the order of CUDA's header."""

    def run(a, b, c):
        real, imaginary = fma(a[0], b[0], c[0]), fma(a[0], b[1], c[1])
        return fma(negated(a[1]), b[1], real), fma(a[1], b[0], imaginary)

    return run


def _table(bf16):
    """Every builtin of one of the two formats, pairs included."""
    table = _scalar_table(bf16)
    for name in [*table]:
        table[paired(name)] = _both(table[name])
    table["__h2div"] = _both(table["__hdiv"])
    for name in COMPARES:
        table |= _pair_tests(name, table[f"__h{name}"], bf16)
    table["__hisnan2"] = _both(_as_number(table["__hisnan"], bf16))
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
        f"__float2{name}2_rn": lambda x: (from_float(x), from_float(x)),
        f"__float22{name}2_rn": lambda x: (from_float(x[0]), from_float(x[1])),
        f"__{name}22float2": lambda x: (to_float(x[0]), to_float(x[1])),
        f"__halves2{name}2": lambda x, y: (x, y),
        f"make_{name}2": lambda x, y: (x, y),
        f"__low2{name}2": lambda x: (x[0], x[0]),
        f"__high2{name}2": lambda x: (x[1], x[1]),
        "__lowhigh2highlow": lambda x: (x[1], x[0]),
        f"__lows2{name}2": lambda x, y: (x[0], y[0]),
        f"__highs2{name}2": lambda x, y: (x[1], y[1]),
        "__hcmadd": _complex_fma(table["__hfma"], table["__hneg"]),
    }


HALF, BFLOAT16 = _table(False), _table(True)
