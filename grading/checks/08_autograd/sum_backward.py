"""sum_backward: the gradient of a sum."""

import torch

from grading.exercise import call
from minigrad.ops.vjp import sum_backward

from .reductions import SHAPES, SMALL, SMALLEST
from .tensors import filled, of_shape, tensor_check


def reduced(random, shape, dims, keepdim):
    """A call with a dy of the shape of x.sum(dims, keepdim)."""
    y = torch.zeros(shape).sum(dims, keepdim)
    return call(filled(random, *y.shape), shape, dims, keepdim)


def doubles(random):
    for shape, dims in SHAPES:
        yield "one or more dimensions", reduced(random, shape, dims, False)
        yield "keepdim", reduced(random, shape, dims, True)
    yield "all dimensions", reduced(random, (2, 3), (0, 1), False)
    yield "all dimensions", reduced(random, (4,), (0,), False)
    yield "equal sizes", reduced(random, (3, 3, 3), (1,), False)
    yield "equal sizes", reduced(random, (3, 3), (0,), False)
    for shape, dims in [((2, 1), (1,)), ((1, 3), (0,)), ((2, 1, 3), (0, 1))]:
        yield "sizes of 1", reduced(random, shape, dims, False)
        yield "sizes of 1", reduced(random, shape, dims, True)
    for shape, dims in [*SMALLEST, ((0, 3), (0,))]:
        yield SMALL, reduced(random, shape, dims, False)
        yield SMALL, reduced(random, shape, dims, True)


def reference(dy, shape, dims, keepdim):
    return of_shape(lambda x: x.sum(dims, keepdim), dy, shape)


check = tensor_check(
    sum_backward,
    doubles=doubles,
    reference=reference,
    not_tested="nothing that a dy may be",
)
