"""gelu(x + bias): a kernel of scalar_t and acc_t."""

import numpy as np

from grading.exercise import blank, checks
from minigrad.kernels.bias_gelu import bias_gelu

from .bias_kernels import BiasCheck, added, gelu, in_float, numbers


@checks(bias_gelu)
class BiasGelu(BiasCheck):
    """Leaves out bfloat16: the contract names no type, and half is like it."""

    def cases(self, random):
        yield from self.launches(random, self.make)
        odd = np.array([np.inf, np.nan, 0.0, -0.0, 80, -80], np.float32)
        zero = np.zeros(3, np.float32)
        args = odd, zero, blank(6), np.int32(3), np.int32(6)
        yield "NaN, infinity, far out", self.launch(args, 6, 64, "float", "float")

    def make(self, random, dtype, size):
        rows, N = size
        n = rows * N
        x, bias = (numbers(random, size, dtype=dtype) for size in (n, N))
        return (x, bias, blank(n, dtype=dtype), np.int32(N), np.int32(n)), n

    def expected(self, launch, x, bias, y, N, n):
        return gelu(added(x, bias, in_float(launch))).view(-1)

    def built(self, dtype):
        draw = np.random.default_rng(0)
        x, bias = (draw.standard_normal(s).astype(dtype) for s in (99 * 33, 33))
        arrays = [x, bias, np.zeros_like(x)]
        return arrays, [33, x.size], x.size, gelu(added(x, bias)).view(-1).numpy()
