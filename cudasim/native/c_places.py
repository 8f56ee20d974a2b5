"""Places in C: lvalues, and the pointers to them.

An access through a pointer is checked, as is an index into an array of known size.
"""

from ..front import constant, ctype as C, tree as T
from ..front.handlers import handles
from .c_builtins import Unread, has_effects
from .function_source import (
    PLACES,
    keep_value,
    number_text,
    place_of,
    scaled,
    size_of,
    stepwise,
    value_of,
)

BUILTIN = {
    "threadIdx": "t->{1}", "blockIdx": "R->{1}", "blockDim": "R->launch->block[{0}]",
    "gridDim": "R->launch->grid[{0}]",
}  # fmt: skip


def behind(code, pointer, by, type):
    """What a pointer points to, `by` bytes on."""
    whole = isinstance(type.plain, C.Struct | C.Array)
    function = "at_struct" if whole else "at"
    size = size_of(type)
    return f"(*({code.type(type)}*){function}(R, {pointer}, {by}, {size}))"


@handles(PLACES, T.VariableRef)
def place_of_variable(code, node):
    variable = node.variable
    if variable.storage == "builtin":
        if variable.name == "warpSize":
            return "((i32)32)"
        text = BUILTIN[variable.name]
        parts = (text.format(i, "xyz"[i]) for i in range(3))
        return f"(({code.type(node.type)}){{ {', '.join(parts)} }})"
    if variable.constant is not None and not variable.address_taken:
        return number_text(code, variable.constant, variable.type.plain)
    if isinstance(variable.type, C.Reference):
        return behind(code, code.names[variable], "0", variable.type.to)
    if variable in code.names:
        return code.names[variable]
    require_complete(variable)
    return f"(*({code.type(variable.type)}*)({outer_variable(code, variable)}))"


def require_complete(variable):
    if not variable.type.size:
        raise Unread("an array of unknown size")


def outer_variable(code, variable):
    """Where a variable begins that is shared, or of the file."""
    if variable in code.source.layout:
        return f"R->shared + {code.source.layout[variable]}"
    if variable not in code.source.program.globals:
        raise Unread(variable.name)
    return f"R->launch->globals[{code.source.program.globals.index(variable)}]"


@handles(PLACES, T.Index)
def place_of_index(code, node):
    array, kind = node.base.type, node.index.type
    if isinstance(array, C.Array) and array.count is not None:
        number = constant.value_of(node.index)
        index = value_of(code, node.index)
        if number is None or not 0 <= number < array.count:
            index = f"inside(R, (i64)({index}), {array.count})"
        return f"{place_of(code, node.base)}[{index}]"
    size = size_of(node.type)
    if isinstance(array, C.Array):
        base = address(code, node.base)
        by = scaled(value_of(code, node.index), kind, size)
        return behind(code, base, by, node.type)
    if has_effects(node.index):
        pointer, line = keep_value(code, node.base)
        at, more = keep_value(code, node.index)
        place = behind(code, pointer, scaled(at, kind, size), node.type)
        return f"(*({{ {line}{more}&{place}; }}))"
    by = scaled(value_of(code, node.index), kind, size)
    return behind(code, value_of(code, node.base), by, node.type)


@handles(PLACES, T.Deref)
def place_of_deref(code, node):
    return behind(code, value_of(code, node.operand), "0", node.type)


@handles(PLACES, T.Field)
def place_of_field(code, node):
    base = node.base
    builtin = isinstance(base, T.VariableRef) and base.variable.storage == "builtin"
    if builtin:
        i = "xyz".index(node.name)
        return f"({BUILTIN[base.variable.name].format(i, node.name)})"
    if not T.is_lvalue(base):
        return f"({value_of(code, base)}).{member_name(node)}"
    return f"{place_of(code, base)}.{member_name(node)}"


def member_name(node):
    fields = list(node.base.type.plain.fields)
    return f"m{fields.index(node.name)}"


@handles(PLACES, T.Select)
def place_of_select(code, node):
    yes, no = place_of(code, node.yes), place_of(code, node.no)
    return f"(*({value_of(code, node.condition)} ? &{yes} : &{no}))"


@handles(PLACES, T.Comma)
def place_of_comma(code, node):
    left = value_of(code, node.left)
    return f"(*({{ (void)({left}); &{place_of(code, node.right)}; }}))"


@handles(PLACES, T.Assign, T.CompoundAssign, T.Increment)
def place_of_changed(code, node):
    """The place of (a = b), (a += b) or ++a."""
    if not isinstance(node.target, T.VariableRef):
        raise Unread("the place of an assignment")
    change = value_of(code, node)
    return f"(*({{ (void)({change}); &{place_of(code, node.target)}; }}))"


@handles(PLACES, T.Call)
def place_of_call(code, node):
    return behind(code, value_of(code, node), "0", node.type)


def reference(code, node, type):
    """A pointer to an lvalue, or to a copy of a value."""
    code.type(type.reference())
    if T.is_lvalue(node):
        return address(code, node)
    name, kind = code.name("copy"), code.type(type)
    code.lines.append(f"{kind} {name};")
    value = value_of(code, node)
    return f"({{ {name} = {value}; (P){{(char*)&{name}, 0, sizeof {name}}}; }})"


def address(code, node):
    """A pointer to an lvalue."""
    kind = type(node)
    if kind is T.VariableRef:
        return address_of_variable(code, node.variable)
    if kind is T.Deref:
        return value_of(code, node.operand)
    if kind is T.Field:
        _, offset = node.base.type.plain.fields[node.name]
        if not T.is_lvalue(node.base):
            raise Unread("the address of a value")
        return f"add({address(code, node.base)}, {offset})"
    if kind is T.Index:
        size, array = size_of(node.type), node.base.type
        if isinstance(array, C.Array):
            index = value_of(code, node.index)
            if array.count is not None:
                index = f"inside(R, (i64)({index}), {array.count})"
            by = scaled(index, node.index.type, size)
            return f"add({address(code, node.base)}, {by})"
        return stepwise(
            code,
            [node.base, node.index],
            lambda p, i: f"add({p}, {scaled(i, node.index.type, size)})",
        )
    if kind is T.Select:
        yes, no = address(code, node.yes), address(code, node.no)
        return f"({value_of(code, node.condition)} ? {yes} : {no})"
    if kind is T.Call:
        return value_of(code, node)
    raise Unread(f"the address of {kind.__name__}")


def address_of_variable(code, variable):
    if variable.storage == "builtin":
        raise Unread(f"the address of {variable.name}")
    if isinstance(variable.type, C.Reference):
        return code.names[variable]
    if variable in code.names:
        name = code.names[variable]
        return f"((P){{(char*)&{name}, 0, sizeof {name}}})"
    size = variable.type.size or "R->launch->dynamic"
    return f"((P){{{outer_variable(code, variable)}, 0, {size}}})"
