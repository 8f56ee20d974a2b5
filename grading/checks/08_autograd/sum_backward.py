"""sum_backward: the gradient of a sum."""

from functools import partial

from minigrad.ops.vjp import sum_backward

from .reductions import SMALLEST, doubles
from .tensors import of_shape, tensor_check


def reference(dy, shape, dims, keepdim):
    return of_shape(lambda x: x.sum(dims, keepdim), dy, shape)


check = tensor_check(
    sum_backward,
    doubles=partial(doubles, smallest=[*SMALLEST, ((0, 3), (0,))]),
    reference=reference,
    not_tested="nothing that a dy may be",
)
