"""The gradient of a power's base."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import pow_backward

from .gradients import NO_DY, FormulaCheck, drawn, given, gradient, looped


@checks(pow_backward)
class PowBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            a = abs(drawn(random, *shape))
            yield "the base", drawn(random, *shape), a, drawn(random, *shape)
        yield "the base", drawn(random, 3), drawn(random, 3), 3.0
        yield "the base", drawn(random, 3), drawn(random, 3), 2.0
        yield "an exponent of 0", drawn(random, 3), *given([0, 2, -1], [0, 0, 0])
        yield "an exponent of 0", drawn(random, 2), *given([0, 3]), 0.0
        yield "a base of 0", drawn(random, 3), *given([0, 0, 0], [1, 2, 3])
        dy, a, b = (drawn(random, *shape) for shape in ((2, 3), (3,), (2, 1)))
        yield "shapes that are broadcast", dy, abs(a), b

    def expected(self, dy, a, b):
        return gradient(torch.pow, dy, a, b)


mistakes(
    pow_backward,
    not_less=Mistake(
        "the exponent becomes one less: the slope of a ** b is b * a ** (b - 1)",
        "a ** (b - 1) -> a**b",
    ),
    no_factor=Mistake(
        "the factor b is missing: the slope of a ** b is b * a ** (b - 1)",
        "b * a ** (b - 1) -> a ** (b - 1)",
    ),
    other_operand=Mistake(
        "this is the gradient of the exponent: that of the base is asked for",
        lambda dy, a, b: dy * a**b * np.log(a),
    ),
    zero_exponent=Mistake(
        "where b is 0 the gradient is 0, also for a = 0: 0 * inf is NaN. np.where "
        "chooses",
        lambda dy, a, b: dy * b * a ** (b - 1),
    ),
    no_dy=Mistake(
        NO_DY,
        lambda dy, a, b: np.where(b == 0, 0, b * a ** (b - 1) + 0 * dy),
    ),
)

right(
    pow_backward,
    "the factor chosen",
    lambda dy, a, b: dy * np.where(np.equal(b, 0), 0, b * a ** (b - 1.0)),
)
right(
    pow_backward,
    "the base chosen",
    lambda dy, a, b: dy * b * np.where(np.equal(b, 0), 1, a) ** (np.asarray(b) - 1.0),
)


@right(pow_backward, "by a mask")
def _(dy, a, b):
    found, zero = dy * b * a ** (np.asarray(b) - 1.0), np.equal(b, 0)
    found[np.broadcast_to(zero, found.shape)] = 0
    return found


right(
    pow_backward,
    "by a loop",
    lambda dy, a, b: looped(lambda d, x, n: d * n * x ** (n - 1) if n else 0, dy, a, b),
)
