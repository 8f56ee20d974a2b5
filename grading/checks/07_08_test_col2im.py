"""A test for the adjoint of im2col.

Leaves out the other mistakes of col2im: the contract of a test names no mistakes.
"""

from grading.own_tests import own_test
from minigrad.exercises.own_tests import test_col2im
from minigrad.kernels.convolution import col2im

own_test(
    test_col2im,
    col2im,
    """
    first_tap: a kernel that does the first tap alone
    overwritten: a kernel that overwrites where windows overlap
    flipped: a kernel whose taps are turned round
    taps_swapped: a kernel in which kh and kw have changed places
    outside: a kernel that does not ask what lies outside of the image
    """,
    """
    let_through:
    > np.testing.assert_allclose(one, other, 1e-3, 1e-3) -> pass
    > (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2) -> (5, 7, 3,
        2, 1, 0, 1)
    > c = random.normal -> c = 0 * random.normal
    > [ (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2) ] -> [(6, 6,
        2, 2, 2, 0, 1)]
    false_alarm:
    > (x * back) -> (back)
    > 1e-3, 1e-3) -> 0, 0)
    > forward(blocks, 128, (x, -> forward(blocks, 128, (-x,
    right: three planes
    > sizes = 2, -> sizes = 3,
    & size=(2, -> size=(3,
    """,
)
