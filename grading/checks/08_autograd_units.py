"""Chapter 08, gradients of relu, sigmoid, tanh, maximum and where."""

import numpy as np
import torch

from grading.checking import checks
from minigrad.ops import gradients

from .gradients import NO_DY, FormulaCheck, drawn, formula, given, gradient, ones

NAN, INF = float("nan"), float("inf")


@checks(gradients.relu_backward)
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

    no_dy = formula("1 where y is above 0: it is dy there", lambda dy, y: 1.0 * (y > 0))
    of_dy = formula(
        "relu of dy: what decides is y, and a negative dy goes through as well",
        lambda dy, y: np.maximum(dy, 0),
    )
    times_y = formula("multiplied by y: the slope is 1 or 0", lambda dy, y: dy * y)
    at_zero = formula(
        "where y is 0, x was 0 or below: the gradient is 0 there",
        lambda dy, y: np.where(y < 0, 0, dy),
    )
    nan_lost = formula(
        "where y is NaN the gradient is dy, and every comparison with NaN is false: "
        "ask y <= 0",
        lambda dy, y: np.where(y > 0, dy, 0),
    )
    product = formula(
        "dy is multiplied by 0: of an infinite dy that makes NaN. np.where chooses",
        lambda dy, y: dy * ~(y <= 0),
    )


class SquashCheck(FormulaCheck):
    """sigmoid and tanh: y is what they gave."""

    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            x = torch.from_numpy(drawn(random, *shape))
            yield "anywhere", drawn(random, *shape), self.forward(x).numpy()
        yield "at the ends", drawn(random, 3), np.array(self.ends)
        yield "no dimensions", *given(2, 0.25)


@checks(gradients.sigmoid_backward)
class SigmoidBackward(SquashCheck):
    forward, ends = staticmethod(torch.sigmoid), [0.0, 1.0, 0.5]

    def expected(self, dy, y):
        return gradient(torch.sigmoid, dy, torch.logit(torch.tensor(y)).numpy())

    no_dy = formula(NO_DY, lambda dy, y: y * (1 - y))
    one_factor = formula(
        "one factor is missing: the slope is y * (1 - y)", lambda dy, y: dy * (1 - y)
    )
    like_tanh = formula(
        "this is the slope of tanh: sigmoid's is y * (1 - y)",
        lambda dy, y: dy * (1 - y * y),
    )
    of_x = formula(
        "y is sigmoid(x) already, and here it goes through sigmoid again",
        lambda dy, y: dy / (1 + np.exp(-y)) * (1 - 1 / (1 + np.exp(-y))),
    )
    sign = formula("the sign: sigmoid rises everywhere", lambda dy, y: dy * y * (y - 1))


@checks(gradients.tanh_backward)
class TanhBackward(SquashCheck):
    forward, ends = staticmethod(torch.tanh), [-1.0, 1.0, 0.0]

    def expected(self, dy, y):
        return gradient(torch.tanh, dy, torch.atanh(torch.tensor(y)).numpy())

    no_dy = formula(NO_DY, lambda dy, y: 1 - y * y)
    not_squared = formula("y is squared: 1 - y ** 2", lambda dy, y: dy * (1 - y))
    like_sigmoid = formula(
        "this is the slope of sigmoid: that of tanh is 1 - y ** 2",
        lambda dy, y: dy * y * (1 - y),
    )
    of_x = formula(
        "y is tanh(x) already, and here it goes through tanh again",
        lambda dy, y: dy * (1 - np.tanh(y) ** 2),
    )
    sign = formula("the sign: tanh rises everywhere", lambda dy, y: dy * (y * y - 1))


@checks(gradients.max_backward)
class MaxBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(4,), (2, 3)]:
            yield "the larger one", *(drawn(random, *shape) for _ in range(3))
        for k in (1.0, -2.0):
            yield "ties", drawn(random, 3), *given([k, 1, 5], [k, 5, 5])
        yield "NaN and infinity", *given([1, 2, 3], [NAN, 1, NAN], [1, NAN, NAN])
        yield "NaN and infinity", *given([INF, INF, 1], [1, 2, 3], [2, 1, 3])
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 3), drawn(
            random, 2, 1)  # fmt: skip

    def expected(self, dy, a, b):
        return gradient(torch.maximum, dy, a, b)

    no_dy = formula(
        "1 where a is larger: it is dy there", lambda dy, a, b: ones(dy, a > b)
    )
    other_operand = formula(
        "this is the gradient of b: that of a is asked for",
        lambda dy, a, b: np.where(a > b, 0, np.where(a == b, dy / 2, dy)),
    )
    tie_whole = formula(
        "where a and b are equal each gets half: both together may get dy, not twice "
        "as much",
        lambda dy, a, b: np.where(a < b, 0, dy),
    )
    tie_none = formula(
        "where a and b are equal each gets half, and here a gets nothing",
        lambda dy, a, b: np.where((a > b) | np.isnan(a) | np.isnan(b), dy, 0),
    )
    nan_lost = formula(
        "where a or b is NaN the gradient is dy: every comparison with NaN is false",
        lambda dy, a, b: np.where(a > b, dy, np.where(a == b, dy / 2, 0)),
    )
    product = formula(
        "dy is multiplied by 0: of an infinite dy that makes NaN. np.where chooses",
        lambda dy, a, b: dy * (1 - 0.5 * (a == b) - 1.0 * (a < b)),
    )


@checks(gradients.where_backward)
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

    swapped = formula(
        "the two are exchanged: with chosen=True it is `one`, taken where the "
        "condition holds",
        lambda dy, condition, chosen: np.where(condition, 0, dy) if chosen else
        np.where(condition, dy, 0),
    )  # fmt: skip
    always_one = formula(
        "`chosen` is left out: with False the gradient of `other` is asked for",
        lambda dy, condition, chosen: np.where(condition, dy, 0),
    )
    only_dy = formula(
        "an element that was not taken had no say: its gradient is 0",
        lambda dy, condition, chosen: dy,
    )
    no_dy = formula(
        "1 where the element was taken: it is dy there",
        lambda dy, condition, chosen: 1.0 * (condition == chosen),
    )
    product = formula(
        "dy is multiplied by 0: of an infinite dy that makes NaN. np.where chooses",
        lambda dy, condition, chosen: dy * (condition == chosen),
    )
