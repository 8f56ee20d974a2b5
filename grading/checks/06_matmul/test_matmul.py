"""test_matmul: a test for products of matrices."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_matmul
from minigrad.kernels.matmul import matmul_naive

check = TestCheck(
    test_matmul,
    of=matmul_naive,
    rejects={
        "last_only": "a kernel that keeps only the last product",
        "turned": "a kernel whose c is transposed",
        "a_wide": "a kernel that takes rows of a to have N elements",
        "b_wide": "a kernel that takes rows of b to have K elements",
        "b_rows": "a kernel that reads b's rows instead of its columns",
        "onto_c": "a kernel that adds to what c held before",
        "not_zero": "a kernel that writes nothing if K is 0",
        "one_too_few": "a kernel that leaves out the last k",
        "no_guard": "a kernel without its guard",
        "other_block": "a kernel that takes every block to be square",
        "coarse": "a kernel whose c is too large by 2 percent",
        "swapped": "a kernel that counts rows along x and columns along y",
    },
    not_tested="`skipped`, as the contract names no infinity, and no_column_guard, "
    "from_one and onto_c_each, which are much like no_guard, one_too_few and onto_c",
)
