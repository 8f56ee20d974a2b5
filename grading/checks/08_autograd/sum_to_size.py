"""sum_to_size: what was broadcast is added up."""

from grading.drivers.scenarios import SHARES
from grading.exercise import call, close
from minigrad.autograd.adjoints import sum_to_size

from .tensors import filled, tensor_check

SIZES = {
    "dimensions in front": [((4, 3), (3,)), ((2, 4, 3), (4, 3)), ((3, 2, 5), (5,))],
    "size 1": [((4, 3), (4, 1)), ((4, 3), (1, 3)), ((2, 4, 3), (2, 1, 3)),
               ((2, 3), (1, 1)), ((3, 3), (3, 1)), ((0, 3), (1, 3))],
    "both": [((4, 2, 3), (2, 1)), ((2, 4, 3), (1, 3)), ((2, 3, 2, 4), (3, 1, 4))],
    "no dimensions": [((2, 3), ()), ((4,), ())],
    "nothing to add": [((2, 3), (2, 3)), ((3, 1, 2), (3, 1, 2)), ((1,), (1,)),
                       ((), ()), ((1, 3), (3,))],
    "no such shape": [((4, 3), (4,)), ((3,), (2, 3)), ((2, 3), (2, 2)),
                      ((3,), (1, 3)), ((3,), (3, 1)), ((2, 0), (5, 0))],
}  # fmt: skip


def doubles(random):
    for part, pairs in SIZES.items():
        for shape, small in pairs:
            yield part, call(filled(random, *shape), small)


def reference(x, shape):
    return x.sum_to_size(shape) if x.shape != shape else x.view(shape)


def compare(got, expected, case):
    x, shape = case.args
    if {*x.values.shape[: max(0, x.values.ndim - len(shape))]} == {1}:
        got = got | {SHARES: expected.get(SHARES)}
    return close()(got, expected)


check = tensor_check(
    sum_to_size,
    doubles=doubles,
    reference=reference,
    compare=compare,
    not_tested="whether it is a copy where ones in front are added up",
)
