"""A batch of blocks that run in lockstep: what generated code calls.

Loads and stores check their bounds; a batch with tools (watched.py) tells them of each.
"""

import time

import numpy as np

from ..report import Stop
from . import masks
from .atomics import Atomics
from .lanes import FUNCTIONS
from .memory import TEXT, Addresses, poison
from .pointers import Pointers
from .print import formatted, texts_and_numbers
from .warp import Warp

NUMBERS = np.ndarray | np.generic
add = FUNCTIONS["add"]
FAR = np.int64(1) << 40  # an index that has been reported as out of bounds


class Batch(Atomics, Pointers, Warp):
    """Runs one batch; the code of the kernel gets it as `R`.

    alive: the lanes that have not returned from the kernel.
    """

    take = staticmethod(masks.take)

    def __init__(self, launch, geometry, shared, globals_):
        super().__init__()
        self.strings = launch.strings
        self.launch, self.geometry = launch, geometry
        self.shape, self.shared, self.globals = geometry.shape, shared, globals_
        self.tx, self.ty, self.tz = geometry.thread
        self.bx, self.by, self.bz = geometry.block_index
        self.block_dim, self.grid_dim = launch.block_values, launch.grid_values
        self.alive = None

    # Control

    def split(self, mask, condition, site):
        return masks.split(mask, condition)

    def choose(self, mask, condition, site):
        """The lanes that a loop goes on with."""
        return masks.take(mask, condition)

    def tick(self, site):
        """One more round of a loop, or call; a launch may take so many, and so long."""
        launch = self.launch
        launch.steps += 1
        if launch.steps > launch.limits.steps or time.monotonic() > launch.deadline:
            launch.timeout(site, self.geometry)

    def exit(self, mask):
        """These lanes return from the kernel."""
        self.alive = masks.minus(self.alive, mask)

    def barrier(self, mask, site):
        """__syncthreads(): each lane of a block that is still there must come."""
        alive = self.alive
        blocks = None
        if mask is not None and mask is not alive:
            mask = np.broadcast_to(mask, self.shape)
            arrived = mask.any(axis=(1, 2))
            absent = ~mask if alive is None else ~mask & alive
            absent = absent & arrived[:, None, None]
            if absent.any():
                self.divergent_barrier(mask, absent, site)
            blocks = None if arrived.all() else arrived
        return blocks

    def arrive(self, mask, site, how="", value=None):
        """The warps schedule's barrier: what the generator hands over."""
        return mask, site, how, value

    def divergent_barrier(self, mask, absent, site):
        lane = int(np.argmax(absent.reshape(-1)))
        block = lane // self.geometry.threads
        here = int(mask[block].sum())
        there = int(absent[block].sum())
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
        found = {"count": np.sum, "and": np.all, "or": np.any}[how](
            true, axis=(1, 2), keepdims=True
        )
        return found.astype(np.int32)

    def check(self, condition, text, mask, site):
        """assert(condition)."""
        bad = masks.take(mask, ~condition)
        if bad is not False:
            self.fault("assert", site, bad, f"the assertion does not hold: {text}")
            raise Stop

    def trap(self, mask, site):
        self.fault("trap", site, mask, "the kernel called __trap()")
        raise Stop

    def fault(self, kind, site, mask, message, hint=""):
        """Report something at the first lane of `mask`."""
        full = True if mask is None else mask
        flat = self.geometry.full(np.asarray(full))
        self.launch.report(
            kind, site, int(np.argmax(flat)), message, self.geometry, hint=hint,
            count=int(flat.sum()),
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
    def other(mask, new, old):
        """The second half of a value that was computed in two halves."""
        return new if old is None else masks.select_any(mask, new, old)

    def clock(self):
        """clock() and clock64(): a number that grows."""
        self.launch.ticks += 1
        return np.int64(self.launch.steps * 64 + self.launch.ticks)

    def printf(self, values, types, mask):
        """printf: lane after lane."""
        printer = self.launch.printer
        running = np.flatnonzero(self.geometry.full(True if mask is None else mask))
        running = running[: printer.take(len(running))]
        if not len(running):
            return
        numbers = [v if isinstance(v, NUMBERS) else v.address for v in values]
        wide = [self.geometry.full(n) for n in numbers]
        for lane in running:
            template, *shown = texts_and_numbers(types, wide, lane, self.text_at)
            printer.add(formatted(template.encode(), shown))

    def divisor(self, value, mask, site):
        """An integer divisor; zero is reported."""
        if not np.all(value):
            bad = masks.take(mask, value == 0)
            if bad is not False:
                hint = "a GPU does not stop here: it goes on with garbage"
                message = "integer division by zero"
                self.fault("divide-by-zero", site, bad, message, hint)
        return value

    # Memory

    def load(self, pointer, index, access, mask, site):
        """What lies at pointer[index]; the index counts units of access.unit bytes."""
        if type(pointer) is Addresses:
            return self.load_anywhere(pointer, index, access, mask, site)
        index, mask = self.locate(pointer, index, access, mask, site, "read")
        if mask is False:
            return poison(access.type)
        region = pointer.region
        self.touched("read", region, index, access.size, access.unit, mask, site)
        few = Columns.of(mask, self.shape, region)
        if few is not None:
            index = few.take(index)
        values = tuple(
            self.fetch(region, dtype, index, ratio, offset, to, few)
            for dtype, ratio, offset, to in access.leaves
        )
        return values if access.record else values[0]

    def fetch(self, region, dtype, index, ratio, offset, to, few):
        """One leaf of a load."""
        index = self.leaf_index(region, dtype, index, ratio, offset)
        value = region.root.view(dtype).take(index)
        if few is not None:
            value = few.spread(value)
        return value if to is None else self.pointer_from(value, to)

    def leaf_index(self, region, dtype, index, ratio, offset):
        """Where a leaf lies in its root, counted in its own size."""
        base = region.base(dtype.itemsize, self.geometry)
        if type(base) is int:
            offset = offset + base
            base = None
        if ratio != 1:
            index = _wide(index) * ratio
        if offset:
            index = _wide(index) + offset
        if base is None or type(index) is int:
            return index if base is None else index + base
        return add(np.asarray(_wide(index)), base)

    def store(self, pointer, index, value, access, mask, site):
        """pointer[index] = value."""
        if type(pointer) is Addresses:
            self.store_anywhere(pointer, index, value, access, mask, site)
            return
        index, mask = self.locate(pointer, index, access, mask, site, "written")
        if mask is False:
            return
        region = pointer.region
        if not self.writable(region, mask, site):
            return
        self.touched("write", region, index, access.size, access.unit, mask, site)
        values = value if access.record else (value,)
        few = None if access.pointers else Columns.of(mask, self.shape, region)
        if few is not None:
            index, mask, values = few.take(index), None, tuple(map(few.take, values))
        for (dtype, ratio, offset, to), one in zip(access.leaves, values, strict=True):
            at = self.leaf_index(region, dtype, index, ratio, offset)
            one = one.address if to is not None else one
            put(region.root.view(dtype), _wide(at), one, mask)

    def writable(self, region, mask, site):
        """May these lanes write there? Reported if not."""
        if not region.root.writable:
            self.fault("read-only", site, mask, read_only(region))
        return region.root.writable

    def touched(self, kind, region, index, size, unit, mask, site):
        """For tools; nothing without them."""

    def locate(self, pointer, index, access, mask, site, what):
        """(index into the region, in units of access.unit; lanes that may go there)."""
        region, unit = pointer.region, access.unit
        if pointer.unit % unit:
            index, mask = self.aligned(pointer, index, access, mask, site, what)
            if mask is False:
                return index, mask
        else:
            offset = pointer.offset
            if pointer.unit != unit:
                offset = offset * (pointer.unit // unit)
            if index is None:
                index = offset
            elif type(offset) is not int or offset:
                index = _wide(index) + offset
        limit = (region.nbytes - access.size) // unit + 1
        if _inside(index, limit):
            return index, mask
        return self.outside(region, index, limit, access, mask, site, what)

    def outside(self, region, index, limit, access, mask, site, what):
        """Report the lanes that are out of bounds, and go on without them."""
        index = np.asarray(index)
        bad = _unsigned(index) >= limit
        if mask is not None:
            bad = bad & mask
        if bad.any():
            wide = np.asarray(_wide(index))
            fresh = bad & (abs(wide) < FAR // 2)
            if fresh.any():
                self.report_outside(region, wide, fresh, access, site, what)
            mask = masks.minus(mask, bad)
            if mask is False:
                return index, False
        return np.minimum(_unsigned(index), max(limit - 1, 0)).view(index.dtype), mask

    def report_outside(self, region, index, bad, access, site, what):
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
            hint = f"its last index is {count - 1}: is there a guard, as if (i < n)?"
        self.launch.report(
            "out-of-bounds", site, lane, message, self.geometry,
            hint=hint if count else "", count=int(flat.sum()),
        )  # fmt: skip

    def aligned(self, pointer, index, access, mask, site, what):
        """An index where the pointer counts smaller units than the access."""
        ratio = access.unit // pointer.unit
        total = np.asarray(
            pointer.offset + (0 if index is None else _wide(index) * ratio)
        )
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

    def dim(self, index, count, name, mask, site):
        """An index into an array of `count` elements; far away if it is outside."""
        if _inside(index, count):
            return index
        index = np.asarray(_wide(index))
        bad = (index < 0) | (index >= count)
        wrong = masks.take(mask, bad)
        if wrong is not False:
            at = int(self.geometry.full(index)[self.first(wrong)])
            those = f"indices are 0 to {count - 1}" if count > 1 else "only index is 0"
            message = f"index {at} of {name}, whose {those}"
            if abs(at) < FAR // 2:
                self.fault("out-of-bounds", site, wrong, message)
        return np.where(bad, FAR, index)

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


def _wide(index):
    """An index that does not overflow when something is added."""
    if isinstance(index, int):
        return index
    if index.ndim == 0:
        return int(index)
    return index if index.dtype == np.int64 else index.astype(np.int64)


class Columns:
    """Few threads run, the same ones in every block: the rest need not be computed."""

    def __init__(self, where, shape):
        self.where, self.shape = where, shape

    @classmethod
    def of(cls, mask, shape, region):
        """The Columns of a mask, or None where they would not pay."""
        if mask is None or mask.shape[0] > 1 or shape[0] == 1:
            return None
        if region.space == "local":  # where each thread has a place of its own
            return None
        where = np.flatnonzero(np.broadcast_to(mask[0], shape[1:]))
        if 2 * len(where) > shape[1] * shape[2]:
            return None
        if where[-1] == len(where) - 1:
            where = slice(0, len(where))
        return cls(where, shape)

    def take(self, value):
        """The values of these threads, (blocks, 1, threads)."""
        if isinstance(value, int) or value.ndim == 0:
            return value
        rows = np.broadcast_to(value, (len(value), *self.shape[1:]))
        return rows.reshape(len(value), 1, -1)[..., self.where]

    def spread(self, value):
        """The values of these threads where they belong, zeros elsewhere."""
        if value.ndim == 0:
            return value
        out = np.zeros((len(value), 1, self.shape[1] * self.shape[2]), value.dtype)
        out[..., self.where] = value
        return out.reshape(len(value), *self.shape[1:])


def _inside(index, limit):
    """Is 0 <= index < limit in every lane?"""
    if isinstance(index, int) or index.ndim == 0:
        return 0 <= int(index) < limit
    return int(_unsigned(index).max()) < limit


def _unsigned(index):
    """The index with the negative numbers far above all others."""
    size = index.dtype.itemsize
    unsigned = np.uint32 if size == 4 else np.uint64 if size == 8 else index.dtype
    return index.view(unsigned)


def read_only(region):
    """Why a region cannot be written."""
    if region.space == "constant" and region.name != TEXT:
        return f"{region.name} is a __constant__ variable: only the host writes it"
    return f"{region.name} cannot be written"


def put(view, index, value, mask):
    """view[index] = value where `mask`; of several lanes at one place the last wins."""
    if mask is None:
        if isinstance(index, int) or index.ndim == 0:
            view[int(index)] = value if value.ndim == 0 else value.flat[-1]
            return
        if value.ndim and value.shape != index.shape:
            index, value = np.broadcast_arrays(index, value)
        view[index] = value
        return
    index, value, mask = np.broadcast_arrays(index, value, mask)
    view[index[mask]] = value[mask]
