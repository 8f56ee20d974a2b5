"""A test for permute.

Leaves out which errors a permute raises: the contract says not to test them.
"""

import itertools

import numpy as np

import minigrad
from grading.exercise import own_test, right
from minigrad import Tensor
from minigrad.exercises.own_tests import test_permute

own_test(test_permute, Tensor.permute)("""
strides_only: a permute that leaves the shape as it was
shape_only: a permute that leaves the strides as they were
inverse: a permute in the inverse order
reverse: a permute that only turns the order round
fresh_strides: a permute with the strides of a new tensor
row_major: a permute that takes every tensor for row-major
offset_lost: a permute that forgets the offset
copies: a permute that copies
negative: a permute that does not know negative dims
one_tuple: a permute that does not take a tuple
allowed: other_errors, other_errors 2
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
