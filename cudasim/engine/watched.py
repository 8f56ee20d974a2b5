"""A batch that reports to tools what it does."""

import numpy as np

from .batch import Batch
from .cells import Stretch, wide


class WatchedBatch(Batch):
    """A Batch with tools."""

    def __init__(self, launch, geometry, shared, globals_):
        super().__init__(launch, geometry, shared, globals_)
        self.tools = launch.tools

    def split(self, mask, condition, site):
        self.branch(site, condition, mask)
        return super().split(mask, condition, site)

    def choose(self, mask, condition, site):
        if mask is not False:
            self.branch(site, condition, mask)
        return super().choose(mask, condition, site)

    def branch(self, site, condition, mask):
        for tool in self.tools:
            tool.branch(site, condition, mask)

    def store(self, pointer, index, value, access, mask, site):
        self.launch.storing = value
        super().store(pointer, index, value, access, mask, site)
        self.launch.storing = None

    def interested(self, region):
        """The tools that watch accesses there."""
        space, root = region.space, region.root
        if space not in ("global", "shared"):
            return []
        return [tool for tool in self.tools if not tool.ignores(space, root)]

    def touched(self, kind, region, index, size, unit, mask, site):
        tools = self.interested(region)
        if tools:
            address = np.multiply(index, unit, dtype=np.int64)
            if region.begin:
                address = address + region.begin
            self.tell(tools, kind, region, address, size, mask, site)

    def touched_row(self, kind, pointer, row, access, mask, site):
        region, size = pointer.region, access.size
        tools = self.interested(region)
        if tools:
            begin = np.add(wide(row.base), wide(pointer.offset)) * size + region.begin
            address = Stretch(
                begin.reshape(begin.shape or (1,) * 5), size, self.columns
            )
            self.tell(tools, kind, region, address, size, mask, site)

    def tell(self, tools, kind, region, address, size, mask, site):
        for tool in tools:
            tool.access(kind, region.space, region.root, address, size, mask, site)

    def barrier(self, mask, site):
        blocks = super().barrier(mask, site)
        for tool in self.tools:
            tool.barrier(blocks)

    def syncwarp(self, named, mask, site):
        super().syncwarp(named, mask, site)
        for tool in self.tools:
            tool.syncwarp(mask)

    def asynchronous(self, what, count, mask):
        for tool in self.tools:
            tool.asynchronous(int(what), int(np.max(count)), mask)

    def fence(self, mask, block_only):
        for tool in self.tools:
            tool.fence(mask, block_only)
