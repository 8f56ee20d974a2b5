"""Storage: the flat memory below a tensor, and how numbers get into it."""

import math
from numbers import Integral, Real

import numpy as np

from .layout import as_shape, extent

float16, float32, float64 = map(np.dtype, ("f2", "f4", "f8"))
uint8, int8, int16, int32, int64 = map(np.dtype, ("u1", "i1", "i2", "i4", "i8"))
DTYPES = (float32, int64, np.dtype(bool), float64, int32, uint8, float16, int8, int16)
DEVICES = ("cpu",)
TOO_LARGE = "a whole number is too large: int64 ends at 2**63 - 1"


class Storage:
    """A flat run of elements of one dtype on one device ("cpu": a NumPy array)."""

    __slots__ = ("data", "device")

    def __init__(self, data, device="cpu"):
        if device not in DEVICES:
            names = " or ".join(map(repr, DEVICES))
            raise RuntimeError(f"no device {device!r}: today a tensor is on {names}")
        if data.dtype not in DTYPES:
            names = ", ".join(d.name for d in DTYPES)
            raise TypeError(f"no tensor of {data.dtype.name}; the types are {names}")
        self.data, self.device = data, device

    def __len__(self):
        return len(self.data)

    def read(self, shape, strides, offset):
        """The NumPy array of these elements; NumPy checks that they lie inside."""
        size = self.data.itemsize
        start = min(offset, len(self)) * size  # with no elements it may lie behind
        strides = [s * size for s in strides]
        return np.ndarray(shape, self.data.dtype, self.data, start, strides)

    def __repr__(self):
        return f"Storage({len(self)} x {self.data.dtype}, device='{self.device}')"


def to_array(data, dtype=None):
    """A NumPy array with a copy of `data`: a number, nested lists or an array.

    Without a dtype Python's floats become float32, its ints int64, as in PyTorch.
    """
    try:
        array = np.array(data)
        if array.dtype.kind in "biuf":
            return _cast(array, data, dtype)
    except (ValueError, OverflowError) as error:
        raise _explained(error, data, dtype) from None
    strangers = [v for v in array.flat if not isinstance(v, int | float)]
    if not strangers:
        raise RuntimeError(TOO_LARGE)
    kind = type(strangers[0]).__name__.strip("_")
    raise TypeError(f"a tensor holds numbers, not {kind}")


def to_number(value, dtype):
    """An array of no dimension for a number, as it stands behind `x[...] =`."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a Tensor: only a number or a "
            "tensor, such as tensor([1, 2])"
        )
    return to_array(value, dtype)


def to_range(start, end, step, dtype=None):
    """The array of start, start + step, ... below end; int64 where all are ints."""
    if not all(isinstance(n, Real) for n in (start, end, step)):
        raise TypeError(f"arange() takes numbers, got {start!r}, {end!r}, {step!r}")
    if not all(map(math.isfinite, (start, end, step))):
        raise RuntimeError(f"unsupported range: {start} -> {end}, step {step}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(n, Integral) for n in (start, end, step))
    count = -((start - end) // step) if whole else math.ceil((end - start) / step)
    numbers = start + step * np.arange(*as_shape((count,)))
    return numbers.astype(dtype or (np.int64 if whole else np.float32))


def shared_memory(array):
    """The memory of a NumPy array as a flat array, and its strides in elements."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Make a copy: array.astype(array.dtype.newbyteorder('='))"
        )
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors "
            "with negative strides are not supported. Make a copy: array.copy()"
        )
    if array.dtype.itemsize == 0 or any(s % array.itemsize for s in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. "
            "Make a copy: array.copy()"
        )
    strides = [s // array.itemsize for s in array.strides]
    cells = extent(array.shape, strides)
    flat = np.lib.stride_tricks.as_strided(array, (cells,), (array.itemsize,))
    return flat, strides


def _cast(array, data, dtype):
    if dtype is not None:  # from the data once more: only so NumPy tells of overflow
        return np.array(data, dtype)
    while isinstance(data, list | tuple) and data:
        data = data[0]
    if array.dtype == np.uint64 and not hasattr(data, "dtype"):
        raise RuntimeError(TOO_LARGE)
    if array.dtype != np.float64 or hasattr(data, "dtype"):
        return array
    with np.errstate(over="ignore"):  # beyond float32 lies inf
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
        lengths = [len(row) for row in rows]
        for n in lengths:
            if n != lengths[0]:
                return ValueError(
                    f"expected sequence of length {lengths[0]} at dim {dim} (got {n})"
                )
        rows, dim = [item for row in rows for item in row], dim + 1
    return ValueError(f"expected numbers only or sequences only at dim {dim}, got both")
