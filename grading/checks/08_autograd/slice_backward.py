"""slice_backward: the gradient of a part."""

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.exercise import call
from minigrad.ops.vjp import slice_backward

from .tensors import filled, of_shape, tensor_check

FRONTS, BETWEEN = ((), (None,), (None, None)), ((), (None,), (...,))
FEW = 0, -2, slice(None), slice(1, 99), slice(-2, None, 2), slice(2, 1)


def doubles(random):
    for part, shape, index in [
        ("slices", (4,), np.s_[1:3]),
        ("slices", (4, 3), np.s_[1:3, 0:2]),
        ("slices", (5,), np.s_[0:5:2]),
        ("ints", (4, 3), 2),
        ("ints", (4, 3), np.s_[:, 1]),
        ("ints", (3, 3), np.s_[:, 1]),
        ("ints", (4,), 3),
        ("ints", (4,), -1),
        ("...", (2, 3, 4), np.s_[..., 1]),
        ("...", (2, 3, 4), np.s_[0, ..., 1:3]),
        ("None", (3, 2), np.s_[None, 1]),
        ("None", (3,), np.s_[1:3, None]),
        ("everything, or nothing", (3, 2), np.s_[:]),
        ("everything, or nothing", (3, 2), np.s_[2:2]),
    ]:
        yield part, of(random, shape, index)
    for row in pairwise(
        random, front=FRONTS, first=FEW, second=FEW, between=BETWEEN, last=FEW
    ):
        front, first, second, between, last = row.values()
        index = (*front, first, second, *between, last)
        yield "slices", of(random, (4, 5, 3), index)
    for kind in FEW:
        yield "slices", of(random, (3,), kind)


def of(random, shape, index):
    dy = filled(random, *torch.zeros(shape)[index].shape)
    return call(dy, shape, index)


def reference(dy, shape, index):
    return of_shape(lambda x: x[index], dy, shape).clone()  # a new tensor


check = tensor_check(
    slice_backward,
    doubles=doubles,
    reference=reference,
    not_tested="tensors, lists, and bools as indices: the contract names none",
)
