"""A test for dropout.

Leaves out no_error and seed, not to be tested by contract; dtype, cut and pattern, of
which it says nothing; scaled_after and mask_alone, two mistakes at once.
"""

import numpy as np

import minigrad
from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_dropout
from minigrad.nn.unfused import dropout

own_test(test_dropout, dropout, times=2)(r"""
always: a dropout that drops in evaluation, too
unscaled: a dropout that does not scale what it keeps
scaled_down: a dropout that scales by 1 - p
mask_inverted: a dropout that keeps with probability p
scaled_by_p: a dropout that divides by p
whole_rows: a dropout that drops whole rows
same_again: a dropout that drops the same elements each time
raised: a dropout that fails for p = 1
let_through:
> kept = y != 0 -> return
> np.testing.assert_allclose(y[kept], 1 / 0.8, 1e-5) -> pass
> for dim in (0, 1): -> for dim in ():
> assert not np.array_equal(y, again) -> assert True
>     assert np.all(dropout(x, 1.0).numpy() == 0)\n ->
false_alarm:
> 1 / 0.8 -> 0.8
> < 0.03 -> < 0.0001
> assert not np.array_equal(y, again) -> assert np.array_equal(y, again)
right: more elements
> ones(100, 100) -> ones(300, 200)
""")


@right(test_dropout, "other numbers, other shares")
def _(dropout):
    x = minigrad.rand(120, 90) + 1
    for p in (0.3, 0.6):
        y = dropout(x, p, True).numpy() / x.numpy()
        zeros = y == 0
        assert abs(zeros.mean() - p) < 0.05
        assert np.allclose(y[~zeros], 1 / (1 - p), 1e-4)
        assert zeros.any(0).all() and zeros.any(1).all()
        assert (zeros != (dropout(x, p).numpy() == 0)).any()
    assert not np.any(dropout(x, 1.0).numpy())
    for same in dropout(x, 0.9, False), dropout(x, 0.0):
        np.testing.assert_array_equal(same.numpy(), x.numpy())
