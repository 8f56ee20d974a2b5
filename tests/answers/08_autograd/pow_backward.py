"""Answers of pow_backward by other algorithms."""

import numpy as np

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.pow_backward, right="by a loop")
def _(dy, a, b):
    numbers = np.broadcast(dy, a, b)
    values = [d * n * x ** (n - 1) if n else 0 for d, x, n in numbers]
    return np.array(values, dy.dtype).reshape(numbers.shape)
