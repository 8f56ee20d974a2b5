"""Answers of tanh_backward by other algorithms."""

import numpy as np

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.tanh_backward, right="by a loop")
def _(dy, y):
    numbers = np.broadcast(dy, y)
    values = [d * (1 - z * z) for d, z in numbers]
    return np.array(values, dy.dtype).reshape(numbers.shape)
