"""Answers of test_matmul by other algorithms."""

import numpy as np

from minigrad.exercises.own_tests import test_matmul
from tools.audit.specimens import answer


@answer(test_matmul, right="whole numbers, element by element")
def _(kernel):
    for M, N, K in (1, 1, 1), (17, 5, 9), (3, 40, 0), (20, 33, 2):  # noqa: N806
        a = (np.arange(M * K) % 5 - 1).astype(np.float32).reshape(M, K)
        b = (np.arange(K * N) % 7 - 3).astype(np.float32).reshape(K, N)
        c = np.full((M, N), 0.5, np.float32)
        kernel((N // 8 + 1, M // 4 + 1), (8, 4), (a, b, c, M, N, K))
        for i in range(M):
            for j in range(N):
                assert c[i, j] == sum(a[i, k] * b[k, j] for k in range(K)), (i, j)
