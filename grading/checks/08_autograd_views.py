"""Gradients of products and views: torch.autograd.grad is the oracle."""

import torch

from grading.exercise import checks
from minigrad.ops import vjp

from .gradients import TensorCheck, filled, of_shape

product = vjp.matmul_right_backward
permute, part = vjp.permute_backward, vjp.slice_backward


@checks(product)
class MatmulRightBackward(TensorCheck):
    """Leaves out vectors, and batches that differ: dy and a have the same `...`."""

    def doubles(self, random):
        for M, K, N in [(2, 3, 4), (4, 2, 3), (1, 5, 2)]:
            yield "matrices", *self.case(random, (), M, K, N)
        yield "square ones", *self.case(random, (), 3, 3, 3)
        yield "several at once", *self.case(random, (2,), 2, 3, 4)
        yield "several at once", *self.case(random, (2, 3), 3, 2, 2)

        for batch, *sizes in [((), 2, 0, 3), ((), 0, 2, 3), ((0,), 2, 3, 4)]:
            yield "no elements", *self.case(random, batch, *sizes)

    def case(self, random, batch, M, K, N):
        return filled(random, *batch, M, N), filled(random, *batch, M, K)

    def torch(self, dy, a):
        shape = (*a.shape[:-2], a.shape[-1], dy.shape[-1])
        return of_shape(lambda b: a @ b, dy, shape)


@checks(permute)
class PermuteBackward(TensorCheck):
    """Leaves out negative dims: the contract has none."""

    def doubles(self, random):
        for dims in [(1, 2, 0), (2, 0, 1)]:
            yield "any order", filled(random, 2, 3, 4), dims
        for dims in [(1, 3, 0, 2), (3, 0, 1, 2)]:
            yield "any order", filled(random, 2, 3, 4, 5), dims
        yield "two exchanged", filled(random, 2, 3), (1, 0)
        yield "two exchanged", filled(random, 3, 3, 2), (0, 2, 1)
        for _ in range(2):
            yield "none moved", filled(random, 2, 3), (0, 1)
        yield "none moved", filled(random), ()
        yield "no elements", filled(random, 0, 3, 2), (2, 0, 1)

    def torch(self, dy, dims):
        """By names of the dimensions: the gradient is a view, and so linear."""
        places = torch.argsort(torch.tensor(dims, dtype=torch.int64)).tolist()
        x = torch.zeros([dy.shape[p] for p in places], requires_grad=True)
        (found,) = torch.autograd.grad(x.permute(dims), x, dy.detach().float())
        view = dy.permute(places)
        assert torch.allclose(found, view.float(), equal_nan=True)
        return view


@checks(part)
class SliceBackward(TensorCheck):
    """Leaves out tensors, lists and bools as indices: the contract names none."""

    def doubles(self, random):
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

    def torch(self, dy, shape, index):
        return of_shape(lambda x: x[index], dy, shape)
