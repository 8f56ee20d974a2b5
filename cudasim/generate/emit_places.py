"""Places as code: finding, reading, and writing them."""

import dataclasses

from ..engine.memory import leaves_of
from ..front import constant, ctype as C, tree as T
from ..front.handlers import handles
from .emit_rows import row_of
from .function_code import PLACES, effect, place_of, value_of
from .traits import emits
from .value_code import access_code, make_memory, set_local, store_value

BUILTIN = {"threadIdx": "t", "blockIdx": "b"}
SIZES = {"blockDim": "block_dim", "gridDim": "grid_dim"}


@dataclasses.dataclass
class Value:
    """A variable whose value is a Python variable."""

    local: object


@dataclasses.dataclass
class Part:
    """Some leaves of a struct that is a value: a member, or a member of one."""

    base: object
    begin: int
    count: int
    record: bool


@dataclasses.dataclass
class Cell:
    """An element of an array that is a list of values; index: code, or an int."""

    local: object
    index: object
    name: str
    left: object  # the array's remaining dimensions


@dataclasses.dataclass
class Memory:
    """pointer[index], the index counted in units of `unit` bytes; "None" means 0."""

    pointer: str
    index: str
    unit: int
    type: object


@dataclasses.dataclass
class Fixed:
    """A value without a place: a built-in variable, a member of a call's result."""

    code: str


@handles(PLACES, T.VariableRef)
def place_of_variable(code, node):
    variable = node.variable
    if variable.storage == "builtin":
        return Fixed(built_in(code, variable))
    if variable.constant is not None and not variable.address_taken:
        return Fixed(code.module.number(variable.constant, variable.type.plain))
    local = code.locals.get(variable)
    if local is None:
        return outer_variable(code, variable)
    if local.kind == "value":
        return Value(local)
    if local.kind == "cells":
        return Cell(local, 0, variable.name, variable.type)
    type = variable.type
    if isinstance(type, C.Reference):
        type = type.to
    return Memory(local.name, "None", type.size, type)


def outer_variable(code, variable):
    """A shared variable, or one at file level."""
    if variable.storage in ("shared", "dynamic-shared"):
        number = code.module.shared_index(variable)
        name = f"s{number}"
        code.prologue[name] = f"R.shared[{number}]"
    else:
        number = code.module.globals.index(variable)
        name = f"g{number}"
        code.prologue[name] = f"R.globals[{number}]"
    unit = variable.type.size or variable.type.of.size
    return Memory(name, "None", unit, variable.type)


def built_in(code, variable, part=None):
    """threadIdx.x and the like."""
    name = variable.name
    if name == "warpSize":
        return code.module.number(32, C.INT)
    if part is None:
        parts = [built_in(code, variable, p) for p in "xyz"]
        return f"({', '.join(parts)})"
    if name in BUILTIN:
        short = f"R_{BUILTIN[name]}{part}"
        code.prologue[short] = f"R.{BUILTIN[name]}{part}"
    else:
        short = f"R_{SIZES[name]}_{part}"
        code.prologue[short] = f"R.{SIZES[name]}[{'xyz'.index(part)}]"
    return short


@handles(PLACES, T.Index)
def place_of_index(code, node):
    index = node.index
    if isinstance(node.base.type, C.Array):
        return index_array(code, node, index)
    pointer = value_of(code, node.base)
    if emits(code, index):
        pointer = code.temp(pointer)
    text = row_of(code, index, node.type) or unchecked_index(code, index, node.type)
    return Memory(pointer, text, node.type.size, node.type)


def index_array(code, node, index):
    """array[index], with a test against this dimension."""
    base = place_of(code, node.base)
    count, number = node.base.type.count, constant.value_of(index)
    inside = number is not None and (count is None or 0 <= number < count)
    if isinstance(base, Memory) and emits(code, index):
        base.pointer = code.temp(base.pointer)
    text = number if inside else checked_index(code, base, index, count, node)
    if isinstance(base, Cell):
        return index_cells(base, text, node)
    if not isinstance(base, Memory):
        raise TypeError("an array without a place")
    size = node.type.size
    unit = size if base.index == "None" else min(base.unit, size)
    begin = rescale(base.index, base.unit, unit)
    base.index = combine(begin, rescale(str(text), size, unit))
    base.unit, base.type = unit, node.type
    return base


def checked_index(code, base, index, count, node):
    """Code for an index that may be out of bounds."""
    if count is None:
        return unchecked_index(code, index, node.type)
    text, size = value_of(code, index), node.type.size
    if isinstance(base, Cell):
        size //= base.left.of.size
    name = code.module.constant(array_name(node.base))
    return f"R.dim({text}, {count}, {name}, {code.mask}, {code.site(node)}, {size})"


def unchecked_index(code, index, type):
    """Code for an unchecked index that may yet be multiplied."""
    text = value_of(code, index)
    parts = isinstance(type.plain, C.Array | C.Struct)
    return f"R.within({text}, {type.size or 1})" if parts else text


def index_cells(base, text, node):
    row = node.type
    size = row.size // base.left.of.size if isinstance(row, C.Array) else 1
    if isinstance(text, int):
        text = text * size
    elif size != 1:
        text = f"{text} * {size}"
    if isinstance(base.index, int) and isinstance(text, int):
        index = base.index + text
    elif base.index == 0:
        index = text
    else:
        index = f"({base.index} + {text})"
    return Cell(base.local, index, base.name, base.left)


@handles(PLACES, T.Deref)
def place_of_deref(code, node):
    return Memory(value_of(code, node.operand), "None", node.type.size, node.type)


@handles(PLACES, T.Field)
def place_of_field(code, node):
    base_type = node.base.type.plain
    field, offset = base_type.fields[node.name]
    builtin = isinstance(node.base, T.VariableRef)
    if builtin and node.base.variable.storage == "builtin":
        return Fixed(built_in(code, node.base.variable, node.name))
    if not T.is_lvalue(node.base):
        whole = code.temp(value_of(code, node.base))
        begin, count = leaf_range(base_type, node.name)
        return Fixed(part_code(whole, begin, count, isinstance(field, C.Struct)))
    base = place_of(code, node.base)
    if not isinstance(base, Memory):
        begin, count = leaf_range(base_type, node.name)
        return Part(base, begin, count, isinstance(field.plain, C.Struct))
    unit = field.align if not isinstance(field, C.Array) else field.of.align
    scaled = rescale(base.index, base.unit, unit)
    index = combine(scaled, str(offset // unit))
    return Memory(base.pointer, index, unit, node.type)


@handles(PLACES, T.Comma)
def place_of_comma(code, node):
    effect(code, node.left)
    return place_of(code, node.right)


@handles(PLACES, T.Select)
def place_of_select(code, node):
    return Memory(address_of_either(code, node), "None", node.type.size, node.type)


def address_of_either(code, node):
    """A pointer to one of two places."""
    condition = code.temp(value_of(code, node.condition))
    yes = code.temp(reference(code, node.yes, node.type))
    no = reference(code, node.no, node.type)
    return code.temp(f"select_any({condition}, {yes}, {no})")


@handles(PLACES, T.Call)
def place_of_call(code, node):
    return Memory(value_of(code, node), "None", node.type.size, node.type)


@handles(PLACES, T.StringLiteral)
def place_of_string(code, node):
    name = code.module.string(node.value)
    return Memory(f"R.strings[{name}]", "None", 1, node.type)


def read_place(code, place, type, node):
    """Code for the value in a place."""
    if isinstance(place, Fixed):
        return place.code
    if isinstance(place, Value):
        return place.local.name
    if isinstance(place, Part):
        base = read_place(code, place.base, None, node)
        return part_code(base, place.begin, place.count, place.record)
    if isinstance(place, Cell):
        if isinstance(place.index, int):
            return f"{place.local.name}[{place.index}]"
        name = code.module.constant(place.name)
        return (
            f"R.cell({place.local.name}, {place.index}, {name}, "
            f"{code.mask}, {code.site(node)})"
        )
    how = access_code(code, type, place.unit)
    code.clock += 1
    return (
        f"R.load({place.pointer}, {place.index}, {how}, "
        f"{code.mask}, {access_site(code, place, node)})"
    )


def access_site(code, place, node):
    """The number of an access's place in the source; volatile ones are noted."""
    site = code.site(node)
    if place.type.quals & C.VOLATILE:
        code.module.volatile.add(site)
    return site


def write_place(code, place, type, value, node):
    """Emit the code that stores a value in a place."""
    if isinstance(place, Value):
        set_local(code, place.local, value)
    elif isinstance(place, Part):
        write_part(code, place, value, node)
    elif isinstance(place, Cell):
        set_cell(code, place, value, node)
    else:
        how = access_code(code, type, place.unit)
        code.clock += 1
        code.emit(
            f"R.store({place.pointer}, {place.index}, {value}, {how}, "
            f"{code.mask}, {access_site(code, place, node)})"
        )


def set_cell(code, place, value, node):
    local, mask = place.local, code.mask
    whole = "True" if local.mask == mask else f"{mask} is {local.mask}"
    if isinstance(place.index, int):
        target = f"{local.name}[{place.index}]"
        if whole == "True":
            code.emit(f"{target} = {value}")
        else:
            code.emit(f"{target} = R.keep({mask}, {local.mask}, {value}, {target})")
        return
    name = code.module.constant(place.name)
    code.emit(
        f"R.set_cell({local.name}, {place.index}, {value}, {name}, {mask}, "
        f"{whole}, {code.site(node)})"
    )


def write_part(code, place, value, node):
    """Store into a member: the struct, a tuple, is built again."""
    value = code.temp(value)
    base = code.temp(read_place(code, place.base, None, node))
    end = place.begin + place.count
    middle = f"*{value}" if place.record else value
    whole = f"(*{base}[:{place.begin}], {middle}, *{base}[{end}:])"
    write_place(code, place.base, None, whole, node)


def settle(code, place):
    """The place with its pointer and index computed once."""
    if isinstance(place, Memory):
        place.pointer = code.temp(place.pointer)
        if not place.index.isdigit() and place.index != "None":
            place.index = code.temp(place.index)
    elif isinstance(place, Cell) and not isinstance(place.index, int):
        place.index = code.temp(place.index)
    elif isinstance(place, Part):
        settle(code, place.base)
    return place


def reference(code, node, type):
    """Code for a pointer to an lvalue, or to a copy of a value."""
    if not T.is_lvalue(node):
        name = code.fresh("p")
        value = code.temp(value_of(code, node))
        make_memory(code, T.Variable("value", type.plain, "local"), name)
        store_value(code, name, type, value)
        return name
    return pointer_to(code, place_of(code, node), node)


def pointer_to(code, place, node):
    if not isinstance(place, Memory):
        return copy_of(code, place, node)
    if place.index in ("None", "0"):
        return place.pointer
    index = place.index
    if index.isdigit():
        index = str(int(index))
    elif code.module.rows:
        index = f"R.full({index})"
    return f"{place.pointer}.add({index}, {place.unit})"


def copy_of(code, place, node):
    """A pointer to a copy, of a built-in variable, which cannot be written."""
    name = code.fresh("p")
    value = code.temp(read_place(code, place, node.type, node))
    make_memory(code, T.Variable("value", node.type.plain, "local"), name)
    store_value(code, name, node.type, value)
    return name


def rescale(index, unit, smaller):
    """An index in units that are as large, or smaller."""
    if index == "None" or unit == smaller:
        return index
    ratio = unit // smaller
    if index.isdigit():
        return str(int(index) * ratio)
    return f"{index} * {ratio}"


def combine(a, b):
    """The sum of two indices."""
    if a in ("None", "0"):
        return b
    if b == "0":
        return a
    if a.isdigit() and b.isdigit():
        return str(int(a) + int(b))
    return f"({a} + {b})"


def leaf_range(struct, name):
    """(first leaf, number of leaves) of a member."""
    begin = 0
    for field, (type, _) in struct.fields.items():
        count = len(leaves_of(type))
        if field == name:
            return begin, count
        begin += count
    raise KeyError(name)


def part_code(base, begin, count, record):
    if not record:
        return f"{base}[{begin}]"
    return f"{base}[{begin}:{begin + count}]"


def array_name(node):
    """The name of an array in messages."""
    if isinstance(node, T.VariableRef):
        return node.variable.name
    if isinstance(node, T.Index):
        return f"{array_name(node.base)}[{index_name(node.index)}]"
    if isinstance(node, T.Field):
        return f"{array_name(node.base)}.{node.name}"
    return "the array"


def index_name(node):
    """A number, the name of a variable, or dots."""
    number = constant.value_of(node)
    if number is not None:
        return str(number)
    while isinstance(node, T.Load | T.Convert):
        node = node.operand
    return node.variable.name if isinstance(node, T.VariableRef) else "..."
