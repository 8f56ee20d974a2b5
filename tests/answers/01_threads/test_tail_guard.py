"""Answers of test_tail_guard by other algorithms."""

import numpy as np

from minigrad.exercises.own_tests import test_tail_guard
from tools.audit.specimens import answer


@answer(test_tail_guard, right="number by number")
def _(kernel):
    for n in range(0, 300, 43):
        x = np.linspace(-3, 5, n + 200, dtype=np.float32)
        y = np.full_like(x, 0.5)
        kernel(n // 32 + 3, 32, (x, y, n))
        for i, value in enumerate(y):
            assert value == (x[i] + x[i] if i < n else 0.5), f"n = {n}: y[{i}]"
