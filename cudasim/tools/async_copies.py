"""Asynchronous copies: which cells of shared memory they may still be writing."""

import numpy as np

from .base import active_lanes, flat

UNIT = 4  # bytes; a copy has at least as many


class AsyncCopies:
    """Each thread closes groups of copies, and waits until so many are left.

    owner, group: of each cell of shared memory of each block, who copies to it, as one
    more than the number in the batch, and in which of the thread's groups.
    """

    def __init__(self, geometry, nbytes):
        rows = len(geometry.block_ids)
        self.geometry, self.cells = geometry, -(-nbytes // UNIT)
        self.owner, self.group, self.site = np.zeros((3, rows * self.cells), np.int64)
        self.closed, self.ended = np.zeros((2, rows * geometry.threads), np.int64)

    def lanes(self, mask):
        """The numbers of the active threads in the batch."""
        lanes = active_lanes(mask, self.geometry.shape)
        return np.arange(self.geometry.lanes)[lanes]

    def close(self, mask):
        self.closed[self.lanes(mask)] += 1

    def wait(self, mask, left):
        lanes = self.lanes(mask)
        ended = np.maximum(self.ended[lanes], self.closed[lanes] - left)
        self.ended[lanes] = ended

    def wait_oldest(self, mask):
        lanes = self.lanes(mask)
        self.ended[lanes] = np.minimum(self.ended[lanes] + 1, self.closed[lanes])

    def touched(self, address, size, mask):
        """(lanes, cells) of an access, once for each cell."""
        lanes = self.lanes(mask)
        at = flat(address, self.geometry.shape)[lanes]
        parts = np.arange(0, size, UNIT)
        cells = (at[:, None] + parts) // UNIT
        cells = cells + (lanes // self.geometry.threads * self.cells)[:, None]
        return np.repeat(lanes, len(parts)), cells.reshape(-1)

    def begin(self, address, size, mask, site):
        lanes, cells = self.touched(address, size, mask)
        self.owner[cells], self.group[cells] = lanes + 1, self.closed[lanes] + 1
        self.site[cells] = site

    def early(self, address, size, mask):
        """(lanes, cells) that are accessed before their copy is known to have ended."""
        lanes, cells = self.touched(address, size, mask)
        owner = self.owner[cells]
        bad = (owner > 0) & (self.group[cells] > self.ended[owner - 1])
        return lanes[bad], cells[bad]
