"""Cooperative groups: their types, their names, and who is in a group.

A group has no fields: its type says all, but for the tile whose parent was forgotten
(`thread_block_tile<32>`), which carries its place among the tiles, as CUDA's does.
"""

import functools

from . import ctype as C, tree as T
from .errors import outside

SPACE, CLASS = "namespace", "class template"
BASE, REDUCE = "cooperative_groups.h", "cooperative_groups/reduce.h"
BROUGHT = "__cg_"  # before the names of groups that are CUDA C, in headers/
SIZES = (1, 2, 4, 8, 16, 32)
OPERATIONS = {
    "plus": "add", "less": "min", "greater": "max", "bit_and": "and", "bit_or": "or",
    "bit_xor": "xor",
}  # fmt: skip
# name -> what the parser takes it for, and the header that brings it.
NAMES = {
    "thread_block": ("type", BASE),
    "thread_group": ("type", BASE),
    "thread_block_tile": (CLASS, BASE),
    "tiled_partition": ("template", BASE),
    **dict.fromkeys(
        ("this_thread_block", "sync", "thread_rank", "group_size"), ("value", BASE)
    ),
    "reduce": ("value", REDUCE),
    **dict.fromkeys(OPERATIONS, (CLASS, REDUCE)),
}
FUNCTIONS = {name for name, (kind, _) in NAMES.items() if kind in ("value", "template")}
# What CUDA has besides, and what to write instead.
OUTSIDE = {
    **dict.fromkeys(
        ("memcpy_async", "wait", "wait_prior"),
        "write #include <cooperative_groups/memcpy_async.h> at the top",
    ),
    **dict.fromkeys(
        ("this_cluster", "cluster_group", "this_thread", "invoke_one",
         "invoke_one_broadcast", "inclusive_scan", "exclusive_scan",
         "reduce_update_async", "reduce_store_async",
         "block_tile_memory"),
        "",
    ),
}  # fmt: skip
# Methods that CUDA has, and the subset has not.
NO_METHODS = {
    "match_any", "match_all", "barrier_arrive", "barrier_wait", "get_type",
}  # fmt: skip


THREAD_GROUP = "cooperative_groups::thread_group"


class Group(C.Struct):
    """thread_block."""

    def __init__(self, name, fields=()):
        super().__init__(f"cooperative_groups::{name}")
        self.complete_with(fields)


class Tile(Group):
    """thread_block_tile<threads, parent>; the parent VOID is one that was forgotten."""

    def __init__(self, threads, parent):
        forgotten = parent is C.VOID
        inner = "" if forgotten else f", {parent}"
        fields = ("meta_group_rank", "meta_group_size") if forgotten else ()
        super().__init__(
            f"thread_block_tile<{threads}{inner}>", [(f, C.UINT) for f in fields]
        )
        self.threads, self.parent = threads, parent


class Operation(C.Struct):
    """plus<value> and its kin; `operation` is the end of a builtin's name."""

    def __init__(self, name, value):
        super().__init__(f"cooperative_groups::{name}<{value}>")
        self.complete_with(())
        self.operation, self.value = OPERATIONS[name], value


THREAD_BLOCK = Group("thread_block")
tile = functools.cache(Tile)
operation = functools.cache(Operation)


def refuse_group(type, what, place):
    """Refuse what CUDA does with the type of a group, and the subset does not."""
    type = type.to if isinstance(type, C.Reference) else type
    if isinstance(type.plain, Group | Operation):
        note = "groups are variables, arguments and results of functions"
        raise outside(f"{what} a '{type.plain}'", place, note)


def short(name):
    """reduce, of cooperative_groups::reduce."""
    return name.rpartition("::")[2]


def number(place, value, type=C.UINT):
    return T.Literal(place, type, value)


def compute(place, op, left, right):
    """left op right, in unsigned int."""
    return T.Binary(place, C.UINT, op, left, right)


def coordinate(place, variable, axis):
    """threadIdx.x and the like."""
    built_in = T.BUILT_IN[variable]
    ref = T.VariableRef(place, built_in.type, built_in)
    field = T.Field(place, C.UINT.qualified(C.CONST), ref, axis)
    return T.Load(place, C.UINT, field)


def rank_in_block(place):
    """(z * Dy * Dx + y * Dx) + x"""
    x, y, z = (coordinate(place, "threadIdx", axis) for axis in "xyz")
    wide = [coordinate(place, "blockDim", axis) for axis in "xyx"]
    layer = compute(place, "*", compute(place, "*", z, wide[1]), wide[0])
    row = compute(place, "*", y, wide[2])
    return compute(place, "+", compute(place, "+", layer, row), x)


def rank(place, group):
    """The number of a thread in its group."""
    whole = rank_in_block(place)
    if not isinstance(group, Tile):
        return whole
    return compute(place, "&", whole, number(place, group.threads - 1))


def count(place, group):
    """The number of threads in a group."""
    if isinstance(group, Tile):
        return number(place, group.threads)
    x, y, z = (coordinate(place, "blockDim", axis) for axis in "xyz")
    return compute(place, "*", compute(place, "*", x, y), z)


def rank_of_tile(place, group):
    """The number of a tile within its parent."""
    return compute(place, "/", rank(place, group.parent), number(place, group.threads))


def count_of_tiles(place, group):
    """How many tiles its parent has."""
    if isinstance(group.parent, Tile):
        return number(place, group.parent.threads // group.threads)
    total = compute(
        place, "+", count(place, group.parent), number(place, group.threads - 1)
    )
    return compute(place, "/", total, number(place, group.threads))


def first_lane(place, group):
    """The lane of a warp with which a tile begins."""
    return compute(
        place, "&", rank_in_block(place), number(place, 32 - group.threads)
    )  # fmt: skip


def mask(place, group):
    """The lanes of a tile, as a mask of its warp."""
    if group.threads == 32:
        return number(place, 0xFFFFFFFF)
    bits = number(place, (1 << group.threads) - 1)
    return compute(place, "<<", bits, first_lane(place, group))


def forgets(source, target):
    """Does a tile become one of the same size whose parent is forgotten?"""
    both = isinstance(source, Tile) and isinstance(target, Tile)
    return both and source.threads == target.threads and target.parent is C.VOID


def forget(node, type):
    """The tile `node` as thread_block_tile<n>."""
    group, place = node.type.plain, node.place
    numbers = [rank_of_tile(place, group), count_of_tiles(place, group)]
    numbers = T.Aggregate(place, type, numbers)
    return T.Comma(place, type, node, numbers) if isinstance(node, T.Call) else numbers
