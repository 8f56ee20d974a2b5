"""The value of a constant expression, computed as the device would."""

import operator

import numpy as np

from . import ctype as C
from . import tree as T
from .ast import chain

COMPARE = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt,
    "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
ARITHMETIC = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_,
    "|": operator.or_, "^": operator.xor,
}  # fmt: skip


def value_of(node):
    """The Python number that `node` always has, or None."""
    run = EVALUATE.get(type(node))
    return run(node) if run else None


def fit(value, type):
    """`value` as a value of `type`; None where C leaves it open."""
    type = type.plain
    if isinstance(type, C.Enum):
        return int(value)
    if not type.is_arithmetic:
        return None
    if type.is_integer:
        if isinstance(value, float) and not abs(value) < 2**64:
            return None
        return int(value != 0) if type is C.BOOL else type.wrap(int(value))
    with np.errstate(all="ignore"):
        return float(type.dtype.type(value))


def _load(node):
    inner = node.operand
    return inner.variable.constant if isinstance(inner, T.VariableRef) else None


def _convert(node):
    value = value_of(node.operand)
    return None if value is None else fit(value, node.type)


def _unary(node):
    value = value_of(node.operand)
    if value is None:
        return None
    if node.op == "!":
        return int(not value)
    result = {"-": lambda: -value, "+": lambda: value, "~": lambda: ~int(value)}
    return fit(result[node.op](), node.type)


def _binary(node):
    links = chain(node)
    left = value_of(links[-1].left)
    for link in reversed(links):
        right = None if left is None else value_of(link.right)
        if right is None:
            return None
        left = combine(link.op, left, right, link.left.type.plain, link.type.plain)
    return left


def combine(op, left, right, operand, result):
    """left op right for operands of type `operand`."""
    if op in COMPARE:
        return int(COMPARE[op](left, right))
    if op in ("/", "%"):
        if right == 0:
            return None
        if operand.is_integer:
            quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1)
            return fit(quotient if op == "/" else left - right * quotient, result)
        return fit(left / right, result)
    if op in ("<<", ">>"):
        if not 0 <= right < 8 * operand.size:
            return None
        return fit(left << right if op == "<<" else left >> right, result)
    return fit(ARITHMETIC[op](left, right), result)


def _logical(node):
    left = value_of(node.left)
    if left is None:
        return None
    if bool(left) == (node.op == "||"):
        return int(bool(left))
    right = value_of(node.right)
    return None if right is None else int(bool(right))


def _select(node):
    condition = value_of(node.condition)
    if condition is None:
        return None
    return value_of(node.yes if condition else node.no)


EVALUATE = {
    T.Literal: lambda node: node.value,
    T.Load: _load,
    T.Convert: _convert,
    T.Unary: _unary,
    T.Binary: _binary,
    T.Logical: _logical,
    T.Select: _select,
}
