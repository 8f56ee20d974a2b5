"""The gradient of relu."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import relu_backward

from .gradients import TIMES_ZERO, FormulaCheck, drawn, given, gradient, looped

NAN, INF = float("nan"), float("inf")


@checks(relu_backward)
class ReluBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(4,), (2, 3)]:
            y = np.maximum(drawn(random, *shape), 0)
            y.flat[0], y.flat[1] = 0, 1.5
            yield "above 0", drawn(random, *shape), y
        yield "NaN and infinity", *given([1, 2, 3], [NAN, 0, 2])
        yield "NaN and infinity", *given([INF, -INF, INF], [0, 0, 1])

    def expected(self, dy, y):
        return gradient(torch.relu, dy, y)


mistakes(
    relu_backward,
    no_dy=Mistake(
        "1 where y is above 0: it is dy there", lambda dy, y: np.where(y > 0, 1.0, 0.0)
    ),
    of_dy=Mistake(
        "relu of dy: what decides is y, and a negative dy goes through as well",
        lambda dy, y: np.where(dy > 0, dy, 0),
    ),
    times_y=Mistake("multiplied by y: the slope is 1 or 0", lambda dy, y: dy * y),
    at_zero=Mistake(
        "where y is 0, x was 0 or below: the gradient is 0 there",
        lambda dy, y: np.where(y >= 0, dy, 0),
        "y <= 0 -> y < 0",
    ),
    nan_lost=Mistake(
        "where y is NaN the gradient is dy, and every comparison with NaN is false: "
        "ask y <= 0",
        lambda dy, y: np.where(y > 0, dy, 0),
    ),
    product=Mistake(TIMES_ZERO, lambda dy, y: dy * ~(y <= 0)),
)

right(relu_backward, "with not", lambda dy, y: np.where(~(y <= 0), dy, 0))
right(
    relu_backward,
    "NaN by itself",
    lambda dy, y: np.where((y > 0) | np.isnan(y), dy, 0.0),
)


@right(relu_backward, "by a mask")
def _(dy, y):
    dx = dy.copy()
    dx[y <= 0] = 0
    return dx


right(
    relu_backward,
    "by a loop",
    lambda dy, y: looped(lambda d, z: 0 if z <= 0 else d, dy, y),
)
