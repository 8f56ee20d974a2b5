"""The value of a constant expression, computed as the device would."""

import math
import operator

import numpy as np

from . import ctype as C, tree as T
from .ast import chain

COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
ARITHMETIC = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "/": operator.truediv,
}  # fmt: skip


def value_of(node, known=None):
    """The Python number that `node` always has, or None: it has none, or overflows.

    Of an array or a struct it is the list of the values within. known: variable ->
    value of the variables of a constexpr function that runs.
    """
    run = EVALUATE.get(type(node))
    return run(node, known) if run else None


def without_value(node):
    """The place of what overflows in `node`, or divides by zero; None if nothing does.

    Its parts have values, and it has none: C leaves open what it gives.
    """
    parts = [getattr(node, name, None) for name in ("operand", "left", "right")]
    parts = [part for part in parts if part is not None]
    for part in parts:
        if unknown := without_value(part):
            return unknown
    whole = isinstance(node, T.Unary | T.Binary | T.Convert) and value_of(node) is None
    return node.place if whole and None not in map(value_of, parts) else None


def fit(value, type):
    """`value` as a value of `type`; None where C leaves it open."""
    type = type.plain
    if isinstance(type, C.Enum):
        return int(value)
    if not type.is_arithmetic:
        return None
    if type is C.BOOL:
        return int(value != 0)
    if type.is_integer:
        if isinstance(value, float) and not type.least - 1 < value < type.most + 1:
            return None
        return type.wrap(int(value))
    with np.errstate(all="ignore"):
        fitted = float(type.dtype.type(value))
    lost = math.isinf(fitted) != math.isinf(value) or (fitted == 0) != (value == 0)
    return None if lost else fitted


def result(value, type):
    """What an operator gives: unsigned numbers wrap, others must fit."""
    inside = not type.is_integer or type.least <= value <= type.most
    return fit(value, type) if inside or not type.signed else None


def zero(type):
    """The value of what an initializer leaves out."""
    type = type.plain
    if isinstance(type, C.Array):
        return [zero(type.element) for _ in range(type.count)]
    if isinstance(type, C.Struct):
        return [zero(field) for field, _ in type.fields.values()]
    return fit(0, type)


def is_known(value):
    """Is this a value, and one without gaps?"""
    if isinstance(value, list):
        return all(map(is_known, value))
    return value is not None


def _variable(node, known):
    variable = node.variable
    if known is not None and variable in known:
        return known[variable]
    return variable.known if variable.constant is None else variable.constant


def _index(node, known):
    base, index = value_of(node.base, known), value_of(node.index, known)
    inside = isinstance(base, list) and index is not None and 0 <= index < len(base)
    return base[index] if inside else None


def _field(node, known):
    base = value_of(node.base, known)
    names = list(node.base.type.plain.fields)
    return base[names.index(node.name)] if isinstance(base, list) else None


def _aggregate(node, known):
    whole = zero(node.type)
    if not isinstance(whole, list):
        return value_of(node.items[0], known) if node.items else whole
    for at, item in enumerate(node.items):
        if item is not None:
            whole[at] = value_of(item, known)
    return whole if is_known(whole) else None


def _convert(node, known):
    value = value_of(node.operand, known)
    return None if value is None else fit(value, node.type)


def _unary(node, known):
    value = value_of(node.operand, known)
    if value is None or not node.type.plain.is_scalar:
        return None
    if node.op == "!":
        return int(not value)
    run = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
    return result(run[node.op](value), node.type.plain)


def _binary(node, known):
    links = chain(node)
    left = value_of(links[-1].left, known)
    for link in reversed(links):
        right = None if left is None else value_of(link.right, known)
        if right is None:
            return None
        left = combine(link.op, left, right, link.left.type.plain, link.type.plain)
    return left


def divided(op, left, right):
    """left / right towards zero, as C has it, or what % leaves of left."""
    quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1)
    return quotient if op == "/" else left - right * quotient


def combine(op, left, right, operand, type):
    """left op right for operands of type `operand`, as a value of `type`."""
    if op in COMPARE:
        return int(COMPARE[op](left, right))
    if op in ("<<", ">>"):
        if not 0 <= right < 8 * operand.size:
            return None
        return fit(left << right if op == "<<" else left >> right, type)
    if operand.is_integer and op in "/%":
        if right == 0:
            return None
        return fit(divided(op, left, right), type)
    if operand.is_integer:
        return result(ARITHMETIC[op](left, right), type)
    with np.errstate(all="ignore"):
        value = float(ARITHMETIC[op](np.float64(left), np.float64(right)))
    finite = math.isfinite(left) and math.isfinite(right)
    by_zero = op == "/" and right == 0
    vanished = value == 0 and op in "*/" and finite and left != 0 and right != 0
    if vanished or (finite and not by_zero and math.isinf(value)):
        return None
    return fit(value, type)


def _logical(node, known):
    left = value_of(node.left, known)
    if left is None:
        return None
    if bool(left) == (node.op == "||"):
        return int(bool(left))
    right = value_of(node.right, known)
    return None if right is None else int(bool(right))


def _select(node, known):
    condition = value_of(node.condition, known)
    if condition is None:
        return None
    return value_of(node.yes if condition else node.no, known)


EVALUATE = {
    T.Literal: lambda node, known: node.value,
    T.Load: lambda node, known: value_of(node.operand, known),
    T.VariableRef: _variable,
    T.Index: _index,
    T.Field: _field,
    T.Aggregate: _aggregate,
    T.Convert: _convert,
    T.Unary: _unary,
    T.Binary: _binary,
    T.Logical: _logical,
    T.Select: _select,
}
