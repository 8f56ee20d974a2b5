"""fans: how many numbers go into an output, and one into how many."""

import torch

from grading.checking.pairwise import pairwise
from grading.exercise import Check, call
from minigrad.nn.init import fans

SIZES, LARGE = (1, 2, 17), [(2**24 + 1, 2**31 + 1), (2**53 + 1, 3)]
PLACES = None, 1, 7, 94_906_267  # the square of the last one is no float64


def cases(random):
    for shape in (3, 5), (7, 2):
        yield "a matrix", call(shape)
    for _ in range(3):
        yield "a convolution", call(tuple(random.sample(range(2, 9), 4)))
    for shape in (4, 3, 2), (2, 5, 3, 4, 7):
        yield "any dimensions behind", call(shape)
    for shape in (3,), (), (0,):
        yield "too few", call(shape)
    for shape in LARGE:
        yield "sizes of 1, and large ones", call(shape)
    for row in pairwise(random, out=SIZES, into=SIZES, down=PLACES, across=PLACES):
        few = tuple(n for n in row.values() if n is not None)
        yield "sizes of 1, and large ones", call(few)


def reference(shape):
    # a weight without memory
    weight = torch.empty(shape, dtype=torch.int8, device="meta")
    return torch.nn.init._calculate_fan_in_and_fan_out(weight)


check = Check(
    fans,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, as in the contract",
)
