"""asm statements: they become the C that their PTX means."""

from . import ast, literals
from .cursor import VALUE
from .errors import CompileError, outside
from .lexer import lex
from .parse_records import Records
from .ptx import CONSTRAINTS, Ptx


class Asm(Records):
    """Reads asm("..." : outputs : inputs : clobbers);"""

    def asm(self):
        place = self.next().place
        while self.text in ("volatile", "__volatile__"):
            self.next()
        self.expect("(")
        text, sections = self.text_of_asm(), [[]]
        while self.text != ")":
            if self.text in (":", "::"):
                sections += [[] for _ in self.next().text]
            elif not self.accept(","):
                sections[-1].append(self.operand(len(sections)))
        self.expect(")")
        self.expect(";")
        outputs, inputs = (*sections[1:3], [], [])[:2]
        operands = [*outputs, *inputs]
        self.enter()
        declared = [self.variable(i, *o) for i, o in enumerate(operands)]
        made = [ast.Declaration(place, [v]) for v in declared]
        meant = " ".join(Ptx([o[0][-1] for o in operands], place).lines(text))
        made += self.meaning(f"{{ {meant} }}", place)
        for variable, (_, value) in zip(declared, outputs):  # noqa: B905
            name = ast.Name(place, variable.name, None)
            made.append(ast.Expression(place, ast.Operand(value.place, value, name)))
        self.leave()
        return ast.Block(place, made, place)

    def text_of_asm(self):
        """Adjacent strings as one text; %% is a % of PTX's own registers."""
        if self.token.kind != "string":
            raise self.expected("the text of PTX")
        text = b""
        while self.token.kind == "string":
            token = self.next()
            text += bytes(literals.characters(token.text[1:-1], token.place))
        return text.decode().replace("%%", "%")

    def operand(self, section):
        """("=r", expression); in the list of what is clobbered a name alone."""
        token = self.token
        if token.kind != "string":
            raise outside("a named operand", token.place, "write %0, %1, ...")
        self.next()
        letters = token.text[1:-1]
        if section > 3:
            return None
        if letters.lstrip("=+&") not in CONSTRAINTS:
            raise outside(f"the constraint {token.text}", token.place)
        self.expect("(")
        return letters, self.inside(")")

    def variable(self, number, letters, value):
        """The variable that an operand is while the asm runs."""
        name, place = f"_{number}", value.place
        type = self.read_as(CONSTRAINTS[letters[-1]], self.type_name, place)
        init = None
        if letters[-1] == "n":
            init = value
        elif letters[0] != "=":
            init = ast.Cast(place, "asm", type, value)
        self.declare(name, VALUE)
        return ast.Variable(place, name, type, init, "=" if init else "", {})

    def meaning(self, text, place):
        return self.read_as(text, self.statement, place)

    def read_as(self, text, run, place):
        """What `run` reads from a text that stands at this place."""
        tokens = lex(text)
        for token in tokens:
            token.place = place
        kept = self.tokens, self.at
        self.tokens = tokens
        self.go(0)
        made = run()
        if self.token.kind != "end":
            raise CompileError("this asm cannot be read", place)
        self.tokens = kept[0]
        self.go(kept[1])
        return made
