"""test_max_argmax: a test for max_argmax."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_max_argmax
from minigrad.kernels.reductions import max_argmax

check = TestCheck(
    test_max_argmax,
    of=max_argmax,
    rejects={
        "of_matrix": "a kernel whose indices count through all rows",
        "initial_zero": "a kernel whose maximum is never below 0",
        "first_pass": "a kernel that searches only the first blockDim.x elements",
        "index_of_thread": "a kernel whose index is the thread's number",
        "last_of_ties": "a kernel that returns the last of equal elements",
        "nan_lost": "a kernel that doesn't find NaN",
        "any_nan": "a kernel that returns any NaN instead of the first",
        "tie_in_tree": "a kernel that returns the lower thread's of equal elements",
        "by_bits": (
            "a kernel for which 0 is above -0 and a negative NaN below all numbers"
        ),
        "outside": "a kernel that reads element n",
    },
    not_tested="mistakes of barriers and of memory that nobody has filled: what a "
    "launch then gives is chance",
)
