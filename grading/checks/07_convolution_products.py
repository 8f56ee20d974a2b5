"""Chapter 07, convolution as a product: w @ columns + bias by PyTorch is the oracle."""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Launch, blank, distinct, mistake
from minigrad.kernels import convolution

from .tiles import ProductCheck, small


@checks(convolution.conv2d_gemm)
class Conv2dGemm(ProductCheck):
    def cases(self, random):
        for sizes in (1, 16, 32, 16), (1, 32, 16, 48):
            yield "whole tiles", self.launch(random, *sizes)
        for sizes in (1, 17, 33, 19), (1, 5, 3, 7), (1, 31, 47, 40), (1, 1, 1, 1):
            yield "any sizes", self.launch(random, *sizes)
        for sizes in (3, 16, 32, 16), (2, 10, 18, 25):
            yield "several images", self.launch(random, *sizes)

    def launch(self, random, N, O, K, P):  # noqa: E741
        columns, w = small(random, N, K, P), small(random, O, K)
        bias = distinct(random, O) * 1000
        grid = -(-P // 16), -(-O // 16), N
        most = np.prod(grid) * (512 * -(-K // 16) + 256)
        args = columns, w, bias, blank(N, O, P), *np.int32([O, K, P])
        return Launch(grid, (16, 16), args, 0, {"reads": int(most)})

    def expected(self, launch, columns, w, bias, y, O, K, P):  # noqa: E741
        columns, w, bias = map(torch.from_numpy, (columns, w, bias))
        return w.double() @ columns.double() + bias[:, None]

    @cause(
        "the kernel is turned around: columns and weights have the same order, and "
        "w[o][k] goes with columns[k][p]"
    )
    def flipped(self, launch, columns, w, bias, y, *sizes):
        return self.expected(launch, columns, w[:, ::-1].copy(), bias, y, *sizes)

    @cause("the bias is left out")
    def no_bias(self, launch, columns, w, bias, y, *sizes):
        return self.expected(launch, columns, w, 0 * bias, y, *sizes)

    bias_by_pixel = mistake(
        "the bias goes with the place: it belongs to the channel, bias[o] for the "
        "whole row o",
        """
        __shared__ float w_tile[16][16], c_tile[16][16];
        int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z;
        int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
        columns += n * K * P;
        float sum = 0.0f;
        for (int k = 0; k < K; k += 16) {
            w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f;
            c_tile[ty][tx] = k + ty < K && col < P ? columns[(k + ty) * P + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < 16; i++) sum += w_tile[ty][i] * c_tile[i][tx];
            __syncthreads();
        }
        if (row < O && col < P) y[(n * O + row) * P + col] = sum + bias[col];
        """,
    )

    @cause("the bias is added once for each tile of K: it is added once, in the end")
    def bias_each_tile(self, launch, columns, w, bias, y, *sizes):
        return self.expected(launch, columns, w, bias * -(-sizes[1] // 16), y, *sizes)

    @cause(
        "all images are made of the first one's columns: image n begins at n * K * P"
    )
    def first_image(self, launch, columns, w, bias, y, *sizes):
        columns[1:] = columns[0]
        return self.expected(launch, columns, w, bias, y, *sizes)

    @cause("the last, partial tile of K is left out: K may be any number")
    def tail_left_out(self, launch, columns, w, bias, y, *sizes):
        w[:, sizes[1] // 16 * 16 :] = 0
        return self.expected(launch, columns, w, bias, y, *sizes)

    returned = mistake(
        "threads behind the edge have returned, and nobody fills their cells of the "
        "tiles: let them help like the others, and only not write",
        """
        __shared__ float w_tile[16][16], c_tile[16][16];
        int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z;
        int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
        if (row >= O || col >= P) return;
        columns += n * K * P;
        float sum = 0.0f;
        for (int k = 0; k < K; k += 16) {
            w_tile[ty][tx] = k + tx < K ? w[row * K + k + tx] : 0.0f;
            c_tile[ty][tx] = k + ty < K ? columns[(k + ty) * P + col] : 0.0f;
            __syncthreads();
            for (int i = 0; i < 16; i++) sum += w_tile[ty][i] * c_tile[i][tx];
            __syncthreads();
        }
        y[(n * O + row) * P + col] = sum + bias[row];
        """,
    )
