"""The gradient of where."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import where_backward

from .gradients import TIMES_ZERO, FormulaCheck, drawn, given, gradient, looped

NAN, INF = float("nan"), float("inf")


@checks(where_backward)
class WhereBackward(FormulaCheck):
    def cases(self, random):
        c = np.array([True, False, True, False])
        for chosen in (True, False):
            yield "what was taken", drawn(random, 4), c, chosen
            yield "what was taken", drawn(random, 3, 4), drawn(random, 3, 4) > 0, chosen
        for chosen in (True, False):
            yield "an infinite dy", *given([INF, -INF, NAN, 1]), c, chosen
        yield "shapes that are broadcast", drawn(random, 3, 4), c, False

    def expected(self, dy, condition, chosen):
        c = torch.from_numpy(np.array(np.broadcast_to(condition, dy.shape)))
        zeros = np.zeros_like(dy)
        return gradient(
            lambda a, b: torch.where(c, a, b), dy, zeros, zeros, of=1 - chosen
        )


mistakes(
    where_backward,
    swapped=Mistake(
        "the two are exchanged: with chosen=True it is `one`, taken where the "
        "condition holds",
        "if chosen -> if not chosen",
    ),
    always_one=Mistake(
        "`chosen` is left out: with False it is the gradient of `other`",
        lambda dy, condition, chosen: np.where(condition, dy, 0),
    ),
    only_dy=Mistake(
        "an element that was not taken had no say: its gradient is 0",
        lambda dy, condition, chosen: dy,
    ),
    no_dy=Mistake(
        "1 where the element was taken: it is dy there",
        lambda dy, condition, chosen: 1.0 * (condition == chosen) + np.zeros_like(dy),
    ),
    product=Mistake(
        TIMES_ZERO,
        lambda dy, condition, chosen: dy * (condition == chosen),
    ),
)

right(
    where_backward,
    "by comparison",
    lambda dy, condition, chosen: np.where(condition == chosen, dy, 0),
)
right(
    where_backward,
    "with not",
    lambda dy, condition, chosen: np.where(
        condition if chosen else ~condition, dy, 0.0
    ),
)


@right(where_backward, "by a mask")
def _(dy, condition, chosen):
    dx, taken = np.zeros_like(dy), np.broadcast_to(condition, dy.shape) == chosen
    dx[taken] = dy[taken]
    return dx


right(
    where_backward,
    "by a loop",
    lambda dy, condition, chosen: looped(
        lambda d, c: d if c == chosen else 0, dy, condition
    ),
)
