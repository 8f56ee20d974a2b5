"""test_tail_guard: a test for kernels with a guard."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_tail_guard
from minigrad.kernels.threads import tail_guard

check = TestCheck(
    test_tail_guard,
    of=tail_guard,
    rejects={
        "copied": "a kernel that copies and does not double",
        "no_guard": "a kernel without its guard",
        "off_by_one": "a kernel that does one element too many",
        "one_too_few": "a kernel that leaves out the last element",
        "local_guard": "a kernel that compares threadIdx.x with n",
        "local_only": "a kernel that does the elements of the first block alone",
        "whole_blocks": "a kernel that leaves out the last block if it is not full",
        "outside_guard 2": "a kernel that writes zeros past the end",
        "fixed_n": "a kernel with a literal for n",
        "fixed_256": "a kernel with a literal for blockDim.x",
        "added": "a kernel that adds to what y holds",
        "in_int": "a kernel that doubles whole numbers alone",
        "size_of_pointer": "a kernel that takes a pointer's size for n",
        "last_block": "a kernel with a guard in its last block alone",
    },
    not_tested="kernels that only write an element twice: y holds the right values",
)
