"""Tokens to a tree: statements and what stands at file level."""

from . import ast, headers, words
from . import group_types as groups
from .cursor import TEMPLATE, TYPE, VALUE, Imported
from .errors import CompileError, outside
from .group_types import CLASS, SPACE
from .parse_asm import Asm
from .parse_types import is_auto, is_function


class Parser(Asm):
    """Recursive descent over the whole file."""

    any_groups = ()  # template parameters, for thread_group among the parameters

    def file(self):
        """Every declaration of the file."""
        out = []
        while self.token.kind != "end":
            if not self.accept(";"):
                out += self.outermost()
        ahead = [
            ast.StructOf(name.place, name.text, None, None, [], None, None, union, None)
            for name, union in self.ahead
        ]
        return ahead + out

    def outermost(self):
        text = self.text
        if self.declares_printf():
            return []
        if text == "[" and self.peek() == "[":
            raise self.attribute()
        if text == "extern" and self.tokens[self.at + 1].kind == "string":
            return self.linkage()
        if text == "template":
            return [self.template()]
        if text == "using" or text == "typedef" or text == "static_assert":
            return self.simple()
        if text == "inline" and self.peek() == "namespace":
            text = self.next() and self.text
        if text == "namespace":
            return self.namespace()
        if self.defines():
            return self.struct_or_enum()
        return self.function_or_variables(None)

    def declares_printf(self):
        """Step over int printf(const char*, ...), which CUDA has declared."""
        texts = [t.text for t in self.tokens[self.at : self.at + 14] if t.text]
        while texts[:1] in (["extern"], ["static"], ["inline"], ["__device__"]):
            texts.pop(0)
        end = texts.index(";") if ";" in texts else 0
        begins, ends = texts[:3], texts[end - 2 : end]
        found = begins == ["int", "printf", "("] and ends == ["...", ")"]
        while found and self.next().text != ";":
            pass
        return found

    def attribute(self):
        return outside("an attribute [[...]]", self.token.place, "leave it out")

    def linkage(self):
        """extern "C" before one declaration, or around several."""
        place, token = self.next().place, self.token
        language = self.next().text
        end = token.place[0], token.place[1] + len(token.text)
        if self.token.kind == "id" and self.token.place == end:
            message = f"a blank is missing after {token.text}"
            raise CompileError(message, end)
        if language not in ('"C"', '"C++"'):
            raise CompileError(f"unknown language {language}", place)
        if not self.accept("{"):
            made = [self.without_storage(node) for node in self.outermost()]
            return self.marked(made) if language == '"C"' else made
        out = self.declarations()
        return self.marked(out) if language == '"C"' else out

    def declarations(self):
        """Those up to a }."""
        self.deeper()
        out = []
        while not self.accept("}"):
            if self.token.kind == "end":
                raise self.expected("'}'")
            if not self.accept(";"):
                out += self.outermost()
        self.depth -= 1
        return out

    def marked(self, nodes):
        """The nodes; functions know that they have C's linkage."""
        for node in nodes:
            if isinstance(node, ast.Function):
                node.specifiers['extern "C"'] = node.place
        return nodes

    def without_storage(self, node):
        """extern "C" before one declaration says where it is stored already."""
        parts = node.variables if isinstance(node, ast.Declaration) else [node]
        for part in parts:
            for word in words.STORAGE & set(getattr(part, "specifiers", ())):
                message = f"'{word}' cannot follow extern \"C\""
                raise CompileError(message, part.specifiers[word])
        return node

    def template(self):
        """template <typename T, int N> before a function."""
        place = self.next().place
        self.enter()
        if self.token.kind == "id":
            made = self.function_or_variables([])[0]
            self.leave()
            if not isinstance(made, ast.Function) or made.body is not None:
                raise CompileError("'<' is missing after 'template'", place)
            return made
        self.expect("<")
        parameters = []
        while self.text != ">":
            parameters.append(self.template_parameter())
            if not self.accept(","):
                break
        self.expect(">")
        if self.text in ("struct", "class") and self.defines():
            made = self.struct(parameters)
            self.expect(";")
            self.leave()
            self.declare(made.name, CLASS)
            return made
        if self.text in ("using", "template"):
            raise outside(f"a template of '{self.text}'", place, "write a function")
        made = self.function_or_variables(parameters)
        if isinstance(made[0], ast.Declaration) and len(made[0].variables) == 1:
            (variable,) = made[0].variables
            self.leave()
            self.declare(variable.name, TEMPLATE)
            return ast.VariableTemplate(place, parameters, variable)
        self.leave()
        if parameters:
            self.declare(made[0].name, TEMPLATE)
        return made[0]

    def template_parameter(self):
        token, type, default, pack = self.token, None, None, False
        if self.text in ("typename", "class"):
            self.next()
            pack = self.accept("...")
            name = self.token if self.text in (",", ">", "=") else self.name("the type")
            self.declare(name.text, TYPE)
            if self.accept("="):
                default = self.type_name()
        else:
            type, _ = self.specifiers()
            if type is None or is_auto(type):
                if type or token.text == "template":
                    what = f"a template parameter that is {token.text}"
                    raise outside(what, token.place, "write a type, or typename T")
                raise self.unknown_type()
            if getattr(type, "name", "") in self.function_types:
                name, type = self.name("the parameter"), ast.FUNCTION
            else:
                pack = self.accept("...")
                name, type = self.parameter_name(type)
            self.declare(name.text, VALUE)
            if self.accept("="):
                closing, self.closing = self.closing, True
                default = self.conditional()
                self.closing = closing
        return ast.TemplateParameter(name.place, name.text, type, default, pack)

    def parameter_name(self, type):
        """The name after a type; float (*F)(float) is a function."""
        if self.text != "(" or self.peek() not in ("*", "&"):
            return self.declarator(type, "the parameter")
        self.next()
        self.next()
        name = self.name("the parameter")
        self.expect(")")
        self.expect("(")
        self.enter()
        self.parameters()
        self.leave()
        return name, ast.FUNCTION

    def simple(self):
        """typedef, using and static_assert, at file level or in a block."""
        if self.text == "typedef":
            return self.typedef()
        place = self.next().place
        if self.tokens[self.at - 1].text == "static_assert":
            return [self.static_assert(place)]
        if self.text == "namespace" or "::" in self.text:
            return self.using(place)
        if (self.text, self.token.place) in self.outer:
            self.next()
            self.expect(";")  # of the whole file, and known here
            return []
        name = self.name("the type")
        if self.text != "=":
            raise outside("a using declaration", place, "write using name = type;")
        self.next()
        self.aliasing = True
        type = self.type_name()
        self.aliasing = False
        self.expect(";")
        if is_function(type):
            self.function_types.add(name.text)
        self.declare(name.text, TYPE)
        return [ast.Alias(name.place, name.text, type)]

    def namespace(self):
        """namespace cg = cooperative_groups; namespace a {...}, whose names stand for
        themselves."""
        place = self.next().place
        if self.text == "{" or self.peek() in ("{", "::"):
            return self.own_namespace()
        if self.token.kind != "id" or self.peek() != "=":
            raise outside("'namespace'", place, "write names without a namespace")
        name = self.name("the namespace").text
        self.next()
        if self.text in self.spaces:
            self.next()
            self.expect(";")
            self.spaces.add(name)
            return []
        self.space()
        self.declare(name + "::", SPACE)
        self.expect(";")
        return []

    def own_namespace(self):
        """The declarations of namespace a::b {...}."""
        while self.text != "{":
            self.spaces.add(self.name("the namespace").text)
            self.accept("::")
        self.expect("{")
        return self.declarations()

    def space(self):
        """The name of a namespace: there is that of cooperative groups only."""
        token = self.token
        if token.kind != "id" or token.text in words.KEYWORDS:
            raise self.expected("the name of a namespace")
        if self.kind_of(token.text + "::") == SPACE:
            return self.next()
        if token.text in ("std", "cuda"):
            note = "NVRTC has no standard library"
            raise outside(f"the namespace {token.text}", token.place, note)
        note = headers.note(token.text)
        raise CompileError(f"'{token.text}' is no namespace", token.place, note)

    def using(self, place):
        """using namespace cg; using cg::sync;"""
        names = [groups.short(self.text)]
        if self.text == "::":
            note = "write the name without ::"
            raise outside("a using declaration", place, note)
        if self.accept("namespace"):
            if self.text in self.spaces:
                self.next()
                self.expect(";")
                return []
            self.space()
            names = [n for n in self.names_of_groups() if not self.kind_of(n)]
        else:
            self.next()
        known = self.names_of_groups()
        for name in names:
            if kind := known.get(name.removeprefix(groups.BROUGHT)):
                self.declare(name.removeprefix(groups.BROUGHT), Imported(kind))
        self.expect(";")
        return []

    def names_of_groups(self):
        """name -> kind of what cooperative groups have here."""
        known = {n: k for n, (k, h) in groups.NAMES.items() if h in self.includes}
        start = len(groups.BROUGHT)
        brought = {n[start:]: k for n, k in self.scopes[1].items()
                   if n.startswith(groups.BROUGHT)}  # fmt: skip
        return {**known, **brought}

    def static_assert(self, place):
        self.expect("(")
        condition, message = self.conditional(), ""
        if self.accept(","):
            if self.token.kind != "string":
                raise self.expected("a text")
            message = self.next().text
        self.expect(")")
        self.expect(";")
        return ast.StaticAssert(place, condition, message)

    def function_or_variables(self, template):
        start = self.token.place
        type, seen = self.specifiers()
        if type is None:
            token = self.token
            if self.text == "std" and self.peek() == "::" or not seen:
                raise self.unknown_type()
            if token.kind == "id" and self.peek() not in ("(", "=", ";"):
                raise self.unknown_type()
            raise CompileError("the type is missing here", token.place, "write void")
        if self.text == ";" and not seen:
            raise outside("a declaration without a name", start)
        at = self.at
        whole = self.pointers(type)
        if self.token.kind == "id" and self.text == "__launch_bounds__":
            self.next()
            seen["__launch_bounds__"] = self.bracketed()
        if self.text == "operator":
            return [self.function(whole, seen, template, self.operator())]
        self.refuse_word()
        named = self.token.kind == "id" and self.peek() == "("
        if template == [] or named and self.is_function():
            return [self.function(whole, seen, template)]
        self.go(at)
        return [self.variables(type, seen)]

    def is_function(self):
        """Is what follows the ( a list of parameters?"""
        at = self.at
        self.go(at + 2)
        found = (
            self.text in (")", "...")
            or self.starts_type()
            or (self.token.kind == "id" and self.tokens[self.at + 1].kind == "id")
            or (self.token.kind == "id" and self.peek() in ("*", "&"))
        )
        self.go(at)
        return found

    def function(self, result, seen, template, name=None):
        name, special = name or self.name("the function"), None
        if template == [] and self.text == "<":
            special = self.template_arguments()
        if template == []:
            special = special or []
        elif template or self.kind_of(name.text) != TEMPLATE:
            self.declare(name.text, TEMPLATE if template else VALUE)
        self.enter()
        self.expect("(")
        self.any_groups = []
        parameters = self.parameters()
        if self.any_groups and template is None:
            template = self.any_groups
        body = None
        if self.accept("->"):
            result = self.type_name()
        if self.text == "noexcept" and "__global__" not in seen:
            self.refuse_word()
        if self.text in ("const", "noexcept"):
            raise CompileError(f"'{self.text}' cannot stand here", self.token.place)
        if not self.accept(";"):
            if self.text != "{":
                raise self.expected("'{' or ';'")
            body = self.block(own=False)
        self.leave()
        return ast.Function(
            name.place, name.text, result, parameters, body, seen, template,
            seen.get("__launch_bounds__"), special,
        )  # fmt: skip

    def lambda_(self):
        """[=, &a](int x) { return x + a; }"""
        place, default, captures = self.next().place, "", {}
        while self.text != "]":
            if self.text in ("=", "&") and self.peek() in (",", "]"):
                default = self.next().text
            else:
                by_reference = self.accept("&")
                captures[self.name("what is captured").text] = by_reference
            if not self.accept(","):
                break
        self.expect("]")
        self.enter()
        parameters, seen = [], {"const": place}
        if self.accept("("):
            parameters = self.parameters()
        if self.token.text == "mutable":
            self.next()
            seen = {}
        result = ast.NamedType(place, "auto", 0)
        if self.accept("->"):
            result = self.type_name()
        closing, self.closing = self.closing, False
        body = self.block(own=False)
        self.closing = closing
        self.leave()
        seen["__device__"] = place
        function = ast.Function(
            place, "operator()", result, parameters, body, seen, None, None, None
        )
        return ast.Lambda(place, default, captures, function)

    def parameters(self):
        """The parameters of a function, up to its )."""
        out = []
        if self.text == "void" and self.peek() == ")":
            self.next()
        while self.text != ")":
            if self.text == "...":
                raise outside("a function with ...", self.token.place)
            type, seen = self.specifiers()
            for word in seen:
                if word != "__grid_constant__":
                    message = f"'{word}' cannot stand before a parameter"
                    raise CompileError(message, self.token.place)
            if type is None:
                raise self.unknown_type()
            if seen and not getattr(type, "quals", 0) & words.QUALIFIERS["const"]:
                message = "a __grid_constant__ parameter must be const"
                raise CompileError(message, seen["__grid_constant__"])
            place = self.token.place
            if getattr(type, "name", "") == groups.THREAD_GROUP:  # any group
                type.name = f"group {len(self.any_groups)}"
                made = ast.TemplateParameter(place, type.name, None, None, False)
                self.any_groups = [*self.any_groups, made]
            name, type = self.declarator(type, "the parameter", abstract=True)
            default = self.assignment() if self.accept("=") else None
            if name:
                self.declare(name.text, VALUE)
            where = name.place if name else place
            out.append(ast.Parameter(where, name.text if name else "", type, default))
            if not self.accept(","):
                break
            if self.text == ")":
                raise self.unknown_type()
        self.expect(")")
        return out

    def variables(self, type, seen):
        """`a = 1, *b, c[2];` after a type."""
        place, out = self.token.place, []
        if getattr(type, "name", "") == groups.THREAD_GROUP:
            type.name = "auto"
        while True:
            name, whole = self.declarator(type)
            self.declare(name.text, VALUE)
            style, init = "", None
            if self.text == "=":
                self.next()
                style = "="
                init = self.items() if self.text == "{" else self.assignment()
            elif self.text == "{":
                style, init = "{", self.items()
            elif self.text == "(":
                place = self.token.place
                if self.peek() == ")":
                    message = f"this declares a function '{name.text}' within another"
                    raise CompileError(message, name.place, "leave the () out")
                style, init = "(", ast.Items(place, self.arguments())
            out.append(ast.Variable(name.place, name.text, whole, init, style, seen))
            if not self.accept(","):
                break
        self.expect(";")
        return ast.Declaration(place, out)

    def block(self, own=True):
        place = self.expect("{").place
        self.deeper()
        if own:
            self.enter()
        statements = []
        while self.text != "}":
            if self.token.kind == "end":
                message = "this '{' is never closed with '}'"
                raise CompileError(message, place)
            statements += self.statement()
        end = self.next().place
        if own:
            self.leave()
        self.depth -= 1
        return ast.Block(place, statements, end)

    def statement(self):
        """The statements that one statement makes (several for a typedef)."""
        text = self.text
        run = STATEMENTS.get(text)
        if run:
            return [run(self)]
        if text in ("typedef", "using", "static_assert"):
            return self.simple()
        if text == "inline" and self.peek() == "namespace":
            text = self.next() and self.text
        if text == "namespace":
            return self.namespace()
        if text == "[" and self.peek() == "[":
            raise self.attribute()
        if self.token.kind == "id":
            if self.defines():
                return self.struct_or_enum()
            behind = self.peek()
            if behind == ":" and self.peek(2) != ":" and text not in ("public",):
                return [self.label()]
            if self.starts_declaration() and not self.is_value_of_type(behind):
                return [self.declaration()]
            if text == "else":
                raise CompileError("this else belongs to no if", self.token.place)
            if text == "template":
                raise CompileError("a template within a function", self.token.place)
            if self.looks_like_unknown_type():
                raise self.unknown_type()
        place = self.token.place
        value = self.expression()
        self.expect(";")
        return [ast.Expression(place, value)]

    def is_value_of_type(self, behind):
        """Is this E::A, or P::f(x), as a statement?"""
        of_type = behind == "::" and self.kind_of(self.text) == TYPE
        return of_type and self.peek(2) not in self.types_of.get(self.text, ())

    def looks_like_unknown_type(self):
        """`itn x`, or `foo* p = ...` where foo is unknown."""
        after, then = self.tokens[self.at + 1], self.peek(2)
        if self.kind_of(self.text) or after.kind == "end":
            return False
        return after.kind == "id" and then in (";", "=", "[", ",", "(", ")")

    def declaration(self):
        type, seen = self.specifiers()
        if type is None:
            if self.token.kind == "id" and self.peek() not in ("=", ";", "["):
                raise self.unknown_type()
            raise CompileError("the type is missing here", self.token.place)
        if self.text == ";":
            raise outside("a declaration without a name", self.token.place)
        return self.variables(type, seen)

    def nested(self):
        """One statement as the body of another, in a scope of its own."""
        self.deeper()
        self.enter()
        place = self.token.place
        made = self.statement()
        self.leave()
        self.depth -= 1
        return ast.Block(place, made, place) if len(made) != 1 else made[0]

    def refuse_declaration(self):
        if self.starts_type() and self.peek() not in ("(", "{"):
            note = "declare the variable in the line before"
            raise outside("a declaration in a condition", self.token.place, note)

    def condition(self):
        """( expression ), or ( declaration )."""
        self.expect("(")
        self.refuse_declaration()
        value = self.expression()
        self.expect(")")
        return value

    def if_(self):
        place = self.next().place
        constant = self.accept("constexpr")
        condition = self.condition()
        yes, no = self.nested(), None
        if self.accept("else"):
            no = self.nested()
        return ast.If(place, condition, yes, no, constant)

    def while_(self):
        place = self.next().place
        return ast.While(place, self.condition(), self.nested())

    def do(self):
        place = self.next().place
        body = self.nested()
        self.expect("while", " after the body of do")
        condition = self.condition()
        self.expect(";")
        return ast.Do(place, body, condition)

    def for_(self):
        place = self.next().place
        self.expect("(")
        self.enter()
        init = None
        if not self.accept(";"):
            if self.starts_declaration():
                self.refuse_range()
                init = self.declaration()
            elif self.looks_like_unknown_type():
                raise self.unknown_type()
            else:
                init = ast.Expression(self.token.place, self.expression())
                self.expect(";")
        self.refuse_declaration()
        condition = None if self.text == ";" else self.expression()
        self.expect(";")
        step = None if self.text == ")" else self.expression()
        self.expect(")")
        body = self.nested()
        self.leave()
        return ast.For(place, init, condition, step, body)

    def refuse_range(self):
        """for (int x : a) stands outside."""
        for ahead in range(1, 6):
            if self.peek(ahead) in (";", "=", ")"):
                return
            if self.peek(ahead) == ":":
                note = "count with an index: for (int i = 0; i < n; i++)"
                raise outside("a range-based for", self.token.place, note)

    def switch(self):
        place = self.next().place
        return ast.Switch(place, self.condition(), self.nested())

    def case(self):
        token = self.next()
        value = self.conditional() if token.text == "case" else None
        self.expect(":")
        return ast.Case(token.place, value)

    def jump(self):
        token = self.next()
        self.expect(";")
        return ast.Jump(token.place, token.text)

    def goto(self):
        place = self.next().place
        name = self.name("the label").text
        self.expect(";")
        return ast.Goto(place, name)

    def label(self):
        name = self.name("the label")
        self.next()
        return ast.Label(name.place, name.text)

    def return_(self):
        place, value = self.next().place, None
        if self.text != ";":
            value = self.items() if self.text == "{" else self.expression()
        self.expect(";")
        return ast.Return(place, value)

    def empty(self):
        return ast.Expression(self.next().place, None)


STATEMENTS = {
    "{": Parser.block, "if": Parser.if_, "while": Parser.while_, "do": Parser.do,
    "for": Parser.for_, "switch": Parser.switch, "case": Parser.case,
    "default": Parser.case, "break": Parser.jump, "continue": Parser.jump,
    "goto": Parser.goto, "return": Parser.return_, ";": Parser.empty,
    "asm": Parser.asm, "__asm__": Parser.asm,
}  # fmt: skip
