"""What stands at file level: functions, templates, namespaces."""

from .. import ast, words
from ..errors import CompileError, outside
from ..group_types import CLASS, SPACE
from .cursor import TEMPLATE, TYPE, VALUE, begins
from .parse_expressions import parse_conditional
from .parse_records import (
    parse_operator,
    parse_simple,
    parse_space,
    parse_struct,
    parse_struct_or_enum,
)
from .parse_statements import attribute, parse_block, parse_variables
from .parse_types import (
    defines,
    is_auto,
    parse_bracketed,
    parse_declarator,
    parse_parameters,
    parse_pointers,
    parse_specifiers,
    parse_template_arguments,
    parse_type,
    starts_type,
    unknown_type,
)


def parse_file(cursor):
    """Every declaration of the file."""
    out = []
    while cursor.token.kind != "end":
        if not cursor.accept(";"):
            out += parse_outermost(cursor)
    ahead = [
        ast.StructOf(name.place, name.text, None, None, [], None, None, union, None)
        for name, union in cursor.ahead
    ]
    return ahead + out


def parse_outermost(cursor):
    text = cursor.text
    if declares_printf(cursor):
        return []
    if text == "[" and cursor.peek() == "[":
        raise attribute(cursor)
    if text == "extern" and cursor.tokens[cursor.at + 1].kind == "string":
        return parse_linkage(cursor)
    if text == "template":
        return [parse_template(cursor)]
    if text == "using" or text == "typedef" or text == "static_assert":
        return parse_simple(cursor)
    if text == "inline" and cursor.peek() == "namespace":
        text = cursor.next() and cursor.text
    if text == "namespace":
        return parse_namespace(cursor, in_function=False)
    if defines(cursor):
        return parse_struct_or_enum(cursor)
    return parse_function_or_variables(cursor, None)


def declares_printf(cursor):
    """Step over int printf(const char*, ...), which CUDA has declared."""
    texts = [t.text for t in cursor.tokens[cursor.at : cursor.at + 14] if t.text]
    while texts[:1] in (["extern"], ["static"], ["inline"], ["__device__"]):
        texts.pop(0)
    end = texts.index(";") if ";" in texts else 0
    begins, ends = texts[:3], texts[end - 2 : end]
    is_printf = begins == ["int", "printf", "("] and ends == ["...", ")"]
    while is_printf and cursor.next().text != ";":
        pass
    return is_printf


def parse_linkage(cursor):
    """extern "C" before one declaration, or around several."""
    place, token = cursor.next().place, cursor.token
    language = cursor.next().text
    end = token.place[0], token.place[1] + len(token.text)
    if cursor.token.kind == "id" and cursor.token.place == end:
        message = f"a blank is missing after {token.text}"
        raise CompileError(message, end)
    if language not in ('"C"', '"C++"'):
        raise CompileError(f"unknown language {language}", place)
    if not cursor.accept("{"):
        nodes = [refuse_storage(node) for node in parse_outermost(cursor)]
        return mark_linkage(nodes) if language == '"C"' else nodes
    out = parse_declarations(cursor)
    return mark_linkage(out) if language == '"C"' else out


def parse_declarations(cursor):
    """Those up to a }."""
    cursor.deeper()
    out = []
    while not cursor.accept("}"):
        if cursor.token.kind == "end":
            raise cursor.expected("'}'")
        if not cursor.accept(";"):
            out += parse_outermost(cursor)
    cursor.depth -= 1
    return out


def mark_linkage(nodes):
    """The nodes; functions know that they have C's linkage."""
    for node in nodes:
        if isinstance(node, ast.Function):
            node.specifiers['extern "C"'] = node.place
    return nodes


def refuse_storage(node):
    """extern "C" before one declaration says where it is stored already."""
    parts = node.variables if isinstance(node, ast.Declaration) else [node]
    for part in parts:
        for word in words.STORAGE & set(getattr(part, "specifiers", ())):
            message = f"'{word}' cannot follow extern \"C\""
            raise CompileError(message, part.specifiers[word])
    return node


def parse_template(cursor):
    """template <typename T, int N> before a function."""
    place = cursor.next().place
    cursor.enter()
    if cursor.token.kind == "id":
        node = parse_function_or_variables(cursor, [])[0]
        cursor.leave()
        if not isinstance(node, ast.Function) or node.body is not None:
            raise CompileError("'<' is missing after 'template'", place)
        return node
    cursor.expect("<")
    parameters = []
    while cursor.text != ">":
        parameters.append(parse_template_parameter(cursor))
        if not cursor.accept(","):
            break
    cursor.expect(">")
    if cursor.text in ("struct", "class") and defines(cursor):
        node = parse_struct(cursor, parameters)
        cursor.expect(";")
        cursor.leave()
        cursor.declare(node.name, CLASS)
        return node
    if cursor.text in ("using", "template"):
        raise outside(f"a template of '{cursor.text}'", place, "write a function")
    node = parse_function_or_variables(cursor, parameters)
    if isinstance(node[0], ast.Declaration) and len(node[0].variables) == 1:
        (variable,) = node[0].variables
        cursor.leave()
        cursor.declare(variable.name, TEMPLATE)
        return ast.VariableTemplate(place, parameters, variable)
    cursor.leave()
    if parameters:
        cursor.declare(node[0].name, TEMPLATE)
    return node[0]


def parse_template_parameter(cursor):
    token, type, default, pack = cursor.token, None, None, False
    if cursor.text in ("typename", "class"):
        cursor.next()
        pack = cursor.accept("...")
        name = (
            cursor.token if cursor.text in (",", ">", "=") else cursor.name("the type")
        )
        cursor.declare(name.text, TYPE)
        if cursor.accept("="):
            default = parse_type(cursor)
    else:
        type, _ = parse_specifiers(cursor)
        if type is None or is_auto(type):
            if type or token.text == "template":
                what = f"a template parameter that is {token.text}"
                raise outside(what, token.place, "write a type, or typename T")
            raise unknown_type(cursor)
        if getattr(type, "name", "") in cursor.function_types:
            name, type = cursor.name("the parameter"), ast.FUNCTION
        else:
            pack = cursor.accept("...")
            name, type = parse_parameter_name(cursor, type)
        cursor.declare(name.text, VALUE)
        if cursor.accept("="):
            closing, cursor.closing = cursor.closing, True
            default = parse_conditional(cursor)
            cursor.closing = closing
    return ast.TemplateParameter(name.place, name.text, type, default, pack)


def parse_parameter_name(cursor, type):
    """The name after a type; float (*F)(float) is a function."""
    if cursor.text != "(" or cursor.peek() not in ("*", "&"):
        return parse_declarator(cursor, type, "the parameter")
    cursor.next()
    cursor.next()
    name = cursor.name("the parameter")
    cursor.expect(")")
    cursor.expect("(")
    cursor.enter()
    parse_parameters(cursor)
    cursor.leave()
    return name, ast.FUNCTION


@begins("namespace")
def parse_namespace(cursor, in_function=True):
    """namespace cg = cooperative_groups; namespace a {...}, whose names stand for
    themselves."""
    place = cursor.next().place
    if cursor.text == "{" or cursor.peek() in ("{", "::"):
        if in_function:
            message = "a namespace cannot be defined in a function"
            raise CompileError(message, place, "define it at file level")
        return parse_own_namespace(cursor)
    if cursor.token.kind != "id" or cursor.peek() != "=":
        raise outside("'namespace'", place, "write names without a namespace")
    name = cursor.name("the namespace").text
    cursor.next()
    if cursor.text in cursor.spaces:
        cursor.next()
        cursor.expect(";")
        cursor.spaces.add(name)
        return []
    parse_space(cursor)
    cursor.declare(name + "::", SPACE)
    cursor.expect(";")
    return []


def parse_own_namespace(cursor):
    """The declarations of namespace a::b {...}."""
    while cursor.text != "{":
        cursor.spaces.add(cursor.name("the namespace").text)
        cursor.accept("::")
    cursor.expect("{")
    return parse_declarations(cursor)


def parse_function_or_variables(cursor, template):
    start = cursor.token.place
    type, seen = parse_specifiers(cursor)
    if type is None:
        token = cursor.token
        if cursor.text == "std" and cursor.peek() == "::" or not seen:
            raise unknown_type(cursor)
        if token.kind == "id" and cursor.peek() not in ("(", "=", ";"):
            raise unknown_type(cursor)
        raise CompileError("the type is missing here", token.place, "write void")
    if cursor.text == ";" and not seen:
        raise outside("a declaration without a name", start)
    at = cursor.at
    whole = parse_pointers(cursor, type)
    if cursor.token.kind == "id" and cursor.text == "__launch_bounds__":
        cursor.next()
        seen["__launch_bounds__"] = parse_bracketed(cursor)
    if cursor.text == "operator":
        return [parse_function(cursor, whole, seen, template, parse_operator(cursor))]
    cursor.refuse_word()
    named = cursor.token.kind == "id" and cursor.peek() == "("
    if template == [] or named and begins_function(cursor):
        return [parse_function(cursor, whole, seen, template)]
    cursor.go(at)
    return [parse_variables(cursor, type, seen)]


def begins_function(cursor):
    """Is what follows the ( a list of parameters?"""
    at = cursor.at
    cursor.go(at + 2)
    begins = (
        cursor.text in (")", "...")
        or starts_type(cursor)
        or (cursor.token.kind == "id" and cursor.tokens[cursor.at + 1].kind == "id")
        or (cursor.token.kind == "id" and cursor.peek() in ("*", "&"))
    )
    cursor.go(at)
    return begins


def parse_function(cursor, result, seen, template, name=None):
    name, special = name or cursor.name("the function"), None
    if template == [] and cursor.text == "<":
        special = parse_template_arguments(cursor)
    if template == []:
        special = special or []
    elif template or cursor.kind_of(name.text) != TEMPLATE:
        cursor.declare(name.text, TEMPLATE if template else VALUE)
    cursor.enter()
    cursor.expect("(")
    cursor.any_groups = []
    parameters = parse_parameters(cursor)
    if cursor.any_groups and template is None:
        template = cursor.any_groups
    body = None
    if cursor.accept("->"):
        result = parse_type(cursor)
    if cursor.text == "noexcept" and "__global__" not in seen:
        cursor.refuse_word()
    if cursor.text in ("const", "noexcept"):
        raise CompileError(f"'{cursor.text}' cannot stand here", cursor.token.place)
    if not cursor.accept(";"):
        if cursor.text != "{":
            raise cursor.expected("'{' or ';'")
        body = parse_block(cursor, own=False)
    cursor.leave()
    return ast.Function(
        name.place, name.text, result, parameters, body, seen, template,
        seen.get("__launch_bounds__"), special,
    )  # fmt: skip
