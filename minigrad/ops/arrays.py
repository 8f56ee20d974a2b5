"""Elementwise operators on "cpu": formulas of NumPy, and tensors as their arrays.

What can be known from the operands' layouts and dtypes is worked out once and kept, so
that a call is little more than NumPy's own.
"""

import contextvars
import functools

import numpy as np

from ..layouts import row_major
from ..storage import TOO_LARGE, bfloat16, in_bytes, of_bits, to_bits, widen
from .formulas import copy
from .ladder import broadcast, computed_in

# NumPy keeps what it warns of in a context variable. This is it, and what it is to be
# (NaN and infinities are results, as in PyTorch): setting it takes a tenth of the time
# of errstate.
_before = contextvars.copy_context()
with np.errstate(all="ignore"):
    _inside = contextvars.copy_context()
_ERRORS = next(v for v in _inside if _inside[v] is not _before.get(v))
_IGNORED = _inside[_ERRORS]


def quiet(function, *args, **options):
    """Call a function, in which NumPy does not warn."""
    token = _ERRORS.set(_IGNORED)
    try:
        return function(*args, **options)
    finally:
        _ERRORS.reset(token)


def quietly(kernel, name):
    """A kernel for "cpu" in which NumPy does not warn."""

    def run(*operands, **options):
        return quiet(kernel, *operands, **options)

    run.__name__ = name
    return run


class NumpyMap:
    """A formula as the kernel for "cpu", computing in one dtype."""

    def __init__(self, operator, dtype):
        self.formula, self.wide = operator.formula, computed_in(dtype)
        self.result = operator.result or dtype
        self.name = operator.name
        self.__name__ = getattr(operator.formula, "__name__", self.name)

    def __call__(self, *operands, out=None):
        return self.prepare(operands)(*operands, out=out)

    def prepare(self, operands):
        """The NumpyPlan for operands of these layouts."""
        return NumpyPlan(self, operands)


class NumpyPlan:
    """All that is the same when a formula meets operands of such layouts again."""

    def __init__(self, kernel, operands):
        self.__name__, self.result = kernel.__name__, kernel.result
        tensors = [x for x in operands if hasattr(x, "storage")]
        shapes = [x.shape for x in tensors]
        self.first = next(i for i, x in enumerate(operands) if hasattr(x, "storage"))
        self.flat = len({x._layout[:2] for x in tensors}) == 1
        self.flat = self.flat and tensors[0].is_contiguous()
        try:
            self.shape = np.broadcast_shapes(*shapes)
        except ValueError:
            self.shape = broadcast(kernel.name, shapes)  # says which do not fit
        self.layout, formula = row_major(self.shape), kernel.formula
        if formula is copy and tensors[0].dtype == kernel.wide:
            formula = np.array  # otherwise reading it makes a copy
        elif isinstance(formula, np.ufunc) and not self.flat:
            formula = functools.partial(formula, order="C")
        reads = [reader(x, kernel.wide, self.flat) for x in operands]
        self.values = applied(formula, *reads)

    def __call__(self, *operands, out=None):
        return quiet(self.run, operands, out)

    def run(self, operands, out):
        values = self.values(*operands)
        if out is not None:
            return write(values.reshape(self.shape), out)
        if not self.flat:
            values = values.ravel()  # in row-major order
        if values.dtype != self.result:
            values = to_bits(values, self.result)
        return operands[self.first].new_laid(values, self.layout, self.result)


def applied(formula, a, b=None, c=None):
    """A function: operands -> the formula of their arrays. a, b, c: how each is read.

    It is called for every operator, so it is spelled out.
    """
    if b is None:
        return lambda x: formula(a(x))
    if c is None:
        return lambda x, y: formula(a(x), b(y))
    return lambda x, y, z: formula(a(x), b(y), c(z))


def reader(x, dtype, flat=False):
    """A function: an operand like x -> its array, or number, to compute with.

    flat: x is contiguous, and its array is to have one dimension.
    """
    if not hasattr(x, "storage"):
        return lambda x: as_number(x, dtype)
    read = flat_reader(x) if flat else view_reader(x)
    if x.dtype is bfloat16:
        return lambda x: widen(read(x)).astype(dtype, copy=False)
    return read if x.dtype == dtype else lambda x: read(x).astype(dtype)


def flat_reader(x):
    n, begin, end = x.numel(), x.offset, x.offset + x.numel()

    def read(x):
        data = x.storage.data
        return data if len(data) == n else data[begin:end]

    return read


def view_reader(x):
    shape, dtype = x.shape, x.storage.data.dtype
    start, strides = in_bytes(*x._layout, dtype.itemsize)
    return lambda x: np.ndarray(shape, dtype, x.storage.data, start, strides)


def as_number(x, dtype):
    """A Python number as a NumPy number."""
    try:
        return dtype.type(x)
    except OverflowError:  # 300 beside uint8: it wraps around, as in C
        if not -(2**63) <= x < 2**64:
            raise RuntimeError(TOO_LARGE) from None
        return np.asarray(x).astype(dtype)[()]


def as_array(x, dtype):
    """An operand as an array, or a NumPy number, of the dtype to compute in."""
    if not hasattr(x, "storage"):
        return as_number(x, dtype)
    array = of_bits(x.memory(), x.dtype)
    return array if array.dtype == dtype else array.astype(dtype)


def write(values, out):
    """Write an array of numbers into a tensor on "cpu"."""
    array = out.memory()
    if not array.flags.writeable:
        raise RuntimeError(
            "the tensor reads a NumPy array that is read-only: write to a clone()"
        )
    array[...] = to_bits(values, out.dtype)
    return out
