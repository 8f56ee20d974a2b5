"""Answers of test_block_sum by other algorithms."""

import numpy as np

from minigrad.exercises.own_tests import test_block_sum
from tools.audit.specimens import answer


@answer(test_block_sum, right="block by block")
def _(kernel):
    for size in (1, 32, 256):
        x, n = (np.arange(5 * size) % 7 - 3).astype(np.float32), 7 * size // 2
        sums = np.full(5, 99, np.float32)
        args = 5, size, (x, sums, n)
        kernel(*args)
        for b in range(5):
            own = x[b * size : min(n, b * size + size)]
            assert sums[b] == sum(own.tolist()), f"block {b} of {size} threads"
        for finding in kernel.check(*args).findings:
            raise AssertionError(finding)
