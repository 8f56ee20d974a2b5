"""Chapter 05, layer_norm; how exact y must be.

The mean of numbers around M is off by up to k u |M|: u = 2^-24, and k = n / threads +
log2(threads) + 2 steps, 34 in the longest row here. With M = 10000 and a deviation of 1
that is 0.021 of what y is before gamma; the variance is off by the square of that. So
0.025 is allowed, and in the rows around 0 gamma is 1000, which makes it 2.5e-5 of y. In
half precision numbers around 10000 lie 8 apart.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import reductions

from .reductions import FLOAT, ReductionCheck

ROW = """
    __shared__ float counts[256], means[256], m2s[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i], before = value - mean;
        count += 1.0f;
        mean += before / count;
        m2 += before * (value - mean);
    }
    counts[tid] = count;
    means[tid] = mean;
    m2s[tid] = m2;
"""
JOIN = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid >= half || GUARD) continue;
        float total = counts[tid] + counts[other], apart = means[other] - means[tid];
        float share = counts[other] / total;
        means[tid] += apart * share;
        m2s[tid] += m2s[other] + apart * apart * counts[tid] * share;
        counts[tid] = total;
    }
    __syncthreads();
"""
GUARD = "counts[other] == 0.0f"
RESULT = """
    float rstd = 1.0f / sqrt(m2s[0] / n + eps);
    for (int i = tid; i < n; i += blockDim.x)
        y[i] = (x[i] - means[0]) * rstd * gamma[i] + beta[i];
"""


def body(row=ROW, join=JOIN, result=RESULT, guard=GUARD):
    return row + join.replace("GUARD", guard) + result


@checks(reductions.layer_norm)
class LayerNorm(ReductionCheck):
    atol = 0.025

    def cases(self, random):
        some = random.randint(300, 700)
        for rows, n, size in [(3, 256, 256), (2, 1024, 128), (2, some, 64)]:
            yield "a mean of 10000", self.launch(random, rows, n, size, 10_000)
        for rows, n, size in [(3, 128, 64), (2, 1000, 256), (2, 5000, 256)]:
            yield "a mean of 0", self.launch(random, rows, n, size, 0)
        for n, size in [(1, 32), (2, 256), (31, 32), (33, 256), (255, 256), (9, 1)]:
            yield "rows of any length", self.launch(random, 3, n, size, 0)
        for eps in (0.5, 1e-12):
            yield "eps", self.launch(random, 2, 100, 64, 0, eps)
        launch = self.launch(random, 2, 100, 64, 3)
        launch.args[0][:] = [[3], [0]]
        yield "all elements alike", launch
        yield "few reads", self.launch(random, 2, 2048, 128, 0, counted=True)

    def launch(self, random, rows, n, size, mean, eps=1e-5, counted=False):
        x = distinct(random, rows, n) / (0.58 * rows * n) + mean
        gamma = (1 if mean else 1000) * (1 + abs(distinct(random, n)) / (2 * n))
        arrays = x, gamma, distinct(random, n), blank(rows, n)
        args = *(a.astype(np.float32) for a in arrays[:3]), arrays[3]
        limits = {"reads": rows * (4 * n + size)} if counted else {}
        shared = 3 * size * FLOAT
        return Launch(rows, size, (*args, np.int32(n), np.float32(eps)), shared, limits)

    def expected(self, launch, x, gamma, beta, y, n, eps):
        x, gamma, beta = (torch.from_numpy(a).double() for a in (x, gamma, beta))
        return F.layer_norm(x, (int(n),), gamma, beta, float(eps))

    def _is_coarse(self, case):
        return False  # what half precision leaves of 10000 is not nearly right

    square_mean = mistake(
        "the variance comes from E[x^2] - E[x]^2: around 10000 both are 10^8, where "
        "floats are 8 apart, and nothing is left of a variance of 1. Welford's way "
        "never makes a large number",
        """
        __shared__ float sums[256], squares[256];
        int tid = threadIdx.x;
        x += blockIdx.x * n;
        y += blockIdx.x * n;
        float sum = 0.0f, square = 0.0f;
        for (int i = tid; i < n; i += blockDim.x) {
            float value = x[i];
            sum += value;
            square += value * value;
        }
        sums[tid] = sum;
        squares[tid] = square;
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (tid >= half) continue;
            sums[tid] += sums[tid + half];
            squares[tid] += squares[tid + half];
        }
        __syncthreads();
        float mean = sums[0] / n, var = squares[0] / n - mean * mean;
        float rstd = 1.0f / sqrt(var + eps);
        for (int i = tid; i < n; i += blockDim.x)
            y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
        """,
    )
    means_apart = mistake(
        "two triples are joined as if their means were the same: m2 also grows by "
        "apart^2 * count_a * count_b / total",
        body(join=JOIN.replace("+ apart * apart * counts[tid] * share", "")),
    )
    plain_average = mistake(
        "two means are joined by their plain average: a thread may have seen more "
        "elements than another, so each counts by its number",
        body(join=JOIN.replace("apart * share;", "apart * 0.5f;")),
    )
    nothing_to_join = mistake(
        "a thread without elements is joined, too: its count is 0, and 0 / 0 is NaN",
        body(guard="false"),
    )
    eps_outside = mistake(
        "eps is added to the root: it belongs inside, sqrt(var + eps)",
        body(
            result=RESULT.replace("sqrt(m2s[0] / n + eps)", "(sqrt(m2s[0] / n) + eps)")
        ),
    )
    unbiased = mistake(
        "the variance is divided by n - 1: layer norm divides by n",
        body(result=RESULT.replace("m2s[0] / n", "m2s[0] / (n - 1)")),
    )
    first_pass = mistake(
        "only the first blockDim.x elements of a row are used: a row may be longer",
        body(
            row=ROW.replace("i < n;", "i < min(n, blockDim.x);"),
            result=RESULT.replace("i < n;", "i < min(n, blockDim.x);"),
        ),
    )

    @cause("x is rounded to half precision: there, numbers around 10000 lie 8 apart")
    def in_half(self, launch, x, gamma, beta, y, n, eps):
        x = x.astype(np.float16).astype(np.float32)
        return self.expected(launch, x, gamma, beta, y, n, eps)

    @cause(
        "scale and shift are left out: y is also multiplied by gamma, and beta added"
    )
    def no_gamma(self, launch, x, gamma, beta, y, n, eps):
        return F.layer_norm(torch.from_numpy(x).double(), (int(n),), eps=float(eps))

    @cause("nothing is divided: only the mean is subtracted")
    def no_variance(self, launch, x, gamma, beta, y, n, eps):
        x = x.astype(np.float64)
        return (x - x.mean(1, keepdims=True)) * gamma + beta

    @cause(
        "the values are right, but x is read more than twice: mean and variance come "
        "from one pass, by Welford's way; and keep x[i] in a variable"
    )
    def two_passes(self, launch, x, gamma, beta, y, n, eps):
        return Fault("reads")

    @cause(
        "a thread uses a cell of shared memory before another has written it: each "
        "step of the tree needs a barrier, and another stands before cell 0 is read"
    )
    def no_barrier(self, launch, x, gamma, beta, y, n, eps):
        return Fault("race")

    @cause(
        "the barrier stands inside an if, or some threads have returned before it: all "
        "threads of the block must come to it"
    )
    def barrier_in_if(self, launch, x, gamma, beta, y, n, eps):
        return Fault("divergent-barrier")

    @cause(
        "a cell is used that nobody has filled: threads without elements put 0 there"
    )
    def not_filled(self, launch, x, gamma, beta, y, n, eps):
        return Fault("uninitialised")

    @cause("a thread goes outside the arrays: row r has n elements, from r * n on")
    def outside(self, launch, x, gamma, beta, y, n, eps):
        return Fault("out-of-bounds")
