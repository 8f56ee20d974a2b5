"""How variables and values are kept: in memory, as poison, as zeros, part by part."""

from .. import numerics
from ..engine.memory import access, leaves_of, poison, zero
from ..front import ctype as C, tree as T
from .function_code import value_of
from .traits import emits
from .variables import elements, has_array

FRESH = ("add(", "sub(", "mul(", "div(")  # these return a new array
MOST_CELLS = 64  # larger local arrays live in memory


def needs_memory(code, variable):
    type = variable.type
    if variable.address_taken or variable in code.in_memory:
        return True
    if isinstance(type, C.Array):
        return elements(type) > MOST_CELLS or has_array(type.of)
    return has_array(type)


def make_memory(code, variable, name):
    code.in_locals += variable.type.size
    type = code.module.constant(variable.type)
    text = code.module.constant(variable.name)
    code.emit(f"{name} = R.local({type}, {text})")


def store_value(code, pointer, type, value):
    """Store a whole value at a pointer."""
    how = access_code(code, type, type.size)
    code.emit(f"R.store({pointer}, None, {value}, {how}, {code.mask}, 0)")


def access_code(code, type, unit):
    wanted = access(type.plain, unit)
    code.widest = max(code.widest, wanted.size)
    return code.module.constant(wanted)


def poison_code(code, type):
    if isinstance(type, C.Reference):
        return "NULL"
    return code.module.constant(poison(type), ("poison", type.plain))


def zero_code(code, type):
    return code.module.constant(zero(type), ("zero", type.plain))


def convert_code(code, text, source, target):
    """Code converted from one C type to another."""
    if source is target or target is C.VOID:
        return text
    if isinstance(target, C.Pointer):
        if isinstance(source, C.Pointer):
            size = target.to.size
            return f"{text}.cast({size})" if size > 0 and text != "NULL" else text
        return f"R.pointer_from({text}.astype(np.uint64), {target.to.size})"
    if isinstance(source, C.Pointer):
        if target is C.BOOL:
            return f"({text}.address != 0)"
        return f"{text}.address.view(np.{target.dtype.name})"
    if isinstance(target, C.Struct):
        return text
    function = numerics.converter(source, target)
    if function is None:
        return text
    name = code.module.constant(function, ("convert", source, target))
    return f"{name}({text})"


def set_local(code, local, value):
    name, mask = local.name, code.mask
    how = "renew" if value.startswith(FRESH) else "keep"
    if local.mask == mask:
        code.emit(f"{name} = {value}")
    else:
        code.emit(
            f"{name} = {value} if {mask} is {local.mask} "
            f"else select_any({mask}, {value}, {name})"
            if value.isidentifier()
            else f"{name} = R.{how}({mask}, {local.mask}, {value}, {name})"
        )


def tuple_of(codes):
    """Code for a tuple."""
    return f"({', '.join(codes)},)" if codes else "()"


def flatten(code, type, node):
    """The codes of all leaves of an initial value; omitted ones are zero."""
    plain = type.plain
    if node is None:
        return [zero_code(code, leaf) for leaf, _, _ in leaves_of(type)]
    if not isinstance(node, T.Aggregate):
        text = value_of(code, node)
        if not isinstance(plain, C.Struct):
            return [code.temp_of(text)]
        whole = code.temp_of(text)
        return [f"{whole}[{i}]" for i in range(len(leaves_of(type)))]
    if isinstance(plain, C.Struct):
        kinds = [field for field, _ in plain.fields.values()]
    elif isinstance(plain, C.Array):
        kinds = [plain.element] * plain.count
    else:
        kinds = [plain]
    items = [*node.items, *[None] * (len(kinds) - len(node.items))]
    return [
        text
        for kind, item in zip(kinds, items, strict=True)
        for text in flatten(code, kind, item)
    ]


def values_of(code, nodes):
    """The codes of several values, computed from left to right."""
    out = []
    for i, node in enumerate(nodes):
        text = value_of(code, node)
        if any(emits(code, later) for later in nodes[i + 1 :]):
            text = code.temp_of(text)
        out.append(text)
    return out
