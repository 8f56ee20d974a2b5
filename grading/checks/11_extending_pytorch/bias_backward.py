"""bias_backward: the gradient of a bias: the sums of columns, a thread each."""

import numpy as np

from grading.exercise import Limits, blank
from minigrad.kernels.bias_gelu import bias_backward

from ..inputs import numbers
from .bias_kernels import kernel_check, launch

SIZES = {
    "columns": [(4, 3), (5, 33), (1, 257), (60, 1), (64, 64), (3, 1000)],
    "many columns": [(1, 40_000)],
    "many rows": [(1_100, 1)],
    "no rows": [(0, 5)],
    "no columns": [(4, 0)],
}


def args_of(dx):
    M, N = dx.shape  # noqa: N806
    return dx.reshape(-1), blank(N, dtype=dx.dtype), np.int32(M), np.int32(N)


def drawn(random, dtype, M, N):  # noqa: N803
    dx = numbers(random, M, N, scale=3.0).astype(dtype)
    dx = np.rint(dx) if M > 1000 else dx  # added up without an error
    return args_of(dx), N


def more(random):
    dx = np.ones((60, 5), np.float32)
    dx[0], dx[-1] = 2.0**26, -(2.0**26)  # a float keeps no 1 beside these
    yield "float in double", launch(args_of(dx), 5, 64, "float", "double")
    dx = numbers(random, 3, 5, scale=3.0).astype(np.float32)
    dx[1, :3], dx[2, 2:], dx[0, 4] = [np.nan, np.inf, np.inf], -np.inf, 0
    yield "NaN and infinity", launch(args_of(dx), 5, 64)
    limits = {"sectors": 33 * 128 // 8, "atomics": 0}
    args, threads = drawn(random, np.float32, 32, 128)
    yield "coalesced reads", launch(args, threads, 64, limits=limits)


def reference(dx, dbias, M, N):  # noqa: N803
    return dx.double().view(M, N).sum(0)


check = kernel_check(
    bias_backward,
    drawn=drawn,
    reference=reference,
    more=more,
    sizes=SIZES,
    few=[(90, 7), (33, 40)],
    small=400.0,  # of numbers of size 3, added up: partial sums are larger
    limits=Limits(steps=4_000),  # a loop of too many rounds ends soon
)
