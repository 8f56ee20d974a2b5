"""Gradients of elementwise operators, beside those of torch.autograd.grad."""

import numpy as np
import torch

from grading.exercise import Check, checks
from minigrad.ops import vjp

from .gradients import drawn
from .scene_check import nearly

NAN, INF = float("nan"), float("inf")
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
