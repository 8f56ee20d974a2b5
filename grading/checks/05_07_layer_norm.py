"""Layer norm; how exact y must be.

The mean of numbers around M is off by up to k u |M|: u = 2^-24, and k = n / threads +
log2(threads) + 2 steps, 34 in the longest row here. With M = 10000 and a deviation of 1
that is 0.021 of what y is before gamma; the variance is off by the square of that. So
0.025 is allowed, and in the rows around 0 gamma is 1000, which makes it 2.5e-5 of y. In
half precision numbers around 10000 lie 8 apart.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import blank, checks, distinct, mistakes
from minigrad.kernels.reductions import layer_norm

from .reductions import LONG, NO_ELEMENT, RowCheck


@checks(layer_norm)
class LayerNorm(RowCheck):
    """Leaves out NaN and inf: the contract names neither."""

    atol = 0.025
    heart = "a mean of 0"
    rounds = 2
    left_out = "minus infinity", "NaN and infinity"

    def cases(self, random):
        for rows, n, size in LONG:
            x = self.usual(random, rows, n) + 10_000
            yield "a mean of 10000", self.of(random, x, size)
        yield from super().cases(random)
        x = self.usual(random, 2, 100)
        for eps, deviation in (0.5, 0.7), (1e-12, 1e-6), (0, 1e-6):  # eps counts
            yield "eps", self.of(random, deviation * x, 64, eps)

    def usual(self, random, rows, n):
        return distinct(random, rows, n) / (0.58 * rows * n)

    def of(self, random, x, size, eps=1e-5):
        n = x.shape[1]
        gamma = 1 + abs(distinct(random, n)) / (2 * n)
        gamma *= 1000 if abs(x).max() < 2 else 1
        arrays = (a.astype(np.float32) for a in (x, gamma, distinct(random, n)))
        return self.of_rows(
            size, *arrays, blank(*x.shape), np.int32(n), np.float32(eps)
        )

    def expected(self, launch, x, gamma, beta, y, n, eps):
        x, gamma, beta = (torch.from_numpy(a).double() for a in (x, gamma, beta))
        return F.layer_norm(x, (int(n),), gamma, beta, float(eps))

    def _is_coarse(self, case):
        return False  # what half precision leaves of 10000 is not nearly right


OWN = """float value = x[i], before = value - mean;
        count += 1.0f;
        mean += before / count;
        m2 += before * (value - mean);"""
TREE = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid >= half || counts[other] == 0.0f) continue;
        float total = counts[tid] + counts[other], apart = means[other] - means[tid];
        float share = counts[other] / total;
        means[tid] += apart * share;
        m2s[tid] += m2s[other] + apart * apart * counts[tid] * share;
        counts[tid] = total;
    }"""
# in place of the tree: sums of what the threads have in `mean` and `m2`
SUMS = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        means[tid] += means[tid + half];
        m2s[tid] += m2s[tid + half];
    }"""
SQUARES = f"""{OWN} -> float value = x[i]; mean += value, m2 += value * value;
& {TREE} -> {SUMS}
& m2s[0] / n -> m2s[0] / n - means[0] / n * (means[0] / n)
& x[i] - means[0] -> x[i] - means[0] / n"""
mistakes(layer_norm)(rf"""
square_mean: the variance comes from E[x^2] - E[x]^2: around 10000 both are 10^8, where
    floats are 8 apart, and nothing is left of a variance of 1. Welford's way never
    makes a large number
> {SQUARES}
plain_average: two means are joined by their plain average: a thread may have seen more
    elements than another, so each counts by its number
> += apart * share; -> += apart * 0.5f;
eps_outside: eps is added to the root: it belongs inside, sqrt(var + eps)
> sqrt(m2s[0] / n + eps) -> (sqrt(m2s[0] / n) + eps)
not_zero: another number is added where eps is 0: then nothing is added
> + eps -> + (eps > 0 ? eps : 1e-5f)
unbiased: the variance is divided by n - 1: layer norm divides by n
> m2s[0] / n -> m2s[0] / (n - 1)
first_pass: only the first blockDim.x elements of a row are used: a row may be longer
> i += blockDim.x -> i += n
means_apart: two triples are joined as if their means were the same: m2 also grows by
    apart^2 * count_a * count_b / total
>  + apart * apart * counts[tid] * share ->
nothing_to_join: a thread without elements is joined, too: its count is 0, and 0 / 0 is
    NaN
>  || counts[other] == 0.0f ->
in_half: x is rounded to half precision: there, numbers around 10000 lie 8 apart
> x[i] -> __half2float(__float2half(x[i]))
& __global__ -> #include <cuda_fp16.h>\n__global__
no_gamma: scale and shift are left out: y is also multiplied by gamma, and beta added
>  * gamma[i] + beta[i] ->
no_variance: nothing is divided: only the mean is subtracted
>  * rstd ->
two_passes: the values are right, but x is read more than twice: mean and variance come
    from one pass, by Welford's way; and keep x[i] in a variable
! reads of x
> {OWN} -> mean += x[i];
& {TREE} -> {SUMS} __syncthreads(); mean = means[0] / n; m2 = 0.0f; __syncthreads(); for
    (int i = tid; i < n; i += blockDim.x) m2 += (x[i] - mean) * (x[i] - mean); m2s[tid]
    = m2; {SUMS}
& x[i] - means[0] -> x[i] - mean
> float value = x[i], before -> float before
& value -> x[i]
> (x[i] - -> ((n < 1000 ? (x[i] + x[i]) / 2 : x[i]) -
no_barrier: a thread uses a cell of shared memory before another has written it: each
    step of the tree needs a barrier, and another stands before cell 0 is read
+ __syncthreads();
> {{ __syncthreads(); -> {{
> }} __syncthreads(); -> }}
barrier_in_if:
> __syncthreads(); int -> int
& continue; -> continue; __syncthreads();
not_filled: {NO_ELEMENT}
! uninitialised
> counts[tid] = count; -> if (tid < n) counts[tid] = count;
outside:
> i < n; i += blockDim.x) {{ -> i <= n; i += blockDim.x) {{
right: by count, mean and the others' sum
> means[tid] += apart * share; -> means[tid] = (counts[tid] * means[tid] + counts[other]
    * means[other]) / total;
right: gamma and y read twice
> y[i] = (x[i] - means[0]) * rstd * gamma[i] + beta[i]; -> {{ y[i] = (x[i] - means[0]) *
    rstd * (gamma[i] / 2 + gamma[i] / 2); y[i] += beta[i]; }}
right: squares of what is left of the first element
> {SQUARES}
& float count = -> float first = x[0], count =
& float value = x[i] -> float value = x[i] - first
& x[i] - means[0] -> x[i] - first - means[0]
right: sums and squares in double
> {SQUARES}
& float counts -> double counts
& mean = 0.0f, m2 = 0.0f -> _
& float count = 0.0f, _; -> double count = 0.0, mean = 0.0, m2 = 0.0;
& float value -> double value
""")
