"""Two dimensions exchanged."""

import itertools

import numpy as np

import minigrad
from grading.exercise import Check, checks, mistakes, right
from minigrad import Tensor, layout

from .layouts import (
    CUBE,
    EMPTY,
    SCALAR,
    SINGLE,
    STEPPED,
    TRANSPOSED,
    contiguous,
    fresh,
    views,
)


@checks(Tensor.transpose)
class Transpose(Check):
    """Leaves out other dtypes than int64: a view copies nothing, so all are alike."""

    def cases(self, random):
        for dims in [(0, 1), (2, 0), (1, 2)]:
            yield "two dims", CUBE, *dims
        for _ in range(4):
            x = fresh(random, (3, 5))
            yield "two dims", x, *random.sample(range(len(x.shape)), 2)
        for dims in itertools.combinations(range(5), 2):
            x = contiguous((2, 3, 4, 5, 6))
            yield "two dims", x, *random.sample(dims, 2)
        for x in views(random):
            yield "views", x, *random.sample(range(len(x.shape)), 2)
        for dims in [(-1, 0), (1, -1), (-3, -2)]:
            yield "negative dims", CUBE, *dims
        for x, dims in [(CUBE, (1, 1)), (STEPPED, (0, -2)),
                        (SCALAR, (0, -1))]:  # fmt: skip
            yield "equal dims", x, *dims
            yield "equal dims", x, *dims[::-1]
        for x in [EMPTY, SINGLE]:
            yield "sizes of 0 and 1", x, 1, 2
        for x, dims in [(CUBE, (0, 3)), (CUBE, (-4, 1)), (TRANSPOSED, (2, 0)),
                        (SCALAR, (0, 1)), (SCALAR, (5, 0)), (SCALAR, (-2, 0)),
                        (CUBE, (7, 7))]:  # fmt: skip
            yield "errors", x, *dims

    def expected(self, x, dim0, dim1):
        return x.transpose(dim0, dim1)


mistakes(Tensor.transpose)(r"""
shape_only: the shape is swapped, the strides are not: each size keeps its own stride
> shape, strides, self -> shape, self.strides, self
strides_only: the strides are swapped, the shape is not: each stride keeps its own size
> shape, strides, self -> self.shape, strides, self
offset_lost: the offset is lost: x may begin anywhere in its storage, at self.offset
> self.offset -> 0
negative: negative dims count from the end: -1 is the last one, layout.wrap_dim
> wrap_dim(dim0 -> wrap_dim(dim0 if dim0 >= 0 else 99
& wrap_dim(dim1 -> wrap_dim(dim1 if dim1 >= 0 else 99
no_dims: a tensor without dimensions accepts 0 and -1, and is returned as it is
> if dim0 == dim1 -> if self.ndim and dim0 == dim1
reverse: all dimensions are reversed: only dim0 and dim1 change places
> = self.T
""")


@right(Tensor.transpose, "by permute")
def _(self, dim0, dim1):
    order = list(range(self.ndim)) or [0]
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return self.permute(*order[: self.ndim])


@right(Tensor.transpose, "by numpy on the same memory")
def _(self, dim0, dim1):
    dim0, dim1 = (layout.wrap_dim(d, self.ndim) for d in (dim0, dim1))
    if self.ndim == 0:
        return self
    return minigrad.from_numpy(np.swapaxes(self.numpy(), dim0, dim1))
