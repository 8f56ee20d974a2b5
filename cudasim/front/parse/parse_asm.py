"""asm statements: they become the C that their PTX means."""

from .. import ast, literals
from ..errors import CompileError, outside
from ..lexer import lex
from .cursor import VALUE, begins
from .parse_expressions import parse_inside
from .parse_statements import parse_statement
from .parse_types import parse_type
from .ptx import CONSTRAINTS, Ptx


@begins("asm", "__asm__")
def parse_asm(cursor):
    place = cursor.next().place
    while cursor.text in ("volatile", "__volatile__"):
        cursor.next()
    cursor.expect("(")
    text, sections = parse_text(cursor), [[]]
    while cursor.text != ")":
        if cursor.text in (":", "::"):
            sections += [[] for _ in cursor.next().text]
        elif not cursor.accept(","):
            sections[-1].append(parse_operand(cursor, len(sections)))
    cursor.expect(")")
    cursor.expect(";")
    outputs, inputs = (*sections[1:3], [], [])[:2]
    operands = [*outputs, *inputs]
    cursor.enter()
    declared = [operand_variable(cursor, i, *o) for i, o in enumerate(operands)]
    statements = [ast.Declaration(place, [v]) for v in declared]
    meant = " ".join(Ptx([o[0][-1] for o in operands], place).lines(text))
    statements += read_as(cursor, f"{{ {meant} }}", parse_statement, place)
    for variable, (_, value) in zip(declared, outputs):  # noqa: B905
        name = ast.Name(place, variable.name, None)
        statements.append(ast.Expression(place, ast.Operand(value.place, value, name)))
    cursor.leave()
    return ast.Block(place, statements, place)


def parse_text(cursor):
    """Adjacent strings as one text; %% is a % of PTX's own registers."""
    if cursor.token.kind != "string":
        raise cursor.expected("the text of PTX")
    text = b""
    while cursor.token.kind == "string":
        token = cursor.next()
        text += bytes(literals.characters(token.text[1:-1], token.place))
    return text.decode().replace("%%", "%")


def parse_operand(cursor, section):
    """("=r", expression); in the list of what is clobbered a name alone."""
    token = cursor.token
    if token.kind != "string":
        raise outside("a named operand", token.place, "write %0, %1, ...")
    cursor.next()
    letters = token.text[1:-1]
    if section > 3:
        return None
    if letters.lstrip("=+&") not in CONSTRAINTS:
        raise outside(f"the constraint {token.text}", token.place)
    cursor.expect("(")
    return letters, parse_inside(cursor, ")")


def operand_variable(cursor, number, letters, value):
    """The variable that an operand is while the asm runs."""
    name, place = f"_{number}", value.place
    type = read_as(cursor, CONSTRAINTS[letters[-1]], parse_type, place)
    init = None
    if letters[-1] == "n":
        init = value
    elif letters[0] != "=":
        init = ast.Cast(place, "asm", type, value)
    cursor.declare(name, VALUE)
    return ast.Variable(place, name, type, init, "=" if init else "", {})


def read_as(cursor, text, run, place):
    """What `run` reads from a text that stands at this place."""
    tokens = lex(text)
    for token in tokens:
        token.place = place
    around, cursor.tokens = (cursor.tokens, cursor.at), tokens
    cursor.go(0)
    tree = run(cursor)
    if cursor.token.kind != "end":
        raise CompileError("this asm cannot be read", place)
    cursor.tokens, at = around
    cursor.go(at)
    return tree
