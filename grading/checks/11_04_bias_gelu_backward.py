"""The gradient of gelu(x + bias) with respect to x."""

import numpy as np
import torch

from grading.exercise import blank, checks
from minigrad.kernels.bias_gelu import bias_gelu_backward

from .bias_kernels import BiasCheck, added, gelu, in_float, numbers


def slope(dy, x, bias, single=False):
    """PyTorch's dx, in double."""
    u = added(x, bias, single).requires_grad_()
    dy = torch.from_numpy(dy).double().view(u.shape)
    return torch.autograd.grad(gelu(u), u, dy)[0].view(-1)


@checks(bias_gelu_backward)
class BiasGeluBackward(BiasCheck):
    """Leaves out bfloat16: the contract names no type, and half is like it."""

    def cases(self, random):
        yield from self.launches(random, self.make)
        x = np.array([1, np.nan, 40, np.nan, -40, 0, -0.0, -2, 6], np.float32)
        dy = np.array([0, 1, 2, 0, 3, 1, np.nan, -0.0, np.inf], np.float32)
        args = dy, x, np.zeros(3, np.float32), blank(9), np.int32(3), np.int32(9)
        yield "0, NaN, and infinity", self.launch(args, 9, 64, "float", "float")

    def make(self, random, dtype, size):
        rows, N = size
        n = rows * N
        dy, x = (numbers(random, n, dtype=dtype, size=s) for s in (1.0, 2.0))
        bias = numbers(random, N, dtype=dtype, size=1.0)
        out = blank(n, dtype=dtype)
        return (dy, x, bias, out, np.int32(N), np.int32(n)), n

    def expected(self, launch, dy, x, bias, dx, N, n):
        return slope(dy, x, bias, in_float(launch))

    def built(self, dtype):
        draw, sizes = np.random.default_rng(0), (99 * 33, 99 * 33, 33)
        dy, x, bias = (draw.standard_normal(s).astype(dtype) for s in sizes)
        arrays = [dy, x, bias, np.zeros_like(x)]
        return arrays, [33, x.size], x.size, slope(dy, x, bias).numpy()
