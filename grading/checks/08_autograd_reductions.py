"""Chapter 08, gradients of reductions: torch.autograd.grad is the oracle."""

import torch

from grading.checking import cause, checks
from minigrad.ops import vjp

from .gradients import Filled, TensorCheck, drawn, filled, of_shape

SHAPES = [((2, 3), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (1,))]


def by(function, dy, x):
    """The gradient of function(x) by x."""
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(function(x), x, dy)[0]


class ReductionCheck(TensorCheck):
    """dy of the shape of x.sum(dims, keepdim), then shape, dims, keepdim."""

    def cases(self, random):
        for shape, dims in SHAPES:
            yield "one or more dimensions", *self.case(random, shape, dims, False)
            yield "keepdim", *self.case(random, shape, dims, True)
        yield "all dimensions", *self.case(random, (2, 3), (0, 1), False)
        yield "all dimensions", *self.case(random, (4,), (0,), False)
        yield "equal sizes", *self.case(random, (3, 3, 3), (1,), False)
        yield "equal sizes", *self.case(random, (3, 3), (0,), False)

    def case(self, random, shape, dims, keepdim):
        y = torch.zeros(shape).sum(dims, keepdim)
        return filled(random, *y.shape), shape, dims, keepdim

    def kept(self, dy, dims, keepdim):
        for d in dims if not keepdim else ():
            dy = dy.unsqueeze(d)
        return dy


@checks(vjp.sum_backward)
class SumBackward(ReductionCheck):
    def expected(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.sum(dims, keepdim), dy, shape)

    @cause("the gradient is that of a sum, not of a mean: every element gets all of dy")
    def like_mean(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.mean(dims, keepdim), dy, shape)

    @cause("dy is not brought to x's shape: every element of x gets its own")
    def not_expanded(self, dy, shape, dims, keepdim):
        return dy

    @cause("dy has its dimensions of size 1 already: with keepdim none is to be put in")
    def always_unsqueezed(self, dy, shape, dims, keepdim):
        return self.kept(dy, dims, False).expand(shape)

    @cause("the dimensions that were added up go in at their own places, not in front: "
           "unsqueeze")  # fmt: skip
    def in_front(self, dy, shape, dims, keepdim):
        return dy.expand(shape)

    @cause("only one of the dimensions is put in again: a sum may be over several")
    def first_dimension(self, dy, shape, dims, keepdim):
        return self.kept(dy, dims[:1], keepdim).expand(shape)

    @cause("the dimensions go in from the lowest to the highest: each is counted in x")
    def wrong_order(self, dy, shape, dims, keepdim):
        return self.kept(dy, dims[::-1], keepdim).expand(shape)


@checks(vjp.mean_backward)
class MeanBackward(ReductionCheck):
    def expected(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.mean(dims, keepdim), dy, shape)

    @cause("the gradient of a sum: a mean divides by the number of elements")
    def like_sum(self, dy, shape, dims, keepdim):
        return of_shape(lambda x: x.sum(dims, keepdim), dy, shape)

    @cause("divided by the number of all elements: those count that one mean is of")
    def by_all(self, dy, shape, dims, keepdim):
        return (
            self.like_sum.model.function(self, dy, shape, dims, keepdim)
            / torch.Size(shape).numel()
        )

    @cause("divided by the number of results: those elements count that one mean is of")
    def by_results(self, dy, shape, dims, keepdim):
        return self.like_sum.model.function(self, dy, shape, dims, keepdim) / dy.numel()

    @cause("divided by the size of one dimension: a mean may be over several")
    def by_one(self, dy, shape, dims, keepdim):
        return (
            self.like_sum.model.function(self, dy, shape, dims, keepdim)
            / shape[dims[0]]
        )

    @cause("multiplied by the number of elements: a mean divides by it")
    def times(self, dy, shape, dims, keepdim):
        count = torch.Size(shape).numel() // max(dy.numel(), 1)
        return self.like_sum.model.function(self, dy, shape, dims, keepdim) * count


@checks(vjp.amax_backward)
class AmaxBackward(ReductionCheck):
    def cases(self, random):
        for shape, dims in SHAPES:
            yield "the largest", *self.case(random, shape, dims, False)
            yield "keepdim", *self.case(random, shape, dims, True)
        yield "the largest", *self.case(random, (2, 3), (0, 1), False)
        for shape, dims in [((2, 4), (1,)), ((3, 2, 3), (0, 2)), ((4,), (0,))]:
            yield "ties", *self.case(random, shape, dims, False, tie=True)
            yield "ties", *self.case(random, shape, dims, True, tie=True)
        yield "equal sizes", *self.case(random, (3, 3), (1,), False)

    def case(self, random, shape, dims, keepdim, tie=False):
        a = drawn(random, *shape)
        if tie:
            a[a > 0] = 1.75
            a.flat[0] = a.flat[-1] = 1.75
        y = torch.from_numpy(a).amax(dims, keepdim)
        return (filled(random, *y.shape), Filled(a), Filled(y.numpy()), dims, keepdim)

    def expected(self, dy, a, y, dims, keepdim):
        return by(lambda x: x.amax(dims, keepdim), dy, a)

    def wide(self, x, shape, dims, keepdim):
        return self.kept(x, dims, keepdim).expand(shape)

    @cause(
        "where several are the largest they share dy in equal parts: here each has it "
        "all"
    )
    def tie_whole(self, dy, a, y, dims, keepdim):
        largest = a == self.wide(y, a.shape, dims, keepdim)
        return largest * self.wide(dy, a.shape, dims, keepdim)

    @cause("where several are the largest they share dy: here the first gets it all")
    def tie_first(self, dy, a, y, dims, keepdim):
        flat = (a == self.wide(y, a.shape, dims, keepdim)).double()
        order = torch.arange(a.numel(), 0, -1).reshape(a.shape)
        marks = flat * order
        first = (marks == marks.amax(dims, True)) & (flat > 0)
        return first * self.wide(dy, a.shape, dims, keepdim)

    @cause("every element gets dy: only the largest has a say")
    def like_sum(self, dy, a, y, dims, keepdim):
        return self.wide(dy, a.shape, dims, keepdim).clone()

    @cause("1 where the largest is: it is dy there")
    def no_dy(self, dy, a, y, dims, keepdim):
        largest = (a == self.wide(y, a.shape, dims, keepdim)).double()
        return largest / largest.sum(dims, True)

    @cause("dy is shared among all that are the largest anywhere: each row has its own")
    def counted_everywhere(self, dy, a, y, dims, keepdim):
        largest = (a == self.wide(y, a.shape, dims, keepdim)).double()
        return largest / largest.sum() * self.wide(dy, a.shape, dims, keepdim)
