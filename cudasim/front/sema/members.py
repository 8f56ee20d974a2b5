"""Members of a struct: fields, methods, and what its type holds."""

from .. import ctype as C
from .. import tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .check_structs import member_names
from .dispatch import type_of


def field_of(base, node):
    """base.name, for a base that is checked."""
    type = base.type.plain
    refuse_group(type, f"'{node.name}' without () of", node.place)
    if not isinstance(type, C.Struct):
        pointer = isinstance(type, C.Pointer)
        note = "write -> instead of ." if pointer else ""
        raise CompileError(f"'{type}' has no members", node.place, note)
    value = type.names.get(node.name)
    if isinstance(value, T.EnumValue):  # a static member
        made = T.Literal(node.place, value.type, value.value)
        return T.Comma(node.place, value.type, base, made)
    for hidden, (inner, _) in type.fields.items():
        own = hidden.isidentifier() or node.name in type.fields
        if not own and node.name in member_names([(hidden, inner)]):
            quals = base.type.quals
            base = T.Field(node.place, inner.qualified(quals), base, hidden)
            return field_of(base, node)
    if node.name not in type.fields:
        fields = [(name, inner) for name, (inner, _) in type.fields.items()]
        known = ", ".join(member_names(fields)) or "none"
        message = f"'{type}' has no member '{node.name}'"
        raise CompileError(message, node.place, f"its members are {known}")
    if isinstance(type, C.Union) and not T.is_lvalue(base):
        note = "put the union into a variable first"
        raise outside("a member of a union that is a result", node.place, note)
    if isinstance(base, T.VariableRef):
        base.variable.used = True
    quals = base.type.quals
    return T.Field(
        node.place, type.fields[node.name][0].qualified(quals), base, node.name
    )


def static_value(scope, node):
    """S::N, E::A: a value that a type has."""
    type = type_of(scope, node.base).plain
    refuse_group(type, f"'::{node.name}' of", node.place)
    if isinstance(type, C.Enum) and node.name in type.values:
        return T.Literal(node.place, type, type.values[node.name])
    value = getattr(type, "names", {}).get(node.name)
    if not isinstance(value, T.EnumValue):
        raise CompileError(f"'{type}' has no value '{node.name}'", node.place)
    return T.Literal(node.place, value.type, value.value)


def method_named(type, name, place):
    """The methods of a struct's name, or the error that names the others."""
    found = type.plain.methods.get(name)
    if found is None:
        known = ", ".join(n for n in type.plain.methods if n.isidentifier())
        note = f"it has {known}" if known else ""
        raise CompileError(f"'{type}' has no function '{name}'", place, note)
    return found
