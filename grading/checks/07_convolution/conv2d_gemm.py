"""conv2d_gemm: a batched product with a bias."""

import numpy as np

from grading.exercise import Check, Launch, blank
from minigrad.kernels.convolution import conv2d_gemm

from ..products import odd, three_sizes, whole
from .exact import bias, factors


def launch(random, N, O, K, P):  # noqa: E741
    fine = O % 2 if K <= 64 else None
    columns, w = factors(random, fine, (N, K, P), (O, K))
    grid = -(-P // 16), -(-O // 16), N
    blocks = int(np.prod(grid))
    most = whole(blocks, K) + 256 * blocks  # and the bias
    limits = {"reads": most} if max(N, O, P) < 9999 else {}
    args = columns, w, bias(random, O), blank(N, O, P), *np.int32([O, K, P])
    return Launch(grid, (16, 16), args, 0, limits)


def cases(random):
    for part, O, P, K in three_sizes(random):  # noqa: E741
        yield part, launch(random, 1, O, K, P)
    for sizes in (3, 16, 32, 16), (2, 10, 18, 25), (33_000, 1, 1, 1):
        yield "several images", launch(random, *sizes)
    special = launch(random, 2, 10, 18, 25)
    odd(special.args[1], special.args[0][0])
    yield "zero and infinity", special


def reference(columns, w, bias, y, *sizes):
    return w.double() @ columns.double() + bias[:, None]


check = Check(
    conv2d_gemm,
    cases=cases,
    reference=reference,
    not_tested="an N, O, or P of 0, which the contract rules out",
)
