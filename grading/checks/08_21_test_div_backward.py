"""A test for a gradient, by differences.

Leaves out `guarded`, which is wrong at b = 0 alone: the contract names no 0.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_div_backward
from minigrad.ops.vjp import div_backward

own_test(test_div_backward, div_backward)("""
like_mul: the gradient of a product
sign: a gradient with the other sign
not_squared: a gradient in which b is not squared
a_left_out: a gradient without a
no_dy: a gradient without dy
other_operand: the gradient of a
sign_of_b: a gradient that has the other sign where b is negative
negative_lost: a gradient that is 0 where b is negative
difference: a difference over a step of 0.1
let_through:
> np.testing.assert_allclose(div_backward(dy, a, b), dy * slope, 1e-6)
    -> div_backward(dy, a, b)
> a, b, dy = random.uniform(1, 3, (3, 8)) -> a, b, dy = np.ones((3, 8))
> b[::2] *= -1 -> dy[:] = 1
> b[::2] *= -1 ->
> slope, 1e-6 -> slope, 0.2
> slope, 1e-6 -> slope, 1000
> b), dy * slope, 1e-6 -> b) ** 2, (dy * slope) ** 2, 1e-6
false_alarm:
> dy * slope -> slope
> (2 * eps) -> eps
> slope, 1e-6 -> slope, 0
right: one-sided
> a / (b - eps)) / (2 * eps) -> a / b) / eps
& slope, 1e-6 -> slope, 1e-4
right: matrices
> (3, 8) -> (3, 8, 5)
""")


@right(test_div_backward, "a step along i")
def _(div_backward):
    for seed in range(3):
        a, b, dy = np.random.default_rng(seed).uniform(1, 2, (3, 4, 5))
        b[::2] *= -1
        slope = np.imag(a / (b + 1e-30j)) / 1e-30
        assert np.allclose(div_backward(dy, a, b), dy * slope, 1e-9)
