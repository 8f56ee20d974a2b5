"""Chapter 07, a tile and its halo: F.conv2d is the oracle."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from grading.kernels import Launch, blank, distinct, mistake
from minigrad.kernels import convolution

from .tiles import ProductCheck, small


@checks(convolution.conv2d_direct)
class Conv2dDirect(ProductCheck):
    def cases(self, random):
        for sizes in (1, 1, 18, 34, 1, 3, 0), (1, 2, 18, 18, 2, 3, 0):
            yield "whole tiles", self.launch(random, *sizes)
        for sizes in (1, 1, 7, 9, 1, 3, 0), (1, 2, 21, 18, 1, 2, 0):
            yield "tiles at the edge", self.launch(random, *sizes)
        for sizes in (1, 1, 16, 16, 1, 3, 1), (1, 2, 9, 20, 1, 5, 2):
            yield "padding", self.launch(random, *sizes)
        for sizes in (1, 2, 19, 17, 1, 1, 0), (1, 1, 23, 25, 1, 7, 3):
            yield "windows of any size", self.launch(random, *sizes)
        yield "several images and channels", self.launch(random, 2, 3, 10, 17, 2, 3, 1)

    def launch(self, random, N, C, H, W, O, K, padding):  # noqa: E741
        x, w = small(random, N, C, H, W), small(random, O, C, K, K)
        bias = distinct(random, O) * 1000
        OH, OW = H + 2 * padding - K + 1, W + 2 * padding - K + 1
        grid, side = (-(-OW // 16), -(-OH // 16), N * O), 16 + K - 1
        most = np.prod(grid) * (C * (side**2 + 256 * K * K + 256) + 256)
        args = x, w, bias, blank(N, O, OH, OW), *np.int32([C, H, W, O, K, padding])
        return Launch(grid, (16, 16), args, 0, {"reads": int(most)})

    def expected(self, launch, x, w, bias, y, C, H, W, O, K, padding):  # noqa: E741
        x, w, bias = (torch.from_numpy(a).double() for a in (x, w, bias))
        return F.conv2d(x, w, bias, padding=int(padding))

    @cause(
        "the kernel is turned around: w[kh][kw] goes with x[oh + kh][ow + kw]. What "
        "the books call convolution turns it, PyTorch does not"
    )
    def flipped(self, launch, x, w, bias, y, *sizes):
        return self.expected(launch, x, w[:, :, ::-1, ::-1].copy(), bias, y, *sizes)

    @cause("the bias is left out")
    def no_bias(self, launch, x, w, bias, y, *sizes):
        return self.expected(launch, x, w, 0 * bias, y, *sizes)

    @cause("the bias is added once for each channel of x: it is added once")
    def bias_each_channel(self, launch, x, w, bias, y, *sizes):
        return self.expected(launch, x, w, bias * sizes[0], y, *sizes)

    @cause("only the last channel counts: the sum goes over all channels of x")
    def last_channel(self, launch, x, w, bias, y, *sizes):
        w[:, :-1] = 0
        return self.expected(launch, x, w, bias, y, *sizes)

    @cause("all images are made of the first one: image n begins at n * C * H * W")
    def first_image(self, launch, x, w, bias, y, *sizes):
        x[1:] = x[0]
        return self.expected(launch, x, w, bias, y, *sizes)

    halo_corner = mistake(
        "the corner of the halo is missing: right of the tile and below it rows and "
        "columns are filled, but not where both are beyond it. Fill the whole square "
        "of 16 + K - 1 elements",
        """
        __shared__ float part[22][22];
        int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z / O, o = blockIdx.z % O;
        int top = blockIdx.y * 16, left = blockIdx.x * 16;
        int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
        float sum = bias[o];
        for (int c = 0; c < C; c++) {
            for (int e = 0; e < 4; e++) {
                int r = ty + e / 2 * 16, q = tx + e % 2 * 16;
                if (r >= 16 + K - 1 || q >= 16 + K - 1) continue;
                int ih = top - padding + r, iw = left - padding + q;
                bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W && e < 3;
                part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
            }
            __syncthreads();
            for (int kh = 0; kh < K; kh++)
                for (int kw = 0; kw < K; kw++)
                    sum += w[((o * C + c) * K + kh) * K + kw] * part[ty + kh][tx + kw];
            __syncthreads();
        }
        if (top + ty < OH && left + tx < OW)
            y[(blockIdx.z * OH + top + ty) * OW + left + tx] = sum;
        """,
    )
    corner_unfilled = mistake(
        "the corner of the halo is missing: nobody fills the cells that are beyond the "
        "tile in both directions, and windows at the tile's corner read them. Fill the "
        "whole square of 16 + K - 1 elements",
        """
        __shared__ float part[22][22];
        int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z / O, o = blockIdx.z % O;
        int top = blockIdx.y * 16, left = blockIdx.x * 16;
        int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
        float sum = bias[o];
        for (int c = 0; c < C; c++) {
            for (int e = 0; e < 3; e++) {
                int r = ty + e / 2 * 16, q = tx + e % 2 * 16;
                if (r >= 16 + K - 1 || q >= 16 + K - 1) continue;
                int ih = top - padding + r, iw = left - padding + q;
                bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
                part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
            }
            __syncthreads();
            for (int kh = 0; kh < K; kh++)
                for (int kw = 0; kw < K; kw++)
                    sum += w[((o * C + c) * K + kh) * K + kw] * part[ty + kh][tx + kw];
            __syncthreads();
        }
        if (top + ty < OH && left + tx < OW)
            y[(blockIdx.z * OH + top + ty) * OW + left + tx] = sum;
        """,
    )

    @cause("the padding is left out: part[0][0] lies `padding` before the tile")
    def no_padding(self, launch, x, w, bias, y, C, H, W, O, K, padding):  # noqa: E741
        x = np.pad(x, ((0, 0), (0, 0), (0, 2 * padding), (0, 2 * padding)))
        return self.expected(launch, x, w, bias, y, C, H, W, O, K, 0)

    returned = mistake(
        "threads behind the edge have returned, and nobody fills their cells of the "
        "tiles: let them help like the others, and only not write",
        """
        __shared__ float part[22][22];
        int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z / O, o = blockIdx.z % O;
        int top = blockIdx.y * 16, left = blockIdx.x * 16, side = 16 + K - 1;
        int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
        if (top + ty >= OH || left + tx >= OW) return;
        float sum = bias[o];
        for (int c = 0; c < C; c++) {
            for (int r = ty; r < side; r += 16)
                for (int q = tx; q < side; q += 16) {
                    int ih = top - padding + r, iw = left - padding + q;
                    bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;
                    part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
                }
            __syncthreads();
            for (int kh = 0; kh < K; kh++)
                for (int kw = 0; kw < K; kw++)
                    sum += w[((o * C + c) * K + kh) * K + kw] * part[ty + kh][tx + kw];
            __syncthreads();
        }
        y[(blockIdx.z * OH + top + ty) * OW + left + tx] = sum;
        """,
    )
