"""slice_backward: the gradient of a part."""

import numpy as np
import torch

from grading.exercise import call
from minigrad.ops.vjp import slice_backward

from .tensors import filled, of_shape, tensor_check


def doubles(random):
    for part, shape, index in [
        ("slices", (4,), np.s_[1:3]),
        ("slices", (4, 3), np.s_[1:3, 0:2]),
        ("slices", (5,), np.s_[0:5:2]),
        ("ints", (4, 3), 2),
        ("ints", (4, 3), np.s_[:, 1]),
        ("ints", (4,), 3),
        ("ints", (4,), -1),
        ("...", (2, 3, 4), np.s_[..., 1]),
        ("...", (2, 3, 4), np.s_[0, ..., 1:3]),
        ("None", (3, 2), np.s_[None, 1]),
        ("None", (3,), np.s_[1:3, None]),
        ("everything, or nothing", (3, 2), np.s_[:]),
        ("everything, or nothing", (3, 2), np.s_[2:2]),
    ]:
        dy = filled(random, *torch.zeros(shape)[index].shape)
        yield part, call(dy, shape, index)


def reference(dy, shape, index):
    return of_shape(lambda x: x[index], dy, shape)


check = tensor_check(
    slice_backward,
    doubles=doubles,
    reference=reference,
    not_tested="tensors, lists, and bools as indices: the contract names none",
)
