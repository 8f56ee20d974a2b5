"""Answers of test_col2im by other algorithms."""

import numpy as np

from minigrad.exercises.own_tests import test_col2im
from tools.audit.specimens import answer


@answer(test_col2im, right="window by window")
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
