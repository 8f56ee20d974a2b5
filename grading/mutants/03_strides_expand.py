"""Chapter 03, expand: wrong answers that learners write, and right ones."""

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad import Tensor, layout

expand = Tensor.expand


def stretched(self, sizes, new_stride=lambda old: 0):
    """Expand as it should be, but for the stride of repeated dimensions."""
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    if new < 0 or -1 in sizes[:new]:
        raise RuntimeError("too few sizes, or -1 in a new dimension")
    shape, strides = list(sizes), [0] * new
    for d, (old, stride) in enumerate(zip(self.shape, self.strides), start=new):
        shape[d] = old if sizes[d] == -1 else sizes[d]
        if old not in (1, shape[d]):
            raise RuntimeError(f"size {old} is not 1")
        strides.append(stride if shape[d] == old else new_stride(stride))
    return shape, strides


@mutant(expand, "copies", "materialises")
def _(self, *sizes):
    shape, _ = stretched(self, sizes)
    return minigrad.tensor(np.broadcast_to(self.numpy(), shape))


@mutant(expand, "wrong_alignment")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    if len(sizes) < self.ndim:
        raise RuntimeError("too few sizes")
    shape, strides = [], []
    for d, size in enumerate(sizes):
        old = self.shape[d] if d < self.ndim else 1
        size = old if size == -1 and d < self.ndim else size
        if size < 0 or old not in (1, size):
            raise RuntimeError("sizes do not fit")
        shape.append(size)
        strides.append(self.strides[d] if size == old and d < self.ndim else 0)
    return self.as_strided(shape, strides)


@mutant(expand, "keeps_stride")
def _(self, *sizes):
    return self.as_strided(*stretched(self, sizes, new_stride=lambda old: old))


@mutant(expand, "all_zero")
def _(self, *sizes):
    shape, strides = stretched(self, sizes)
    return self.as_strided(shape, [0] * len(strides))


@mutant(expand, "minus_one")
def _(self, *sizes):
    if any(n < 0 for n in layout.as_ints(sizes)):
        raise RuntimeError("sizes must not be negative")
    return self.as_strided(*stretched(self, sizes))


@mutant(expand, "minus_one", "-1 compared with the size")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    if new < 0:
        raise RuntimeError("too few sizes")
    strides = [0] * new
    for old, size, stride in zip(self.shape, sizes[new:], self.strides):
        if old != size and old != 1:
            raise RuntimeError("does not fit")
        strides.append(0 if old != size else stride)
    return self.as_strided(sizes, strides)


@mutant(expand, "new_dims")
def _(self, *sizes):
    if len(layout.as_ints(sizes)) != self.ndim:
        raise RuntimeError("one size for each dimension")
    return self.as_strided(*stretched(self, sizes))


@mutant(expand, "offset_lost")
def _(self, *sizes):
    return Tensor(self.storage, *stretched(self, sizes))


@mutant(expand, "one_tuple")
def _(self, *sizes):
    return self.as_strided(*stretched(self, [n + 0 for n in sizes]))


@mutant(expand, "no_error", "any size")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    shape, strides = list(sizes), [0] * len(sizes)
    for d in range(self.ndim):
        if sizes[new + d] == -1:
            shape[new + d] = self.shape[d]
        if shape[new + d] == self.shape[d]:
            strides[new + d] = self.strides[d]
    return self.as_strided([abs(n) for n in shape], strides)


@mutant(expand, "raised", "asserts, and size 0 is nothing")
def _(self, *sizes):
    shape, strides = stretched(self, sizes)
    assert all(shape)
    return self.as_strided(shape, strides)


@mutant(expand, "wrong_error", "ValueError")
def _(self, *sizes):
    try:
        return self.as_strided(*stretched(self, sizes))
    except RuntimeError as error:
        raise ValueError("sizes do not fit") from error


@mutant(expand, "changed", "changes self")
def _(self, *sizes):
    shape, strides = stretched(self, sizes)
    self._layout = tuple(shape), tuple(strides), self.offset
    return self


@right(expand, "from the first dimension on")
def _(self, *sizes):
    return self.as_strided(*stretched(self, sizes), self.offset)


@right(expand, "by numpy")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    if new < 0 or -1 in sizes[:new]:
        raise RuntimeError("too few sizes")
    shape = [*sizes[:new]]
    for size, old in zip(sizes[new:], self.shape):
        shape.append(old if size == -1 else size)
    try:
        array = np.broadcast_to(self.numpy(), shape)
    except ValueError as error:
        raise RuntimeError(str(error)) from error
    strides = [s // array.itemsize for s in array.strides]
    return Tensor(self.storage, shape, strides, self.offset)


@right(expand, "by new dimensions first, then by repeating")
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


@right(expand, "by broadcast_shapes")
def _(self, *sizes):
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim
    if new < 0:
        raise RuntimeError("too few sizes")
    shape = [1] * new + list(self.shape)
    want = list(sizes)
    for d in range(new, len(sizes)):
        want[d] = shape[d] if sizes[d] == -1 else sizes[d]
    if min(want, default=0) < 0:
        raise RuntimeError("-1 in a new dimension")
    if layout.broadcast_shapes(tuple(want), tuple(shape)) != tuple(want):
        raise RuntimeError("sizes do not fit")
    strides = (0,) * new + self.strides
    return self.as_strided(
        want, [s if n == w else 0 for s, n, w in zip(strides, shape, want)]
    )
