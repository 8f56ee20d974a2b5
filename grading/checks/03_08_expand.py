"""Elements repeated, without a copy."""

from grading.exercise import Check, View, checks, mistakes, right
from minigrad import Tensor, layout

from . import layouts
from .layouts import BIG, CUBE, EMPTY, REPEATED, SCALAR, SINGLE, STEPPED


@checks(Tensor.expand)
class Expand(Check):
    """Leaves out other dtypes than int64: a view copies nothing, so all are alike."""

    def cases(self, random):
        column, row, middle = View((3, 1), (1, 1)), View((1, 4), (4, 1)), SINGLE
        for x, sizes in [(column, (3, 4)), (row, (3, 4)), (middle, (3, 5, 2))]:
            yield "sizes of 1", x, *sizes
        for _ in range(4):
            yield "sizes of 1", *self.drawn(random)
        for x, sizes in [(column, (2, 3, 4)), (CUBE, (5, 2, 3, 4)), (SCALAR, (2, 3))]:
            yield "new dims", x, *sizes
        yield "new dims", View((4,), (2,), 1), 4, 4
        for x, sizes in [(column, (-1, 4)), (middle, (-1, 2, -1)),
                         (column, (5, -1, -1))]:  # fmt: skip
            yield "-1 keeps a size", x, *sizes
        yield "views", View((3, 1), (8, 3), 5), 3, 4
        yield "views", View((1, 4, 3), (2, 1, 4), 7), 2, 4, 3
        yield "views", REPEATED, 2, 3, 4
        yield "views", BIG, 2, 60, 100
        for _ in range(3):
            yield "views", *self.drawn(random, random.randint(1, 9))
        for x, sizes in [(column, (3, 4)), (STEPPED, (2, 2, 3)), (SCALAR, ())]:
            yield "one tuple", x, sizes
        yield "sizes of 0", column, 3, 0
        yield "sizes of 0", EMPTY, 4, 2, 0, 3
        for sizes in [(3,), (2, 4), (5, 1), (0, 1), (-1, 3, 1), (3, -2), (-2, 3, 1)]:
            yield "errors", column, *sizes
        yield "errors", CUBE, 3, 4
        yield "errors", EMPTY, 2, 3, 3
        yield "errors", SCALAR, -2
        yield "sizes of 0", SCALAR, 0

    def drawn(self, random, offset=0):
        """A view that has some sizes of 1, and the sizes that these are to get."""
        sizes = layouts.random_shape(random, (2, 4))
        ones = random.sample(range(len(sizes)), random.randint(1, len(sizes) - 1))
        shape = tuple(1 if d in ones else n for d, n in enumerate(sizes))
        return View(shape, layouts.contiguous(shape).strides, offset), *sizes

    def expected(self, x, *sizes):
        return x.expand(*sizes)


STRIDE = "stride if size == old else 0"
SIZE = "old if sizes[d] == -1 and d >= new else sizes[d]"
NEW = "-> old, stride = 1, "
mistakes(Tensor.expand, one_tuple=layouts.ONE_TUPLE)(f"""
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
