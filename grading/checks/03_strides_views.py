"""Chapter 03, views: permute, transpose and expand against PyTorch's."""

from grading.checking import Check, Raises, View, cause, checks
from minigrad import Tensor, layout

from .layouts import (
    CUBE,
    EMPTY,
    REPEATED,
    SCALAR,
    SINGLE,
    STEPPED,
    TRANSPOSED,
    contiguous,
    random_shape,
    random_view,
    shuffled,
)


def lost_offset(x):
    return x.as_strided(x.shape, x.stride(), 0)


def mixed(x, shape, strides):
    """The shape of one tensor with the strides of another."""
    return x.as_strided(shape.shape, strides.stride(), x.storage_offset())


@checks(Tensor.permute)
class Permute(Check):
    def cases(self, random):
        for dims in [(2, 0, 1), (1, 2, 0), (0, 2, 1)]:
            yield "orders", CUBE, *dims
        for _ in range(4):
            shape = random_shape(random, (2, 5))
            yield "orders", contiguous(shape), *shuffled(random, shape)
        for x in [TRANSPOSED, STEPPED, REPEATED]:
            yield "views", x, 1, 0
        for _ in range(4):
            x = random_view(random)
            yield "views", x, *shuffled(random, x.shape)
        for dims in [(-1, 0, 1), (2, -3, -2), (-3, -1, -2)]:
            yield "negative dims", CUBE, *dims
        for x, dims in [(CUBE, (1, 2, 0)), (STEPPED, (1, -2)), (SCALAR, ())]:
            yield "one tuple", x, dims
        for x, dims in [
            (EMPTY, (2, 0, 1)),
            (SINGLE, (1, 2, 0)),
            (View((4,), (2,)), (0,)),
        ]:
            yield "sizes of 0 and 1", x, *dims
        for dims in [
            (0, 1),
            (0, 0, 1),
            (0, 1, 3),
            (-4, 1, 2),
            (0, 2, -1),
            (0, 1, 2, 0),
        ]:
            yield "errors", CUBE, *dims

    def expected(self, x, *dims):
        return x.permute(*dims)

    @cause("the inverse order: dimension d of the result is dimension dims[d] of x")
    def inverse(self, x, *dims):
        dims = [d % x.ndim for d in layout.as_ints(dims)]
        return x.permute([dims.index(d) for d in range(x.ndim)])

    @cause("the shape is permuted, the strides are not: each size keeps its own stride")
    def shape_only(self, x, *dims):
        return mixed(x, x.permute(*dims), x)

    @cause("the strides are permuted, the shape is not: each stride keeps its own size")
    def strides_only(self, x, *dims):
        return mixed(x, x, x.permute(*dims))

    @cause(
        "row-major strides for the new shape read the old order: permute the strides"
    )
    def fresh_strides(self, x, *dims):
        shape = x.permute(*dims).shape
        return x.as_strided(shape, contiguous(shape).strides, x.storage_offset())

    @cause("the dimensions are reversed, whatever `dims` says")
    def reverse(self, x, *dims):
        return x.permute(*reversed(range(x.ndim)))

    @cause("the offset is lost: x may begin anywhere in its storage, at self.offset")
    def offset_lost(self, x, *dims):
        return lost_offset(x.permute(*dims))

    @cause("negative dims count from the end: layout.wrap_dim(dim, self.ndim)")
    def negative(self, x, *dims):
        refused = any(d < 0 for d in layout.as_ints(dims))
        return Raises("RuntimeError", "") if refused else x.permute(*dims)

    @cause("the dims may come as one tuple: layout.as_ints(dims) takes both")
    def one_tuple(self, x, *dims):
        alone = isinstance(dims[0], tuple)
        return Raises("TypeError", "") if alone else x.permute(*dims)


@checks(Tensor.transpose)
class Transpose(Check):
    def cases(self, random):
        for dims in [(0, 1), (2, 0), (1, 2)]:
            yield "two dims", CUBE, *dims
        for _ in range(4):
            shape = random_shape(random, (3, 5))
            yield "two dims", contiguous(shape), *random.sample(range(len(shape)), 2)
        for x in [
            TRANSPOSED,
            STEPPED,
            REPEATED,
            *(random_view(random) for _ in range(4)),
        ]:
            yield "views", x, *random.sample(range(len(x.shape)), 2)
        for dims in [(-1, 0), (1, -1), (-3, -2)]:
            yield "negative dims", CUBE, *dims
        for x, dims in [(CUBE, (1, 1)), (STEPPED, (0, -2)), (SCALAR, (0, -1))]:
            yield "equal dims", x, *dims
        for x in [EMPTY, SINGLE]:
            yield "sizes of 0 and 1", x, 1, 2
        for x, dims in [
            (CUBE, (0, 3)),
            (CUBE, (-4, 1)),
            (TRANSPOSED, (2, 0)),
            (SCALAR, (0, 1)),
        ]:
            yield "errors", x, *dims

    def expected(self, x, dim0, dim1):
        return x.transpose(dim0, dim1)

    @cause("all dimensions are reversed: only dim0 and dim1 change places")
    def reverse(self, x, dim0, dim1):
        return x.permute(*reversed(range(x.ndim)))

    @cause("the last two dimensions are swapped, whatever dim0 and dim1 say")
    def last_two(self, x, dim0, dim1):
        return x.transpose(-1, -2)

    @cause("the shape is swapped, the strides are not: each size keeps its own stride")
    def shape_only(self, x, dim0, dim1):
        return mixed(x, x.transpose(dim0, dim1), x)

    @cause("the strides are swapped, the shape is not: each stride keeps its own size")
    def strides_only(self, x, dim0, dim1):
        return mixed(x, x, x.transpose(dim0, dim1))

    @cause("the offset is lost: x may begin anywhere in its storage, at self.offset")
    def offset_lost(self, x, dim0, dim1):
        return lost_offset(x.transpose(dim0, dim1))

    @cause("negative dims count from the end: -1 is the last one, layout.wrap_dim")
    def negative(self, x, dim0, dim1):
        if min(dim0, dim1) < 0:
            return Raises("IndexError", "")
        return x.transpose(dim0, dim1)

    @cause("a tensor without dimensions accepts 0 and -1, and is returned as it is")
    def no_dims(self, x, dim0, dim1):
        return x.transpose(dim0, dim1) if x.ndim else Raises("IndexError", "")


@checks(Tensor.expand)
class Expand(Check):
    def cases(self, random):
        column, row, middle = View((3, 1), (1, 1)), View((1, 4), (4, 1)), SINGLE
        for x, sizes in [(column, (3, 4)), (row, (3, 4)), (middle, (3, 5, 2))]:
            yield "sizes of 1", x, *sizes
        for _ in range(4):
            yield "sizes of 1", *self.drawn(random)
        for x, sizes in [(column, (2, 3, 4)), (CUBE, (5, 2, 3, 4)), (SCALAR, (2, 3))]:
            yield "new dims", x, *sizes
        yield "new dims", View((4,), (2,), 1), 4, 4
        for x, sizes in [
            (column, (-1, 4)),
            (middle, (-1, 2, -1)),
            (column, (5, -1, -1)),
        ]:
            yield "-1 keeps a size", x, *sizes
        yield "views", View((3, 1), (8, 3), 5), 3, 4
        yield "views", View((1, 4, 3), (2, 1, 4), 7), 2, 4, 3
        yield "views", REPEATED, 2, 3, 4
        for _ in range(3):
            yield "views", *self.drawn(random, random.randint(1, 9))
        for x, sizes in [(column, (3, 4)), (STEPPED, (2, 2, 3)), (SCALAR, ())]:
            yield "one tuple", x, sizes
        yield "sizes of 0", column, 3, 0
        yield "sizes of 0", EMPTY, 4, 2, 0, 3
        for sizes in [(3,), (2, 4), (5, 1), (0, 1), (-1, 3, 1)]:
            yield "errors", column, *sizes
        yield "errors", CUBE, 3, 4

    def drawn(self, random, offset=0):
        """A view that has some sizes of 1, and the sizes that these are to get."""
        sizes = random_shape(random, (2, 4))
        ones = random.sample(range(len(sizes)), random.randint(1, len(sizes) - 1))
        shape = tuple(1 if d in ones else n for d, n in enumerate(sizes))
        return View(shape, contiguous(shape).strides, offset), *sizes

    def expected(self, x, *sizes):
        return x.expand(*sizes)

    @cause("sizes are lined up at the last dimension: new dimensions come first")
    def wrong_alignment(self, x, *sizes):
        sizes = layout.as_ints(sizes)
        new = len(sizes) - x.ndim
        return x[(..., *[None] * new)].expand(sizes)

    @cause("a dimension that is repeated needs stride 0: every step stays in its cell")
    def keeps_stride(self, x, *sizes):
        y = x.expand(*sizes)
        strides = [0] * (y.ndim - x.ndim) + list(x.stride())
        return x.as_strided(y.shape, strides, x.storage_offset())

    @cause("only a dimension of size 1 gets stride 0: the others keep their own")
    def all_zero(self, x, *sizes):
        y = x.expand(*sizes)
        return x.as_strided(y.shape, [0] * y.ndim, x.storage_offset())

    @cause("-1 stands for the size that the dimension has")
    def minus_one(self, x, *sizes):
        refused = -1 in layout.as_ints(sizes)
        return Raises("RuntimeError", "") if refused else x.expand(*sizes)

    @cause("there may be more sizes than dimensions: the new ones come first, stride 0")
    def new_dims(self, x, *sizes):
        more = len(layout.as_ints(sizes)) > x.ndim
        return Raises("RuntimeError", "") if more else x.expand(*sizes)

    @cause("the offset is lost: x may begin anywhere in its storage, at self.offset")
    def offset_lost(self, x, *sizes):
        return lost_offset(x.expand(*sizes))

    @cause("the sizes may come as one tuple: layout.as_ints(sizes) takes both")
    def one_tuple(self, x, *sizes):
        alone = isinstance(sizes[0], tuple)
        return Raises("TypeError", "") if alone else x.expand(*sizes)
