"""Chapter 05, softmax_rows and online_softmax; how exact y must be.

x - m is off by at most u |x - m|, u = 2^-24, and so is, as a share, its exponential.
Below m - 104 nothing is left of it in float, so that is 104 u; the exponential's own
error is 2 u, a sum of n / threads + log2(threads) positive terms is off by that many u,
and the division by one: together under 128 u = 2^-17 in each of the cases below. In
half precision one rounding is 2^-11. Numbers below 2^-126 have fewer digits.
"""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import reductions

from .reductions import FLOAT, ReductionCheck

SUM = """
    partial[tid] = l;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    __syncthreads();
    l = partial[0];
"""
MAX = """
    partial[tid] = m;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }
    __syncthreads();
    m = partial[0];
    __syncthreads();
"""
HEAD = """
    __shared__ float partial[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;
"""
EACH = "for (int i = tid; i < n; i += blockDim.x)"
OWN_MAX = f"float m = x[0]; {EACH} m = max(m, x[i]);"
OWN_SUM = f"float l = 0.0f; {EACH} l += exp(x[i] - m);"
RESULT = f"{EACH} y[i] = exp(x[i] - m) / l;"


class SoftmaxCheck(ReductionCheck):
    """A softmax of rows, in float."""

    rtol, atol = 2.0**-17, 2.0**-126
    counts_reads = False

    def cases(self, random):
        some = random.randint(100, 250)
        for rows, n, size in [(3, 256, 256), (2, 128, 64), (4, some, 256)]:
            yield "scores around 0", self.of(self.scores(random, rows, n), size)
        for scale in (100, 10_000):
            x = scale * self.scores(random, 3, 200) / 8
            yield "scores up to 10000", self.of(x, 256)
        yield "scores up to 10000", self.of(self.scores(random, 2, 90) - 9990, 64)
        yield "scores up to 10000", self.of(self.scores(random, 2, 90) + 9990, 64)
        for n, size in [(1000, 256), (257, 64), (5000, 256), (2048, 128)]:
            yield "rows longer than a block", self.of(self.scores(random, 2, n), size)
        for n, size in [(1, 256), (2, 32), (31, 32), (33, 128), (5, 1), (255, 256)]:
            yield "rows of any length", self.of(self.scores(random, 3, n), size)
        yield "minus infinity", self.of(self.ruled_out(random, 300), 64)
        yield "minus infinity", self.of(self.ruled_out(random, 1000), 256)

    def scores(self, random, rows, n):
        """From -8 to 8, in no order; the largest stands late in a row, too."""
        x = distinct(random, rows, n) * (8 / (rows * n))
        x[0] = np.sort(x[0])
        return x

    def ruled_out(self, random, n):
        """Half of the elements: at the beginning, here and there, all but one."""
        x = self.scores(random, 3, n)
        x[0, : n // 2] = x[1, ::2] = -np.inf
        x[2, np.arange(n) != random.randrange(n)] = -np.inf
        return x

    def of(self, x, size):
        rows, n = x.shape
        x = x.astype(np.float32)
        limits = {}
        if self.counts_reads and n >= 1000:
            limits["reads"] = rows * (2 * n + size)
        args = x, blank(rows, n), np.int32(n)
        return Launch(rows, size, args, 2 * size * FLOAT, limits)

    def expected(self, launch, x, y, n):
        return torch.softmax(torch.from_numpy(x).double(), 1)

    no_shift = mistake(
        "the row's largest element is not subtracted: exp of 89 is infinite in float, "
        "and of all below -104 it is 0",
        f"{HEAD} float m = 0.0f; {OWN_SUM} {SUM} {RESULT}",
    )
    begins_at_zero = mistake(
        "the largest element is never below 0: the search begins with 0. Where all "
        "scores are far below, every exponential is 0, and 0 / 0 is NaN",
        f"{HEAD} {OWN_MAX.replace('x[0]', '0.0f')} {MAX} {OWN_SUM} {SUM} {RESULT}",
    )
    first_pass = mistake(
        "only the first blockDim.x elements of a row are done: a row may be longer "
        "than the block, so each thread needs a loop",
        f"{HEAD} {OWN_MAX} {MAX} {OWN_SUM} {SUM} {RESULT}".replace(
            EACH, "for (int i = tid; i < min(n, blockDim.x); i += blockDim.x)"
        ),
    )
    short_sum = mistake(
        "the largest and the sum are those of the first blockDim.x elements alone: "
        "each thread needs a loop there, too",
        f"{HEAD} {OWN_MAX} {MAX} {OWN_SUM} {SUM}".replace(
            EACH, "for (int i = tid; i < min(n, blockDim.x); i += blockDim.x)"
        )
        + RESULT,
    )

    @cause("nothing is divided: y is exp(x - max), and its sum is not 1")
    def not_divided(self, launch, x, y, n):
        x = torch.from_numpy(x).double()
        return (x - x.amax(1, True)).exp()

    @cause(
        "softmax is of all rows together: each row has a largest and a sum of its own"
    )
    def of_matrix(self, launch, x, y, n):
        return torch.softmax(torch.from_numpy(x).double().ravel(), 0).view(x.shape)

    @cause(
        "a thread uses a cell of shared memory before another has written it, or after "
        "it was overwritten: each step of a tree needs a barrier, and another stands "
        "between reading a result from cell 0 and the next use of the array"
    )
    def no_barrier(self, launch, x, y, n):
        return Fault("race")

    @cause(
        "the barrier stands inside an if, or some threads have returned before it: all "
        "threads of the block must come to it"
    )
    def barrier_in_if(self, launch, x, y, n):
        return Fault("divergent-barrier")

    @cause(
        "a cell is used that nobody has filled: threads without elements need "
        "something that changes nothing"
    )
    def not_filled(self, launch, x, y, n):
        return Fault("uninitialised")

    @cause("a thread goes outside the arrays: row r has n elements, from r * n on")
    def outside(self, launch, x, y, n):
        return Fault("out-of-bounds")


@checks(reductions.softmax_rows)
class SoftmaxRows(SoftmaxCheck):
    own_largest = mistake(
        "each thread subtracts the largest of its own elements: the terms of a sum "
        "must have the same subtracted, the row's",
        f"{HEAD} {OWN_MAX} {OWN_SUM} {SUM} {RESULT}",
    )


PAIRS = """
    __shared__ float ms[256], ls[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    float m = %s, l = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {
        float value = x[i], top = max(m, value);
        l = %s + exp(value - top);
        m = top;
    }
    ms[tid] = m;
    ls[tid] = l;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid >= half) continue;
        int other = tid + half;
        float top = max(ms[tid], ms[other]);
        ls[tid] = %s;
        ms[tid] = top;
    }
    __syncthreads();
    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - ms[0]) / ls[0];
"""
LOW, SCALED = "-3e38f", "l * exp(m - top)"
JOINED = "ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top)"


@checks(reductions.online_softmax)
class OnlineSoftmax(SoftmaxCheck):
    counts_reads = True

    begins_at_zero = mistake(
        "the largest element is never below 0: m begins with 0. Where all scores are "
        "far below, every exponential is 0, and 0 / 0 is NaN",
        PAIRS % ("0.0f", SCALED, JOINED),
    )
    not_scaled = mistake(
        "l is not scaled when m changes: its terms were made with the old m, and all "
        "change by the factor exp(old m - new m)",
        PAIRS % (LOW, "l", JOINED),
    )
    added_in_tree = mistake(
        "in the tree the two l are added as they are: the one with the smaller m must "
        "be scaled by exp(its m - larger m) first",
        PAIRS % (LOW, SCALED, "ls[tid] + ls[other]"),
    )
    one_scaled = mistake(
        "in the tree only the other's l is scaled: if the other m is the larger one, "
        "it is this thread's own l that must be",
        PAIRS % (LOW, SCALED, "ls[tid] + ls[other] * exp(ms[other] - top)"),
    )
    minus_infinity = mistake(
        "m begins with minus infinity: where a thread has no element, or minus "
        "infinity alone, m - top is NaN. Begin with a finite number, such as -3e38f",
        PAIRS % ("__int_as_float(0xff800000)", SCALED, JOINED),
    )

    @cause(
        "the values are right, but x is read more than twice: the largest and the sum "
        "come from one pass, (m, l); and each x[i] that is written is a read, so keep "
        "it in a variable"
    )
    def three_passes(self, launch, x, y, n):
        return Fault("reads")
