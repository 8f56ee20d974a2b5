"""Chapter 03, transpose: wrong answers that learners write, and right ones."""

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad import Tensor, layout

transpose = Tensor.transpose


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
