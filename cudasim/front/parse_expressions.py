"""Expressions, by precedence."""

from . import ast, builtins, headers, words
from .cursor import TEMPLATE, TYPE
from .errors import CompileError, outside
from .group_types import CLASS
from .parse_types import Types

CASTS = {"static_cast", "reinterpret_cast", "const_cast"}
PREFIX = {"-", "+", "!", "~", "*", "&", "++", "--"}
MOST_OPERATORS, MOST_CHOICES = 5000, 60


class Expressions(Types):
    """Reads expressions. `closing`: a > ends the expression (template arguments)."""

    closing = False

    def expression(self):
        """An expression, with commas."""
        left = self.assignment()
        while self.text == ",":
            place = self.next().place
            if self.text == "...":
                return self.fold(place, ",", left)
            left = ast.Binary(place, ",", left, self.assignment())
        return left

    def assignment(self):
        self.deeper()
        made = self.assigned(self.conditional())
        self.depth -= 1
        return made

    def assigned(self, left):
        """left, or left = value."""
        if self.text not in words.ASSIGNMENTS:
            return left
        token = self.next()
        value = self.items() if self.text == "{" else self.assignment()
        return ast.Assign(token.place, token.text, left, value)

    def conditional(self):
        chain, last = [], self.binary(1)
        while self.text == "?":
            token = self.next()
            if len(chain) == MOST_CHOICES:
                raise self.too_long(token)
            chain.append((token.place, last, self.inside(":")))
            last = self.binary(1)
        if chain:
            last = self.assigned(last)
        for place, condition, yes in reversed(chain):
            last = ast.Conditional(place, condition, yes, last)
        return last

    def too_long(self, token):
        message = f"too many '{token.text}' in one expression"
        return CompileError(message, token.place, "split it: keep a part in a variable")

    def binary(self, level):
        left, count = self.unary(), 0
        while (found := words.LEVELS.get(self.text, 0)) >= level:
            if self.closing and self.text in (">", ">>"):
                break
            token, count = self.next(), count + 1
            if count > MOST_OPERATORS:
                raise self.too_long(token)
            if self.text == "...":
                return self.fold(token.place, token.text, left)
            right = self.binary(found + 1)
            left = ast.Binary(token.place, token.text, left, right)
        return left

    def fold(self, place, op, left):
        """(left op ...), (left op ... op right); left None: (... op right)"""
        self.expect("...")
        if self.text == ")":
            return ast.Fold(place, op, left, None)
        if left is None:
            place, op = self.token.place, self.text
        if op not in words.LEVELS and op != "," or self.text != op:
            raise outside("such a fold", place, "write (... + args), with brackets")
        self.next()
        return ast.Fold(place, op, left, self.unary())

    def unary(self):
        text = self.text
        if text in PREFIX:
            self.deeper()
            token = self.next()
            made = ast.Unary(token.place, token.text, self.unary())
            self.depth -= 1
            return made
        if text in ("sizeof", "alignof"):
            return self.sizeof()
        if text == "(" and self.type_behind_bracket():
            self.deeper()
            place = self.next().place
            type = self.type_name()
            self.expect(")")
            if self.text == "{":
                raise outside("a compound literal", place, "write T{...}")
            made = ast.Cast(place, "c", type, self.unary())
            self.depth -= 1
            return made
        return self.postfix(self.primary())

    def type_behind_bracket(self):
        """Is this the ( of a cast? T(x) in brackets is not: (float)(x), (float(x))."""
        at = self.at
        self.go(at + 1)
        found = self.starts_type()
        called = self.peek() == "(" and self.text != "decltype"
        if found and called and self.peek(2) not in ("*", "&"):
            found = False
        if found and (self.peek() == "{" or self.is_value_of_type(self.peek())):
            found = False
        if found and self.kind_of(self.text) == CLASS:
            found = self.is_type_alone()
        self.go(at)
        return found

    def is_type_alone(self):
        """Does nothing but a type stand before the next )?"""
        try:
            self.type_name()
        except CompileError:
            return False
        return self.text == ")"

    def sizeof(self):
        self.deeper()
        token = self.next()
        if self.accept("..."):
            self.expect("(")
            name = self.name("a pack")
            self.expect(")")
            self.depth -= 1
            return ast.SizeOf(token.place, "...", ast.Name(name.place, name.text, None))
        if self.text == "(" and self.type_behind_bracket():
            self.next()
            operand = self.type_name()
            self.expect(")")
        elif token.text == "alignof":
            raise outside("alignof of a value", token.place, "write alignof(type)")
        else:
            operand = self.unary()
        self.depth -= 1
        return ast.SizeOf(token.place, token.text, operand)

    def postfix(self, base):
        while True:
            text = self.text
            if text == "[":
                place = self.next().place
                base = ast.Index(place, base, self.inside("]"))
            elif text == "(":
                base = ast.Call(base.place, base, self.arguments())
            elif text in (".", "->"):
                self.next()
                token = self.name("a member")
                base = ast.Member(token.place, base, token.text, text == "->")
            elif text in ("++", "--"):
                base = ast.Postfix(self.next().place, text, base)
            elif text == "<<<":
                note = "launches are made from Python: kernel(grid, block, args)"
                raise outside("a kernel launch <<<...>>>", self.token.place, note)
            else:
                return base

    def inside(self, close):
        """An expression up to a bracket that closes."""
        closing, self.closing = self.closing, False
        value = self.expression()
        self.closing = closing
        self.expect(close)
        return value

    def arguments(self, close=")"):
        """(a, b) or {a, b}."""
        self.next()
        closing, self.closing = self.closing, False
        items = []
        while self.text != close:
            items.append(self.items() if self.text == "{" else self.assignment())
            if self.text == "...":
                items[-1] = ast.Expand(self.next().place, items[-1])
            if not self.accept(","):
                break
            if self.text == close and close == ")":
                raise CompileError("an argument is missing here", self.token.place)
        self.closing = closing
        self.expect(close)
        return items

    def items(self):
        """{a, {b, c}}"""
        self.deeper()
        place = self.token.place
        if self.peek() == ".":
            raise outside("a designated initializer", place, "give the values in order")
        made = ast.Items(place, self.arguments("}"))
        self.depth -= 1
        return made

    def primary(self):
        token, text = self.token, self.text
        kind = token.kind
        if kind == "id":
            return self.word()
        if kind == "number":
            return ast.Number(self.next().place, token.text)
        if text == "(":
            self.deeper()
            self.next()
            if self.text == "...":
                value = self.fold(token.place, "", None)
                self.expect(")")
            else:
                value = self.inside(")")
            self.depth -= 1
            return value
        if kind == "string":
            texts = []
            while self.token.kind == "string":
                texts.append(self.next().text)
            return ast.String(token.place, texts)
        if kind == "char":
            return ast.Character(self.next().place, token.text)
        if text == "::":
            raise outside("'::' before a name", token.place, "leave it out")
        if text == "[":
            return self.lambda_()
        if kind == "raw":
            raise outside("a raw string", token.place, 'write "..." with escapes')
        if kind == "bad":
            raise self.bad(token)
        raise self.expected("an expression")

    def bad(self, token):
        if token.text in "\"'":
            return CompileError(f"this {token.text} has no partner", token.place)
        if token.text == "\\" and self.peek()[:1] in ("u", "U"):
            return outside("a universal character name", token.place)
        shown = token.text if token.text.isprintable() else repr(token.text)[1:-1]
        return CompileError(f"the character '{shown}' has no meaning here", token.place)

    def word(self):
        """A name, a word that is a value, or a type used as a function."""
        token, text = self.token, self.text
        if text in CASTS:
            return self.named_cast()
        if text == "this":
            return ast.This(self.next().place)
        if text in ("true", "false", "nullptr"):
            return ast.Word(self.next().place, text)
        known = self.kind_of(text)
        if text in words.BASIC or text == "decltype" or known in (TYPE, CLASS):
            return self.construct()
        if text in words.KEYWORDS:
            self.refuse_word()
            raise self.expected("an expression")
        self.next()
        if text in ("u8", "u", "U", "L") and self.token.kind in ("string", "char"):
            raise outside(f"{text} before a text", token.place, "leave it out")
        if self.text == "<" and known is None and headers.is_outside(text):
            raise outside(f"'{text}'", token.place, headers.note(text))
        if self.text == "<" and known is None and text in headers.GONE:
            note = headers.GONE[text]
            raise CompileError(f"unknown type name '{text}'", token.place, note)
        if self.text == "::":
            raise self.qualified(token)
        name = self.meant(text)
        if known == TEMPLATE and self.text == "<":
            return ast.Name(token.place, name, self.template_arguments())
        return ast.Name(token.place, name, None)

    def qualified(self, token):
        """The refusal of std::max and of other names with ::."""
        rest = self.peek()
        note = "write the name without a namespace"
        if token.text == "std":
            known = rest if rest in builtins.NAMES else "arrays and CUDA's functions"
            note = f"NVRTC has no standard library: use {known}"
        elif token.text == "cuda":
            note = headers.note(rest) or note
        return outside(f"'{token.text}::{rest}'", token.place, note)

    def named_cast(self):
        token = self.next()
        self.expect("<")
        type = self.type_name()
        self.expect(">")
        self.expect("(")
        return ast.Cast(token.place, token.text, type, self.inside(")"))

    def construct(self):
        """float(x), float4{a, b, c, d}, Enum::VALUE"""
        token = self.token
        if self.text in words.BASIC:
            self.next()
            type = ast.NamedType(
                token.place, self.spelled([token.text], token.place), 0
            )
        else:
            type = self.type_word()
            if self.accept("::"):
                name = self.name("a value of the enum")
                return ast.Member(name.place, type, name.text, False)
        if self.text == "{":
            return ast.Construct(token.place, type, self.items().items, True)
        if self.text != "(":
            message = f"the type '{token.text}' cannot stand in an expression"
            raise CompileError(message, token.place, "a cast is (T)x or T(x)")
        return ast.Construct(token.place, type, self.arguments(), False)

    def template_arguments(self):
        """<float, 4> after the name of a template."""
        self.deeper()
        self.expect("<")
        closing, self.closing = self.closing, True
        items = []
        while self.text != ">":
            items.append(self.template_argument())
            if not self.accept(","):
                break
        self.closing = closing
        self.expect(">")
        self.depth -= 1
        return items

    def template_argument(self):
        return self.type_name() if self.starts_type() else self.conditional()
