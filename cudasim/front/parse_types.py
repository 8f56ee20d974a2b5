"""Types and declarators."""

from . import ast, headers, words
from . import ctype as C
from .cursor import TYPE, Cursor
from .errors import CompileError, meant, outside
from .group_types import CLASS

# How often each word was written -> the type that C makes of them.
SPELLINGS = {
    "void": C.VOID, "bool": C.BOOL, "char": C.CHAR, "signed char": C.SCHAR,
    "unsigned char": C.UCHAR, "short": C.SHORT, "unsigned short": C.USHORT,
    "int": C.INT, "unsigned": C.UINT, "long": C.LONG, "unsigned long": C.ULONG,
    "long long": C.LONGLONG, "unsigned long long": C.ULONGLONG, "float": C.FLOAT,
    "double": C.DOUBLE,
}  # fmt: skip


def is_auto(type):
    """Is this auto, auto& or const auto?"""
    type = type.to if isinstance(type, ast.ReferenceTo) else type
    return isinstance(type, ast.NamedType) and type.name == "auto"


def is_function(type):
    """Is this float (*)(float)?"""
    to = type.to if isinstance(type, ast.PointerTo) else None
    return isinstance(getattr(to, "name", None), ast.FunctionOf)


class Types(Cursor):
    """Reads types: specifiers, then declarators around a name.

    aliasing: a name for a type is made, perhaps for that of a function's address.
    """

    aliasing = False

    def starts_type(self):
        """Does a type begin here?"""
        text = self.text
        if not text:
            return False
        if text in words.BASIC or text in words.QUALIFIERS:
            return True
        if text in ("struct", "enum", "auto", "typename", "union", "class", "decltype"):
            return True
        return self.token.kind == "id" and self.kind_of(text) in (TYPE, CLASS)

    def starts_declaration(self):
        text = self.text
        return (
            self.starts_type()
            or text in words.SPECIFIERS
            or text in ("__align__", "alignas", "typedef", "using", "static_assert")
        )

    def specifiers(self):
        """The (type, specifiers) at the head of a declaration.

        specifiers: word -> place; `__align__` and `__launch_bounds__` map to their
        arguments.
        """
        seen, quals, basic, named, restrict = {}, 0, [], None, None
        place = self.token.place
        while self.token.kind == "id":
            text = self.text
            if text in words.QUALIFIERS:
                restrict = self.token.place if "restrict" in text else restrict
                quals |= words.QUALIFIERS[self.next().text]
            elif text in words.SPECIFIERS:
                self.once(seen)
                seen[text] = self.next().place
            elif text in ("__launch_bounds__", "__align__", "alignas"):
                self.next()
                seen[text] = self.bracketed()
            elif text in words.BASIC:
                basic.append(self.next().text)
            else:
                self.refuse_word()
                found = None if basic or named else self.type_word()
                if found is None:
                    break
                named = found
        if basic:
            if named:
                raise CompileError("two types in one declaration", place)
            named = ast.NamedType(place, self.spelled(basic, place), 0)
        plain = isinstance(named, ast.NamedType) and named.name in C.NAMED
        alias = isinstance(getattr(named, "name", None), str) and not plain
        if restrict and not alias:  # a name may stand for a pointer
            message = "'__restrict__' must follow the * of a pointer"
            raise CompileError(message, restrict)
        if named:
            named.quals |= quals
        return named, seen

    def once(self, seen):
        """Refuse a second storage class, and inline or constexpr said twice."""
        for family in words.ONCE:
            before = [word for word in seen if word in family]
            if self.text in family and before:
                message = f"'{self.text}' and '{before[0]}' cannot stand together"
                note = "write one of them, once"
                raise CompileError(message, self.token.place, note)

    def type_word(self):
        """A type of one word that is not among C's own; None if there is none."""
        text = self.text
        if text in ("struct", "class", "union", "enum"):
            return self.tagged()
        if text == "typename":
            return self.member_type()
        if text == "decltype":
            return self.type_of_value()
        if text == "auto" or self.kind_of(text) == TYPE:
            type = ast.NamedType(self.next().place, self.meant(text), 0)
            if self.text == "::" and self.peek() in self.types_of.get(text, ()):
                self.next()
                type = ast.MemberType(type.place, type, self.next().text, 0)
            return type
        return self.class_template() if self.kind_of(text) == CLASS else None

    def type_of_value(self):
        """decltype(a + b)"""
        place = self.next().place
        self.expect("(")
        if self.text == "auto":
            raise outside("decltype(auto)", place, "write auto")
        bare = self.text != "("
        return ast.TypeOf(place, self.inside(")"), bare, 0)

    def member_type(self):
        """typename S<T>::type"""
        place = self.next().place
        owner = self.type_word()
        while owner is not None and self.accept("::"):
            owner = ast.MemberType(place, owner, self.name("the type").text, 0)
        if not isinstance(owner, ast.MemberType):
            raise CompileError("typename stands before S<T>::name", place)
        return owner

    def class_template(self):
        """thread_block_tile<32> and the like; its name alone within its own struct."""
        token, name = self.token, self.meant(self.text)
        self.next()
        if self.text != "<":
            if name != token.text or "::" in name:
                raise self.expected(f"'<' after '{token.text}'")
            return ast.NamedType(token.place, name, 0)
        return ast.TemplateType(token.place, name, self.template_arguments(), 0)

    def bracketed(self):
        """(a, b) after __launch_bounds__ or __align__."""
        self.expect("(")
        items = [self.conditional()]
        while self.accept(","):
            items.append(self.conditional())
        self.expect(")")
        return items

    def spelled(self, basic, place):
        """The type that `unsigned long int` and its like spell, in any order."""
        if sorted(basic) == ["double", "long"]:
            raise outside("long double", place, "a GPU computes it as double")
        rest = list(basic)
        for word in ("int", "signed"):
            if rest.count(word) > 1 or (word in rest and {"void", "bool"} & set(rest)):
                break
            keep = word == "signed" and "char" in rest
            if word in rest and not keep and not {"float", "double"} & set(rest):
                if word == "signed" and "unsigned" in rest:
                    break
                if not (word == "int" and "char" in rest):
                    rest.remove(word)
        order = ["signed", "unsigned", "short", "long", "char"]
        rest.sort(key=lambda w: order.index(w) if w in order else 9)
        key = " ".join(rest) or "int"
        if key not in SPELLINGS:
            raise CompileError(f"'{' '.join(basic)}' is not a type", place)
        return SPELLINGS[key]

    def tagged(self):
        """struct P or enum E used as a type; its own body is read by the statement."""
        token = self.next()
        if self.text in ("{", "class", "struct") or self.peek() == "{":
            raise outside(
                f"{token.text} defined within a declaration",
                token.place,
                f"define the {token.text} first, in a statement of its own",
            )
        if self.kind_of(self.text) == CLASS:
            return self.class_template()
        name = self.name(f"the {token.text}")
        if self.kind_of(name.text) != TYPE:
            if token.text == "enum" or not (self.text == "*" or self.aliasing):
                raise CompileError(f"unknown {token.text} '{name.text}'", name.place)
            self.ahead.append((name, token.text == "union"))
            self.scopes[1][name.text] = TYPE
        return ast.NamedType(name.place, name.text, 0)

    def unknown_type(self):
        """The error where a type should stand and does not."""
        self.refuse_word()
        token = self.token
        if token.kind == "id" and token.text not in words.KEYWORDS:
            if token.text == "std":
                raise outside(
                    "std::", token.place, "NVRTC has no standard library: sqrtf, fmaxf"
                )
            if headers.is_outside(token.text):
                return outside(f"'{token.text}'", token.place, headers.note(token.text))
            message = f"unknown type name '{token.text}'"
            return CompileError(message, token.place, self.nearest_type(token.text))
        if token.text == "}":
            return CompileError("this '}' closes no '{'", token.place)
        return self.expected("a type")

    def nearest_type(self, name):
        """The note for an unknown type: what to write, or the nearest known type."""
        if note := headers.note(name):
            return note
        known = {n for s in self.scopes for n, kind in s.items() if kind == TYPE}
        return meant(name, known | words.BASIC)

    def declarator(self, type, what="the variable", abstract=False):
        """(name token or None, type) of `* const a[3]` and the like."""
        type = self.pointers(type)
        if abstract and self.text == "...":
            type = ast.PackOf(self.next().place, type)
        if self.text == "(" and self.peek() in ("*", "&", "("):
            return self.grouped(type, what, abstract)
        name = None
        if self.text == "[" and not abstract and is_auto(type):
            note = "write a variable for each part"
            raise outside("a structured binding", self.token.place, note)
        if not abstract or (self.token.kind == "id" and self.text not in ("operator",)):
            name = self.name(what)
        if self.text == "::":
            raise outside("'::'", self.token.place, "write names without a namespace")
        return name, self.arrays(type)

    def pointers(self, type):
        while self.text in ("*", "&", "&&"):
            token = self.next()
            if token.text == "&&":
                raise outside("an rvalue reference", token.place, "write const T&")
            if token.text == "&":
                type = ast.ReferenceTo(token.place, type)
                continue
            quals = 0
            while self.text in words.QUALIFIERS:
                quals |= words.QUALIFIERS[self.next().text]
            type = ast.PointerTo(token.place, type, quals)
        return type

    def grouped(self, type, what, abstract):
        """`(*a)[3]`, `(&a)[3]`: what stands inside binds first."""
        self.deeper()
        opened = self.next()
        hole = ast.NamedType(opened.place, None, 0)
        name, inner = self.declarator(hole, what, abstract)
        self.expect(")")
        if self.text == "(":
            place = self.next().place
            self.enter()
            types = [parameter.type for parameter in self.parameters()]
            self.leave()
            hole.name = ast.FunctionOf(place, type, types)
        else:
            hole.name = self.arrays(type)
        self.depth -= 1
        return name, inner

    def arrays(self, type):
        """The [n][m] after a name."""
        if self.text != "[":
            return type
        place, count = self.next().place, None
        if self.text != "]":
            count = self.conditional()
        self.expect("]")
        self.deeper()
        made = ast.ArrayOf(place, self.arrays(type), count)
        self.depth -= 1
        return made

    def type_name(self):
        """A type without a name, as in casts and sizeof."""
        type, seen = self.specifiers()
        if type is None:
            raise self.unknown_type()
        for word, place in seen.items():
            raise CompileError(f"'{word}' cannot stand here", place)
        name, type = self.declarator(type, abstract=True)
        if name is not None:
            raise CompileError(f"'{name.text}' cannot stand here", name.place)
        return type
