"""Two dimensions exchanged."""

import numpy as np

import minigrad
from grading.exercise import mistakes, right
from minigrad import Tensor, layout

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
