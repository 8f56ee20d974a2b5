"""The gradient of gelu(x + bias) with respect to x."""

import numpy as np
import torch

from grading.exercise import blank, checks, mistakes
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


mistakes(bias_gelu_backward)("""
no_dy: dy is left out: the chain rule multiplies by it
> (acc_t)dy[i] * ->
zero_skipped: nothing is written where dy is 0: dx is 0 there, whatever it held before
> if (i >= n) return; -> if (i >= n || (float)dy[i] == 0) return;
no_bias: the bias is left out: u is x + bias
> (acc_t)x[i] + (acc_t)bias[i % N] -> (acc_t)x[i]
row: the bias goes by row: its index is i % N
> [i % N] -> [i / N % N]
no_guard: a thread without an element goes on: the last block has more threads than
    there are elements
> if (i >= n) return; ->
share_alone: only the share: the share itself changes with u, too, which is u * density
> (share + u * density) -> share
density_alone: only u * density: the other half of the product rule is the share
> (share + u * density) -> (u * density)
wide: the density has exp(-u * u / 2): without the 2 it is another curve
> (acc_t)-0.5 -> (acc_t)-1
forward: this is dy * gelu(u), not dy * gelu'(u)
> (share + u * density) -> (u * share)
in_float: it is computed in float, whatever acc_t is
> acc_t u -> float u
& acc_t share -> float share
& acc_t density -> float density
& (acc_t) -> (float)
rounded_sum: numbers lose digits on the way: turn scalar_t into acc_t first, compute in
    that, and round once, at the end
> (acc_t)x[i] + (acc_t)bias[i % N] -> (acc_t)(float)(x[i] + bias[i % N])
right: a loop over the grid
> if (i >= n) return; -> for (; i < n; i += gridDim.x * blockDim.x) {
& u * density)); -> u * density)); }
right: by division
> u * (acc_t)0.70710678118654752 -> u / (acc_t)1.4142135623730951
& exp(u * u * (acc_t)-0.5) -> exp(-u * u / 2)
right: dy in each part
> (acc_t)dy[i] * (share + u * density)
    -> (acc_t)dy[i] * share + (acc_t)dy[i] * u * density
right: by two functions
>
    __device__ acc_t share(acc_t u) {
        return erfc(u * (acc_t)-0.70710678118654752) / 2;
    }

    __device__ acc_t density(acc_t u) {
        const acc_t pi = 3.14159265358979324;
        return exp(u * u / -2) / sqrt(2 * pi);
    }

    __global__ void bias_gelu_backward(const scalar_t* dy, const scalar_t* x,
                                       const scalar_t* bias, scalar_t* dx, int N,
                                       int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) {
            acc_t u = (acc_t)x[i] + (acc_t)bias[i % N];
            dx[i] = (scalar_t)((acc_t)dy[i] * fma(u, density(u), share(u)));
        }
    }
""")
