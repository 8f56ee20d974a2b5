"""Pointers to functions: numbers, and for each signature a function that calls.

It is a switch over all functions of the signature whose address is taken somewhere, so
nothing that runs code knows of such pointers.
"""

from . import ast
from . import ctype as C
from . import tree as T
from .errors import outside
from .templates import Templates


class Pointers(Templates):
    """Takes addresses of functions, and calls them.

    signatures: by result and parameters. named: the struct that stands for a function
    as an argument -> that function.
    """

    def __init__(self, *args):
        super().__init__(*args)
        self.signatures, self.named = {}, {}

    def signature_of(self, result, types):
        key = result, *(t if isinstance(t, C.Reference) else t.plain for t in types)
        if key not in self.signatures:
            self.signatures[key] = C.Signature(result, key[1:])
        return self.signatures[key]

    def address_of_function(self, typed):
        """What the name of a function is as a value."""
        found = self.find(typed.value)
        known = getattr(found, "functions", ())
        if len(known) != 1 or getattr(found, "templates", None):
            what = f"the function '{typed.value}' without a call"
            raise outside(what, typed.place, "write parentheses after its name")
        return self.pointer_to(known[0], typed.place)

    def pointer_to(self, function, place):
        if function.kernel or function.result is None:
            raise outside("the address of such a function", place, "call it by name")
        signature = self.signature_of(function.result, function.types)
        if function not in signature.functions:
            signature.functions.append(function)
        number = signature.functions.index(function) + 1
        return T.Literal(place, signature.pointer(), number)

    def call_pointer(self, pointer, node):
        """f(a), (*f)(a), table[i](a)"""
        signature = pointer.type.plain.to
        if signature.call is None:
            signature.call = self.caller(signature, node.place)
        arguments = [pointer, *(self.argument(a) for a in node.arguments)]
        name = ast.Name(node.place, str(pointer.type.plain), None)
        if len(arguments) != len(signature.call.parameters):
            count = len(node.arguments)
            candidate = self.candidate(signature.call)
            candidate.types, candidate.required = candidate.types[1:], 0
            raise self.wrong_count(name, [candidate], count)
        return self.call_function(signature.call, name, arguments)

    def caller(self, signature, place):
        """The function that calls those of a signature, so far without a body."""
        types = [signature.pointer(), *signature.types]
        parameters = [T.Variable("p", type, "parameter", place) for type in types]
        made = T.Function("call", signature.result, parameters, False, place)
        self.functions.append(made)
        return made

    def finish_pointers(self):
        """Write those functions, now that all addresses are known."""
        for signature in self.signatures.values():
            if signature.call is not None:
                self.finish_caller(signature.call, signature.functions)

    def finish_caller(self, caller, functions):
        place = caller.place
        which, *values = (passed(parameter, place) for parameter in caller.parameters)
        cases = []
        for number, function in enumerate(functions, 1):
            result = function.result
            type = result.to if isinstance(result, C.Reference) else result
            made = T.Call(place, type, function, values)
            cases.append(T.Case(place, number, [T.Return(place, made)]))
            caller.calls[function] = place
        trap = T.Evaluate(place, self.plain_call("__trap", place))
        cases.append(T.Case(place, None, [trap]))
        caller.body = T.Block(place, [T.Switch(place, which, cases)])
        caller.end, caller.falls_off = place, True


def passed(parameter, place):
    """A parameter as an argument: its value, or an lvalue where it is a reference."""
    if isinstance(parameter.type, C.Reference):
        return T.VariableRef(place, parameter.type.to, parameter)
    ref = T.VariableRef(place, parameter.type, parameter)
    return T.Load(place, parameter.type.plain, ref)
