"""What the checks of products share: sizes, factors, launches, how exact one is.

An element of c adds up K products. One after the other, each of them goes through at
most K additions and one rounding of its own: with u = 2^-24 and s the sum of |a b|, the
element is off by at most (K + 1) u s; one more u s is for rounding the result. The
inputs are scaled so that the largest (K + 2) s is 1: then u is the bound in every case.
In half precision u is 2^-11.
"""

import numpy as np

from grading.checking.pairwise import pairwise
from grading.exercise import Launch, blank, distinct
from minigrad.launch import cdiv

TILE = 16
SLACK = 1.3  # of counts
SIZES = {  # M, N, K: below, at and above a tile
    "whole tiles": [(32, 48, 64), (16, 32, 80), (32, 32, 32)],
    "a ragged K": [(16, 48, K) for K in (37, 5, 100, 1)],
    "any three sizes": [(37, 51, 29), (33, 31, 65), (17, 15, 32)],
    "rows and columns alone": [(1, 1, 1), (1, 70, 40), (70, 1, 33)],
    "large sizes": [(33_000, 1, 2), (1, 33_000, 2), (1, 2, 1100)],
    "K = 0": [(7, 20, 0)],
}


def three_sizes(random):
    """(part, M, N, K): SIZES, and some at random."""
    for part, several in SIZES.items():
        for sizes in several:
            yield part, *sizes
    yield "any three sizes", *(random.randint(20, 60) for _ in range(3))
    for row in pairwise(random, M=(1, 16, 17, 40), N=(1, 15, 16, 34), K=(0, 1, 16, 31)):
        yield "any three sizes", *row.values()


def whole(blocks, K):  # noqa: N803
    """The reads of blocks of 16 x 16 that fill a cell with one, past the edge, too."""
    return blocks * 2 * TILE * TILE * cdiv(K, TILE)


def factors(random, M, N, K):  # noqa: N803
    """(a, b) as arrays, one cell at least each, scaled as said above."""
    a, b = distinct(random, M, K), distinct(random, K, N)
    a, b = (x / max(abs(x).max(initial=0), 1) for x in (a, b))
    most = (abs(a).astype(float) @ abs(b).astype(float)).max(initial=0)
    b = b / np.float32((K + 2) * most or 1)
    return tuple(x if x.size else np.ones((1, 1), np.float32) for x in (a, b))


def odd(a, b):
    """Let there be 0 times infinity, and infinity in the last cells and each tile."""
    a[0, 0], a[-1, -1], b[0, 0], b[-1, 0] = 0, np.inf, np.inf, 0
    a[1], b[:, 1] = np.inf, np.inf  # and numbers above 0, so that a sum is infinite:
    a[2], b[:, 2] = abs(a[2]), abs(b[:, 2])


def launch(random, M, N, K, block, area=None, limits=None):  # noqa: N803
    """The launch for a product of matrices that are stored row by row.

    area: columns and rows of c that a block computes, if not one per thread.
    limits(blocks, K): of what is counted, in each case but the large ones.
    """
    wide, high = area or block
    grid = cdiv(N, wide), cdiv(M, high)
    most = limits(grid[0] * grid[1], K) if limits and max(M, N) < 9999 else {}
    args = *factors(random, M, N, K), blank(M, N), *np.int32([M, N, K])
    return Launch(grid, block, args, limits=most, long=K > 99)


def zero_and_infinity(launch):
    """The part, and the launch with odd factors."""
    odd(*launch.args[:2])
    return "zero and infinity", launch


def reference(a, b, c, M, N, K):  # noqa: N803
    """PyTorch's product, in double precision."""
    left, right = (x.double().reshape(-1) for x in (a, b))
    return left[: M * K].view(M, K) @ right[: K * N].view(K, N)
