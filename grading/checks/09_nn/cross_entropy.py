"""Inputs of cross entropy, and how exact its results must be.

lse is a sum of at most 33000 / 256 terms in a loop and 8 in a tree, its logarithm off
by as much as the sum is in parts: below 2^-14 in each case. Beside that lse is a
float, rounded by 2^-24 of its size, which is no more than 2^-14 where a loss is not
large, too; and the loss is a difference of such. In the
backward the exponential of x - lse, of some 16 at most in the cases, is off by a few u,
so the same holds.
"""

import numpy as np

NEAR = 2.0**-14
IGNORE = -100


def scores(random, rows, n, scale=8):
    draw = np.random.default_rng(random.getrandbits(64))
    return (draw.uniform(-scale, scale, (rows, n))).astype(np.float32)


def targets(random, rows, n, ignored=0, ignore=IGNORE):
    columns = np.array([random.randrange(n) for _ in range(rows)], np.int32)
    columns[random.sample(range(rows), ignored)] = ignore
    return columns
