"""New tensors: tensor, from_numpy, zeros, arange ... on any device."""

import functools
import math
from numbers import Integral, Real

import numpy as np

from . import layout
from .check import check
from .devices import device_empty
from .dispatch import number_for, tensor_for
from .dtypes import as_dtype, bfloat16, float32, of_number, promote_types, to_bits
from .layout import as_shape, extent, row_spec
from .storage import DEVICES, NO_DEVICE, Storage, allocate, to_array
from .storage import empty as empty_storage
from .tensor import Tensor, _of


def factory(make):
    """Let a function that makes tensors take requires_grad, size=, and device=None."""

    @functools.wraps(make)
    def function(*args, requires_grad=False, **how):
        if how and not args and "size" in how:
            args = (how.pop("size"),)
        if how and how.get("device", "") is None:
            del how["device"]
        x = make(*args, **how)
        return x.requires_grad_() if requires_grad else x

    return function


@factory
def empty(*size, dtype=None, device="cpu"):
    """An uninitialized tensor: its elements may be anything."""
    shape, dtype = layout.as_shape(size), as_dtype(dtype)
    count = layout.numel(shape)
    if device == "sim" and dtype is not bfloat16:
        unset = device_empty  # the simulator reports a read before a write
        storage = allocate(count, dtype, device, lambda n, held: unset(n, held, device))
    else:
        check(device in DEVICES, lambda: NO_DEVICE.format(device))
        storage = empty_storage(count, dtype, device)
    return Tensor._from_spec(storage, row_spec(dtype, device, shape))


@factory
def full(size, fill_value, *, dtype=None, device="cpu"):
    """A tensor with the same number everywhere."""
    if hasattr(fill_value, "item"):  # a tensor's, or NumPy's
        fill_value = fill_value.item()
    dtype = dtype or to_array(fill_value).dtype
    x = empty(size, dtype=dtype, device=device).fill_(fill_value)
    x.storage.version = 0  # as if it had been made in one go
    return x


@factory
def zeros(*size, dtype=None, device="cpu"):
    """A tensor of zeros."""
    return full(layout.as_shape(size), 0, dtype=as_dtype(dtype), device=device)


@factory
def ones(*size, dtype=None, device="cpu"):
    """A tensor of ones."""
    return full(layout.as_shape(size), 1, dtype=as_dtype(dtype), device=device)


@factory
def eye(n, m=None, *, dtype=None, device="cpu"):
    """A matrix of zeros with ones on its diagonal."""
    rows, columns = layout.as_shape((n, n if m is None else m))
    return _cast(np.eye(rows, columns), as_dtype(dtype), device)


def is_whole(dtype):
    """Is this a dtype of whole numbers?"""
    dtype = as_dtype(dtype, None)
    return dtype is not None and dtype is not bfloat16 and dtype.kind in "iu"


@factory
def arange(start=0, end=None, step=1, dtype=None, device="cpu"):
    """The numbers start, start + step, ... below end; int64 where all are ints.

    arange(end) begins with 0.
    """
    start, end = (0, start) if end is None else (start, end)
    given = start, end, step
    check(all(isinstance(n, Real) for n in given), "arange() takes numbers, got "
          f"{start!r}, {end!r}, {step!r}", TypeError)  # fmt: skip
    check(all(map(math.isfinite, given)),
          f"unsupported range: {start} -> {end}, step {step}")  # fmt: skip
    check(step != 0, "step must be nonzero")
    check((end - start) * step >= 0,
          "upper bound and lower bound inconsistent with step sign")  # fmt: skip
    whole = all(isinstance(n, Integral) for n in given)
    cut = is_whole(dtype) and int(step) != 0  # as PyTorch does, which for int64 alone
    if cut and as_dtype(dtype) == np.int64:  # cuts off before it counts
        start, end, step, whole = int(start), int(end), int(step), True
    count = -((start - end) // step) if whole else math.ceil((end - start) / step)
    if cut:
        start, step = int(start), int(step)
    numbers = start + step * np.arange(*as_shape((count,)))
    wide = dtype if dtype is not bfloat16 else float32
    numbers = numbers.astype(wide or (np.int64 if whole else np.float32))
    return _cast(numbers, dtype, device)


@factory
def linspace(start, end, steps, *, dtype=None, device="cpu"):
    """`steps` numbers from start to end, both included, evenly spaced."""
    number_for("linspace", "start", start)
    number_for("linspace", "end", end)
    if is_whole(dtype) and math.isfinite(start) and math.isfinite(end):
        start, end = int(start), int(end)  # as PyTorch does
    (count,) = layout.as_shape((steps,))
    i, last = np.arange(count), count - 1
    with np.errstate(all="ignore"):
        step = np.float64(end - start) / max(last, 1)
        first = i < max(count // 2, 1)  # the second half is counted from the end
        values = np.where(first, start + i * step, end - (last - i) * step)
    return _cast(values, as_dtype(dtype), device)


@factory
def tensor(data, dtype=None, device="cpu"):
    """A tensor with a copy of `data`: a number, nested lists, an array, a tensor."""
    if isinstance(data, Tensor):
        data = data._alias()
        copied = data.to(device=device, dtype=dtype)
        return copied.clone() if copied is data else copied
    dtype, first = as_dtype(dtype, None), data
    while isinstance(first, list | tuple) and first:
        first = first[0]
    if hasattr(first, "storage"):  # lists of tensors, which may lie on a device
        types = []
        data = _numbers(data, types)
        dtype = dtype or functools.reduce(promote_types, types)
    return _cast(to_array(data, dtype), dtype, device)


def _numbers(data, types):
    """Nested lists with tensors as numbers; `types` gets the dtype of each element."""
    if isinstance(data, list | tuple):
        return [_numbers(item, types) for item in data]
    if not hasattr(data, "storage"):
        types.append(of_number(data))
        return data
    types.append(data.dtype)
    return data.tolist()


def from_numpy(array):
    """The tensor that reads the array's own memory: a change in one shows in both."""
    check(isinstance(array, np.ndarray),
          f"expected np.ndarray (got {type(array).__name__})", TypeError)  # fmt: skip
    check(array.dtype.isnative, "given numpy array has byte order different from the "
          "native byte order. Make a copy: "
          "array.astype(array.dtype.newbyteorder('='))", ValueError)  # fmt: skip
    check(all(s >= 0 for s in array.strides), "At least one stride in the given numpy "
          "array is negative, and tensors with negative strides are not supported. "
          "Make a copy: array.copy()", ValueError)  # fmt: skip
    check(array.itemsize and not any(s % array.itemsize for s in array.strides),
          "given numpy array strides not a multiple of the element byte size. Make a "
          "copy: array.copy()", ValueError)  # fmt: skip
    strides = [s // array.itemsize for s in array.strides]
    cells = extent(array.shape, strides)
    flat = np.lib.stride_tricks.as_strided(array, (cells,), (array.itemsize,))
    return Tensor(Storage(flat), array.shape, strides)


def like(make):
    """zeros_like of zeros: the shape, dtype and device are another tensor's."""

    @factory
    def function(x, *more, dtype=None, device=None):
        tensor_for(function.__name__, "input", x)
        return make(x.shape, *more, dtype=dtype or x.dtype, device=device or x.device)

    function.__name__ = f"{make.__name__}_like"
    function.__doc__ = f"{make.__name__} with the shape, dtype and device of a tensor."
    return function


empty_like, zeros_like, ones_like, full_like = map(like, (empty, zeros, ones, full))


def _cast(array, dtype, device):
    """An array, which no one else may hold, as a tensor."""
    with np.errstate(all="ignore"):
        array = to_bits(array, dtype)
    return _of(array, device, dtype)
