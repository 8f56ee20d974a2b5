"""The gradient of sigmoid."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistake, mistakes, right
from minigrad.ops.vjp import sigmoid_backward

from .gradients import NO_DY, SquashCheck, gradient, looped


@checks(sigmoid_backward)
class SigmoidBackward(SquashCheck):
    forward, ends = staticmethod(torch.sigmoid), [0.0, 1.0, 0.5]

    def expected(self, dy, y):
        return gradient(torch.sigmoid, dy, torch.logit(torch.tensor(y)).numpy())


mistakes(
    sigmoid_backward,
    no_dy=Mistake(NO_DY, lambda dy, y: y * (1 - y)),
    one_factor=Mistake(
        "one factor is missing: the slope is y * (1 - y)", lambda dy, y: dy * (1 - y)
    ),
    like_tanh=Mistake(
        "this is the slope of tanh: sigmoid's is y * (1 - y)",
        lambda dy, y: dy * (1 - y**2),
    ),
    sign=Mistake("the sign: sigmoid rises everywhere", lambda dy, y: dy * y * (y - 1)),
)


@mistake(
    sigmoid_backward, "y is sigmoid(x) already, and here it goes through sigmoid again"
)
def of_x(dy, y):
    s = 1 / (1 + np.exp(-y))
    return dy * s * (1 - s)


right(sigmoid_backward, "as a difference", lambda dy, y: dy * (y - y**2))
right(sigmoid_backward, "slope first", lambda dy, y: (1 - y) * y * dy)
right(sigmoid_backward, "in two terms", lambda dy, y: dy * y - dy * y * y)
right(
    sigmoid_backward,
    "by a loop",
    lambda dy, y: looped(lambda d, z: d * z * (1 - z), dy, y),
)
