"""amax_backward: the gradient of the largest, and of the smallest."""

import numpy as np
import torch

from grading.checking.describe import Filled
from grading.exercise import call
from minigrad.ops.vjp import amax_backward

from .inputs import drawn, vjp
from .reductions import SHAPES, SMALL, SMALLEST
from .tensors import filled, tensor_check


def of(random, a, dims, keepdim, largest=torch.amax):
    y = largest(torch.from_numpy(a), dims, keepdim)
    return call(filled(random, *y.shape), Filled(a), Filled(y.numpy()), dims, keepdim)


def tied(random, shape):
    a = drawn(random, *shape)
    a[a > 0] = 1.75
    a.flat[0] = a.flat[-1] = 1.75
    return a


def doubles(random):
    for shape, dims in SHAPES:
        yield "the largest", of(random, drawn(random, *shape), dims, False)
        yield "keepdim", of(random, drawn(random, *shape), dims, True)
    yield "the largest", of(random, drawn(random, 2, 3), (0, 1), False)
    for shape, dims in [((2, 4), (1,)), ((3, 2, 3), (0, 2)), ((4,), (0,))]:
        yield "ties", of(random, tied(random, shape), dims, False)
        yield "ties", of(random, tied(random, shape), dims, True)
    near = np.array([[3, 3 + 1e-7, 1], [3, 3, 3 - 1e-7]])
    yield "ties", of(random, near, (1,), False)
    yield "equal sizes", of(random, drawn(random, 3, 3), (1,), False)
    yield "amin", of(random, drawn(random, 2, 3), (1,), False, torch.amin)
    for shape, dims in SMALLEST:
        yield SMALL, of(random, drawn(random, *shape), dims, False)
        yield SMALL, of(random, drawn(random, *shape), dims, True)


def specials(case):
    dy, _, _, dims, keepdim = case.args
    a = np.array([[-np.inf] * 3, [np.inf, 1, np.inf]])
    return call(dy, Filled(a), Filled(a.max(1)), dims, keepdim)


def reference(dy, a, y, dims, keepdim):
    extreme = torch.amax if torch.equal(a.amax(dims, keepdim), y) else torch.amin
    return vjp(lambda a: extreme(a, dims, keepdim), dy, a)[0]


check = tensor_check(
    amax_backward,
    doubles=doubles,
    reference=reference,
    specials=specials,
    not_tested="a dimension of size 0 in dims, as in the contract, and NaN: it does "
    "not say whether NaN is the largest, nor what becomes of a dy without end times 0",
)
