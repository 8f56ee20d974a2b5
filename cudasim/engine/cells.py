"""Indices of many lanes: whether they are inside, and the values found there."""

import numpy as np

FAR = 0x0A5A5A5A5A5A5000  # bytes: where an index is put once it has been reported
AROUND = 1 << 40  # bytes: no other index of a kernel comes so near to FAR
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
MOST = 1 << 62  # the cap of an index that would not fit into 64 bits


def wide(index):
    """An index wide enough not to overflow when something is added."""
    if isinstance(index, int):
        return index
    if index.ndim == 0:
        index = int(index)
        return index if index < 2**63 else index - 2**64
    return index if index.dtype == INT64 else index.astype(np.int64)


def times(index, ratio):
    """index * ratio; beyond 64 bits it stays far away."""
    if isinstance(index, int) or index.ndim == 0:
        return max(-MOST, min(wide(index) * ratio, MOST))
    return within(index, ratio) * ratio


def within(index, ratio):
    """An index over lanes, wide enough not to overflow when it is multiplied."""
    if index.ndim == 0:
        return np.int64(times(index, ratio) // ratio)
    fits = index.dtype.itemsize < 8 and ratio < 1 << 30
    index, limit = wide(index), MOST // ratio
    if fits or ratio == 1 or inside(abs(index), limit):
        return index
    return np.clip(index, -limit, limit)


def total(a, b):
    """The sum of two offsets: an int, or an array."""
    a, b = wide(a), wide(b)
    if type(a) is int and type(b) is int:
        return max(-MOST, min(a + b, MOST))
    return a + b


def numbers(index):
    """An index as an array of 64 bits, or as narrow as it is."""
    if isinstance(index, int):
        index = max(-(2**63), min(index, 2**63 - 1))
    elif index.dtype == UINT64:
        index = index.astype(np.int64)
    return np.asarray(index)


def reported(index, unit):
    """The lanes whose index, in units of `unit` bytes, was put far away by `dim`."""
    far, around = FAR // unit, AROUND // unit
    return (index > far // 2) & ((index - far + around) % far < 2 * around)


class Stretch:
    """Addresses: begin + size * threadIdx.x; begin is the same along a row of threads.

    size: bytes of an access; columns: threads of a row. It becomes an array where tools
    need one.
    """

    def __init__(self, begin, size, columns):
        self.begin, self.step, self.columns = begin, size, columns
        self.shape, self.ndim = (*begin.shape[:-1], columns), begin.ndim
        self.size, self.nbytes = begin.size * columns, begin.nbytes

    def __array__(self, dtype=None, copy=None):
        steps = np.arange(self.columns) * self.step
        return (self.begin + steps).astype(dtype or np.int64, copy=False)


class Columns:
    """The few threads that run, the same in every block: only these are computed."""

    def __init__(self, where, shape):
        self.where, self.shape = where, shape

    @classmethod
    def of(cls, mask, shape, region):
        """The Columns of a mask, or None if they would not pay."""
        if mask is None or mask.shape[:3] != (1, 1, 1) or shape[:3] == (1, 1, 1):
            return None
        if region.space == "local":  # each thread has a place of its own
            return None
        where = np.flatnonzero(np.broadcast_to(mask[0, 0, 0], shape[3:]))
        if 2 * len(where) > shape[3] * shape[4]:
            return None
        if where[-1] == len(where) - 1:
            where = slice(0, len(where))
        return cls(where, shape)

    def take(self, value):
        """The values of these threads, one row for each block."""
        if isinstance(value, int) or value.ndim == 0:
            return value
        blocks = value.shape[:3]
        rows = np.broadcast_to(value, (*blocks, *self.shape[3:]))
        return rows.reshape(*blocks, 1, -1)[..., self.where]

    def spread(self, value):
        """The values of these threads in their places, zeros elsewhere."""
        if value.ndim == 0:
            return value
        blocks, (rows, columns) = value.shape[:3], self.shape[3:]
        out = np.zeros((*blocks, 1, rows * columns), value.dtype)
        out[..., self.where] = value
        return out.reshape(*blocks, rows, columns)


def inside(index, limit):
    """Is 0 <= index < limit in every lane?"""
    if isinstance(index, int) or index.ndim == 0:
        return 0 <= int(index) < limit
    return int(unsigned(index).max()) < limit


def unsigned(index):
    """The index as unsigned numbers: negative ones become huge."""
    size = index.dtype.itemsize
    dtype = np.uint32 if size == 4 else np.uint64 if size == 8 else index.dtype
    return index.view(dtype)


def start_of(index):
    """The first of consecutive numbers, 7 8 9 ...; None for others."""
    flat = index.reshape(-1)
    first = int(flat[0])
    if int(flat[-1]) - first != flat.size - 1 or int(flat[1]) != first + 1:
        return None
    return first if (flat[1:] - flat[:-1] == 1).all() else None


def put(view, index, value, mask, start=None):
    """view[index] = value under `mask`; of several lanes at one place the last wins.

    start: set if the index is start, start + 1, ...
    """
    if mask is None:
        if isinstance(index, int) or index.ndim == 0:
            view[int(index)] = value if value.ndim == 0 else value.flat[-1]
            return
        if value.ndim and value.shape != index.shape:
            size = index.size
            index, value = np.broadcast_arrays(index, value)
            start = start if index.size == size else None
        if start is not None and index.size == value.size:
            view[start : start + index.size] = value.reshape(-1)
        else:
            view[index.astype(np.intp, copy=False)] = value
        return
    shape = np.broadcast_shapes(np.shape(index), value.shape, mask.shape)
    rows = shape[0] if len(mask) == 1 else 1
    where = np.flatnonzero(np.broadcast_to(mask, (len(mask), *shape[1:])))
    index, value = (
        np.broadcast_to(a, shape).reshape(rows, -1).take(where, 1, mode="wrap")
        for a in (index, value)
    )
    view[index.astype(np.intp, copy=False)] = value
