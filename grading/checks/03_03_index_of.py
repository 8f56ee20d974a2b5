"""The index of the element at a position."""

import math

from grading.exercise import mistakes, right
from minigrad.layout import index_of

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
