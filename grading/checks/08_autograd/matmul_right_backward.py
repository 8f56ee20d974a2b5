"""matmul_right_backward: the gradient of a product's right matrix."""

from grading.exercise import call
from minigrad.ops.vjp import matmul_right_backward

from .tensors import filled, of_shape, tensor_check


def sized(random, batch, M, K, N):  # noqa: N803
    return call(filled(random, *batch, M, N), filled(random, *batch, M, K))


def doubles(random):
    for sizes in [(2, 3, 4), (4, 2, 3), (1, 5, 2)]:
        yield "matrices", sized(random, (), *sizes)
    yield "square ones", sized(random, (), 3, 3, 3)
    yield "several at once", sized(random, (2,), 2, 3, 4)
    yield "several at once", sized(random, (2, 3), 3, 2, 2)
    for batch, *sizes in [((), 2, 0, 3), ((), 0, 2, 3), ((0,), 2, 3, 4)]:
        yield "no elements", sized(random, batch, *sizes)


def reference(dy, a):
    shape = (*a.shape[:-2], a.shape[-1], dy.shape[-1])
    return of_shape(lambda b: a @ b, dy, shape)


check = tensor_check(
    matmul_right_backward,
    doubles=doubles,
    reference=reference,
    not_tested="vectors, and batches that differ: dy and a have the same `...`",
)
