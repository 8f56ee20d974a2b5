"""A launch by hand: a tool sees accesses without any kernel."""

import numpy as np
from cudasim.engine.geometry import geometry
from cudasim.engine.memory import Region, Root
from cudasim.front import ctype as C


class Machine:
    """A launch with one tool; line numbers are sites."""

    functions, lines = (), [""] * 100
    places = {line: (line, 5) for line in range(100)}

    def __init__(self, tool, block, grid=1, blocks=None, warp=None):
        self.counts, self.found, self.storing = {}, [], None
        self.swaps, self.puts, self.volatile = set(), set(), set()
        self.grid, self.block = triple(grid), triple(block)
        self.tool = tool()
        self.tool.begin(self)
        self.blocks(0, blocks or int(np.prod(self.grid)), warp)

    def blocks(self, first, count, warp=None):
        """Begin a batch."""
        self.geometry = geometry(self.grid, self.block, first, count, warp)
        self.tool.batch(self.geometry)
        self.tx, self.ty, _ = map(self.shown, self.geometry.thread)
        self.bx = self.shown(self.geometry.block_index[0])

    def turn(self, warp):
        first, count = self.geometry.first_block, len(self.geometry.block_ids)
        self.geometry = geometry(self.grid, self.block, first, count, warp)
        self.tool.turn(self.geometry)
        self.tx = self.shown(self.geometry.thread[0])

    def shown(self, index):
        return self.geometry.by_block(np.asarray(index, np.int64))

    def more(self, kind, site, line, count):
        """Nothing is counted: every report is kept."""
        return False

    def report(self, kind, site, lane, message, geometry, other=None, hint="", count=1):
        block, thread = geometry.where(lane)
        self.found.append(
            {"kind": kind, "line": site, "block": block, "thread": thread,
             "message": message, "other": other, "count": count}
        )  # fmt: skip

    def go(self, kind, root, index, site, mask=None, size=4):
        """Access root[index], in elements of `size` bytes."""
        address = np.asarray(index) * size
        if not self.tool.ignores(root.space, root):
            self.tool.access(kind, root.space, root, address, size, mask, site)

    def read(self, *args, **kwargs):
        self.go("read", *args, **kwargs)

    def write(self, *args, **kwargs):
        self.go("write", *args, **kwargs)

    def atomic(self, *args, **kwargs):
        self.go("atomic", *args, **kwargs)

    def end(self):
        """(kind, line, line of the other side) of all findings."""
        self.tool.end()
        return [
            (f["kind"], f["line"], f["other"] and f["other"]["line"])
            for f in self.found
        ]


def triple(size):
    size = (size,) if isinstance(size, int) else tuple(size)
    return size + (1,) * (3 - len(size))


def root(space="global", elements=1 << 20, type=C.FLOAT, name="x"):
    root_ = Root(space, name, np.zeros(elements * type.size, np.uint8))
    Region(root_, name, type, 0, root_.nbytes)
    return root_


def shared(elements=4096):
    return root("shared", elements, name="s")
