"""Expressions: literals, names, members, casts, sizeof."""

from .. import ast, builtins, ctype as C, literals, tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .check_structs import field_of, static_value
from .check_variables import typed_initializer
from .conversions import cast
from .function_calls import construct, user_conversion
from .inheritance import downcast, inherits, is_struct, note_escape
from .initializers import initialize
from .node_checks import check, checks, type_of
from .parameter_packs import size_of_pack
from .symbols import CapturedReference, ImplicitMember
from .template_arguments import parameters_bound, template_argument
from .values import (
    check_unevaluated,
    constant_value,
    read,
    require_complete,
    this_object,
)


@checks(ast.Number)
def check_number(scope, node):
    value, type = literals.number(node.text, node.place)
    return T.Literal(node.place, type, value)


@checks(ast.Character)
def check_character(scope, node):
    value = literals.character(node.text, node.place)
    return T.Literal(node.place, C.CHAR, value)


@checks(ast.String)
def check_string(scope, node):
    text = b"".join(literals.characters(t[1:-1], node.place) for t in node.texts)
    type = C.CHAR.qualified(C.CONST).array(len(text) + 1)
    return T.StringLiteral(node.place, type, text)


@checks(ast.Word)
def check_word(scope, node):
    if node.text == "nullptr":
        return T.Literal(node.place, C.NULLPTR, 0)
    return T.Literal(node.place, C.BOOL, int(node.text == "true"))


@checks(ast.Name)
def check_name(scope, node):
    entity = scope.find(node.name, node.place)
    if isinstance(entity, ast.VariableTemplate):
        return variable_instance(scope, entity, node)
    if isinstance(entity, CapturedReference):
        member = ast.Member(node.place, None, node.name, False)
        pointer = read(scope, field_of(this_object(scope, node.place), member))
        return T.Deref(node.place, pointer.type.plain.to, pointer)
    if isinstance(entity, ImplicitMember):
        member = ast.Member(node.place, None, node.name, False)
        return field_of(this_object(scope, node.place), member)
    if isinstance(entity, T.Variable):
        type = entity.type
        if isinstance(type, C.Reference):
            type = type.to
        return T.VariableRef(node.place, type, entity)
    if isinstance(entity, T.EnumValue):
        literal = T.Literal(node.place, entity.type, entity.value)
        zero = entity.value == 0 and not isinstance(entity.type, C.Enum)
        # A template's 0 is no null pointer, as a 0 that is written is.
        return T.Unary(node.place, entity.type, "+", literal) if zero else literal
    if isinstance(entity, C.CType):
        raise CompileError(f"'{node.name}' is a type", node.place)
    if entity is not None or node.name in builtins.NAMES:
        return T.Literal(node.place, C.FUNCTION, node.name)
    raise scope.undeclared(node.name, node.place)


def variable_instance(scope, template, node):
    """pi<float>: a constant."""
    variable, place = template.variable, node.place
    given = node.arguments or []
    bound = {p.name: template_argument(scope, p, a)
             for p, a in zip(template.template, given)}  # noqa: B905  # fmt: skip
    with parameters_bound(scope, template.template, bound):
        type, value = typed_initializer(scope, variable)
    message = "a variable template needs a value that is known when compiling"
    number = constant_value(value, message, variable.place)
    return T.Literal(place, type.plain, number)


@checks(ast.Member)
def check_member(scope, node):
    if isinstance(node.base, ast.TYPES):
        return static_value(scope, node)
    if isinstance(node.base, ast.This):
        return field_of(this_object(scope, node.place), node)
    base = check(scope, node.base)
    if node.arrow:
        base = read(scope, base)
        if not isinstance(base.type.plain, C.Pointer):
            note = "write . instead of ->"
            message = f"'->' needs a pointer, not '{base.type.plain}'"
            raise CompileError(message, node.place, note)
        base = T.Deref(node.place, base.type.plain.to, base)
    return field_of(base, node)


@checks(ast.Cast)
def check_cast(scope, node):
    type = type_of(scope, node.type)
    if isinstance(type, C.Reference):
        return reference_cast(scope, node, type)
    operand = check(scope, node.operand)
    if type.plain is not C.VOID or isinstance(operand.type, C.FunctionType):
        operand = read(scope, operand)
    elif isinstance(operand, T.VariableRef):
        operand.variable.used = True
    if isinstance(type, C.Array):
        raise CompileError(f"nothing can be cast to '{type}'", node.place)
    operand = user_conversion(scope, operand, type, explicit=True)
    down = node.style == "static_cast" and downcast(operand.type, type)
    return cast("c" if down else node.style, operand, type, node.place)


def reference_cast(scope, node, type):
    """reinterpret_cast<int&>(x): the same bytes as another type."""
    operand = check(scope, node.operand)
    related = inherits(type.to.plain, operand.type.plain)
    if not related and node.style not in ("reinterpret_cast", "c"):
        raise outside(f"{node.style} to a reference", node.place, "use a pointer")
    if not T.is_lvalue(operand) or isinstance(operand.type, C.FunctionType):
        raise CompileError("a reference needs an lvalue", node.place)
    if node.style == "reinterpret_cast" and operand.type.quals & ~type.to.quals:
        raise CompileError("that would drop const", node.place)
    note_escape(scope, operand)
    pointer = T.AddressOf(node.place, operand.type.pointer(), operand)
    converted = T.Convert(node.place, type.to.pointer(), pointer)
    require_complete(type.to, node.place)
    return T.Deref(node.place, type.to, converted)


@checks(ast.Construct)
def check_construct(scope, node):
    """T(x) is a cast; T{...} an initialization; dim3(a, b) CUDA's own."""
    type = type_of(scope, node.type).plain
    if isinstance(type, C.Reference):
        raise outside("a reference made by T(x)", node.place)
    own = is_struct(type) and not node.braces
    if own and (constructed := construct(scope, type, node.arguments, node.place)):
        return constructed
    pair = len(node.arguments) == 2 and type in (C.HALF2, C.BFLOAT162)
    if node.braces or type is C.DIM3 or pair:
        items = ast.Items(node.place, node.arguments)
        return initialize(scope, type, items, node.place)
    if len(node.arguments) != 1 or isinstance(node.arguments[0], ast.Items):
        if type is C.VOID:
            raise outside("void() as a value", node.place, "write return;")
        if not node.arguments:
            return initialize(scope, type, ast.Items(node.place, []), node.place)
        note = f"write make_{type}(...)" if type in C.VECTORS.values() else ""
        message = f"'{type}' cannot be made from {len(node.arguments)} values"
        raise CompileError(message, node.place, note)
    return check_cast(scope, ast.Cast(node.place, "c", node.type, node.arguments[0]))


@checks(ast.SizeOf)
def check_sizeof(scope, node):
    if node.what == "...":
        return size_of_pack(scope, node)
    if isinstance(node.operand, ast.TYPES):
        measured = type_of(scope, node.operand)
    else:
        measured = check_unevaluated(scope, node.operand).type
    if isinstance(measured, C.Reference):
        measured = measured.to
    refuse_group(measured, "the size of", node.place)
    if measured.size == 0:
        raise CompileError(f"'{measured}' has no size", node.place)
    size = measured.size if node.what == "sizeof" else measured.align
    return T.Literal(node.place, C.ULONG, size)


@checks(ast.Items)
def check_items(scope, node):
    raise CompileError("a list in { } cannot stand here", node.place)
