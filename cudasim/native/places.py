"""Places in C: lvalues, and the pointers to them.

An access through a pointer is checked, as is an index into an array of known size.
"""

from ..front import constant
from ..front import ctype as C
from ..front import tree as T
from .builtins import Unread, has_effects

FAR = 2**36  # bytes: no index that is added goes farther
BUILTIN = {
    "threadIdx": "t->{1}", "blockIdx": "R->{1}", "blockDim": "R->launch->block[{0}]",
    "gridDim": "R->launch->grid[{0}]",
}  # fmt: skip


class Places:
    """Writes places."""

    # Places

    def place(self, node):
        """An lvalue in C."""
        write = PLACE.get(type(node))
        if write is None:
            raise Unread(f"{type(node).__name__} as a place")
        return write(self, node)

    def behind(self, pointer, by, type):
        """What a pointer points to, `by` bytes on."""
        whole = isinstance(type.plain, C.Struct | C.Array)
        function = "at_struct" if whole else "at"
        size = self.size_of(type)
        return f"(*({self.type(type)}*){function}(R, {pointer}, {by}, {size}))"

    def variable(self, node):
        variable = node.variable
        if variable.storage == "builtin":
            if variable.name == "warpSize":
                return "((i32)32)"
            code = BUILTIN[variable.name]
            parts = (code.format(i, "xyz"[i]) for i in range(3))
            return f"(({self.type(node.type)}){{ {', '.join(parts)} }})"
        if variable.constant is not None and not variable.address_taken:
            return self.number(variable.constant, variable.type.plain)
        if isinstance(variable.type, C.Reference):
            return self.behind(self.names[variable], "0", variable.type.to)
        if variable in self.names:
            return self.names[variable]
        self.complete(variable)
        return f"(*({self.type(variable.type)}*)({self.outer(variable)}))"

    def complete(self, variable):
        if not variable.type.size:
            raise Unread("an array of unknown size")

    def outer(self, variable):
        """Where a variable begins that is shared, or of the file."""
        if variable in self.source.layout:
            return f"R->shared + {self.source.layout[variable]}"
        if variable not in self.source.program.globals:
            raise Unread(variable.name)
        return f"R->launch->globals[{self.source.program.globals.index(variable)}]"

    def index(self, node):
        array, kind = node.base.type, node.index.type
        if isinstance(array, C.Array) and array.count is not None:
            known = constant.value_of(node.index)
            index = self.value(node.index)
            if known is None or not 0 <= known < array.count:
                index = f"inside(R, (i64)({index}), {array.count})"
            return f"{self.place(node.base)}[{index}]"
        size = self.size_of(node.type)
        if isinstance(array, C.Array):
            base = self.address(node.base)
            by = self.scaled(self.value(node.index), kind, size)
            return self.behind(base, by, node.type)
        if has_effects(node.index):
            pointer, line = self.kept(node.base)
            at, more = self.kept(node.index)
            place = self.behind(pointer, self.scaled(at, kind, size), node.type)
            return f"(*({{ {line}{more}&{place}; }}))"
        by = self.scaled(self.value(node.index), kind, size)
        return self.behind(self.value(node.base), by, node.type)

    def size_of(self, type):
        return type.size or self.unread("arithmetic with void*")

    def scaled(self, index, type, size):
        """An index in bytes; it cannot overflow."""
        type = type.plain
        small = type.size < 8 and size <= 16
        code = f"(i64)({index})"
        return f"{code if small else f'near(R, {code}, {FAR // size})'} * {size}"

    def deref(self, node):
        return self.behind(self.value(node.operand), "0", node.type)

    def field(self, node):
        base = node.base
        builtin = isinstance(base, T.VariableRef) and base.variable.storage == "builtin"
        if builtin:
            i = "xyz".index(node.name)
            return f"({BUILTIN[base.variable.name].format(i, node.name)})"
        if not T.is_lvalue(base):
            return f"({self.value(base)}).{self.member(node)}"
        return f"{self.place(base)}.{self.member(node)}"

    def member(self, node):
        fields = list(node.base.type.plain.fields)
        return f"m{fields.index(node.name)}"

    def select_place(self, node):
        yes, no = self.place(node.yes), self.place(node.no)
        return f"(*({self.value(node.condition)} ? &{yes} : &{no}))"

    def comma_place(self, node):
        left = self.value(node.left)
        return f"(*({{ (void)({left}); &{self.place(node.right)}; }}))"

    def changed_place(self, node):
        """The place of (a = b), (a += b) or ++a."""
        if not isinstance(node.target, T.VariableRef):
            raise Unread("the place of an assignment")
        change = self.value(node)
        return f"(*({{ (void)({change}); &{self.place(node.target)}; }}))"

    def call_place(self, node):
        return self.behind(self.value(node), "0", node.type)

    # Addresses

    def reference(self, node, type):
        """A pointer to an lvalue, or to a copy of a value."""
        self.type(type.reference())
        if T.is_lvalue(node):
            return self.address(node)
        name, kind = self.name("copy"), self.type(type)
        self.lines.append(f"{kind} {name};")
        value = self.value(node)
        return f"({{ {name} = {value}; (P){{(char*)&{name}, 0, sizeof {name}}}; }})"

    def address(self, node):
        """A pointer to an lvalue."""
        kind = type(node)
        if kind is T.VariableRef:
            return self.address_of_variable(node.variable)
        if kind is T.Deref:
            return self.value(node.operand)
        if kind is T.Field:
            _, offset = node.base.type.plain.fields[node.name]
            if not T.is_lvalue(node.base):
                raise Unread("the address of a value")
            return f"add({self.address(node.base)}, {offset})"
        if kind is T.Index:
            size, array = self.size_of(node.type), node.base.type
            if isinstance(array, C.Array):
                index = self.value(node.index)
                if array.count is not None:
                    index = f"inside(R, (i64)({index}), {array.count})"
                by = self.scaled(index, node.index.type, size)
                return f"add({self.address(node.base)}, {by})"
            return self.stepwise(
                [node.base, node.index],
                lambda p, i: f"add({p}, {self.scaled(i, node.index.type, size)})",
            )
        if kind is T.Select:
            yes, no = self.address(node.yes), self.address(node.no)
            return f"({self.value(node.condition)} ? {yes} : {no})"
        if kind is T.Call:
            return self.value(node)
        raise Unread(f"the address of {kind.__name__}")

    def address_of_variable(self, variable):
        if variable.storage == "builtin":
            raise Unread(f"the address of {variable.name}")
        if isinstance(variable.type, C.Reference):
            return self.names[variable]
        if variable in self.names:
            name = self.names[variable]
            return f"((P){{(char*)&{name}, 0, sizeof {name}}})"
        size = variable.type.size or "R->launch->dynamic"
        return f"((P){{{self.outer(variable)}, 0, {size}}})"


PLACE = {
    T.VariableRef: Places.variable, T.Index: Places.index, T.Deref: Places.deref,
    T.Field: Places.field, T.Assign: Places.changed_place,
    T.CompoundAssign: Places.changed_place, T.Increment: Places.changed_place,
    T.Comma: Places.comma_place, T.Select: Places.select_place,
    T.Call: Places.call_place,
}  # fmt: skip
