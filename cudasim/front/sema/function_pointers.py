"""Pointers to functions: numbers, and for each signature a function that calls.

It is a switch over all functions of the signature whose address is taken somewhere, so
nothing that runs code knows of such pointers.
"""

import weakref

from .. import builtins, ctype as C, tree as T
from ..errors import outside
from .inheritance import is_struct
from .symbols import Methods

OF_FUNCTION = weakref.WeakKeyDictionary()


def signature_of(scope, result, types):
    key = result, *(t if isinstance(t, C.Reference) else t.plain for t in types)
    if key not in scope.signatures:
        scope.signatures[key] = C.Signature(result, key[1:])
    return scope.signatures[key]


def address_of_function(scope, typed):
    """What the name of a function is as a value."""
    overloads = scope.find(typed.value)
    functions = getattr(overloads, "functions", ())
    if len(functions) != 1 or getattr(overloads, "templates", None):
        what = f"the function '{typed.value}' without a call"
        raise outside(what, typed.place, "write parentheses after its name")
    return pointer_to(scope, functions[0], typed.place)


def pointer_to(scope, function, place):
    if function.kernel or function.result is None:
        raise outside("the address of such a function", place, "call it by name")
    signature = signature_of(scope, function.result, function.types)
    if function not in signature.functions:
        signature.functions.append(function)
    number = signature.functions.index(function) + 1
    return T.Literal(place, signature.pointer(), number)


def function_object(scope, typed, node):
    """A function's name as an argument: a struct that is called like it."""
    overloads = scope.find(typed.value)
    functions = getattr(overloads, "functions", ())
    if len(functions) != 1 or getattr(overloads, "templates", None):
        note = "write a struct with operator()"
        raise outside("a function as an argument", node.place, note)
    callable_type = callable_of(functions[0])
    scope.named[callable_type] = functions[0]
    return T.Aggregate(node.place, callable_type, [])


def callable_of(function):
    """The type of a function that is an argument: an empty struct with operator()."""
    types = ", ".join(map(str, function.types))
    struct = C.Struct(f"{function.result} (*)({types})")
    struct.complete_with(())
    struct.methods["operator()"] = Methods("operator()", [function], static=True)
    return OF_FUNCTION.setdefault(function, struct)


def is_callable(entity):
    """Is this a variable of a struct with operator(), or a pointer to a function?"""
    if not isinstance(entity, T.Variable):
        return False
    type = entity.type.to if isinstance(entity.type, C.Reference) else entity.type
    if isinstance(type.plain, C.FunctionPointer):
        return True
    return is_struct(type) and "operator()" in type.plain.methods


def caller_of(scope, signature, place):
    """The function that calls those of a signature, so far without a body."""
    types = [signature.pointer(), *signature.types]
    parameters = [T.Variable("p", type, "parameter", place) for type in types]
    caller = T.Function("call", signature.result, parameters, False, place)
    scope.functions.append(caller)
    return caller


def finish_callers(scope):
    """Write those functions, now that all addresses are known."""
    for signature in scope.signatures.values():
        if signature.call is not None:
            write_caller(signature.call, signature.functions)


def write_caller(caller, functions):
    place = caller.place
    which, *values = (parameter_value(p, place) for p in caller.parameters)
    cases = []
    for number, function in enumerate(functions, 1):
        result = function.result
        type = result.to if isinstance(result, C.Reference) else result
        call = T.Call(place, type, function, values)
        cases.append(T.Case(place, number, [T.Return(place, call)]))
        caller.calls[function] = place
    trap = T.Evaluate(place, builtin_call("__trap", place))
    cases.append(T.Case(place, None, [trap]))
    caller.body = T.Block(place, [T.Switch(place, which, cases)])
    caller.end, caller.falls_off = place, True


def builtin_call(name, place, *arguments):
    builtin = builtins.overloads(name)[0]
    return T.BuiltinCall(place, builtin.result, builtin, list(arguments))


def parameter_value(parameter, place):
    """A parameter as an argument: its value, or an lvalue where it is a reference."""
    if isinstance(parameter.type, C.Reference):
        return T.VariableRef(place, parameter.type.to, parameter)
    ref = T.VariableRef(place, parameter.type, parameter)
    return T.Load(place, parameter.type.plain, ref)
