"""fans: how many numbers go into an output, and one into how many."""

import torch

from grading.checking.check import Check, call
from minigrad.nn.init import fans


def cases(random):
    for shape in (3, 5), (7, 2):
        yield "a matrix", call(shape)
    for _ in range(3):
        yield "a convolution", call(tuple(random.sample(range(2, 9), 4)))
    for shape in (4, 3, 2), (2, 5, 3, 4, 7):
        yield "any dimensions behind", call(shape)
    for shape in (3,), ():
        yield "too few", call(shape)


def reference(shape):
    return torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(shape))


check = Check(
    fans,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, as in the contract",
)
