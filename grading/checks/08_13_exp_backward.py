"""The gradient of exp."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import exp_backward

from .gradients import NO_DY, ONLY_DY, FormulaCheck, drawn, given, gradient, looped


@checks(exp_backward)
class ExpBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "dy * y", drawn(random, *shape), np.exp(drawn(random, *shape))
        yield "very large and small", *given([1, 2, 3], [1e-300, 1e300, 1])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, y):
        return gradient(torch.exp, dy, np.log(y))


mistakes(
    exp_backward,
    no_dy=Mistake(NO_DY, lambda dy, y: y * 1),
    only_dy=Mistake(ONLY_DY, lambda dy, y: dy),
    again=Mistake(
        "y is exp(x) already: exp(y) is exp(exp(x))", lambda dy, y: dy * np.exp(y)
    ),
    like_power=Mistake(
        "y is divided by something: exp is its own slope", lambda dy, y: dy / y
    ),
)

right(exp_backward, "the other way round", lambda dy, y: y * dy)
right(exp_backward, "by numpy's name", lambda dy, y: np.multiply(dy, y))
right(exp_backward, "by exp once more", lambda dy, y: dy * np.exp(np.log(y)))
right(exp_backward, "by a loop", lambda dy, y: looped(lambda d, z: d * z, dy, y))
