"""gelu(x + bias): a kernel of scalar_t and acc_t."""

import numpy as np

from grading.exercise import blank, checks, mistakes
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


mistakes(bias_gelu)("""
no_bias: the bias is left out
> (acc_t)x[i] + (acc_t)bias[i % N] -> (acc_t)x[i]
row: the bias goes by row: it has an element for each column, i % N
> bias[i % N] -> bias[i / N % N]
flat: bias has N elements, not n: its index is i % N
> [i % N] -> [i]
no_guard: a thread without an element goes on: the last block has more threads than
    there are elements
> if (i >= n) return; ->
sigmoid: u * sigmoid(u) is another function, SiLU
> (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752)) -> (1 / (1 + exp(-u)))
tanh: this is the approximation by tanh, which differs in the fourth digit
> (1 + erf(u * (acc_t)0.70710678118654752)) -> (1 + tanh((acc_t)0.7978845608028654 * (u
    + (acc_t)0.044715 * u * u * u)))
root: erf gets u, and it is u / sqrt(2)
> erf(u * (acc_t)0.70710678118654752) -> erf(u)
bias_outside: the bias is added after gelu: it belongs inside
> (acc_t)x[i] + (acc_t)bias[i % N] -> (acc_t)x[i]
& 0.70710678118654752))) -> 0.70710678118654752)) + (acc_t)bias[i % N])
in_float: it is computed in float, whatever acc_t is
> acc_t u -> float u
& (acc_t) -> (float)
rounded_sum: numbers lose digits on the way: turn scalar_t into acc_t first, compute in
    that, and round once, at the end
> (acc_t)x[i] + (acc_t)bias[i % N] -> (acc_t)(float)(x[i] + bias[i % N])
rounded_twice: it is rounded to scalar_t more than once: y alone is
> (scalar_t)(u * (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752)))
    -> (scalar_t)((acc_t)(scalar_t)(u * (acc_t)0.5) * (acc_t)(scalar_t)(1 + erf(u *
    (acc_t)0.70710678118654752)))
right: a loop over the grid
> if (i >= n) return; -> for (; i < n; i += gridDim.x * blockDim.x) {
& 0.70710678118654752))); -> 0.70710678118654752))); }
right: by erfc
> u * (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752)) -> u * (acc_t)0.5 * erfc(-u
    * (acc_t)0.70710678118654752)
right: each thread a share of the elements
>
    long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long i = t * n / threads; i < (t + 1) * n / threads; i++) {
        acc_t u = acc_t(x[i]) + acc_t(bias[i - i / N * N]), half = u / 2;
        y[i] = scalar_t(half + half * erf(u / sqrt(acc_t(2))));
    }
""")
