"""Lints about numbers: double constants in float code, divisions by zero, indices."""

from .. import constant
from .. import ctype as C
from .. import tree as T


def lint_operands(scope, op, left, right, place):
    """Double constants in float code; division by zero."""
    for one, other in ((left, right), (right, left)):
        if other.type.plain is C.FLOAT and is_double_literal(one):
            value = constant.value_of(one)
            message = "a double constant makes this float code compute in double"
            if value is not None:
                message += f": write {value!r}f"
            scope.lint("double-constant", one.place, message)
    whole = left.type.plain.is_integer and right.type.plain.is_integer
    if op in ("/", "%") and whole and constant.value_of(right) == 0:
        scope.lint("divide-by-zero", place, "division by zero")


def lint_bounds(scope, type, index, place):
    """A constant index outside an array."""
    count = type.count if isinstance(type, C.Array) else None
    value = constant.value_of(index) if count else None
    if value is not None and not 0 <= value < count:
        message = f"index {value} is outside the array, whose indices are 0"
        scope.lint("out-of-bounds", place, f"{message} to {count - 1}")


def is_double_literal(node):
    """Is this a number without an f after it, perhaps with a sign?"""
    if isinstance(node, T.Unary):
        node = node.operand
    return isinstance(node, T.Literal) and node.type is C.DOUBLE
