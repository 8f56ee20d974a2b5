"""Places: the left sides of assignments, as generated code."""

import dataclasses

from ..engine.memory import leaves_of
from ..front import constant
from ..front import ctype as C
from ..front import tree as T

COMPONENT = {"x": "x", "y": "y", "z": "z"}
BUILTIN = {"threadIdx": "t", "blockIdx": "b"}
FRESH = ("add(", "sub(", "mul(", "div(")  # these return a new array
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


class PlaceCode:
    """Writes the code of places: finding, reading and writing them."""

    def place(self, node):
        """The place of an lvalue; its pointer and index are computed now."""
        return PLACE[type(node)](self, node)

    def on_variable(self, node):
        variable = node.variable
        if variable.storage == "builtin":
            return Fixed(self.built_in(variable))
        if variable.constant is not None and not variable.address_taken:
            return Fixed(self.module.number(variable.constant, variable.type.plain))
        local = self.locals.get(variable)
        if local is None:
            return self.outer_variable(variable)
        if local.kind == "value":
            return Value(local)
        if local.kind == "cells":
            return Cell(local, 0, variable.name, variable.type)
        type = variable.type
        if isinstance(type, C.Reference):
            type = type.to
        return Memory(local.name, "None", type.size, type)

    def outer_variable(self, variable):
        """A shared variable, or one at file level."""
        if variable.storage in ("shared", "dynamic-shared"):
            number = self.module.shared_index(variable)
            name = f"s{number}"
            self.prologue[name] = f"R.shared[{number}]"
        else:
            number = self.module.globals.index(variable)
            name = f"g{number}"
            self.prologue[name] = f"R.globals[{number}]"
        unit = variable.type.size or variable.type.of.size
        return Memory(name, "None", unit, variable.type)

    def built_in(self, variable, part=None):
        """threadIdx.x and the like."""
        name = variable.name
        if name == "warpSize":
            return self.module.number(32, C.INT)
        if part is None:
            parts = [self.built_in(variable, p) for p in "xyz"]
            return f"({', '.join(parts)})"
        if name in BUILTIN:
            short = f"R_{BUILTIN[name]}{part}"
            self.prologue[short] = f"R.{BUILTIN[name]}{part}"
        else:
            short = f"R_{SIZES[name]}_{part}"
            self.prologue[short] = f"R.{SIZES[name]}[{'xyz'.index(part)}]"
        return short

    def on_index_place(self, node):
        index = node.index
        if isinstance(node.base.type, C.Array):
            return self.index_array(node, index)
        pointer = self.value(node.base)
        if self.emits(index):
            pointer = self.temp(pointer)
        code = self.row_of(index, node.type) or self.unchecked(index, node.type)
        return Memory(pointer, code, node.type.size, node.type)

    def index_array(self, node, index):
        """array[index], with a test against this dimension."""
        base = self.place(node.base)
        count, known = node.base.type.count, constant.value_of(index)
        inside = known is not None and (count is None or 0 <= known < count)
        if isinstance(base, Memory) and self.emits(index):
            base.pointer = self.temp(base.pointer)
        code = known if inside else self.checked(base, index, count, node)
        if isinstance(base, Cell):
            return self.index_cells(base, code, node)
        if not isinstance(base, Memory):
            raise TypeError("an array without a place")
        size = node.type.size
        scaled = rescale(base.index, base.unit, size)
        base.unit = size
        base.index = combine(scaled, self.in_table(code))
        base.type = node.type
        return base

    def in_table(self, code):
        """Code for an index; a known one is a plain number."""
        return str(code) if isinstance(code, int) else code

    def checked(self, base, index, count, node):
        """Code for an index that may be out of bounds."""
        if count is None:
            return self.unchecked(index, node.type)
        code, size = self.value(index), node.type.size
        if isinstance(base, Cell):
            size //= base.left.of.size
        name = self.module.constant(array_name(node.base))
        return f"R.dim({code}, {count}, {name}, {self.mask}, {self.site(node)}, {size})"

    def unchecked(self, index, type):
        """Code for an unchecked index that may yet be multiplied."""
        code = self.value(index)
        parts = isinstance(type.plain, C.Array | C.Struct)
        return f"R.within({code}, {type.size or 1})" if parts else code

    def index_cells(self, base, code, node):
        row = node.type
        size = row.size // base.left.of.size if isinstance(row, C.Array) else 1
        if isinstance(code, int):
            code = code * size
        elif size != 1:
            code = f"{code} * {size}"
        if isinstance(base.index, int) and isinstance(code, int):
            index = base.index + code
        elif base.index == 0:
            index = code
        else:
            index = f"({base.index} + {code})"
        return Cell(base.local, index, base.name, base.left)

    def on_deref_place(self, node):
        return Memory(self.value(node.operand), "None", node.type.size, node.type)

    def on_field_place(self, node):
        base_type = node.base.type.plain
        field, offset = base_type.fields[node.name]
        builtin = isinstance(node.base, T.VariableRef)
        if builtin and node.base.variable.storage == "builtin":
            return Fixed(self.built_in(node.base.variable, node.name))
        if not T.is_lvalue(node.base):
            whole = self.temp(self.value(node.base))
            begin, count = leaf_range(base_type, node.name)
            return Fixed(part_code(whole, begin, count, isinstance(field, C.Struct)))
        base = self.place(node.base)
        if not isinstance(base, Memory):
            begin, count = leaf_range(base_type, node.name)
            return Part(base, begin, count, isinstance(field.plain, C.Struct))
        unit = field.align if not isinstance(field, C.Array) else field.of.align
        scaled = rescale(base.index, base.unit, unit)
        index = combine(scaled, str(offset // unit))
        return Memory(base.pointer, index, unit, node.type)

    def on_assigned_place(self, node):
        """The place of (a = b), (a += b) or ++a."""
        change = self.increment if isinstance(node, T.Increment) else self.assign
        return change(node, used=True)[0]

    def on_comma_place(self, node):
        self.effect(node.left)
        return self.place(node.right)

    def on_select_place(self, node):
        return Memory(self.address_of_either(node), "None", node.type.size, node.type)

    def address_of_either(self, node):
        """A pointer to one of two places."""
        condition = self.temp(self.value(node.condition))
        yes = self.temp(self.reference(node.yes, node.type))
        no = self.reference(node.no, node.type)
        return self.temp(f"select_any({condition}, {yes}, {no})")

    def on_call_place(self, node):
        return Memory(self.value(node), "None", node.type.size, node.type)

    def on_string_place(self, node):
        name = self.module.string(node.value)
        return Memory(f"R.strings[{name}]", "None", 1, node.type)

    # Reading and writing

    def read(self, place, type, node):
        """Code for the value in a place."""
        if isinstance(place, Fixed):
            return place.code
        if isinstance(place, Value):
            return place.local.name
        if isinstance(place, Part):
            base = self.read(place.base, None, node)
            return part_code(base, place.begin, place.count, place.record)
        if isinstance(place, Cell):
            if isinstance(place.index, int):
                return f"{place.local.name}[{place.index}]"
            name = self.module.constant(place.name)
            return (
                f"R.cell({place.local.name}, {place.index}, {name}, "
                f"{self.mask}, {self.site(node)})"
            )
        how = self.access(type, place.unit)
        self.clock += 1
        return (
            f"R.load({place.pointer}, {place.index}, {how}, "
            f"{self.mask}, {self.site_of(place, node)})"
        )

    def site_of(self, place, node):
        """The number of an access's place in the source; volatile ones are noted."""
        site = self.site(node)
        if place.type.quals & C.VOLATILE:
            self.module.volatile.add(site)
        return site

    def write(self, place, type, value, node):
        """Emit the code that stores a value in a place."""
        if isinstance(place, Value):
            self.set_local(place.local, value)
        elif isinstance(place, Part):
            self.write_part(place, value, node)
        elif isinstance(place, Cell):
            self.set_cell(place, value, node)
        else:
            how = self.access(type, place.unit)
            self.clock += 1
            self.emit(
                f"R.store({place.pointer}, {place.index}, {value}, {how}, "
                f"{self.mask}, {self.site_of(place, node)})"
            )

    def set_local(self, local, value):
        name, mask = local.name, self.mask
        how = "renew" if value.startswith(FRESH) else "keep"
        if local.mask == mask:
            self.emit(f"{name} = {value}")
        else:
            self.emit(
                f"{name} = {value} if {mask} is {local.mask} "
                f"else select_any({mask}, {value}, {name})"
                if ATOMIC(value)
                else f"{name} = R.{how}({mask}, {local.mask}, {value}, {name})"
            )

    def set_cell(self, place, value, node):
        local, mask = place.local, self.mask
        whole = "True" if local.mask == mask else f"{mask} is {local.mask}"
        if isinstance(place.index, int):
            target = f"{local.name}[{place.index}]"
            if whole == "True":
                self.emit(f"{target} = {value}")
            else:
                self.emit(f"{target} = R.keep({mask}, {local.mask}, {value}, {target})")
            return
        name = self.module.constant(place.name)
        self.emit(
            f"R.set_cell({local.name}, {place.index}, {value}, {name}, {mask}, "
            f"{whole}, {self.site(node)})"
        )

    def write_part(self, place, value, node):
        """Store into a member: the struct, a tuple, is built again."""
        value = self.temp(value)
        base = self.temp(self.read(place.base, None, node))
        end = place.begin + place.count
        middle = f"*{value}" if place.record else value
        whole = f"(*{base}[:{place.begin}], {middle}, *{base}[{end}:])"
        self.write(place.base, None, whole, node)

    def settled(self, place):
        """The place with its pointer and index computed once."""
        if isinstance(place, Memory):
            place.pointer = self.temp(place.pointer)
            if not place.index.isdigit() and place.index != "None":
                place.index = self.temp(place.index)
        elif isinstance(place, Cell) and not isinstance(place.index, int):
            place.index = self.temp(place.index)
        elif isinstance(place, Part):
            self.settled(place.base)
        return place

    def reference(self, node, type):
        """Code for a pointer to an lvalue, or to a copy of a value."""
        if not T.is_lvalue(node):
            name = self.fresh("p")
            value = self.temp(self.value(node))
            self.make_memory(T.Variable("value", type.plain, "local"), name)
            self.store_value(name, type, value)
            return name
        return self.pointer_to(self.place(node), node)

    def pointer_to(self, place, node):
        if not isinstance(place, Memory):
            return self.copy_of(place, node)
        if place.index in ("None", "0"):
            return place.pointer
        index = place.index
        if index.isdigit():
            index = str(int(index))
        elif self.module.rows:
            index = f"R.full({index})"
        return f"{place.pointer}.add({index}, {place.unit})"

    def copy_of(self, place, node):
        """A pointer to a copy, of a built-in variable, which cannot be written."""
        name = self.fresh("p")
        value = self.temp(self.read(place, node.type, node))
        self.make_memory(T.Variable("value", node.type.plain, "local"), name)
        self.store_value(name, node.type, value)
        return name


def ATOMIC(code):
    return code.isidentifier()


def rescale(index, unit, smaller):
    """An index in smaller units."""
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
    known = constant.value_of(node)
    if known is not None:
        return str(known)
    while isinstance(node, T.Load | T.Convert):
        node = node.operand
    return node.variable.name if isinstance(node, T.VariableRef) else "..."


PLACE = {
    T.VariableRef: PlaceCode.on_variable,
    T.Index: PlaceCode.on_index_place,
    T.Deref: PlaceCode.on_deref_place,
    T.Field: PlaceCode.on_field_place,
    T.Assign: PlaceCode.on_assigned_place,
    T.CompoundAssign: PlaceCode.on_assigned_place,
    T.Increment: PlaceCode.on_assigned_place,
    T.Comma: PlaceCode.on_comma_place,
    T.Select: PlaceCode.on_select_place,
    T.Call: PlaceCode.on_call_place,
    T.StringLiteral: PlaceCode.on_string_place,
}
