"""What the checks of chapter 05 share: how exact a sum of floats is, and rows.

A float addition is off by at most u = 2^-24 of its result. So a sum in which each term
goes through k additions is off by at most k u (|x1| + |x2| + ...); in half precision u
is 2^-11, 8192 times as much. k is small where the work is shared out: a thread adds
n / threads terms one after the other, then a tree has log2(threads) steps.

The inputs of sums are scaled so that (k + 1) (|x1| + |x2| + ...) is 1 (the 1 is for
rounding the result): then the bound is u in every case.
"""

import numpy as np

from grading.kernels import Fault, KernelCheck, distinct
from grading.mistakes import Mistake
from grading.subject import Problem

U = 2.0**-24
# rows of any length: (elements, threads of the block)
ROWS = (1, 256), (2, 32), (31, 32), (33, 128), (5, 1), (255, 256), (257, 256)
COARSE = (
    "the values are nearly right, but float can do better: is something added up in "
    "half precision, or by one thread after the other?"
)
STEP = "each step of the tree needs a __syncthreads() before it"
NO_ELEMENT = (
    "a cell is used that nobody has filled: threads without elements put 0 there"
)


def steps(n, threads):
    """Additions that a term of n goes through, in loops and then in a tree."""
    return -(-n // threads) + int(np.log2(max(threads, 1)) + 0.999)


def scaled(random, shape, k, terms):
    """Distinct numbers of which each `terms` have a sum that u bounds the error of."""
    x = distinct(random, *shape).astype(np.float64)
    return (x / (abs(x).max() * max(terms, 1) * (k + 1))).astype(np.float32)


def _some(expected):
    """A thousandth of the largest number."""
    finite = expected[np.isfinite(expected)]
    return abs(finite).max(initial=0) / 1000


class ReductionCheck(KernelCheck):
    """A kernel that makes few numbers of many floats."""

    def general(self, case):
        """Values that are nearly right, before what is said of any kernel."""
        if not isinstance(case.got, Problem) and self._is_coarse(case):
            return "coarse", COARSE
        return super().general(case)

    def _is_coarse(self, case):
        (launch,) = case.args
        found = self.faults(case.got, launch) or self.same(
            case.got, case.expected, launch
        )
        floats = [n for n, a in case.got.arrays.items() if a.dtype.kind == "f"]
        pairs = [(case.got.arrays[n], case.expected[n]) for n in floats]
        return not found and all(
            np.allclose(got, e.reshape(got.shape), 0.02, _some(e), equal_nan=True)
            for got, e in pairs
        )


class TreeCheck(ReductionCheck):
    """A kernel in which the threads of a block join what they have, in a tree."""

    barrier_in_if = Mistake(
        "the barrier stands inside an if, or some threads have returned before it: all "
        "threads of the block must come to it",
        Fault("divergent-barrier"),
    )


class RowCheck(TreeCheck):
    """A kernel whose blocks do a row each."""

    outside = Mistake(
        "a thread goes outside the arrays: row r has n elements, from r * n on",
        Fault("out-of-bounds"),
    )
