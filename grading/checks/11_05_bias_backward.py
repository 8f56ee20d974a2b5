"""The gradient of a bias: the sums of columns, a thread each."""

import numpy as np
import torch

from grading.exercise import blank, checks
from minigrad.kernels.bias_gelu import bias_backward

from .bias_kernels import BiasCheck, numbers


@checks(bias_backward)
class BiasBackward(BiasCheck):
    """Leaves out bfloat16: the contract names no type, and half is like it."""

    steps = 4_000  # a loop of too many rounds ends soon
    small = 400.0  # of numbers of size 3, added up: partial sums are larger
    sizes = {
        "columns": [(4, 3), (5, 33), (1, 257), (60, 1), (64, 64), (3, 1000)],
        "many columns": [(1, 40_000)],
        "many rows": [(1_100, 1)],
        "no rows": [(0, 5)],
        "no columns": [(4, 0)],
    }
    few = [(90, 7), (33, 40)]

    def cases(self, random):
        yield from self.launches(random, self.make)
        dx = np.ones((60, 5), np.float32)
        dx[0], dx[-1] = 2.0**26, -(2.0**26)  # a float keeps no 1 beside these
        args = dx.reshape(-1), blank(5), np.int32(60), np.int32(5)
        yield "float in double", self.launch(args, 5, 64, "float", "double")
        dx = numbers(random, 3, 5)
        dx[1, :4], dx[2, 2] = [np.nan, np.inf, np.inf, 0], -np.inf
        args = dx.reshape(-1), blank(5), np.int32(3), np.int32(5)
        yield "NaN and infinity", self.launch(args, 5, 64, "float", "float")
        args, threads = self.make(random, np.float32, (32, 128))
        limits = {"sectors": 33 * 128 // 8, "atomics": 0}
        launch = self.launch(args, threads, 64, "float", "float", limits=limits)
        yield "coalesced reads", launch

    def make(self, random, dtype, size):
        M, N = size
        dx = numbers(random, M * N, dtype=dtype)
        dx = np.rint(dx) if M > 1000 else dx  # added up without an error
        return (dx, blank(N, dtype=dtype), np.int32(M), np.int32(N)), N

    def expected(self, launch, dx, dbias, M, N):
        return torch.from_numpy(dx).double().view(M, N).sum(0)

    def built(self, dtype):
        dx = np.random.default_rng(0).standard_normal((200, 33)).astype(dtype)
        expected = dx.astype(np.float64).sum(0)
        return [dx.reshape(-1), np.zeros(33, dtype)], [200, 33], 33, expected
