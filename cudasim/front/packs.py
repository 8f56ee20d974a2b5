"""Parameter packs: what stands for several types, values or variables."""

from . import ast
from . import ctype as C
from . import tree as T
from .discarded import names_in
from .errors import CompileError, DeductionError, outside
from .groups import Groups

EMPTY = {"&&": "true", "||": "false"}


class Pack(tuple):
    """What the name of a pack stands for: what names of its elements would."""


class Packs(Groups):
    """Expands packs. Each element is the pattern, with the packs' names bound anew."""

    def elements(self, pattern):
        """The names that each element of a pattern binds."""
        names = [n for n in sorted(names_in(pattern)) if isinstance(self.find(n), Pack)]
        packs = [self.find(name) for name in names]
        if len(set(map(len, packs))) != 1:
            message = "'...' needs packs, all of one length, before it"
            raise CompileError(message, pattern.place)
        return [dict(zip(names, row, strict=True)) for row in zip(*packs, strict=True)]

    def expanded(self, items):
        """Expressions, types or lists: what has ... behind it once for each element."""
        out = []
        for item in items:
            if isinstance(item, ast.Expand):
                rows = self.elements(item.pattern)
                out += [ast.Element(item.place, item.pattern, row) for row in rows]
            elif isinstance(item, ast.PackOf):
                types = self.types_in(item)
                out += [ast.NamedType(item.place, type, 0) for type in types]
            else:
                out.append(item)
        return out

    def types_in(self, node):
        """The types that Ts*... is."""
        saved, out = self.scopes, []
        for row in self.elements(node.type):
            self.scopes = [*saved, row]
            out.append(self.type_of(node.type))
        self.scopes = saved
        return out

    def on_element(self, node):
        self.scopes.append(node.names)
        made = self.check(node.pattern)
        self.scopes.pop()
        return made

    def on_fold(self, node):
        """(args + ...), (... + args), (first + ... + args), (args + ... + last)"""
        sides = [s for s in (node.left, node.right) if s is not None]
        packed = [s for s in sides if any(
            isinstance(self.find(name), Pack) for name in names_in(s))]  # fmt: skip
        if len(packed) != 1:
            raise CompileError("one side of a fold must hold a pack", node.place)
        parts = self.expanded([ast.Expand(node.place, packed[0])])
        to_the_right = packed[0] is node.left
        others = [s for s in sides if s is not packed[0]]
        parts = parts + others if to_the_right else others + parts
        if not parts:
            if node.op not in EMPTY:
                message = f"'{node.op}' of an empty pack has no value"
                raise CompileError(message, node.place)
            return self.check(ast.Word(node.place, EMPTY[node.op]))
        made = parts.pop(-1 if to_the_right else 0)
        for part in reversed(parts) if to_the_right else parts:
            pair = (part, made) if to_the_right else (made, part)
            made = ast.Binary(node.place, node.op, *pair)
        return self.check(made)

    def size_of_pack(self, node):
        found = self.find(node.operand.name)
        if not isinstance(found, Pack):
            raise CompileError(f"'{node.operand.name}' is no pack", node.operand.place)
        return T.Literal(node.place, C.ULONG, len(found))

    def refuse_packs(self, node):
        """A struct has none."""
        for parameter in node.template or ():
            if parameter.pack:
                note = "write a template for each number of types"
                raise outside("a struct with a pack", parameter.place, note)

    def bind_pack(self, parameter, values):
        """The elements of a template's pack, as their names would stand for them."""
        if parameter.type is None:
            return Pack(values)
        type = self.type_of(parameter.type).plain
        return Pack(T.EnumValue(type, value) for value in values)

    def deduce_pack(self, pattern, arguments, names, bound, explicit):
        """Match `const Ts&... args` with the arguments that are left."""
        packs = [n for n in names_in(pattern) if n in names and names[n].pack]
        rows = []
        for argument in arguments:
            inner = {n: v for n, v in bound.items() if n not in packs}
            self.deduce(pattern, argument, names, inner, explicit)
            rows.append(inner)
        for name in set(packs) - explicit:
            if any(name not in row for row in rows):
                raise DeductionError(f"the types of {name} cannot be deduced")
            bound[name] = tuple(row[name] for row in rows)

    def unpacked(self, node, kernel):
        """(the parameters of a function, pack -> those that it is)"""
        out, packs = [], {}
        for parameter in node.parameters:
            if isinstance(parameter.type, ast.PackOf):
                made = [
                    self.parameter(
                        ast.Parameter(parameter.place, parameter.name,
                                      ast.NamedType(parameter.place, type, 0), None),
                        kernel,
                    )
                    for type in self.types_in(parameter.type)
                ]  # fmt: skip
                packs[parameter.name] = Pack(made)
            else:
                made = [self.parameter(parameter, kernel)]
            out += made
        return out, packs
