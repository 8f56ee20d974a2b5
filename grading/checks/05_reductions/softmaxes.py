"""What the checks of softmaxes share; how exact y must be.

x - m is off by at most u |x - m|, u = 2^-24, and so is, as a share, its exponential.
Below m - 104 nothing is left of it in float, so that is 104 u; the exponential's own
error is 2 u, a sum of n / threads + log2(threads) positive terms is off by that many u,
and the division by one: together under 512 u = 2^-15 in each of the cases below. In
half precision one rounding is 2^-11. Numbers below 2^-126 have fewer digits.
"""

import functools

import numpy as np
import torch

from grading.exercise import Check, arrays, blank, distinct

from ..reductions import coarse, many_small
from .rows import cases_of_rows, of_rows


def usual(random, rows, n):
    """From -8 to 8, in no order; the largest stands late in a row, too."""
    x = distinct(random, rows, n) * (8 / (rows * n))
    x[0] = np.sort(x[0])
    return x


def launch(rounds, random, x, size):
    x = x.astype(np.float32)
    args = x, blank(*x.shape), np.int32(x.shape[1])
    return of_rows(rounds, size, *args, begin=rounds // 2)


def reference(x, y, n):
    return torch.softmax(x.double(), 1)


def softmax_check(exercise, rounds):
    """rounds: how often it may read x."""
    of = functools.partial(launch, rounds)

    def cases(random):
        left_out = ["NaN and infinity"]
        yield from cases_of_rows(random, "scores around 0", usual, of, left_out)
        lowest = usual(random, 3, 300) - 39_990
        yield "negative elements alone", of(random, lowest, 64)
        yield "rows of any length", of(random, many_small(6_000), 4)

    return Check(
        exercise,
        cases=cases,
        reference=reference,
        compare=arrays(rtol=2.0**-15, atol=2.0**-126),
        diagnose=coarse,
        not_tested="rows of -inf alone, NaN, and +inf, as in the contract",
    )
