"""Init: reads of memory that has not been written."""

import numpy as np

from ..engine import advice
from .base import Tool, as_numbers, cells_of, differs

GLOBAL = "reads {}, which has not been written since the array was made"
SHARED = "reads {}, which this block has not written"


class Init(Tool):
    """`fresh` is a bool per byte: True where nothing has been written yet.

    For shared memory it has one row a block, or one row for all of them as long as they
    all write the same places. left: whether anything is fresh; None if unknown.
    """

    def batch(self, geometry):
        self.geometry, self.fresh, self.left = geometry, None, True
        self.writers = set()  # the places that have written shared memory

    def ignores(self, space, root):
        if space == "shared":
            return not self._anything_fresh(root)
        return root.fresh is None

    def access(self, kind, space, root, address, size, mask, site):
        address, mask = map(self.geometry.by_block, (address, mask))
        if kind == "atomic" and site in self.launch.puts:
            kind = "write"
        if space == "shared":
            self._shared(kind, root, address, size, mask, site)
        else:
            unit, shape = min(8, size & -size), self.geometry.shape
            lanes, cells = cells_of(address, mask, shape, size, unit)
            fresh = _units(root.fresh, unit)
            bad = self._touch(kind, fresh, cells)
            if bad is not None:
                self._report(GLOBAL, bad, root, lanes, cells, size, site)

    def _touch(self, kind, fresh, cells):
        """The cells that are read too early; written ones are no longer fresh."""
        bad = None
        if kind != "write":
            values = fresh[cells]
            bad = np.flatnonzero(values) if values.any() else None
        if kind != "read":
            fresh[cells], self.left = 0, None
        return bad

    def _anything_fresh(self, root):
        if self.fresh is None:
            self.fresh = np.ones((1, -(-root.nbytes // 16) * 16), bool)
        if self.left is None:
            self.left = bool(self.fresh.any())
        return self.left

    def _shared(self, kind, root, address, size, mask, site):
        (B, R, C), unit = self.geometry.shape, min(8, size & -size)
        different = differs(address, mask)
        one_row = len(self.fresh) == 1
        shape = (B if different or not one_row else 1, R, C)
        lanes, cells = cells_of(address, mask, shape, size, unit)
        if kind != "read":
            self.writers.add(site)
        if one_row and different and kind != "read":
            if not _units(self.fresh, unit).reshape(-1)[cells].any():
                return
            self.fresh, one_row = np.repeat(self.fresh, B, axis=0), False
        at = cells
        if not one_row:
            block = as_numbers(lanes) // (R * C)
            times = max(1, size // unit)
            at = as_numbers(cells) + np.repeat(block, times) * (
                self.fresh.shape[1] // unit
            )
        bad = self._touch(kind, _units(self.fresh, unit).reshape(-1), at)
        if bad is not None:
            self._report(SHARED, bad, root, lanes, cells, size, site)

    def _report(self, text, bad, root, lanes, cells, size, site):
        unit = min(8, size & -size)
        cell, lane = as_numbers(cells)[bad[0]], as_numbers(lanes)[bad[0] * unit // size]
        message = text.format(root.describe(int(cell) * unit))
        count = len(np.unique(bad * unit // size))
        hint = (
            advice.written(self.launch, self.writers, message) if text is SHARED else ""
        )
        self.launch.report("uninitialized", site, int(lane), message, self.geometry,
                           count=count, hint=hint)  # fmt: skip


def _units(fresh, size):
    """The flags of `size` bytes as one number, which is 0 if all are written."""
    usable = fresh.shape[-1] // size * size
    return fresh[..., :usable].view(f"u{size}")
