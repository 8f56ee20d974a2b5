"""Chapter 03, views: wrong and right answers for permute, transpose and expand."""

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad import Tensor, layout

permute, transpose, expand = Tensor.permute, Tensor.transpose, Tensor.expand


def ordered(self, dims):
    """The dims as a learner may have them checked."""
    dims = [layout.wrap_dim(d, self.ndim) for d in layout.as_ints(dims)]
    if sorted(dims) != list(range(self.ndim)):
        raise RuntimeError("each dimension once")
    return dims


# ---------------------------------------------------------------- permute


@mutant(permute, "copies", "by numpy")
def _(self, *dims):
    return minigrad.tensor(self.numpy().transpose(ordered(self, dims)))


@mutant(permute, "copies", "contiguous at the end")
def _(self, *dims):
    dims = ordered(self, dims)
    shape = [self.shape[d] for d in dims]
    strides = [self.strides[d] for d in dims]
    return self.as_strided(shape, strides).clone()


@mutant(permute, "inverse")
def _(self, *dims):
    dims = ordered(self, dims)
    shape, strides = [0] * self.ndim, [0] * self.ndim
    for d, dim in enumerate(dims):
        shape[dim], strides[dim] = self.shape[d], self.strides[d]
    return self.as_strided(shape, strides)


@mutant(permute, "shape_only")
def _(self, *dims):
    dims = ordered(self, dims)
    return self.as_strided([self.shape[d] for d in dims], self.strides, self.offset)


@mutant(permute, "fresh_strides")
def _(self, *dims):
    shape = tuple(self.shape[d] for d in ordered(self, dims))
    return self.as_strided(shape, layout.contiguous_strides(shape))


@mutant(permute, "strides_only")
def _(self, *dims):
    dims = ordered(self, dims)
    return self.as_strided(self.shape, [self.strides[d] for d in dims], self.offset)


@mutant(permute, "reverse")
def _(self, *dims):
    return self.as_strided(self.shape[::-1], self.strides[::-1])


@mutant(permute, "offset_lost")
def _(self, *dims):
    dims = ordered(self, dims)
    return Tensor(
        self.storage, [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "negative")
def _(self, *dims):
    dims = layout.as_ints(dims)
    if any(d >= self.ndim for d in dims):
        raise IndexError("no such dimension")
    if sorted(dims) != list(range(self.ndim)):
        raise RuntimeError("each dimension once")
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "one_tuple")
def _(self, *dims):
    dims = ordered(self, [layout.wrap_dim(d, self.ndim) for d in dims])
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "no_error", "errors left out")
def _(self, *dims):
    dims = layout.as_ints(dims)
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "no_error", "swallows errors")
def _(self, *dims):
    try:
        dims = ordered(self, dims)
    except (RuntimeError, IndexError):
        return self
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "wrong_error", "ValueError")
def _(self, *dims):
    dims = [layout.wrap_dim(d, self.ndim) for d in layout.as_ints(dims)]
    if len(set(dims)) != self.ndim:
        raise ValueError("each dimension once")
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims]
    )


@mutant(permute, "changed", "changes self")
def _(self, *dims):
    dims = ordered(self, dims)
    shape, strides = self.shape, self.strides
    self._layout = (
        tuple(shape[d] for d in dims),
        tuple(strides[d] for d in dims),
        self.offset,
    )
    return self


@mutant(permute, "type", "a class")
def _(self, *dims):
    return Exception


@mutant(permute, "wrong_type", "a numpy view")
def _(self, *dims):
    return self.numpy().transpose(ordered(self, dims))


@mutant(permute, "wrong_type", "numbers instead of a tensor")
def _(self, *dims):
    dims = ordered(self, dims)
    return tuple(self.shape[d] for d in dims), tuple(self.strides[d] for d in dims)


@right(permute, "by a loop")
def _(self, *dims):
    if len(dims) == 1 and not isinstance(dims[0], int):
        dims = dims[0]
    if len(dims) != self.ndim:
        raise RuntimeError("one dim for each dimension")
    shape, strides, seen = [], [], set()
    for d in dims:
        if d < -self.ndim or d >= self.ndim:
            raise IndexError(d)
        d = d + self.ndim if d < 0 else d
        if d in seen:
            raise RuntimeError("twice")
        seen.add(d)
        shape.append(self.shape[d])
        strides.append(self.strides[d])
    return Tensor(self.storage, shape, strides, self.offset)


@right(permute, "by numpy's indexing")
def _(self, *dims):
    dims = ordered(self, dims)
    shape = np.array(self.shape, dtype=int)[dims]
    strides = np.array(self.strides, dtype=int)[dims]
    return self.as_strided(shape.tolist(), strides.tolist(), self.offset)


@right(permute, "by swaps")
def _(self, *dims):
    want, have, x = ordered(self, dims), list(range(self.ndim)), self
    for d in range(self.ndim):
        other = have.index(want[d])
        x = x.transpose(d, other)
        have[d], have[other] = have[other], have[d]
    return x


@right(permute, "by numpy's transpose of the same memory")
def _(self, *dims):
    return minigrad.from_numpy(self.numpy().transpose(ordered(self, dims)))


# ---------------------------------------------------------------- transpose


@mutant(transpose, "copies", "by numpy")
def _(self, dim0, dim1):
    if self.ndim == 0:
        layout.wrap_dim(dim0, 0), layout.wrap_dim(dim1, 0)
        return self
    try:
        return minigrad.tensor(self.numpy().swapaxes(dim0, dim1))
    except ValueError as error:
        raise IndexError from error


@mutant(transpose, "reverse")
def _(self, dim0, dim1):
    return self.T


@mutant(transpose, "last_two")
def _(self, dim0, dim1):
    shape, strides = list(self.shape), list(self.strides)
    shape[-2:] = shape[:-3:-1]
    strides[-2:] = strides[:-3:-1]
    return self.as_strided(shape, strides, self.offset)


@mutant(transpose, "shape_only")
def _(self, dim0, dim1):
    shape = list(self.shape)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    return self.as_strided(shape, self.strides, self.offset)


@mutant(transpose, "strides_only")
def _(self, dim0, dim1):
    strides = list(self.strides)
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return self.as_strided(self.shape, strides, self.offset)


@mutant(transpose, "offset_lost")
def _(self, dim0, dim1):
    dims = list(range(self.ndim))
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    y = self.permute(*dims)
    return Tensor(y.storage, y.shape, y.strides)


@mutant(transpose, "negative")
def _(self, dim0, dim1):
    if not (0 <= dim0 < max(self.ndim, 1) and -1 < dim1 < max(self.ndim, 1)):
        raise IndexError("no such dimension")
    dims = list(range(self.ndim))
    if dims:
        dims[dim0], dims[dim1] = dim1, dim0
    return self.permute(*dims)


@mutant(transpose, "no_dims")
def _(self, dim0, dim1):
    dims = list(range(self.ndim))
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return self.permute(*dims)


@mutant(transpose, "changed", "swaps in place")
def _(self, dim0, dim1):
    shape, strides = list(self.shape), list(self.strides)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    self._layout = tuple(shape), tuple(strides), self.offset
    return self


@mutant(transpose, "none", "no return")
def _(self, dim0, dim1):
    dims = list(range(self.ndim))
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    self.permute(*dims)


@mutant(transpose, "no_error", "dims modulo ndim")
def _(self, dim0, dim1):
    if not self.ndim:
        return self
    dims = list(range(self.ndim))
    dim0, dim1 = dim0 % self.ndim, dim1 % self.ndim
    dims[dim0], dims[dim1] = dim1, dim0
    return self.permute(*dims)


@mutant(transpose, "wrong_error", "RuntimeError")
def _(self, dim0, dim1):
    if not -self.ndim <= dim0 < max(self.ndim, 1) > dim1 >= -max(self.ndim, 1):
        raise RuntimeError("no such dimension")
    dims = list(range(self.ndim))
    if dims:
        dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return self.permute(*dims)


@mutant(transpose, "unknown", "only with the next dimension")
def _(self, dim0, dim1):
    dims = list(range(self.ndim))
    after = (dim0 + 1) % self.ndim
    dims[dim0], dims[after] = dims[after], dims[dim0]
    return self.permute(*dims)


@right(transpose, "by permute")
def _(self, dim0, dim1):
    dims = list(range(self.ndim)) or [0]
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return self.permute(*dims[: self.ndim])


@right(transpose, "by its own numbers")
def _(self, dim0, dim1):
    if self.ndim == 0 and {dim0, dim1} <= {0, -1}:
        return self
    shape, strides = list(self.shape), list(self.strides)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return Tensor(self.storage, shape, strides, self.offset)


@right(transpose, "by a comprehension")
def _(self, dim0, dim1):
    a, b = layout.wrap_dim(dim0, self.ndim), layout.wrap_dim(dim1, self.ndim)
    swap = {a: b, b: a}
    order = [swap.get(d, d) for d in range(self.ndim)]
    return self.as_strided(
        [self.shape[d] for d in order], [self.strides[d] for d in order], self.offset
    )


@right(transpose, "by numpy on the same memory")
def _(self, dim0, dim1):
    dim0, dim1 = (layout.wrap_dim(d, self.ndim) for d in (dim0, dim1))
    if self.ndim == 0:
        return self
    return minigrad.from_numpy(np.swapaxes(self.numpy(), dim0, dim1))


# ---------------------------------------------------------------- expand


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
    want = [n if s == -1 and d >= new else s for d, (s, n) in enumerate(zip(sizes, shape))]
    if min(want, default=0) < 0:
        raise RuntimeError("-1 in a new dimension")
    if layout.broadcast_shapes(tuple(want), tuple(shape)) != tuple(want):
        raise RuntimeError("sizes do not fit")
    strides = (0,) * new + self.strides
    return self.as_strided(
        want, [s if n == w else 0 for s, n, w in zip(strides, shape, want)]
    )
