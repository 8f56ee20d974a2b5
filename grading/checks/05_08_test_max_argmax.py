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
        "np.testing.assert_array_equal(indices, x.argmax(1)) -> pass",
        "-1 - abs(plain), plain[:, :1], plain[:, :40]) -> )",
        "ties, nans, -> ties,",
        "plain, ties, nans, -> plain,",
        (
            "(plain, ties, nans, -1 - abs(plain), plain[:, :1], plain[:, "
            ":40]) -> (plain[:, :20],)"
        ),
        SWALLOWED,
    ),
    false_alarm=Known(
        "x.argmax(1) -> x.argmin(1)",
        "x.max(1) -> np.nanmax(x, 1)",
        "np.full(3, -9, np.int32) -> np.full(3, -9, np.int64)",
    ),
)
RIGHTS = {
    "other rows": "size=(3, 300) -> size=(3, 299)",
    "one block size": "(32, 64, 256) -> (64,)",
    "more infinity": "-1 - abs(plain) -> -np.inf + 0 * plain, -1 - abs(plain)",
    "by a loop": (
        "np.testing.assert_array_equal(indices, x.argmax(1)) -> assert "
        "[*indices] == [int(np.argmax(row)) for row in x]"
    ),
}
for style, change in RIGHTS.items():
    right(test_max_argmax, style, change)
