"""Functions without their bodies: specifiers, parameters, defaults, instances."""

from .. import ast, ctype as C, tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .check_types import says_auto
from .function_bodies import check_body
from .function_calls import bind_argument
from .node_checks import check, type_of
from .parameter_packs import pack_types
from .symbols import Pack
from .values import constant_integer

HOST = (
    "a function without __global__ or __device__ runs on the host, which NVRTC "
    "does not compile"
)


def check_specifiers(node):
    """Only device code: __global__, or __device__."""
    words = node.specifiers
    for word in ("__shared__", "__constant__", "__align__"):
        if word in words:
            message = f"'{word}' cannot stand before a function"
            raise CompileError(message, node.place)
    if "__global__" in words:
        if "__device__" in words or "__host__" in words:
            message = "a kernel is __global__ only"
            raise CompileError(message, node.place, "leave the other word out")
    elif "__device__" not in words:
        note = f"write __device__ or __global__ before {node.name}"
        raise CompileError(HOST, node.place, note)
    elif node.bounds:
        message = "__launch_bounds__ belongs to a kernel"
        raise CompileError(message, node.place)


def declare_function(scope, node):
    """The Function of a node, without its body."""
    kernel = "__global__" in node.specifiers
    auto = says_auto(node.result)
    if auto and (kernel or node.body is None or node.result.quals):
        note = "write the type"
        raise outside("a function that returns auto", node.place, note)
    parameters, packs = check_parameters(scope, node, kernel)
    scope.names.append({**{p.name: p for p in parameters}, **packs})
    result = None if auto else type_of(scope, node.result)
    scope.names.pop()
    if kernel and result is not C.VOID:
        message = f"a kernel returns nothing: '{node.name}' must be void"
        raise CompileError(message, node.place)
    if isinstance(result, C.Array):
        raise CompileError("a function cannot return an array", node.place)
    function = T.Function(node.name, result, parameters, kernel, node.place)
    function.packs = packs
    function.defaults = () if packs else check_defaults(scope, node, parameters)
    function.constexpr = "constexpr" in node.specifiers
    function.launch_bounds = tuple(
        constant_integer(scope, b, "a launch bound") for b in node.bounds or ()
    )
    for bound, at in zip(function.launch_bounds, node.bounds or (), strict=True):
        if bound < 1:
            raise outside("a launch bound below 1", at.place, "leave it out")
    most = 3 if scope.arch >= 90 else 2
    if len(function.launch_bounds) > most:
        message = f"__launch_bounds__ takes {most} numbers at most here"
        raise CompileError(message, node.bounds[most].place)
    return function


def check_parameters(scope, node, kernel):
    """(the parameters of a function, pack -> those that it is)"""
    out, packs = [], {}
    for parameter in node.parameters:
        if isinstance(parameter.type, ast.PackOf):
            variables = [
                check_parameter(scope,
                    ast.Parameter(parameter.place, parameter.name,
                                  ast.NamedType(parameter.place, type, 0), None),
                    kernel,
                )
                for type in pack_types(scope, parameter.type)
            ]  # fmt: skip
            packs[parameter.name] = Pack(variables)
        else:
            variables = [check_parameter(scope, parameter, kernel)]
        out += variables
    return out, packs


def check_parameter(scope, node, kernel):
    type = type_of(scope, node.type)
    if isinstance(type, C.Array):
        type = type.element.pointer()
    if type.plain is C.VOID:
        raise CompileError("a parameter cannot be void", node.place)
    if isinstance(type, C.Struct) and not type.complete:
        raise CompileError(f"'{type}' is not defined yet", node.place)
    if kernel:
        refuse_group(type, "a kernel's parameter that is", node.place)
    if kernel and isinstance(type.plain, C.FunctionPointer):
        what = "a kernel's parameter that points to a function"
        raise outside(what, node.place, "pass a number, and choose with switch")
    if kernel and isinstance(type, C.Reference):
        note = "a kernel takes values and pointers"
        raise outside("a reference parameter of a kernel", node.place, note)
    return T.Variable(node.name, type, "parameter", node.place)


def check_defaults(scope, node, parameters):
    """The default values of the last parameters."""
    out = []
    for given, parameter in zip(node.parameters, parameters, strict=True):
        if given.default is not None:
            value = bind_argument(scope, parameter, check(scope, given.default), "this")
            out.append(value)
        elif out:
            message = f"the default of parameter '{given.name}' is missing"
            raise CompileError(message, given.place)
    return tuple(out)


def make_instance(scope, template, key):
    """Check a template's function with its parameters bound (scope is set)."""
    node = template.node
    if node.body is None:
        what = f"a call of the template '{node.name}' before its definition"
        raise outside(what, node.place, "define it first")
    function = declare_function(scope, node)
    function.template_arguments = key
    template.instances[key] = function
    scope.functions.append(function)
    check_body(scope, function, node)
    return function
