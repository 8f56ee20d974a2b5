"""struct and enum, typedef and using."""

from .. import ast, group_types as groups, headers, words
from ..errors import CompileError, outside
from ..group_types import CLASS, SPACE
from .cursor import TYPE, VALUE, Imported, begins
from .parse_expressions import (
    parse_arguments,
    parse_conditional,
    parse_initializer,
    parse_items,
)
from .parse_statements import parse_block, parse_static_assert, parse_variables
from .parse_types import (
    TAGS,
    defines,
    is_function_type,
    parse_bracketed,
    parse_declarator,
    parse_parameters,
    parse_pointers,
    parse_specifiers,
    parse_template_arguments,
    parse_type,
    parse_type_word,
    unknown_type,
)

OPERATORS = {
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "~", "!", "==", "!=", "<", ">",
    "<=", ">=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "=", "[]",
    "()", "++", "--", "&&", "||", "->",
}  # fmt: skip
ACCESS = ("public", "private", "protected")


def parse_typedef(cursor):
    place, nodes = cursor.next().place, []
    if defines(cursor):
        nodes = [parse_typedef_struct(cursor)]
        type = ast.NamedType(place, nodes[0].name, 0)
    else:
        cursor.aliasing = True
        type, _ = parse_specifiers(cursor)
    if type is None:
        raise unknown_type(cursor)
    while cursor.text != ";":
        cursor.aliasing = True
        name, whole = parse_declarator(cursor, type, "the type")
        cursor.aliasing = False
        if is_function_type(whole):
            cursor.function_types.add(name.text)
        if not nodes or whole is not type or name.text != nodes[0].name:
            cursor.declare(name.text, TYPE)
            nodes.append(ast.Alias(name.place, name.text, whole))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return nodes


def parse_typedef_struct(cursor):
    """typedef struct {...} P: the struct is named P."""
    record = parse_enum(cursor) if cursor.text == "enum" else parse_struct(cursor)
    if record.name is None:
        record.name = cursor.token.text
        cursor.declare(record.name, TYPE)
    return record


@begins(*TAGS)
def parse_struct_or_enum(cursor):
    """A definition, and perhaps variables of the type that it defines."""
    is_enum = cursor.text == "enum"
    record = parse_enum(cursor) if is_enum else parse_struct(cursor)
    named = cursor.token.kind == "id" and cursor.text not in words.KEYWORDS
    if cursor.text == "*" or named and cursor.peek() in (";", ",", "=", "[", "{"):
        if is_enum:
            note = "declare it in a statement of its own"
            what = "a variable declared after an enum"
            raise outside(what, cursor.token.place, note)
        return [record, parse_variables(cursor, type_made(cursor, record), {})]
    if not is_enum and record.name is None:
        raise outside("a struct without a name", record.place, "give it one")
    if cursor.text != ";" and cursor.token.kind == "id":
        raise cursor.expected("';'")
    cursor.expect(";")
    return [record]


def type_made(cursor, record):
    """The type that a definition makes, by a name that no text has if by none."""
    if record.name is None:
        record.name = "the struct of line {}:{}".format(*record.place)
        cursor.declare(record.name, TYPE)
    return ast.NamedType(record.place, record.name, 0)


def parse_struct(cursor, template=None):
    """struct P {...}, without its ;. template: the parameters before it."""
    union, align, special = cursor.text == "union", None, None
    place = cursor.next().place
    if cursor.text in ("__align__", "alignas"):
        cursor.next()
        align = parse_bracketed(cursor)[0]
    name = None
    if cursor.text != "{":
        before = cursor.kind_of(cursor.text)
        name = cursor.name("the struct")
        if template == [] or (cursor.text == "<" and before == CLASS):
            special = parse_template_arguments(cursor)
        place = name.place
        cursor.declare(name.text, CLASS if template or special else TYPE)
    if cursor.text == ";":
        return ast.StructOf(
            place, name.text, None, align, [], template, special, union, None
        )
    base = parse_base(cursor) if cursor.accept(":") else None
    cursor.expect("{")
    cursor.enter()
    for inner in cursor.types_of.get(getattr(base, "name", None), ()):
        cursor.declare(inner, TYPE)
    members, outer, cursor.later = [], cursor.later, []
    owner = name.text if name else None
    while not cursor.accept("}"):
        members += parse_members(cursor, owner)
    methods, cursor.later = parse_bodies(cursor), outer
    cursor.types_of[owner] = {n for n, k in cursor.scopes[-1].items() if k == TYPE}
    cursor.leave()
    return ast.StructOf(
        place, owner, members, align, methods, template, special, union, base
    )


def parse_base(cursor):
    """The type after struct D :"""
    if cursor.text in ACCESS:
        cursor.next()
    place, base = cursor.token.place, parse_type_word(cursor)
    if base is None:
        raise unknown_type(cursor)
    if cursor.text == ",":
        raise outside("a second base", cursor.token.place, "make it a member")
    base.place = place
    return base


def parse_members(cursor, owner):
    """One line of a struct; methods are kept for later: their bodies may name
    what follows."""
    token = cursor.token
    if cursor.accept(";"):
        return []
    if token.kind == "end":
        raise cursor.expected("'}'")
    if cursor.text in ACCESS:
        cursor.next()
        cursor.expect(":")
        return []
    if cursor.text in ("using", "typedef", "static_assert"):
        return parse_simple(cursor)
    if cursor.text in ("template", "friend", "virtual"):
        cursor.refuse_word()
        what = "a template within a struct"
        raise outside(what, token.place, "write a function beside it")
    if defines(cursor) and cursor.text == "enum":
        return parse_struct_or_enum(cursor)
    if defines(cursor):
        record = parse_struct(cursor)
        unnamed, type = record.name is None, type_made(cursor, record)
        if not cursor.accept(";"):
            return [record, *parse_fields(cursor, type, {})]
        hidden = ast.Variable(record.place, f"in {record.name}", type, None, "", {})
        return [record, hidden] if unnamed else [record]
    at, seen = cursor.at, {}
    while cursor.text in words.SPECIFIERS or cursor.text == "explicit":
        token = cursor.next()
        seen[token.text] = token.place
    if cursor.text == "~":
        raise outside("a destructor", cursor.token.place, "write a function")
    is_constructor = cursor.text == owner and cursor.peek() == "("
    if is_constructor or cursor.text == "operator":
        read = parse_constructor if is_constructor else parse_conversion
        return read(cursor, seen)
    cursor.go(at)
    type, seen = parse_specifiers(cursor)
    if type is None:
        raise unknown_type(cursor)
    return parse_fields(cursor, type, seen)


def parse_fields(cursor, type, seen):
    """`int a = 1, *b;`, or one method."""
    at, whole = cursor.at, parse_pointers(cursor, type)
    if cursor.text == "operator":
        return parse_method(cursor, parse_operator(cursor), whole, seen)
    if cursor.token.kind == "id" and cursor.peek() == "(":
        return parse_method(cursor, cursor.name("the method"), whole, seen)
    cursor.go(at)
    out = []
    while True:
        name, whole = parse_declarator(cursor, type, "the member")
        if cursor.text == ":":
            raise outside("a bit field", name.place)
        cursor.declare(name.text, VALUE)
        init = None
        if cursor.accept("="):
            init = parse_initializer(cursor)
        elif cursor.text == "{":
            init = parse_items(cursor)
        out.append(ast.Variable(name.place, name.text, whole, init, "", seen))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return out


def parse_operator(cursor):
    """The name after `operator`: one token, as "operator+"."""
    token = cursor.next()
    symbol = cursor.next().text
    if symbol in ("(", "["):
        symbol += cursor.expect({"(": ")", "[": "]"}[symbol]).text
    name = renamed(token, f"operator{symbol}")
    if symbol not in OPERATORS:
        raise outside(f"operator {symbol}", token.place)
    return name


def parse_constructor(cursor, seen):
    return parse_method(cursor, renamed(cursor.next(), ""), None, seen)


def parse_conversion(cursor, seen):
    """operator T*(): what a struct can be taken for."""
    at = cursor.at
    if cursor.peek() in OPERATORS:
        raise CompileError("the type is missing here", cursor.token.place)
    cursor.go(at + 1)
    type, _ = parse_specifiers(cursor)
    if type is None:
        raise unknown_type(cursor)
    result = parse_pointers(cursor, type)
    token = cursor.tokens[at]
    return parse_method(cursor, renamed(token, "operator "), result, seen)


def renamed(token, text):
    return type(token)("id", text, token.place)


def parse_method(cursor, name, result, seen):
    """A method up to its body, which is read by `bodies`."""
    if name.text:
        cursor.declare(name.text, VALUE)
    cursor.enter()
    cursor.expect("(")
    parameters = parse_parameters(cursor)
    while cursor.text in ("const", "noexcept"):
        token = cursor.next()
        seen[token.text] = token.place
    scope, method = cursor.scopes.pop(), None
    if cursor.accept("="):  # default, or delete
        if cursor.text not in ("default", "delete"):
            raise cursor.expected("'default' or 'delete'")
        default = cursor.next().text == "default"
        cursor.expect(";")
        if default and not name.text and not parameters:
            body = ast.Block(name.place, [], name.place)
            method = method_of(name, None, [], body, {"__device__": name.place})
            cursor.later.append((method, None, None))
        return []
    if cursor.text == ";":
        what = "a method that is defined elsewhere"
        raise outside(what, name.place, "write its body here")
    method = method_of(name, result, parameters, None, seen)
    cursor.later.append((method, scope, cursor.at))
    if cursor.accept(":"):
        while cursor.text not in ("{", ""):
            cursor.next()  # the member's name
            if cursor.text == "<":
                parse_template_arguments(cursor)
            step_over(cursor)
            if not cursor.accept(","):
                break
    step_over(cursor, "{")
    return []


def method_of(name, result, parameters, body, seen):
    return ast.Function(
        name.place, name.text, result, parameters, body, seen, None, None, None
    )


def step_over(cursor, wanted=None):
    """Step over what stands in brackets."""
    if wanted is None and cursor.text not in ("(", "{"):
        raise cursor.expected("'('")
    opened, depth = cursor.expect(wanted or cursor.text), 1
    while depth:
        if cursor.token.kind == "end":
            raise CompileError("this bracket is never closed", opened.place)
        depth += (cursor.text in ("(", "{")) - (cursor.text in (")", "}"))
        cursor.next()


def parse_bodies(cursor):
    """The methods of a struct, their bodies read now that all members are known."""
    end, out, later = cursor.at, [], cursor.later
    for method, scope, at in later:
        out.append(method)
        if method.body is not None:
            continue
        cursor.scopes.append(scope)
        cursor.go(at)
        first = parse_initializers(cursor) if cursor.accept(":") else []
        method.body = parse_block(cursor, own=False)
        method.body.statements[:0] = first
        cursor.scopes.pop()
    cursor.go(end)
    return out


def parse_initializers(cursor):
    """`: a(x), b{y}` of a constructor, as assignments."""
    out = []
    while True:
        name = cursor.token
        base = parse_type_word(cursor)
        if base is None:
            cursor.name("the member")
        if cursor.text not in ("(", "{"):
            raise cursor.expected("'('")
        place, close = cursor.token.place, ")" if cursor.text == "(" else "}"
        value = ast.Items(place, parse_arguments(cursor, close))
        member = name.text if base is None else ast.BASE
        target = ast.Member(name.place, ast.This(name.place), member, True)
        assign = ast.Assign(name.place, "=", target, value)
        out.append(ast.Expression(name.place, assign))
        if not cursor.accept(","):
            return out


def parse_enum(cursor):
    place = cursor.next().place
    scoped = cursor.text in ("class", "struct")
    if scoped:
        cursor.next()
    name = None if cursor.text == "{" else cursor.name("the enum")
    if name:
        cursor.declare(name.text, TYPE)
    base = parse_type(cursor) if cursor.accept(":") else None
    cursor.expect("{")
    values = []
    while cursor.text != "}":
        token = cursor.name("a value of the enum")
        value = parse_conditional(cursor) if cursor.accept("=") else None
        values.append((token.place, token.text, value))
        if not scoped:
            cursor.declare(token.text, VALUE)
        if not cursor.accept(","):
            break
    cursor.expect("}")
    where = name.place if name else place
    return ast.EnumOf(where, name.text if name else None, scoped, values, base)


@begins("typedef", "using", "static_assert")
def parse_simple(cursor):
    """typedef, using and static_assert, at file level or in a block."""
    if cursor.text == "typedef":
        return parse_typedef(cursor)
    place = cursor.next().place
    if cursor.tokens[cursor.at - 1].text == "static_assert":
        return [parse_static_assert(cursor, place)]
    if cursor.text == "namespace" or "::" in cursor.text:
        return parse_using(cursor, place)
    if (cursor.text, cursor.token.place) in cursor.outer:
        cursor.next()
        cursor.expect(";")  # of the whole file, and known here
        return []
    name = cursor.name("the type")
    if cursor.text != "=":
        raise outside("a using declaration", place, "write using name = type;")
    cursor.next()
    cursor.aliasing = True
    type = parse_type(cursor)
    cursor.aliasing = False
    cursor.expect(";")
    if is_function_type(type):
        cursor.function_types.add(name.text)
    cursor.declare(name.text, TYPE)
    return [ast.Alias(name.place, name.text, type)]


def parse_using(cursor, place):
    """using namespace cg; using cg::sync;"""
    names = [groups.short(cursor.text)]
    if cursor.text == "::":
        note = "write the name without ::"
        raise outside("a using declaration", place, note)
    if cursor.accept("namespace"):
        if cursor.text in cursor.spaces:
            cursor.next()
            cursor.expect(";")
            return []
        parse_space(cursor)
        names = [n for n in names_of_groups(cursor) if not cursor.kind_of(n)]
    else:
        cursor.next()
    groups_here = names_of_groups(cursor)
    for name in names:
        if kind := groups_here.get(name.removeprefix(groups.BROUGHT)):
            cursor.declare(name.removeprefix(groups.BROUGHT), Imported(kind))
    cursor.expect(";")
    return []


def parse_space(cursor):
    """The name of a namespace: there is that of cooperative groups only."""
    token = cursor.token
    if token.kind != "id" or token.text in words.KEYWORDS:
        raise cursor.expected("the name of a namespace")
    if cursor.kind_of(token.text + "::") == SPACE:
        return cursor.next()
    if token.text in ("std", "cuda"):
        note = "NVRTC has no standard library"
        raise outside(f"the namespace {token.text}", token.place, note)
    note = headers.note(token.text)
    raise CompileError(f"'{token.text}' is no namespace", token.place, note)


def names_of_groups(cursor):
    """name -> kind of what cooperative groups have here."""
    included = {n: k for n, (k, h) in groups.NAMES.items() if h in cursor.includes}
    start = len(groups.BROUGHT)
    brought = {n[start:]: k for n, k in cursor.scopes[1].items()
               if n.startswith(groups.BROUGHT)}  # fmt: skip
    return {**included, **brought}
