"""conv2d_direct: F.conv2d, from a tile and its halo in shared memory."""

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.exercise import Check, Launch, blank
from minigrad.kernels.convolution import conv2d_direct

from .exact import bias, factors
from .windows import squares


def launch(random, N, C, H, W, O, K, padding):  # noqa: E741
    x, w = factors(random, H % 2, (N, C, H, W), (O, C, K, K))
    OH, OW = H + 2 * padding - K + 1, W + 2 * padding - K + 1
    grid, side = (-(-OW // 16), -(-OH // 16), N * O), 16 + K - 1
    most = int(np.prod(grid)) * C * side**2
    limits = {"reads of x": most} if O < 100 else {}
    arrays = x, w, bias(random, O), blank(N, O, OH, OW)
    args = *arrays, *np.int32([C, H, W, O, K, padding])
    return Launch(grid, (16, 16), args, 0, limits)


def cases(random):
    for sizes in (1, 1, 18, 34, 1, 3, 0), (1, 2, 18, 18, 2, 3, 0):
        yield "whole tiles", launch(random, *sizes)
    for sizes in (1, 1, 7, 9, 1, 3, 0), (1, 2, 21, 18, 1, 2, 0):
        yield "tiles at the edge", launch(random, *sizes)
    for sizes in (1, 1, 16, 16, 1, 3, 1), (1, 2, 9, 20, 1, 5, 2):
        yield "padding", launch(random, *sizes)
    special = launch(random, 1, 2, 9, 20, 1, 3, 1)
    special.args[0].flat[[0, -1]], special.args[1].flat[4] = (np.inf, np.nan), 0
    yield "padding", special
    for _, C, H, W, K, stride, padding in squares(random):
        if stride == 1 and C < 9:
            yield "windows of any size", launch(random, 1, C, H, W, 2, K, padding)
    yield "windows of any size", launch(random, 1, 1, 23, 25, 1, 7, 3)
    for row in pairwise(
        random,
        N=(1, 2),
        C=(1, 3),
        H=(7, 16, 19),
        W=(8, 17, 33),
        O=(1, 3),
        K=(1, 2, 4, 7),
        padding=(0, 1, 3),
    ):
        yield "windows of any size", launch(random, *row.values())
    for sizes in (1, 1, 33_000, 2, 1, 1, 0), (1, 1, 3, 33_000, 1, 2, 0):
        yield "large ones", launch(random, *sizes)
    for sizes in [(1, 66, 4, 3, 1, 1, 0), (2, 3, 10, 17, 2, 3, 1),
                  (1, 1, 1, 1, 33_000, 1, 0)]:  # fmt: skip
        yield "several images and channels", launch(random, *sizes)


def reference(x, w, bias, y, *sizes):
    return F.conv2d(x.double(), w.double(), bias.double(), padding=int(sizes[-1]))


check = Check(
    conv2d_direct,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, stride, dilation, K above 7, and a w or bias that isn't "
    "finite, which the contract rules out",
)
