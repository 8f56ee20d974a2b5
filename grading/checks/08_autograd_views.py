"""Chapter 08, gradients of products and views: torch.autograd.grad is the oracle."""

import torch

from grading.cases import View
from grading.checking import Check, cause, checks
from minigrad.ops import vjp

from .gradients import TensorCheck, filled, of_shape


class ProductCheck(TensorCheck):
    def cases(self, random):
        for M, K, N in [(2, 3, 4), (4, 2, 3), (1, 5, 2)]:
            yield "matrices", *self.case(random, (), M, K, N)
        yield "square ones", *self.case(random, (), 3, 3, 3)
        yield "several at once", *self.case(random, (2,), 2, 3, 4)
        yield "several at once", *self.case(random, (2, 3), 3, 2, 2)

    def cases_of(self, random, *shapes):
        return tuple(filled(random, *shape) for shape in shapes)


@checks(vjp.matmul_left_backward)
class MatmulLeftBackward(ProductCheck):
    def case(self, random, batch, M, K, N):
        return self.cases_of(random, (*batch, M, N), (*batch, K, N))

    def expected(self, dy, b):
        shape = (*dy.shape[:-1], b.shape[-2])
        return of_shape(lambda a: a @ b, dy, shape)

    @cause("b is to be turned round, rows for columns: dy @ b.transpose(-2, -1)")
    def not_turned(self, dy, b):
        return dy @ b

    @cause("the order: rows of dy belong to rows of a, so dy stands on the left")
    def other_order(self, dy, b):
        return b.mT @ dy if b.shape[-1] != dy.shape[-2] else b @ dy

    @cause("the result is turned round: a's gradient has a's shape, (..., M, K)")
    def turned(self, dy, b):
        return (dy @ b.mT).mT

    @cause(
        "all dimensions are turned round: transpose(-2, -1) turns the last two alone"
    )
    def all_dimensions(self, dy, b):
        return dy @ b.permute(*reversed(range(b.ndim)))

    @cause("dy and b are multiplied element by element: this is a product of matrices")
    def elementwise(self, dy, b):
        return dy * b


@checks(vjp.matmul_right_backward)
class MatmulRightBackward(ProductCheck):
    def case(self, random, batch, M, K, N):
        return self.cases_of(random, (*batch, M, N), (*batch, M, K))

    def expected(self, dy, a):
        shape = (*a.shape[:-2], a.shape[-1], dy.shape[-1])
        return of_shape(lambda b: a @ b, dy, shape)

    @cause("a is to be turned round, rows for columns: a.transpose(-2, -1) @ dy")
    def not_turned(self, dy, a):
        return a @ dy

    @cause("the order: columns of dy belong to columns of b, so dy stands on the right")
    def other_order(self, dy, a):
        return dy @ a.mT

    @cause("the result is turned round: b's gradient has b's shape, (..., K, N)")
    def turned(self, dy, a):
        return (a.mT @ dy).mT

    @cause(
        "all dimensions are turned round: transpose(-2, -1) turns the last two alone"
    )
    def all_dimensions(self, dy, a):
        return a.permute(*reversed(range(a.ndim))) @ dy

    @cause("dy and a are multiplied element by element: this is a product of matrices")
    def elementwise(self, dy, a):
        return dy * a


# ------------------------------------------------- views


@checks(vjp.permute_backward)
class PermuteBackward(Check):
    def cases(self, random):
        for dims in [(1, 2, 0), (2, 0, 1)]:
            yield "any order", View((2, 3, 4), (12, 4, 1)), dims
        yield "any order", View((2, 3, 4, 5), (60, 20, 5, 1), 3), (1, 3, 0, 2)
        yield "any order", View((2, 3, 4, 5), (60, 20, 5, 1)), (3, 0, 1, 2)
        yield "two exchanged", View((2, 3), (3, 1)), (1, 0)
        yield "two exchanged", View((3, 3, 2), (2, 6, 1), 1), (0, 2, 1)
        yield "none moved", View((2, 3), (3, 1)), (0, 1)
        yield "none moved", View((), ()), ()

    def expected(self, dy, dims):
        """By names of the dimensions: the gradient is a view, and so linear."""
        places = torch.argsort(torch.tensor(dims, dtype=torch.int64)).tolist()
        x = torch.zeros([dy.shape[p] for p in places], requires_grad=True)
        (found,) = torch.autograd.grad(x.permute(dims), x, dy.float())
        view = dy.permute(places)
        assert torch.equal(found, view.float())
        return view

    @cause(
        "the same order once more: it takes the one that leads back. (1, 2, 0) brings "
        "dimension 1 to place 0, so 0 has to go to place 1 again"
    )
    def same_order(self, dy, dims):
        return dy.permute(dims)

    @cause("dy comes back as it is: its dimensions are to stand in x's order")
    def unchanged(self, dy, dims):
        return dy

    @cause("the dimensions are turned round: the order that leads back is meant")
    def turned_round(self, dy, dims):
        return dy.permute([*reversed(range(dy.ndim))])

    @cause("dims read backwards is not the way back: where stands dimension 0 in it?")
    def read_backwards(self, dy, dims):
        return dy.permute(dims[::-1])


@checks(vjp.slice_backward)
class SliceBackward(TensorCheck):
    def cases(self, random):
        whole = slice(None)
        for shape, index in [((4,), slice(1, 3)), ((4, 3), (slice(1, 3), slice(0, 2))),
                             ((5,), slice(0, 5, 2))]:  # fmt: skip
            yield "slices", *self.case(random, shape, index)
        for shape, index in [((4, 3), 2), ((4, 3), (whole, 1)), ((4,), 3), ((4,), -1)]:
            yield "ints", *self.case(random, shape, index)
        for shape, index in [((2, 3, 4), (..., 1)), ((2, 3, 4), (0, ..., slice(1, 3)))]:
            yield "...", *self.case(random, shape, index)
        for shape, index in [((3, 2), (None, 1)), ((3,), (slice(1, 3), None))]:
            yield "None", *self.case(random, shape, index)
        yield "everything, or nothing", *self.case(random, (3, 2), whole)
        yield "everything, or nothing", *self.case(random, (3, 2), slice(2, 2))

    def case(self, random, shape, index):
        y = torch.zeros(shape)[index]
        return filled(random, *y.shape), shape, index

    def expected(self, dy, shape, index):
        return of_shape(lambda x: x[index], dy, shape)

    @cause("what was not taken had no say: its gradient is 0, and here it is 1")
    def ones(self, dy, shape, index):
        dx = torch.ones(shape, dtype=dy.dtype)
        dx[index] = dy
        return dx

    @cause("what was not taken holds what memory held: fill it with 0 first")
    def garbage(self, dy, shape, index):
        dx = torch.full(shape, torch.nan, dtype=dy.dtype)
        dx[index] = dy
        return dx

    @cause(
        "only the part is there: the gradient has x's shape, with 0 where nothing was "
        "taken"
    )
    def not_filled(self, dy, shape, index):
        return dy

    @cause("dy stands at the wrong places: at those that `index` takes")
    def at_the_beginning(self, dy, shape, index):
        dx = torch.zeros(shape, dtype=dy.dtype)
        dx.view(-1)[: dy.numel()] = dy.reshape(-1)
        return dx

    @cause("dy is left out: the places that were taken get it")
    def no_dy(self, dy, shape, index):
        dx = torch.zeros(shape, dtype=dy.dtype)
        dx[index] = 1
        return dx

    @cause("all is 0: write dy to the places that were taken, and return that tensor")
    def zeros(self, dy, shape, index):
        return torch.zeros(shape, dtype=dy.dtype)
