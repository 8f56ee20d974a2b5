"""index_of: the index of the element at a position."""

import math

import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.layout import index_of

from .layouts import HUGE, LARGE, many, numbers_only, random_shape


def cases(random):
    for position in [4, 5, 0]:
        yield "any shape", call(position, (2, 3))
    yield "any shape", call(5, (7,))
    for _ in range(4):
        shape = random_shape(random, (2, 5))
        yield "any shape", call(random.randrange(1, math.prod(shape)), shape)
    for shape in [(3, 1), (2, 1, 4), (1,)]:
        yield "sizes of 1", call(random.randrange(math.prod(shape)), shape)
    sizes = 1, 2, 3, 7
    for *shape, last in drawn(
        random, a=sizes, b=sizes, c=sizes, d=sizes, last=range(4)
    ):
        most = math.prod(shape) - 1
        position = (0, most, most // 2, max(most - 1, 0))[last]
        yield "sizes of 1" if 1 in shape else "any shape", call(position, tuple(shape))
    yield "no dimensions", call(0, ())
    for shape in many(random), LARGE, HUGE, HUGE[::-1]:
        most = math.prod(shape) - 1
        for position in random.randint(most // 2, most), most:
            yield "any sizes", numbers_only(position, shape, least=(0, (1,)))


def reference(position, shape):
    return tuple(int(i) for i in torch.unravel_index(torch.tensor(position), shape))


check = Check(
    index_of,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0 and positions past the end: the contract has neither",
)
