"""A test for the adjoint of im2col.

Leaves out second ways of a mistake: they are much like the first.
"""

import numpy as np

from grading.exercise import own_test, right
from minigrad.exercises.own_tests import test_col2im
from minigrad.kernels.convolution import col2im

own_test(test_col2im, col2im)("""
first_tap: a kernel that does the first tap alone
overwritten: a kernel that overwrites where windows overlap
flipped: a kernel whose taps are turned round
taps_swapped: a kernel in which kh and kw have changed places
outside: a kernel that does not ask what lies outside of the image
race: a kernel that adds without atomics
order: a kernel that takes columns to be window by window
first_plane: a kernel that adds all to the first plane
no_stride: a kernel without the stride
no_padding: a kernel without the padding
padding_added: a kernel that adds the padding
no_dilation: a kernel without the dilation
row_wraps: a kernel that goes on in the next row at the edge
first_left_out: a kernel that leaves out row 0
not_divided: a kernel that takes places between two windows
no_window: a kernel that takes windows that are not there
not_zeroed: a kernel whose sums begin with anything
let_through:
> np.testing.assert_allclose(one, other, 1e-3, 1e-3) -> pass
> (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2) -> (5, 7, 3, 2, 1,
    0, 1)
> c = random.normal -> c = 0 * random.normal
> [ (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2) ] -> [(6, 6, 2,
    2, 2, 0, 1)]
false_alarm:
> (x * back) -> (back)
> 1e-3, 1e-3) -> 0, 0)
> forward(blocks, 128, (x, -> forward(blocks, 128, (-x,
right: three planes
> sizes = 2, -> sizes = 3,
& size=(2, -> size=(3,
""")


@right(test_col2im, "window by window")
def _(kernel):
    random = np.random.default_rng(1)
    for H, W, KH, KW, stride, padding, dilation in [
        (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2)
    ]:  # fmt: skip
        OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
        OW = (W + 2 * padding - dilation * (KW - 1) - 1) // stride + 1
        columns = random.integers(1, 99, (2, KH, KW, OH, OW)).astype(np.float32)
        wanted, x = np.zeros((2, 2, H, W), np.float32)
        for plane, kh, kw, oh, ow in np.ndindex(columns.shape):
            ih = oh * stride - padding + kh * dilation
            iw = ow * stride - padding + kw * dilation
            if 0 <= ih < H and 0 <= iw < W:
                wanted[plane, ih, iw] += columns[plane, kh, kw, oh, ow]
        sizes = 2, H, W, KH, KW, OH, OW, stride, padding, dilation
        kernel(columns.size // 64 + 1, 64, (columns, x, *sizes))
        assert np.array_equal(x, wanted)
