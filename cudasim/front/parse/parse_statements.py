"""Statements, and the variables that they declare."""

from .. import ast, group_types as groups
from ..errors import CompileError, outside
from .cursor import STATEMENTS, VALUE, begins
from .parse_expressions import (
    parse_arguments,
    parse_conditional,
    parse_expression,
    parse_initializer,
    parse_items,
)
from .parse_types import (
    TAGS,
    defines,
    is_value_of_type,
    parse_declarator,
    parse_specifiers,
    starts_declaration,
    starts_type,
    unknown_type,
)


@begins("{")
def parse_block(cursor, own=True):
    place = cursor.expect("{").place
    cursor.deeper()
    if own:
        cursor.enter()
    statements = []
    while cursor.text != "}":
        if cursor.token.kind == "end":
            message = "this '{' is never closed with '}'"
            raise CompileError(message, place)
        statements += parse_statement(cursor)
    end = cursor.next().place
    if own:
        cursor.leave()
    cursor.depth -= 1
    return ast.Block(place, statements, end)


def parse_statement(cursor):
    """The statements that one statement makes (several for a typedef)."""
    text = cursor.text
    if text == "inline" and cursor.peek() == "namespace":
        text = cursor.next() and cursor.text
    run = STATEMENTS.get(text)
    if run and (text not in TAGS or defines(cursor)):
        nodes = run(cursor)
        return nodes if isinstance(nodes, list) else [nodes]
    if text == "[" and cursor.peek() == "[":
        raise attribute(cursor)
    if cursor.token.kind == "id":
        behind = cursor.peek()
        if behind == ":" and cursor.peek(2) != ":" and text not in ("public",):
            return [parse_label(cursor)]
        if starts_declaration(cursor) and not is_value_of_type(cursor, behind):
            return [parse_declaration(cursor)]
        if text == "else":
            raise CompileError("this else belongs to no if", cursor.token.place)
        if text == "template":
            raise CompileError("a template within a function", cursor.token.place)
        if looks_like_unknown_type(cursor):
            raise unknown_type(cursor)
    place = cursor.token.place
    value = parse_expression(cursor)
    cursor.expect(";")
    return [ast.Expression(place, value)]


def looks_like_unknown_type(cursor):
    """`itn x`, or `foo* p = ...` where foo is unknown."""
    after, then = cursor.tokens[cursor.at + 1], cursor.peek(2)
    if cursor.kind_of(cursor.text) or after.kind == "end":
        return False
    return after.kind == "id" and then in (";", "=", "[", ",", "(", ")")


def parse_declaration(cursor):
    type, seen = parse_specifiers(cursor)
    if type is None:
        if cursor.token.kind == "id" and cursor.peek() not in ("=", ";", "["):
            raise unknown_type(cursor)
        raise CompileError("the type is missing here", cursor.token.place)
    if cursor.text == ";":
        raise outside("a declaration without a name", cursor.token.place)
    return parse_variables(cursor, type, seen)


def parse_variables(cursor, type, seen):
    """`a = 1, *b, c[2];` after a type."""
    place, out = cursor.token.place, []
    if getattr(type, "name", "") == groups.THREAD_GROUP:
        type.name = "auto"
    while True:
        name, whole = parse_declarator(cursor, type)
        cursor.declare(name.text, VALUE)
        style, init = "", None
        if cursor.text == "=":
            cursor.next()
            style = "="
            init = parse_initializer(cursor)
        elif cursor.text == "{":
            style, init = "{", parse_items(cursor)
        elif cursor.text == "(":
            place = cursor.token.place
            if cursor.peek() == ")":
                message = f"this declares a function '{name.text}' within another"
                raise CompileError(message, name.place, "leave the () out")
            style, init = "(", ast.Items(place, parse_arguments(cursor))
        out.append(ast.Variable(name.place, name.text, whole, init, style, seen))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return ast.Declaration(place, out)


def parse_nested(cursor):
    """One statement as the body of another, in a scope of its own."""
    cursor.deeper()
    cursor.enter()
    place = cursor.token.place
    nodes = parse_statement(cursor)
    cursor.leave()
    cursor.depth -= 1
    return ast.Block(place, nodes, place) if len(nodes) != 1 else nodes[0]


def refuse_declaration(cursor):
    if starts_type(cursor) and cursor.peek() not in ("(", "{"):
        note = "declare the variable in the line before"
        raise outside("a declaration in a condition", cursor.token.place, note)


def parse_condition(cursor):
    """( expression ), or ( declaration )."""
    cursor.expect("(")
    refuse_declaration(cursor)
    value = parse_expression(cursor)
    cursor.expect(")")
    return value


@begins("if")
def parse_if(cursor):
    place = cursor.next().place
    constant = cursor.accept("constexpr")
    condition = parse_condition(cursor)
    yes, no = parse_nested(cursor), None
    if cursor.accept("else"):
        no = parse_nested(cursor)
    return ast.If(place, condition, yes, no, constant)


@begins("while")
def parse_while(cursor):
    place = cursor.next().place
    return ast.While(place, parse_condition(cursor), parse_nested(cursor))


@begins("do")
def parse_do(cursor):
    place = cursor.next().place
    body = parse_nested(cursor)
    cursor.expect("while", " after the body of do")
    condition = parse_condition(cursor)
    cursor.expect(";")
    return ast.Do(place, body, condition)


@begins("for")
def parse_for(cursor):
    place = cursor.next().place
    cursor.expect("(")
    cursor.enter()
    init = None
    if not cursor.accept(";"):
        if starts_declaration(cursor):
            refuse_range(cursor)
            init = parse_declaration(cursor)
        elif looks_like_unknown_type(cursor):
            raise unknown_type(cursor)
        else:
            init = ast.Expression(cursor.token.place, parse_expression(cursor))
            cursor.expect(";")
    refuse_declaration(cursor)
    condition = None if cursor.text == ";" else parse_expression(cursor)
    cursor.expect(";")
    step = None if cursor.text == ")" else parse_expression(cursor)
    cursor.expect(")")
    body = parse_nested(cursor)
    cursor.leave()
    return ast.For(place, init, condition, step, body)


def refuse_range(cursor):
    """for (int x : a) stands outside."""
    for ahead in range(1, 6):
        if cursor.peek(ahead) in (";", "=", ")"):
            return
        if cursor.peek(ahead) == ":":
            note = "count with an index: for (int i = 0; i < n; i++)"
            raise outside("a range-based for", cursor.token.place, note)


@begins("switch")
def parse_switch(cursor):
    place = cursor.next().place
    return ast.Switch(place, parse_condition(cursor), parse_nested(cursor))


@begins("case", "default")
def parse_case(cursor):
    token = cursor.next()
    value = parse_conditional(cursor) if token.text == "case" else None
    cursor.expect(":")
    return ast.Case(token.place, value)


@begins("break", "continue")
def parse_jump(cursor):
    token = cursor.next()
    cursor.expect(";")
    return ast.Jump(token.place, token.text)


@begins("goto")
def parse_goto(cursor):
    place = cursor.next().place
    name = cursor.name("the label").text
    cursor.expect(";")
    return ast.Goto(place, name)


def parse_label(cursor):
    name = cursor.name("the label")
    cursor.next()
    return ast.Label(name.place, name.text)


@begins("return")
def parse_return(cursor):
    place, value = cursor.next().place, None
    if cursor.text != ";":
        value = parse_items(cursor) if cursor.text == "{" else parse_expression(cursor)
    cursor.expect(";")
    return ast.Return(place, value)


@begins(";")
def parse_empty(cursor):
    return ast.Expression(cursor.next().place, None)


def parse_static_assert(cursor, place):
    cursor.expect("(")
    condition, message = parse_conditional(cursor), ""
    if cursor.accept(","):
        if cursor.token.kind != "string":
            raise cursor.expected("a text")
        message = cursor.next().text
    cursor.expect(")")
    cursor.expect(";")
    return ast.StaticAssert(place, condition, message)


def attribute(cursor):
    return outside("an attribute [[...]]", cursor.token.place, "leave it out")
