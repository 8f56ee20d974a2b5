"""Structs: members, methods, and templates of structs."""

import dataclasses

from .. import ast, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, DeductionError, outside
from .check_types import MOST_BYTES
from .cooperative_groups import type_of_group
from .function_bodies import require_body
from .function_calls import CONVERSION
from .function_declarations import check_specifiers, declare_function
from .inheritance import CONSTRUCTOR, base_of
from .initializers import initialize, is_trivial
from .node_checks import check, checks, type_of
from .symbols import ClassTemplate, ImplicitMember, Methods
from .template_arguments import parameters_bound, template_argument, template_arguments
from .templates import match_arguments
from .values import constant_integer, constant_value

MOST_PARTS = 1 << 12  # of a struct: it is copied number by number


def member_names(fields):
    """The names of (name, type), with those within a struct that has no name."""
    out = []
    for name, type in fields:
        inner = [(n, t) for n, (t, _) in getattr(type, "fields", {}).items()]
        out += [name] if name.isidentifier() else member_names(inner)
    return out


@checks(ast.StructOf)
def check_struct(scope, node):
    """struct P {...}; the struct's name is known before its members."""
    refuse_packs(node)
    names, name = scope.names[-1], node.name
    if name is None:
        raise CompileError("a struct that stands here needs a name", node.place)
    kind = C.Union if node.union else C.Struct
    shown = name.replace(groups.BROUGHT, "cooperative_groups::")
    template = names.get(name)
    if node.special is not None:
        specialize(scope, node)
    elif node.template is not None:
        if not isinstance(template, ClassTemplate):
            scope.add(name, ClassTemplate(node), node.place)
        elif node.members is not None:
            template.node = node
    elif node.members is None:
        if template is None:
            scope.add(name, kind(shown), node.place)
    else:
        if not (isinstance(template, C.Struct) and not template.complete):
            template = kind(shown)
            scope.add(name, template, node.place)
        for method in complete_struct(scope, template, node):
            require_body(scope, method)
    return None, True


def refuse_packs(node):
    """A struct has none."""
    for parameter in node.template or ():
        if parameter.pack:
            note = "write a template for each number of types"
            raise outside("a struct with a pack", parameter.place, note)


def specialize(scope, node):
    template = scope.find(node.name)
    if not isinstance(template, ClassTemplate):
        raise CompileError(f"'{node.name}' is no template", node.place)
    parameters = template.node.template
    if len(node.special) != len(parameters):
        message = f"'{node.name}' takes {len(parameters)} template arguments"
        raise CompileError(message, node.place)
    if node.template:
        template.partial.append(node)
        return
    key = template_arguments(scope, parameters, node.special)
    template.special[key] = node


def choose_definition(scope, template, key, bound, place):
    """(definition, what its parameters are) of an instance."""
    matches = []
    for node in template.partial:
        inner = specialization_arguments(scope, node, template.node.template, key)
        matches += [] if inner is None else [(node, inner)]
    least = min((len(node.template) for node, _ in matches), default=0)
    matches = [one for one in matches if len(one[0].template) == least]
    if key in template.special or not matches:
        return template.special.get(key, template.node), bound
    if len(matches) > 1:
        what = f"a choice between specializations of '{template.name}'"
        raise outside(what, place, "write the one that is meant out")
    return matches[0]


def specialization_arguments(scope, node, parameters, key):
    """What the parameters of a partial specialization are where it fits `key`."""
    bound = {}
    try:
        names = {p.name: p for p in node.template}
        match_arguments(scope, node.special, key, names, bound, set())
        with parameters_bound(scope, node.template, bound):
            arguments = template_arguments(scope, parameters, node.special)
    except DeductionError:
        return None
    return bound if arguments == key else None


@checks(ast.TemplateType)
def template_type(scope, node, _):
    """S<float, 4>, or a type of cooperative groups: thread_block_tile<32>."""
    template = scope.find(node.name)
    if isinstance(template, C.Struct):  # within the struct: another instance
        template = (template.template or [None])[0]
    if template is None or isinstance(template, C.CType):
        instance = type_of_group(scope, node)
    else:
        instance = class_instance(scope, template, node)
    return instance.qualified(node.quals)


def class_instance(scope, template, node):
    """The struct that S<float, 4> names."""
    parameters, bound = template.node.template, {}
    if len(node.arguments) > len(parameters):
        message = f"'{template.name}' has fewer template parameters"
        raise CompileError(message, node.place)
    for parameter, value in zip(parameters, node.arguments):  # noqa: B905
        bound[parameter.name] = template_argument(scope, parameter, value)
    with parameters_bound(scope, parameters, bound):
        key = tuple(bound[p.name] for p in parameters)
        if key not in template.instances:
            kind = C.Union if template.node.union else C.Struct
            instance = kind(f"{template.name}<{', '.join(map(str, key))}>")
            instance.template = template, key
            template.instances[key] = instance
            defined, bound = choose_definition(scope, template, key, bound, node.place)
            if defined.members is None:
                raise CompileError(f"'{instance}' is not defined yet", node.place)
            with parameters_bound(scope, defined.template or (), bound):
                complete_struct(scope, instance, defined)
        return template.instances[key]


def complete_struct(scope, struct, node):
    """Lay out the members, and declare the methods, whose bodies wait."""
    align = 1
    if node.align is not None:
        align = constant_integer(scope, node.align, "an alignment")
        if align < 1 or align & (align - 1) or align > 128:
            raise CompileError("an alignment is a power of two", node.place)
    inner, fields, seen = {node.name: struct}, [], set()
    around = scope.names
    if node.base is not None:
        struct.base = base_of(scope, node.base)
        scope.names = [*around, struct.base.names]
        if struct.base.fields:
            fields.append((ast.BASE, struct.base))
        if not is_trivial(struct.base):
            struct.defaults[ast.BASE] = ast.Items(node.place, [])
    scope.names = [*scope.names, inner]
    for member in node.members:
        if getattr(member, "name", None) in seen:
            raise CompileError(f"a second member '{member.name}'", member.place)
        seen.add(getattr(member, "name", ""))
        if not isinstance(member, ast.Variable):
            check(scope, member)
        elif "static" in member.specifiers:
            check_static_member(scope, member)
        else:
            fields.append((member.name, field_type(scope, member)))
            names = member_names(fields[-1:])
            inner.update({name: ImplicitMember(name) for name in names})
            if member.init is not None:
                struct.defaults[member.name] = member.init
    if sum(t.size for _, t in fields) >= MOST_BYTES:
        raise CompileError("this struct is too large", node.place)
    if sum(t.parts for _, t in fields) > MOST_PARTS:
        what = f"a struct of more than {MOST_PARTS:,} numbers"
        raise outside(what, node.place, "use an array")
    struct.complete_with(fields, align)
    struct.names = inner
    methods = [declare_method(scope, struct, method) for method in node.methods]
    scope.names = around
    if struct.base:
        struct.names = {**struct.base.names, **inner}
        for name, inherited in struct.base.methods.items():
            if name not in (CONSTRUCTOR, CONVERSION, "operator="):
                struct.methods.setdefault(name, inherited)
    return [method for method in methods if method is not None]


def check_static_member(scope, member):
    """static constexpr int N = 4;"""
    type = type_of(scope, member.type)
    if member.init is None or not (type.const or "constexpr" in member.specifiers):
        note = "write static constexpr, or a __device__ variable"
        raise outside("a static member that varies", member.place, note)
    value = initialize(scope, type.plain, member.init, member.place)
    message = "a static member needs a value that is known when compiling"
    value = constant_value(value, message, member.place)
    scope.add(member.name, T.EnumValue(type.plain, value), member.place)


def field_type(scope, field):
    type = type_of(scope, field.type)
    groups.refuse_group(type, "a member that is", field.place)
    if isinstance(type, C.Reference):
        raise outside("a reference in a struct", field.place, "use a pointer")
    if type.size == 0:
        message = f"a member cannot have the incomplete type '{type}'"
        raise CompileError(message, field.place)
    if type.plain is not type:
        raise outside("a const member", field.place, "leave const out")
    return type


def declare_method(scope, struct, node):
    """The Function of a method of the device; of a template it is checked at its
    first call."""
    words = dict(node.specifiers)
    const, static = words.pop("const", None), words.pop("static", None)
    if "__device__" not in words:  # of the host
        return None
    explicit = words.pop("explicit", None) is not None
    node = dataclasses.replace(node, specifiers=words)
    check_specifiers(node)
    is_constructor = node.name == CONSTRUCTOR
    if is_constructor:
        node.result = ast.NamedType(node.place, struct, 0)
    function = declare_function(scope, node)
    function.explicit = explicit
    if is_constructor:
        function.name, function.makes = struct.name, struct
        struct.idle |= not (node.parameters or node.body.statements)
    elif not static:
        type = struct.qualified(C.CONST) if const else struct
        this = T.Variable("this", type.reference(), "parameter", node.place)
        function.parameters.insert(0, this)
    methods = Methods(node.name, [], bool(static) or is_constructor)
    overloads = struct.methods.setdefault(node.name, methods)
    overloads.functions.append(function)
    if node.name:
        scope.names[-1][node.name] = overloads
    scope.pending[function] = [*scope.names], node
    return function


def field_of(base, node):
    """base.name, for a base that is checked."""
    type = base.type.plain
    groups.refuse_group(type, f"'{node.name}' without () of", node.place)
    if not isinstance(type, C.Struct):
        pointer = isinstance(type, C.Pointer)
        note = "write -> instead of ." if pointer else ""
        raise CompileError(f"'{type}' has no members", node.place, note)
    value = type.names.get(node.name)
    if isinstance(value, T.EnumValue):  # a static member
        literal = T.Literal(node.place, value.type, value.value)
        return T.Comma(node.place, value.type, base, literal)
    for hidden, (inner, _) in type.fields.items():
        own = hidden.isidentifier() or node.name in type.fields
        if not own and node.name in member_names([(hidden, inner)]):
            quals = base.type.quals
            base = T.Field(node.place, inner.qualified(quals), base, hidden)
            return field_of(base, node)
    if node.name not in type.fields:
        fields = [(name, inner) for name, (inner, _) in type.fields.items()]
        members = ", ".join(member_names(fields)) or "none"
        message = f"'{type}' has no member '{node.name}'"
        raise CompileError(message, node.place, f"its members are {members}")
    if isinstance(type, C.Union) and not T.is_lvalue(base):
        note = "put the union into a variable first"
        raise outside("a member of a union that is a result", node.place, note)
    if isinstance(base, T.VariableRef):
        base.variable.used = True
    inner, _ = type.fields[node.name]
    return T.Field(node.place, inner.qualified(base.type.quals), base, node.name)


def static_value(scope, node):
    """S::N, E::A: a value that a type has."""
    type = type_of(scope, node.base).plain
    groups.refuse_group(type, f"'::{node.name}' of", node.place)
    if isinstance(type, C.Enum) and node.name in type.values:
        return T.Literal(node.place, type, type.values[node.name])
    value = getattr(type, "names", {}).get(node.name)
    if not isinstance(value, T.EnumValue):
        raise CompileError(f"'{type}' has no value '{node.name}'", node.place)
    return T.Literal(node.place, value.type, value.value)


def method_named(type, name, place):
    """The methods of a struct's name, or the error that names the others."""
    methods = type.plain.methods.get(name)
    if methods is None:
        names = ", ".join(n for n in type.plain.methods if n.isidentifier())
        note = f"it has {names}" if names else ""
        raise CompileError(f"'{type}' has no function '{name}'", place, note)
    return methods
