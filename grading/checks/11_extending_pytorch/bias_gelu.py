"""bias_gelu: gelu(x + bias), by a kernel of scalar_t and acc_t."""

import numpy as np

from grading.exercise import blank
from minigrad.kernels.bias_gelu import bias_gelu

from ..inputs import numbers
from .bias_kernels import added, gelu, kernel_check, launch, odd


def drawn(random, dtype, rows, N):  # noqa: N803
    n = rows * N
    x, bias = (numbers(random, size, scale=3.0).astype(dtype) for size in (n, N))
    return (x, bias, blank(n, dtype=dtype), np.int32(N), np.int32(n)), n


def more(random):
    x, bias = odd(random)
    args = x, bias, blank(x.size), *np.int32([bias.size, x.size])
    yield "NaN, infinity, far out", launch(args, x.size, 64)


def reference(x, bias, y, N, n, launch=None):  # noqa: N803
    return gelu(added(x, bias, launch)).view(-1)


check = kernel_check(bias_gelu, drawn=drawn, reference=reference, more=more)
