"""test_block_sum: a test for trees in shared memory."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_block_sum
from minigrad.kernels.memory import block_sum

check = TestCheck(
    test_block_sum,
    of=block_sum,
    rejects={
        "no_tree": "a kernel that doesn't add",
        "last_step": "a kernel without the last step of its tree",
        "no_barrier": "a kernel without its barriers",
        "no_barrier 2": "a kernel whose barriers only wait for a warp",
        "warp_sync": "a kernel without barriers in the steps of its last warp",
        "barrier_in_if": "a kernel with a barrier inside an if",
        "not_filled": "a kernel that adds cells that no thread has filled",
        "no_block": "a kernel whose blocks all add the first block's elements",
        "first_only": "a kernel that writes only the first block's sum",
        "whole_blocks_only": "a kernel that leaves out a block that isn't full",
        "empty_block": "a kernel that skips the sum of a block without elements",
        "fixed_size": "a kernel with a number instead of blockDim.x",
        "added": "a kernel that adds to what sums held before",
        "small_array": "a kernel with too small an array for a block of 256",
        "outside": "a kernel that adds elements past n",
        "one_each": "a kernel that writes a sum for each thread",
        "without_if": "a kernel whose threads all add, in every step",
        "whole_first": "a kernel whose tree begins with a step too many",
        "one_cell": "a kernel whose threads all add to one cell",
    },
    not_tested="kernels that add by atomics or one by one: sums and findings are right",
)
