"""A batch of blocks that run in lockstep: the functions that generated code calls.

Loads and stores check their bounds; a batch with tools (watched.py) reports each one
to them.
"""

import functools
import time
import weakref

import numpy as np

from ..report import Stop
from . import advice, atomics, masks, pointers, rows, warp_functions
from .cells import (
    FAR,
    UINT64,
    Columns,
    inside,
    numbers,
    put,
    reported,
    start_of,
    times,
    unsigned,
    wide,
    within,
)
from .lanes import FUNCTIONS
from .memory import TEXT, Addresses, poison
from .print import formatted, texts_and_numbers

NUMBERS = np.ndarray | np.generic
add = FUNCTIONS["add"]
LONG = 1024  # fewest lanes for which looking for neighbors pays


class Batch:
    """Runs one batch; generated code calls it `R`.

    alive: the lanes that have not returned from the kernel.
    """

    take, within = staticmethod(masks.take), staticmethod(within)
    local, pointer_from = pointers.local, pointers.pointer_from
    atomic, row, full, row_base = atomics.atomic, rows.row, rows.full, rows.row_base
    vote, activemask = warp_functions.vote, warp_functions.activemask
    shuffle, match = warp_functions.shuffle, warp_functions.match
    warp_reduce, tile_reduce = warp_functions.warp_reduce, warp_functions.tile_reduce
    syncwarp, converge = warp_functions.syncwarp, warp_functions.converge

    def __init__(self, launch, geometry, shared, globals_):
        self.launch, self.geometry = launch, geometry
        self.shape, self.shared, self.globals = geometry.box, shared, globals_
        self.locals = weakref.WeakValueDictionary()  # address -> Region, while it lives
        self.columns = rows.row_columns(self.shape, geometry)
        self.strings = launch.strings
        self.tx, self.ty, self.tz = geometry.thread
        self.bx, self.by, self.bz = geometry.block_index
        self.block_dim, self.grid_dim = launch.block_values, launch.grid_values
        self.alive, self.last_start = None, (None, None)

    # Control

    def split(self, mask, condition, site):
        return masks.split(mask, condition)

    def choose(self, mask, condition, site):
        """The lanes that stay in a loop."""
        return masks.take(mask, condition)

    def tick(self, site):
        """Count a round of a loop or a call, against the limits of the launch."""
        launch = self.launch
        launch.steps += 1
        if launch.steps > launch.limits.steps or time.thread_time() > launch.deadline:
            launch.timeout(site, self.geometry)

    def exit(self, mask):
        """These lanes return from the kernel."""
        self.alive = masks.minus(self.alive, mask)

    def barrier(self, mask, site):
        """__syncthreads(): every lane of a block that has not returned must arrive."""
        alive = self.alive
        blocks = None
        if mask is not None and mask is not alive:
            mask = np.broadcast_to(mask, self.shape)
            arrived = mask.any(axis=(3, 4))
            absent = ~mask if alive is None else ~mask & alive
            absent = absent & arrived[..., None, None]
            if absent.any():
                here, there = (a.sum(axis=(3, 4)) for a in (mask, absent))
                self.divergent_barrier(absent, site, here, there)
            blocks = None if arrived.all() else arrived.reshape(-1)
        return blocks

    def grid_barrier(self, mask, site):
        """grid.sync(): every block must arrive."""
        self.barrier(mask, site)
        lanes = np.broadcast_to(True if mask is None else mask, self.shape)
        self.grid_met(lanes.any(axis=(3, 4)).reshape(-1), site)

    def grid_met(self, blocks, site):
        """blocks: which of the grid's are at its barrier."""
        if not blocks.all():
            lane = int(np.argmin(blocks)) * self.geometry.threads
            message = (
                f"only {blocks.sum()} of the {len(blocks)} blocks of the grid reach "
                f"this barrier; this block does not"
            )
            hint = (
                "all blocks must reach grid.sync(), also those that have no work left"
            )
            self.launch.report(
                "divergent-barrier", site, lane, message, self.geometry, hint=hint
            )
        for tool in self.launch.tools:
            tool.grid_barrier()

    def arrive(self, mask, site, how="", value=None):
        """A barrier in the warps schedule: what the generator yields."""
        return mask, site, how, value

    def divergent_barrier(self, absent, site, here, there):
        """Report a barrier; here, there: how many of each block arrive, and do not."""
        lane = int(np.argmax(self.geometry.full(absent)))
        block = lane // self.geometry.threads
        here, there = int(here.flat[block]), int(there.flat[block])
        message = (
            f"only {here} of the {here + there} threads of this block reach this "
            f"barrier; this thread does not"
        )
        hint = (
            "all threads of a block must reach the same __syncthreads(): "
            "take it out of the if, or of the loop"
        )
        self.launch.report(
            "divergent-barrier", site, lane, message, self.geometry, hint=hint
        )

    def barrier_reduce(self, how, value, mask, site):
        """__syncthreads_count, _and, _or."""
        self.barrier(mask, site)
        true = np.broadcast_to(value != 0, self.shape)
        if mask is not None:
            true = true & mask if how != "and" else true | ~mask
        reduced = {"count": np.sum, "and": np.all, "or": np.any}[how](
            true, axis=(3, 4), keepdims=True
        )
        return reduced.astype(np.int32)

    def check(self, condition, text, mask, site):
        """assert(condition)."""
        bad = masks.take(mask, ~condition)
        if bad is not False:
            self.fault("assert", site, bad, f"the assertion does not hold: {text}")
            raise Stop

    def trap(self, mask, site):
        self.fault("trap", site, mask, "the kernel called __trap()")
        raise Stop

    def fault(self, kind, site, mask, message, hint="", guard=""):
        """Report something at the first lane of `mask`."""
        full = True if mask is None else mask
        flat = self.geometry.full(np.asarray(full))
        self.launch.report(
            kind, site, int(np.argmax(flat)), message, self.geometry, hint=hint,
            count=int(flat.sum()), guard=guard,
        )  # fmt: skip

    # Values

    @staticmethod
    def where(condition, yes, no):
        """condition ? yes : no."""
        if condition.ndim == 0:
            return yes if condition else no
        return masks.select_any(condition, yes, no)

    @staticmethod
    def keep(mask, declared, new, old):
        """A variable after an assignment under `mask`."""
        return new if mask is declared else masks.select_any(mask, new, old)

    @staticmethod
    def renew(mask, declared, new, old):
        """`keep` for an array `new` of its own; only lanes of `declared` matter."""
        if mask is declared or mask is None:
            return new
        if new.ndim and mask.ndim:
            lost = ~mask if declared is None else masks.both_of(~mask, declared)
            patched = masks.patch(new, lost, old)
            if patched is not None:
                return patched
        return masks.select(mask, new, old)

    @staticmethod
    def other(mask, new, old):
        """Add the second half of a value that is computed in two halves."""
        return new if old is None else masks.select_any(mask, new, old)

    def clock(self):
        """clock() and clock64(): a growing number."""
        self.launch.ticks += 1
        return np.int64(self.launch.steps * 64 + self.launch.ticks)

    def printf(self, values, types, mask):
        """printf, lane after lane."""
        printer = self.launch.printer
        running = np.flatnonzero(self.geometry.full(True if mask is None else mask))
        running = running[: printer.take(len(running))]
        if not len(running):
            return
        numbers = [v if isinstance(v, NUMBERS) else v.address for v in values]
        values = [self.geometry.full(n) for n in numbers]
        text_at = functools.partial(pointers.text_at, self)
        for lane in running:
            template, *shown = texts_and_numbers(types, values, lane, text_at)
            printer.add(formatted(template.encode(), shown))

    def divisor(self, value, mask, site):
        """An integer divisor; zero is reported."""
        if not np.all(value):
            bad = masks.take(mask, value == 0)
            if bad is not False:
                hint = "a GPU does not stop here: it continues with garbage"
                message = "integer division by zero"
                self.fault("divide-by-zero", site, bad, message, hint)
        return value

    # Memory

    def load(self, pointer, index, access, mask, site):
        """pointer[index]; the index counts units of access.unit bytes."""
        if type(index) is rows.Row:
            return rows.load_row(self, pointer, index, access, mask, site)
        if type(pointer) is Addresses:
            return pointers.load_anywhere(self, pointer, index, access, mask, site)
        index, mask = self.locate(pointer, index, access, mask, site, "read")
        if mask is False:
            return poison(access.type)
        region = pointer.region
        if region.is_one_column(index):
            if access.plain:
                return region.column(access.plain, int(index), self.geometry).copy()
            values = tuple(
                cells.copy() if to is None else self.pointer_from(cells.copy(), to)
                for cells, to in self.own(region, index, access)
            )
            return values if access.record else values[0]
        self.touched("read", region, index, access.size, access.unit, mask, site)
        few = Columns.of(mask, self.shape, region)
        if few is not None:
            index = few.take(index)
        values = tuple(
            self.fetch(region, dtype, index, ratio, offset, to, few)
            for dtype, ratio, offset, to in access.leaves
        )
        return values if access.record else values[0]

    def own(self, region, index, access):
        """Yield (cells, pointee size) of each leaf at one index of local memory."""
        for dtype, ratio, offset, to in access.leaves:
            yield region.column(dtype, int(index) * ratio + offset, self.geometry), to

    def fetch(self, region, dtype, index, ratio, offset, to, few):
        """One leaf of a load."""
        index = self.leaf_index(region, dtype, index, ratio, offset)
        value = self.get(region.root.view(dtype), index)
        if few is not None:
            value = few.spread(value)
        return value if to is None else self.pointer_from(value, to)

    def get(self, view, index):
        """view[index]; the index has been checked."""
        start = self.start_of(index)
        if start is None:
            return view.take(index, mode="wrap")  # the fastest mode
        return view[start : start + index.size].reshape(index.shape).copy()

    def start_of(self, index):
        """cells.start_of, remembered from x[i] to y[i]."""
        if type(index) is int or index.size < LONG:
            return None
        if self.last_start[0] is not index:
            self.last_start = index, start_of(index)
            return self.last_start[1]

    def leaf_index(self, region, dtype, index, ratio, offset):
        """The index of a leaf in its root, counted in its own size."""
        base = region.base(dtype.itemsize, self.geometry)
        if type(base) is int:
            offset = offset + base
            base = None
        if ratio != 1:
            index = wide(index) * ratio
        if offset:
            index = wide(index) + offset
        if base is None or type(index) is int:
            return index if base is None else index + base
        return add(np.asarray(wide(index)), base)

    def store(self, pointer, index, value, access, mask, site):
        """pointer[index] = value."""
        if type(index) is rows.Row:
            rows.store_row(self, pointer, index, value, access, mask, site)
            return
        if type(pointer) is Addresses:
            pointers.store_anywhere(self, pointer, index, value, access, mask, site)
            return
        index, mask = self.locate(pointer, index, access, mask, site, "written")
        if mask is False:
            return
        region = pointer.region
        if not self.writable(region, mask, site):
            return
        values = value if access.record else (value,)
        if region.is_one_column(index):
            where = True if mask is None else mask
            if access.plain:
                cells = region.column(access.plain, int(index), self.geometry)
                np.copyto(cells, value, "unsafe", where)
                return
            for (cells, to), one in zip(
                self.own(region, index, access), values, strict=True
            ):
                one = one.address if to is not None else one
                np.copyto(cells, one, "unsafe", where)
            return
        self.touched("write", region, index, access.size, access.unit, mask, site)
        few = None if access.pointers else Columns.of(mask, self.shape, region)
        if few is not None:
            index, mask, values = few.take(index), None, tuple(map(few.take, values))
        for (dtype, ratio, offset, to), one in zip(access.leaves, values, strict=True):
            at = self.leaf_index(region, dtype, index, ratio, offset)
            one = one.address if to is not None else one
            start = self.start_of(at) if mask is None else None
            put(region.root.view(dtype), at, one, mask, start)

    def writable(self, region, mask, site):
        """Whether these lanes may write there; if not, it is reported."""
        if not region.root.writable:
            self.fault("read-only", site, mask, read_only(region))
        return region.root.writable

    # Hooks for tools

    def touched(self, kind, region, index, size, unit, mask, site):
        """An access of a region."""

    def touched_row(self, kind, pointer, row, access, mask, site):
        """An access by whole rows."""

    def fence(self, mask, block_only):
        """__threadfence() and __threadfence_block()."""

    def asynchronous(self, what, count, mask):
        """What is around asynchronous copies, which are made at once."""

    def locate(self, pointer, index, access, mask, site, what):
        """(index into the region, in units of access.unit; lanes that are in bounds)"""
        region, unit = pointer.region, access.unit
        if pointer.unit % unit:
            index, mask = self.aligned(pointer, index, access, mask, site, what)
            if mask is False:
                return index, mask
        else:
            offset = pointer.offset
            if type(offset) is int and offset == 0:
                index = 0 if index is None else index
            else:
                if pointer.unit != unit:
                    offset = times(offset, pointer.unit // unit)
                index = offset if index is None else wide(index) + wide(offset)
        limit = (region.nbytes - access.size) // unit + 1
        if inside(index, limit):
            return index, mask
        return self.outside(region, index, limit, access, mask, site, what)

    def outside(self, region, index, limit, access, mask, site, what):
        """Report the lanes that are out of bounds, and leave them out."""
        index = numbers(index)
        bad = unsigned(index) >= limit
        if mask is not None:
            bad = bad & mask
        if bad.any():
            far = np.asarray(wide(index))
            fresh = bad & ~reported(far, access.unit)
            if fresh.any():
                self.report_outside(region, far, fresh, limit, access, site, what)
            mask = masks.minus(mask, bad)
            if mask is False:
                return index, False
        return np.minimum(unsigned(index), max(limit - 1, 0)).view(index.dtype), mask

    def report_outside(self, region, index, bad, limit, access, site, what):
        where = np.broadcast_to(index, np.broadcast_shapes(index.shape, bad.shape))
        flat = self.geometry.full(bad)
        lane = int(np.argmax(flat))
        at = int(self.geometry.full(where)[lane]) * access.unit
        size = region.type.of.size if hasattr(region.type, "of") else region.type.size
        size = size or 1
        count = region.nbytes // size
        holds = f"{count} elements" if count != 1 else "1 element"
        at //= size
        message = f"{region.name}[{at}] is {what}, but {region.name} has {holds}"
        hint = "the first element has the index 0"
        if at >= 0:
            hint = f"its last index is {count - 1}"
        whole = access.unit == size  # else the text counts elements of another size
        asked, guard = "", ""
        if whole:
            asked, guard = advice.guard(self.launch, site, region.name, limit, at < 0)
            hint += f": {asked}" if asked else ""
        self.launch.report(
            "out-of-bounds", site, lane, message, self.geometry,
            hint=hint if count else "", count=int(flat.sum()), guard=guard,
        )  # fmt: skip

    def aligned(self, pointer, index, access, mask, site, what):
        """The index, where the pointer counts smaller units than the access."""
        ratio = access.unit // pointer.unit
        by = 0 if index is None else times(index, ratio)
        total = numbers(wide(pointer.offset) + by)
        bad = masks.take(mask, np.asarray(total % ratio != 0))
        if bad is not False:
            message = (
                f"an access of {access.size} bytes must lie at a multiple of "
                f"{access.unit} bytes; {pointer.region.name} is {what} at byte "
                f"{int(self.geometry.full(total)[self.first(bad)]) * pointer.unit}"
            )
            self.fault("misaligned", site, bad, message)
            mask = masks.minus(mask, bad)
        return total // ratio, mask

    def first(self, mask):
        """The first lane of a mask."""
        return 0 if mask is None else int(np.argmax(self.geometry.full(mask)))

    def dim(self, index, count, name, mask, site, size=1):
        """An index into an array of `count` elements; far away if it is outside.

        size: of an element, in bytes; of an array in registers, in cells.
        """
        if inside(index, count):
            return index if index.dtype != UINT64 else numbers(index)
        index = np.asarray(wide(index))
        bad = (index < 0) | (index >= count)
        wrong = masks.take(mask, bad & ~reported(index, size))
        if wrong is not False:
            at = int(self.geometry.full(index)[self.first(wrong)])
            those = f"indices are 0 to {count - 1}" if count > 1 else "only index is 0"
            message = f"index {at} of {name}, whose {those}"
            advised = advice.guard(self.launch, site, name, count, at < 0)
            self.fault("out-of-bounds", site, wrong, message, *advised)
        return np.where(bad, np.int64(FAR // size), index)

    # Arrays in registers: a list of values

    def cell(self, cells, index, name, mask, site):
        """cells[index]."""
        index = self.dim(index, len(cells), name, mask, site)
        if index.ndim == 0:
            at = int(index)
            return cells[at] if at < len(cells) else cells[0]
        value = cells[0]
        for i in range(1, len(cells)):
            value = masks.select_any(index == i, cells[i], value)
        return value

    def set_cell(self, cells, index, value, name, mask, whole, site):
        """cells[index] = value; whole: no lane outside `mask` ever reads the array."""
        index = self.dim(index, len(cells), name, mask, site)
        if index.ndim == 0:
            at = int(index)
            if at < len(cells):
                new = value if whole else masks.select_any(mask, value, cells[at])
                cells[at] = new
            return
        for i in range(len(cells)):
            here = index == i if mask is None else (index == i) & mask
            if here.any():
                cells[i] = masks.select_any(here, value, cells[i])


def read_only(region):
    """The reason why a region cannot be written."""
    if region.space == "constant" and region.name != TEXT:
        return f"{region.name} is a __constant__ variable: only the host can write it"
    return f"{region.name} cannot be written"
