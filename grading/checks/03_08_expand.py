"""Elements repeated, without a copy."""

from grading.exercise import mistakes, right
from minigrad import Tensor, layout

STRIDE = "stride if size == old else 0"
SIZE = "old if sizes[d] == -1 and d >= new else sizes[d]"
NEW = "-> old, stride = 1, "
mistakes(Tensor.expand)(f"""
one_tuple: the sizes may come as one tuple: layout.as_ints(sizes) takes both
> layout.as_ints(sizes) -> [n + 0 for n in sizes]
wrong_alignment: sizes are lined up at the last dimension: new dimensions come first
> d >= new -> d < self.ndim
& d - new -> d
new_dims: there may be more sizes than dimensions: the new ones come first, stride 0
> if new < 0 -> if new
offset_lost: the offset is lost: x may begin anywhere in its storage, at self.offset
> self.offset -> 0
keeps_stride: a dimension that is repeated needs stride 0: every step stays in its cell
> {STRIDE} -> stride if d >= new else 0
all_zero: only a dimension of size 1 gets stride 0: the others keep their own
> {STRIDE} -> 0
empty: only a dimension of size 1 is repeated: one of size 0 has nothing to repeat
> (1, size) -> (0, 1, size)
minus_one: -1 stands for the size that the dimension has
> {SIZE} -> sizes[d]
> {SIZE} -> sizes[d]
& size < 0 or ->
equivalent: the stride of a dimension of size 1 is never used, and any other new one
    gets 0
> branch dropped: {NEW}(0)
> term dropped: {NEW}
> off by one: {NEW}shape[-(0)]
> off by one: {NEW}shape[-1] * strides[-(0)]
> off by one: {NEW}shape[-1] * strides[-1] if shape else (
equivalent: as_strided raises RuntimeError for a negative size, too
> term dropped: if size < 0 or old not in (1, size): -> if ((old
> off by one: if size < 0 or old not in (1, size): -> if size < (-1)
""")


@right(Tensor.expand, "by new dimensions first, then by repeating")
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


@right(Tensor.expand, "shape and strides filled up in front")
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
