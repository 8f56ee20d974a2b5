"""bias_gelu_backward: the gradient of gelu(x + bias) with respect to x."""

import numpy as np

from grading.exercise import blank
from minigrad.kernels.bias_gelu import bias_gelu_backward

from ..inputs import numbers
from .bias_kernels import added, kernel_check, launch, slope


def drawn(random, dtype, rows, N):  # noqa: N803
    n = rows * N
    sizes = (n, 1.0), (n, 2.0), (N, 1.0)
    inputs = [numbers(random, size, scale=s).astype(dtype) for size, s in sizes]
    return (*inputs, blank(n, dtype=dtype), np.int32(N), np.int32(n)), n


def more(random):
    x = np.array([1, np.nan, 40, np.nan, -40, 0, -0.0, -2, 6], np.float32)
    dy = np.array([0, 1, 2, 0, 3, 1, np.nan, -0.0, np.inf], np.float32)
    args = dy, x, np.zeros(3, np.float32), blank(9), np.int32(3), np.int32(9)
    yield "0, NaN, and infinity", launch(args, 9, 64)


def reference(dy, x, bias, dx, N, n, launch=None):  # noqa: N803
    u = added(x, bias, launch)
    return slope(dy.double().view(u.shape), u).view(-1)


check = kernel_check(bias_gelu_backward, drawn=drawn, reference=reference, more=more)
