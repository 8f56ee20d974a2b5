"""Gradients of reductions: torch.autograd.grad is the oracle."""

import numpy as np
import torch

from grading.drivers.scenarios import SHARES
from grading.exercise import checks
from minigrad.ops import vjp

from .gradients import Filled, TensorCheck, drawn, filled, of_shape

total, mean, amax = vjp.sum_backward, vjp.mean_backward, vjp.amax_backward
SHAPES = [((2, 3), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (1,))]
SMALL = "no dimensions, or no elements"
SMALLEST = [((), ()), ((0, 3), (1,)), ((2, 3, 0), (0, 1)), ((0, 3), (0,))]


class ReductionCheck(TensorCheck):
    """dy of the shape of x.sum(dims, keepdim), then shape, dims, keepdim."""

    smallest = SMALLEST[:-1]

    def doubles(self, random):
        for shape, dims in SHAPES:
            yield "one or more dimensions", *self.case(random, shape, dims, False)
            yield "keepdim", *self.case(random, shape, dims, True)
        yield "all dimensions", *self.case(random, (2, 3), (0, 1), False)
        yield "all dimensions", *self.case(random, (4,), (0,), False)
        yield "equal sizes", *self.case(random, (3, 3, 3), (1,), False)
        yield "equal sizes", *self.case(random, (3, 3), (0,), False)
        for shape, dims in [((2, 1), (1,)), ((1, 3), (0,)), ((2, 1, 3), (0, 1))]:
            yield "sizes of 1", *self.case(random, shape, dims, False)
            yield "sizes of 1", *self.case(random, shape, dims, True)
        yield from self.small(random, self.smallest)

    def small(self, random, shapes):
        for shape, dims in shapes:
            yield SMALL, *self.case(random, shape, dims, False)
            yield SMALL, *self.case(random, shape, dims, True)

    def case(self, random, shape, dims, keepdim):
        y = torch.zeros(shape).sum(dims, keepdim)
        return filled(random, *y.shape), shape, dims, keepdim


@checks(total)
class SumBackward(ReductionCheck):
    """Leaves out nothing that a dy may be."""

    smallest = SMALLEST

    def torch(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.sum(dims, keepdim), dy, shape)


@checks(mean)
class MeanBackward(ReductionCheck):
    """Leaves out a dimension of size 0 in dims, as the contract does."""

    def same(self, got, expected, dy, shape, dims, keepdim):
        if not dims and isinstance(got, dict) and isinstance(expected, dict):
            got = got | {SHARES: expected.get(SHARES)}  # dy itself is right, too
        return super().same(got, expected, dy, shape, dims, keepdim)

    def torch(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.mean(dims, keepdim), dy, shape)


@checks(amax)
class AmaxBackward(ReductionCheck):
    """Leaves out a dimension of size 0 in dims, as the contract does, and NaN: it does
    not say whether NaN is the largest, nor what becomes of a dy without end times 0.
    """

    def doubles(self, random):
        for shape, dims in SHAPES:
            yield "the largest", *self.case(random, shape, dims, False)
            yield "keepdim", *self.case(random, shape, dims, True)
        yield "the largest", *self.case(random, (2, 3), (0, 1), False)
        for shape, dims in [((2, 4), (1,)), ((3, 2, 3), (0, 2)), ((4,), (0,))]:
            yield "ties", *self.case(random, shape, dims, False, tie=True)
            yield "ties", *self.case(random, shape, dims, True, tie=True)
        near = np.array([[3, 3 + 1e-7, 1], [3, 3, 3 - 1e-7]])
        yield "ties", *self.of(random, near, (1,), False)
        yield "equal sizes", *self.case(random, (3, 3), (1,), False)
        yield "amin", *self.case(random, (2, 3), (1,), False, name="amin")
        yield from self.small(random, self.smallest)

    def case(self, random, shape, dims, keepdim, tie=False, name="amax"):
        a = drawn(random, *shape)
        if tie:
            a[a > 0] = 1.75
            a.flat[0] = a.flat[-1] = 1.75
        return self.of(random, a, dims, keepdim, name)

    def specials(self, args):
        dy, _, _, dims, keepdim = args
        a = np.array([[-np.inf] * 3, [np.inf, 1, np.inf]])
        return dy, Filled(a), Filled(a.max(1)), dims, keepdim

    def of(self, random, a, dims, keepdim, name="amax"):
        y = getattr(torch.from_numpy(a), name)(dims, keepdim)
        return filled(random, *y.shape), Filled(a), Filled(y.numpy()), dims, keepdim

    def torch(self, dy, a, y, dims, keepdim):
        found = a.amax(dims, keepdim)
        found = found if torch.equal(found, y) else a.amin(dims, keepdim)
        (found,) = torch.autograd.grad(found, a, dy, create_graph=True)
        return found
