"""What an expression needs: an order among its effects, a mask where it may fail."""

from ..front import constant, ctype as C, tree as T
from ..front.ast import chain


def emits(code, node):
    """Does this expression emit statements, so that its order matters?"""
    return traits(code, node)[0]


def faults(code, node):
    """Could this expression fail in lanes that do not need it?"""
    return traits(code, node)[1]


def traits(code, node):
    """(emits, faults) of an expression"""
    known = code.known_traits.get(node)
    if known is None:
        known = code.known_traits[node] = traits_of(code, node)
    return known


def traits_of(code, node):
    kind = type(node)
    if kind in (T.Assign, T.CompoundAssign, T.Increment, T.Call, T.Comma):
        return True, True
    if kind is T.BuiltinCall:
        return builtin_traits(code, node)
    if kind in (T.Literal, T.StringLiteral):
        return False, False
    if kind is T.VariableRef:
        if node.variable.constant is not None:
            return False, False
        local = code.locals.get(node.variable)
        memory = local is None or local.kind not in ("value", "cells")
        return False, memory and node.variable.storage != "builtin"
    if kind is T.Binary:
        return traits_of_chain(code, node)
    inner = [traits(code, part) for part in parts(node)]
    emits, faults = any(e for e, _ in inner), any(f for _, f in inner)
    if kind in (T.Logical, T.Select):  # the first part is always computed
        emits = emits or any(f for _, f in inner[1:])
    if kind is T.Aggregate or (kind is T.Field and not T.is_lvalue(node)):
        emits = True
    return emits, faults or may_fail(node)


def traits_of_chain(code, node):
    """(emits, faults) of a + b + c + ..., which may be long"""
    links = chain(node)
    of_links = [traits(code, link.right) for link in links]
    of_links.append(traits(code, links[-1].left))
    faults = any(f for _, f in of_links) or any(map(may_fail, links))
    return any(e for e, _ in of_links), faults


def may_fail(node):
    """Can this node itself fail: by its address, or as a division?"""
    if isinstance(node, T.Index):
        number, array = constant.value_of(node.index), node.base.type
        if number is None or not isinstance(array, C.Array):
            return True
        return array.count is not None and not 0 <= number < array.count
    if isinstance(node, T.Binary) and node.op in "/%":
        return node.type.plain.is_integer and not constant.value_of(node.right)
    return isinstance(node, T.Deref)


PARTS = {}


def parts(node):
    """The expressions directly inside an expression."""
    kind = type(node)
    if kind not in PARTS:
        names = ("operand", "base", "index", "pointer", "left", "right", "condition",
                 "yes", "no", "items", "arguments")  # fmt: skip
        PARTS[kind] = [n for n in names if n in kind.__slots__]
    operands = [getattr(node, name) for name in PARTS[kind]]
    out = []
    for part in operands:
        out += [p for p in part if p is not None] if isinstance(part, list) else [part]
    return out


def builtin_traits(code, node):
    """(emits, faults), see `traits`."""
    kind = kind_of(node.builtin)
    pairs = [traits(code, a) for a in node.arguments]
    emits, faults = any(e for e, _ in pairs), any(f for _, f in pairs)
    if kind in SIMPLE:
        writes = any(isinstance(t, C.Pointer) for t in node.builtin.types)
        return emits or writes, faults or writes
    return (emits, True) if kind == "memory" else (True, True)


def kind_of(builtin):
    """The category, refined by name where the table lumps several together."""
    name = builtin.name
    if name.startswith("atomic"):
        return "atomic"
    if name.startswith("__shfl"):
        return "warp"
    if name.startswith(("__ld", "__st")):
        return "memory" if name[3] == "d" else "store"
    return builtin.category


SIMPLE = {"math", "integer", "bits", "convert", "half", "vector"}
