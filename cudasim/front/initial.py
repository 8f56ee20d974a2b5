"""Initial values: `= x`, `= {a, {b, c}}`, `{x}`, `(x)`."""

from . import ast
from . import ctype as C
from . import group_types as groups
from . import tree as T
from .convert import converted, rank
from .errors import CompileError, outside
from .structs import Structs

MOST_ITEMS = 1 << 12


class Initial(Structs):
    """Checks initial values against the type that they fill."""

    def initial(self, type, node, place):
        """The value that `node` gives to something of `type`."""
        what = "be the first value of a"
        if not isinstance(node, ast.Items):
            if isinstance(type, C.Array):
                if isinstance(node, ast.String):
                    raise outside("an array made from a text", place, "use const char*")
                message = "an array's values stand in { }"
                raise CompileError(message, place)
            return self.initial_of(type, node, what, place)
        node = ast.Items(node.place, self.expanded(node.items))
        if self.function is not None and type.parts > MOST_ITEMS:
            what = f"a first value for more than {MOST_ITEMS:,} numbers"
            raise outside(what, place, "fill the array in a loop")
        if isinstance(type, (C.Array, C.Struct)):
            return self.aggregate(type, node)
        if not node.items:
            return T.Aggregate(node.place, type.plain, [])
        if len(node.items) > 1:
            raise CompileError("too many values", node.items[1].place)
        return self.initial(type, node.items[0], node.items[0].place)

    def initial_of(self, type, node, what, place):
        """A value that is no list; a struct's constructor may take it."""
        return self.initial_value(type, node, self.value(node), what, place)

    def initial_value(self, type, node, value, what, place=None):
        """The same, for a value that is checked."""
        place, value = place or node.place, self.taken_for(value, type)
        if isinstance(type.plain, C.Struct) and rank(value, type) is None:
            made = self.made(type, [node], place)
            if made is not None:
                return made
        return converted(value, type, what, place)

    def aggregate(self, type, node):
        """{...} for an array or a struct; inner braces may be left out."""
        if isinstance(type, C.Struct):
            made = self.made(type, node.items, node.place)
            if made is not None:
                return made
        if isinstance(type.plain, C.Union) and node.items:
            note = "write a member after the declaration"
            raise outside("a first value of a union", node.place, note)
        items = list(node.items)[::-1]
        if isinstance(type.plain, groups.Group):
            return self.group_from(type, node)
        if type.plain is C.DIM3:
            return self.dim3(node)
        if len(items) == 1 and not isinstance(items[0], ast.Items):
            single = isinstance(type, C.Struct) and self.whole(items[0], type)
            if single:
                return single
        made = self.fill(type, items, node.place)
        if items:
            message = f"too many values for '{type}'"
            raise CompileError(message, items[-1].place)
        return made

    def whole(self, node, type):
        """The value of `node` if it is itself of the struct `type`."""
        saved = len(self.warnings)
        value = self.value(node)
        if value.type.plain is type.plain:
            return value
        del self.warnings[saved:]
        return None

    def fill(self, type, items, place):
        """Take the values for one array or struct off the end of `items`."""
        if isinstance(type, C.Array):
            kinds = [type.element] * min(type.count or 0, len(items) + 1)
            if type.count is None:
                if not items:
                    message = (
                        "array size missing: it can only be deduced from an initializer"
                    )
                    raise CompileError(message, place)
                out = []
                while items:
                    out.append(self.one(type.element, items))
                return T.Aggregate(place, type.element.array(len(out)), out)
        else:
            kinds = [field for field, _ in type.plain.fields.values()]
        out = []
        for kind in kinds:
            if not items:
                break
            out.append(self.one(kind, items))
        if isinstance(type, C.Struct) and type.plain.defaults:
            out += self.by_default(type.plain, len(out))
        return T.Aggregate(place, type.plain, out)

    def by_default(self, struct, count):
        """The values of the members that a list leaves out."""
        for name, (kind, _) in list(struct.fields.items())[count:]:
            given = struct.defaults.get(name)
            yield given and self.initial(kind, given, given.place)

    def one(self, type, items):
        """One element: from a braced list, a value of its type, or the next values."""
        node = items[-1]
        nested = isinstance(type, (C.Array, C.Struct))
        if isinstance(node, ast.Items) or not nested:
            items.pop()
            return self.initial(type, node, node.place)
        if isinstance(type, C.Struct) and (value := self.whole(node, type)):
            items.pop()
            return value
        return self.fill(type, items, node.place)

    def group_from(self, type, node):
        """{group}: a group is made from one other."""
        if len(node.items) != 1:
            message = f"'{type}' is made from another group"
            raise CompileError(message, node.place, "cg::this_thread_block() gives one")
        return self.initial(type, node.items[0], node.items[0].place)

    def dim3(self, node):
        """dim3(x, y, z): what is left out is 1."""
        if len(node.items) > 3:
            raise CompileError("dim3 has three numbers", node.items[3].place)
        values = [self.value(item) for item in node.items]
        is_struct = len(values) == 1 and isinstance(values[0].type.plain, C.Struct)
        if is_struct and rank(values[0], C.DIM3) is not None:
            return converted(values[0], C.DIM3)
        out = [converted(v, C.UINT, "be a number of", v.place) for v in values]
        while len(out) < 3:
            out.append(T.Literal(node.place, C.UINT, 1))
        return T.Aggregate(node.place, C.DIM3, out)
