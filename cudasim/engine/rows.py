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


def row_columns(shape, geometry):
    """The threads of a row, or 0 where there is no reading by rows."""
    columns = shape[-1]
    large = columns >= FEWEST and geometry.lanes >= FEWEST_LANES
    return columns if large and np.size(geometry.thread[0]) == columns else 0


def row(batch, base, value=None):
    """An index: a Row if the base is the same along each row of threads."""
    index = Row(base, value)
    if batch.columns and (base.ndim == 0 or base.shape[-1] == 1):
        return index
    return full(batch, index)


def full(batch, index):
    """An index as numbers."""
    if type(index) is not Row:
        return index
    if index.value is None:
        index.value = add(index.base, batch.tx.astype(index.base.dtype))
    return index.value


def row_base(batch, narrow, base, value):
    """The base of a widened value: that of `narrow`, if it did not wrap around."""
    if batch.columns and narrow.min() >= 0 and narrow.max() < MOST - batch.columns:
        return base
    return sub(value, batch.tx.astype(value.dtype))


def begins(batch, pointer, row, access, mask):
    """The index in its root where each thread's row begins; None: not by rows."""
    if type(pointer) is Addresses or pointer.unit != access.unit:
        return None
    [(dtype, _, inside, to), *more] = access.leaves
    if more or to is not None or inside or access.unit != dtype.itemsize:
        return None
    region, begin, offset = pointer.region, wide(row.base), wide(pointer.offset)
    if region.space == "local" or Columns.of(mask, batch.shape, region) is not None:
        return None
    if type(offset) is int:
        begin = begin + offset if offset else begin
    elif offset.shape[-1] == 1:
        begin = add(np.asarray(begin), offset)
    else:
        return None
    count = min(region.nbytes // access.unit, MOST)
    if np.min(begin) < 0 or np.max(begin) > count - batch.columns:
        return None
    base = region.base(access.unit, batch.geometry)
    if type(base) is not int:
        return add(np.asarray(begin), base)
    return np.asarray(begin + base if base else begin)


def load_row(batch, pointer, row, access, mask, site):
    """pointer[row], as `load`."""
    at = begins(batch, pointer, row, access, mask)
    if at is None:
        return batch.load(pointer, full(batch, row), access, mask, site)
    batch.touched_row("read", pointer, row, access, mask, site)
    dtype = access.leaves[0][0]
    rows = pointer.region.root.rows(dtype, batch.columns)
    if at.ndim == 0:
        at = at.reshape(1, 1, 1, 1, 1)
    return rows[at[..., 0]].view(dtype).reshape(*at.shape[:-1], -1)


def store_row(batch, pointer, row, value, access, mask, site):
    """pointer[row] = value, as `store`."""
    at = begins(batch, pointer, row, access, mask) if mask is None else None
    own = at is not None and np.shape(value) == (*at.shape[:-1], batch.columns)
    dtype = access.leaves[0][0]
    if not own or value.dtype != dtype or not pointer.region.root.writable:
        batch.store(pointer, full(batch, row), value, access, mask, site)
        return
    batch.touched_row("write", pointer, row, access, mask, site)
    rows = pointer.region.root.rows(dtype, batch.columns)
    rows[at.reshape(-1)] = np.ascontiguousarray(value).reshape(-1).view(rows.dtype)
