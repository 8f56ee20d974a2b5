"""The memory of the simulated device: allocations, pointers, layouts of types."""

import dataclasses
import functools
import math

import numpy as np

from ..front import ctype as C
from .cells import times, total, wide

ALIGNMENT = 256  # bytes, as cudaMalloc's
TEXT = "a string"  # the name of a string literal in messages


class Root:
    """One allocation; arrays that share memory share their root.

    space: global, constant, shared or local. `data`: its bytes; for shared memory one
    row a block, for local memory one row a lane. fresh: bool per byte, True where it
    has not been written yet; or None.
    """

    def __init__(self, space, name, data, writable=True, address=0):
        self.space, self.name, self.data = space, name, data
        self.writable, self.readonly, self.fresh = writable, False, None
        self.address, self.regions, self._views = address, [], {}
        self.nbytes = data.shape[-1]

    def view(self, dtype):
        """All bytes as one flat array of `dtype`."""
        view = self._views.get(dtype)
        if view is None:
            flat = self.data.reshape(-1)
            usable = flat.size // dtype.itemsize * dtype.itemsize
            view = self._views[dtype] = flat[:usable].view(dtype)
        return view

    def rows(self, dtype, count):
        """All runs of `count` numbers of `dtype`: item i begins at number i."""
        rows = self._views.get((dtype, count))
        if rows is None:
            flat, items = self.view(dtype), np.dtype((np.void, dtype.itemsize * count))
            rows = self._views[dtype, count] = np.ndarray(
                flat.size - count + 1, items, flat, strides=dtype.itemsize
            )
        return rows

    def describe(self, byte):
        """The element at this byte as a C expression: `x[17]`."""
        for region in self.regions:
            if region.begin <= byte < region.begin + region.nbytes:
                return region.describe(byte - region.begin)
        return f"byte {byte} of {self.name}"


class Region:
    """A named part of a root: an array argument, or one shared variable."""

    def __init__(self, root, name, type, begin, nbytes):
        self.root, self.name, self.type = root, name, type
        self.begin, self.nbytes = begin, nbytes
        self.space, self.bases = root.space, {}
        if self.space != "local":  # never needed, and it would keep them alive
            root.regions.append(self)

    def describe(self, byte):
        text, type = self.name, self.type
        if not isinstance(type, C.Array):
            size = type.size or 1
            return f"{text}[{byte // size}]" if self.nbytes > size else text
        while isinstance(type, C.Array):
            type = type.element
            text, byte = f"{text}[{byte // type.size}]", byte % type.size
        return text

    def base(self, unit, geometry):
        """The start of the region in its root, in units of `unit` bytes."""
        base = self.bases.get(unit)
        if base is None:
            base = self.begin // unit
            if self.space == "shared":
                steps = np.arange(geometry.shape[0], dtype=np.int64)
                steps = steps.reshape(*geometry.box[:3], 1, 1)
                base = steps * (self.root.nbytes // unit) + base
            elif self.space == "local":
                steps = np.arange(geometry.lanes, dtype=np.int64)
                base = steps.reshape(geometry.box) * (self.root.nbytes // unit)
            self.bases[unit] = base
        return base

    def is_one_column(self, index):
        """Is it one place in the local memory of each lane? No tool watches that."""
        return self.space == "local" and (type(index) is int or index.ndim == 0)

    def column(self, dtype, at, geometry):
        """Number `at` in the local memory of each lane: a view."""
        column = self.bases.get(dtype)
        if column is None:
            column = self.root.view(dtype).reshape(*geometry.box, -1)
            self.bases[dtype] = column
        return column[..., at]


class Pointer:
    """region + offset * unit bytes; the offset is an int or an array over lanes."""

    __slots__ = ("offset", "region", "unit")

    def __init__(self, region, offset, unit):
        self.region, self.offset, self.unit = region, offset, unit

    def cast(self, unit):
        """The same address, counted in units of `unit` bytes if that is possible."""
        if unit == self.unit or unit == 0:
            return self
        common = math.gcd(unit, self.unit)
        offset, ratio = times(self.offset, self.unit // common), unit // common
        if ratio > 1 and np.any(offset % ratio):
            return Pointer(self.region, offset, common)
        return Pointer(self.region, offset // ratio, unit)

    def add(self, index, size):
        """This pointer moved by `index` elements of `size` bytes."""
        here = self.cast(size)
        if here.unit == size:
            return Pointer(here.region, total(here.offset, index), size)
        here = here.cast(1)
        return Pointer(here.region, total(here.offset, times(index, size)), 1)

    @property
    def address(self):
        """The address in bytes, as 64 bits."""
        start = self.region.root.address + self.region.begin
        offset = times(self.offset, self.unit)
        return np.add(offset, start, dtype=np.int64).view(np.uint64)


class Addresses:
    """A pointer into different allocations for different lanes."""

    __slots__ = ("address",)

    def __init__(self, address):
        self.address = address

    def cast(self, unit):
        return self

    def add(self, index, size):
        step = np.multiply(wide(index), size, dtype=np.int64)
        return Addresses((self.address.view(np.int64) + step).view(np.uint64))


NULL = Addresses(np.uint64(0))


@dataclasses.dataclass(frozen=True, eq=False)
class Access:
    """How a value of a C type is read at an index counted in units of `unit` bytes.

    leaves: (dtype, index of the leaf in units of its own size, pointee size or None).
    plain: the dtype of a number that is counted in its own size, else None.
    """

    type: object
    size: int
    unit: int
    leaves: tuple
    record: bool
    pointers: bool
    plain: object


@functools.lru_cache(64)  # each text has structs of its own
def access(type, unit):
    """The Access for `type` at an index counted in units of `unit` bytes."""
    leaves = tuple(
        (leaf.dtype, unit // leaf.dtype.itemsize, offset // leaf.dtype.itemsize, to)
        for leaf, offset, to in leaves_of(type)
    )
    pointers = any(to is not None for *_, to in leaves)
    record = isinstance(type, C.Struct)
    is_number = len(leaves) == 1 and type.size == unit and not (record or pointers)
    plain = leaves[0][0] if is_number else None
    return Access(type, type.size, unit, leaves, record, pointers, plain)


@functools.lru_cache(64)
def leaves_of(type):
    """The scalars that make up a type: (type, byte offset, is it a pointer)."""
    type = type.plain
    if isinstance(type, C.Union):
        return tuple((type.word, i * type.word.size, None) for i in range(type.parts))
    if isinstance(type, C.Struct):
        return tuple(
            (leaf, at + offset, to)
            for field, at in type.fields.values()
            for leaf, offset, to in leaves_of(field)
        )
    if isinstance(type, C.Array):
        return tuple(
            (leaf, i * type.element.size + offset, to)
            for i in range(type.count or 0)
            for leaf, offset, to in leaves_of(type.element)
        )
    to = (type.to.size or 1) if isinstance(type, C.Pointer) else None
    return ((type, 0, to),)


def poison(type):
    """What memory holds before it is written: NaN, or a conspicuous integer."""
    leaves = [_poison_leaf(leaf) for leaf, _, _ in leaves_of(type)]
    return tuple(leaves) if isinstance(type.plain, C.Struct) else leaves[0]


def _poison_leaf(type):
    if isinstance(type, C.Pointer):
        return NULL
    if type is C.BFLOAT16:
        return np.uint16(0x7FFF)
    if type.dtype.kind == "f":
        return type.dtype.type(np.nan)
    if type.dtype.kind == "b":
        return np.bool_(False)
    return np.frombuffer(b"\xa5" * type.dtype.itemsize, type.dtype)[0]


def zero(type):
    """The value that `{}` gives."""
    leaves = [
        NULL if isinstance(leaf, C.Pointer) else leaf.dtype.type(0)
        for leaf, _, _ in leaves_of(type)
    ]
    return tuple(leaves) if isinstance(type.plain, C.Struct) else leaves[0]
