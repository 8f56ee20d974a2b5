"""Which threads run together: blocks, threads, lanes, warps."""

import functools

import numpy as np

from .cells import Stretch

WARP = 32


class Geometry:
    """A batch: B blocks, side by side, of R rows and C columns of threads.

    first_block: linear number of its first block. warp: None (all threads of each
    block), or the number of the one warp of each block that runs. shape: (B, R, C).
    box: the shape of all values: (Z, Y, X, R, C) if the blocks are whole rows or planes
    of the grid, so that values that depend on few indices stay small; else
    (1, 1, B, R, C).
    """

    def __init__(self, grid, block, first_block, blocks, warp=None):
        self.grid, self.block, self.first_block = grid, block, first_block
        threads = block[0] * block[1] * block[2]
        begin, end = (0, threads) if warp is None else (warp * WARP, warp * WARP + WARP)
        self.threads = min(end, threads) - begin
        self.block_ids = np.arange(first_block, first_block + blocks)
        rows, columns = block[1] * block[2], block[0]
        self.shape = (blocks, rows, columns)
        if warp is not None:
            self.shape = (blocks, 1, self.threads)
        self.box = (*_box(grid, first_block, blocks), *self.shape[1:])
        self.lanes = blocks * self.threads
        self.warps = -(-self.threads // WARP)  # of a block
        self.per_block = np.arange(begin, begin + self.threads)
        self._indices(warp)

    def _indices(self, warp):
        """threadIdx and blockIdx, each in the smallest shape that broadcasts."""
        x, y, _ = self.block
        if warp is None:
            row = np.arange(self.shape[1], dtype=np.uint32).reshape(1, 1, 1, -1, 1)
            column = np.arange(x, dtype=np.uint32).reshape(1, 1, 1, 1, -1)
        else:
            thread = self.per_block.astype(np.uint32).reshape(1, 1, 1, 1, -1)
            row, column = thread // np.uint32(x), thread % np.uint32(x)
        self.thread = _small(column), _small(row % np.uint32(y)), _small(row // y)
        ids = self.block_ids.reshape(*self.box[:3], 1, 1)
        gx, gy, _ = self.grid
        parts = ids % gx, ids // gx % gy, ids // (gx * gy)
        self.block_index = tuple(_small(p.astype(np.uint32)) for p in parts)

    def full(self, value):
        """A value for every lane, flat."""
        shape = self.box if np.ndim(value) == 5 else self.shape
        return np.broadcast_to(value, shape).reshape(-1)

    def by_block(self, value):
        """A value in the shape (B, R, C), or 1 where it is constant."""
        if np.ndim(value) != 5:
            return value
        if type(value) is Stretch:
            return Stretch(self.by_block(value.begin), value.step, value.columns)
        if value.shape[:3] != (1, 1, 1):
            value = np.broadcast_to(value, (*self.box[:3], *value.shape[3:]))
        return value.reshape(-1, *value.shape[3:])

    def by_warp(self, value, fill=0):
        """A value for every lane, as (warps, 32); missing lanes get `fill`."""
        blocks, padded = len(self.block_ids), self.warps * WARP
        flat = self.full(value).reshape(blocks, self.threads)
        if padded != self.threads:
            wide = np.full((blocks, padded), fill, flat.dtype)
            wide[:, : self.threads] = flat
            flat = wide
        return flat.reshape(-1, WARP)

    def from_warps(self, rows):
        """The inverse of by_warp, in the batch's shape."""
        rows = rows.reshape(len(self.block_ids), -1)[:, : self.threads]
        return rows.reshape(self.box)

    @functools.cached_property
    def lane_numbers(self):
        """0 to 31, for by_warp's rows."""
        return np.arange(WARP)

    @functools.cached_property
    def exists(self):
        """Which entries of by_warp's rows are threads."""
        return self.by_warp(np.ones((1,) * 5, bool), False)

    def where(self, lane):
        """(block, thread) of a lane, each as (x, y, z)"""
        block, thread = divmod(int(lane), self.threads)
        return (
            spread(int(self.block_ids[block]), self.grid),
            spread(int(self.per_block[thread]), self.block),
        )


def spread(number, size):
    """The (x, y, z) of a linear number."""
    x, y, _ = size
    return number % x, number // x % y, number // (x * y)


def _box(grid, first, blocks):
    """The number of blocks of a batch along z, y and x."""
    x, y, _ = grid
    plane = x * y
    if first % plane == 0 and blocks % plane == 0:
        return blocks // plane, y, x
    if first % x == 0 and blocks % x == 0 and first % plane + blocks <= plane:
        return 1, blocks // x, x
    return 1, 1, blocks


def _small(values):
    """A value without the axes along which it does not vary; perhaps a scalar."""
    for axis in range(values.ndim):
        first = values.take([0], axis)
        if (values == first).all():
            values = first
    return values.flat[0] if values.size == 1 else values


@functools.lru_cache(maxsize=32)
def geometry(grid, block, first_block, blocks, warp=None):
    """A Geometry, kept for the next launch of the same shape."""
    return Geometry(grid, block, first_block, blocks, warp)
