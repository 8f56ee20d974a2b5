"""A test for broadcasting.

Leaves out other T and OP: the contract says T=float and OP=maximum.
"""

from grading.own_tests import own_test
from minigrad.exercises.own_tests import test_broadcast
from minigrad.kernels.elementwise import binary_broadcast

own_test(
    test_broadcast,
    binary_broadcast,
    """
    flat: a kernel that looks at no strides
    flat_a: a kernel that does not look at a's strides
    flat_b: a kernel that does not look at b's strides
    one_view: a kernel that reads b by a's strides
    other_view: a kernel that reads a by b's strides
    stride_zero: a kernel that takes a stride of 0 for 1
    nan_in_maximum: a kernel that loses a NaN in a
    nan_in_b: a kernel that loses a NaN in b
    no_guard: a kernel without its guard
    """,
    """
    let_through:
    > b = np.array([2, 0, np.nan, -7, np.nan, -> b = np.array([2, 0, 3, -7, 5,
    > (same, row), (row, same), (turned, same), ->
    false_alarm:
    > np.maximum -> np.fmax
    right: larger launches
    > kernel(2, 32 -> kernel(3, 64
    """,
    options=("-DT=float", "-DOP=maximum"),
)
