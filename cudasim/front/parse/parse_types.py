"""Types, declarators, and parameters.

Types and expressions need each other: int a[n + 1], sizeof(int[4]).
"""

from .. import ast, ctype as C, group_types as groups, headers, words
from ..errors import CompileError, meant, outside
from ..group_types import CLASS
from . import parse_expressions
from .cursor import TYPE, VALUE

TAGS = ("struct", "class", "union", "enum")
# The words of a type -> the type that C makes of them.
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


def is_function_type(type):
    """Is this float (*)(float)?"""
    to = type.to if isinstance(type, ast.PointerTo) else None
    return isinstance(getattr(to, "name", None), ast.FunctionOf)


def starts_type(cursor):
    """Does a type begin here?"""
    text = cursor.text
    if not text:
        return False
    if text in words.BASIC or text in words.QUALIFIERS:
        return True
    if text in ("struct", "enum", "auto", "typename", "union", "class", "decltype"):
        return True
    return cursor.token.kind == "id" and cursor.kind_of(text) in (TYPE, CLASS)


def starts_declaration(cursor):
    text = cursor.text
    return (
        starts_type(cursor)
        or text in words.SPECIFIERS
        or text in ("__align__", "alignas", "typedef", "using", "static_assert")
    )


def parse_specifiers(cursor):
    """The (type, specifiers) at the head of a declaration.

    specifiers: word -> place; `__align__` and `__launch_bounds__` map to their
    arguments.
    """
    seen, quals, basic, named, restrict = {}, 0, [], None, None
    place = cursor.token.place
    while cursor.token.kind == "id":
        text = cursor.text
        if text in words.QUALIFIERS:
            restrict = cursor.token.place if "restrict" in text else restrict
            quals |= words.QUALIFIERS[cursor.next().text]
        elif text in words.SPECIFIERS:
            refuse_second(cursor, seen)
            seen[text] = cursor.next().place
        elif text in ("__launch_bounds__", "__align__", "alignas"):
            cursor.next()
            seen[text] = parse_bracketed(cursor)
        elif text in words.BASIC:
            basic.append(cursor.next().text)
        else:
            cursor.refuse_word()
            word = None if basic or named else parse_type_word(cursor)
            if word is None:
                break
            named = word
    if basic:
        if named:
            raise CompileError("two types in one declaration", place)
        named = ast.NamedType(place, basic_type(basic, place), 0)
    plain = isinstance(named, ast.NamedType) and named.name in C.NAMED
    alias = isinstance(getattr(named, "name", None), str) and not plain
    if restrict and not alias:  # a name may stand for a pointer
        message = "'__restrict__' must follow the * of a pointer"
        raise CompileError(message, restrict)
    if named:
        named.quals |= quals
    return named, seen


def refuse_second(cursor, seen):
    """Refuse a second storage class, and inline or constexpr said twice."""
    for family in words.ONCE:
        before = [word for word in seen if word in family]
        if cursor.text in family and before:
            message = f"'{cursor.text}' and '{before[0]}' cannot stand together"
            note = "write one of them, once"
            raise CompileError(message, cursor.token.place, note)


def parse_type_word(cursor):
    """A type of one word that is not among C's own; None if there is none."""
    text = cursor.text
    if text in TAGS:
        return parse_tagged(cursor)
    if text == "typename":
        return parse_member_type(cursor)
    if text == "decltype":
        return parse_decltype(cursor)
    if text == "auto" or cursor.kind_of(text) == TYPE:
        type = ast.NamedType(cursor.next().place, cursor.meant(text), 0)
        if cursor.text == "::" and cursor.peek() in cursor.types_of.get(text, ()):
            cursor.next()
            type = ast.MemberType(type.place, type, cursor.next().text, 0)
        return type
    return parse_class_template(cursor) if cursor.kind_of(text) == CLASS else None


def parse_decltype(cursor):
    """decltype(a + b)"""
    place = cursor.next().place
    cursor.expect("(")
    if cursor.text == "auto":
        raise outside("decltype(auto)", place, "write auto")
    bare = cursor.text != "("
    return ast.TypeOf(place, parse_expressions.parse_inside(cursor, ")"), bare, 0)


def parse_member_type(cursor):
    """typename S<T>::type"""
    place = cursor.next().place
    owner = parse_type_word(cursor)
    while owner is not None and cursor.accept("::"):
        owner = ast.MemberType(place, owner, cursor.name("the type").text, 0)
    if not isinstance(owner, ast.MemberType):
        raise CompileError("typename stands before S<T>::name", place)
    return owner


def parse_class_template(cursor):
    """thread_block_tile<32> and the like; its name alone within its own struct."""
    token, name = cursor.token, cursor.meant(cursor.text)
    cursor.next()
    if cursor.text != "<":
        if name != token.text or "::" in name:
            raise cursor.expected(f"'<' after '{token.text}'")
        return ast.NamedType(token.place, name, 0)
    return ast.TemplateType(token.place, name, parse_template_arguments(cursor), 0)


def parse_bracketed(cursor):
    """(a, b) after __launch_bounds__ or __align__."""
    cursor.expect("(")
    items = [parse_expressions.parse_conditional(cursor)]
    while cursor.accept(","):
        items.append(parse_expressions.parse_conditional(cursor))
    cursor.expect(")")
    return items


def basic_type(basic, place):
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


def parse_tagged(cursor):
    """struct P or enum E used as a type; its own body is read by the statement."""
    token = cursor.next()
    if cursor.text in ("{", "class", "struct") or cursor.peek() == "{":
        raise outside(
            f"{token.text} defined within a declaration",
            token.place,
            f"define the {token.text} first, in a statement of its own",
        )
    if cursor.kind_of(cursor.text) == CLASS:
        return parse_class_template(cursor)
    name = cursor.name(f"the {token.text}")
    if cursor.kind_of(name.text) != TYPE:
        if token.text == "enum" or not (cursor.text == "*" or cursor.aliasing):
            raise CompileError(f"unknown {token.text} '{name.text}'", name.place)
        cursor.ahead.append((name, token.text == "union"))
        cursor.scopes[1][name.text] = TYPE
    return ast.NamedType(name.place, name.text, 0)


def unknown_type(cursor):
    """The error where a type should stand and does not."""
    cursor.refuse_word()
    token = cursor.token
    if token.kind == "id" and token.text not in words.KEYWORDS:
        if token.text == "std":
            raise outside(
                "std::", token.place, "NVRTC has no standard library: sqrtf, fmaxf"
            )
        if headers.is_outside(token.text):
            return outside(f"'{token.text}'", token.place, headers.note(token.text))
        message = f"unknown type name '{token.text}'"
        return CompileError(message, token.place, nearest_type(cursor, token.text))
    if token.text == "}":
        return CompileError("this '}' closes no '{'", token.place)
    return cursor.expected("a type")


def nearest_type(cursor, name):
    """The note for an unknown type: what to write, or the nearest known type."""
    if note := headers.note(name):
        return note
    types = {n for s in cursor.scopes for n, kind in s.items() if kind == TYPE}
    return meant(name, types | words.BASIC)


def parse_declarator(cursor, type, what="the variable", abstract=False):
    """(name token or None, type) of `* const a[3]` and the like."""
    type = parse_pointers(cursor, type)
    if abstract and cursor.text == "...":
        type = ast.PackOf(cursor.next().place, type)
    if cursor.text == "(" and cursor.peek() in ("*", "&", "("):
        return parse_grouped(cursor, type, what, abstract)
    name = None
    if cursor.text == "[" and not abstract and is_auto(type):
        note = "write a variable for each part"
        raise outside("a structured binding", cursor.token.place, note)
    if not abstract or (cursor.token.kind == "id" and cursor.text not in ("operator",)):
        name = cursor.name(what)
    if cursor.text == "::":
        raise outside("'::'", cursor.token.place, "write names without a namespace")
    return name, parse_arrays(cursor, type)


def parse_pointers(cursor, type):
    while cursor.text in ("*", "&", "&&"):
        token = cursor.next()
        if token.text == "&&":
            raise outside("an rvalue reference", token.place, "write const T&")
        if token.text == "&":
            type = ast.ReferenceTo(token.place, type)
            continue
        quals = 0
        while cursor.text in words.QUALIFIERS:
            quals |= words.QUALIFIERS[cursor.next().text]
        type = ast.PointerTo(token.place, type, quals)
    return type


def parse_grouped(cursor, type, what, abstract):
    """`(*a)[3]`, `(&a)[3]`: what stands inside binds first."""
    cursor.deeper()
    opened = cursor.next()
    hole = ast.NamedType(opened.place, None, 0)
    name, inner = parse_declarator(cursor, hole, what, abstract)
    cursor.expect(")")
    if cursor.text == "(":
        place = cursor.next().place
        cursor.enter()
        types = [parameter.type for parameter in parse_parameters(cursor)]
        cursor.leave()
        hole.name = ast.FunctionOf(place, type, types)
    else:
        hole.name = parse_arrays(cursor, type)
    cursor.depth -= 1
    return name, inner


def parse_arrays(cursor, type):
    """The [n][m] after a name."""
    if cursor.text != "[":
        return type
    place, count = cursor.next().place, None
    if cursor.text != "]":
        count = parse_expressions.parse_conditional(cursor)
    cursor.expect("]")
    cursor.deeper()
    array = ast.ArrayOf(place, parse_arrays(cursor, type), count)
    cursor.depth -= 1
    return array


def parse_type(cursor):
    """A type without a name, as in casts and sizeof."""
    type, seen = parse_specifiers(cursor)
    if type is None:
        raise unknown_type(cursor)
    for word, place in seen.items():
        raise CompileError(f"'{word}' cannot stand here", place)
    name, type = parse_declarator(cursor, type, abstract=True)
    if name is not None:
        raise CompileError(f"'{name.text}' cannot stand here", name.place)
    return type


def parse_parameters(cursor):
    """The parameters of a function, up to its )."""
    out = []
    if cursor.text == "void" and cursor.peek() == ")":
        cursor.next()
    while cursor.text != ")":
        if cursor.text == "...":
            raise outside("a function with ...", cursor.token.place)
        type, seen = parse_specifiers(cursor)
        for word in seen:
            if word != "__grid_constant__":
                message = f"'{word}' cannot stand before a parameter"
                raise CompileError(message, cursor.token.place)
        if type is None:
            raise unknown_type(cursor)
        if seen and not getattr(type, "quals", 0) & words.QUALIFIERS["const"]:
            message = "a __grid_constant__ parameter must be const"
            raise CompileError(message, seen["__grid_constant__"])
        place = cursor.token.place
        if getattr(type, "name", "") == groups.THREAD_GROUP:  # any group
            type.name = f"group {len(cursor.any_groups)}"
            parameter = ast.TemplateParameter(place, type.name, None, None, False)
            cursor.any_groups = [*cursor.any_groups, parameter]
        name, type = parse_declarator(cursor, type, "the parameter", abstract=True)
        default = None
        if cursor.accept("="):
            default = parse_expressions.parse_assignment(cursor)
        if name:
            cursor.declare(name.text, VALUE)
        where = name.place if name else place
        out.append(ast.Parameter(where, name.text if name else "", type, default))
        if not cursor.accept(","):
            break
        if cursor.text == ")":
            raise unknown_type(cursor)
    cursor.expect(")")
    return out


def is_value_of_type(cursor, behind):
    """Is this E::A, or P::f(x), as a statement?"""
    of_type = behind == "::" and cursor.kind_of(cursor.text) == TYPE
    return of_type and cursor.peek(2) not in cursor.types_of.get(cursor.text, ())


def defines(cursor):
    """Does a struct or an enum with a body begin here?"""
    if cursor.text not in TAGS:
        return False
    at = 1
    while cursor.peek(at) in ("class", "struct"):
        at += 1
    if cursor.peek(at) in ("__align__", "alignas"):
        return True
    if cursor.peek(at + 1) == "<" and cursor.kind_of(cursor.peek(at)) == CLASS:
        return body_ahead(cursor, at + 1)
    return cursor.peek(at) == "{" or cursor.peek(at + 1) in ("{", ":", ";")


def body_ahead(cursor, at):
    """Does a { follow the <...> that begins so far ahead?"""
    for token in cursor.tokens[cursor.at + at :]:
        if token.text in ("{", ";", "(", "="):
            return token.text == "{"
    return False


def parse_template_arguments(cursor):
    """<float, 4> after the name of a template."""
    cursor.deeper()
    cursor.expect("<")
    closing, cursor.closing = cursor.closing, True
    items = []
    while cursor.text != ">":
        is_type = starts_type(cursor)
        read = parse_type if is_type else parse_expressions.parse_conditional
        items.append(read(cursor))
        if not cursor.accept(","):
            break
    cursor.closing = closing
    cursor.expect(">")
    cursor.depth -= 1
    return items
