"""A test for broadcasting.

Leaves out other T and OP: the contract says T=float and OP=maximum.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_broadcast
from minigrad.kernels.copy import Strides
from minigrad.kernels.elementwise import binary_broadcast

own_test(test_broadcast, binary_broadcast, options=("-DT=float", "-DOP=maximum"))("""
flat: a kernel that looks at no strides
flat_a: a kernel that does not look at a's strides
flat_b: a kernel that does not look at b's strides
one_view: a kernel that reads b by a's strides
other_view: a kernel that reads a by b's strides
stride_zero: a kernel that takes a stride of 0 for 1
nan_in_maximum: a kernel that loses a NaN in a
nan_in_b: a kernel that loses a NaN in b
no_dims: a kernel that leaves out a number, which has no dimensions
no_guard: a kernel without its guard
let_through:
> b = np.array([2, 0, np.nan, -7, np.nan, -> b = np.array([2, 0, 3, -7, 5,
> (same, row), (row, same), (turned, same), ->
false_alarm:
> np.maximum -> np.fmax
right: larger launches
> kernel(2, 32 -> kernel(3, 64
""")


@right(test_broadcast, "element by element")
def _(kernel):
    nan = float("nan")
    a = np.array([5, nan, -2, 7, 1, nan], np.float32)
    b = np.array([6, 3, nan, -7, 2, nan], np.float32)
    full, row, column, turned = (3, 1), (0, 1), (1, 0), (1, 2)
    for one, other in [(full, row), (row, full), (column, row), (row, column),
                       (turned, full), (full, turned)]:  # fmt: skip
        y = np.full(70, 77, np.float32)
        views = Strides((2, 3), one), Strides((2, 3), other)
        kernel(2, 32, (a, views[0], b, views[1], y, 6))
        for i in range(6):
            p, q = (x[i // 3 * s[0] + i % 3 * s[1]] for x, s in ((a, one), (b, other)))
            if p != p or q != q:
                assert y[i] != y[i], "a NaN is lost"
            else:
                assert y[i] == (p if p > q else q), f"y[{i}]"
        assert set(y[6:]) == {77}
    y, number = np.full(1, 77, np.float32), Strides((), ())
    kernel(1, 32, (a, number, b, number, y, 1))
    assert y[0] == 6
