"""The variables of a function: names, arrays, and those used by address."""

import dataclasses
import re

from ..front import ctype as C, tree as T

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def clean(name):
    return name if IDENTIFIER.fullmatch(name) else "v"


def elements(type):
    """The number of elements of an array of arrays."""
    count = 1
    while isinstance(type, C.Array):
        count, type = count * (type.count or 0), type.element
    return count


def has_array(type):
    """Is there an array inside this struct, or is it a union?"""
    if not isinstance(type.plain, C.Struct):
        return False
    if isinstance(type.plain, C.Union):
        return True
    return any(
        isinstance(field, C.Array) or has_array(field)
        for field, _ in type.plain.fields.values()
    )


def decayed(nodes):
    """The variables that are used by address."""
    loaded = {node.operand for node in nodes if type(node) is T.Load}
    arrays = set()
    for node in nodes:
        kind = type(node)
        if kind is T.Decay or kind is T.AddressOf:
            arrays |= owners(node.operand)
        elif kind is T.Select and T.is_lvalue(node):
            arrays |= owners(node) if node not in loaded else set()
        elif kind is T.Declare and isinstance(node.variable.type, C.Reference):
            arrays |= owners(node.init)
    return arrays


def owners(node):
    """The variables that an lvalue is, or is a part of."""
    if isinstance(node, T.VariableRef):
        return {node.variable}
    if isinstance(node, T.Index | T.Field):
        pointer = isinstance(node.base.type.plain, C.Pointer)
        return set() if pointer else owners(node.base)
    if isinstance(node, T.Select):
        return owners(node.yes) | owners(node.no)
    if isinstance(node, T.Comma):
        return owners(node.right)
    if isinstance(node, T.Assign | T.CompoundAssign | T.Increment):
        return owners(node.target)
    return set()


OPAQUE = T.Variable, T.Function, T.EnumValue  # named in a tree, but not part of it
ELSEWHERE = ("place", "type", "function", "builtin", "compute")
FIELDS = {}  # class -> the fields of such a node; None if it is not a node


def walk(node):
    """Every node of a tree."""
    stack = [node]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is list or kind is tuple:
            stack += node
            continue
        if kind not in FIELDS:
            FIELDS[kind] = fields_of(kind)
        names = FIELDS[kind]
        if names is not None:
            yield node
            stack += [getattr(node, name) for name in names]


def fields_of(kind):
    """The fields of a node of this class that hold nodes; None if it is not a node."""
    if kind.__module__ != T.__name__ or issubclass(kind, OPAQUE):
        return None
    return [f.name for f in dataclasses.fields(kind) if f.name not in ELSEWHERE]


def fusible_variables(nodes):
    """The variables set once whose only uses are additions, or one subtraction."""
    loads, added, taken, written = {}, {}, {}, set()
    for node in nodes:
        if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
            count_use(loads, node)
        elif isinstance(node, T.Binary | T.CompoundAssign) and node.op in "+-":
            sides = (node.left, node.right) if isinstance(node, T.Binary) else (
                node.value,)  # fmt: skip
            for side in sides:
                count_use(added if node.op == "+" else taken, side)
        if isinstance(node, T.Assign | T.CompoundAssign | T.Increment):
            written.add(getattr(node.target, "variable", None))
    return {
        variable
        for variable, number in loads.items()
        if variable not in written and not variable.address_taken
        and (added.get(variable) == number or (number, taken.get(variable)) == (1, 1))
    }  # fmt: skip


def count_use(table, node):
    """One more use of the variable that `node` reads."""
    if isinstance(node, T.Load) and isinstance(node.operand, T.VariableRef):
        variable = node.operand.variable
        table[variable] = table.get(variable, 0) + 1
