"""Find the function that computes a builtin of CUDA."""

import functools

import numpy as np

from ..front import ctype as C
from . import convert, integer
from .directed import DIRECTED
from .fma import fma, fma32
from .functions import EXACT, NARROW, WIDE, in_float32, integer_power, saturate
from .half import BFLOAT16, HALF
from .rounding import F32, F64

HALVES = {C.HALF: HALF, C.HALF2: HALF, C.BFLOAT16: BFLOAT16, C.BFLOAT162: BFLOAT16}
# The largest errors that the CUDA C++ Programming Guide gives for float32, in units in
# the last place. Functions that are missing here are exact. The j, y and gamma
# functions have wider bounds near their zeros; __expf and __sinf their own.
MAX_ULP = {
    name + "f": bound
    for bound, names in {
        1: "cbrt rcbrt expm1 log log1p log2 sinpi cospi sincospi",
        2: "rsqrt rhypot rnorm3d rnorm4d exp exp2 exp10 log10 sin cos sincos asin acos "
        "atan cosh tanh erf erfinv",
        3: "hypot norm3d norm4d atan2 sinh asinh atanh",
        4: "tan acosh pow erfc erfcinv erfcx",
        5: "normcdf normcdfinv tgamma",
        6: "lgamma",
        9: "j0 j1 y0 y1",
    }.items()
    for name in names.split()
}


def _nan(dtype):
    return lambda *ignored: dtype(np.nan)


def _mixed(function, dtype):
    """min and max of two types: both are first converted to the result's type."""
    return lambda a, b: function(a.astype(dtype), b.astype(dtype))


def _extreme(name, builtin):
    """min and max."""
    dtype = builtin.result.dtype
    if dtype.kind == "f":
        function = EXACT["f" + name]
    else:
        function = np.minimum if name == "min" else np.maximum
    if any(t is not builtin.result for t in builtin.types):
        return _mixed(function, dtype)
    return function


def _base(name, table):
    """The name without what C adds for float: sinf, norm3df, __sinf."""
    name = name.removeprefix("__")
    if name not in table and name.endswith("f"):
        return name[:-1]
    return name


def _rounded_to_integer(name, dtype):
    """lrint, lround and the like."""
    mode = EXACT["rint" if "rint" in name else "round"]
    to_int = convert.saturating(dtype.type)
    return lambda x: to_int(mode(x))


def _sincos(name, single):
    names = ("sinpi", "cospi") if "pi" in name else ("sin", "cos")
    functions = [in_float32(NARROW[n]) if single else WIDE[n] for n in names]
    return lambda x: (functions[0](x), functions[1](x))


def _math(builtin):
    """A function of the category math."""
    name, first = builtin.name, builtin.types[0].dtype
    if name in DIRECTED:
        return DIRECTED[name]
    if name.lstrip("ul") in ("min", "max"):
        return _extreme(name[-3:], builtin)
    if name in ("nan", "nanf"):
        return _nan(builtin.result.dtype.type)
    if "sincos" in name:
        return _sincos(name, first == F32)
    if name.lstrip("l") in ("rint", "rintf", "round", "roundf") and name[0] == "l":
        return _rounded_to_integer(name, builtin.result.dtype)
    if name in ("abs", "labs", "llabs"):
        return np.abs
    if name in ("fma", "fmaf"):
        return fma32 if first == F32 else fma
    if name == "__saturatef":
        return saturate
    return _function(builtin, first)


def _function(builtin, first):
    """A function of the math library by its table."""
    table = {**NARROW, **EXACT}
    base = _base(builtin.name, table)
    if base in EXACT:
        function = EXACT[base]
        if any(t.dtype != first for t in builtin.types[:2]) and base == "copysign":
            return _mixed(function, F64)
        return function
    if base not in table:
        return None
    if builtin.types[-1] is C.INT:
        return integer_power
    if builtin.result.dtype == F32:
        return in_float32(NARROW[base])
    return WIDE[base]


def _half(builtin):
    """A function of the category half."""
    for type in (*builtin.types, builtin.result):
        operation = HALVES.get(type.plain, {}).get(builtin.name)
        if operation:
            return operation
    return convert.BUILTINS.get(builtin.name)


@functools.cache
def find(builtin):
    """The function that computes a builtin from its arguments, or None.

    Pointers to outputs are left out of its arguments; it then returns the tuple
    (result, *outputs), or only the outputs if the result is void.
    """
    if builtin.category == "math":
        return _math(builtin)
    if builtin.category == "half":
        return _half(builtin)
    if builtin.category in ("bits", "convert"):
        return convert.BUILTINS.get(builtin.name)
    if builtin.category == "integer":
        return integer.BUILTINS.get(builtin.name)
    return None
