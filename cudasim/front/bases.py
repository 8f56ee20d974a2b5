"""A struct that inherits another: the base is its first member, without a name."""

from . import ast
from . import ctype as C
from . import group_types as groups
from . import tree as T
from .errors import CompileError, outside
from .scopes import Scopes

CONSTRUCTOR = ""  # the name of such methods


def is_struct(type):
    """Is this a struct or a vector, which can have operators, and no group?"""
    return isinstance(type.plain, C.Struct) and not isinstance(type.plain, groups.Group)


def inherits(struct, base):
    """Is one of these structs a base of the other?"""
    found = struct.base if isinstance(struct, C.Struct) else None
    return found is not None and (found is base or inherits(found, base))


class Bases(Scopes):
    """Finds the part of a struct that is its base."""

    def base_of(self, node):
        """The struct that another inherits from."""
        base = self.type_of(node).plain
        if not is_struct(base) or base.vector or not base.complete:
            raise CompileError(f"'{base}' cannot be inherited from", node.place)
        ends = max((at + t.size for t, at in base.fields.values()), default=base.size)
        plain = not (base.base or base.defaults or CONSTRUCTOR in base.methods)
        if ends < base.size and not plain:
            what = f"a base with padding at its end: '{base}'"
            raise outside(what, node.place, "put its largest members last")
        return base

    def upcast(self, value, type):
        """`value`, as the base that `type` is, or points or refers to."""
        type = type.to if isinstance(type, C.Reference) else type
        target, source = type.plain, value.type.plain
        pointers = isinstance(source, C.Pointer) and isinstance(target, C.Pointer)
        if pointers and inherits(source.to.plain, target.to.plain):
            whole = T.Deref(value.place, source.to, value)
            part = self.as_base(whole, target.to.plain)
            return T.AddressOf(value.place, part.type.pointer(), part)
        return self.as_base(value, target) if inherits(source, target) else value

    def as_base(self, value, base):
        """The part of a struct that it inherits; an empty one has its address."""
        while value.type.plain is not base:
            place, part = value.place, value.type.plain.base
            type = part.qualified(value.type.quals)
            if part.fields:
                value = T.Field(place, type, value, ast.BASE)
            elif T.is_lvalue(value):
                self.escapes(value)
                address = T.AddressOf(place, value.type.pointer(), value)
                value = T.Deref(place, type, T.Convert(place, type.pointer(), address))
            else:
                value = T.Comma(place, type, value, T.Aggregate(place, part, []))
        return value

    def downcast(self, source, type):
        """Is this from a base to a struct that inherits it?"""
        source, type = source.plain, type.plain
        pointers = isinstance(source, C.Pointer) and isinstance(type, C.Pointer)
        keeps = pointers and not source.to.quals & ~type.to.quals
        return keeps and inherits(type.to.plain, source.to.plain)
