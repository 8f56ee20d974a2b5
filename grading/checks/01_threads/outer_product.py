"""outer_product: of a batch of vectors, in a grid of three dimensions."""

import numpy as np
import torch

from grading.exercise import Check, Launch, Limits, blank, distinct
from minigrad.kernels.threads import outer_product

from ..launches import ODD, areas, cover, specials

MORE = "more pairs than blocks"


def cases(random):
    for part, n, m, *where in areas(random):
        yield part, launch(*drawn(random, 1, n, m), 1, *where)
    for part, b, n, m, blocks in [
        ("a batch", 3, 5, 7, 3), ("a batch", 2, 17, 33, 2),
        (MORE, 7, 5, 6, 2), (MORE, 10, 18, 35, 3), (MORE, 257, 3, 4, 2),
        (MORE, 33_000, 1, 1, 330), ("fewer pairs than blocks", 2, 6, 5, 5),
    ]:  # fmt: skip
        size = 16 if b < 999 else 2
        grid = cover(m, size), cover(n, size)
        yield part, launch(*drawn(random, b, n, m), blocks, grid, (size, size))
    x = specials(random)[None]
    yield ODD, launch(x, x[:, 5:], 1, (2, 2), (16, 16))


def drawn(random, b, n, m):
    return distinct(random, b, n), distinct(random, b, m)


def launch(x, y, blocks, grid, block):
    (b, n), m = x.shape, y.shape[1]
    return Launch((*grid, blocks), block, (x, y, blank(b, n, m), *np.int32([b, n, m])))


def reference(x, y, z, b, n, m):
    return torch.einsum("bi,bj->bij", x, y)


check = Check(
    outer_product,
    cases=cases,
    reference=reference,
    limits=Limits(steps=1_500),  # 100 are needed; with loops over i and j, 500
    not_tested="blocks with a depth: the contract has two dimensions",
)
