"""What checks of reductions share: how exact a sum is, and sizes.

A float addition is off by at most u = 2^-24 of its result. So a sum in which each term
goes through k additions is off by at most k u (|x1| + |x2| + ...); in half precision u
is 2^-11, 8192 times as much. k is small where the work is shared out: a thread adds
n / threads terms one after the other, then a tree has log2(threads) steps.

The inputs of sums are scaled so that (k + 1) (|x1| + |x2| + ...) is 1 (the 1 is for
rounding the result): then the bound is u in every case.
"""

import numpy as np

from grading.exercise import Problem, distinct

U = 2.0**-24
# (elements, threads of the block) of every size
LENGTHS = (
    *((5, 1), (1, 2), (7, 4), (8, 8), (40, 16), (31, 32), (65, 64), (33, 128)),
    *((1, 256), (255, 256), (257, 256)),
)
COARSE = (
    "the values are nearly right, but further off than float rounds: which step loses "
    "digits, or adds something that does not belong there?"
)


def steps(n, threads):
    """Additions that a term of n goes through, in loops and then in a tree."""
    return -(-n // threads) + int(np.log2(max(threads, 1)) + 0.999)


def scaled(random, shape, k, terms):
    """Distinct numbers of which each `terms` have a sum that u bounds the error of."""
    x = distinct(random, *shape).astype(np.float64)
    return (x / (abs(x).max() * max(terms, 1) * (k + 1))).astype(np.float32)


def many_small(n):
    """Two rows of scores, one far above the others, first or last.

    Each of the others' terms is 2^-23: a float adds it to 1, whatever the order.
    """
    x = np.full((2, n), np.log(2.0**-23), np.float32)
    x[0, 0] = x[1, -1] = 0
    return x


def _some(expected):
    """A thousandth of the largest number."""
    finite = expected[np.isfinite(expected)]
    return abs(finite).max(initial=0) / 1000


def coarse(got, expected, launch):
    """A check's `diagnose`: floats nearly right, and nothing else wrong."""
    if isinstance(got, Problem) or got.spoilt:
        return None
    report = got.report
    most = launch.limits.items()
    if report.findings or report.notes or any(report.counts[k] > n for k, n in most):
        return None
    floats = (n for n, a in got.arrays.items() if a.dtype.kind == "f")
    pairs = ((got.arrays[n], expected[n].reshape(got.arrays[n].shape)) for n in floats)
    near = (np.allclose(g, e, 0.02, _some(e), equal_nan=True) for g, e in pairs)
    return ("coarse", COARSE) if all(near) else None
