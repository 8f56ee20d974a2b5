"""What the checks of softmaxes share; how exact y must be.

x - m is off by at most u |x - m|, u = 2^-24, and so is, as a share, its exponential.
Below m - 104 nothing is left of it in float, so that is 104 u; the exponential's own
error is 2 u, a sum of n / threads + log2(threads) positive terms is off by that many u,
and the division by one: together under 512 u = 2^-15 in each of the cases below. In
half precision one rounding is 2^-11. Numbers below 2^-126 have fewer digits.
"""

import numpy as np
import torch

from grading.exercise import blank, distinct

from .reductions import RowCheck, TreesCheck

NO_SHIFT = (
    "the row's largest element is not subtracted: exp of 89 is infinite in float, "
    "and of all below -104 it is 0"
)
NEAR = (
    "y is the same for any m near the largest element, which is at most 40000: whole, "
    "or in half, m is off by 16 at most"
)
SHORT_SUM = (
    "the largest and the sum are those of the first blockDim.x elements alone: "
    "each thread needs a loop there, too"
)
NOT_DIVIDED = "nothing is divided: y is exp(x - max), and its sum is not 1"
ROW = "x += blockIdx.x * n;\n    y += blockIdx.x * n;"
WRITE = "for (int i = tid; i < n; i += blockDim.x) y[i] ="
BOTH = f"""
first_pass: only the first blockDim.x elements of a row are done: a row may be longer
    than the block, so each thread needs a loop
> i += blockDim.x -> i += n
of_matrix: softmax is of all rows together: each row has a largest and a sum of its own
> {ROW} -> n *= gridDim.x;
& {WRITE} -> n /= gridDim.x; {ROW} {WRITE}
"""


class SoftmaxCheck(RowCheck, TreesCheck):
    """A softmax of rows, in float."""

    rtol, atol = 2.0**-15, 2.0**-126
    rounds = 5  # over x at most; three are needed

    heart = "scores around 0"
    left_out = ("NaN and infinity",)

    def cases(self, random):
        yield from super().cases(random)
        lowest = self.usual(random, 3, 300) - 39_990
        yield "negative elements alone", self.of(random, lowest, 64)

    def usual(self, random, rows, n):
        """From -8 to 8, in no order; the largest stands late in a row, too."""
        x = distinct(random, rows, n) * (8 / (rows * n))
        x[0] = np.sort(x[0])
        return x

    def of(self, random, x, size):
        x = x.astype(np.float32)
        return self.of_rows(size, x, blank(*x.shape), np.int32(x.shape[1]))

    def expected(self, launch, x, y, n):
        return torch.softmax(torch.from_numpy(x).double(), 1)
