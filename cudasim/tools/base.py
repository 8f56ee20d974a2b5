"""The base of all tools: hooks, and views of one instruction's addresses.

Letters: B blocks of a batch, R rows and C columns of threads. `geometry.by_block` makes
three of the five dimensions; arrays stay as narrow as they come, say (B, 1, 1) or
(1, 1, C), and are widened only if a tool needs it.
"""

import functools
import math

import numpy as np

from ..engine.cells import Stretch


class Tool:
    """Its hooks are called for every instruction of a batch; each is optional.

    Addresses (in bytes), masks and conditions are as narrow as they come, in up to five
    dimensions: blocks along z, y and x, rows, columns. `self.geometry.full` gives one
    for each lane. A mask may be None: all lanes.
    """

    def begin(self, launch):
        self.launch = launch

    def batch(self, geometry):
        """New blocks with fresh shared memory."""
        self.geometry = geometry

    def turn(self, geometry):
        """From here on other warps of the same blocks run."""
        self.geometry = geometry

    def ignores(self, space, root):
        """Whether accesses of this memory need not be reported to this tool."""
        return False

    def access(self, kind, space, root, address, size, mask, site):
        pass

    def barrier(self, blocks):
        pass

    def grid_barrier(self):
        """All blocks have met, and each has reported its own barrier before."""

    def syncwarp(self, mask):
        pass

    def fence(self, mask, block_only):
        pass

    def asynchronous(self, what, count, mask):
        """See __tile_async in front/builtin_table.py."""

    def branch(self, site, taken, mask):
        pass

    def end(self):
        pass


def flat(array, shape):
    """A value widened to `shape`, one for each lane."""
    return np.broadcast_to(array, shape).reshape(-1)


def run_start(address, lanes, size):
    """The first address if successive lanes take successive `size` bytes, else None.

    address: one a lane. lanes: a slice, the active ones.
    """
    begin, columns = address, 1
    if type(address) is Stretch:
        begin, columns = address.begin, address.columns
    begin = begin.reshape(-1)[lanes.start // columns : -(-lanes.stop // columns)]
    first, last, step = int(begin[0]), int(begin[-1]), size * columns
    if last - first != step * (len(begin) - 1):
        return None
    if len(begin) > 2 and int(begin[1]) - first != step:
        return None
    if not (begin == np.arange(first, last + 1, step)).all():
        return None
    return first + lanes.start % columns * size


def active_lanes(mask, shape):
    """The active lanes: a slice if they are neighbors, else their numbers."""
    if mask is None:
        return slice(0, math.prod(shape))
    lanes = np.flatnonzero(flat(np.asarray(mask), shape))
    if len(lanes) and lanes[-1] - lanes[0] + 1 == len(lanes):
        return slice(int(lanes[0]), int(lanes[-1]) + 1)
    return lanes


def cells_of(address, mask, shape, size, unit):
    """(lanes, cells): the units that each active lane's `size` bytes occupy.

    Both are slices if possible. A lane with several units has several cells in a row,
    but `lanes` names it once.
    """
    lanes = active_lanes(mask, shape)
    if isinstance(lanes, slice) and np.size(address) == math.prod(shape):
        start = run_start(address, lanes, size)
        if start is not None:
            first, count = start // unit, lanes.stop - lanes.start
            return lanes, slice(first, first + count * (size // unit))
    cells = flat(address, shape)[lanes] // unit
    if size > unit:
        cells = (cells[:, None] + np.arange(size // unit)).reshape(-1)
    return lanes, cells


def as_numbers(numbers):
    """Numbers given as a slice or as an array, as an array."""
    if isinstance(numbers, slice):
        return np.arange(numbers.start, numbers.stop)
    return numbers


def differs(address, mask):
    """Whether the blocks of a batch do different things."""
    return (np.ndim(address) and address.shape[0] > 1) or (
        np.ndim(mask) and mask.shape[0] > 1
    )


def warps(geometry, blocks, *arrays, whole=False):
    """(weight, lists): the arrays by warp, each (warps, k), and a mask of real lanes.

    arrays: (instructions, Z, Y, X, R, C), for so many blocks in all. Warps that cannot
    differ come once, and counts must be multiplied by `weight`. k is 32, or less if a
    warp's lanes only repeat, unless `whole`. None stays None. The last list is None, or
    False where a block's last warp is short.
    """
    (_, R, C), given = geometry.shape, [a for a in arrays if a is not None]
    *common, r, c = np.broadcast_shapes(*(a.shape for a in given))
    b = math.prod(common)
    if whole or not _repeats(r, c, R, C):
        r, c = R, C
    lanes, real = r * c, None
    rows = [np.broadcast_to(a, (*common, r, c)).reshape(b, lanes) for a in given]
    columns = _columns(r, c, R, C)
    if lanes % columns:
        pad = columns - lanes % columns
        rows = [np.pad(a, ((0, 0), (0, pad)), mode="edge") for a in rows]
        real = np.arange(lanes + pad) < lanes
        real = np.broadcast_to(real, (b, lanes + pad)).reshape(-1, columns)
    rows = iter([a.reshape(-1, columns) for a in rows])
    result = [None if a is None else next(rows) for a in arrays]
    per_row = b * -(-lanes // columns)
    return blocks * -(-R * C // 32) // per_row, [*result, real]


def _repeats(r, c, R, C):
    """Whether identical rows (or columns) fill whole warps."""
    if (r, c) == (R, C):
        return True
    return (r, c) == (1, 1) or (R * C % 32 == 0 and (C % 32 == 0 or 32 % C == 0))


def _columns(r, c, R, C):
    """The number of a warp's lanes that can differ."""
    if (r, c) == (R, C):
        return 32
    if (r, c) == (1, 1):
        return 1
    return min(32, c) if r == 1 else max(1, 32 // C)


def pieces(address, size):
    """(address, size) of each request of one access: a float3 makes three."""
    part = min(size & -size, 16)
    if part == size:
        return [(address, size)]
    return [(address + at, part) for at in range(0, size, part)]


def both(mask, real):
    """Active and not padding."""
    return real if mask is None else mask if real is None else mask & real


def any_lane(lanes):
    """For each warp: whether any lane is True."""
    return _fold(np.bitwise_or, lanes) != 0


def all_lanes(lanes):
    """For each warp: whether all lanes are True."""
    yes = np.ones_like(lanes[:1])
    return _fold(np.bitwise_and, lanes) == _fold(np.bitwise_and, yes)


def _fold(operation, lanes):
    """Eight bools as one word, which is much faster than any(axis=1)."""
    columns = lanes.shape[1]
    if columns % 8:
        return operation.reduce(lanes, axis=1).view(np.uint8)
    words = np.ascontiguousarray(lanes).view(np.uint64)
    return functools.reduce(operation, words.T)


def tally(counts, place, **numbers):
    """Add to the totals of a launch and to those of one place."""
    line = counts.setdefault("lines", {}).setdefault(place, {})
    for name, number in numbers.items():
        if isinstance(number, str):
            line[name] = number
        else:
            line[name] = line.get(name, 0) + int(number)
            counts[name] = counts.get(name, 0) + int(number)
