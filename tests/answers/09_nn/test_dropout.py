"""Answers of test_dropout by other algorithms."""

import numpy as np

import minigrad
from minigrad.exercises.own_tests import test_dropout
from tools.audit.specimens import answer


@answer(test_dropout, right="other numbers, other shares")
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
