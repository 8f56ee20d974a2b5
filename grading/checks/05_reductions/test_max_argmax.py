"""test_max_argmax: a test for max_argmax."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_max_argmax
from minigrad.kernels.reductions import max_argmax

check = TestCheck(
    test_max_argmax,
    of=max_argmax,
    rejects={
        "of_matrix": "a kernel whose indices count through all rows",
        "initial_zero": "a kernel whose largest element is never below 0",
        "first_pass": "a kernel that looks at the first blockDim.x elements alone",
        "index_of_thread": "a kernel whose index is that of the thread",
        "last_of_ties": "a kernel that takes the last of equal elements",
        "nan_lost": "a kernel that loses NaN",
        "any_nan": "a kernel that takes any NaN, not the first",
        "tie_in_tree": "a kernel that takes the lower thread's of equal elements",
        "by_bits": (
            "a kernel for which 0 is larger than -0, and a negative NaN the smallest"
        ),
        "outside": "a kernel that reads element n",
    },
    not_tested="mistakes of barriers and of memory that nobody has filled: what a "
    "launch then gives is chance",
)
