"""max_pool2d_backward: each gradient is added where its index says."""

import numpy as np

from grading.exercise import Check, Launch
from minigrad.kernels.convolution import max_pool2d_backward

from ..strided import cover
from .exact import terms

FEW = (1, 12, 4), (2, 30, 9), (3, 300, 70), (1, 40_000, 3)  # planes, size, places
MANY = (400, 50, 100), (1, 6, 40), (3, 10, 25), (2, 7, 70)


def launch(random, indices, size):
    indices = np.int32(indices)
    planes, places = indices.shape
    dy, dx = terms(random, planes, places), np.zeros((planes, size), np.float32)
    args = dy, indices, dx, *np.int32([planes, size, places])
    return Launch(*cover(max(dy.size, dx.size)), args)


def cases(random):
    for planes, size, places in FEW:
        at = [random.sample(range(size - 1), places) for _ in range(planes)]
        at[0][0] = size - 1  # the largest index there is
        yield "each to its element", launch(random, at, size)
    for planes, size, places in MANY:
        at = [[random.randrange(size) for _ in range(places)] for _ in range(planes)]
        yield "several to one element", launch(random, at, size)
    yield "all to one element", launch(random, [[5] * 100, [0] * 100], 64)
    at = [[random.randrange(30) for _ in range(9)] for _ in range(2)]
    special = launch(random, at, 30)
    special.args[0].reshape(-1)[[2, 7, 11]] = np.nan, np.inf, -np.inf
    yield "NaN and infinity", special


def reference(dy, indices, dx, *sizes):
    return dx.double().scatter_add(1, indices.long(), dy.double())


check = Check(
    max_pool2d_backward,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, indices outside x, and a dx that isn't 0 before, which the "
    "contract rules out",
)
