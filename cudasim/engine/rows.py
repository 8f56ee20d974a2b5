"""Whole rows of threads: indices of the form base + threadIdx.x.

A row is one item of Root.rows, an array whose items overlap: item i is what C threads
find at i, i + 1, ..., i + C - 1.
"""

import numpy as np

from .cells import Columns, wide
from .lanes import FUNCTIONS
from .memory import Addresses

add, sub = FUNCTIONS["add"], FUNCTIONS["sub"]
FEWEST = 8  # threads of a row; shorter rows are read thread by thread
FEWEST_LANES = 8192
MOST = 2**31  # an index below this has not wrapped around


class Row:
    """base + threadIdx.x; base is an integer that is the same along a row.

    value: the sum itself if it has been computed, else None.
    """

    __slots__ = ("base", "value")

    def __init__(self, base, value):
        self.base, self.value = base, value


class Rows:
    """The part of a batch that handles whole rows."""

    def __init__(self):
        super().__init__()
        columns, thread = self.shape[-1], self.geometry.thread[0]
        large = columns >= FEWEST and self.geometry.lanes >= FEWEST_LANES
        self.columns = columns if large and np.size(thread) == columns else 0

    def row(self, base, value=None):
        """An index: a Row if the base is the same along each row of threads."""
        row = Row(base, value)
        if self.columns and (base.ndim == 0 or base.shape[-1] == 1):
            return row
        return self.full(row)

    def full(self, index):
        """An index as numbers."""
        if type(index) is not Row:
            return index
        if index.value is None:
            index.value = add(index.base, self.tx.astype(index.base.dtype))
        return index.value

    def row_base(self, narrow, base, value):
        """The base of a widened value: that of `narrow`, if it did not wrap around."""
        if self.columns and narrow.min() >= 0 and narrow.max() < MOST - self.columns:
            return base
        return sub(value, self.tx.astype(value.dtype))

    def begins(self, pointer, row, access, mask):
        """The index in its root where each thread's row begins; None: not by rows."""
        if type(pointer) is Addresses or pointer.unit != access.unit:
            return None
        [(dtype, _, inside, to), *more] = access.leaves
        if more or to is not None or inside or access.unit != dtype.itemsize:
            return None
        region, begin, offset = pointer.region, wide(row.base), wide(pointer.offset)
        if region.space == "local" or Columns.of(mask, self.shape, region) is not None:
            return None
        if type(offset) is int:
            begin = begin + offset if offset else begin
        elif offset.shape[-1] == 1:
            begin = add(np.asarray(begin), offset)
        else:
            return None
        count = min(region.nbytes // access.unit, MOST)
        if np.min(begin) < 0 or np.max(begin) > count - self.columns:
            return None
        base = region.base(access.unit, self.geometry)
        if type(base) is not int:
            return add(np.asarray(begin), base)
        return np.asarray(begin + base if base else begin)

    def load_row(self, pointer, row, access, mask, site):
        """pointer[row], as `load`."""
        at = self.begins(pointer, row, access, mask)
        if at is None:
            return self.load(pointer, self.full(row), access, mask, site)
        self.touched_row("read", pointer, row, access, mask, site)
        dtype = access.leaves[0][0]
        rows = pointer.region.root.rows(dtype, self.columns)
        if at.ndim == 0:
            at = at.reshape(1, 1, 1, 1, 1)
        return rows[at[..., 0]].view(dtype).reshape(*at.shape[:-1], -1)

    def store_row(self, pointer, row, value, access, mask, site):
        """pointer[row] = value, as `store`."""
        at = self.begins(pointer, row, access, mask) if mask is None else None
        own = at is not None and np.shape(value) == (*at.shape[:-1], self.columns)
        dtype = access.leaves[0][0]
        if not own or value.dtype != dtype or not pointer.region.root.writable:
            self.store(pointer, self.full(row), value, access, mask, site)
            return
        self.touched_row("write", pointer, row, access, mask, site)
        rows = pointer.region.root.rows(dtype, self.columns)
        rows[at.reshape(-1)] = np.ascontiguousarray(value).reshape(-1).view(rows.dtype)

    def touched_row(self, kind, pointer, row, access, mask, site):
        """A hook for tools."""
