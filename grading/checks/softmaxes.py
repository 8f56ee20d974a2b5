"""What the checks of softmaxes share; how exact y must be.

x - m is off by at most u |x - m|, u = 2^-24, and so is, as a share, its exponential.
Below m - 104 nothing is left of it in float, so that is 104 u; the exponential's own
error is 2 u, a sum of n / threads + log2(threads) positive terms is off by that many u,
and the division by one: together under 256 u = 2^-16 in each of the cases below. In
half precision one rounding is 2^-11. Numbers below 2^-126 have fewer digits.
"""

import numpy as np
import torch

from grading.kernels import Fault, Launch, blank, distinct
from grading.mistakes import Missing, Mistake

from .reductions import ROWS, RowCheck

NO_SHIFT = (
    "the row's largest element is not subtracted: exp of 89 is infinite in float, "
    "and of all below -104 it is 0"
)
NEAR = (
    "y is the same for any m near the largest element, which is at most 10000: whole, "
    "or in half, m is off by 4 at most"
)
SHORT_SUM = (
    "the largest and the sum are those of the first blockDim.x elements alone: "
    "each thread needs a loop there, too"
)
NOT_DIVIDED = "nothing is divided: y is exp(x - max), and its sum is not 1"
ROW = "x += blockIdx.x * n;\n    y += blockIdx.x * n;"
WRITE = "for (int i = tid; i < n; i += blockDim.x) y[i] ="
BOTH = f"""
    first_pass: only the first blockDim.x elements of a row are done: a row may be
        longer than the block, so each thread needs a loop
    > i += blockDim.x -> i += n
    of_matrix: softmax is of all rows together: each row has a largest and a sum of its
        own
    > {ROW} -> n *= gridDim.x;
    & {WRITE} -> n /= gridDim.x; {ROW} {WRITE}
"""


class SoftmaxCheck(RowCheck):
    """A softmax of rows, in float."""

    rtol, atol = 2.0**-16, 2.0**-126
    rounds = 5  # over x at most; three are needed

    def cases(self, random):
        some = random.randint(100, 250)
        for rows, n, size in [(3, 256, 256), (2, 128, 64), (4, some, 256)]:
            yield "scores around 0", self.of(self.scores(random, rows, n), size)
        for scale in (100, 10_000):
            x = scale * self.scores(random, 3, 250) / 8
            yield "scores up to 10000", self.of(x, 64)
        yield "scores up to 10000", self.of(self.scores(random, 2, 20) - 9990, 64)
        yield "scores up to 10000", self.of(self.scores(random, 2, 90) + 9990, 64)
        far = 12 * self.scores(random, 1, 40_000)
        yield "rows longer than a block", self.of(far, 256)
        for n, size in [(1000, 256), (257, 64), (5000, 256), (2048, 128)]:
            yield "rows longer than a block", self.of(self.scores(random, 2, n), size)
        for n, size in ROWS:
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
        if n >= 1000:
            limits["reads of x"] = rows * (self.rounds * n + size)
        args = x, blank(rows, n), np.int32(n)
        return Launch(rows, size, args, limits=limits)

    def expected(self, launch, x, y, n):
        return torch.softmax(torch.from_numpy(x).double(), 1)

    no_barrier = Mistake(
        "a thread uses a cell of shared memory before another has written it, or after "
        "it was overwritten: each step of a tree needs a barrier, and another stands "
        "between reading a result from cell 0 and the next use of the array",
        Missing("__syncthreads();"),
    )
    not_filled = Mistake(
        "a cell is used that nobody has filled: threads without elements need "
        "something that changes nothing",
        Fault("uninitialised"),
    )
