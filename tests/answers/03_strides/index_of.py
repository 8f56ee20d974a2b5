"""Answers of index_of by other algorithms."""

import math

from minigrad.layout import index_of
from tools.audit.specimens import answer


@answer(index_of, right="from the front, by how many elements are left")
def _(position, shape):
    index, count = (), math.prod(shape)
    for size in shape:
        count //= size
        index += (position // count,)
        position -= index[-1] * count
    return index
