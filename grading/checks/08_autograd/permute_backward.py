"""permute_backward: the dimensions as they were."""

from grading.exercise import call
from minigrad.ops.vjp import permute_backward

from .tensors import filled, of_shape, tensor_check


def doubles(random):
    for dims in [(1, 2, 0), (2, 0, 1)]:
        yield "any order", call(filled(random, 2, 3, 4), dims)
    for dims in [(1, 3, 0, 2), (3, 0, 1, 2)]:
        yield "any order", call(filled(random, 2, 3, 4, 5), dims)
    yield "two exchanged", call(filled(random, 2, 3), (1, 0))
    yield "two exchanged", call(filled(random, 3, 3, 2), (0, 2, 1))
    for _ in range(2):
        yield "none moved", call(filled(random, 2, 3), (0, 1))
    yield "none moved", call(filled(random), ())
    yield "no elements", call(filled(random, 0, 3, 2), (2, 0, 1))


def reference(dy, dims):
    shape = [n for _, n in sorted(zip(dims, dy.shape, strict=True))]
    return of_shape(lambda x: x.permute(dims), dy, shape)


check = tensor_check(
    permute_backward,
    doubles=doubles,
    reference=reference,
    not_tested="negative dims: the contract has none",
)
