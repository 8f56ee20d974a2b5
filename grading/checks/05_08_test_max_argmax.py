"""A test for the largest of each row."""

from grading.checking import checks
from grading.mistakes import Known, mistakes, right
from grading.own_tests import SWALLOWED, OwnTest
from minigrad.exercises.own_tests import test_max_argmax
from minigrad.kernels.reductions import max_argmax


@checks(test_max_argmax)
class MaxArgmaxTest(OwnTest):
    of = max_argmax
    wrong = {
        "of_matrix": "a kernel whose indices count through all rows",
        "initial_zero": "a kernel whose largest element is never below 0",
        "first_pass": "a kernel that looks at the first blockDim.x elements alone",
        "index_of_thread": "a kernel whose index is that of the thread",
        "last_of_ties": "a kernel that takes the last of equal elements",
        "nan_lost": "a kernel that loses NaN",
        "any_nan": "a kernel that takes any NaN, not the first",
    }


mistakes(
    test_max_argmax,
    let_through=Known(
        "-1 - abs(plain), plain[:, :1], plain[:, :40]) -> )",
        "ties, nans, -> ties,",
        "plain, ties, nans, -> plain,",
        SWALLOWED,
    ),
    false_alarm=Known("x.max(1) -> np.nanmax(x, 1)"),
)
right(test_max_argmax, "one block size", "(32, 64, 256) -> (64,)")
