"""An expression as a value: read, as a condition, or known when compiling."""

from .. import ast, constant, ctype as C, evaluate, tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .conversions import converted
from .function_pointers import address_of_function
from .node_checks import check


def check_value(scope, node):
    """The expression as a value: lvalues read, arrays as pointers."""
    return read(scope, check(scope, node))


def read(scope, typed):
    type = typed.type
    if isinstance(type, C.Array):
        if isinstance(typed, T.VariableRef):
            typed.variable.used = True
        return T.Decay(typed.place, type.element.pointer(), typed)
    if isinstance(type, C.FunctionType):
        return address_of_function(scope, typed)
    if not T.is_lvalue(typed):
        return typed
    if isinstance(typed, T.VariableRef):
        note_use(scope, typed)
    return T.Load(typed.place, type.plain, typed)


def note_use(scope, ref):
    variable = ref.variable
    variable.used = True
    if variable in scope.body.unset:
        scope.body.unset.discard(variable)
        message = f"'{variable.name}' is used before it has a value"
        scope.lint("uninitialized", ref.place, message)


def check_condition(scope, node, typed=None):
    """A value as bool. typed: the node, if it is checked already."""
    if isinstance(node, ast.Assign) and node.op == "=":
        scope.lint("assignment", node.place, "= assigns: == compares")
    typed = read(scope, typed or check(scope, node))
    return converted(typed, C.BOOL, "be a condition, which is", node.place)


def decayed(value):
    """`value` as it is when read, without noting that it was."""
    if isinstance(value.type, C.Array):
        return T.Decay(value.place, value.type.element.pointer(), value)
    return value


def require_complete(type, place):
    if type.plain is C.VOID or (isinstance(type, C.Struct) and not type.complete):
        message = f"nothing of the type '{type}' can be read or counted"
        raise CompileError(message, place)


def require_writable(target, place):
    """Only an lvalue that is not const can be written."""
    type = target.type
    if not T.is_lvalue(target) or isinstance(type, C.FunctionType):
        message = "the left side is a value, not a place that can be written"
        raise CompileError(message, place)
    if isinstance(type, C.Array):
        note = "copy it element by element"
        raise CompileError("an array cannot be assigned", place, note)
    refuse_group(type, "an assignment to", place)
    base = target
    while isinstance(base, T.Field | T.Index):
        base = base.base
    variable = getattr(base, "variable", None)
    if variable and variable.storage == "constant" and not type.const:
        message = f"'{variable.name}' is __constant__: only the host can write it"
        raise CompileError(message, place)
    if type.const:
        message = f"this is const and cannot be written (its type is '{type}')"
        raise CompileError(message, place)


def dereference(pointer, place):
    type = pointer.type.plain
    if isinstance(type, C.FunctionPointer):
        return pointer
    if not isinstance(type, C.Pointer):
        message = f"'*' needs a pointer, not '{type}'"
        raise CompileError(message, place)
    require_complete(type.to, place)
    return T.Deref(place, type.to, pointer)


def check_unevaluated(scope, node):
    """What an expression is, which never runs."""
    saved, unset = scope.warnings[:], set(scope.body.unset)
    checked = check(scope, node)
    scope.warnings[:], scope.body.unset = saved, unset
    return checked


def this_object(scope, place):
    """The struct whose method this is: an lvalue."""
    this = scope.find("this")
    if not isinstance(this, T.Variable):
        raise CompileError("'this' stands in a method only", place)
    type = this.type
    return T.VariableRef(place, getattr(type, "to", type), this)


def constant_integer(scope, node, what):
    """The value of a constant integer expression."""
    typed = check_value(scope, node)
    message = f"{what} must be known when the kernel is compiled"
    note = "use a number, a #define, a constexpr, or a template parameter"
    value = constant_value(typed, message, node.place, note)
    is_enum = isinstance(typed.type.plain, C.Enum)
    if not (typed.type.plain.is_integer or is_enum):
        raise CompileError(f"{what} must be an integer", node.place)
    return value


def constant_value(typed, message, place, note=""):
    """The value of a constant expression, or the error that says why not."""
    value = constant.value_of(typed)
    if value is not None:
        return value
    if broken := constant.without_value(typed):
        message = "this has no value in C: it overflows, or divides by zero"
        raise CompileError(message, broken, "compute it in a larger type")
    if call := evaluate.unknown_call(typed):
        what = f"this use of '{call.function.name}' in a constant"
        note = "a constexpr function computes with numbers it has, in few steps"
        raise outside(what, call.place, note)
    raise CompileError(message, place, note)
