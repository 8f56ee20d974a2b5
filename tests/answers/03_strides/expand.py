"""Answers of expand by other algorithms."""

from minigrad import Tensor, layout
from tools.audit.specimens import answer


@answer(Tensor.expand, right="by new dimensions first, then by repeating")
def _(self, *sizes):
    sizes, x = layout.as_ints(sizes), self
    if len(sizes) < x.ndim or -1 in sizes[: len(sizes) - x.ndim]:
        raise RuntimeError("too few sizes")
    while x.ndim < len(sizes):
        x = x.unsqueeze(0)
    shape = [old if n == -1 else n for n, old in zip(sizes, x.shape)]
    if any(n != old and old != 1 for n, old in zip(shape, x.shape)):
        raise RuntimeError("sizes do not fit")
    strides = [s * (n == old) for n, old, s in zip(shape, x.shape, x.strides)]
    return x.as_strided(shape, strides)


@answer(Tensor.expand, right="shape and strides filled up in front")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    if new < 0:
        raise RuntimeError("too few sizes")
    result, strides = [*sizes], [0] * new + [*self.strides]
    for d, (size, old) in enumerate(zip(sizes, [None] * new + [*self.shape])):
        if size == -1 and old is not None:
            result[d] = old
        elif size < 0 or old not in (None, 1, size):
            raise RuntimeError(f"a size of {old} cannot be {size}")
        elif old == 1:
            strides[d] = 0
    return self.as_strided(result, strides, self.offset)
