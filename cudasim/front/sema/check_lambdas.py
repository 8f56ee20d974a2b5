"""Lambdas: a struct of what is captured, with the body as its operator()."""

from .. import ast, ctype as C, tree as T
from ..errors import outside
from .check_structs import declare_method
from .discarded import names_in
from .function_bodies import require_body
from .inheritance import note_escape
from .node_checks import check, checks
from .symbols import CapturedReference, ImplicitMember
from .values import read

LOCAL = ("local", "parameter")


def without_locals(names):
    """A scope as a lambda in it sees it: constants, types, shared memory."""
    out = {}
    for name, thing in names.items():
        if isinstance(thing, T.Variable) and thing.storage in LOCAL:
            if thing.constant is None:
                continue
            thing = T.EnumValue(thing.type.plain, thing.constant)
        out[name] = thing
    return out


@checks(ast.Lambda)
def check_lambda(scope, node):
    """A struct of what is captured, with the body as its operator()."""
    struct, inner, values, fields = C.Struct("a lambda"), {}, [], []
    for name, variable in captured_variables(scope, node).items():
        ref = check(scope, ast.Name(node.place, name, None))
        if node.captures.get(name, node.default == "&"):
            note_escape(scope, ref)
            value = T.AddressOf(node.place, ref.type.pointer(), ref)
            inner[name] = CapturedReference(name)
        else:
            value, inner[name] = read(scope, ref), ImplicitMember(name)
        if isinstance(ref.type, C.Array) and not isinstance(value, T.AddressOf):
            raise outside(f"'{name}', an array, by value", node.place, "write &")
        variable.used = True
        fields.append((name, value.type))
        values.append(value)
    struct.complete_with(fields)
    outer = scope.names
    scope.names = [*outer[:2], *map(without_locals, outer[2:]), inner]
    function = declare_method(scope, struct, node.function)
    require_body(scope, function)
    scope.names = outer
    return T.Aggregate(node.place, struct, values)


def captured_variables(scope, node):
    """name -> variable: the local ones that a lambda names."""
    out = {}
    for name in [*node.captures, *sorted(names_in(node.function.body))]:
        variable = scope.find(name)
        if not isinstance(variable, T.Variable) or variable.storage not in LOCAL:
            continue
        if node.default or name in node.captures:
            out[name] = variable
    return out
