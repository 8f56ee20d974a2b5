"""The value of an #if line: 64-bit integers, signed, or unsigned where one side is."""

import operator

from . import ctype as C, literals
from .constant import ARITHMETIC, COMPARE, divided
from .errors import CompileError, outside
from .words import LEVELS

DEEPEST = 60


def condition(tokens, place):
    """The integer value of the expanded tokens of an #if."""
    if not tokens:
        raise CompileError("#if needs an expression", place)
    reader = Reader(tokens, place)
    value, _ = reader.ternary(True)
    if reader.at < len(tokens):
        token = tokens[reader.at]
        raise CompileError(f"unexpected '{token.text}' in #if", token.place)
    return value


class Reader:
    """Computes while it reads. Each value comes with its type, LONG or ULONG.

    live: this part is computed, so an overflow or a division by zero is an error.
    """

    def __init__(self, tokens, place):
        self.tokens, self.place, self.at, self.depth = tokens, place, 0, 0

    @property
    def text(self):
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def expect(self, text, place):
        if self.text != text:
            raise CompileError(f"expected '{text}' in #if", place)
        self.at += 1

    def deeper(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise CompileError("#if nested too deeply", self.place)

    def ternary(self, live):
        self.deeper()
        value, type = self.binary(1, live)
        if self.text == "?":
            self.at += 1
            yes, one = self.ternary(live and bool(value))
            self.expect(":", self.place)
            no, other = self.ternary(live and not value)
            type = C.common(one, other)
            value = type.wrap(yes if value else no)
        self.depth -= 1
        return value, type

    def binary(self, level, live):
        left = self.unary(live)
        while (op := self.text) in LEVELS and LEVELS[op] >= level:
            self.at += 1
            decided = op in ("&&", "||") and bool(left[0]) == (op == "||")
            right = self.binary(LEVELS[op] + 1, live and not decided)
            left = self.operate(op, left, right, live)
        return left

    def operate(self, op, left, right, live):
        (a, one), (b, other) = left, right
        if op in ("&&", "||"):
            return int(bool(a or b) if op == "||" else bool(a and b)), C.LONG
        if op in ("<<", ">>"):
            return self.shift(op, left, b, live)
        type = C.common(one, other)
        a, b = type.wrap(a), type.wrap(b)
        if op in COMPARE:
            return int(COMPARE[op](a, b)), C.LONG
        if op in "/%":
            if b == 0:
                return self.fail("division by zero", live), type
            return self.fits(divided(op, a, b), type, live)
        return self.fits(ARITHMETIC[op](a, b), type, live)

    def shift(self, op, left, by, live):
        value, type = left
        if not 0 <= by < 64:
            return self.fail("a shift by less than 0, or 64 bits and more,", live), type
        return type.wrap(value << by if op == "<<" else value >> by), type

    def fits(self, value, type, live):
        if type is C.LONG and type.wrap(value) != value:
            self.fail("an integer too large", live)
        return type.wrap(value), type

    def fail(self, what, live):
        if live:
            raise CompileError(f"{what} in #if", self.place)
        return 0

    def unary(self, live):
        if self.at >= len(self.tokens):
            raise CompileError("this #if ends too early", self.place)
        token, text = self.tokens[self.at], self.text
        self.at += 1
        if text in ("!", "-", "+", "~"):
            self.deeper()
            value, type = self.unary(live)
            self.depth -= 1
            if text == "!":
                return int(not value), C.LONG
            run = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
            return self.fits(run[text](value), type, live)
        if text == "(":
            inner = self.ternary(live)
            self.expect(")", token.place)
            return inner
        return primary(token)


def primary(token):
    """A number, a character, or a name (which counts as 0, but for true)."""
    if token.kind == "number":
        value, type = literals.number(token.text, token.place)
        if isinstance(value, float):
            raise CompileError("a number with a point in #if", token.place)
        return value, C.LONG if type.signed else C.ULONG
    if token.kind == "char":
        return literals.character(token.text, token.place), C.LONG
    if token.text.startswith("__has_"):
        raise outside(f"'{token.text}'", token.place)
    if token.kind == "id":
        return int(token.text == "true"), C.LONG
    raise CompileError(f"unexpected '{token.text}' in #if", token.place)
