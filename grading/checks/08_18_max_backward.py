"""The gradient of maximum, for its first operand."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import max_backward

from .gradients import TIMES_ZERO, FormulaCheck, drawn, given, gradient, looped

NAN, INF = float("nan"), float("inf")


@checks(max_backward)
class MaxBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(4,), (2, 3)]:
            yield "the larger one", *(drawn(random, *shape) for _ in range(3))
        for k in (1.0, -2.0):
            yield "ties", drawn(random, 3), *given([k, 1, 5], [k, 5, 5])
        near = 1 + 2.0**-40
        yield "ties", drawn(random, 2), *given([near, 1], [1, near])
        yield "NaN and infinity", *given([1, 2, 3], [NAN, 1, NAN], [1, NAN, NAN])
        yield "NaN and infinity", *given([INF, INF, 1], [1, 2, 3], [2, 1, 3])
        shapes = (2, 3), (3,), (2, 1)
        yield "shapes that are broadcast", *(drawn(random, *shape) for shape in shapes)

    def expected(self, dy, a, b):
        return gradient(torch.maximum, dy, a, b)


mistakes(
    max_backward,
    no_dy=Mistake(
        "1 where a is larger: it is dy there",
        lambda dy, a, b: np.where(a > b, 1.0, 0.0) + 0 * dy,
    ),
    other_operand=Mistake(
        "this is the gradient of b: it should be that of a", "a < b -> b < a"
    ),
    tie_whole=Mistake(
        "where a and b are equal each gets half: both together may get dy, not twice "
        "as much",
        lambda dy, a, b: np.where(a < b, 0, dy),
    ),
    tie_none=Mistake(
        "where a and b are equal each gets half, and here a gets nothing",
        lambda dy, a, b: np.where(a <= b, 0, dy),
    ),
    nearly=Mistake(
        "numbers that are nearly equal are not equal: a == b, not isclose",
        lambda dy, a, b: np.where(
            np.isclose(a, b, equal_nan=True), dy / 2, np.where(a < b, 0, dy)
        ),
    ),
    nan_lost=Mistake(
        "where a or b is NaN the gradient is dy: every comparison with NaN is false",
        lambda dy, a, b: np.where(a > b, dy, np.where(a == b, dy / 2, 0)),
    ),
    product=Mistake(
        TIMES_ZERO,
        lambda dy, a, b: dy * np.where(a < b, 0, np.where(a == b, 0.5, 1)),
    ),
)

right(
    max_backward,
    "with select",
    lambda dy, a, b: np.select([a < b, a == b], [0 * np.ones_like(dy), dy / 2], dy),
)
right(
    max_backward,
    "equal first",
    lambda dy, a, b: np.where(a == b, 0.5 * dy, np.where(a < b, 0, dy)),
)


@right(max_backward, "by masks")
def _(dy, a, b):
    a, b = np.broadcast_to(a, dy.shape), np.broadcast_to(b, dy.shape)
    dx = dy.copy()
    dx[a == b] /= 2
    dx[a < b] = 0
    return dx


right(
    max_backward,
    "by a loop",
    lambda dy, a, b: looped(
        lambda d, x, z: d / 2 if x == z else 0 if x < z else d, dy, a, b
    ),
)
