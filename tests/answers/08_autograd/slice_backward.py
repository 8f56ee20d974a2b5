"""Answers of slice_backward by other algorithms."""

import numpy as np

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.slice_backward, wrong="raised")
def _(dy, shape, index):
    dx = np.zeros(shape)
    dx[index] = np.array(dy.numpy())
    return dy.new_tensor(dx)
