"""Chapter 03, permute: wrong answers that learners write, and right ones."""

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad import Tensor, layout

permute = Tensor.permute


def ordered(self, dims):
    """The dims as a learner may have them checked."""
    dims = [layout.wrap_dim(d, self.ndim) for d in layout.as_ints(dims)]
    if sorted(dims) != list(range(self.ndim)):
        raise RuntimeError("each dimension once")
    return dims


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
