"""test_div_backward: a test for a gradient, by differences."""

from grading.checking.candidates import TestCheck
from minigrad.exercises.own_tests import test_div_backward
from minigrad.ops.vjp import div_backward

check = TestCheck(
    test_div_backward,
    of=div_backward,
    rejects={
        "like_mul": "the gradient of a product",
        "sign": "a gradient with the other sign",
        "not_squared": "a gradient in which b is not squared",
        "a_left_out": "a gradient without a",
        "no_dy": "a gradient without dy",
        "other_operand": "the gradient of a",
        "sign_of_b": "a gradient that has the other sign where b is negative",
        "negative_lost": "a gradient that is 0 where b is negative",
        "difference": "a difference over a step of 0.1",
        "first_b": "a gradient with the first b for all elements",
        "unknown": "a gradient that's too large by 2 percent",
        "damped": "a gradient that divides by b * b + 0.05",
    },
    not_tested="`guarded`, which is wrong at b = 0 alone: the contract names no 0",
)
