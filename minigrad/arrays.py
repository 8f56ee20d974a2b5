"""Tensors of "cpu" as NumPy arrays, and operators that run on these."""

import contextvars
import functools

import numpy as np

from .check import check
from .dtypes import as_number, bfloat16, computed_in, to_bits, widen
from .layout import row_spec
from .storage import Storage, in_bytes

# Where NumPy warns of nothing: NaN and infinities are results here, as in PyTorch.
# np.errstate around each call would do the same, but it takes as long as the addition
# of two small arrays. Each call runs in a copy, because a context can be entered once.
UNWARNED = contextvars.Context()
UNWARNED.run(np.seterr, all="ignore")


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
        dtype_of = {None: dtype, "wide": self.wide}
        results = results if isinstance(results, tuple) else (results,)
        self.results = [
            r(dtype) if callable(r) else dtype_of.get(r, r) for r in results
        ]
        self.__name__ = getattr(function, "__name__", "numpy")

    def __call__(self, *operands, **options):
        return self.plan(operands, options)[0]

    def work(self, operands, options, finish=lambda values: values):
        """A function: operands like these -> what is computed of their arrays."""
        readers = []
        for x in operands:  # the first and other floats in the dtype to compute in
            alike = not readers or self.pointwise or not hasattr(x, "storage")
            alike = alike or x.dtype.kind == self.wide.kind == "f"
            readers.append(reader(x, self.wide if alike else computed_in(x.dtype)))
        work = functools.partial(self.function, **options) if options else self.function
        first, second = readers if len(readers) == 2 else (None, None)
        new_context = UNWARNED.copy

        def compute(operands, out):
            if second is not None:  # as most have: it is spelled out
                return finish(work(first(operands[0]), second(operands[1]), **out))
            arrays = [read(x) for read, x in zip(readers, operands, strict=True)]
            return finish(work(*arrays, **out))

        return lambda *operands, **out: new_context().run(compute, operands, out)

    def plan(self, operands, options):
        """The result, and a function that computes it for operands like these."""
        dtypes, specs, wrap = self.results, {}, Storage._wrap
        from_spec = next(x for x in operands if hasattr(x, "storage"))._from_spec

        def result(values, number=0):
            if isinstance(values, tuple):
                pack = getattr(type(values), "_make", tuple)
                return pack(map(result, values, range(len(values))))
            if values is None:
                return None
            values, dtype = np.asarray(values), dtypes[number]
            if values.dtype != dtype:
                values = to_bits(values, dtype)
            if number not in specs:
                specs[number] = row_spec(dtype, "cpu", values.shape)
            return from_spec(wrap(values.ravel(), dtype, "cpu"), specs[number])

        run = self.work(operands, options, result)
        return run(*operands), run
