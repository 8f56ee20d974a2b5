"""Gradients of elementwise operators, beside those of torch.autograd.grad."""

import inspect

import numpy as np
import torch

from grading.exercise import Check, checks, mistakes, right
from minigrad.ops import vjp

from .gradients import drawn
from .scene_check import nearly

NAN, INF = float("nan"), float("inf")
NO_DY = "the slope alone: it is multiplied by dy, what comes back from above"
ONLY_DY = "dy alone: it is multiplied by the slope of the operator"
TIMES_ZERO = "dy is multiplied by 0: of an infinite dy that makes NaN. np.where chooses"
BROADCAST = "shapes that are broadcast"
NEARLY_0 = "numbers that are nearly 0"


def given(*values):
    return tuple(np.array(v, np.float64) for v in values)


def gradient(function, dy, *inputs, of=0):
    """The gradient of function(*inputs) by one of them, in dy's shape and dtype."""
    tensors = [
        torch.from_numpy(np.array(np.broadcast_to(x, np.shape(dy)), np.float64))
        for x in inputs
    ]
    tensors[of].requires_grad_()
    y = function(*tensors)
    above = torch.tensor(np.asarray(dy, np.float64))
    return torch.autograd.grad(y, tensors[of], above)[0].numpy().astype(dy.dtype)


class FormulaCheck(Check):
    """A function of arrays, all in double; the first ones in float32 and float16, too,
    without dimensions, and cut off until no element is left; with numbers that are
    nearly 0, and with NaN and infinity, where all ways to write the formula agree.
    """

    scene = "formula"

    def cases(self, random):
        found = [*self.doubles(random)]
        yield from found
        first = found[0][1:]
        for dtype in np.float32, np.float16:
            yield dtype.__name__, *(x.astype(dtype) for x in first)
        yield "no elements", *(x[:0] for x in first)
        yield "no dimensions", *(np.array(x[1]) for x in first)
        dy, *inputs = first
        yield NEARLY_0, dy, *(1e-9 * x for x in inputs)
        for case in self.specials:
            yield "NaN and infinity", *given(*case)

    specials = ()  # values of the arguments

    def same(self, got, expected, *args):
        expected = np.asarray(expected)
        kind = getattr(got, "dtype", np.dtype(float))  # NumPy's double is a float
        return nearly(got, expected, atol=1e-30) and kind == expected.dtype

    def general(self, case):
        if (
            isinstance(case.got, np.ndarray | float)
            and np.shape(case.got) != case.expected.shape
        ):
            return "shape", "the gradient has the shape of dy: one number for each"
        if isinstance(case.got, float):  # an array without dimensions
            return None
        if getattr(case.got, "dtype", case.expected.dtype) != case.expected.dtype:
            return "dtype", f"{case.got.dtype}: the gradient has the dtype of dy"
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
        return np.array(values, arrays[0].dtype).reshape(arrays[0].shape)

    found.__signature__ = inspect.signature(hole.__wrapped__)
    right(hole, "by a loop")(found)


@checks(vjp.mul_backward)
class MulBackward(FormulaCheck):
    """Leaves out nothing that the contract names."""

    specials = [([NAN, 1, INF, 0, -INF, 0], [1, NAN, 0, INF, 2, -INF])]

    def doubles(self, random):
        yield from self.drawn(random, "x * other", 2)
        yield from self.broadcast(random, 2)
        yield BROADCAST, drawn(random, 2, 3), drawn(random, 2, 1)
        yield "zeros", drawn(random, 3), np.array([0.0, 2.0, 0.0])

    def expected(self, dy, other):
        return gradient(torch.mul, dy, np.ones_like(dy), other)


mistakes(vjp.mul_backward)(f"""
no_dy: {NO_DY}
> = other + 0 * dy
only_dy: {ONLY_DY}
> = dy
divided: divided by the other factor: y grows by `other` where x grows by 1
> = dy / other
shape:
> = (dy * other).sum()
dtype:
> = dy * np.float64(other)
finite: what is not a number stays so: 0 * inf is NaN
> = np.nan_to_num(dy * other)
> = np.where(dy == 0, 0, dy * other)
right: by einsum
> = np.einsum("...,...", dy, other)
""")
looped(vjp.mul_backward, lambda d, o: o * d)


@checks(vjp.div_backward)
class DivBackward(FormulaCheck):
    """Leaves out squares of b beyond the largest number: the contract names none."""

    specials = [
        ([NAN, 1, 1], [1, NAN, 2], [2, 2, NAN]),
        ([INF, 1, 1, 0, 1], [1, -INF, 0, 1, 1], [-2, 2, 0, 0, INF]),
    ]

    def doubles(self, random):
        yield from self.drawn(random, "the divisor", 3)
        yield from self.broadcast(random, 3)
        yield "a divisor of 0", drawn(random, 2), drawn(random, 2), np.zeros(2)
        yield "a of zero", drawn(random, 2), np.zeros(2), drawn(random, 2)

    def expected(self, dy, a, b):
        return gradient(torch.div, dy, a, b, of=1)


mistakes(vjp.div_backward)(f"""
other_operand: this is the gradient of a, the first operand: dy / b. That of b, the
    second, is wanted
> = dy / b + 0 * a
sign: the sign: y falls where b grows
> = dy * a / (b * b)
not_squared: b counts twice: the slope of 1 / b is -1 / b ** 2
> = -dy * a / b
sign_of_b: b counts twice, so its sign does not matter: b * b
> = -dy * a / (b * abs(b))
negative_lost: a negative b has a gradient, too
> = np.where(b >= 0, -dy * a / (b * b), 0)
difference: a difference over a step is only near the slope: write the formula
> = dy * (a / (b + 0.1) - a / b) / 0.1
a_left_out: a is left out: y = a * (1 / b), and the slope has the factor a
> = -dy / b ** 2
guarded: where b is 0 the gradient is infinite, as in PyTorch: it is not left out
> = np.where(b == 0, 0, -dy * a / (b * b))
no_dy: {NO_DY}
> = -a / b ** 2 + 0 * dy
like_mul: this is the gradient of a product
> = dy * a + 0 * b
dtype:
> = -dy * a / np.float_power(b, 2)
right: by the result
> = -(a / b) * dy / b
right: as a power
> = dy * a * -(b ** (-2.0))
""")


@checks(vjp.pow_backward)
class PowBackward(FormulaCheck):
    """Leaves out a dy that is NaN or infinite where b is 0, as the contract does."""

    specials = [
        ([NAN, 1, 1, 1], [2, NAN, INF, -2], [3, 2, 2, 0.5]),
        ([1, 1, 1, INF, -1], [NAN, INF, -INF, 2, 0], [0, 0, 0, 3, -1]),
    ]

    def doubles(self, random):
        several = [*self.drawn(random, "the base", 3), *self.broadcast(random, 3)]
        for part, dy, a, b in several:
            yield part, dy, abs(a), b
        for b in 3.0, 2.0:
            yield "the base", drawn(random, 3), drawn(random, 3), b
        yield "an exponent of 0", drawn(random, 3), *given([0, 2, -1], [0, 0, 0])
        for a in np.array([0.0, 3.0]), np.zeros((2, 1)):
            yield "an exponent of 0", drawn(random, 2, 2), a, 0.0
        yield "a base of 0", drawn(random, 3), *given([0, 0, 0], [1, 2, 3])

    def expected(self, dy, a, b):
        return gradient(torch.pow, dy, a, b)


mistakes(vjp.pow_backward)(f"""
not_less: the exponent becomes one less: the slope of a ** b is b * a ** (b - 1)
> a ** (b - 1) -> a**b
no_factor: the factor b is missing: the slope of a ** b is b * a ** (b - 1)
> b * a ** (b - 1) -> a ** (b - 1)
other_operand: this is the gradient of the exponent: that of the base is wanted
> = dy * a ** b * np.log(a)
zero_exponent: where b is 0 the gradient is 0, also for a = 0: 0 * inf is NaN. np.where
    chooses
> = dy * b * a ** (b - 1)
nearly: what is nearly 0 is not 0: compare with 0
> np.where(b == 0, 0, -> np.where(np.abs(b) < 1e-8, 0,
finite: only where b is 0 the gradient is 0: elsewhere NaN stays NaN
> = np.nan_to_num(np.where(b == 0, 0, dy * b * a ** (b - 1)), posinf=np.inf,
    neginf=-np.inf)
no_dy: {NO_DY}
> = np.where(b == 0, 0, b * a ** (b - 1) + 0 * dy)
dtype:
> a ** (b - 1) -> np.float_power(a, b - 1)
right: the base chosen
> = dy * b * np.where(np.equal(b, 0), 1, a) ** (np.asarray(b) - 1.0)
""")
looped(vjp.pow_backward, lambda d, x, n: d * n * x ** (n - 1) if n else 0)


@checks(vjp.relu_backward)
class ReluBackward(FormulaCheck):
    """Leaves out shapes that are broadcast: the contract has one shape for both."""

    def doubles(self, random):
        for part, dy, x in self.drawn(random, "above 0", 2, size=4):
            y = np.maximum(x, 0)
            y.flat[0], y.flat[1] = 0, 1.5
            yield part, dy, y
        yield "NaN and infinity", *given([1, 2, 3, NAN], [NAN, 0, INF, 2])
        yield "NaN and infinity", *given([INF, -INF, INF], [0, 0, 1])

    def expected(self, dy, y):
        return gradient(torch.relu, dy, y)


mistakes(vjp.relu_backward)(f"""
no_dy: 1 where y is above 0: it is dy there
> = np.where(y > 0, 1.0, 0.0)
of_dy: relu of dy: what decides is y, and a negative dy goes through as well
> = np.where(dy > 0, dy, 0)
times_y: multiplied by y: the slope is 1 or 0
> = dy * y
at_zero: where y is 0, x was 0 or below: the gradient is 0 there
> = np.where(y >= 0, dy, 0)
nan_lost: where y is NaN the gradient is dy, and every comparison with NaN is false: ask
    y <= 0
> = np.where(y > 0, dy, 0)
dy_lost: a dy that is NaN goes through, where y is above 0
> = np.where((y <= 0) | np.isnan(dy), 0, dy)
nearly: what is nearly 0 is not 0: compare with 0
> = np.where(y <= 1e-7, 0, dy)
product: {TIMES_ZERO}
> = dy * ~(y <= 0)
dtype:
> = np.where(y <= 0, np.zeros(dy.shape), dy)
right: NaN by itself
> = np.where((y > 0) | np.isnan(y), dy, 0.0)
""")
looped(vjp.relu_backward, lambda d, z: 0 if z <= 0 else d)


@checks(vjp.tanh_backward)
class TanhBackward(FormulaCheck):
    """Leaves out shapes that are broadcast and infinity: the contract names neither."""

    specials = [([NAN, 1], [0.5, NAN])]

    def doubles(self, random):
        for part, dy, x in self.drawn(random, "anywhere", 2):
            yield part, dy, np.tanh(x)
        yield "at the ends", drawn(random, 3), *given([-1, 1, 0])

    def expected(self, dy, y):
        return gradient(torch.tanh, dy, torch.tensor(y).atanh().numpy())


mistakes(vjp.tanh_backward)(f"""
no_dy: {NO_DY}
> = 1 - y * y
not_squared: y is squared: 1 - y ** 2
> = dy * (1 - y)
like_sigmoid: this is the slope of sigmoid: that of tanh is 1 - y ** 2
> = dy * y * (1 - y)
of_x: y is tanh(x) already, and here it goes through tanh again
> = dy * (1 - np.tanh(y) ** 2)
dtype:
> = dy * (np.ones(y.shape) - y * y)
right: as a product
> = dy * (1 - y) * (1 + y)
""")
looped(vjp.tanh_backward, lambda d, z: d * (1 - z * z))
