"""A test for products of matrices.

Leaves out `skipped`, as the contract names no infinity, and no_column_guard, from_one
and onto_c_each, which are much like no_guard, one_too_few and onto_c.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_matmul
from minigrad.kernels.matmul import matmul_naive

own_test(test_matmul, matmul_naive)("""
last_only: a kernel that keeps the last product alone
turned: a kernel whose c is transposed
a_wide: a kernel that takes rows of a for N elements long
b_wide: a kernel that takes rows of b for K elements long
b_rows: a kernel that reads b transposed
onto_c: a kernel that adds to what c holds
not_zero: a kernel that writes nothing where K is 0
one_too_few: a kernel that leaves out the last k
no_guard: a kernel without its guard
other_block: a kernel that takes every block for a square
swapped: a kernel that takes x for rows and y for columns
let_through:
> [(16, 16, 16), (5, 37, 20), (33, 18, 3), (4, 3, 0)] -> [(16, 16, 16)]
> , (4, 3, 0)] -> ]
> (M, N), 7, -> (M, N), 0,
> -(-M // 4)), (16, 4) -> -(-M // 16)), (16, 16)
false_alarm:
> 1e-4, 1e-4) -> 0, 0)
right: NaN before
> (M, N), 7, -> (M, N), np.nan,
""")


@right(test_matmul, "whole numbers, element by element")
def _(kernel):
    for M, N, K in (1, 1, 1), (17, 5, 9), (3, 40, 0), (20, 33, 2):  # noqa: N806
        a = (np.arange(M * K) % 5 - 1).astype(np.float32).reshape(M, K)
        b = (np.arange(K * N) % 7 - 3).astype(np.float32).reshape(K, N)
        c = np.full((M, N), 0.5, np.float32)
        kernel((N // 8 + 1, M // 4 + 1), (8, 4), (a, b, c, M, N, K))
        for i in range(M):
            for j in range(N):
                assert c[i, j] == sum(a[i, k] * b[k, j] for k in range(K)), (i, j)
