"""A struct that inherits another: the base is its first member, without a name."""

from .. import ast, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, outside
from .node_checks import type_of

CONSTRUCTOR = ""  # the name of such methods


def is_struct(type):
    """Is this a struct or a vector, which can have operators, and no group?"""
    return isinstance(type.plain, C.Struct) and not isinstance(type.plain, groups.Group)


def inherits(struct, base):
    """Is one of these structs a base of the other?"""
    parent = struct.base if isinstance(struct, C.Struct) else None
    return parent is not None and (parent is base or inherits(parent, base))


def base_of(scope, node):
    """The struct that another inherits from."""
    base = type_of(scope, node).plain
    if not is_struct(base) or base.vector or not base.complete:
        raise CompileError(f"'{base}' cannot be inherited from", node.place)
    ends = max((at + t.size for t, at in base.fields.values()), default=base.size)
    plain = not (base.base or base.defaults or CONSTRUCTOR in base.methods)
    if ends < base.size and not plain:
        what = f"a base with padding at its end: '{base}'"
        raise outside(what, node.place, "put its largest members last")
    return base


def upcast(scope, value, type):
    """`value`, as the base that `type` is, or points or refers to."""
    type = type.to if isinstance(type, C.Reference) else type
    target, source = type.plain, value.type.plain
    pointers = isinstance(source, C.Pointer) and isinstance(target, C.Pointer)
    if pointers and inherits(source.to.plain, target.to.plain):
        whole = T.Deref(value.place, source.to, value)
        part = as_base(scope, whole, target.to.plain)
        return T.AddressOf(value.place, part.type.pointer(), part)
    return as_base(scope, value, target) if inherits(source, target) else value


def as_base(scope, value, base):
    """The part of a struct that it inherits; an empty one has its address."""
    while value.type.plain is not base:
        place, part = value.place, value.type.plain.base
        type = part.qualified(value.type.quals)
        if part.fields:
            value = T.Field(place, type, value, ast.BASE)
        elif T.is_lvalue(value):
            note_escape(scope, value)
            address = T.AddressOf(place, value.type.pointer(), value)
            value = T.Deref(place, type, T.Convert(place, type.pointer(), address))
        else:
            value = T.Comma(place, type, value, T.Aggregate(place, part, []))
    return value


def downcast(source, type):
    """Is this from a base to a struct that inherits it?"""
    source, type = source.plain, type.plain
    pointers = isinstance(source, C.Pointer) and isinstance(type, C.Pointer)
    keeps = pointers and not source.to.quals & ~type.to.quals
    return keeps and inherits(type.to.plain, source.to.plain)


def note_escape(scope, operand):
    """Note that a variable may now be changed from elsewhere."""
    while isinstance(operand, T.Field) or (
        isinstance(operand, T.Index) and isinstance(operand.base.type, C.Array)
    ):
        operand = operand.base
    if isinstance(operand, T.VariableRef):
        scope.body.unset.discard(operand.variable)
        if operand.variable.storage != "builtin":
            operand.variable.address_taken = operand.variable.used = True
