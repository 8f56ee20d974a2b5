"""A test for the largest of each row.

Leaves out mistakes of barriers and of memory that nobody has filled: what a launch then
gives is chance.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_max_argmax
from minigrad.kernels.reductions import max_argmax

own_test(test_max_argmax, max_argmax)("""
of_matrix: a kernel whose indices count through all rows
initial_zero: a kernel whose largest element is never below 0
first_pass: a kernel that looks at the first blockDim.x elements alone
index_of_thread: a kernel whose index is that of the thread
last_of_ties: a kernel that takes the last of equal elements
nan_lost: a kernel that loses NaN
any_nan: a kernel that takes any NaN, not the first
tie_in_tree: a kernel that takes the lower thread's of equal elements
by_bits: a kernel for which 0 is larger than -0, and a negative NaN the smallest
outside: a kernel that reads element n
let_through:
> -1 - abs(plain), plain[:, :1], plain[:, :40]) -> )
> ties, nans, -> ties,
> plain, ties, nans, -> plain,
false_alarm:
> x.max(1) -> np.nanmax(x, 1)
right: one block size
> (32, 64, 256) -> (64,)
""")


@right(test_max_argmax, "column by column")
def _(kernel):
    for n, size in (700, 64), (300, 128), (1, 32), (40, 256):
        x = -1 - np.arange(5 * n, dtype=np.float32).reshape(5, n) * 37 % 101
        if n > 299:
            x[1, [5, 200]], x[2, [70, 130, 290]] = (-0.0, 0.0), 9
            x[3, [140, 141, 262]], x[4, [3, 64]] = (np.nan, np.inf, np.nan), -np.nan
        values, indices = np.zeros(5, np.float32), np.zeros(5, np.int32)
        kernel(5, size, (x, values, indices, n))
        for row, value, index in zip(x, values, indices):
            best = 0
            for j in range(n):
                if row[best] == row[best] and not row[j] <= row[best]:
                    best = j
            assert index == best
            assert value == row[best] or value != value and row[best] != row[best]
