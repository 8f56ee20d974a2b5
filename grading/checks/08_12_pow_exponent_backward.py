"""The gradient of a power's exponent."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, equivalent, mistakes, right
from minigrad.ops.vjp import pow_exponent_backward

from .gradients import FormulaCheck, drawn, given, gradient, looped

INF = float("inf")


@checks(pow_exponent_backward)
class PowExponentBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            a, b = abs(drawn(random, *shape)), drawn(random, *shape)
            yield "the exponent", drawn(random, *shape), a, a**b
        b = drawn(random, 3)
        yield "the exponent", drawn(random, 3), 2.5, 2.5**b
        yield "a base of 0", drawn(random, 2), *given([0, 0], [0, 1])
        yield "a base of 0", drawn(random, 3), *given([2, 0, 0], [4, 0, 1])
        yield "a base of 0", abs(drawn(random, 2)), *given([0, 2], [INF, 8])
        yield "a base below 0", drawn(random, 2), *given([-2, -3], [-8, 9])
        a, b = abs(drawn(random, 3)), drawn(random, 2, 1)
        yield "shapes that are broadcast", drawn(random, 2, 3), a, a**b

    def expected(self, dy, a, y):
        with np.errstate(all="ignore"):
            b = np.log(y) / np.log(a)
        b = np.where(np.equal(a, 0), np.where(y == 0, 2, np.where(y == 1, 0, -1)), b)
        b = np.where(np.equal(a, 1), 1, np.where(np.less(a, 0), np.nan, b))
        return gradient(torch.pow, dy, a, b, of=1)


mistakes(
    pow_exponent_backward,
    other_operand=Mistake(
        "the slope of a ** b by b is a ** b * log(a): y times log(a)",
        "y * np.log(a) -> y * (np.log(y) / np.log(a)) / a",
    ),
    no_log=Mistake("log(a) is missing", "y * np.log(a) -> y"),
    no_y=Mistake("y is missing: y * log(a)", "y * np.log(a) -> np.log(a)"),
    log_of_y=Mistake(
        "the logarithm is that of a, the base, not of y", "np.log(a) -> np.log(y)"
    ),
    zero_base=Mistake(
        "where a is 0 and y is 0 or 1 the gradient is 0: 0 * -inf would be NaN",
        lambda dy, a, y: dy * y * np.log(a),
    ),
    absolute=Mistake(
        "the logarithm of a number below 0 is NaN, and so is the gradient, as in "
        "PyTorch: no abs",
        "np.log(a) -> np.log(abs(a))",
    ),
    always_zero=Mistake(
        "where y is infinite, a was 0 and b negative: there the slope is infinite, too",
        "(a == 0) & (y <= 1) -> np.asarray(a) == 0",
    ),
)

equivalent(
    pow_exponent_backward,
    "where a is 0, y is 0, 1 or infinite",
    "off by one: -> return np.where((a == 0) & (y <= (2))",
)
right(
    pow_exponent_backward,
    "the factor chosen",
    lambda dy, a, y: (
        dy * np.where((np.asarray(a) == 0) & np.isfinite(y), 0, y * np.log(a))
    ),
)
right(
    pow_exponent_backward,
    "with isinf",
    lambda dy, a, y: np.where(np.equal(a, 0) & ~np.isinf(y), 0, dy * y * np.log(a)),
)
right(
    pow_exponent_backward,
    "another base",
    "np.log(a) -> np.log2(a) * np.log(2)",
)
right(
    pow_exponent_backward,
    "by a loop",
    lambda dy, a, y: looped(
        lambda d, x, z: 0 if x == 0 and z <= 1 else d * (z * np.log(x)), dy, a, y
    ),
)
