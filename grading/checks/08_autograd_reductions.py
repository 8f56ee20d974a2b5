"""Gradients of reductions: torch.autograd.grad is the oracle."""

import numpy as np
import torch

import minigrad
from grading.drivers.scenarios import SHARES
from grading.exercise import checks, mistake, mistakes, right
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


mistakes(total)(r"""
like_mean: the gradient is that of a sum, not of a mean: every element gets all of dy
> dy.expand(shape) -> (dy / math.prod(shape[d] for d in dims)).expand(shape)
always_unsqueezed: dy has its dimensions of size 1 already: with keepdim none is to be
    put in
> not keepdim -> True
copies:
> dy.expand(shape) -> dy.new_zeros(shape) + dy.expand(shape)
cut:
> dy.expand(shape) -> dy.detach().expand(shape)
dtype:
> dy.expand(shape) -> dy.double().expand(shape)
not_expanded: dy is not brought to x's shape: every element of x gets its own
> = dy
> dy.expand(shape) -> dy.expand(shape) if dy.numel() else dy
raised:
> if not keepdim: -> first, *others = dims\n    if not keepdim:
in_front: the dimensions that were added up go in at their own places, not in front:
    unsqueeze
> = dy.expand(shape)
right: by an index
> for d in dims:\n            dy = dy.unsqueeze(d) -> at = [None if d in dims else
    slice(None) for d in range(len(shape))]\n        dy = dy[tuple(at)]
right: by a view with sizes of 1
> = dy.view([1 if d in dims else n for d, n in enumerate(shape)]).expand(*shape)
""")


@right(total, "by strides of 0")
def _(dy, shape, dims, keepdim):
    strides = list(dy.stride())
    for d in dims:
        strides[d : d + keepdim] = [0]
    return dy.as_strided(shape, strides, dy.storage_offset())


@right(total, "in front, then moved")
def _(dy, shape, dims, keepdim):
    if keepdim:
        return dy.expand(shape)
    order = [*dims, *(d for d in range(len(shape)) if d not in dims)]
    whole = dy.expand([shape[d] for d in order])
    return whole.permute([order.index(d) for d in range(len(shape))])


@checks(mean)
class MeanBackward(ReductionCheck):
    """Leaves out a dimension of size 0 in dims, as the contract does."""

    def same(self, got, expected, dy, shape, dims, keepdim):
        if not dims and isinstance(got, dict) and isinstance(expected, dict):
            got = got | {SHARES: expected.get(SHARES)}  # dy itself is right, too
        return super().same(got, expected, dy, shape, dims, keepdim)

    def torch(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.mean(dims, keepdim), dy, shape)


COUNT = "math.prod(shape[d] for d in dims)"
mistakes(mean)(f"""
like_sum: the gradient of a sum: a mean divides by the number of elements
> dy / count if count else dy -> dy
by_all: divided by the number of all elements: those count that one mean is of
> {COUNT} -> math.prod(shape)
by_results: divided by the number of results: those elements count that one mean is of
> {COUNT} -> dy.numel()
by_one: divided by the size of one dimension: a mean may be over several
> {COUNT} -> shape[dims[0]]
raised:
> {COUNT} -> math.prod(shape) // dy.numel()
right: divided at the end
> = sum_backward(dy, shape, dims, keepdim) / {COUNT}
right: times a share
> = sum_backward(dy * (dy.numel() / (math.prod(shape) or 1)), shape, dims, keepdim)
equivalent: where no elements are averaged x has none, and nothing is looked at
> branch dropped: -> return sum_backward((dy / count),
""")


@right(mean, "one dimension after the other")
def _(dy, shape, dims, keepdim):
    for d in dims:
        dy = dy / shape[d]
    return total(dy, shape, dims, keepdim)


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


SHARE = "largest.sum(dims, keepdim=True)"
mistakes(amax)(rf"""
tie_whole: where several are the largest they share dy in equal parts: here each has it
    all
>  / {SHARE} ->
tie_first: where several are the largest they share dy: here the first gets it all
not_amin: y may be the smallest, of amin, too: it is where a == y
> a == sum_backward -> a >= sum_backward
nearly: what is nearly the largest is not the largest: compare with ==
> a == sum_backward(y, a.shape, dims, keepdim) -> (a - sum_backward(y, a.shape, dims,
    keepdim)).abs() < 1e-6
like_sum: every element gets dy: only the largest has a say
> = sum_backward(dy, a.shape, dims, keepdim)
raised:
> largest = a -> first, *others = dims\n    largest = a
""")


@mistake(amax)
def tie_first(dy, a, y, dims, keepdim):
    largest = a == total(y, a.shape, dims, keepdim)
    order = a.new_tensor(np.arange(a.numel(), 0, -1.0).reshape(a.shape)) * largest
    first = (order == order.amax(dims, keepdim=True)) & largest
    return total(dy, a.shape, dims, keepdim) * first


@right(amax, "by where")
def _(dy, a, y, dims, keepdim):
    spread, y = (total(x, a.shape, dims, keepdim) for x in (dy, y))
    count = (a == y).to(dy.dtype).sum(dims, keepdim=True)
    return minigrad.where(a == y, spread / count, minigrad.zeros_like(spread))


@right(amax, "shared first")
def _(dy, a, y, dims, keepdim):
    largest = a == total(y, a.shape, dims, keepdim)
    share = dy / largest.sum(dims, keepdim)
    return largest * total(share, a.shape, dims, keepdim)


@right(amax, "by broadcasting")
def _(dy, a, y, dims, keepdim):
    for d in () if keepdim else dims:
        dy, y = dy.unsqueeze(d), y.unsqueeze(d)
    largest = a == y
    return dy * largest / largest.sum(dims, keepdim=True)
