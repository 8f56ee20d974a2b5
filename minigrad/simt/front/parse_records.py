"""struct and enum."""

from . import ast, words
from .cursor import TYPE, VALUE
from .errors import outside
from .parse_expressions import Expressions

MEMBER_WORDS = {"public", "private", "protected", "static", "template", "__device__",
                "__host__", "constexpr", "operator", "explicit", "virtual", "using",
                "typedef", "struct", "enum", "__forceinline__", "inline"}  # fmt: skip


class Records(Expressions):
    """Reads the definitions of structs and enums."""

    def defines(self):
        """Does a struct or an enum with a body begin here?"""
        if self.text not in ("struct", "enum"):
            return False
        at = 1
        while self.peek(at) in ("class", "struct"):
            at += 1
        if self.peek(at) == "__align__":
            return True
        return self.peek(at) == "{" or self.peek(at + 1) in ("{", ":", ";")

    def typedef(self):
        place = self.next().place
        if self.defines():
            raise outside("typedef struct {...}", place, "write struct Name {...};")
        type, _ = self.specifiers()
        if type is None:
            raise self.unknown_type()
        out = []
        while True:
            name, whole = self.declarator(type, "the type")
            self.declare(name.text, TYPE)
            out.append(ast.Alias(name.place, name.text, whole))
            if not self.accept(","):
                break
        self.expect(";")
        return out

    def struct_or_enum(self):
        made = self.struct() if self.text == "struct" else self.enum()
        named = self.token.kind == "id" and self.text not in words.KEYWORDS
        if self.text == "*" or named and self.peek() in (";", ",", "=", "[", "{"):
            note = "declare it in a statement of its own"
            raise outside(
                "a variable declared after a struct definition", self.token.place, note
            )
        if self.text != ";" and self.token.kind == "id":
            raise self.expected("';'")
        self.expect(";")
        return made

    def struct(self):
        place, align = self.next().place, None
        if self.text == "__align__":
            self.next()
            align = self.bracketed()[0]
        if self.text == "{":
            raise outside("a struct without a name", place, "give it one")
        name = self.name("the struct")
        self.declare(name.text, TYPE)
        if self.text == ";":
            return ast.StructOf(name.place, name.text, None, align)
        if self.text == ":":
            raise outside("inheritance", self.token.place, "write the members out")
        self.expect("{")
        fields = []
        while not self.accept("}"):
            fields += self.fields(name.text)
        return ast.StructOf(place if not name else name.place, name.text, fields, align)

    def fields(self, owner):
        """One line of a struct."""
        token = self.token
        if self.accept(";"):
            return []
        if token.kind == "end":
            raise self.expected("'}'")
        if self.text in MEMBER_WORDS or self.text in (owner, "~"):
            what = f"'{self.text}' in a struct"
            if self.text in ("__device__", "__host__", "__forceinline__", "inline"):
                what = "a method"
            if self.text == owner and self.peek() == "(" or self.text == "~":
                what = "a constructor"
            if self.text != owner or self.peek() == "(":
                note = "a struct holds data; write a __device__ function that takes it"
                raise outside(what, token.place, note)
        type, _ = self.specifiers()
        if type is None:
            raise self.unknown_type()
        out = []
        while True:
            name, whole = self.declarator(type, "the member")
            if self.text in ("(", ":", "=", "{"):
                what = {"(": "a method", ":": "a bit field"}.get(
                    self.text, "a member's default value"
                )
                raise outside(what, name.place)
            out.append(ast.Variable(name.place, name.text, whole, None, "", {}))
            if not self.accept(","):
                break
        self.expect(";")
        return out

    def enum(self):
        place = self.next().place
        scoped = self.text in ("class", "struct")
        if scoped:
            self.next()
        name = None if self.text == "{" else self.name("the enum")
        if name:
            self.declare(name.text, TYPE)
        if self.text == ":":
            raise outside("an enum's own type", self.token.place, "leave it out: int")
        self.expect("{")
        values = []
        while self.text != "}":
            token = self.name("a value of the enum")
            value = self.conditional() if self.accept("=") else None
            values.append((token.place, token.text, value))
            if not scoped:
                self.declare(token.text, VALUE)
            if not self.accept(","):
                break
        self.expect("}")
        where = name.place if name else place
        return ast.EnumOf(where, name.text if name else None, scoped, values)
