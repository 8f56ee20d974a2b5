"""test_tail_guard: a test for kernels with a guard."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_tail_guard
from minigrad.kernels.threads import tail_guard

check = TestCheck(
    test_tail_guard,
    of=tail_guard,
    rejects={
        "copied": "a kernel that copies instead of doubling",
        "no_guard": "a kernel without a guard",
        "off_by_one": "a kernel that does one element too many",
        "one_too_few": "a kernel that leaves out the last element",
        "local_guard": "a kernel that compares threadIdx.x with n",
        "local_only": "a kernel that does only the elements of block 0",
        "whole_blocks": "a kernel that leaves out the last block if it isn't full",
        "outside_guard 2": "a kernel that writes zeros past the end",
        "fixed_n": "a kernel with a number instead of n",
        "fixed_256": "a kernel with a number instead of blockDim.x",
        "added": "a kernel that adds to the old values of y",
        "in_int": "a kernel that doubles only integers",
        "unknown": "a kernel whose y is too large by 2 percent",
        "size_of_pointer": "a kernel with the size of a pointer instead of n",
        "last_block": "a kernel with a guard only in the last block",
    },
    not_tested="kernels that only write an element twice, because y is correct",
)
