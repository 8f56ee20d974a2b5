"""Chapter 08, gradients of products, powers, exp and log: torch.autograd.grad."""

import numpy as np
import torch

from grading.checking import checks
from minigrad.ops import gradients

from .gradients import (
    NO_DY,
    ONLY_DY,
    FormulaCheck,
    drawn,
    formula,
    given,
    gradient,
    ones,
)

INF = float("inf")


@checks(gradients.mul_backward)
class MulBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "x * other", drawn(random, *shape), drawn(random, *shape)
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 3)
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 2, 1)
        yield "zeros", drawn(random, 3), np.array([0.0, 2.0, 0.0])

    def expected(self, dy, other):
        return gradient(torch.mul, dy, np.ones_like(dy), other)

    no_dy = formula(NO_DY, lambda dy, other: ones(dy, other))
    only_dy = formula(ONLY_DY, lambda dy, other: dy)
    divided = formula(
        "divided by the other factor: y grows by `other` where x grows by 1",
        lambda dy, other: dy / other,
    )
    added = formula(
        "dy plus the other factor: slopes along one way are multiplied",
        lambda dy, other: dy + other,
    )


@checks(gradients.div_backward)
class DivBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "the divisor", *(drawn(random, *shape) for _ in range(3))
        yield "shapes that are broadcast", drawn(random, 2, 3), drawn(random, 3), drawn(
            random, 2, 1)  # fmt: skip
        yield "a of zero", drawn(random, 2), np.zeros(2), drawn(random, 2)

    def expected(self, dy, a, b):
        return gradient(torch.div, dy, a, b, of=1)

    other_operand = formula(
        "this is the gradient of a, the first operand: dy / b. That of b, the second, "
        "is asked for",
        lambda dy, a, b: dy / b,
    )
    sign = formula("the sign: y falls where b grows", lambda dy, a, b: dy * a / b**2)
    not_squared = formula(
        "b counts twice: the slope of 1 / b is -1 / b ** 2",
        lambda dy, a, b: -dy * a / b,
    )
    a_left_out = formula(
        "a is left out: y = a * (1 / b), and the slope has the factor a",
        lambda dy, a, b: -dy / b**2,
    )
    no_dy = formula(NO_DY, lambda dy, a, b: -ones(dy, a) / b**2)
    like_mul = formula(
        "this is the gradient of a product", lambda dy, a, b: dy * a + 0 * b
    )


@checks(gradients.pow_backward)
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
        yield "shapes that are broadcast", drawn(random, 2, 3), abs(
            drawn(random, 3)), drawn(random, 2, 1)  # fmt: skip

    def expected(self, dy, a, b):
        return gradient(torch.pow, dy, a, b)

    not_less = formula(
        "the exponent becomes one less: the slope of a ** b is b * a ** (b - 1)",
        lambda dy, a, b: dy * b * a**b,
    )
    no_factor = formula(
        "the factor b is missing: the slope of a ** b is b * a ** (b - 1)",
        lambda dy, a, b: dy * a ** (b - 1),
    )
    other_operand = formula(
        "this is the gradient of the exponent: that of the base is asked for",
        lambda dy, a, b: dy * a**b * np.log(a),
    )
    zero_exponent = formula(
        "where b is 0 the gradient is 0, also for a = 0: 0 * inf is NaN. np.where "
        "chooses",
        lambda dy, a, b: dy * b * a ** (b - 1),
    )
    no_dy = formula(NO_DY, lambda dy, a, b: ones(dy, b * a ** (b - 1)))


@checks(gradients.pow_exponent_backward)
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
        a, b = abs(drawn(random, 3)), drawn(random, 2, 1)
        yield "shapes that are broadcast", drawn(random, 2, 3), a, a**b

    def expected(self, dy, a, y):
        with np.errstate(all="ignore"):
            b = np.log(y) / np.log(a)
        b = np.where(np.equal(a, 0), np.where(y == 0, 2, np.where(y == 1, 0, -1)), b)
        return gradient(torch.pow, dy, a, b, of=1)

    other_operand = formula(
        "the slope of a ** b by b is a ** b * log(a): y times log(a)",
        lambda dy, a, y: dy * (np.log(y) / np.log(a)) * y / a,
    )
    no_log = formula("log(a) is missing", lambda dy, a, y: dy * y)
    no_y = formula("y is missing: y * log(a)", lambda dy, a, y: dy * np.log(a))
    log_of_y = formula(
        "the logarithm is that of a, the base, not of y",
        lambda dy, a, y: dy * y * np.log(y),
    )
    zero_base = formula(
        "where a is 0 and y is 0 or 1 the gradient is 0: 0 * -inf would be NaN",
        lambda dy, a, y: dy * (y * np.log(a)),
    )
    always_zero = formula(
        "where y is infinite, a was 0 and b negative: there the slope is infinite, too",
        lambda dy, a, y: np.where(np.equal(a, 0), 0, dy * y * np.log(a)),
    )


@checks(gradients.exp_backward)
class ExpBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "dy * y", drawn(random, *shape), np.exp(drawn(random, *shape))
        yield "very large and small", *given([1, 2, 3], [1e-300, 1e300, 1])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, y):
        return gradient(torch.exp, dy, np.log(y))

    no_dy = formula(NO_DY, lambda dy, y: y)
    only_dy = formula(ONLY_DY, lambda dy, y: dy)
    again = formula(
        "y is exp(x) already: exp(y) is exp(exp(x))", lambda dy, y: dy * np.exp(y)
    )
    like_power = formula(
        "y is divided by something: exp is its own slope", lambda dy, y: dy / y
    )


@checks(gradients.log_backward)
class LogBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "dy / a", drawn(random, *shape), abs(drawn(random, *shape))
        yield "zero and below", *given([1, -2, 3], [0, 0, -2])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, a):
        return gradient(torch.log, dy, a)

    no_dy = formula(NO_DY, lambda dy, a: 1 / a)
    like_exp = formula(
        "multiplied by log(a): the slope of log(a) is 1 / a",
        lambda dy, a: dy * np.log(a),
    )
    times = formula(
        "multiplied by a: the slope of log(a) is 1 / a", lambda dy, a: dy * a
    )
    of_y = formula(
        "divided by log(a): the slope of log(a) is 1 / a", lambda dy, a: dy / np.log(a)
    )
    guarded = formula(
        "where a is 0 the slope is infinite, as in PyTorch: nothing is added to a",
        lambda dy, a: np.where(a <= 0, 0, dy / a),
    )
