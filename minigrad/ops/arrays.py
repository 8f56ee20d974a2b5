"""Elementwise operators on "cpu": formulas of NumPy, and tensors as their arrays."""

import numpy as np

from ..layout import broadcast_shapes
from ..storage import of_bits, to_bits
from .ladder import computed_in


class NumpyMap:
    """A formula as the kernel for "cpu", computing in one dtype."""

    def __init__(self, operator, dtype):
        self.formula, self.wide = operator.formula, computed_in(dtype)
        self.result = operator.result or dtype
        self.__name__ = getattr(operator.formula, "__name__", operator.name)

    def __call__(self, *operands, out=None):
        with np.errstate(all="ignore"):
            arrays = [as_array(x, self.wide) for x in operands]
            try:
                values = self.formula(*arrays)
            except ValueError:
                broadcast_shapes(*(x.shape for x in arrays))  # says which do not fit
                raise
            if out is not None:
                return write(values, out)
            if values is arrays[0]:
                values = np.array(values, order="C")
            like = next(x for x in operands if hasattr(x, "storage"))
            return like.new_of(values, self.result)

    def prepare(self, operands):
        """This, or a FlatMap where every tensor is one run of memory."""
        tensors = [x for x in operands if hasattr(x, "storage")]
        layouts = {x._layout for x in tensors}
        plain = {x.dtype for x in tensors} == {self.wide} and self.__name__ != "copy"
        if len(layouts) > 1 or not plain or not tensors[0].is_contiguous():
            return self
        return FlatMap(self, tensors[0])


class FlatMap:
    """The same for tensors of one contiguous layout, which it takes as flat arrays."""

    def __init__(self, kernel, x):
        self.kernel, self.formula = kernel, kernel.formula
        self.__name__, self.layout = kernel.__name__, x.new_layout()
        self.wide, self.result = kernel.wide, kernel.result
        self.begin, self.end = x.offset, x.offset + x.numel()

    def __call__(self, *operands, out=None):
        if out is not None:
            return self.kernel(*operands, out=out)
        arrays = []
        for x in operands:
            storage = getattr(x, "storage", None)
            if storage is None:
                arrays.append(as_array(x, self.wide))
            else:
                arrays.append(storage.data[self.begin : self.end])
                like = x
        with np.errstate(all="ignore"):
            values = self.formula(*arrays)
        if values.dtype != self.result:
            values = to_bits(values, self.result)
        return like.new_laid(values, self.layout, self.result)


def as_array(x, dtype):
    """An operand as an array, or a NumPy number, of the dtype to compute in."""
    if not hasattr(x, "storage"):
        try:
            return dtype.type(x)
        except OverflowError:  # 300 beside uint8: it wraps around, as in C
            return np.asarray(x).astype(dtype)[()]
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
