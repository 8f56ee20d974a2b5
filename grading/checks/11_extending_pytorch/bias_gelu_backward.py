"""bias_gelu_backward: the gradient of gelu(x + bias) with respect to x."""

import itertools

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
    # infinite also where the slope's two parts have other signs, or one of them is 0
    pairs = [(x, dy) for x in (-50, -2, -0.5, 0, 1, 6) for dy in (np.inf, -np.inf)]
    pairs += itertools.product((np.nan, 50, -50, 0, -0.0, -2), (0, -0.0, 1, np.nan))
    x, dy = np.float32(random.sample(pairs, len(pairs))).T.copy()
    args = dy, x, np.zeros(2, np.float32), blank(x.size), *np.int32([2, x.size])
    yield "0, NaN, and infinity", launch(args, x.size, 64)


def reference(dy, x, bias, dx, N, n, launch=None):  # noqa: N803
    u = added(x, bias, launch)
    return slope(dy.double().view(u.shape), u).view(-1)


check = kernel_check(bias_gelu_backward, drawn=drawn, reference=reference, more=more)
