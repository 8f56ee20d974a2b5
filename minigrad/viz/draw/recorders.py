"""Tools of the simulator that write down what a picture shows."""

import copy
from dataclasses import dataclass

import numpy as np

from cudasim import Tool

MOST = 20_000  # events of a block


class Writers(Tool):
    """Which thread of the whole grid writes each element of each array.

    sizes: bytes of an element, by the name of the array. seen: name of an allocation ->
    ArrayWriters.
    """

    def __init__(self, sizes):
        self.sizes, self.seen = sizes, {}

    def begin(self, launch):
        self.launch = launch
        grid, block = np.prod(launch.grid), np.prod(launch.block)
        self.busy = np.zeros(int(grid * block), bool)

    def ignores(self, space, root):
        return space != "global" or root.name not in self.sizes

    def access(self, kind, space, root, address, size, mask, site):
        if kind == "read":
            return
        if root.name not in self.seen:
            self.seen[root.name] = ArrayWriters(root, self.sizes[root.name])
        full, threads = self.geometry.full, self.threads()
        address = full(address)
        if mask is not None:
            active = full(mask)
            threads, address = threads[active], address[active]
        self.busy[threads] = True
        self.seen[root.name].add(kind, address, size, threads)

    def part(self, name):
        """The writers of one array, which may share its allocation; None: nobody."""
        for written in self.seen.values():
            for region in written.root.regions:
                if region.name == name:
                    return written.of(region)
        return None

    def threads(self):
        """The number of each lane's thread in the whole grid."""
        geometry = self.geometry
        per_block = len(self.busy) // int(np.prod(self.launch.grid))
        return (geometry.block_ids[:, None] * per_block + geometry.per_block).reshape(
            -1
        )


class ArrayWriters:
    """For each element: its first writer, another one (-1: nobody), and how."""

    def __init__(self, root, size):
        self.root, self.size = root, size
        count = -(-root.nbytes // size)
        self.first, self.second = np.full((2, count), -1)
        self.plain, self.atomic = np.zeros((2, count), bool)

    def of(self, region):
        """The part of it that one of several arrays in an allocation takes."""
        part = copy.copy(self)
        begin, end = region.begin // self.size, -(-region.nbytes // self.size)
        for name in ("first", "second", "plain", "atomic"):
            setattr(part, name, getattr(self, name)[begin : begin + end])
        return part

    def add(self, kind, address, size, threads):
        cells = address // self.size
        if size > self.size:
            step = np.arange(size // self.size)
            cells = (cells[:, None] + step).reshape(-1)
            threads = np.repeat(threads, len(step))
        new = self.first[cells] < 0
        self.first[cells[new]] = threads[new]
        other = self.first[cells] != threads
        self.second[cells[other]] = threads[other]
        (self.atomic if kind == "atomic" else self.plain)[cells] = True


@dataclass
class Access:
    """What the lanes of a warp touched at one place, the first time they came there."""

    kind: str
    root: object
    lanes: np.ndarray  # the active ones
    address: np.ndarray  # of each of them, in bytes
    size: int
    place: tuple  # (line, column)
    times: int = 1

    @property
    def name(self):
        return self.root.describe(int(self.address[0])).partition("[")[0]


class OfBlock(Tool):
    """A tool that looks at one block, counted through the grid."""

    def __init__(self, block):
        self.block = block

    def begin(self, launch):
        self.launch, self.warps = launch, warps_of(launch.block)

    def batch(self, geometry):
        self.geometry, self.row = geometry, self.block - geometry.first_block
        self.here = 0 <= self.row < len(geometry.block_ids)

    def ignores(self, space, root):
        return not self.here

    def of_block(self, value):
        """A value for each thread of the block."""
        return self.geometry.full(value).reshape(-1, self.geometry.threads)[self.row]


class OfWarp(OfBlock):
    """A tool that looks at one warp, counted through the grid. seen: by place."""

    def __init__(self, warp):
        self.number, self.seen = warp, {}

    def begin(self, launch):
        super().begin(launch)
        self.block, self.warp = divmod(self.number, self.warps)

    def of_warp(self, value):
        """A value for each lane of the warp."""
        return self.of_block(value)[32 * self.warp : 32 * self.warp + 32]


class WarpAccesses(OfWarp):
    """The accesses of one warp, counted through the grid, to one space of memory."""

    def __init__(self, warp, space):
        super().__init__(warp)
        self.space = space

    def ignores(self, space, root):
        return space != self.space or not self.here

    def access(self, kind, space, root, address, size, mask, site):
        active = self.of_warp(True if mask is None else mask)
        if not active.any():
            return
        key = site, kind
        if key in self.seen:
            self.seen[key].times += 1
            return
        lanes = np.flatnonzero(active)
        address, place = self.of_warp(address)[lanes], self.launch.places[site]
        self.seen[key] = Access(kind, root, lanes, address, size, place)


@dataclass
class Branch:
    """Which lanes of a warp met a condition, and for which it held, the first time."""

    active: np.ndarray  # of each lane: whether it met the condition
    holds: np.ndarray  # of each lane: whether it did, and the condition was true
    place: tuple  # (line, column)
    times: int = 1


class WarpBranches(OfWarp):
    """The conditions that one warp, counted through the grid, comes to."""

    def branch(self, site, taken, mask):
        if not self.here:
            return
        active = self.of_warp(True if mask is None else mask).astype(bool)
        if not active.any():
            return
        if site in self.seen:
            self.seen[site].times += 1
            return
        holds = self.of_warp(taken).astype(bool) & active
        self.seen[site] = Branch(active, holds, self.launch.places[site])


@dataclass
class Event:
    """One executed instruction of a block."""

    kind: str  # read, write, atomic, barrier
    warps: np.ndarray  # which took part
    name: str = ""  # of the array
    place: tuple = (0, 0)
    space: str = ""


class BlockEvents(OfBlock):
    """What one block does with memory, and its barriers, in order of execution."""

    def __init__(self, block):
        super().__init__(block)
        self.events, self.total = [], 0

    def access(self, kind, space, root, address, size, mask, site):
        active = self.of_block(True if mask is None else mask)
        if active.any():
            byte = int(self.of_block(address)[active.argmax()])
            name = root.describe(byte).partition("[")[0]
            self.add(kind, active, name, self.launch.places[site], space)

    def barrier(self, blocks):
        if self.here and (blocks is None or blocks[self.row]):
            self.add("barrier", np.ones(self.geometry.threads, bool))

    def add(self, kind, active, *more):
        self.total += 1
        if len(self.events) < MOST:
            padded = np.zeros(self.warps * 32, bool)
            padded[: len(active)] = active
            warps = padded.reshape(-1, 32).any(axis=1)
            self.events.append(Event(kind, warps, *more))


def warps_of(block):
    """How many warps a block has."""
    return -(-block[0] * block[1] * block[2] // 32)
