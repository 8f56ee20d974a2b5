"""A test for trees in shared memory."""

from grading.checking import checks
from grading.mistakes import Known, mistakes, right
from grading.own_tests import SWALLOWED, OwnTest
from minigrad.exercises.own_tests import test_block_sum
from minigrad.kernels.memory import block_sum


@checks(test_block_sum)
class BlockSumTest(OwnTest):
    of = block_sum
    wrong = {
        "no_tree": "a kernel that adds nothing up",
        "last_step": "a kernel without the last step of its tree",
        "no_barrier": "a kernel without its barriers",
        "no_block": "a kernel whose blocks all do the elements of the first",
        "first_only": "a kernel that writes the sum of the first block alone",
        "whole_blocks_only": "a kernel that leaves out a block that is not full",
        "fixed_size": "a kernel with a literal for blockDim.x",
        "added": "a kernel that adds to what sums holds",
    }


mistakes(
    test_block_sum,
    let_through=Known(
        "np.array_equal(sums, expected) -> True",
        "assert not found -> assert True",
        (
            "[(1000, 256, 4), (37, 32, 3), (64, 64, 1), (500, 128, 5)] -> "
            "[(1024, 256, 4)]"
        ),
        "blocks, -1 -> blocks, 0",
        SWALLOWED,
    ),
    false_alarm=Known(
        "reshape(blocks, size).sum(1) -> reshape(size, blocks).sum(0)",
        "assert not found -> assert found",
        "kernel(blocks, -> kernel(blocks + 1,",
    ),
)
RIGHTS = {
    "other launches": (
        "(1000, 256, 4), (37, 32, 3) -> (900, 256, 4), (50, 32, 4), (1, 1, 1)"
    ),
    "NaN before": "blocks, -1 -> blocks, np.nan",
    "sums by a loop": (
        "whole.reshape(blocks, size).sum(1) -> [sum(whole[i : i + size]) for "
        "i in range(0, blocks * size, size)]"
    ),
    "fractions": "n + 1, dtype=np.float32) -> n + 1, dtype=np.float32) / 4",
}
for style, change in RIGHTS.items():
    right(test_block_sum, style, change)
