"""From the typed tree to NumPy source: CUDA's built-in functions."""

from .. import numerics
from ..front import ctype as C, tree as T
from ..front.handlers import handles
from .function_code import EFFECTS, VALUES, effect, value_of
from .traits import kind_of
from .value_code import access_code, poison_code, store_value, values_of

ATOMIC = {
    "atomicAdd": "add", "atomicSub": "sub", "atomicExch": "exch", "atomicMin": "min",
    "atomicMax": "max", "atomicAnd": "and", "atomicOr": "or", "atomicXor": "xor",
    "atomicInc": "inc", "atomicDec": "dec", "atomicCAS": "cas",
}  # fmt: skip


def call_text(text):
    """The call that a text begins with, up to the end of the line."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and not depth:
            return text[: at + 1]
    return text.strip()


@handles(VALUES, T.BuiltinCall)
@handles(EFFECTS, T.BuiltinCall)
def builtin_code(code, node, used=True):
    """Code for a call; with effects it is emitted."""
    kind = kind_of(node.builtin)
    if kind == "atomic":
        return emit_atomic(code, node, used)
    return KIND[kind](code, node)


def emit_plain(code, node):
    builtin = node.builtin
    if builtin.name.rstrip("f") == "nan":
        return poison_code(code, builtin.result)
    function = numerics.find(builtin)
    if function is None:
        raise NotImplementedError(builtin.name)
    name = code.module.constant(function, ("builtin", builtin))
    if not any(isinstance(t, C.Pointer) for t in builtin.types):
        return f"{name}({', '.join(values_of(code, node.arguments))})"
    return emit_outputs(code, node, name)


def emit_outputs(code, node, name):
    """frexp, modf, sincos: results are written through pointers."""
    codes = [code.temp_of(c) for c in values_of(code, node.arguments)]
    pairs = list(zip(node.builtin.types, codes, strict=True))
    inputs = [c for t, c in pairs if not isinstance(t, C.Pointer)]
    outputs = [(t, c) for t, c in pairs if isinstance(t, C.Pointer)]
    results = code.fresh()
    code.emit(f"{results} = {name}({', '.join(inputs)})")
    skip = 0 if node.builtin.result is C.VOID else 1
    for i, (type, pointer) in enumerate(outputs):
        store_value(code, pointer, type.to, f"{results}[{i + skip}]")
    return f"{results}[0]" if skip else "None"


def emit_vector(code, node):
    return f"({', '.join(values_of(code, node.arguments))},)"


def emit_barrier(code, node):
    how = node.builtin.name.removeprefix("__syncthreads").lstrip("_")
    where = f"{code.mask}, {code.site(node)}"
    if how in ("", "grid_sync"):
        code.module.grid_meets |= bool(how)
        call = "grid_barrier" if how else "barrier"
        turns = f"(yield R.arrive({where}, {how!r}))"
        code.emit(turns if code.module.turns else f"R.{call}({where})")
        return "None"
    value = code.temp(value_of(code, node.arguments[0]))
    if code.module.turns:
        return code.temp_of(f"(yield R.arrive({where}, {how!r}, {value}))")
    return code.temp_of(f"R.barrier_reduce({how!r}, {value}, {where})")


def emit_warp(code, node):
    name = node.builtin.name.strip("_").removesuffix("_sync")
    arguments = values_of(code, node.arguments)
    if not arguments:
        arguments = [code.module.number(0xFFFFFFFF, C.UINT)]
    if name in ("syncwarp", "tile_converge"):
        code.emit(joint_code(code, name.removeprefix("tile_"), arguments, node))
        return "None"
    return code.temp_of(warp_code(code, name, arguments, node))


def joint_code(code, call, arguments, node):
    """The code of an operation of a warp's lanes, the first argument its mask."""
    code.module.joins, given = True, ", ".join(arguments)
    where = f"{code.mask}, {code.site(node)}"
    if code.module.apart:
        return f"(yield R.arrive({where}, {call!r}, ({given},)))"
    return f"R.{call}({given}, {where})"


def warp_code(code, name, arguments, node):
    if name == "activemask":
        return joint_code(code, name, arguments, node)
    if name.startswith("shfl"):
        how = name.removeprefix("shfl")
        if len(arguments) < 4:
            arguments = [*arguments, code.module.number(32, C.INT)]
        type = code.module.constant(node.type.plain)
        return joint_code(code, "shuffle", [*arguments, repr(how), type], node)
    if name in ("ballot", "any", "all"):
        return joint_code(code, "vote", [*arguments, repr(name)], node)
    call, _, how = name.rpartition("reduce_")
    if how != name:
        call = f"{call or 'warp_'}reduce"
        return joint_code(code, call, [*arguments, repr(how)], node)
    if name == "match_any":
        return joint_code(code, "match", [*arguments, "'any'"], node)
    both = code.temp_of(joint_code(code, "match", [*arguments[:2], "'all'"], node))
    store_value(code, arguments[2], C.INT, f"{both}[1]")
    return f"{both}[0]"


def emit_fence(code, node):
    block_only = node.builtin.name.endswith("_block")
    code.emit(f"R.fence({code.mask}, {block_only})")
    return "None"


def emit_async(code, node):
    what, count = values_of(code, node.arguments)
    code.emit(f"R.asynchronous({what}, {count}, {code.mask})")
    return "None"


def emit_atomic(code, node, used):
    how = ATOMIC[node.builtin.name.split("_")[0]]
    pointer, *operands = values_of(code, node.arguments)
    type = node.builtin.types[0].to
    call = (
        f"R.atomic({how!r}, {pointer}.cast({type.size}), "
        f"({', '.join(operands)},), {access_code(code, type, type.size)}, "
        f"{code.mask}, {code.site(node)}, {used})"
    )
    if not used:
        code.emit(call)
        return None
    return code.temp_of(call)


def emit_memory(code, node):
    type = node.builtin.types[0].to.plain
    pointer = value_of(code, node.arguments[0])
    how = access_code(code, type, type.size)
    where = f"{code.mask}, {code.site(node)}"
    return f"R.load({pointer}.cast({type.size}), None, {how}, {where})"


def emit_store(code, node):
    pointer, value = values_of(code, node.arguments)
    type = node.builtin.types[0].to.plain
    how = access_code(code, type, type.size)
    where = f"{code.mask}, {code.site(node)}"
    pointer = f"{pointer}.cast({type.size})"
    code.emit(f"R.store({pointer}, None, {value}, {how}, {where})")
    return "None"


def emit_hint(code, node):
    """Hints to the compiler: only the value of __builtin_expect matters."""
    values = values_of(code, node.arguments)
    return values[0] if node.builtin.result is not C.VOID else "None"


def emit_clock(code, node):
    if node.builtin.name == "__nanosleep":
        effect(code, node.arguments[0])
        return "None"
    return code.temp_of("R.clock()")


def emit_trap(code, node):
    code.emit(f"R.trap({code.mask}, {code.site(node)})")
    return "None"


def emit_print(code, node):
    values = [code.temp_of(c) for c in values_of(code, node.arguments)]
    types = tuple(a.type.plain for a in node.arguments)
    kinds = code.module.constant(types, ("types", types))
    code.emit(f"R.printf(({', '.join(values)},), {kinds}, {code.mask})")
    return code.module.number(len(values) - 1, C.INT)


def emit_assert(code, node):
    condition = code.temp(value_of(code, node.arguments[0]))
    line, column = node.place
    asserted = call_text(code.module.program._lines[line - 1][column - 1 :])
    text = code.module.constant(asserted, ("text", asserted))
    code.emit(f"R.check({condition}, {text}, {code.mask}, {code.site(node)})")
    return "None"


KIND = {
    **dict.fromkeys(("math", "integer", "bits", "convert", "half"),
                    emit_plain),
    "vector": emit_vector,
    "barrier": emit_barrier,
    "warp": emit_warp,
    "fence": emit_fence,
    "async": emit_async,
    "memory": emit_memory,
    "store": emit_store,
    "hint": emit_hint,
    "clock": emit_clock,
    "trap": emit_trap,
    "print": emit_print,
    "assert": emit_assert,
}  # fmt: skip
