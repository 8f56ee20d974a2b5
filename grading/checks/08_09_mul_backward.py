"""The gradient of a product."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, mistake, mistakes, right
from minigrad.ops.vjp import mul_backward

from .gradients import NO_DY, ONLY_DY, FormulaCheck, drawn, gradient, looped


@checks(mul_backward)
class MulBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "x * other", drawn(random, *shape), drawn(random, *shape)
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 3)
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 2, 1)
        yield "zeros", drawn(random, 3), np.array([0.0, 2.0, 0.0])

    def expected(self, dy, other):
        return gradient(torch.mul, dy, np.ones_like(dy), other)


mistakes(
    mul_backward,
    no_dy=Mistake(NO_DY, lambda dy, other: other + 0 * dy),
    only_dy=Mistake(ONLY_DY, lambda dy, other: dy),
    divided=Mistake(
        "divided by the other factor: y grows by `other` where x grows by 1",
        lambda dy, other: dy / other,
    ),
    added=Mistake(
        "dy plus the other factor: slopes along one way are multiplied",
        lambda dy, other: dy + other,
    ),
    shape=Known(lambda dy, other: (dy * other).sum()),
    wrong_type=Known(lambda dy, other: (dy * other).tolist()),
)


@mistake(mul_backward)
def changed(dy, other):
    dy *= other
    return dy


right(mul_backward, "the other way round", lambda dy, other: other * dy)
right(mul_backward, "by numpy's name", lambda dy, other: np.multiply(dy, other))
right(
    mul_backward,
    "by einsum",
    lambda dy, other: np.einsum("...,...->...", dy, other),
)
right(
    mul_backward, "by a loop", lambda dy, other: looped(lambda d, o: o * d, dy, other)
)
