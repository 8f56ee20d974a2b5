"""mean_backward: the gradient of a mean."""

from grading.drivers.scenarios import SHARES
from grading.exercise import close
from minigrad.ops.vjp import mean_backward

from .reductions import doubles
from .tensors import of_shape, tensor_check


def reference(dy, shape, dims, keepdim):
    return of_shape(lambda x: x.mean(dims, keepdim), dy, shape)


def compare(got, expected, case):
    """Of one element dy itself is right, too."""
    if not case.args[2]:
        got = got | {SHARES: expected.get(SHARES)}
    return close()(got, expected)


check = tensor_check(
    mean_backward,
    doubles=doubles,
    reference=reference,
    compare=compare,
    not_tested="a dimension of size 0 in dims, as in the contract",
)
