"""A test for a gradient, by differences.

Leaves out `guarded`, which is wrong at b = 0 alone: the contract names no 0.
"""

from grading.exercise import own_test
from minigrad.exercises.own_tests import test_div_backward
from minigrad.ops.vjp import div_backward

own_test(
    test_div_backward,
    div_backward,
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
    },
)
