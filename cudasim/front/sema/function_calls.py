"""Calls of the function that is chosen: arguments, methods, constructors, conversions.

A method is a function whose first parameter is `this`, a reference; a constructor one
that makes a struct, its local variable `this`, and returns it. So nothing that runs
code knows of them.
"""

from .. import ast, ctype as C, tree as T
from ..errors import CompileError, outside
from .conversions import converted, same_object
from .function_bodies import require_body
from .function_pointers import function_object, pointer_to
from .inheritance import CONSTRUCTOR, is_struct, note_escape, upcast
from .node_checks import check, checks
from .overload_resolution import candidate_for, resolve
from .symbols import Methods
from .values import read, this_object

CONVERSION = "operator "


@checks(ast.This)
def check_this(scope, node):
    this = this_object(scope, node.place)
    note_escape(scope, this)
    return T.AddressOf(node.place, this.type.pointer(), this)


def check_argument(scope, node):
    """An argument; lvalues stay lvalues until the parameter is known."""
    if isinstance(node, ast.Items):
        note = "write the type before it: T{...}"
        raise outside("a list in { } as an argument", node.place, note)
    typed = node if isinstance(node, T.Aggregate | T.Call) else check(scope, node)
    if isinstance(typed.type, C.FunctionType):
        return function_object(scope, typed, node)
    if typed.type.plain is C.VOID:
        raise CompileError("this call returns nothing", node.place)
    return typed


def bind_argument(scope, parameter, argument, what):
    """An argument as the parameter takes it: a value, or an lvalue."""
    type = parameter.type
    if isinstance(type, C.Reference):
        if parameter.name == "this" and not T.is_lvalue(argument):
            return argument
        return bind_reference(scope, type, argument, what)
    value = user_conversion(scope, read(scope, argument), type)
    return converted(value, type, f"be {what}, which is")


def bind_reference(scope, type, argument, what):
    target, argument = type.to, upcast(scope, argument, type)
    if T.is_lvalue(argument) and same_object(argument.type, target):
        if argument.type.quals & ~target.quals:
            message = f"{what} would drop const from '{argument.type}'"
            raise CompileError(message, argument.place)
        note_escape(scope, argument)
        return argument
    if not target.const:
        message = f"{what} is a reference: it needs a variable of type '{target}'"
        raise CompileError(message, argument.place)
    return converted(read(scope, argument), target, f"be {what}, which is")


def note_call(scope, function, place):
    """Note a call: for recursion and barriers."""
    if scope.body.function is not None:
        scope.body.function.calls.setdefault(function, place)
    elif not function.constexpr:
        message = "a value at file level cannot come from a function"
        raise CompileError(message, place, "a constexpr function can give one")


def call_function(scope, function, name, arguments):
    if function.kernel:
        note = "write a __device__ function, or launch from Python"
        raise outside("a kernel called like a function", name.place, note)
    require_body(scope, function)
    if function.result is None:
        what = f"a call of '{function.name}' before its type is known"
        raise outside(what, name.place, "write its type")
    note_call(scope, function, name.place)
    values = [
        bind_argument(scope, *pair, f"argument {number} of {function.name}")
        for number, pair in enumerate(zip(function.parameters, arguments), 1)  # noqa: B905
    ]
    if missing := len(function.parameters) - len(values):
        values += function.defaults[-missing:]
    type = function.result
    type = type.to if isinstance(type, C.Reference) else type
    return T.Call(name.place, type, function, values)


def call_method(scope, methods, base, name, arguments):
    """base.name(arguments); base is None within the struct: this."""
    if not methods.static:
        base = base or this_object(scope, name.place)
        base = upcast(scope, base, methods.functions[0].types[0])
        arguments = [base, *arguments]
    functions = methods.functions
    if base is not None and not methods.static and not base.type.const:
        # Of two that differ in const alone, a value that is not const takes one.
        plain = [f.types[1:] for f in functions if not f.types[0].to.const]
        functions = [
            f for f in functions
            if not f.types[0].to.const or f.types[1:] not in plain
        ]  # fmt: skip
    candidates = [candidate_for(f, base) for f in functions]
    chosen = resolve(scope, name, candidates, arguments)
    return call_function(scope, chosen.function, name, arguments)


def call_methods(scope, methods, base, shown, place, items):
    """The same, with its name and arguments as the text has them."""
    arguments = [check_argument(scope, item) for item in items]
    return call_method(scope, methods, base, ast.Name(place, shown, None), arguments)


def user_conversion(scope, value, type, explicit=False):
    """`value`, by the conversion of its struct to `type`, if it has that.

    explicit: the text says the type, so conversions that demand this fit, too."""
    value = upcast(scope, value, type)
    source = value.type.plain
    if isinstance(type.plain, C.FunctionPointer) and value.type.plain in scope.named:
        return pointer_to(scope, scope.named[source], value.place)
    if source is type.plain or not is_struct(source):
        return value
    conversions = source.methods.get(CONVERSION)
    for function in conversions.functions if conversions else ():
        result = function.result
        result = result.to if isinstance(result, C.Reference) else result
        if result.plain is type.plain and explicit >= function.explicit:
            alone = Methods(CONVERSION, [function])
            name = ast.Name(value.place, f"operator {type}", None)
            return read(scope, call_method(scope, alone, value, name, []))
    return value


def construct(scope, struct, items, place):
    """P(a, b), P p{a, b}, P p: by a constructor, or None where there is none."""
    constructors = struct.plain.methods.get(CONSTRUCTOR)
    if constructors is None:
        return None
    arguments = [check_argument(scope, item) for item in items]
    if len(arguments) == 1 and arguments[0].type.plain is struct.plain:
        return read(scope, arguments[0])
    name = ast.Name(place, struct.plain.name, None)
    return call_method(scope, constructors, None, name, arguments)
