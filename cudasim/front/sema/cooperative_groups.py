"""Cooperative groups: calls of groups become plain operations of CUDA C.

`tile.shfl_down(x, 1)` is checked into __shfl_down_sync with the mask and the width of
the tile; the generator of code never sees a group do anything.
"""

from .. import ast, builtins, ctype as C, group_types as groups, tree as T
from ..errors import CompileError, outside
from .conversions import apply, converted
from .function_calls import call_method
from .function_pointers import builtin_call
from .node_checks import type_of
from .overloaded_calls import call_overloaded
from .values import constant_integer, constant_value, read

SHUFFLES = {"shfl": C.INT, "shfl_up": C.UINT, "shfl_down": C.UINT, "shfl_xor": C.UINT}
VOTES = ("any", "all", "ballot")
COUNTS = {"thread_rank": groups.rank, "size": groups.count, "num_threads": groups.count}
TILES = {
    "meta_group_rank": groups.rank_of_tile,
    "meta_group_size": groups.count_of_tiles,
}
INDICES = {
    "group_index": "blockIdx", "thread_index": "threadIdx", "dim_threads": "blockDim",
    "group_dim": "blockDim",
}  # fmt: skip


def type_of_group(scope, node):
    """thread_block_tile<32>, plus<float>"""
    name, arguments = groups.short(node.name), node.arguments
    if name != "thread_block_tile":
        if len(arguments) != 1 or not isinstance(arguments[0], ast.TYPES):
            raise CompileError(f"'{name}' takes one type: {name}<int>", node.place)
        return groups.operation(name, type_of(scope, arguments[0]).plain)
    if not arguments or isinstance(arguments[0], ast.TYPES) or len(arguments) > 2:
        message = "'thread_block_tile' takes a number: thread_block_tile<32>"
        raise CompileError(message, node.place)
    parent = C.VOID
    if len(arguments) == 2:
        parent = parent_type(scope, arguments[1])
    return groups.tile(tile_size(scope, arguments[0], parent), parent)


def parent_type(scope, node):
    parent = type_of(scope, node) if isinstance(node, ast.TYPES) else None
    if parent is C.VOID or isinstance(parent, groups.Group):
        return parent
    raise CompileError("the parent of a tile is the type of a group", node.place)


def tile_size(scope, node, parent):
    """The number of threads of a tile within a group of type `parent`."""
    size = constant_integer(scope, node, "the size of a tile")
    return checked_size(size, parent, node.place)


def checked_size(size, parent, place):
    if size in (64, 128, 256, 512, 1024):
        raise outside("a tile of more than 32 threads", place)
    if size not in groups.SIZES:
        message = f"a tile has 1, 2, 4, 8, 16 or 32 threads, not {size}"
        raise CompileError(message, place)
    if isinstance(parent, groups.Tile) and size >= parent.threads:
        message = f"a part of {parent.threads} threads must have fewer of them"
        raise CompileError(message, place)
    return size


def is_group_call(scope, name, arguments):
    """Is this cg::sync(g), or sync(g), which C++ looks up by its argument?"""
    if "::" in name.name:
        return True
    named = name.name in groups.FUNCTIONS and scope.find(name.name) is None
    return named and any(isinstance(a.type.plain, groups.Group) for a in arguments[:1])


def call_group(scope, name, arguments):
    """A call of a function of the namespace cooperative_groups."""
    short, place = groups.short(name.name), name.place
    if groups.NAMES[short][1] not in scope.includes:
        raise scope.undeclared(short, place)
    wanted = {"this_thread_block": 0, "reduce": 3}.get(short, 1)
    if short == "tiled_partition" and not name.arguments:
        wanted = 2
    if len(arguments) != wanted:
        message = f"'{short}' takes {wanted} arguments, not {len(arguments)}"
        raise CompileError(message, place)
    if short == "this_thread_block":
        return T.Aggregate(place, groups.THREAD_BLOCK, [])
    methods = getattr(arguments[0].type.plain, "methods", {})
    if short == "reduce" and "shfl" in methods:
        return reduce_lanes(scope, name, *arguments)
    if short in methods:  # a group of a header
        return call_method(scope, methods[short], arguments[0], name, [])
    group = read(scope, arguments[0])
    if not isinstance(group.type.plain, groups.Group):
        message = f"'{short}' needs a tile or a block, not '{group.type.plain}'"
        note = "write the loop: shfl_down, or atomicAdd" if short == "reduce" else ""
        raise CompileError(message, group.place, note)
    if short == "tiled_partition":
        return partition(scope, name, group, *arguments[1:])
    if short == "reduce":
        return reduce_tile(scope, place, group, *arguments[1:])
    plain = "num_threads" if short == "group_size" else short
    return after_group(group, call_group_method(scope, plain, place, arguments[0], []))


def partition(scope, name, group, size=None):
    """tiled_partition<32>(group), or tiled_partition(group, 32)."""
    parent = group.type.plain
    if size is not None:
        message = "the size of a tile must be known when the kernel is compiled"
        threads = constant_value(read(scope, size), message, name.place)
        tile = groups.tile(checked_size(threads, parent, name.place), parent)
        return after_group(group, T.Aggregate(name.place, tile, []))
    if len(name.arguments) > 1 or isinstance(name.arguments[0], ast.TYPES):
        message = "'tiled_partition' takes one number: tiled_partition<32>(block)"
        raise CompileError(message, name.place)
    tile = groups.tile(tile_size(scope, name.arguments[0], parent), parent)
    return after_group(group, T.Aggregate(name.place, tile, []))


def reduce_tile(scope, place, group, value, operation):
    """reduce(tile, value, plus<T>()): T is the type of the value."""
    value = read(scope, value)
    tile = group.type.plain
    if not isinstance(tile, groups.Tile):
        note = "reduce each tile, then the tiles' results in shared memory"
        raise CompileError("'reduce' works on a tile of a block", group.place, note)
    reduced = exchange(
        f"__tile_reduce_{reduction_name(scope, value, operation)}", place, value,
        groups.mask(place, tile), groups.number(place, tile.threads, C.INT),
    )  # fmt: skip
    return after_group(group, reduced)


def reduce_lanes(scope, name, group, value, operation):
    """The same for a coalesced group, whose lanes a header's functions find."""
    value = read(scope, value)
    how = f"__cg_reduce_{reduction_name(scope, value, operation)}"
    called = ast.Name(name.place, how, None)
    return call_overloaded(scope, scope.find(how), called, [group, value])


def reduction_name(scope, value, operation):
    """add, of plus<T>() where the value is a T."""
    type, how = value.type.plain, read(scope, operation).type.plain
    if not isinstance(how, groups.Operation):
        note = "write cg::plus<T>(), cg::less<T>(), cg::greater<T>() and the like"
        raise outside("a reduction of one's own", operation.place, note)
    if how.value is not type:
        note = f"write the type of the value, '{type}', in < >"
        message = f"the operation is for '{how.value}', the value is a '{type}'"
        raise CompileError(message, operation.place, note)
    bits = how.operation in ("and", "or", "xor")
    if isinstance(type, C.Enum) or bits and type.is_float:
        message = f"'{type}' has no such operation"
        raise CompileError(message, operation.place)
    return how.operation


def after_group(group, value):
    """`made`, once the function that gives the group has run."""
    if isinstance(group, T.Call):
        return T.Comma(value.place, value.type, group, value)
    return value


def call_group_method(scope, name, place, base, arguments):
    """What a method of the group `base` computes."""
    group = base.type.plain
    tiled = isinstance(group, groups.Tile)
    wanted = {**dict.fromkeys(SHUFFLES, 2), **dict.fromkeys(VOTES, 1)}
    known = {"sync", *COUNTS, *((*TILES, *wanted) if tiled else INDICES)}
    if name not in known:
        raise no_method(name, group, place, known)
    if len(arguments) != wanted.get(name, 0):
        message = f"'{name}' takes {wanted.get(name, 0)} arguments"
        raise CompileError(f"{message}, not {len(arguments)}", place)
    if name == "sync":
        return synchronize(scope, place, group)
    if name in COUNTS:
        return variable_size(base, COUNTS[name](place, group))
    if name in INDICES:
        return block_index(place, INDICES[name])
    if name in TILES:
        return tile_value(scope, name, place, base)
    values = [read(scope, a) for a in arguments]
    if name in SHUFFLES:
        return shuffle(name, place, group, *values)
    return vote(name, place, group, *values)


def no_method(name, group, place, known):
    if name in groups.NO_METHODS:
        return outside(f"'{name}' of a group", place)
    message, note = f"'{group}' has no function '{name}'", ""
    if name in SHUFFLES or name in VOTES:
        note = "a tile has: cg::tiled_partition<32>(block)"
    return CompileError(message, place, note or f"it has {', '.join(sorted(known))}")


def variable_size(base, size):
    """A size read through a reference is no constant, says C++."""
    variable = isinstance(base, T.VariableRef) and isinstance(size, T.Literal)
    if not (variable and isinstance(base.variable.type, C.Reference)):
        return size
    return T.Comma(size.place, size.type, groups.number(size.place, 0), size)


def synchronize(scope, place, group):
    """A barrier of the block, or of the lanes of a tile."""
    if isinstance(group, groups.Tile):
        return builtin_call("__syncwarp", place, groups.mask(place, group))
    if scope.body.function:
        scope.body.function.barrier = True
    return builtin_call("__syncthreads", place)


def block_index(place, name):
    """threadIdx and the like, as dim3."""
    variable = T.BUILT_IN[name]
    ref = T.VariableRef(place, variable.type, variable)
    value = T.Load(place, variable.type.plain, ref)
    return value if value.type is C.DIM3 else apply(value, C.DIM3)


def tile_value(scope, name, place, base):
    """The number of a tile, or how many there are."""
    group = base.type.plain
    if group.parent is C.VOID:
        return read(scope, T.Field(place, C.UINT, base, name))
    return TILES[name](place, group)


def vote(name, place, group, predicate):
    """any, all, ballot: as CUDA's header writes them."""
    what = f"be the argument of {name}, which is"
    value = converted(predicate, C.INT, what, predicate.place)
    lanes = groups.mask(place, group)
    votes = builtin_call("__ballot_sync", place, lanes, value)
    if name == "ballot":
        if group.threads == 32:
            return votes
        return groups.compute(place, ">>", votes, groups.first_lane(place, group))
    op, other = "!=", groups.number(place, 0)
    if name == "all":
        op, other = "==", groups.mask(place, group)
    return apply(T.Binary(place, C.BOOL, op, votes, other), C.INT)


def shuffle(name, place, group, value, lane):
    what = f"be argument 2 of {name}, which is"
    lane = converted(lane, SHUFFLES[name], what, lane.place)
    builtin = f"__{name}_sync"
    kind = builtins.overloads(builtin)[0].types[2]
    return exchange(
        builtin, place, value, groups.mask(place, group), converted(lane, kind),
        groups.number(place, group.threads, C.INT),
    )  # fmt: skip


def exchange(name, place, value, mask, *rest):
    """A builtin over the lanes; a value smaller than int travels as int."""
    type = value.type.plain
    small = type.is_integer and type.size < 4 or isinstance(type, C.Enum)
    sent = T.Convert(value.place, C.INT, value) if small else value
    overloads = builtins.overloads(name)
    builtin = next((b for b in overloads if b.types[1] is sent.type.plain), None)
    if builtin is None:
        shown = f"'{name.strip('_').removesuffix('_sync')}' of a value of type"
        raise outside(f"{shown} '{type}'", value.place, "send its numbers one by one")
    call = T.BuiltinCall(place, sent.type.plain, builtin, [mask, sent, *rest])
    return T.Convert(place, type, call) if small else call
