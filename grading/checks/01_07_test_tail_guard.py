"""A test for kernels with a guard.

Leaves out kernels that only write an element twice: y holds the right values.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_tail_guard
from minigrad.kernels.threads import tail_guard

own_test(test_tail_guard, tail_guard)("""
copied: a kernel that copies and does not double
no_guard: a kernel without its guard
off_by_one: a kernel that does one element too many
one_too_few: a kernel that leaves out the last element
local_guard: a kernel that compares threadIdx.x with n
local_only: a kernel that does the elements of the first block alone
whole_blocks: a kernel that leaves out the last block if it is not full
outside_guard 2: a kernel that writes zeros past the end
fixed_n: a kernel with a literal for n
fixed_256: a kernel with a literal for blockDim.x
added: a kernel that adds to what y holds
in_int: a kernel that doubles whole numbers alone
last_block: a kernel with a guard in its last block alone
let_through:
> np.array_equal(y[:n], 2 * x[:n]) -> True
> np.all(y[n:] == -1) -> True
> (300, 3, 128), (257, 2, 256), (64, 1, 64), ->
> dtype=np.float32) / 4 -> dtype=np.float32)
> (5, 4, 32) -> (5, 1, 32)
false_alarm:
> y[n:] == -1 -> y[n:] == 0
right: NaN past the end
> -1, np -> np.nan, np
& y[n:] == -1 -> np.isnan(y[n:])
""")


@right(test_tail_guard, "number by number")
def _(kernel):
    for n in range(0, 300, 43):
        x = np.linspace(-3, 5, n + 200, dtype=np.float32)
        y = np.full_like(x, 0.5)
        kernel(n // 32 + 3, 32, (x, y, n))
        for i, value in enumerate(y):
            assert value == (x[i] + x[i] if i < n else 0.5), f"n = {n}: y[{i}]"
