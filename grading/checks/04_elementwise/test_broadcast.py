"""test_broadcast: a test for binary_broadcast."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_broadcast
from minigrad.kernels.elementwise import binary_broadcast

check = TestCheck(
    test_broadcast,
    of=binary_broadcast,
    options=("-DT=float", "-DOP=maximum"),
    rejects={
        "flat": "a kernel that ignores all strides",
        "flat_a": "a kernel that ignores a's strides",
        "flat_b": "a kernel that ignores b's strides",
        "one_view": "a kernel that reads b by a's strides",
        "other_view": "a kernel that reads a by b's strides",
        "stride_zero": "a kernel for which a stride of 0 counts as 1",
        "nan_in_maximum": "a kernel that loses a NaN in a",
        "nan_in_b": "a kernel that loses a NaN in b",
        "nan_by_fmax": "a kernel that loses a NaN beside a number",
        "no_dims": "a kernel that leaves out scalars, which have no dimensions",
        "no_guard": "a kernel without a guard",
    },
    not_tested="other T and OP: the contract says T=float and OP=maximum",
)
