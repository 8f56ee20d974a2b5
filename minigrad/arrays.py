"""Tensors of "cpu" as NumPy arrays, and operators that run on these."""

import contextvars
import functools

import numpy as np

from .check import check
from .dtypes import as_number, bfloat16, computed_in, to_bits, widen
from .layout import row_spec
from .storage import in_bytes, storage_of

# np.errstate sets a context variable. This is that variable, and its value with every
# warning off (NaN and infinities are results, as in PyTorch): to set it here takes a
# tenth of the time.
_before = contextvars.copy_context()
with np.errstate(all="ignore"):
    _inside = contextvars.copy_context()
ERRORS = next(v for v in _inside if _inside[v] is not _before.get(v))
IGNORED = _inside[ERRORS]

# glibc keeps as much freed memory as twice the largest block that was ever freed, up to
# 64 MiB. With less, each training step takes its pages from the system anew.
np.empty(2**25 - 2**16, np.uint8)


def writable(x):
    """The array of a tensor on "cpu", to be written to."""
    array = x.memory()
    check(array.flags.writeable, "the tensor reads a NumPy array that is read-only: "
          "write to a clone()")  # fmt: skip
    return array


def write(values, out):
    """Write numbers into a tensor on "cpu"."""
    writable(out)[...] = to_bits(values, out.dtype)


def reader(x, dtype):
    """A function: an operand like x -> its array, or number, of the dtype."""
    if x is None:
        return lambda x: None
    if not hasattr(x, "storage"):
        return lambda x: as_number(x, dtype)
    shape, held = x.shape, x.storage.data.dtype
    start, strides = in_bytes(*x.spec.layout, held.itemsize)

    def read(x):
        return np.ndarray(shape, held, x.storage.data, start, strides)

    if x.dtype is bfloat16:
        return lambda x: widen(read(x)).astype(dtype, copy=False)
    return read if x.dtype == dtype else lambda x: read(x).astype(dtype)


class NumpyKernel:
    """A function of arrays as an operator's kernel for "cpu".

    It computes in `dtype`, halves in float32, and its result is rounded once. results:
    the dtypes of what it returns: None for `dtype`, "wide" for the one to compute
    in, or a function of `dtype`.
    """

    pointwise = False  # then every operand is read in the dtype to compute in

    def __init__(self, function, dtype, results=None):
        self.function, self.dtype, self.wide = function, dtype, computed_in(dtype)
        known = {None: dtype, "wide": self.wide}
        results = results if isinstance(results, tuple) else (results,)
        self.results = [r(dtype) if callable(r) else known.get(r, r) for r in results]
        self.__name__ = getattr(function, "__name__", "numpy")

    def __call__(self, *operands, **options):
        return self.plan(operands, options)[0]

    def work(self, operands, options, finish=lambda values: values):
        """A function: operands like these -> what is computed of their arrays."""
        reads = []
        for x in operands:  # the first and other floats in the dtype to compute in
            alike = not reads or self.pointwise or not hasattr(x, "storage")
            alike = alike or x.dtype.kind == self.wide.kind == "f"
            reads.append(reader(x, self.wide if alike else computed_in(x.dtype)))
        work = functools.partial(self.function, **options) if options else self.function
        first, second = reads if len(reads) == 2 else (None, None)

        def run(*operands, **out):
            token = ERRORS.set(IGNORED)
            try:
                if second is not None:  # as most have: it is spelled out
                    return finish(work(first(operands[0]), second(operands[1]), **out))
                arrays = [read(x) for read, x in zip(reads, operands, strict=True)]
                return finish(work(*arrays, **out))
            finally:
                ERRORS.reset(token)

        return run

    def plan(self, operands, options):
        """The result, and a function that computes it for operands like these."""
        dtypes, specs = self.results, {}
        make = next(x for x in operands if hasattr(x, "storage")).over

        def tensor(values, dtype, number):
            if values is None:
                return None
            values = np.asarray(values)
            if values.dtype != dtype:
                values = to_bits(values, dtype)
            if number not in specs:
                specs[number] = row_spec(dtype, "cpu", values.shape)
            return make(storage_of(values.ravel(), dtype, "cpu"), specs[number])

        def finish(values):
            if not isinstance(values, tuple):
                return tensor(values, dtypes[0], 0)
            pack = getattr(type(values), "_make", tuple)
            return pack(map(tensor, values, dtypes, range(len(values))))

        run = self.work(operands, options, finish)
        return run(*operands), run
