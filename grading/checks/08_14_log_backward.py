"""The gradient of log."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import log_backward

from .gradients import NO_DY, FormulaCheck, drawn, given, gradient, looped


@checks(log_backward)
class LogBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "dy / a", drawn(random, *shape), abs(drawn(random, *shape))
        yield "zero and below", *given([1, -2, 3], [0, 0, -2])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, a):
        return gradient(torch.log, dy, a)


mistakes(
    log_backward,
    no_dy=Mistake(NO_DY, lambda dy, a: 1 / a),
    like_exp=Mistake(
        "multiplied by log(a): the slope of log(a) is 1 / a",
        lambda dy, a: dy * np.log(a),
    ),
    times=Mistake(
        "multiplied by a: the slope of log(a) is 1 / a", lambda dy, a: dy * a
    ),
    of_y=Mistake(
        "divided by log(a): the slope of log(a) is 1 / a", lambda dy, a: dy / np.log(a)
    ),
    guarded=Mistake(
        "where a is 0 the slope is infinite, as in PyTorch: nothing is added to a",
        lambda dy, a: np.where(a > 0, dy / a, 0),
    ),
)

right(log_backward, "by numpy's name", lambda dy, a: np.divide(dy, a))
right(log_backward, "by the slope", lambda dy, a: dy * (1 / a))
right(log_backward, "as a power", lambda dy, a: dy * a**-1.0)
right(log_backward, "by a loop", lambda dy, a: looped(lambda d, x: d / x, dy, a))
