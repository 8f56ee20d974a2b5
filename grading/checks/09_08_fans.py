"""How many numbers go into an output of a weight, and how many come out of an input."""

import torch

from grading.checking import Check, checks
from grading.mistakes import Known, Mistake, mistakes, right
from minigrad.nn.init import fans


@checks(fans)
class Fans(Check):
    def cases(self, random):
        yield "a matrix", (3, 5)
        yield "a matrix", (7, 2)
        for _ in range(3):
            yield "a convolution", tuple(random.sample(range(2, 9), 4))
        yield "any dimensions behind", (4, 3, 2)
        yield "any dimensions behind", (2, 5, 3, 4, 7)
        yield "too few", (3,)
        yield "too few", ()

    def expected(self, shape):
        return torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(shape))


BOTH = "shape[1] * places, shape[0] * places"
mistakes(
    fans,
    exchanged=Mistake(
        "exchanged: a weight is (out, in, ...), so fan_in comes of the second size",
        f"{BOTH} -> shape[0] * places, shape[1] * places",
    ),
    no_places=Mistake(
        "the window's places are left out: an output of Conv2d has in_channels * KH "
        "* KW numbers that go into it",
        " * places ->",
    ),
    one_side=Mistake(
        "only the first size of the window counts: all after the first two are "
        "multiplied",
        "math.prod(shape[2:]) -> (*shape, 1)[2]",
    ),
    no_error=Known(
        "if len(shape) < 2: -> shape = *shape, *(1, 1)[len(shape) :]\n    if False:"
    ),
)


@right(fans, "by a loop")
def _(shape):
    if len(shape) < 2:
        raise ValueError("two dimensions at least")
    out, into, *others = shape
    for size in others:
        out, into = out * size, into * size
    return into, out
