"""The value of an #if line."""

import operator

from . import literals
from .errors import CompileError
from .words import LEVELS

RUN = {
    "|": operator.or_, "^": operator.xor, "&": operator.and_, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le,
    ">=": operator.ge, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "||": lambda a, b: bool(a or b), "&&": lambda a, b: bool(a and b),
    "<<": lambda a, b: a << (b & 63), ">>": lambda a, b: a >> (b & 63),
    "/": lambda a, b: divided(a, b), "%": lambda a, b: a - b * divided(a, b),
}  # fmt: skip


def divided(a, b):
    """Division toward zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def wrapped(value):
    """`value` as a signed 64-bit integer."""
    return (int(value) + 2**63) % 2**64 - 2**63


def condition(tokens, place):
    """The integer value of the expanded tokens of an #if."""
    if not tokens:
        raise CompileError("#if needs an expression", place)
    value, at = ternary(tokens, 0, place, 0)
    if at < len(tokens):
        raise CompileError(f"unexpected '{tokens[at].text}' in #if", tokens[at].place)
    return value


def ternary(tokens, at, place, depth):
    value, at = binary(tokens, at, place, 1, depth)
    if text_at(tokens, at) != "?":
        return value, at
    yes, at = ternary(tokens, at + 1, place, depth + 1)
    if text_at(tokens, at) != ":":
        raise CompileError("expected ':' in #if", place)
    no, at = ternary(tokens, at + 1, place, depth + 1)
    return (yes if value else no), at


def binary(tokens, at, place, level, depth):
    left, at = unary(tokens, at, place, depth)
    while (op := text_at(tokens, at)) in LEVELS and LEVELS[op] >= level:
        right, at = binary(tokens, at + 1, place, LEVELS[op] + 1, depth)
        if op in "/%" and right == 0:
            if depth == 0:
                raise CompileError("division by zero in #if", place)
            right = 1
        left = wrapped(RUN[op](left, right))
    return left, at


def unary(tokens, at, place, depth):
    if at >= len(tokens):
        raise CompileError("this #if ends too early", place)
    if depth > 60:
        raise CompileError("#if nested too deeply", place)
    token, text = tokens[at], tokens[at].text
    if text in ("!", "-", "+", "~"):
        value, at = unary(tokens, at + 1, place, depth + 1)
        return wrapped({"!": not value, "-": -value, "+": value, "~": ~value}[text]), at
    if text == "(":
        value, at = ternary(tokens, at + 1, place, depth + 1)
        if text_at(tokens, at) != ")":
            raise CompileError("expected ')' in #if", token.place)
        return value, at + 1
    return primary(token), at + 1


def primary(token):
    """A number, a character, or a name (which counts as 0, but for true)."""
    if token.kind == "number":
        value, type = literals.number(token.text, token.place)
        if isinstance(value, float):
            raise CompileError("a number with a point in #if", token.place)
        return wrapped(value)
    if token.kind == "char":
        return literals.character(token.text, token.place)
    if token.kind == "id":
        return int(token.text == "true")
    raise CompileError(f"unexpected '{token.text}' in #if", token.place)


def text_at(tokens, at):
    return tokens[at].text if at < len(tokens) else ""
