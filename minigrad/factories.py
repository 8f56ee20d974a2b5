"""New tensors: tensor, from_numpy, zeros, arange ... on any device."""

import functools

import numpy as np

from . import layout
from .device import device_empty
from .layouts import row_major
from .storage import (
    Storage,
    allocate,
    as_dtype,
    bfloat16,
    float32,
    shared_memory,
    to_array,
    to_bits,
    to_range,
)
from .tensor import Tensor, _of


def asking(make):
    """A factory that takes requires_grad=True, too: ask what it makes for gradients."""

    @functools.wraps(make)
    def function(*args, requires_grad=False, **how):
        made = make(*args, **how)
        return made.requires_grad_() if requires_grad else made

    return function


@asking
def empty(*size, dtype=None, device="cpu"):
    """A tensor whose elements nobody has set: they may be anything."""
    shape, dtype = layout.as_shape(size), as_dtype(dtype)
    count = layout.numel(shape)
    if device == "sim" and dtype is not bfloat16:
        data = device_empty(count, dtype, device)  # notices who reads it too early
    else:
        data = allocate(count, dtype, device)
    return Tensor(Storage(data, device, dtype), *row_major(shape))


@asking
def full(size, fill_value, *, dtype=None, device="cpu"):
    """A tensor with the same number everywhere."""
    if dtype is None:
        dtype = to_array(fill_value).dtype
    made = empty(size, dtype=dtype, device=device).fill_(fill_value)
    made.storage.version = 0  # as if it had been made in one go
    return made


@asking
def zeros(*size, dtype=None, device="cpu"):
    """A tensor of zeros."""
    return full(layout.as_shape(size), 0, dtype=as_dtype(dtype), device=device)


@asking
def ones(*size, dtype=None, device="cpu"):
    """A tensor of ones."""
    return full(layout.as_shape(size), 1, dtype=as_dtype(dtype), device=device)


@asking
def eye(n, m=None, *, dtype=None, device="cpu"):
    """A matrix of zeros with ones on its diagonal."""
    return _cast(np.eye(n, m), as_dtype(dtype), device)


@asking
def arange(start, end=None, step=1, dtype=None, device="cpu"):
    """The numbers start, start + step, ... below end; int64 where all are ints."""
    start, end = (0, start) if end is None else (start, end)
    wide = dtype if dtype is not bfloat16 else float32
    return _cast(to_range(start, end, step, wide), dtype, device)


@asking
def linspace(start, end, steps, *, dtype=None, device="cpu"):
    """`steps` numbers from start to end, both included, evenly spaced."""
    return _cast(np.linspace(start, end, steps), as_dtype(dtype), device)


@asking
def tensor(data, dtype=None, device="cpu"):
    """A tensor with a copy of `data`: a number, nested lists, an array, a tensor."""
    if isinstance(data, Tensor):
        data = data.new_alias()
        copied = data.to(device=device, dtype=dtype)
        return copied.clone() if copied is data else copied
    dtype = as_dtype(dtype, None)
    return _cast(to_array(data, dtype), dtype, device)


def from_numpy(array):
    """The tensor that reads the array's own memory: a change in one shows in both."""
    flat, strides = shared_memory(array)
    return Tensor(Storage(flat), array.shape, strides)


def like(make):
    """zeros_like of zeros: the shape, dtype and device are another tensor's."""

    @asking
    def function(x, *more, dtype=None, device=None):
        return make(x.shape, *more, dtype=dtype or x.dtype, device=device or x.device)

    function.__name__ = f"{make.__name__}_like"
    function.__doc__ = f"{make.__name__} with the shape, dtype and device of a tensor."
    return function


empty_like, zeros_like, ones_like, full_like = map(like, (empty, zeros, ones, full))


def _cast(array, dtype, device):
    """The tensor of an array that is nobody else's."""
    with np.errstate(all="ignore"):
        array = to_bits(array, dtype)
    return _of(array, device, dtype)
