"""A test for trees in shared memory.

Leaves out kernels that add by atomics or one by one: sums and findings are right.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_block_sum
from minigrad.kernels.memory import block_sum

own_test(test_block_sum, block_sum)("""
no_tree: a kernel that adds nothing up
last_step: a kernel without the last step of its tree
no_barrier: a kernel without its barriers
no_barrier 2: a kernel whose barriers wait for one warp only
warp_sync: a kernel without an order within its last warp
barrier_in_if: a kernel with a barrier inside an if
not_filled: a kernel that adds cells that nobody has filled
no_block: a kernel whose blocks all do the elements of the first
first_only: a kernel that writes the sum of the first block alone
whole_blocks_only: a kernel that leaves out a block that is not full
empty_block: a kernel that leaves out the sum of a block without elements
fixed_size: a kernel with a literal for blockDim.x
added: a kernel that adds to what sums holds
small_array: a kernel with too few cells for a block of 256
let_through:
> np.array_equal(sums, expected) -> True
> assert not found -> assert True
> blocks, -1 -> blocks, 0
false_alarm:
> assert not found -> assert found
right: NaN before
> blocks, -1 -> blocks, np.nan
""")


@right(test_block_sum, "block by block")
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
