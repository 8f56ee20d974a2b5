"""The index of the element at a position."""

import math

import torch

from grading.exercise import checks, mistakes, right
from minigrad.layout import index_of

from .layouts import HUGE, LARGE, LayoutCheck, many, random_shape


@checks(index_of)
class IndexOf(LayoutCheck):
    """Leaves out sizes of 0 and positions past the end: the contract has neither."""

    least = 0, (1,)

    def cases(self, random):
        for position in [4, 5, 1, 3, 0]:
            yield "any shape", position, (2, 3)
        yield "any shape", 5, (7,)
        for _ in range(8):
            shape = random_shape(random, (2, 5))
            yield "any shape", random.randrange(1, math.prod(shape)), shape
        for shape in [(3, 1), (1, 3), (2, 1, 4), (1,)]:
            yield "sizes of 1", random.randrange(math.prod(shape)), shape
        yield "no dimensions", 0, ()
        for shape in (many(random), LARGE, HUGE, HUGE[::-1]):
            most = math.prod(shape) - 1
            for position in random.randint(most // 2, most), most:
                yield "any sizes", position, shape

    def expected(self, position, shape):
        return tuple(int(i) for i in torch.unravel_index(torch.tensor(position), shape))


mistakes(index_of)("""
column_major: column-major: the last index moves fastest, and this moves the first
> in reversed(shape) -> in shape
& reversed(index) -> index
reverse: the right numbers in reverse order
> reversed(index) -> index
no_dims: a shape without dimensions has one position, whose index is ()
> tuple(reversed(index)) -> tuple(reversed(index)) or (0,)
no_remainder: no remainder is taken: each index stays below its size, by % size
> = tuple((position // s for s in contiguous_strides(shape)))
no_division: the position is not divided on the way: each index is a remainder of the
    same
> = tuple((position % size for size in shape))
in_float: / loses digits of large positions: divide by //
> divmod(position, size) -> int(position / size), position % size
right: by strides
> = tuple(position // s % n for s, n in zip(contiguous_strides(shape), shape))
""")


@right(index_of, "from the front, by how many elements are left")
def _(position, shape):
    index, count = (), math.prod(shape)
    for size in shape:
        count //= size
        index += (position // count,)
        position -= index[-1] * count
    return index
