"""The shape of tensors that are broadcast together."""

import itertools

import torch

from grading.exercise import checks, mistakes, right
from minigrad.layout import broadcast_shapes

from .layouts import HUGE, LARGE, LayoutCheck, many, random_shape


@checks(broadcast_shapes)
class BroadcastShapes(LayoutCheck):
    """Leaves out sizes below 0 and shapes as lists: the contract has neither."""

    least = ((1,),)

    def cases(self, random):
        for shapes in [((3, 1), (4,)), ((2, 3), (3,)), ((5,), (2, 4, 1)), ((6,), (6,))]:
            yield "two shapes", *shapes
        for _ in range(6):
            yield "two shapes", *self.drawn(random, 2)
        yield "any number of shapes", (2, 1), (1, 3), (4, 1, 1)
        yield "any number of shapes", *self.drawn(random, 4)
        yield "any number of shapes", (2, 3)
        yield ("any number of shapes",)
        yield "no dimensions", (), (2, 3)
        yield "no dimensions", (3, 1), ()
        yield "no dimensions", (), ()
        for shapes in [((1,), (0,)), ((2, 0), (1,)), ((0, 1), (1, 4)), ((0,), (0,))]:
            yield "sizes of 0", *shapes
        yield "errors", (3,), (4,)
        yield "errors", (2, 3), (2,)
        yield "errors", (3,), (0,)
        yield "errors", (2, 1), (1, 3), (4, 3)
        shape = many(random)
        yield "any sizes", shape[3:], LARGE[1:] + shape, (1,)
        yield "any sizes", *[(n, 1) for n in (1, *LARGE[:1] * 70)], LARGE[1:]
        yield "any sizes", HUGE[:1] + (1, 1), HUGE[1:]

    def drawn(self, random, count):
        """Shapes that fit: one shape, of which each lacks or has as 1 some sizes."""
        sizes = random_shape(random, (2, 4))
        for _ in range(count):
            keep = sizes[random.randrange(len(sizes)) :]
            yield tuple(random.choice([1, n]) for n in keep)

    def expected(self, *shapes):
        return tuple(torch.broadcast_shapes(*shapes))


mistakes(broadcast_shapes)("""
wrong_alignment: the shapes are lined up at the first dimension: they belong at the last
> shape[-back] -> shape[back - 1]
& result[-back] -> result[back - 1]
cut_off: dimensions that only the longer shape has are left out: zip stops early
> max((len( -> min((len(
& range(1, len(shape) + 1) -> range(1, ndim + 1)
greatest: the greater size is not always right: 3 and 4 do not fit, 1 and 0 give 0
> if size == 1 -> if size <= result[-back]
& result[-back] not in (1, size) -> False
zero_refused: size 0 is a size like any other: 1 and 0 fit, and give 0
> result[-back] not in (1, size) -> size < 1 or result[-back] not in (1, size)
wrong_error:
> RuntimeError -> ValueError
equivalent: [1] * -1 is [], as [1] * 0 is
> off by one: ndim = max((len(shape) for shape in shapes), default=0) -> ndim =
    max((len(shape) for shape in shapes), default=(-1))
equivalent: which of the sizes comes first does not matter: all that are not 1 must be
    equal
> order: for
""")


@right(broadcast_shapes, "by zip_longest and sets")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        kinds = set(sizes) - {1} or {1}
        if len(kinds) > 1:
            raise RuntimeError(f"{kinds} do not fit")
        result = [*kinds, *result]
    return tuple(result)


@right(broadcast_shapes, "two shapes at a time, filled up with 1")
def _(*shapes):
    result = ()
    for shape in shapes:
        ndim = max(len(result), len(shape))
        a, b = ((1,) * (ndim - len(s)) + tuple(s) for s in (result, shape))
        if any(m != n and 1 not in (m, n) for m, n in zip(a, b)):
            raise RuntimeError(f"{a} and {b} do not fit")
        result = tuple(n if m == 1 else m for m, n in zip(a, b))
    return result
