"""Storage: the flat memory below a tensor, and how numbers get into it."""

import ctypes
import functools
import math
import sys

import numpy as np

from . import faults, plan_cache
from .check import check
from .devices import on_gpu, which
from .dtypes import TOO_LARGE, as_dtype, bfloat16, carrier, float32, to_bits

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
DEVICES = ("cpu", "sim", "cuda")
NO_DEVICE = "no device {!r}: a tensor is on one of 'cpu', 'sim', 'cuda'"


class Storage:
    """A flat run of elements of one dtype on one device.

    data: a flat array, CuPy's on "cuda", else NumPy's. dtype: where it is not the
    array's own, which is for bfloat16 alone. version: how often it was written to.
    ptr: the address on a GPU.
    """

    __slots__ = ("__weakref__", "count", "data", "device", "dtype", "memory", "ptr",
                 "version")  # fmt: skip
    offset = 0  # a launch takes a storage as it takes a tensor
    storage = property(lambda self: self)

    def __init__(self, data, device="cpu", dtype=None):
        check(device in DEVICES, NO_DEVICE.format(device))
        self.data, self.device = data, device
        self.dtype = dtype or as_dtype(data.dtype)
        self.version, self.count = 0, len(data)
        if device == "cuda":
            self.ptr = data.data.ptr

    @staticmethod
    def _wrap(data, dtype, device):
        """A Storage of an array on "cpu" or "sim", without the checks of Storage()."""
        s = object.__new__(Storage)
        s.data, s.count, s.version = data, len(data), 0
        s.dtype, s.device = dtype, device
        return s

    def __len__(self):
        return self.count

    def __getattr__(self, name):
        """On a GPU the array is made when it is first used."""
        if name != "data" or self.device != "cuda":
            raise AttributeError(f"a Storage has no attribute {name!r}")
        array = gpu().ndarray
        self.data = array((self.count,), carrier(self.dtype), memptr=self.memory)
        return self.data

    @property
    def itemsize(self):
        return self.dtype.itemsize

    def alias(self):
        """Another storage over the same memory."""
        return Storage(self.data, self.device, self.dtype)

    def address(self, offset):
        """The address of the byte at `offset`, as a kernel's argument."""
        if self.device == "cuda":
            return np.uint64(self.ptr + offset)
        return self.data[offset // self.itemsize :] if offset else self.data

    def read(self, shape, strides, offset):
        """The array of these elements; NumPy checks that they lie inside."""
        data = self.data
        start, strides = in_bytes(shape, strides, offset, data.itemsize)
        if self.device == "cuda":
            pointer = data.data + start
            return gpu().ndarray(shape, data.dtype, memptr=pointer, strides=strides)
        return np.ndarray(shape, data.dtype, data, start, strides)

    def __reduce__(self):
        return Storage, (self.data, self.device, self.dtype)

    def __repr__(self):
        return f"Storage({len(self)} x {self.dtype}, device='{self.device}')"


class Recast(Storage):
    """The memory of another storage as elements of another dtype."""

    __slots__ = ("of",)

    def __init__(self, of, dtype):
        count = of.count * of.itemsize // dtype.itemsize
        data = of.data.view(np.uint8)[: count * dtype.itemsize]
        self.of = of
        super().__init__(data.view(carrier(dtype)), of.device, dtype)

    @property
    def version(self):
        return self.of.version

    @version.setter
    def version(self, value):
        self.of.version = max(value, self.of.version)


@functools.lru_cache(4096)
def in_bytes(shape, strides, offset, size):
    """Where an array of elements of `size` bytes begins, and its strides, in bytes."""
    start = offset * size if math.prod(shape) else 0  # an empty one may lie anywhere
    return start, tuple(s * size for s in strides)


def empty(count, dtype, device):
    """An uninitialized storage of `count` elements."""
    return allocate(count, dtype, device, np.empty, lambda: gpu().cuda.alloc)


def zeros(count, dtype, device):
    """A storage of `count` zeros."""
    return allocate(count, dtype, device, np.zeros, lambda: zeroed)


def zeroed(nbytes):
    memory = gpu().cuda.alloc(nbytes)
    memory.memset_async(0, nbytes)
    return memory


def allocate(count, dtype, device, make, on_gpu=None):
    if device == "cuda":
        maker = maker_on_gpu(count, dtype, on_gpu())
    else:
        held = carrier(dtype)
        maker = lambda: Storage._wrap(make(count, held), dtype, device)  # noqa: E731
    storage = maker()
    if plan_cache.state.recording is not None:
        plan_cache.state.recording.allocated(storage, maker)
    return storage


def maker_on_gpu(count, dtype, alloc):
    """A function that allocates memory on a GPU; its array comes when it is needed."""
    nbytes, new = count * dtype.itemsize, object.__new__

    def make():
        s = new(Storage)
        s.memory = memory = alloc(nbytes)
        s.ptr, s.count, s.dtype = memory.ptr, count, dtype
        s.device, s.version = "cuda", 0
        return s

    return make


def copy_to_device(array, device):
    """A copy of an array on a device; on "cpu" the array itself if it is NumPy's."""
    if device != "cpu":
        plan_cache.host(plan_cache.UPLOAD)
    if device == "cuda":
        return gpu().asarray(array)
    check(device in DEVICES, NO_DEVICE.format(device))
    if on_gpu(array):
        array = array.get()
        faults.check("cuda")
        return array
    return np.array(array) if device == "sim" else array


@functools.cache
def keep_freed_memory():
    """Let glibc keep 64 MiB of freed memory instead of giving it back to the system.

    Every training step allocates what the step before it has freed. By default glibc
    gives most of that back, so each step takes its pages from the system anew: a
    quarter of the time of chapter 10's network on a CPU. An optimizer asks for this
    once. See mallopt(3); with another C library nothing changes.
    """
    if sys.platform != "linux":
        return
    set_option = getattr(ctypes.CDLL(None), "mallopt", lambda option, size: None)
    set_option(M_TRIM_THRESHOLD, 64 << 20)
    set_option(M_MMAP_THRESHOLD, 32 << 20)  # the most that it may be


@functools.cache
def gpu():
    """CuPy; RuntimeError without a GPU."""
    which("cuda")
    import cupy

    return cupy


@functools.lru_cache(1024)
def _number_on(bits, dtype, device, count):
    data = np.frombuffer(bits, carrier(dtype)).repeat(count)
    return Storage(copy_to_device(data, device), device, dtype)


def number_on(value, dtype, device, count=1):
    """A storage with `count` times the same number; it is shared, so read-only."""
    wide = float32 if dtype is bfloat16 else dtype
    array = to_bits(np.asarray(value).astype(wide), dtype)
    storage = _number_on(array.tobytes(), dtype, device, count)
    plan_cache.constant(storage)
    return storage


def to_array(data, dtype=None):
    """A NumPy array with a copy of `data`: a number, nested lists or an array.

    Without a dtype Python's floats become float32, its ints int64, as in PyTorch.
    """
    dtype = float32 if dtype is bfloat16 else dtype
    try:
        array = np.array(data)
        if array.dtype.kind in "biuf":
            return _cast(array, data, dtype)
    except (ValueError, OverflowError) as error:
        raise _explained(error, data, dtype) from None
    strangers = [v for v in array.flat if not isinstance(v, int | float)]
    check(strangers, TOO_LARGE)
    kind = type(strangers[0]).__name__.strip("_")
    raise TypeError(f"a tensor holds numbers, not {kind}")


def to_number(value, dtype):
    """The number of `x[...] = number` as an array without dimensions."""
    if isinstance(value, np.generic):
        value = value.item()
    check(isinstance(value, int | float), lambda: "can't assign a "
          f"{type(value).__name__} to a Tensor: only a number or a tensor, such as "
          "tensor([1, 2])", TypeError)  # fmt: skip
    return to_array(value, dtype)


def _cast(array, data, dtype):
    if dtype is not None:  # from the data again, or NumPy reports no overflow
        with np.errstate(over="ignore"):
            if dtype == np.uint8 and array.dtype == np.int64 and array.size:
                least, most = array.min(), array.max()
                if -255 <= least < 0 and most <= 255:  # PyTorch's -1 is 255
                    return array.astype(np.uint8)
            return np.array(data, dtype)
    while isinstance(data, list | tuple) and data:
        data = data[0]
    check(array.dtype != np.uint64 or hasattr(data, "dtype"), TOO_LARGE)
    if array.dtype != np.float64 or hasattr(data, "dtype"):
        return array
    with np.errstate(over="ignore"):  # too large for float32: inf
        return array.astype(np.float32)


def _explained(error, data, dtype):
    """The error that says in PyTorch's words why `data` is not an array."""
    if isinstance(error, OverflowError) or "NaN" in str(error):
        name = np.dtype(dtype).name
        return RuntimeError(
            f"value cannot be converted to type {name} without overflow: {error}"
        )
    rows, dim = data, 1
    while rows and all(hasattr(r, "__len__") and getattr(r, "ndim", 1) for r in rows):
        first, *others = [len(row) for row in rows]
        if wrong := [n for n in others if n != first]:
            return ValueError(
                f"expected sequence of length {first} at dim {dim} (got {wrong[0]})"
            )
        rows, dim = [item for row in rows for item in row], dim + 1
    return ValueError(f"expected numbers only or sequences only at dim {dim}, got both")
