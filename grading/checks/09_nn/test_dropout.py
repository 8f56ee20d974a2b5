"""test_dropout: a test for dropout."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_dropout
from minigrad.nn.unfused import dropout

check = TestCheck(
    test_dropout,
    of=dropout,
    times=2,
    rejects={
        "always": "a dropout that drops in evaluation, too",
        "unscaled": "a dropout that does not scale what it keeps",
        "scaled_down": "a dropout that scales by 1 - p",
        "mask_inverted": "a dropout that keeps with probability p",
        "scaled_by_p": "a dropout that divides by p",
        "unknown": "a dropout whose scale is too large by 2 percent",
        "whole_rows": "a dropout that drops whole rows",
        "whole_rows 2": "a dropout that drops whole columns",
        "same_again": "a dropout that drops the same elements each time",
        "divided_by_0 2": "a dropout that fails for p = 1",
    },
    accepts={
        "seed": "drawn by NumPy, so manual_seed doesn't decide it",
        "seed 2": "whose share of zeros is five standard deviations off",
    },
    not_tested="no_error, as in the contract; dtype, cut, and pattern, of "
    "which it says nothing; scaled_after and mask_alone, two mistakes at once",
)
