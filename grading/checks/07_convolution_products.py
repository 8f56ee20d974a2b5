"""Convolution as a product, and with a tile and its halo: PyTorch is the oracle."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Launch, blank, checks
from minigrad.kernels.convolution import conv2d_direct, conv2d_gemm

from .products import odd, three_sizes, whole
from .tiles import ProductCheck, bias, factors
from .windows import squares


@checks(conv2d_gemm)
class Conv2dGemm(ProductCheck):
    """Leaves out O or P of 0, as the contract does."""

    def cases(self, random):
        for part, O, P, K in three_sizes(random):  # noqa: E741
            yield part, self.launch(random, 1, O, K, P)
        for four in (3, 16, 32, 16), (2, 10, 18, 25), (33_000, 1, 1, 1):
            yield "several images", self.launch(random, *four)
        launch = self.launch(random, 2, 10, 18, 25)
        odd(launch.args[1], launch.args[0][0])
        yield "zero and infinity", launch

    def launch(self, random, N, O, K, P):  # noqa: E741
        fine = O % 2 if K <= 64 else None
        columns, w = factors(random, fine, (N, K, P), (O, K))
        grid = -(-P // 16), -(-O // 16), N
        most = whole(int(np.prod(grid)), K) + 256 * int(np.prod(grid))  # and the bias
        limits = {"reads": most} if max(N, O, P) < 9999 else {}
        args = columns, w, bias(random, O), blank(N, O, P), *np.int32([O, K, P])
        return Launch(grid, (16, 16), args, 0, limits)

    def expected(self, launch, columns, w, bias, y, O, K, P):  # noqa: E741
        columns, w, bias = map(torch.from_numpy, (columns, w, bias))
        return w.double() @ columns.double() + bias[:, None]


@checks(conv2d_direct)
class Conv2dDirect(ProductCheck):
    """Leaves out stride, dilation and K above 7: the contract has none of them."""

    def cases(self, random):
        for sizes in (1, 1, 18, 34, 1, 3, 0), (1, 2, 18, 18, 2, 3, 0):
            yield "whole tiles", self.launch(random, *sizes)
        for sizes in (1, 1, 7, 9, 1, 3, 0), (1, 2, 21, 18, 1, 2, 0):
            yield "tiles at the edge", self.launch(random, *sizes)
        for sizes in (1, 1, 16, 16, 1, 3, 1), (1, 2, 9, 20, 1, 5, 2):
            yield "padding", self.launch(random, *sizes)
        launch = self.launch(random, 1, 2, 9, 20, 1, 3, 1)
        launch.args[0].flat[[0, -1]], launch.args[1].flat[4] = (np.inf, np.nan), 0
        yield "padding", launch
        for _, C, H, W, K, stride, padding in squares(random):
            if stride == 1 and C < 9:
                sizes = 1, C, H, W, 2, K, padding
                yield "windows of any size", self.launch(random, *sizes)
        sizes = 1, 1, 23, 25, 1, 7, 3
        yield "windows of any size", self.launch(random, *sizes)
        for sizes in (1, 1, 33_000, 2, 1, 1, 0), (1, 1, 3, 33_000, 1, 2, 0):
            yield "large ones", self.launch(random, *sizes)
        yield "several images and channels", self.launch(random, 1, 66, 4, 3, 1, 1, 0)
        for sizes in (2, 3, 10, 17, 2, 3, 1), (1, 1, 1, 1, 33_000, 1, 0):
            yield "several images and channels", self.launch(random, *sizes)

    def launch(self, random, N, C, H, W, O, K, padding):  # noqa: E741
        x, w = factors(random, H % 2, (N, C, H, W), (O, C, K, K))
        OH, OW = H + 2 * padding - K + 1, W + 2 * padding - K + 1
        grid, side = (-(-OW // 16), -(-OH // 16), N * O), 16 + K - 1
        most = int(np.prod(grid)) * C * side**2
        limits = {"reads of x": most} if O < 100 else {}
        args = (
            x,
            w,
            bias(random, O),
            blank(N, O, OH, OW),
            *np.int32([C, H, W, O, K, padding]),
        )
        return Launch(grid, (16, 16), args, 0, limits)

    def expected(self, launch, x, w, bias, y, C, H, W, O, K, padding):  # noqa: E741
        x, w, bias = (torch.from_numpy(a).double() for a in (x, w, bias))
        return F.conv2d(x, w, bias, padding=int(padding))
