"""How a tensor of minigrad, PyTorch or NumPy reads its storage, in plain numbers.

Nothing here uses what learners write: pictures are right before a lab is solved.
"""

import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class StorageView(NamedTuple):
    """Shape, strides, offset, and the storage's cells."""

    shape: tuple
    strides: tuple  # in elements, as is the offset
    offset: int
    cells: int  # how many the storage has
    take: Callable  # a list of cells -> their values
    dtype: str
    storage: object  # equal for two views of the same storage

    @property
    def numel(self):
        return math.prod(self.shape)

    def cell(self, index):
        """The storage cell that the element at `index` reads."""
        steps = zip(index, self.strides, strict=True)
        return self.offset + sum(i * s for i, s in steps)

    def inside(self, cell):
        return 0 <= cell < self.cells

    def bounds(self):
        """The lowest and the highest cell that is read; None without elements."""
        if self.numel == 0:
            return None
        ends = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low, high = (sum(f(e, 0) for e in ends) for f in (min, max))
        return self.offset + low, self.offset + high

    def times_read(self, cell, work=2000):
        """How many elements read `cell`; None where it would take too long to count."""
        bounds = self.bounds()
        if bounds is None:
            return 0
        dims = [
            (n, abs(s))
            for n, s in zip(self.shape, self.strides, strict=True)
            if s != 0 and n > 1
        ]
        dims.sort(key=lambda dim: -dim[1])
        together = math.prod(
            n for n, s in zip(self.shape, self.strides, strict=True) if s == 0
        )
        try:
            return together * _ways(cell - bounds[0], dims, [work])
        except _TooLong:
            return None


class _TooLong(Exception):
    pass


def _ways(rest, dims, work):
    """In how many ways `rest` is a sum of i * stride, 0 <= i < size, over `dims`."""
    work[0] -= 1
    if work[0] < 0:
        raise _TooLong
    if not dims:
        return int(rest == 0)
    (size, stride), *others = dims
    reach = sum((n - 1) * s for n, s in others)
    first = max(0, -((reach - rest) // stride))
    last = min(size - 1, rest // stride)
    return sum(_ways(rest - i * stride, others, work) for i in range(first, last + 1))


def view_of(tensor):
    """The StorageView of a tensor of minigrad or PyTorch, or of a NumPy array."""
    if isinstance(tensor, StorageView):
        return tensor
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(tensor, torch.Tensor):
        return _torch(tensor, torch)
    if isinstance(tensor, np.ndarray):
        return _numpy(tensor)
    if all(hasattr(tensor, n) for n in ("storage", "shape", "strides", "offset")):
        return _minigrad(tensor)
    raise TypeError(
        f"expected a tensor of minigrad or PyTorch, or a NumPy array; got "
        f"{type(tensor).__name__}"
    )


def _minigrad(tensor):
    shape, strides = (_ints(tensor, name) for name in ("shape", "strides"))
    if len(shape) != len(strides):
        raise ValueError(
            f"this tensor has {len(shape)} sizes {shape} and {len(strides)} strides "
            f"{strides}: it needs as many of both"
        )
    data = tensor.storage.data
    return StorageView(
        shape, strides, int(tensor.offset), len(data),
        lambda cells: data[cells].tolist(), str(data.dtype), id(data),
    )  # fmt: skip


def _ints(tensor, name):
    try:
        return tuple(n.__index__() for n in getattr(tensor, name))
    except (AttributeError, TypeError):
        raise ValueError(
            f"this tensor's {name} should be a tuple of ints: {getattr(tensor, name)!r}"
        ) from None


def _torch(tensor, torch):
    try:
        storage = tensor.untyped_storage()
        strides, offset = tensor.stride(), tensor.storage_offset()
    except (NotImplementedError, RuntimeError):
        raise TypeError(
            f"a tensor of layout {tensor.layout} has no strides to draw"
        ) from None
    cells = storage.nbytes() // tensor.itemsize

    def take(chosen):
        if tensor.is_meta:
            return ["?"] * len(chosen)
        flat = tensor.as_strided((cells,), (1,), 0)
        return flat[torch.tensor(chosen, dtype=torch.int64)].tolist()

    dtype = str(tensor.dtype).removeprefix("torch.")
    where = storage._cdata if tensor.is_meta else storage.data_ptr()
    return StorageView(tuple(tensor.shape), strides, offset, cells, take, dtype, where)


def _numpy(array):
    """Counted in elements, from the first one of the array that owns the memory."""
    size, owner = array.itemsize, _owner(array)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"expected an array of numbers, not of {array.dtype}")
    begin, end = np.lib.array_utils.byte_bounds(owner)
    start = array.__array_interface__["data"][0] - begin
    if start % size or any(s % size for s in array.strides):
        raise ValueError(
            f"this array's strides, {array.strides} bytes, are no multiples of its "
            f"element size, {size} bytes: it has no cells to draw"
        )
    cells = (end - begin) // size if owner.size else 0
    flat = np.asarray(_Memory(begin, cells, array.dtype, owner))
    strides = tuple(s // size for s in array.strides)
    return StorageView(
        array.shape, strides, start // size, cells,
        lambda chosen: flat[chosen].tolist(), str(array.dtype), begin,
    )  # fmt: skip


def _owner(array):
    """The array whose memory this one reads, however many views lie between."""
    owner, base = array, array
    while (base := getattr(base, "base", None)) is not None:
        owner = base if isinstance(base, np.ndarray) else owner
    return owner


class _Memory:
    """A flat run of memory, in the form that np.asarray understands."""

    def __init__(self, begin, cells, dtype, owner):
        self.owner = owner  # keeps the memory alive
        self.__array_interface__ = {
            "data": (begin, True),
            "shape": (cells,),
            "typestr": dtype.str,
            "version": 3,
        }
