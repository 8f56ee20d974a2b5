"""The dimensions in another order."""

from grading.exercise import mistakes, right
from minigrad import Tensor, layout

SHAPE, STRIDES = "[self.shape[d] for d in dims]", "[self.strides[d] for d in dims]"
VIEW = f"self.as_strided(\n        {SHAPE}, {STRIDES}, self.offset\n    )"
mistakes(Tensor.permute)(rf"""
one_tuple: the dims may come as one tuple: layout.as_ints(dims) takes both
> layout.as_ints(dims) -> [layout.wrap_dim(d, self.ndim) for d in dims]
offset_lost: the offset is lost: x may begin anywhere in its storage, at self.offset
> self.offset -> 0
negative: negative dims count from the end: layout.wrap_dim(dim, self.ndim)
> dims = [layout.wrap_dim -> [layout.wrap_dim
& len(set(dims)) < self.ndim -> sorted(dims) != list(range(self.ndim))
shape_only: the shape is permuted, the strides are not: each size keeps its own stride
> {STRIDES} -> self.strides
strides_only: the strides are permuted, the shape is not: each stride keeps its own size
> {SHAPE} -> self.shape
row_major: the strides of x are its own, self.strides: it need not be row-major
> {STRIDES} -> [layout.contiguous_strides(self.shape)[d] for d in dims]
fresh_strides: row-major strides for the new shape read the old order: permute the
    strides
> {STRIDES} -> layout.contiguous_strides({SHAPE})
inverse: the inverse order: dimension d of the result is dimension dims[d] of x
> return -> dims = [dims.index(d) for d in range(self.ndim)]\n    return
reverse: the dimensions are reversed, whatever `dims` says
> = self.as_strided(self.shape[::-1], self.strides[::-1])
other_errors: a repeated dim is a RuntimeError, one that does not exist an IndexError
> RuntimeError -> ValueError
> raise RuntimeError -> raise IndexError
& layout.wrap_dim(d, self.ndim) for d -> range(self.ndim)[d] for d
by_sum: the sum does not tell: that of (1, 1, 1) is the one of (0, 1, 2). Every
    dimension is needed once
> len(set(dims)) < self.ndim -> sum(dims) != sum(range(self.ndim))
changed:
> return {VIEW} -> self.storage.data[:] += 1\n    return {VIEW}
copies:
> {VIEW} -> {VIEW}.clone()
right: ints or a tuple, and nothing else
> layout.as_ints(dims) -> dims[0] if dims and isinstance(dims[0], tuple) else dims
right: by numpy's transpose of the same memory
> {VIEW} -> minigrad.from_numpy(self.numpy().transpose(dims))
""")


@right(Tensor.permute, "two at a time, by transpose")
def _(self, *dims):
    dims = layout.distinct(layout.as_ints(dims), self.ndim)
    if len(dims) < self.ndim:
        raise RuntimeError("too few dims")
    x, order = self, list(range(self.ndim))
    for d, dim in enumerate(dims):
        k = order.index(dim)
        x = x.transpose(d, k)
        order[d], order[k] = order[k], order[d]
    return x
