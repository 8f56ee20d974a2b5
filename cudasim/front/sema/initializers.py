"""Initial values: `= x`, `= {a, {b, c}}`, `{x}`, `(x)`."""

from .. import ast, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, outside
from .conversions import converted, rank
from .function_calls import construct, user_conversion
from .inheritance import CONSTRUCTOR, is_struct
from .parameter_packs import expand
from .values import check_value

MOST_ITEMS = 1 << 12


def initialize(scope, type, node, place):
    """The value that `node` gives to something of `type`."""
    what = "be the first value of a"
    if not isinstance(node, ast.Items):
        if isinstance(type, C.Array):
            if isinstance(node, ast.String):
                raise outside("an array made from a text", place, "use const char*")
            message = "an array's values stand in { }"
            raise CompileError(message, place)
        return initialize_from(scope, type, node, check_value(scope, node), what, place)
    node = ast.Items(node.place, expand(scope, node.items))
    if scope.body.function is not None and type.parts > MOST_ITEMS:
        what = f"a first value for more than {MOST_ITEMS:,} numbers"
        raise outside(what, place, "fill the array in a loop")
    if isinstance(type, (C.Array, C.Struct)):
        return initialize_aggregate(scope, type, node)
    if not node.items:
        return T.Aggregate(node.place, type.plain, [])
    if len(node.items) > 1:
        raise CompileError("too many values", node.items[1].place)
    return initialize(scope, type, node.items[0], node.items[0].place)


def initialize_from(scope, type, node, value, what, place=None):
    """The value of `node`, no list, which is checked; a constructor may take it."""
    place, value = place or node.place, user_conversion(scope, value, type)
    if isinstance(type.plain, C.Struct) and rank(value, type) is None:
        constructed = construct(scope, type, [node], place)
        if constructed is not None:
            return constructed
    return converted(value, type, what, place)


def initialize_aggregate(scope, type, node):
    """{...} for an array or a struct; inner braces may be left out."""
    if isinstance(type, C.Struct):
        constructed = construct(scope, type, node.items, node.place)
        if constructed is not None:
            return constructed
    if isinstance(type.plain, C.Union) and node.items:
        note = "write a member after the declaration"
        raise outside("a first value of a union", node.place, note)
    items = list(node.items)[::-1]
    if isinstance(type.plain, groups.Group):
        return group_value(scope, type, node)
    if type.plain is C.DIM3:
        return dim3_value(scope, node)
    single = len(items) == 1 and not isinstance(items[0], ast.Items)
    if single and isinstance(type, C.Struct):
        constructed = whole_struct(scope, items[0], type)
        if constructed is not None:
            return constructed
    constructed = fill_aggregate(scope, type, items, node.place)
    if items:
        message = f"too many values for '{type}'"
        raise CompileError(message, items[-1].place)
    return constructed


def whole_struct(scope, node, type):
    """The value of `node` if it is itself of the struct `type`."""
    saved = len(scope.warnings)
    value = check_value(scope, node)
    if value.type.plain is type.plain:
        return value
    del scope.warnings[saved:]
    return None


def fill_aggregate(scope, type, items, place):
    """Take the values for one array or struct off the end of `items`."""
    if isinstance(type, C.Array):
        kinds = [type.element] * min(type.count or 0, len(items) + 1)
        if type.count is None:
            if not items:
                message = "array size missing: it can only be deduced from an"
                raise CompileError(f"{message} initializer", place)
            out = []
            while items:
                out.append(next_element(scope, type.element, items))
            return T.Aggregate(place, type.element.array(len(out)), out)
    else:
        kinds = [field for field, _ in type.plain.fields.values()]
    out = []
    for kind in kinds:
        if not items:
            break
        out.append(next_element(scope, kind, items))
    if isinstance(type, C.Struct) and type.plain.defaults:
        out += member_initializers(scope, type.plain, len(out))
    return T.Aggregate(place, type.plain, out)


def member_initializers(scope, struct, count):
    """The values of the members that a list leaves out."""
    for name, (kind, _) in list(struct.fields.items())[count:]:
        given = struct.defaults.get(name)
        yield given and initialize(scope, kind, given, given.place)


def next_element(scope, type, items):
    """One element: from a braced list, a value of its type, or the next values."""
    node = items[-1]
    nested = isinstance(type, (C.Array, C.Struct))
    if isinstance(node, ast.Items) or not nested:
        items.pop()
        return initialize(scope, type, node, node.place)
    if isinstance(type, C.Struct) and (value := whole_struct(scope, node, type)):
        items.pop()
        return value
    return fill_aggregate(scope, type, items, node.place)


def group_value(scope, type, node):
    """{group}: a group is made from one other."""
    if len(node.items) != 1:
        message = f"'{type}' is made from another group"
        raise CompileError(message, node.place, "cg::this_thread_block() gives one")
    return initialize(scope, type, node.items[0], node.items[0].place)


def dim3_value(scope, node):
    """dim3(x, y, z): what is left out is 1."""
    if len(node.items) > 3:
        raise CompileError("dim3 has three numbers", node.items[3].place)
    values = [check_value(scope, item) for item in node.items]
    is_struct = len(values) == 1 and isinstance(values[0].type.plain, C.Struct)
    if is_struct and rank(values[0], C.DIM3) is not None:
        return converted(values[0], C.DIM3)
    out = [converted(v, C.UINT, "be a number of", v.place) for v in values]
    while len(out) < 3:
        out.append(T.Literal(node.place, C.UINT, 1))
    return T.Aggregate(node.place, C.DIM3, out)


def default_value(scope, type, place):
    """What a variable of this type holds without a first value, or None."""
    if isinstance(type.plain, C.Array):
        if is_struct(type.of) and not is_trivial(type.of.plain):
            note = "give the values in { }"
            raise outside("an array of structs with constructors", place, note)
        return None
    if not is_struct(type):
        return None
    struct = type.plain
    if struct.defaults and CONSTRUCTOR not in struct.methods:
        return initialize_aggregate(scope, type, ast.Items(place, []))
    return construct(scope, struct, [], place)


def is_trivial(struct):
    """Has it no constructor, or one that does nothing?"""
    idle = struct.idle and not struct.defaults
    return idle or CONSTRUCTOR not in struct.methods
