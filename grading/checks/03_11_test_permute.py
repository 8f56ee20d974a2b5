"""A test for permute."""

import itertools

import numpy as np

import minigrad
from grading.checking.learner_tests import swallowed
from grading.exercise import mistakes, right
from minigrad.exercises.own_tests import test_permute

mistakes(test_permute)("""
let_through:
> np.shares_memory(y.numpy(), x.numpy()) -> True
> (1, 2, 6), 5) -> (12, 4, 1), 0)
> ((1, 2, 0),), ->
> (-1, 0, -2), ->
false_alarm:
> assert x.shape == -> assert y.strides == (6, 1, 2); assert x.shape ==
right: another x
> (1, 2, 6), 5) -> (20, 4, 1), 9)
""")
swallowed(test_permute)


@right(test_permute, "every order, by the strides")
def _(permute):
    x = minigrad.arange(500).as_strided((3, 2, 5), (7, 40, 2), 11)
    for dims in itertools.permutations(range(3)):
        for given in dims, (dims,), [d - 3 for d in dims], (dims[0] - 3, *dims[1:]):
            y = permute(x, *given)
            assert y.shape == tuple(x.shape[d] for d in dims), given
            assert y.strides == tuple(x.strides[d] for d in dims), given
            assert y.numpy()[0, 0, 0] == 11, given
            assert np.shares_memory(y.numpy(), x.numpy()), given
