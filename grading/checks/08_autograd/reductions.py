"""The cases of gradients of sums and means."""

import torch

from grading.exercise import call

from .tensors import filled

SHAPES = [((2, 3), (1,)), ((2, 3, 4), (0, 2)), ((2, 3, 4), (1,))]
SMALL = "no dimensions, or no elements"
SMALLEST = [((), ()), ((0, 3), (1,)), ((2, 3, 0), (0, 1))]


def reduced(random, shape, dims, keepdim):
    """A call with a dy of the shape of x.sum(dims, keepdim)."""
    y = torch.zeros(shape).sum(dims, keepdim)
    return call(filled(random, *y.shape), shape, dims, keepdim)


def doubles(random, smallest=SMALLEST):
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
    for shape, dims in smallest:
        yield SMALL, reduced(random, shape, dims, False)
        yield SMALL, reduced(random, shape, dims, True)
