"""Calls: functions, methods, pointers to functions, and CUDA's special cases."""

import re

from .. import ast, builtins, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, outside
from .check_structs import field_of, method_named
from .conversions import apply, converted
from .cooperative_groups import (
    after_group,
    call_group,
    call_group_method,
    is_group_call,
)
from .function_calls import call_function, call_methods, check_argument
from .function_pointers import caller_of, is_callable
from .inheritance import is_struct
from .initializers import initialize
from .node_checks import check, checks, type_of
from .overload_resolution import candidate_for, wrong_count
from .overloaded_calls import call_builtin, call_overloaded
from .parameter_packs import expand
from .symbols import ImplicitMember, Methods, Overloads
from .values import check_condition, decayed, dereference, read

OF_ADDRESS = re.compile(
    r"__cvta_(?:(generic)_to_(?:shared|global|local|constant|grid_constant)"
    r"|(?:shared|global|local|constant)_to_generic)"
)
MOST_PRINTED = 32


@checks(ast.Call)
def check_call(scope, node):
    name = node.function
    node = ast.Call(node.place, name, expand(scope, node.arguments))
    if isinstance(name, ast.Member):
        return call_member(scope, name, node)
    if not isinstance(name, ast.Name):
        return call_object(scope, check(scope, name), node)
    callee = scope.find(name.name, name.place)
    if isinstance(callee, Methods):
        return call_methods(scope, callee, None, name.name, name.place, node.arguments)
    if isinstance(callee, ImplicitMember) or is_callable(callee):
        return call_object(scope, check(scope, name), node)
    if isinstance(callee, (T.Variable, T.EnumValue)):
        groups.refuse_group(callee.type, "a call of", name.place)
        message = f"'{name.name}' is a variable, and cannot be called"
        raise CompileError(message, name.place)
    given = node.arguments
    if isinstance(callee, Overloads):
        given = initialize_lists(scope, callee.functions, given)
        arguments = [check_argument(scope, a) for a in given]
        return call_overloaded(scope, callee, name, arguments)
    arguments = [check_argument(scope, a) for a in given]
    if is_group_call(scope, name, arguments):
        return call_group(scope, name, arguments)
    if match := OF_ADDRESS.fullmatch(name.name):
        return call_address_cast(scope, match, name, arguments)
    if name.name == "printf":
        return call_printf(scope, name, arguments)
    if name.name == "assert":
        return call_assert(scope, name, node)
    if not scope.offered(name.name):
        raise scope.undeclared(name.name, name.place, called=True)
    return call_builtin(scope, name, scope.builtins(name.name), arguments)


def call_member(scope, member, node):
    """group.name(arguments)"""
    if isinstance(member.base, ast.TYPES):
        return call_static_member(scope, member, node)
    base = check(scope, member.base)
    if member.arrow and isinstance(decayed(base).type.plain, C.Pointer):
        base = dereference(read(scope, base), member.place)
        return call_method_of(scope, base, member, node)
    type, name = base.type.plain, member.name
    if not isinstance(type, groups.Group):
        if isinstance(type, C.Struct):
            return call_method_of(scope, base, member, node)
        message = f"'{type}' has no function '{name}'"
        raise CompileError(message, member.place)
    if member.arrow:
        raise CompileError(f"'->' needs a pointer, not '{type}'", member.place)
    arguments = [check_argument(scope, a) for a in node.arguments]
    if isinstance(base, T.VariableRef):
        base.variable.used = True
    call = call_group_method(scope, name, member.place, base, arguments)
    return after_group(base, call)


def call_static_member(scope, member, node):
    """P::name(arguments)"""
    type = type_of(scope, member.base)
    groups.refuse_group(type, "a function of", member.place)
    if not isinstance(type.plain, C.Struct):
        raise CompileError("only a function can be called", node.place)
    methods = method_named(type, member.name, member.place)
    if not methods.static:
        message = f"'{member.name}' needs a '{type}' to be called for"
        raise CompileError(message, member.place)
    return call_methods(scope, methods, None, member.name, member.place, node.arguments)


def call_method_of(scope, base, member, node):
    """struct.name(arguments); a member that can be called is one, too."""
    if member.name in getattr(base.type.plain, "fields", ()):
        return call_object(scope, field_of(base, member), node)
    if isinstance(base, T.VariableRef):
        base.variable.used = True
    if not is_struct(base.type):
        message = f"'{base.type.plain}' has no function '{member.name}'"
        raise CompileError(message, member.place)
    methods = method_named(base.type, member.name, member.place)
    return call_methods(scope, methods, base, member.name, member.place, node.arguments)


def call_object(scope, value, node):
    """f(a) where f is a struct with operator(), or points to a function."""
    if isinstance(value.type.plain, C.FunctionPointer):
        return call_pointer(scope, read(scope, value), node)
    if not is_struct(value.type) or "operator()" not in value.type.plain.methods:
        raise CompileError("only a function can be called", node.place)
    methods = value.type.plain.methods["operator()"]
    return call_methods(scope, methods, value, methods.name, node.place, node.arguments)


def call_pointer(scope, pointer, node):
    """f(a), (*f)(a), table[i](a)"""
    signature = pointer.type.plain.to
    if signature.call is None:
        signature.call = caller_of(scope, signature, node.place)
    arguments = [pointer, *(check_argument(scope, a) for a in node.arguments)]
    name = ast.Name(node.place, str(pointer.type.plain), None)
    if len(arguments) != len(signature.call.parameters):
        count = len(node.arguments)
        candidate = candidate_for(signature.call)
        candidate.types, candidate.required = candidate.types[1:], 0
        raise wrong_count(name, [candidate], count)
    return call_function(scope, signature.call, name, arguments)


def call_address_cast(scope, match, name, arguments):
    """__cvta_generic_to_shared(p): addresses are the same in all spaces."""
    wanted = C.VOID.qualified(C.CONST).pointer() if match[1] else C.ULONG
    if len(arguments) != 1:
        message = f"'{name.name}' takes 1 argument, not {len(arguments)}"
        raise CompileError(message, name.place)
    what = f"be the argument of {name.name}, which is"
    value = converted(read(scope, arguments[0]), wanted, what, name.place)
    type = C.ULONG if match[1] else C.VOID.pointer()
    return T.Convert(name.place, type, value)


def initialize_lists(scope, functions, arguments):
    """The arguments, {a, b} as a value of its parameter, if one function fits."""
    fitting = [f for f in functions if len(f.parameters) >= len(arguments)]
    if len(fitting) != 1:
        return arguments
    types = [getattr(t, "to", t) if isinstance(t, C.Reference) else t
             for t in fitting[0].types]  # fmt: skip
    return [
        initialize(scope, type.plain, a, a.place) if isinstance(a, ast.Items) else a
        for type, a in zip(types, arguments)  # noqa: B905
    ]


def call_printf(scope, name, arguments):
    if len(arguments) > MOST_PRINTED + 1:
        what = f"printf of more than {MOST_PRINTED} values"
        raise outside(what, name.place, "a GPU prints no more at a time")
    values = [read(scope, a) for a in arguments]
    text = C.CHAR.qualified(C.CONST).pointer()
    if not values:
        raise CompileError("too few arguments: printf takes a format", name.place)
    first = converted(values[0], text, "be a format, which is", name.place)
    out = [first]
    for value in values[1:]:
        type = value.type.plain
        if isinstance(type, (C.Struct, C.Half)):
            what = f"printf of a '{type}'"
            raise outside(what, value.place, "print its numbers one by one")
        wide = C.DOUBLE if type is C.FLOAT else C.promoted(type)
        out.append(value if type is wide else apply(value, wide))
    return T.BuiltinCall(name.place, C.INT, builtins.PRINTF, out)


def call_assert(scope, name, node):
    if len(node.arguments) != 1:
        raise CompileError("assert takes one condition", name.place)
    condition = check_condition(scope, node.arguments[0])
    return T.BuiltinCall(name.place, C.VOID, builtins.ASSERT, [condition])
