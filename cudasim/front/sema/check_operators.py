"""Operators: the types of both sides, with each conversion written out."""

from .. import ast, constant, ctype as C, tree as T
from ..errors import CompileError, outside
from ..group_types import refuse_group
from .conversions import apply, cast, converted, number, rank
from .function_calls import user_conversion
from .inheritance import is_struct, note_escape
from .initializers import initialize
from .node_checks import check, checks
from .overloaded_calls import call_operator
from .values import (
    check_condition,
    check_value,
    decayed,
    dereference,
    note_use,
    read,
    require_complete,
    require_writable,
    this_object,
)

COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
INTEGER_ONLY = {"%", "&", "|", "^", "<<", ">>"}


@checks(ast.Unary)
def check_unary(scope, node):
    op = node.op
    if op == "*" and isinstance(node.operand, ast.This):
        return this_object(scope, node.place)
    if op == "&":
        return check_address(scope, node)
    if op in ("++", "--"):
        return check_increment(scope, node, prefix=True)
    checked = check(scope, node.operand)
    if call := call_operator(scope, op, [checked], node.place):
        return call
    if op == "*":
        return dereference(read(scope, checked), node.place)
    return unary_operation(scope, op, node, checked)


def unary_operation(scope, op, node, checked):
    """- + ! ~ of what is checked already."""
    if op == "!":
        condition = check_condition(scope, node.operand, checked)
        return T.Unary(node.place, C.BOOL, "!", condition)
    operand = read(scope, checked)
    if isinstance(operand.type.plain, C.Half) and op != "~":
        return T.Unary(node.place, operand.type.plain, op, operand)
    if op == "+" and isinstance(operand.type.plain, C.Pointer):
        return operand
    if not number(operand.type):
        message = f"'{op}' needs a number, not '{operand.type.plain}'"
        raise CompileError(message, node.place)
    type = C.promoted(operand.type)
    if op == "~" and not type.is_integer:
        raise CompileError(f"'~' needs an integer, not '{type}'", node.place)
    return T.Unary(node.place, type, op, converted(operand, type))


def check_address(scope, node):
    operand = check(scope, node.operand)
    if isinstance(operand.type, C.FunctionType):
        return read(scope, operand)
    if not T.is_lvalue(operand):
        message = "& needs something with an address: a variable or an element"
        raise CompileError(message, node.place)
    refuse_group(operand.type, "the address of", node.place)
    base = operand
    while isinstance(base, T.Field):
        base = base.base
    if isinstance(base, T.VariableRef) and base.variable.storage == "builtin":
        message = f"'{base.variable.name}' has no address"
        raise CompileError(message, node.place, "copy it into a variable")
    note_escape(scope, operand)
    return T.AddressOf(node.place, operand.type.pointer(), operand)


@checks(ast.Postfix)
def check_increment(scope, node, prefix=False):
    target = check(scope, node.operand)
    zero = [] if prefix else [T.Literal(node.place, C.INT, 0)]
    if call := call_operator(scope, node.op, [target, *zero], node.place):
        return call
    require_writable(target, node.place)
    type = target.type.plain
    if isinstance(target, T.VariableRef):
        note_use(scope, target)
    if type is C.BOOL:
        raise CompileError("++ and -- do not work on bool", node.place)
    if isinstance(type, C.Pointer):
        require_complete(type.to, node.place)
    elif not (type.is_arithmetic or isinstance(type, C.Half)):
        message = f"'{node.op}' needs a number or a pointer, not '{type}'"
        raise CompileError(message, node.place)
    return T.Increment(node.place, target.type, node.op, target, prefix)


@checks(ast.Binary)
def check_binary(scope, node):
    """a + b + c + ... is checked from the left: long chains do not nest."""
    typed = None
    for link in reversed(ast.chain(node)):
        typed = check_link(scope, link, typed)
    return typed


def check_link(scope, node, left):
    """left: the left side, if it is checked already."""
    op = node.op
    if op in ("&&", "||"):
        left = check_condition(scope, node.left, left)
        right = check_condition(scope, node.right)
        return T.Logical(node.place, C.BOOL, op, left, right)
    left, right = left or check(scope, node.left), check(scope, node.right)
    if op == ",":
        return T.Comma(node.place, right.type, left, right)
    if call := call_operator(scope, op, [left, right], node.place):
        return call
    return binary_operation(scope, op, read(scope, left), read(scope, right), node)


def binary_operation(scope, op, left, right, node):
    """left op right, for values."""
    place, a, b = node.place, left.type.plain, right.type.plain
    if op in ("==", "!=") and isinstance(a, C.FunctionPointer):
        return T.Binary(place, C.BOOL, op, left, converted(right, a))
    if isinstance(a, C.Pointer) or isinstance(b, C.Pointer):
        return pointer_operation(op, left, right, place)
    if is_half(a) or is_half(b):
        return half_operation(op, left, right, place)
    same_enum = a is b and isinstance(a, C.Enum)
    if op in COMPARISONS and same_enum:
        return T.Binary(place, C.BOOL, op, left, right)
    if not (number(a) and number(b)):
        structs = isinstance(a, C.Struct) or isinstance(b, C.Struct)
        note = f"write it by members, a.x {op} b.x, or an operator{op} of your own"
        message = f"no operator '{op}' for '{a}' and '{b}'"
        raise CompileError(message, place, note if structs else "")
    if op in INTEGER_ONLY and (a.is_float or b.is_float):
        note = "fmodf(a, b) is the remainder of floats" if op == "%" else ""
        message = f"'{op}' needs integers, not '{a}' and '{b}'"
        raise CompileError(message, place, note)
    lint_operands(scope, op, left, right, place)
    if op in ("<<", ">>"):
        type = C.promoted(a)
        right = converted(right, C.promoted(b))
        return T.Binary(place, type, op, converted(left, type), right)
    type = C.common(a, b)
    left, right = converted(left, type), converted(right, type)
    return T.Binary(place, C.BOOL if op in COMPARISONS else type, op, left, right)


def is_half(type):
    return isinstance(type, C.Half) or type in (C.HALF2, C.BFLOAT162)


def half_operation(op, left, right, place):
    a, b = left.type.plain, right.type.plain
    vector = isinstance(a, C.Struct)
    fits = op in ("+", "-", "*", "/") or op in COMPARISONS
    if a is not b or not fits:
        note = "" if vector else "convert one: __half2float(h), __float2half(x)"
        if a is b or not (number(a) or number(b)):
            message = f"no operator '{op}' for '{a}' and '{b}'"
        else:
            message = f"more than one operator '{op}' matches '{a}' and '{b}'"
        raise CompileError(message, place, note)
    return T.Binary(place, C.BOOL if op in COMPARISONS else a, op, left, right)


def pointer_operation(op, left, right, place):
    """p + i, i + p, p - i, p - q, and comparisons."""
    a, b = left.type.plain, right.type.plain
    if op in ("+", "-"):
        if op == "+" and isinstance(b, C.Pointer) and not isinstance(a, C.Pointer):
            left, right, a, b = right, left, b, a
        if isinstance(a, C.Pointer) and number(b) and not b.is_float:
            require_complete(a.to, place)
            step = converted(right, C.promoted(b))
            return T.PointerAdd(place, a, op, left, step)
        both = isinstance(a, C.Pointer) and isinstance(b, C.Pointer)
        if op == "-" and both and a.to.plain is b.to.plain:
            require_complete(a.to, place)
            return T.PointerDiff(place, C.LONG, left, right)
    if op in COMPARISONS and (type := common_pointer(left, right)):
        left, right = apply_to(left, type), apply_to(right, type)
        return T.Binary(place, C.BOOL, op, left, right)
    raise CompileError(f"no operator '{op}' for '{a}' and '{b}'", place)


def common_pointer(left, right):
    """The pointer type that both sides convert to, or None."""
    a, b = left.type.plain, right.type.plain
    for node, type in ((left, b), (right, a)):
        pointer = isinstance(type, C.Pointer | C.FunctionPointer)
        known = pointer and type is not C.NULLPTR
        if known and rank(node, type) is not None:
            return type
    both = isinstance(a, C.Pointer) and isinstance(b, C.Pointer)
    if both and a.to.plain is b.to.plain:
        return a.to.qualified(b.to.quals).pointer()
    return None


@checks(ast.Assign)
def check_assign(scope, node):
    target = check(scope, node.target)
    if isinstance(node.value, ast.Items):
        if node.op != "=":
            raise CompileError("expected an expression", node.value.place)
        value = initialize(scope, target.type.plain, node.value, node.value.place)
    else:
        checked = check(scope, node.value)
        if call := call_operator(scope, node.op, [target, checked], node.place):
            return call
        value = user_conversion(scope, read(scope, checked), target.type)
    require_writable(target, node.place)
    if node.op != "=":
        return compound_assignment(scope, node, target, value)
    value = converted(value, target.type, "be assigned to", node.place)
    if isinstance(target, (T.VariableRef, T.Field)):
        inner = target
        while isinstance(inner, T.Field):
            inner = inner.base
        if isinstance(inner, T.VariableRef):
            scope.body.unset.discard(inner.variable)
    return T.Assign(node.place, target.type, target, value)


@checks(ast.Operand)
def check_operand(scope, node):
    """What asm has computed goes where its output says."""
    target = check(scope, node.target)
    require_writable(target, node.place)
    if isinstance(target, T.VariableRef):
        scope.body.unset.discard(target.variable)
    value = cast("asm", check_value(scope, node.value), target.type, node.place)
    return T.Assign(node.place, target.type, target, value)


def compound_assignment(scope, node, target, value):
    """a op= b: computed in the common type, stored in a's."""
    op, type = node.op[:-1], target.type.plain
    if isinstance(type, C.Half) and number(value.type):
        value = converted(value, type)
    result = binary_operation(scope, op, read(scope, target), value, node)
    converted(result, type, "be assigned to", node.place)
    compute = result.type
    right = result.index if isinstance(result, T.PointerAdd) else result.right
    return T.CompoundAssign(node.place, target.type, op, target, right, compute)


@checks(ast.Conditional)
def check_conditional(scope, node):
    condition = check_condition(scope, node.condition)
    before = set(scope.body.unset)
    yes = check(scope, node.yes)
    after, scope.body.unset = scope.body.unset, before
    no = check(scope, node.no)
    scope.body.unset &= after
    lvalues = T.is_lvalue(yes) and T.is_lvalue(no)
    if lvalues and yes.type is no.type and not isinstance(yes.type, C.Array):
        for side in (yes, no):
            if isinstance(side, T.VariableRef):
                side.variable.used = True
        return T.Select(node.place, yes.type, condition, yes, no)
    yes, no = read(scope, yes), read(scope, no)
    type = common_type(scope, yes, no, node.place)
    yes, no = apply_to(yes, type), apply_to(no, type)
    return T.Select(node.place, type, condition, yes, no)


def common_type(scope, yes, no, place):
    a, b = yes.type.plain, no.type.plain
    if a is C.VOID:
        raise outside("'?:' without a value", place, "write if and else")
    if a is b:
        return a
    if number(a) and number(b):
        lint_operands(scope, "?", yes, no, place)
        return C.common(a, b)
    pointers = C.Pointer | C.FunctionPointer
    either = isinstance(a, pointers) or isinstance(b, pointers)
    if either and (type := common_pointer(yes, no)):
        return type
    raise CompileError(f"'?:' cannot choose between '{a}' and '{b}'", place)


@checks(ast.Index)
def check_index(scope, node):
    base = check(scope, node.base)
    if is_struct(base.type):
        index = check(scope, node.index)
        if call := call_operator(scope, "[]", [base, index], node.place):
            return call
    if isinstance(base.type, C.Array):
        element = base.type.element
        if isinstance(base, T.VariableRef):
            base.variable.used = True
    else:
        base = read(scope, base)
        if not isinstance(base.type.plain, C.Pointer):
            if isinstance(decayed(check(scope, node.index)).type, C.Pointer):
                note = "write array[index]"
                raise outside("an index before its array", node.place, note)
            message = f"'[ ]' needs an array or a pointer, not '{base.type.plain}'"
            raise CompileError(message, node.place, "write array[index]")
        element = base.type.plain.to
    require_complete(element, node.place)
    index = check_value(scope, node.index)
    if isinstance(index.type.plain, C.Half):
        what = f"an index that is a '{index.type.plain}'"
        raise outside(what, node.index.place, "write (int)x")
    if not number(index.type) or index.type.plain.is_float:
        message = f"an index must be an integer, not '{index.type.plain}'"
        raise CompileError(message, node.index.place)
    index = converted(index, C.promoted(index.type))
    lint_bounds(scope, base.type, index, node.index.place)
    return T.Index(node.place, element, base, index)


def apply_to(node, type):
    return node if node.type.plain is type.plain else apply(node, type.plain)


def lint_operands(scope, op, left, right, place):
    """Double constants in float code; division by zero."""
    for one, other in ((left, right), (right, left)):
        if other.type.plain is C.FLOAT and is_double_literal(one):
            value = constant.value_of(one)
            message = "a double constant makes this float code compute in double"
            if value is not None:
                message += f": write {value!r}f"
            scope.lint("double-constant", one.place, message)
    whole = left.type.plain.is_integer and right.type.plain.is_integer
    if op in ("/", "%") and whole and constant.value_of(right) == 0:
        scope.lint("divide-by-zero", place, "division by zero")


def lint_bounds(scope, type, index, place):
    """A constant index outside an array."""
    count = type.count if isinstance(type, C.Array) else None
    value = constant.value_of(index) if count else None
    if value is not None and not 0 <= value < count:
        message = f"index {value} is outside the array, whose indices are 0"
        scope.lint("out-of-bounds", place, f"{message} to {count - 1}")


def is_double_literal(node):
    """Is this a number without an f after it, perhaps with a sign?"""
    if isinstance(node, T.Unary):
        node = node.operand
    return isinstance(node, T.Literal) and node.type is C.DOUBLE
