"""From the typed tree to NumPy source: expressions.

`value` gives code for a value; effects are emitted as statements before it, and then
the operands to its left are computed first too.
"""

from .. import numerics
from ..engine import lanes
from ..front import constant, ctype as C, tree as T
from ..front.ast import chain
from ..front.errors import outside
from ..front.handlers import handles
from .contraction import factors, fused_sum, is_fused, note_rank
from .emit_places import (
    Memory,
    Value,
    pointer_to,
    read_place,
    reference,
    settle,
    write_place,
)
from .emit_rows import change_base, index_base
from .function_code import EFFECTS, PLACES, VALUES, effect, place_of, value_of
from .traits import emits, faults
from .value_code import convert_code, flatten, tuple_of, values_of

LONGEST = 1000
COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}
SHIFTS = {"<<": "shift_left", ">>": "shift_right"}


@handles(VALUES, T.Literal)
def emit_literal(code, node):
    if node.type is C.NULLPTR or isinstance(node.type.plain, C.Pointer):
        return "NULL"
    return code.module.number(node.value, node.type.plain)


@handles(VALUES, T.Load)
def emit_load(code, node):
    inner = node.operand
    if isinstance(inner, T.VariableRef) and inner.variable.constant is not None:
        return code.module.number(inner.variable.constant, node.type.plain)
    if isinstance(inner, T.Select):
        return emit_select(code, inner, load=True)
    if isinstance(inner, T.Assign | T.CompoundAssign | T.Increment):
        return value_of(code, inner)
    return read_place(code, place_of(code, inner), node.type, inner)


@handles(VALUES, T.Convert)
def emit_convert(code, node):
    operand = value_of(code, node.operand)
    return convert_code(code, operand, node.operand.type.plain, node.type.plain)


@handles(VALUES, T.Decay)
def emit_decay(code, node):
    inner = node.operand
    place = place_of(code, inner)
    if not isinstance(place, Memory):
        raise outside("this use of an array", node.place, "index it")
    element = inner.type.element
    return f"{pointer_to(code, place, inner)}.cast({element.size})"


@handles(VALUES, T.AddressOf)
def emit_address(code, node):
    return reference(code, node.operand, node.operand.type)


@handles(VALUES, T.Field)
def emit_field(code, node):
    return read_place(code, place_of(code, node), node.type, node)


@handles(VALUES, T.PointerAdd)
def emit_pointer_add(code, node):
    pointer, index = values_of(code, [node.pointer, node.index])
    size = node.type.plain.to.size
    sign = "-" if node.op == "-" else ""
    index = convert_code(code, index, node.index.type.plain, C.LONG)
    return f"{pointer}.add({sign}{index}, {size})"


@handles(VALUES, T.PointerDiff)
def emit_pointer_diff(code, node):
    left, right = values_of(code, [node.left, node.right])
    size = node.left.type.plain.to.size
    return f"((({left}.address - {right}.address)).view(np.int64) // {size})"


@handles(VALUES, T.Unary)
def emit_unary(code, node):
    type, operand = node.type.plain, value_of(code, node.operand)
    if node.op == "+":
        return operand
    if node.op in "!~":
        return f"(~{operand})"
    if type is C.BFLOAT16:
        return f"({operand} ^ {code.module.number(0x8000, C.BFLOAT16)})"
    return f"(-{operand})"


@handles(VALUES, T.Binary)
def emit_binary(code, node):
    if is_fused(code, node.op, node.type, node.left, node.right):
        return fused_sum(code, node.op, node.left, node.right)
    links = unfolded(code, node)
    text = value_of(code, links[-1].left)
    for link in reversed(links):
        if emits(code, link.right):
            text = code.temp_of(text)
        right = value_of(code, link.right)
        text = binary_code(code, link.op, text, right, link.left.type.plain, link)
    return text


def unfolded(code, node):
    """The part of a + b + c + ... that is computed term by term."""
    links = chain(node)
    for i, link in enumerate(links[1:], 1):
        fused = is_fused(code, link.op, link.type, link.left, link.right)
        if fused or constant.value_of(link) is not None:
            return links[:i]
    return links


def binary_code(code, op, left, right, type, node):
    """left op right, both of `type` (except a shift's right side)."""
    if isinstance(type, C.Pointer):
        return f"({left}.address {op} {right}.address)"
    if isinstance(type, C.Half) or type in (C.HALF2, C.BFLOAT162):
        return half_code(code, op, left, right, type)
    if op in SHIFTS:
        return f"{SHIFTS[op]}({left}, {right})"
    if op in "/%" and type.is_integer:
        divisor = node.right if isinstance(node, T.Binary) else node.value
        if not constant.value_of(divisor):
            right = f"R.divisor({right}, {code.mask}, {code.site(node)})"
        return f"{'int_div' if op == '/' else 'int_mod'}({left}, {right})"
    if len(left) > LONGEST:  # Python nests 200 parentheses at most
        left = code.temp(left)
    return f"{lanes.NAMES[op]}({left}, {right})"


def half_code(code, op, left, right, type):
    bf16 = type in (C.BFLOAT16, C.BFLOAT162)
    function = numerics.half_op(op, bf16)
    name = code.module.constant(function, ("half", op, bf16))
    if isinstance(type, C.Half):
        return f"{name}({left}, {right})"
    pair = f"tuple(map({name}, {left}, {right}))"
    if op not in COMPARISONS:
        return pair
    both = code.temp(pair)
    return f"({both}[0] & {both}[1])"


@handles(VALUES, T.Logical)
def emit_logical(code, node):
    op = "&" if node.op == "&&" else "|"
    if not faults(code, node.right):
        left, right = values_of(code, [node.left, node.right])
        return f"{lanes.NAMES[op]}({left}, {right})"
    result, outer = code.fresh(), code.mask
    code.emit(f"{result} = {value_of(code, node.left)}")
    inner = code.fresh("m")
    test = result if op == "&" else f"~{result}"
    code.emit(f"{inner} = take({outer}, {test})")
    code.emit(f"if {inner} is not False:")
    code.level, code.mask = code.level + 1, inner
    code.emit(f"{result} = {result} {op} {value_of(code, node.right)}")
    code.level, code.mask = code.level - 1, outer
    return result


@handles(VALUES, T.Select)
def emit_select(code, node, load=False):
    """condition ? yes : no; with `load` of two lvalues."""
    yes, no = node.yes, node.no
    if load:
        yes = T.Load(yes.place, yes.type.plain, yes)
        no = T.Load(no.place, no.type.plain, no)
    if not (faults(code, yes) or faults(code, no)):
        condition, a, b = values_of(code, [node.condition, yes, no])
        return f"R.where({condition}, {a}, {b})"
    outer, result = code.mask, code.fresh()
    m_yes, m_no = code.fresh("m"), code.fresh("m")
    condition = value_of(code, node.condition)
    code.emit(f"{m_yes}, {m_no} = split({outer}, {condition})")
    code.emit(f"{result} = None")
    for mask, side in ((m_yes, yes), (m_no, no)):
        code.emit(f"if {mask} is not False:")
        code.level, code.mask = code.level + 1, mask
        text = value_of(code, side)
        if side is yes:
            code.emit(f"{result} = {text}")
        else:
            code.emit(f"{result} = R.other({mask}, {text}, {result})")
        code.level, code.mask = code.level - 1, outer
    return result


@handles(VALUES, T.Comma)
def emit_comma(code, node):
    effect(code, node.left)
    return value_of(code, node.right)


@handles(VALUES, T.Assign, T.CompoundAssign)
def emit_assign(code, node):
    return assign(code, node)[1]


@handles(EFFECTS, T.Assign, T.CompoundAssign)
def assign(code, node, used=True):
    compound = isinstance(node, T.CompoundAssign)
    target = node.target
    if isinstance(target, T.VariableRef) and not compound:
        note_rank(code, target.variable, node.value)
    place = place_of(code, target)
    if compound or emits(code, node.value) or used:
        place = settle(code, place)
    text = compound_code(code, node, place) if compound else value_of(code, node.value)
    if used:
        text = code.temp_of(text)
    if compound:
        change_base(code, target, lambda base: compound_code(code, node, Value(base)))
    else:
        change_base(code, target, lambda _: index_base(code, node.value))
    write_place(code, place, target.type.plain, text, node)
    return place, text


def compound_code(code, node, place):
    """Code for the value that a op= b stores."""
    type, compute = node.target.type.plain, node.compute
    early = emits(code, node.value)
    value = code.temp_of(value_of(code, node.value)) if early else None
    old = read_place(code, place, type, node.target)
    if isinstance(type, C.Pointer):
        value = value or value_of(code, node.value)
        value = convert_code(code, value, node.value.type.plain, C.LONG)
        sign = "-" if node.op == "-" else ""
        return f"{old}.add({sign}{value}, {type.to.size})"
    shift = node.op in SHIFTS
    operand = C.promoted(type) if shift else node.value.type.plain
    old = convert_code(code, old, type, operand)
    if is_fused(code, node.op, operand, None, node.value):
        a, b = factors(code, node.value)
        text = f"fma({'-' if node.op == '-' else ''}{a}, {b}, {old})"
    else:
        value = value or value_of(code, node.value)
        text = binary_code(code, node.op, old, value, operand, node)
    return convert_code(code, text, compute, type)


@handles(VALUES, T.Increment)
def emit_increment(code, node):
    return increment(code, node)[1]


@handles(EFFECTS, T.Increment)
def increment(code, node, used=True):
    type = node.target.type.plain
    place = settle(code, place_of(code, node.target))
    old = read_place(code, place, type, node.target)
    if used and not node.prefix:
        old = code.temp_of(old)
    sign = node.op[0]
    if isinstance(type, C.Pointer):
        new = f"{old}.add({sign}1, {type.to.size})"
    elif isinstance(type, C.Half):
        one = code.module.number(0x3F80 if type is C.BFLOAT16 else 1, type)
        new = half_code(code, sign, old, one, type)
    else:
        one = code.module.number(1, type)
        change_base(code, node.target, lambda r: f"({r.name} {sign} {one})")
        new = f"({old} {sign} {one})"
    if used and node.prefix:
        new = code.temp_of(new)
    write_place(code, place, type, new, node)
    return place, new if node.prefix else old


@handles(PLACES, T.Assign, T.CompoundAssign, T.Increment)
def place_of_assigned(code, node):
    """The place of (a = b), (a += b) or ++a."""
    change = increment if isinstance(node, T.Increment) else assign
    return change(code, node)[0]


@handles(VALUES, T.Call)
def emit_call(code, node):
    function = node.function
    codes = []
    for parameter, argument in zip(function.parameters, node.arguments, strict=True):
        if isinstance(parameter.type, C.Reference):
            text = reference(code, argument, parameter.type.to)
        else:
            text = value_of(code, argument)
        codes.append(code.temp_of(text))
    name = code.module.name_of(function)
    if function.place in code.module.program.brought:
        code.emit(f"R.at = {code.site(node)}")
    call = f"{name}({', '.join(['R', code.mask, *codes])})"
    if code.module.stops_in(function):
        call = f"(yield from {call})"
    if function.result is C.VOID:
        code.emit(call)
        return "None"
    return code.temp_of(call)


@handles(VALUES, T.Aggregate)
def emit_aggregate(code, node):
    if isinstance(node.type.plain, C.Struct):
        return tuple_of(flatten(code, node.type, node))
    return flatten(code, node.type, node)[0]
