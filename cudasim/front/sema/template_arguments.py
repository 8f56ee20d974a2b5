"""Template arguments: types and constants, and the scope that they are bound in."""

import contextlib

from .. import ast, ctype as C, tree as T
from ..errors import DeductionError
from .conversions import number
from .function_pointers import function_object
from .node_checks import check, type_of
from .symbols import Pack
from .values import constant_integer


def template_argument(scope, parameter, value):
    """One template argument: a type, or a constant."""
    is_type = isinstance(value, ast.TYPES)
    if isinstance(value, ast.Name) and parameter.type is ast.FUNCTION:
        return function_object(scope, check(scope, value), value).type
    if is_type != (parameter.type is None):
        kind = "a type" if parameter.type is None else "a constant"
        raise DeductionError(f"template parameter {parameter.name} is {kind}")
    if is_type:
        return type_of(scope, value)
    return constant_integer(scope, value, f"template argument {parameter.name}")


def template_arguments(scope, parameters, values):
    """A tuple of template arguments, the key of an instance."""
    pairs = zip(parameters, values)  # noqa: B905
    return tuple(template_argument(scope, *pair) for pair in pairs)


@contextlib.contextmanager
def parameters_bound(scope, parameters, bound):
    """The scopes of the file, with what a template's parameters stand for."""
    saved, scope.names = scope.names, [*scope.names[:2], {}]
    try:
        for parameter in parameters:
            bind_parameter(scope, parameter, bound)
        yield
    finally:
        scope.names = saved


def bind_parameter(scope, parameter, bound):
    """Give one template parameter its meaning in the innermost scope."""
    name = parameter.name
    if parameter.pack:
        values = bound.setdefault(name, ())
        scope.names[-1][name] = bind_pack(scope, parameter, values)
        return
    if name not in bound:
        if parameter.default is None:
            message = f"template parameter {name} cannot be deduced from the call"
            raise DeductionError(message)
        bound[name] = template_argument(scope, parameter, parameter.default)
    value = bound[name]
    if parameter.type is None:
        if not isinstance(value, C.CType):
            raise DeductionError(f"template parameter {name} is a type")
        scope.names[-1][name] = value
        return
    if parameter.type is ast.FUNCTION:
        scope.names[-1][name] = value.methods["operator()"]
        return
    type = type_of(scope, parameter.type).plain
    if isinstance(value, C.CType) or not (type.is_integer or number(type)):
        raise DeductionError(f"template parameter {name} is a constant")
    if not isinstance(type, C.Enum) and type.wrap(value) != value:
        raise DeductionError(f"{value} is no value of the parameter {name}: {type}")
    bound[name] = value
    scope.names[-1][name] = T.EnumValue(type, value)


def bind_pack(scope, parameter, values):
    """The elements of a template's pack, as their names would stand for them."""
    if parameter.type is None:
        return Pack(values)
    type = type_of(scope, parameter.type).plain
    return Pack(T.EnumValue(type, value) for value in values)
