"""Answers of relu_backward by other algorithms."""

import numpy as np

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.relu_backward, right="by a loop")
def _(dy, y):
    numbers = np.broadcast(dy, y)
    values = [0 if z <= 0 else d for d, z in numbers]
    return np.array(values, dy.dtype).reshape(numbers.shape)
