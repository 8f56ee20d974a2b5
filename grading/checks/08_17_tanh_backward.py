"""The gradient of tanh."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import tanh_backward

from .gradients import NO_DY, SquashCheck, gradient, looped


@checks(tanh_backward)
class TanhBackward(SquashCheck):
    forward, ends = staticmethod(torch.tanh), [-1.0, 1.0, 0.0]

    def expected(self, dy, y):
        return gradient(torch.tanh, dy, torch.atanh(torch.tensor(y)).numpy())


mistakes(
    tanh_backward,
    no_dy=Mistake(NO_DY, lambda dy, y: 1 - y * y),
    not_squared=Mistake("y is squared: 1 - y ** 2", lambda dy, y: dy * (1 - y)),
    like_sigmoid=Mistake(
        "this is the slope of sigmoid: that of tanh is 1 - y ** 2",
        lambda dy, y: dy * y * (1 - y),
    ),
    of_x=Mistake(
        "y is tanh(x) already, and here it goes through tanh again",
        lambda dy, y: dy * (1 - np.tanh(y) ** 2),
    ),
    sign=Mistake("the sign: tanh rises everywhere", lambda dy, y: dy * (y**2 - 1)),
)

right(tanh_backward, "squared", lambda dy, y: dy * (1 - y**2))
right(tanh_backward, "as a product", lambda dy, y: dy * (1 - y) * (1 + y))
right(tanh_backward, "in two terms", lambda dy, y: dy - dy * np.square(y))
right(
    tanh_backward,
    "by a loop",
    lambda dy, y: looped(lambda d, z: d * (1 - z * z), dy, y),
)
