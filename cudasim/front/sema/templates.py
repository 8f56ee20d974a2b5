"""Templates of functions: the instance that a call means, found from its arguments."""

from .. import ast, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, DeductionError
from .discarded import names_in
from .function_declarations import make_instance
from .node_checks import type_of
from .parameter_packs import expand
from .template_arguments import parameters_bound, template_argument
from .values import decayed

MOST_INSTANCES = 300
DEEPEST_TEMPLATE = 20


def deduce_instance(scope, template, name, arguments):
    """The instance of a template that a call means."""
    bound = deduce_arguments(scope, template, name, arguments)
    return instantiate(scope, template, bound, name.place)


def instantiate(scope, template, bound, place):
    """The function that a template makes with these arguments."""
    node = template.node
    with parameters_bound(scope, node.template, bound):
        key = tuple(bound[p.name] for p in node.template)
        if key not in template.instances:
            if scope.instances >= MOST_INSTANCES or scope.depth >= DEEPEST_TEMPLATE:
                raise CompileError("templates make too many functions", place)
            scope.instances += 1
            scope.depth += 1
            template.instances[key] = make_instance(scope, template, key)
            scope.depth -= 1
        return template.instances[key]


def deduce_arguments(scope, template, name, arguments):
    """Parameter's name -> what a call gives it."""
    node, bound = template.node, {}
    given = expand(scope, name.arguments or [])
    packed = any(p.pack for p in node.template)
    if len(given) > len(node.template) and not packed:
        raise DeductionError(f"'{template.name}' has fewer template parameters")
    if len(arguments) > len(node.parameters) and not packed:
        raise DeductionError(f"'{template.name}' takes fewer arguments")
    for parameter, value in zip(node.template, given):  # noqa: B905
        bound[parameter.name] = template_argument(scope, parameter, value)
        if parameter.pack:
            rest = given[node.template.index(parameter) :]
            values = tuple(template_argument(scope, parameter, one) for one in rest)
            bound[parameter.name] = values
    explicit = set(bound)
    names = {p.name: p for p in node.template}
    for parameter, argument in zip(node.parameters, arguments):  # noqa: B905
        if isinstance(parameter.type, ast.PackOf):
            left = arguments[node.parameters.index(parameter) :]
            deduce_pack(scope, parameter.type.type, left, names, bound, explicit)
        else:
            deduce(scope, parameter.type, argument, names, bound, explicit)
    return bound


def deduce(scope, pattern, argument, names, bound, explicit):
    """Match the type of a parameter with that of an argument."""
    type = argument.type
    if isinstance(pattern, ast.ReferenceTo):
        pattern = pattern.to
        if isinstance(pattern, ast.NamedType) and pattern.quals == 0:
            type = type if T.is_lvalue(argument) else type.plain
        else:
            type = type.plain
    else:
        type = decayed(argument).type.plain
        if isinstance(pattern, ast.ArrayOf):
            pattern = ast.PointerTo(pattern.place, pattern.element, 0)
    match_type(scope, pattern, type, names, bound, explicit)


def deduce_pack(scope, pattern, arguments, names, bound, explicit):
    """Match `const Ts&... args` with the arguments that are left."""
    packs = [n for n in names_in(pattern) if n in names and names[n].pack]
    rows = []
    for argument in arguments:
        inner = {n: v for n, v in bound.items() if n not in packs}
        deduce(scope, pattern, argument, names, inner, explicit)
        rows.append(inner)
    for name in set(packs) - explicit:
        if any(name not in row for row in rows):
            raise DeductionError(f"the types of {name} cannot be deduced")
        bound[name] = tuple(row[name] for row in rows)


def match_type(scope, pattern, type, names, bound, explicit):
    if isinstance(pattern, ast.NamedType):
        if not isinstance(pattern.name, (str, C.CType)):
            match_type(scope, pattern.name, type, names, bound, explicit)
        elif pattern.name in names and pattern.name not in explicit:
            if pattern.quals:
                quals = type.quals & ~pattern.quals
                type = type.plain.qualified(quals)
            if bound.setdefault(pattern.name, type) is not type:
                one, other = bound[pattern.name], type
                raise DeductionError(f"{pattern.name} is both {one} and {other}")
    elif isinstance(pattern, ast.TemplateType) and type.plain.__class__ is C.Struct:
        match_class(scope, pattern, type.plain, names, bound, explicit)
    elif isinstance(pattern, ast.TemplateType):
        match_group(scope, pattern, type.plain, names, bound, explicit)
    elif isinstance(pattern, ast.PointerTo) and isinstance(type.plain, C.Pointer):
        if type.plain is not C.NULLPTR:
            match_type(scope, pattern.to, type.plain.to, names, bound, explicit)
    elif isinstance(pattern, ast.ArrayOf) and isinstance(type, C.Array):
        match_type(scope, pattern.element, type.element, names, bound, explicit)
        count = pattern.count
        if isinstance(count, ast.Name) and count.name in names:
            bound.setdefault(count.name, type.count)


def match_class(scope, pattern, struct, names, bound, explicit):
    """S<T> as a parameter, and a struct that is an instance of S."""
    template, key = struct.template or (None, ())
    if template is None or scope.find(pattern.name) is not template:
        return
    match_arguments(scope, pattern.arguments, key, names, bound, explicit)


def match_arguments(scope, arguments, key, names, bound, explicit):
    """The arguments in S<T, 4>, and what they are of an instance."""
    for given, value in zip(arguments, key):  # noqa: B905
        if isinstance(given, ast.TYPES) and isinstance(value, C.CType):
            match_type(scope, given, value, names, bound, explicit)
        elif isinstance(given, ast.Name) and given.name in names:
            bound.setdefault(given.name, value)


def match_group(scope, pattern, type, names, bound, explicit):
    """Tell the template parameters in thread_block_tile<N, P>."""
    open_names = [
        a.name
        for a in pattern.arguments
        if isinstance(a, (ast.Name, ast.NamedType)) and a.name in names
    ]
    if not set(open_names) - explicit:
        return
    tiled = groups.short(pattern.name) == "thread_block_tile"
    if tiled and isinstance(type, groups.Tile):
        match_tile(scope, pattern, type, names, bound, explicit)
    elif isinstance(type, groups.Operation) and type.name.startswith(
        f"cooperative_groups::{groups.short(pattern.name)}<"
    ):
        match_type(scope, pattern.arguments[0], type.value, names, bound, explicit)


def match_tile(scope, pattern, type, names, bound, explicit):
    size, *parent = pattern.arguments
    if parent:
        match_type(scope, parent[0], type.parent, names, bound, explicit)
    elif type.parent is not C.VOID:
        message = f"'{type}' is not yet a thread_block_tile<{type.threads}>"
        raise DeductionError(f"{message}: take the group as typename G")
    if not (isinstance(size, ast.Name) and size.name in names):
        return
    declared = names[size.name].type
    if declared is None or type_of(scope, declared).plain is not C.UINT:
        message = f"{size.name} must be unsigned, as the size of a tile is"
        raise DeductionError(message)
    threads = bound.setdefault(size.name, type.threads)
    if threads != type.threads:
        raise DeductionError(f"{size.name} is both {threads} and {type.threads}")


def deduce_key(scope, template, name, arguments):
    """The template's arguments that a call means."""
    bound = deduce_arguments(scope, template, name, arguments)
    parameters = template.node.template
    with parameters_bound(scope, parameters, bound):
        return tuple(bound[p.name] for p in parameters)
