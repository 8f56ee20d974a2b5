"""Cooperative groups: calls of groups become plain operations of CUDA C.

`tile.shfl_down(x, 1)` is checked into __shfl_down_sync with the mask and the width of
the tile; the generator of code never sees a group do anything.
"""

from . import ast, builtins
from . import ctype as C
from . import group_types as groups
from . import tree as T
from .bases import is_struct
from .convert import apply, converted
from .errors import CompileError, DeductionError, outside
from .initial import Initial

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


class Groups(Initial):
    """Checks cooperative groups."""

    def no_group(self, type, what, place):
        """Refuse what CUDA does with the type of a group, and the subset does not."""
        if isinstance(type, C.Reference):
            type = type.to
        if isinstance(type.plain, (groups.Group, groups.Operation)):
            note = "groups are variables, arguments and results of functions"
            raise outside(f"{what} a '{type.plain}'", place, note)

    # Types

    def group_type(self, node):
        """thread_block_tile<32>, plus<float>"""
        name, arguments = groups.short(node.name), node.arguments
        if name != "thread_block_tile":
            if len(arguments) != 1 or not isinstance(arguments[0], ast.TYPES):
                raise CompileError(f"'{name}' takes one type: {name}<int>", node.place)
            return groups.operation(name, self.type_of(arguments[0]).plain)
        if not arguments or isinstance(arguments[0], ast.TYPES) or len(arguments) > 2:
            message = "'thread_block_tile' takes a number: thread_block_tile<32>"
            raise CompileError(message, node.place)
        parent = C.VOID
        if len(arguments) == 2:
            parent = self.parent_type(arguments[1])
        return groups.tile(self.tile_size(arguments[0], parent), parent)

    def parent_type(self, node):
        found = self.type_of(node) if isinstance(node, ast.TYPES) else None
        if found is C.VOID or isinstance(found, groups.Group):
            return found
        raise CompileError("the parent of a tile is the type of a group", node.place)

    def tile_size(self, node, parent):
        """The number of threads of a tile within a group of type `parent`."""
        size = self.whole_number(node, "the size of a tile")
        return self.checked_size(size, parent, node.place)

    def checked_size(self, size, parent, place):
        if size in (64, 128, 256, 512, 1024):
            raise outside("a tile of more than 32 threads", place)
        if size not in groups.SIZES:
            message = f"a tile has 1, 2, 4, 8, 16 or 32 threads, not {size}"
            raise CompileError(message, place)
        if isinstance(parent, groups.Tile) and size >= parent.threads:
            message = f"a part of {parent.threads} threads must have fewer of them"
            raise CompileError(message, place)
        return size

    def match_group(self, pattern, type, names, bound, explicit):
        """Tell the template parameters in thread_block_tile<N, P>."""
        open_names = [
            a.name
            for a in pattern.arguments
            if isinstance(a, (ast.Name, ast.NamedType)) and a.name in names
        ]
        if not set(open_names) - explicit:
            return
        tiled = groups.short(pattern.name) == "thread_block_tile"
        if tiled and isinstance(type, groups.Tile):
            self.match_tile(pattern, type, names, bound, explicit)
        elif isinstance(type, groups.Operation) and type.name.startswith(
            f"cooperative_groups::{groups.short(pattern.name)}<"
        ):
            self.match(pattern.arguments[0], type.value, names, bound, explicit)

    def match_tile(self, pattern, type, names, bound, explicit):
        size, *parent = pattern.arguments
        if parent:
            self.match(parent[0], type.parent, names, bound, explicit)
        elif type.parent is not C.VOID:
            message = f"'{type}' is not yet a thread_block_tile<{type.threads}>"
            raise DeductionError(f"{message}: take the group as typename G")
        if not (isinstance(size, ast.Name) and size.name in names):
            return
        declared = names[size.name].type
        if declared is None or self.type_of(declared).plain is not C.UINT:
            message = f"{size.name} must be unsigned, as the size of a tile is"
            raise DeductionError(message)
        known = bound.setdefault(size.name, type.threads)
        if known != type.threads:
            raise DeductionError(f"{size.name} is both {known} and {type.threads}")

    # Functions

    def is_group_call(self, name, arguments):
        """Is this cg::sync(g), or sync(g), which C++ looks up by its argument?"""
        if "::" in name.name:
            return True
        named = name.name in groups.FUNCTIONS and self.find(name.name) is None
        return named and any(
            isinstance(a.type.plain, groups.Group) for a in arguments[:1]
        )

    def group_call(self, name, arguments):
        """A call of a function of the namespace cooperative_groups."""
        short, place = groups.short(name.name), name.place
        if groups.NAMES[short][1] not in self.includes:
            raise self.undeclared(short, place)
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
            return self.reduce_lanes(name, *arguments)
        if short in methods:  # a group of a header
            return self.call_method(methods[short], arguments[0], name, [])
        group = self.read(arguments[0])
        if not isinstance(group.type.plain, groups.Group):
            message = f"'{short}' needs a tile or a block, not '{group.type.plain}'"
            note = (
                "write the loop: shfl_down, or atomicAdd" if short == "reduce" else ""
            )
            raise CompileError(message, group.place, note)
        if short == "tiled_partition":
            return self.partition(name, group, *arguments[1:])
        if short == "reduce":
            return self.reduce(place, group, *arguments[1:])
        plain = "num_threads" if short == "group_size" else short
        return self.after(group, self.of_group(plain, place, arguments[0], []))

    def partition(self, name, group, size=None):
        """tiled_partition<32>(group), or tiled_partition(group, 32)."""
        parent = group.type.plain
        if size is not None:
            message = "the size of a tile must be known when the kernel is compiled"
            known = self.constant(self.read(size), message, name.place)
            made = groups.tile(self.checked_size(known, parent, name.place), parent)
            return self.after(group, T.Aggregate(name.place, made, []))
        if len(name.arguments) > 1 or isinstance(name.arguments[0], ast.TYPES):
            message = "'tiled_partition' takes one number: tiled_partition<32>(block)"
            raise CompileError(message, name.place)
        made = groups.tile(self.tile_size(name.arguments[0], parent), parent)
        return self.after(group, T.Aggregate(name.place, made, []))

    def reduce(self, place, group, value, operation):
        """reduce(tile, value, plus<T>()): T is the type of the value."""
        value = self.read(value)
        tile = group.type.plain
        if not isinstance(tile, groups.Tile):
            note = "reduce each tile, then the tiles' results in shared memory"
            raise CompileError("'reduce' works on a tile of a block", group.place, note)
        made = self.exchange(
            f"__tile_reduce_{self.operation(value, operation)}", place, value,
            groups.mask(place, tile), groups.number(place, tile.threads, C.INT),
        )  # fmt: skip
        return self.after(group, made)

    def reduce_lanes(self, name, group, value, operation):
        """The same for a coalesced group, whose lanes a header's functions find."""
        value = self.read(value)
        how = f"__cg_reduce_{self.operation(value, operation)}"
        called = ast.Name(name.place, how, None)
        return self.call_user(self.find(how), called, [group, value])

    def operation(self, value, operation):
        """add, of plus<T>() where the value is a T."""
        type, how = value.type.plain, self.read(operation).type.plain
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

    # Methods

    def method(self, member, node):
        """group.name(arguments)"""
        if isinstance(member.base, ast.TYPES):
            return self.static_method(member, node)
        base = self.check(member.base)
        if member.arrow and isinstance(self.peeked(base).type.plain, C.Pointer):
            base = self.deref(self.read(base), member.place)
            return self.method_of(base, member, node)
        type, name = base.type.plain, member.name
        if not isinstance(type, groups.Group):
            if isinstance(type, C.Struct):
                return self.method_of(base, member, node)
            message = f"'{type}' has no function '{name}'"
            raise CompileError(message, member.place)
        if member.arrow:
            raise CompileError(f"'->' needs a pointer, not '{type}'", member.place)
        arguments = [self.argument(a) for a in node.arguments]
        if isinstance(base, T.VariableRef):
            base.variable.used = True
        return self.after(base, self.of_group(name, member.place, base, arguments))

    def static_method(self, member, node):
        """P::name(arguments)"""
        type = self.type_of(member.base)
        self.no_group(type, "a function of", member.place)
        if not isinstance(type.plain, C.Struct):
            raise CompileError("only a function can be called", node.place)
        methods = self.method_named(type, member.name, member.place)
        if not methods.static:
            message = f"'{member.name}' needs a '{type}' to be called for"
            raise CompileError(message, member.place)
        return self.call_written(
            methods, None, member.name, member.place, node.arguments
        )

    def method_of(self, base, member, node):
        """struct.name(arguments); a member that can be called is one, too."""
        if member.name in getattr(base.type.plain, "fields", ()):
            return self.call_value(self.member_of(base, member), node)
        if isinstance(base, T.VariableRef):
            base.variable.used = True
        if not is_struct(base.type):
            message = f"'{base.type.plain}' has no function '{member.name}'"
            raise CompileError(message, member.place)
        methods = self.method_named(base.type, member.name, member.place)
        return self.call_written(
            methods, base, member.name, member.place, node.arguments
        )

    def after(self, group, made):
        """`made`, once the function that gives the group has run."""
        if isinstance(group, T.Call):
            return T.Comma(made.place, made.type, group, made)
        return made

    def of_group(self, name, place, base, arguments):
        """What a method of the group `base` computes."""
        group = base.type.plain
        tiled = isinstance(group, groups.Tile)
        wanted = {**dict.fromkeys(SHUFFLES, 2), **dict.fromkeys(VOTES, 1)}
        known = {"sync", *COUNTS, *((*TILES, *wanted) if tiled else INDICES)}
        if name not in known:
            raise self.no_method(name, group, place, known)
        if len(arguments) != wanted.get(name, 0):
            message = f"'{name}' takes {wanted.get(name, 0)} arguments"
            raise CompileError(f"{message}, not {len(arguments)}", place)
        if name == "sync":
            return self.sync(place, group)
        if name in COUNTS:
            return self.variable_size(base, COUNTS[name](place, group))
        if name in INDICES:
            return self.index(place, INDICES[name])
        if name in TILES:
            return self.of_tiles(name, place, base)
        values = [self.read(a) for a in arguments]
        run = self.shuffle if name in SHUFFLES else self.vote
        return run(name, place, group, *values)

    def no_method(self, name, group, place, known):
        if name in groups.NO_METHODS:
            return outside(f"'{name}' of a group", place)
        message, note = f"'{group}' has no function '{name}'", ""
        if name in SHUFFLES or name in VOTES:
            note = "a tile has: cg::tiled_partition<32>(block)"
        return CompileError(
            message, place, note or f"it has {', '.join(sorted(known))}"
        )

    def variable_size(self, base, made):
        """A size read through a reference is no constant, says C++."""
        reference = isinstance(base, T.VariableRef) and isinstance(
            base.variable.type, C.Reference
        )
        if not (reference and isinstance(made, T.Literal)):
            return made
        return T.Comma(made.place, made.type, groups.number(made.place, 0), made)

    def sync(self, place, group):
        """A barrier of the block, or of the lanes of a tile."""
        if isinstance(group, groups.Tile):
            return self.plain_call("__syncwarp", place, groups.mask(place, group))
        if self.function:
            self.function.barrier = True
        return self.plain_call("__syncthreads", place)

    def plain_call(self, name, place, *arguments):
        builtin = builtins.overloads(name)[0]
        return T.BuiltinCall(place, builtin.result, builtin, list(arguments))

    def index(self, place, name):
        """threadIdx and the like, as dim3."""
        variable = T.BUILT_IN[name]
        ref = T.VariableRef(place, variable.type, variable)
        value = T.Load(place, variable.type.plain, ref)
        return value if value.type is C.DIM3 else apply(value, C.DIM3)

    def of_tiles(self, name, place, base):
        """The number of a tile, or how many there are."""
        group = base.type.plain
        if group.parent is C.VOID:
            return self.read(T.Field(place, C.UINT, base, name))
        return TILES[name](place, group)

    def vote(self, name, place, group, predicate):
        """any, all, ballot: as CUDA's header writes them."""
        what = f"be the argument of {name}, which is"
        value = converted(predicate, C.INT, what, predicate.place)
        lanes = groups.mask(place, group)
        votes = self.plain_call("__ballot_sync", place, lanes, value)
        if name == "ballot":
            if group.threads == 32:
                return votes
            return groups.compute(place, ">>", votes, groups.first_lane(place, group))
        op, other = "!=", groups.number(place, 0)
        if name == "all":
            op, other = "==", groups.mask(place, group)
        return apply(T.Binary(place, C.BOOL, op, votes, other), C.INT)

    def shuffle(self, name, place, group, value, lane):
        what = f"be argument 2 of {name}, which is"
        lane = converted(lane, SHUFFLES[name], what, lane.place)
        builtin = f"__{name}_sync"
        kind = builtins.overloads(builtin)[0].types[2]
        return self.exchange(
            builtin, place, value, groups.mask(place, group), converted(lane, kind),
            groups.number(place, group.threads, C.INT),
        )  # fmt: skip

    def exchange(self, name, place, value, mask, *rest):
        """A builtin over the lanes; a value smaller than int travels as int."""
        type = value.type.plain
        small = type.is_integer and type.size < 4 or isinstance(type, C.Enum)
        sent = T.Convert(value.place, C.INT, value) if small else value
        builtin = self.overload(name, sent.type.plain)
        if builtin is None:
            shown = f"'{name.strip('_').removesuffix('_sync')}' of a value of type"
            raise outside(
                f"{shown} '{type}'", value.place, "send its numbers one by one"
            )
        made = T.BuiltinCall(place, sent.type.plain, builtin, [mask, sent, *rest])
        return T.Convert(place, type, made) if small else made

    def overload(self, name, type):
        """The overload of a builtin for a value of `type`, or None."""
        fitting = (b for b in builtins.overloads(name) if b.types[1] is type)
        return next(fitting, None)
