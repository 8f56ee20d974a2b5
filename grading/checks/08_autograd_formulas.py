"""Gradients of elementwise operators, beside those of torch.autograd.grad."""

import inspect

import numpy as np
import torch

from grading.checking import Check, checks
from grading.mistakes import mistakes, right
from minigrad.ops import vjp

from .gradients import drawn
from .scene_check import nearly

NAN, INF = float("nan"), float("inf")
NO_DY = "the slope alone: it is multiplied by dy, what comes back from above"
ONLY_DY = "dy alone: it is multiplied by the slope of the operator"
TIMES_ZERO = "dy is multiplied by 0: of an infinite dy that makes NaN. np.where chooses"
BROADCAST = "shapes that are broadcast"


def given(*values):
    return tuple(np.array(v, np.float64) for v in values)


def gradient(function, dy, *inputs, of=0):
    """The gradient of function(*inputs) by one of them, in the shape of dy."""
    tensors = [
        torch.from_numpy(np.array(np.broadcast_to(x, np.shape(dy)), np.float64))
        for x in inputs
    ]
    tensors[of].requires_grad_()
    y = function(*tensors)
    return torch.autograd.grad(y, tensors[of], torch.tensor(dy))[0].numpy()


class FormulaCheck(Check):
    """A function of arrays."""

    scene = "formula"

    def same(self, got, expected, *args):
        return nearly(got, np.asarray(expected))

    def general(self, case):
        if (
            isinstance(case.got, np.ndarray | float)
            and np.shape(case.got) != case.expected.shape
        ):
            return "shape", "the gradient has the shape of dy: one number for each"
        if isinstance(case.got, float):  # an array without dimensions
            return None
        return super().general(case)

    def drawn(self, random, part, count, size=3):
        """Cases of `count` arrays of one shape."""
        for shape in (size,), (2, 3):
            yield part, *(drawn(random, *shape) for _ in range(count))

    def broadcast(self, random, count):
        shapes = ((2, 3), (3,), (2, 1))[:count]
        yield BROADCAST, *(drawn(random, *shape) for shape in shapes)


def looped(hole, function):
    """A right answer: the function of numbers, element by element."""

    def found(*arrays):
        arrays = np.broadcast_arrays(*arrays)
        values = [*map(function, *(a.flat for a in arrays))]
        return np.array(values, np.float64).reshape(arrays[0].shape)

    found.__signature__ = inspect.signature(hole.__wrapped__)
    right(hole, "by a loop", found)


@checks(vjp.mul_backward)
class MulBackward(FormulaCheck):
    def cases(self, random):
        yield from self.drawn(random, "x * other", 2)
        yield from self.broadcast(random, 2)
        yield BROADCAST, drawn(random, 2, 3), drawn(random, 2, 1)
        yield "zeros", drawn(random, 3), np.array([0.0, 2.0, 0.0])

    def expected(self, dy, other):
        return gradient(torch.mul, dy, np.ones_like(dy), other)


mistakes(
    vjp.mul_backward,
    f"""
    no_dy: {NO_DY}
    > = other + 0 * dy
    only_dy: {ONLY_DY}
    > = dy
    divided: divided by the other factor: y grows by `other` where x grows by 1
    > = dy / other
    shape:
    > = (dy * other).sum()
    """,
)
right(vjp.mul_backward, "by einsum", lambda dy, other: np.einsum("...,...", dy, other))
looped(vjp.mul_backward, lambda d, o: o * d)


@checks(vjp.div_backward)
class DivBackward(FormulaCheck):
    def cases(self, random):
        yield from self.drawn(random, "the divisor", 3)
        yield from self.broadcast(random, 3)
        yield "a divisor of 0", drawn(random, 2), drawn(random, 2), np.zeros(2)
        yield "a of zero", drawn(random, 2), np.zeros(2), drawn(random, 2)

    def expected(self, dy, a, b):
        return gradient(torch.div, dy, a, b, of=1)


mistakes(
    vjp.div_backward,
    f"""
    other_operand: this is the gradient of a, the first operand: dy / b. That of b, the
        second, is asked for
    > = dy / b + 0 * a
    sign: the sign: y falls where b grows
    > = dy * a / (b * b)
    not_squared: b counts twice: the slope of 1 / b is -1 / b ** 2
    > = -dy * a / b
    a_left_out: a is left out: y = a * (1 / b), and the slope has the factor a
    > = -dy / b ** 2
    guarded: where b is 0 the gradient is infinite, as in PyTorch: it is not left out
    > = np.where(b == 0, 0, -dy * a / (b * b))
    no_dy: {NO_DY}
    > = -a / b ** 2 + 0 * dy
    like_mul: this is the gradient of a product
    > = dy * a + 0 * b
    """,
)
right(vjp.div_backward, "by the result", lambda dy, a, b: -(a / b) * dy / b)
right(vjp.div_backward, "as a power", lambda dy, a, b: dy * a * -(b ** (-2.0)))


@checks(vjp.pow_backward)
class PowBackward(FormulaCheck):
    def cases(self, random):
        several = [*self.drawn(random, "the base", 3), *self.broadcast(random, 3)]
        for part, dy, a, b in several:
            yield part, dy, abs(a), b
        for b in 3.0, 2.0:
            yield "the base", drawn(random, 3), drawn(random, 3), b
        yield "an exponent of 0", drawn(random, 3), *given([0, 2, -1], [0, 0, 0])
        yield "an exponent of 0", drawn(random, 2), *given([0, 3]), 0.0
        yield "a base of 0", drawn(random, 3), *given([0, 0, 0], [1, 2, 3])

    def expected(self, dy, a, b):
        return gradient(torch.pow, dy, a, b)


mistakes(
    vjp.pow_backward,
    f"""
    not_less: the exponent becomes one less: the slope of a ** b is b * a ** (b - 1)
    > a ** (b - 1) -> a**b
    no_factor: the factor b is missing: the slope of a ** b is b * a ** (b - 1)
    > b * a ** (b - 1) -> a ** (b - 1)
    other_operand: this is the gradient of the exponent: that of the base is asked for
    > = dy * a ** b * np.log(a)
    zero_exponent: where b is 0 the gradient is 0, also for a = 0: 0 * inf is NaN.
        np.where chooses
    > = dy * b * a ** (b - 1)
    no_dy: {NO_DY}
    > = np.where(b == 0, 0, b * a ** (b - 1) + 0 * dy)
    right: the base chosen
    > = dy * b * np.where(np.equal(b, 0), 1, a) ** (np.asarray(b) - 1.0)
    """,
)
looped(vjp.pow_backward, lambda d, x, n: d * n * x ** (n - 1) if n else 0)


@checks(vjp.pow_exponent_backward)
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
        yield BROADCAST, drawn(random, 2, 3), a, a**b

    def expected(self, dy, a, y):
        with np.errstate(all="ignore"):
            b = np.log(y) / np.log(a)
        b = np.where(np.equal(a, 0), np.where(y == 0, 2, np.where(y == 1, 0, -1)), b)
        b = np.where(np.equal(a, 1), 1, np.where(np.less(a, 0), np.nan, b))
        return gradient(torch.pow, dy, a, b, of=1)


mistakes(
    vjp.pow_exponent_backward,
    """
    no_log: log(a) is missing
    > y * np.log(a) -> y
    no_y: y is missing: y * log(a)
    > y * np.log(a) -> np.log(a)
    log_of_y: the logarithm is that of a, the base, not of y
    > np.log(a) -> np.log(y)
    absolute: the logarithm of a number below 0 is NaN, and so is the gradient, as in
        PyTorch: no abs
    > np.log(a) -> np.log(abs(a))
    always_zero: where y is infinite, a was 0 and b negative: there the slope is
        infinite, too
    > (a == 0) & (y <= 1) -> np.asarray(a) == 0
    zero_base: where a is 0 and y is 0 or 1 the gradient is 0: 0 * -inf would be NaN
    > = dy * y * np.log(a)
    equivalent: where a is 0, y is 0, 1 or infinite
    > off by one: -> return np.where((a == 0) & (y <= (2))
    right: with isinf
    > = np.where(np.equal(a, 0) & ~np.isinf(y), 0, dy * y * np.log(a))
    """,
)
looped(
    vjp.pow_exponent_backward,
    lambda d, x, z: 0 if x == 0 and z <= 1 else d * (z * np.log(x)),
)


@checks(vjp.exp_backward)
class ExpBackward(FormulaCheck):
    def cases(self, random):
        for part, dy, x in self.drawn(random, "dy * y", 2):
            yield part, dy, np.exp(x)
        yield "very large and small", *given([1, 2, 3], [1e-300, 1e300, 1])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, y):
        return gradient(torch.exp, dy, np.log(y))


mistakes(
    vjp.exp_backward,
    f"""
    no_dy: {NO_DY}
    > = y * 1
    only_dy: {ONLY_DY}
    > = dy
    again: y is exp(x) already: exp(y) is exp(exp(x))
    > = dy * np.exp(y)
    like_power: y is divided by something: exp is its own slope
    > = dy / y
    """,
)
right(vjp.exp_backward, "by exp once more", lambda dy, y: dy * np.exp(np.log(y)))
looped(vjp.exp_backward, lambda d, z: d * z)


@checks(vjp.log_backward)
class LogBackward(FormulaCheck):
    def cases(self, random):
        for part, dy, a in self.drawn(random, "dy / a", 2):
            yield part, dy, abs(a)
        yield "zero and below", *given([1, -2, 3], [0, 0, -2])
        yield "no dimensions", *given(2, 3)

    def expected(self, dy, a):
        return gradient(torch.log, dy, a)


mistakes(
    vjp.log_backward,
    f"""
    no_dy: {NO_DY}
    > = 1 / a
    like_exp: multiplied by log(a): the slope of log(a) is 1 / a
    > = dy * np.log(a)
    times: multiplied by a: the slope of log(a) is 1 / a
    > = dy * a
    guarded: where a is 0 the slope is infinite, as in PyTorch: nothing is added to a
    > = np.where(a > 0, dy / a, 0)
    """,
)
right(vjp.log_backward, "as a power", lambda dy, a: dy * a**-1.0)
looped(vjp.log_backward, lambda d, x: d / x)


@checks(vjp.relu_backward)
class ReluBackward(FormulaCheck):
    def cases(self, random):
        for part, dy, x in self.drawn(random, "above 0", 2, size=4):
            y = np.maximum(x, 0)
            y.flat[0], y.flat[1] = 0, 1.5
            yield part, dy, y
        yield "NaN and infinity", *given([1, 2, 3], [NAN, 0, 2])
        yield "NaN and infinity", *given([INF, -INF, INF], [0, 0, 1])

    def expected(self, dy, y):
        return gradient(torch.relu, dy, y)


mistakes(
    vjp.relu_backward,
    f"""
    no_dy: 1 where y is above 0: it is dy there
    > = np.where(y > 0, 1.0, 0.0)
    of_dy: relu of dy: what decides is y, and a negative dy goes through as well
    > = np.where(dy > 0, dy, 0)
    times_y: multiplied by y: the slope is 1 or 0
    > = dy * y
    at_zero: where y is 0, x was 0 or below: the gradient is 0 there
    > = np.where(y >= 0, dy, 0)
    nan_lost: where y is NaN the gradient is dy, and every comparison with NaN is false:
        ask y <= 0
    > = np.where(y > 0, dy, 0)
    product: {TIMES_ZERO}
    > = dy * ~(y <= 0)
    right: NaN by itself
    > = np.where((y > 0) | np.isnan(y), dy, 0.0)
    """,
)
looped(vjp.relu_backward, lambda d, z: 0 if z <= 0 else d)


class SquashCheck(FormulaCheck):
    """sigmoid and tanh: y is what they gave."""

    def cases(self, random):
        for part, dy, x in self.drawn(random, "anywhere", 2):
            yield part, dy, self.forward(torch.from_numpy(x)).numpy()
        yield "at the ends", drawn(random, 3), np.array(self.ends)
        yield "no dimensions", *given(2, 0.25)

    def expected(self, dy, y):
        return gradient(self.forward, dy, self.inverse(torch.tensor(y)).numpy())


@checks(vjp.sigmoid_backward)
class SigmoidBackward(SquashCheck):
    forward, inverse = staticmethod(torch.sigmoid), staticmethod(torch.logit)
    ends = [0.0, 1.0, 0.5]


mistakes(
    vjp.sigmoid_backward,
    f"""
    no_dy: {NO_DY}
    > = y * (1 - y)
    one_factor: one factor is missing: the slope is y * (1 - y)
    > = dy * (1 - y)
    like_tanh: this is the slope of tanh: sigmoid's is y * (1 - y)
    > = dy * (1 - y ** 2)
    of_x: y is sigmoid(x) already, and here it goes through sigmoid again
    > = dy / (2 + np.exp(y) + np.exp(-y))
    """,
)
right(vjp.sigmoid_backward, "in two terms", lambda dy, y: dy * y - dy * y * y)
looped(vjp.sigmoid_backward, lambda d, z: d * z * (1 - z))


@checks(vjp.tanh_backward)
class TanhBackward(SquashCheck):
    forward, inverse = staticmethod(torch.tanh), staticmethod(torch.atanh)
    ends = [-1.0, 1.0, 0.0]


mistakes(
    vjp.tanh_backward,
    f"""
    no_dy: {NO_DY}
    > = 1 - y * y
    not_squared: y is squared: 1 - y ** 2
    > = dy * (1 - y)
    like_sigmoid: this is the slope of sigmoid: that of tanh is 1 - y ** 2
    > = dy * y * (1 - y)
    of_x: y is tanh(x) already, and here it goes through tanh again
    > = dy * (1 - np.tanh(y) ** 2)
    """,
)
right(vjp.tanh_backward, "as a product", lambda dy, y: dy * (1 - y) * (1 + y))
looped(vjp.tanh_backward, lambda d, z: d * (1 - z * z))


@checks(vjp.max_backward)
class MaxBackward(FormulaCheck):
    def cases(self, random):
        yield from self.drawn(random, "the larger one", 3, size=4)
        for k in (1.0, -2.0):
            yield "ties", drawn(random, 3), *given([k, 1, 5], [k, 5, 5])
        near = 1 + 2.0**-40
        yield "ties", drawn(random, 2), *given([near, 1], [1, near])
        yield "NaN and infinity", *given([1, 2, 3], [NAN, 1, NAN], [1, NAN, NAN])
        yield "NaN and infinity", *given([INF, INF, 1], [1, 2, 3], [2, 1, 3])
        yield from self.broadcast(random, 3)

    def expected(self, dy, a, b):
        return gradient(torch.maximum, dy, a, b)


mistakes(
    vjp.max_backward,
    f"""
    other_operand: this is the gradient of b: it should be that of a
    > a < b -> b < a
    no_dy: 1 where a is larger: it is dy there
    > = np.where(a > b, 1.0, 0.0) + 0 * dy
    tie_whole: where a and b are equal each gets half: both together may get dy, not
        twice as much
    > = np.where(a < b, 0, dy)
    tie_none: where a and b are equal each gets half, and here a gets nothing
    > = np.where(a <= b, 0, dy)
    nearly: numbers that are nearly equal are not equal: a == b, not isclose
    > = np.where(np.isclose(a, b, equal_nan=True), dy / 2, np.where(a < b, 0, dy))
    nan_lost: where a or b is NaN the gradient is dy: every comparison with NaN is false
    > = np.where(a > b, dy, np.where(a == b, dy / 2, 0))
    product: {TIMES_ZERO}
    > = dy * np.where(a < b, 0, np.where(a == b, 0.5, 1))
    right: with select
    > = np.select([a < b, a == b], [0 * np.ones_like(dy), dy / 2], dy)
    """,
)
looped(vjp.max_backward, lambda d, x, z: d / 2 if x == z else 0 if x < z else d)


@checks(vjp.where_backward)
class WhereBackward(FormulaCheck):
    def cases(self, random):
        c = np.array([True, False, True, False])
        for chosen in (True, False):
            yield "what was taken", drawn(random, 4), c, chosen
            yield "what was taken", drawn(random, 3, 4), drawn(random, 3, 4) > 0, chosen
        for chosen in (True, False):
            yield "an infinite dy", *given([INF, -INF, NAN, 1]), c, chosen
        yield BROADCAST, drawn(random, 3, 4), c, False

    def expected(self, dy, condition, chosen):
        c = torch.from_numpy(np.array(np.broadcast_to(condition, dy.shape)))
        zeros = np.zeros_like(dy)
        return gradient(
            lambda a, b: torch.where(c, a, b), dy, zeros, zeros, of=1 - chosen
        )


mistakes(
    vjp.where_backward,
    f"""
    swapped: the two are exchanged: with chosen=True it is `one`, taken where the
        condition holds
    > if chosen -> if not chosen
    always_one: `chosen` is left out: with False it is the gradient of `other`
    > = np.where(condition, dy, 0)
    only_dy: an element that was not taken had no say: its gradient is 0
    > = dy
    no_dy: 1 where the element was taken: it is dy there
    > = 1.0 * (condition == chosen) + np.zeros_like(dy)
    product: {TIMES_ZERO}
    > = dy * (condition == chosen)
    right: by comparison
    > = np.where(condition == chosen, dy, 0)
    """,
)
looped(vjp.where_backward, lambda d, c, chosen: d if c == chosen else 0)
