"""Convolution as a product: w @ columns + bias by PyTorch is the oracle."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import Launch, blank
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.kernels.convolution import conv2d_gemm

from .products import MORE_ZEROS, ONE_ZERO, odd
from .tiles import RETURNED, ProductCheck, bias, factors


@checks(conv2d_gemm)
class Conv2dGemm(ProductCheck):
    def cases(self, random):
        for sizes in (1, 16, 32, 16), (1, 32, 16, 48):
            yield "whole tiles", self.launch(random, *sizes)
        for sizes in (1, 17, 33, 19), (1, 5, 3, 7), (1, 31, 47, 40), (1, 1, 1, 1):
            yield "any sizes", self.launch(random, *sizes)
        for sizes in (1, 1, 2, 33_000), (1, 33_000, 2, 1), (1, 2, 1100, 1):
            yield "large ones", self.launch(random, *sizes)
        for sizes in (3, 16, 32, 16), (2, 10, 18, 25), (33_000, 1, 1, 1):
            yield "several images", self.launch(random, *sizes)
        launch = self.launch(random, 2, 10, 18, 25)
        odd(launch.args[1], launch.args[0][0])
        yield "zero and infinity", launch

    def launch(self, random, N, O, K, P):  # noqa: E741
        fine = O % 2 if K <= 64 else None
        columns, w = factors(random, fine, (N, K, P), (O, K))
        grid = -(-P // 16), -(-O // 16), N
        most = np.prod(grid) * (512 * -(-K // 16) + 256)
        limits = {"reads": int(most)} if N < 100 else {}
        args = columns, w, bias(random, O), blank(N, O, P), *np.int32([O, K, P])
        return Launch(grid, (16, 16), args, 0, limits)

    def expected(self, launch, columns, w, bias, y, O, K, P):  # noqa: E741
        columns, w, bias = map(torch.from_numpy, (columns, w, bias))
        return w.double() @ columns.double() + bias[:, None]


mistakes(
    conv2d_gemm,
    flipped=Mistake(
        "the kernel is turned around: columns and weights have the same order, and "
        "w[o][k] goes with columns[k][p]",
        "w[row * K + k + tx] -> w[row * K + K - 1 - k - tx]",
    ),
    no_bias=Mistake("the bias is left out", "sum + bias[row] -> sum"),
    bias_by_pixel=Mistake(
        "the bias goes with the place: it belongs to the channel, bias[o] for the "
        "whole row o",
        "bias[row] -> bias[col]",
    ),
    bias_each_tile=Mistake(
        "the bias is added once for each tile of K: it is added once, in the end",
        (
            "sum + bias[row] -> sum",
            "__syncthreads();\n    } -> __syncthreads();\n"
            "        if (row < O) sum += bias[row];\n    }",
        ),
    ),
    first_image=Mistake(
        "all images are made of the first one's columns: image n begins at n * K * P",
        "columns += n * K * P; ->",
    ),
    tail_left_out=Mistake(
        "the last, partial tile of K is left out: K may be any number",
        "k < K; k += 16 -> k + 16 <= K; k += 16",
    ),
    returned=Mistake(
        RETURNED,
        "float sum = -> if (row >= O || col >= P) return;\n    float sum =",
    ),
    no_barrier=Known(
        "__syncthreads();\n        for -> for",
        "__syncthreads();\n    } -> }",
    ),
    not_filled=Known(
        "w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f; -> "
        "if (row < O && k + tx < K) w_tile[ty][tx] = w[row * K + k + tx];"
    ),
    outside=Known("row < O && k + tx < K ? w -> true ? w"),
    many_reads=Known(
        """
        int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
        if (row >= O || col >= P) return;
        float sum = bias[row];
        for (int k = 0; k < K; k++)
            sum += w[row * K + k] * columns[(blockIdx.z * K + k) * P + col];
        y[(blockIdx.z * O + row) * P + col] = sum;
        """
    ),
    barrier_in_if=Known("__syncthreads();\n    } -> if (row < O) __syncthreads();\n }"),
)

equivalent(conv2d_gemm, MORE_ZEROS, "comparison: k <= K;")
equivalent(
    conv2d_gemm,
    ONE_ZERO,
    "constant: w[row * K + k + tx] : 1.0f;",
    "constant: columns[(k + ty) * P + col] : 1.0f;",
)

right(
    conv2d_gemm,
    "flat tiles, and sums in double",
    (
        "w_tile[16][16], c_tile[16][16] -> w_tile[256], c_tile[256]",
        "w_tile[ty][tx] -> w_tile[ty * 16 + tx]",
        "c_tile[ty][tx] -> c_tile[ty * 16 + tx]",
        "w_tile[ty][i] -> w_tile[ty * 16 + i]",
        "c_tile[i][tx] -> c_tile[i * 16 + tx]",
        "float sum -> double sum",
    ),
)
