"""Expressions, by precedence."""

from .. import ast, builtins, headers, words
from ..errors import CompileError, outside
from ..group_types import CLASS
from .cursor import STATEMENTS, TEMPLATE, TYPE
from .parse_types import (
    basic_type,
    is_value_of_type,
    parse_parameters,
    parse_template_arguments,
    parse_type,
    parse_type_word,
    starts_type,
)

CASTS = {"static_cast", "reinterpret_cast", "const_cast"}
PREFIX = {"-", "+", "!", "~", "*", "&", "++", "--"}
MOST_OPERATORS, MOST_CHOICES = 5000, 60


def parse_expression(cursor):
    """An expression, with commas."""
    left = parse_assignment(cursor)
    while cursor.text == ",":
        place = cursor.next().place
        if cursor.text == "...":
            return parse_fold(cursor, place, ",", left)
        left = ast.Binary(place, ",", left, parse_assignment(cursor))
    return left


def parse_assignment(cursor):
    cursor.deeper()
    value = parse_assigned(cursor, parse_conditional(cursor))
    cursor.depth -= 1
    return value


def parse_assigned(cursor, left):
    """left, or left = value."""
    if cursor.text not in words.ASSIGNMENTS:
        return left
    token = cursor.next()
    return ast.Assign(token.place, token.text, left, parse_initializer(cursor))


def parse_initializer(cursor):
    """{a, b}, or an expression without commas."""
    return parse_items(cursor) if cursor.text == "{" else parse_assignment(cursor)


def parse_conditional(cursor):
    chain, last = [], parse_binary(cursor, 1)
    while cursor.text == "?":
        token = cursor.next()
        if len(chain) == MOST_CHOICES:
            raise too_long(token)
        chain.append((token.place, last, parse_inside(cursor, ":")))
        last = parse_binary(cursor, 1)
    if chain:
        last = parse_assigned(cursor, last)
    for place, condition, yes in reversed(chain):
        last = ast.Conditional(place, condition, yes, last)
    return last


def too_long(token):
    message = f"too many '{token.text}' in one expression"
    return CompileError(message, token.place, "split it: keep a part in a variable")


def parse_binary(cursor, level):
    left, count = parse_unary(cursor), 0
    while (precedence := words.LEVELS.get(cursor.text, 0)) >= level:
        if cursor.closing and cursor.text in (">", ">>"):
            break
        token, count = cursor.next(), count + 1
        if count > MOST_OPERATORS:
            raise too_long(token)
        if cursor.text == "...":
            return parse_fold(cursor, token.place, token.text, left)
        right = parse_binary(cursor, precedence + 1)
        left = ast.Binary(token.place, token.text, left, right)
    return left


def parse_fold(cursor, place, op, left):
    """(left op ...), (left op ... op right); left None: (... op right)"""
    cursor.expect("...")
    if cursor.text == ")":
        return ast.Fold(place, op, left, None)
    if left is None:
        place, op = cursor.token.place, cursor.text
    if op not in words.LEVELS and op != "," or cursor.text != op:
        raise outside("such a fold", place, "write (... + args), with brackets")
    cursor.next()
    return ast.Fold(place, op, left, parse_unary(cursor))


def parse_unary(cursor):
    text = cursor.text
    if text in PREFIX:
        cursor.deeper()
        token = cursor.next()
        node = ast.Unary(token.place, token.text, parse_unary(cursor))
        cursor.depth -= 1
        return node
    if text in ("sizeof", "alignof"):
        return parse_sizeof(cursor)
    if text == "(" and type_behind_bracket(cursor):
        cursor.deeper()
        place = cursor.next().place
        type = parse_type(cursor)
        cursor.expect(")")
        if cursor.text == "{":
            raise outside("a compound literal", place, "write T{...}")
        node = ast.Cast(place, "c", type, parse_unary(cursor))
        cursor.depth -= 1
        return node
    return parse_postfix(cursor, parse_primary(cursor))


def type_behind_bracket(cursor):
    """Is this the ( of a cast? T(x) in brackets is not: (float)(x), (float(x))."""
    at = cursor.at
    cursor.go(at + 1)
    is_type = starts_type(cursor)
    called = cursor.peek() == "(" and cursor.text != "decltype"
    if is_type and called and cursor.peek(2) not in ("*", "&"):
        is_type = False
    if is_type and (cursor.peek() == "{" or is_value_of_type(cursor, cursor.peek())):
        is_type = False
    if is_type and cursor.kind_of(cursor.text) == CLASS:
        is_type = is_type_alone(cursor)
    cursor.go(at)
    return is_type


def is_type_alone(cursor):
    """Does nothing but a type stand before the next )?"""
    try:
        parse_type(cursor)
    except CompileError:
        return False
    return cursor.text == ")"


def parse_sizeof(cursor):
    cursor.deeper()
    token = cursor.next()
    if cursor.accept("..."):
        cursor.expect("(")
        name = cursor.name("a pack")
        cursor.expect(")")
        cursor.depth -= 1
        return ast.SizeOf(token.place, "...", ast.Name(name.place, name.text, None))
    if cursor.text == "(" and type_behind_bracket(cursor):
        cursor.next()
        operand = parse_type(cursor)
        cursor.expect(")")
    elif token.text == "alignof":
        raise outside("alignof of a value", token.place, "write alignof(type)")
    else:
        operand = parse_unary(cursor)
    cursor.depth -= 1
    return ast.SizeOf(token.place, token.text, operand)


def parse_postfix(cursor, base):
    while True:
        text = cursor.text
        if text == "[":
            place = cursor.next().place
            base = ast.Index(place, base, parse_inside(cursor, "]"))
        elif text == "(":
            base = ast.Call(base.place, base, parse_arguments(cursor))
        elif text in (".", "->"):
            cursor.next()
            token = cursor.name("a member")
            base = ast.Member(token.place, base, token.text, text == "->")
        elif text in ("++", "--"):
            base = ast.Postfix(cursor.next().place, text, base)
        elif text == "<<<":
            note = "launches are made from Python: kernel(grid, block, args)"
            raise outside("a kernel launch <<<...>>>", cursor.token.place, note)
        else:
            return base


def parse_inside(cursor, close):
    """An expression up to a bracket that closes."""
    closing, cursor.closing = cursor.closing, False
    value = parse_expression(cursor)
    cursor.closing = closing
    cursor.expect(close)
    return value


def parse_arguments(cursor, close=")"):
    """(a, b) or {a, b}."""
    cursor.next()
    closing, cursor.closing = cursor.closing, False
    items = []
    while cursor.text != close:
        items.append(parse_initializer(cursor))
        if cursor.text == "...":
            items[-1] = ast.Expand(cursor.next().place, items[-1])
        if not cursor.accept(","):
            break
        if cursor.text == close and close == ")":
            raise CompileError("an argument is missing here", cursor.token.place)
    cursor.closing = closing
    cursor.expect(close)
    return items


def parse_items(cursor):
    """{a, {b, c}}"""
    cursor.deeper()
    place = cursor.token.place
    if cursor.peek() == ".":
        raise outside("a designated initializer", place, "give the values in order")
    items = ast.Items(place, parse_arguments(cursor, "}"))
    cursor.depth -= 1
    return items


def parse_primary(cursor):
    token, text = cursor.token, cursor.text
    kind = token.kind
    if kind == "id":
        return parse_word(cursor)
    if kind == "number":
        return ast.Number(cursor.next().place, token.text)
    if text == "(":
        cursor.deeper()
        cursor.next()
        if cursor.text == "...":
            value = parse_fold(cursor, token.place, "", None)
            cursor.expect(")")
        else:
            value = parse_inside(cursor, ")")
        cursor.depth -= 1
        return value
    if kind == "string":
        texts = []
        while cursor.token.kind == "string":
            texts.append(cursor.next().text)
        return ast.String(token.place, texts)
    if kind == "char":
        return ast.Character(cursor.next().place, token.text)
    if text == "::":
        raise outside("'::' before a name", token.place, "leave it out")
    if text == "[":
        return parse_lambda(cursor)
    if kind == "raw":
        raise outside("a raw string", token.place, 'write "..." with escapes')
    if kind == "bad":
        raise meaningless(cursor, token)
    raise cursor.expected("an expression")


def meaningless(cursor, token):
    if token.text in "\"'":
        return CompileError(f"this {token.text} has no partner", token.place)
    if token.text == "\\" and cursor.peek()[:1] in ("u", "U"):
        return outside("a universal character name", token.place)
    shown = token.text if token.text.isprintable() else repr(token.text)[1:-1]
    return CompileError(f"the character '{shown}' has no meaning here", token.place)


def parse_word(cursor):
    """A name, a word that is a value, or a type used as a function."""
    token, text = cursor.token, cursor.text
    if text in CASTS:
        return parse_named_cast(cursor)
    if text == "this":
        return ast.This(cursor.next().place)
    if text in ("true", "false", "nullptr"):
        return ast.Word(cursor.next().place, text)
    kind = cursor.kind_of(text)
    if text in words.BASIC or text == "decltype" or kind in (TYPE, CLASS):
        return parse_construct(cursor)
    if text in words.KEYWORDS:
        cursor.refuse_word()
        raise cursor.expected("an expression")
    cursor.next()
    if text in ("u8", "u", "U", "L") and cursor.token.kind in ("string", "char"):
        raise outside(f"{text} before a text", token.place, "leave it out")
    if cursor.text == "<" and kind is None and headers.is_outside(text):
        raise outside(f"'{text}'", token.place, headers.note(text))
    if cursor.text == "<" and kind is None and text in headers.GONE:
        note = headers.GONE[text]
        raise CompileError(f"unknown type name '{text}'", token.place, note)
    if cursor.text == "::":
        raise qualified(cursor, token)
    name = cursor.meant(text)
    if kind == TEMPLATE and cursor.text == "<":
        return ast.Name(token.place, name, parse_template_arguments(cursor))
    return ast.Name(token.place, name, None)


def qualified(cursor, token):
    """The refusal of std::max and of other names with ::."""
    rest = cursor.peek()
    note = "write the name without a namespace"
    if token.text == "std":
        instead = rest if rest in builtins.NAMES else "arrays and CUDA's functions"
        note = f"NVRTC has no standard library: use {instead}"
    elif token.text == "cuda":
        note = headers.note(rest) or note
    return outside(f"'{token.text}::{rest}'", token.place, note)


def parse_named_cast(cursor):
    token = cursor.next()
    cursor.expect("<")
    type = parse_type(cursor)
    cursor.expect(">")
    cursor.expect("(")
    return ast.Cast(token.place, token.text, type, parse_inside(cursor, ")"))


def parse_construct(cursor):
    """float(x), float4{a, b, c, d}, Enum::VALUE"""
    token = cursor.token
    if cursor.text in words.BASIC:
        cursor.next()
        type = ast.NamedType(token.place, basic_type([token.text], token.place), 0)
    else:
        type = parse_type_word(cursor)
        if cursor.accept("::"):
            name = cursor.name("a value of the enum")
            return ast.Member(name.place, type, name.text, False)
    if cursor.text == "{":
        return ast.Construct(token.place, type, parse_items(cursor).items, True)
    if cursor.text != "(":
        message = f"the type '{token.text}' cannot stand in an expression"
        raise CompileError(message, token.place, "a cast is (T)x or T(x)")
    return ast.Construct(token.place, type, parse_arguments(cursor), False)


def parse_lambda(cursor):
    """[=, &a](int x) { return x + a; }"""
    place, default, captures = cursor.next().place, "", {}
    while cursor.text != "]":
        if cursor.text in ("=", "&") and cursor.peek() in (",", "]"):
            default = cursor.next().text
        else:
            by_reference = cursor.accept("&")
            captures[cursor.name("what is captured").text] = by_reference
        if not cursor.accept(","):
            break
    cursor.expect("]")
    cursor.enter()
    parameters, seen = [], {"const": place}
    if cursor.accept("("):
        parameters = parse_parameters(cursor)
    if cursor.token.text == "mutable":
        cursor.next()
        seen = {}
    result = ast.NamedType(place, "auto", 0)
    if cursor.accept("->"):
        result = parse_type(cursor)
    closing, cursor.closing = cursor.closing, False
    body = STATEMENTS["{"](cursor, own=False)
    cursor.closing = closing
    cursor.leave()
    seen["__device__"] = place
    function = ast.Function(
        place, "operator()", result, parameters, body, seen, None, None, None
    )
    return ast.Lambda(place, default, captures, function)
