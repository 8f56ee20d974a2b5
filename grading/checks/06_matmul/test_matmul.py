"""test_matmul: a test for products of matrices."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_matmul
from minigrad.kernels.matmul import matmul_naive

check = TestCheck(
    test_matmul,
    of=matmul_naive,
    rejects={
        "last_only": "a kernel that keeps the last product alone",
        "turned": "a kernel whose c is transposed",
        "a_wide": "a kernel that takes rows of a for N elements long",
        "b_wide": "a kernel that takes rows of b for K elements long",
        "b_rows": "a kernel that reads b transposed",
        "onto_c": "a kernel that adds to what c holds",
        "not_zero": "a kernel that writes nothing where K is 0",
        "one_too_few": "a kernel that leaves out the last k",
        "no_guard": "a kernel without its guard",
        "other_block": "a kernel that takes every block for a square",
        "swapped": "a kernel that takes x for rows and y for columns",
    },
    not_tested="`skipped`, as the contract names no infinity, and no_column_guard, "
    "from_one and onto_c_each, which are much like no_guard, one_too_few and onto_c",
)
