"""struct and enum."""

from . import ast, words
from .cursor import TYPE, VALUE
from .errors import CompileError, outside
from .group_types import CLASS
from .parse_expressions import Expressions
from .parse_types import is_function

OPERATORS = {
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "~", "!", "==", "!=", "<", ">",
    "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "=", "[]",
    "()", "++", "--", "&&", "||", "->",
}  # fmt: skip
ACCESS = ("public", "private", "protected")


class Records(Expressions):
    """Reads the definitions of structs, with their methods, and of enums."""

    later = ()  # methods whose bodies are still to be read

    def defines(self):
        """Does a struct or an enum with a body begin here?"""
        if self.text not in ("struct", "class", "union", "enum"):
            return False
        at = 1
        while self.peek(at) in ("class", "struct"):
            at += 1
        if self.peek(at) in ("__align__", "alignas"):
            return True
        if self.peek(at + 1) == "<" and self.kind_of(self.peek(at)) == CLASS:
            return self.body_ahead(at + 1)
        return self.peek(at) == "{" or self.peek(at + 1) in ("{", ":", ";")

    def body_ahead(self, at):
        """Does a { follow the <...> that begins so far ahead?"""
        for token in self.tokens[self.at + at :]:
            if token.text in ("{", ";", "(", "="):
                return token.text == "{"
        return False

    def typedef(self):
        place, made = self.next().place, []
        if self.defines():
            made = [self.struct_of_typedef()]
            type = ast.NamedType(place, made[0].name, 0)
        else:
            self.aliasing = True
            type, _ = self.specifiers()
        if type is None:
            raise self.unknown_type()
        while self.text != ";":
            self.aliasing = True
            name, whole = self.declarator(type, "the type")
            self.aliasing = False
            if is_function(whole):
                self.function_types.add(name.text)
            if not made or whole is not type or name.text != made[0].name:
                self.declare(name.text, TYPE)
                made.append(ast.Alias(name.place, name.text, whole))
            if not self.accept(","):
                break
        self.expect(";")
        return made

    def struct_of_typedef(self):
        """typedef struct {...} P: the struct is named P."""
        made = self.enum() if self.text == "enum" else self.struct()
        if made.name is None:
            made.name = self.token.text
            self.declare(made.name, TYPE)
        return made

    def struct_or_enum(self):
        """A definition, and perhaps variables of the type that it defines."""
        is_enum = self.text == "enum"
        made = self.enum() if is_enum else self.struct()
        named = self.token.kind == "id" and self.text not in words.KEYWORDS
        if self.text == "*" or named and self.peek() in (";", ",", "=", "[", "{"):
            if is_enum:
                note = "declare it in a statement of its own"
                what = "a variable declared after an enum"
                raise outside(what, self.token.place, note)
            return [made, self.variables(self.type_made(made), {})]
        if not is_enum and made.name is None:
            raise outside("a struct without a name", made.place, "give it one")
        if self.text != ";" and self.token.kind == "id":
            raise self.expected("';'")
        self.expect(";")
        return [made]

    def type_made(self, made):
        """The type that a definition makes, by a name that no text has if by none."""
        if made.name is None:
            made.name = "the struct of line {}:{}".format(*made.place)
            self.declare(made.name, TYPE)
        return ast.NamedType(made.place, made.name, 0)

    def struct(self, template=None):
        """struct P {...}, without its ;. template: the parameters before it."""
        union, align, special = self.text == "union", None, None
        place = self.next().place
        if self.text in ("__align__", "alignas"):
            self.next()
            align = self.bracketed()[0]
        name = None
        if self.text != "{":
            before = self.kind_of(self.text)
            name = self.name("the struct")
            if template == [] or (self.text == "<" and before == CLASS):
                special = self.template_arguments()
            place = name.place
            self.declare(name.text, CLASS if template or special else TYPE)
        if self.text == ";":
            return ast.StructOf(
                place, name.text, None, align, [], template, special, union, None
            )
        base = self.base() if self.accept(":") else None
        self.expect("{")
        self.enter()
        for inner in self.types_of.get(getattr(base, "name", None), ()):
            self.declare(inner, TYPE)
        members, outer, self.later = [], self.later, []
        owner = name.text if name else None
        while not self.accept("}"):
            members += self.members(owner)
        methods, self.later = self.bodies(), outer
        self.types_of[owner] = {n for n, k in self.scopes[-1].items() if k == TYPE}
        self.leave()
        return ast.StructOf(
            place, owner, members, align, methods, template, special, union, base
        )

    def base(self):
        """The type after struct D :"""
        if self.text in ACCESS:
            self.next()
        place, base = self.token.place, self.type_word()
        if base is None:
            raise self.unknown_type()
        if self.text == ",":
            raise outside("a second base", self.token.place, "make it a member")
        base.place = place
        return base

    def members(self, owner):
        """One line of a struct; methods are kept for later: their bodies may name
        what follows."""
        token = self.token
        if self.accept(";"):
            return []
        if token.kind == "end":
            raise self.expected("'}'")
        if self.text in ACCESS:
            self.next()
            self.expect(":")
            return []
        if self.text in ("using", "typedef", "static_assert"):
            return self.simple()
        if self.text in ("template", "friend", "virtual"):
            self.refuse_word()
            what = "a template within a struct"
            raise outside(what, token.place, "write a function beside it")
        if self.defines() and self.text == "enum":
            return self.struct_or_enum()
        if self.defines():
            made = self.struct()
            unnamed, type = made.name is None, self.type_made(made)
            if not self.accept(";"):
                return [made, *self.fields(type, {})]
            hidden = ast.Variable(made.place, f"in {made.name}", type, None, "", {})
            return [made, hidden] if unnamed else [made]
        at, seen = self.at, {}
        while self.text in words.SPECIFIERS or self.text == "explicit":
            token = self.next()
            seen[token.text] = token.place
        if self.text == "~":
            raise outside("a destructor", self.token.place, "write a function")
        is_constructor = self.text == owner and self.peek() == "("
        if is_constructor or self.text == "operator":
            return self.constructor(seen) if is_constructor else self.conversion(seen)
        self.go(at)
        type, seen = self.specifiers()
        if type is None:
            raise self.unknown_type()
        return self.fields(type, seen)

    def fields(self, type, seen):
        """`int a = 1, *b;`, or one method."""
        at, whole = self.at, self.pointers(type)
        if self.text == "operator":
            return self.method(self.operator(), whole, seen)
        if self.token.kind == "id" and self.peek() == "(":
            return self.method(self.name("the method"), whole, seen)
        self.go(at)
        out = []
        while True:
            name, whole = self.declarator(type, "the member")
            if self.text == ":":
                raise outside("a bit field", name.place)
            self.declare(name.text, VALUE)
            init = None
            if self.accept("="):
                init = self.items() if self.text == "{" else self.assignment()
            elif self.text == "{":
                init = self.items()
            out.append(ast.Variable(name.place, name.text, whole, init, "", seen))
            if not self.accept(","):
                break
        self.expect(";")
        return out

    def operator(self):
        """The name after `operator`: one token, as "operator+"."""
        token = self.next()
        symbol = self.next().text
        if symbol in ("(", "["):
            symbol += self.expect({"(": ")", "[": "]"}[symbol]).text
        name = self.renamed(token, f"operator{symbol}")
        if symbol not in OPERATORS:
            raise outside(f"operator {symbol}", token.place)
        return name

    def constructor(self, seen):
        return self.method(self.renamed(self.next(), ""), None, seen)

    def conversion(self, seen):
        """operator T*(): what a struct can be taken for."""
        at = self.at
        if self.peek() in OPERATORS:
            raise CompileError("the type is missing here", self.token.place)
        self.go(at + 1)
        type, _ = self.specifiers()
        if type is None:
            raise self.unknown_type()
        result = self.pointers(type)
        token = self.tokens[at]
        return self.method(self.renamed(token, "operator "), result, seen)

    def renamed(self, token, text):
        return type(token)("id", text, token.place)

    def method(self, name, result, seen):
        """A method up to its body, which is read by `bodies`."""
        if name.text:
            self.declare(name.text, VALUE)
        self.enter()
        self.expect("(")
        parameters = self.parameters()
        while self.text in ("const", "noexcept"):
            token = self.next()
            seen[token.text] = token.place
        scope, made = self.scopes.pop(), None
        if self.accept("="):  # default, or delete
            if self.text not in ("default", "delete"):
                raise self.expected("'default' or 'delete'")
            default = self.next().text == "default"
            self.expect(";")
            if default and not name.text and not parameters:
                body = ast.Block(name.place, [], name.place)
                made = self.method_of(name, None, [], body, {"__device__": name.place})
                self.later.append((made, None, None))
            return []
        if self.text == ";":
            what = "a method that is defined elsewhere"
            raise outside(what, name.place, "write its body here")
        made = self.method_of(name, result, parameters, None, seen)
        self.later.append((made, scope, self.at))
        if self.accept(":"):
            while self.text not in ("{", ""):
                self.next()  # the member's name
                if self.text == "<":
                    self.template_arguments()
                self.over()
                if not self.accept(","):
                    break
        self.over("{")
        return []

    def method_of(self, name, result, parameters, body, seen):
        return ast.Function(
            name.place, name.text, result, parameters, body, seen, None, None, None
        )

    def over(self, wanted=None):
        """Step over what stands in brackets."""
        if wanted is None and self.text not in ("(", "{"):
            raise self.expected("'('")
        opened, depth = self.expect(wanted or self.text), 1
        while depth:
            if self.token.kind == "end":
                raise CompileError("this bracket is never closed", opened.place)
            depth += (self.text in ("(", "{")) - (self.text in (")", "}"))
            self.next()

    def bodies(self):
        """The methods of a struct, their bodies read now that all members are known."""
        end, out, later = self.at, [], self.later
        for made, scope, at in later:
            out.append(made)
            if made.body is not None:
                continue
            self.scopes.append(scope)
            self.go(at)
            first = self.initializers() if self.accept(":") else []
            made.body = self.block(own=False)
            made.body.statements[:0] = first
            self.scopes.pop()
        self.go(end)
        return out

    def initializers(self):
        """`: a(x), b{y}` of a constructor, as assignments."""
        out = []
        while True:
            name = self.token
            base = self.type_word()
            if base is None:
                self.name("the member")
            if self.text not in ("(", "{"):
                raise self.expected("'('")
            place, close = self.token.place, ")" if self.text == "(" else "}"
            value = ast.Items(place, self.arguments(close))
            member = name.text if base is None else ast.BASE
            target = ast.Member(name.place, ast.This(name.place), member, True)
            assign = ast.Assign(name.place, "=", target, value)
            out.append(ast.Expression(name.place, assign))
            if not self.accept(","):
                return out

    def enum(self):
        place = self.next().place
        scoped = self.text in ("class", "struct")
        if scoped:
            self.next()
        name = None if self.text == "{" else self.name("the enum")
        if name:
            self.declare(name.text, TYPE)
        base = self.type_name() if self.accept(":") else None
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
        return ast.EnumOf(where, name.text if name else None, scoped, values, base)
