"""Types: from the parser's tree to C types, each kind by a function of its own."""

from .. import ast, ctype as C, tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .function_pointers import signature_of
from .node_checks import checks, type_of
from .values import check_unevaluated, constant_integer

MOST_BYTES = 1 << 31


@checks(ast.NamedType)
def named_type(scope, node, auto):
    name = node.name
    if isinstance(name, C.CType):
        named = name
    elif not isinstance(name, str):
        named = type_of(scope, name, auto)
    elif name != "auto":
        named = scope.find(name, node.place)
        if not isinstance(named, C.CType):
            raise CompileError(f"'{name}' is not a type", node.place)
    elif auto is None:
        raise CompileError("auto needs an initial value", node.place)
    else:
        named = auto
    return named.qualified(node.quals)


@checks(ast.PointerTo)
def pointer_type(scope, node, auto):
    inner = type_of(scope, node.to, auto)
    refuse_group(inner, "a pointer to", node.place)
    if isinstance(inner, C.Reference):
        raise CompileError("a pointer to a reference", node.place)
    return inner.pointer().qualified(node.quals)


@checks(ast.ReferenceTo)
def reference_type(scope, node, auto):
    inner = type_of(scope, node.to, auto)
    if isinstance(inner, C.Reference) or inner.plain is C.VOID:
        raise CompileError(f"a reference to {inner}", node.place)
    return inner.reference()


@checks(ast.FunctionOf)
def function_type(scope, node, _):
    result = type_of(scope, node.result)
    types = [type_of(scope, parameter) for parameter in node.parameters]
    return signature_of(scope, result, types)


@checks(ast.ArrayOf)
def array_type(scope, node, auto):
    element = type_of(scope, node.element, auto)
    refuse_group(element, "an array of", node.place)
    if isinstance(element, C.Reference) or element.plain is C.VOID:
        raise CompileError(f"an array of {element}", node.place)
    if isinstance(element, C.Array) and element.count is None:
        message = "only the first size of an array can be left out"
        raise CompileError(message, node.place)
    if isinstance(element, C.Struct) and not element.complete:
        raise CompileError(f"'{element}' is not defined yet", node.place)
    if node.count is None:
        return element.array(None)
    count = constant_integer(scope, node.count, "the size of an array")
    if count <= 0:
        raise CompileError("the size of an array must be positive", node.place)
    if count * element.size >= MOST_BYTES:
        raise CompileError("this array is too large", node.place)
    return element.array(count)


@checks(ast.MemberType)
def member_type(scope, node, _):
    """typename S<T>::type"""
    owner = type_of(scope, node.owner).plain
    member = getattr(owner, "names", {}).get(node.name)
    if not isinstance(member, C.CType):
        raise CompileError(f"'{owner}' has no type '{node.name}'", node.place)
    return member.qualified(node.quals)


@checks(ast.TypeOf)
def decltype(scope, node, _):
    """What a name was declared as; of other lvalues a reference."""
    checked = check_unevaluated(scope, node.operand)
    if isinstance(checked.type, C.FunctionType):
        raise outside("decltype of a function", node.place, "write the type")
    if node.bare and isinstance(checked, T.VariableRef):
        type = checked.variable.type
    elif node.bare and isinstance(checked, T.Field):
        type = checked.base.type.plain.fields[checked.name][0]
    else:
        type = checked.type.reference() if T.is_lvalue(checked) else checked.type
    return type.qualified(node.quals)


def says_auto(node):
    while isinstance(node, (ast.PointerTo, ast.ReferenceTo)):
        node = node.to
    return isinstance(node, ast.NamedType) and node.name == "auto"


@checks(ast.EnumOf)
def check_enum(scope, node):
    """enum E {...}: its values are constants of the scope around it."""
    base = C.INT if node.base is None else type_of(scope, node.base).plain
    if not base.is_integer:
        raise CompileError(f"an enum is an integer, not '{base}'", node.place)
    type = C.Enum(node.name or "enum", node.scoped, base)
    if node.name:
        scope.add(node.name, type, node.place)
    following = 0
    for place, name, expression in node.values:
        if expression is not None:
            following = constant_integer(scope, expression, "the value of an enum")
        if not base.least <= following <= base.most:
            raise outside(f"a value of an enum beyond {base}", place)
        if name in type.values:
            raise CompileError(f"a second value '{name}'", place)
        type.values[name] = following
        if not node.scoped:
            scope.add(name, T.EnumValue(type, following), place)
        following += 1
    return None, True


@checks(ast.Alias)
def check_alias(scope, node):
    type = type_of(scope, node.type)
    if scope.names[-1].get(node.name) is not type:  # the same twice is one
        scope.add(node.name, type, node.place)
    return None, True
