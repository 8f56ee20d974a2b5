"""CUDA's functions in C, where C gives the same bits as `numerics`.

In a template 0, 1, 2 in braces are the arguments. A function of float32 is computed in
float64 and rounded once, as there; one of float64 is not read unless it is exact.
"""

from ..front import ctype as C, tree as T
from ..generate.emit_builtins import ATOMIC
from ..generate.traits import kind_of
from ..generate.variables import walk

WIDE = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "atan2", "hypot",
]  # fmt: skip
NARROW = {
    "sin": "sine({0})", "cos": "cosine({0})", "tan": "sine({0}) / cosine({0})",
    "rsqrt": "1.0 / sqrt({0})", "exp10": "pow(10.0, {0})", "pow": "power({0}, {1})",
    "erf": "error_function({0})",
    **{name: f"{name}({{0}})" for name in WIDE[:-2]},
    **{name: f"{name}({{0}}, {{1}})" for name in WIDE[-2:]},
}  # fmt: skip
EXACT = {
    "sqrt": "sqrt", "fabs": "fabs", "abs": "fabs", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "round": "round", "rint": "rint", "nearbyint": "rint",
    "fmod": "fmod", "copysign": "copysign", "fma": "fma", "__fsqrt_rn": "sqrt",
    "__fmaf_rn": "fma", "__fma_rn": "fma",
}  # fmt: skip
OPERATORS = {
    "__fadd_rn": "+", "__fsub_rn": "-", "__fmul_rn": "*", "__fdiv_rn": "/",
    "__dadd_rn": "+", "__dsub_rn": "-", "__dmul_rn": "*", "__ddiv_rn": "/",
    "fdividef": "/", "__fdividef": "/", "fdivide": "/",
}  # fmt: skip
PLAIN = {
    "__popc": "(i32)__builtin_popcount({0})",
    "__clz": "({0} ? __builtin_clz({0}) : 32)",
    "__popcll": "(i32)__builtin_popcountll({0})", "__ffs": "(i32)__builtin_ffs({0})",
    "__clzll": "({0} ? __builtin_clzll({0}) : 64)",
    "__ffsll": "(i32)__builtin_ffsll({0})",
    "__mulhi": "(i32)((i64){0} * {1} >> 32)", "__umulhi": "(u32)((u64){0} * {1} >> 32)",
    "isnan": "(b8)({0} != {0})", "isinf": "(b8)(fabs({0}) == INFINITY)",
    "isfinite": "(b8)(fabs({0}) < INFINITY)", "__saturatef":
    "({0} > 0 ? {0} < 1 ? {0} : 1.0f : 0.0f)", "__builtin_expect": "{0}",
    "__frcp_rn": "(1.0f / {0})",
    "__syncthreads_count": "barrier(R, t, {key}, {0} != 0)",
    "__syncthreads_or": "(barrier(R, t, {key}, {0} != 0) > 0)",
    "__syncthreads_and": "(barrier(R, t, {key}, {0} != 0) == R->met)",
    "__syncthreads": "(void)barrier(R, t, {key}, 0)",
    "__activemask": "(together(R, t, {key}, ~0u), t->exists)",
    "__ballot_sync": "ballot(R, t, {key}, {0}, {1} != 0)",
    "__any_sync": "(ballot(R, t, {key}, {0}, {1} != 0) != 0)",
    "__all_sync": "(ballot(R, t, {key}, {0}, {1} == 0) == 0)",
    "__syncwarp": "together(R, t, {key}, {0})",
    "__tile_converge": "together(R, t, {key}, ~0u)",
    "__tile_async": "(void)0", "__trap": "fault(R)",
}  # fmt: skip
VIEWS = [
    "__float_as_int", "__float_as_uint", "__int_as_float", "__uint_as_float",
    "__double_as_longlong", "__longlong_as_double",
]  # fmt: skip
SHUFFLES = {"__shfl_sync": 0, "__shfl_up_sync": 1, "__shfl_down_sync": 2,
            "__shfl_xor_sync": 3}  # fmt: skip
JOIN = {"add": "a + b", "and": "a & b", "or": "a | b", "xor": "a ^ b"}
ORDERLESS = ("add", "sub", "min", "max", "and", "or", "xor")  # of integers
UPDATE = {
    "add": "old + {0}", "sub": "old - {0}", "and": "old & {0}", "or": "old | {0}",
    "xor": "old ^ {0}", "exch": "{0}", "cas": "old == {0} ? {1} : old",
    "inc": "old >= {0} ? 0 : old + 1", "dec": "!old || old > {0} ? {0} : old - 1",
    "min": "old < {0} ? old : {0}", "max": "old > {0} ? old : {0}",
}  # fmt: skip
CHANGES = T.Assign, T.CompoundAssign, T.Increment, T.Call
NUMBERS = {C.FLOAT: "f32", C.DOUBLE: "f64"}


class Unread(Exception):
    """This kernel is not for C."""


def template(builtin, c_type):
    """The C of a plain function, or None. c_type: from a CType to its name in C."""
    name = builtin.name
    if name in PLAIN:
        return PLAIN[name]
    result = builtin.result
    if name in OPERATORS:
        return f"({{0}} {OPERATORS[name]} {{1}})"
    if name in VIEWS:
        to, of = c_type(result), c_type(builtin.types[0])
        return f"((union {{{{ {of} a; {to} b; }}}}){{{{ {{0}} }}}}).b"
    if name.startswith("__reduce_") or name.startswith("__tile_reduce_"):
        return reduction(builtin, c_type)
    if name in SHUFFLES and result.is_arithmetic:
        how = f"{c_type(result)}, {SHUFFLES[name]}"
        return f"SHUFFLE({how}, {{key}}, {{0}}, {{1}}, {{2}}, {{3}})"
    if builtin.category != "math":
        return None
    if name.lstrip("ul") in ("min", "max", "fmin", "fmax", "fminf", "fmaxf"):
        return f"{name.strip('ulf')}_{c_type(result)}({{0}}, {{1}})"
    if name in ("abs", "labs", "llabs") and result.is_integer:
        return f"({{0}} < 0 ? ({c_type(result)})-{{0}} : {{0}})"
    if result not in NUMBERS or any(t not in NUMBERS for t in builtin.types):
        return None
    return of_floats(name, result)


def of_floats(name, result):
    """A function of the math library."""
    narrow = result is C.FLOAT
    base = name.removeprefix("__")
    if narrow and base not in NARROW:
        base = base.removesuffix("f")
    exact = EXACT.get(name) or EXACT.get(base) or (name == "fmaf" and "fma")
    if exact:
        count = {"fma": 3, "fmod": 2, "copysign": 2}.get(exact, 1)
        given = ", ".join(f"{{{i}}}" for i in range(count))
        return f"{exact}{'f' if narrow else ''}({given})"
    if narrow and base in NARROW:
        wide = NARROW[base].replace("{0}", "(f64){0}").replace("{1}", "(f64){1}")
        return f"(f32)({wide})"
    return None


def reduction(builtin, c_type):
    """A sum, or the like, of a warp, or of tiles of it."""
    type, how = builtin.result, builtin.name.removesuffix("_sync").rsplit("_")[-1]
    if type not in (C.INT, C.UINT) and (type.is_float and how in ("min", "max")):
        return None  # they differ for NaN
    if how in ("min", "max"):
        join = f"a {'<' if how == 'min' else '>'} b ? a : b"
    else:
        join = JOIN[how]
    width = "{2}" if len(builtin.types) == 3 else "32"
    return f"REDUCE({c_type(type)}, {{key}}, {{0}}, {{1}}, {width}, ({join}))"


def meets(builtin):
    """Do threads wait for each other in this function?"""
    return builtin.category in ("barrier", "warp") or builtin.name.startswith("__shfl")


def update(builtin):
    """(the name of an atomic operation, its C)"""
    how = ATOMIC[builtin.name.split("_")[0]]
    return how, UPDATE[how]


def is_plain(builtin):
    return not meets(builtin) and kind_of(builtin) in (
        "math", "integer", "bits", "vector", "memory",
    )  # fmt: skip


def has_effects(node):
    """Does computing this value change anything?"""
    return any(
        isinstance(n, CHANGES) or (type(n) is T.BuiltinCall and not is_plain(n.builtin))
        for n in walk(node)
    )
