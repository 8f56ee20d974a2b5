"""outer_product: the outer products of a batch, in a grid of three dimensions."""

import numpy as np
import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, Launch, Limits, blank, distinct
from minigrad.kernels.threads import outer_product

from ..launches import BLOCKS, ODD, areas, cover, specials

MORE = "more pairs than blocks"


def cases(random):
    for part, n, m, *where in areas(random, BLOCKS[:2]):
        yield part, launch(*pairs(random, 1, n, m), 1, *where)
    for b, n, m, blocks, size in [
        (3, 5, 7, 3, 16), (2, 17, 33, 2, 16), (7, 5, 6, 2, 16), (10, 18, 35, 3, 16),
        (257, 3, 4, 2, 16), (33_000, 1, 1, 330, 2), (2, 6, 5, 5, 16),
    ]:  # fmt: skip
        grid = cover(m, size), cover(n, size)
        x, y = pairs(random, b, n, m)
        yield part_of(b, blocks), launch(x, y, blocks, grid, (size, size))
    some = {"b": (0, 1, 2, 7), "n": (0, 1, 2, 17, 33), "m": (0, 1, 2, 17, 33)}
    more = {"right": (0, 1), "down": (0, 1), "block": BLOCKS, "blocks": (1, 2, 3, 9)}
    for b, n, m, right, down, block, blocks in drawn(random, **some, **more):
        grid = cover(m, block[0]) + right, cover(n, block[1]) + down
        yield part_of(b, blocks), launch(*pairs(random, b, n, m), blocks, grid, block)
    x = specials(random)[None]
    yield ODD, launch(x, x[:, 5:], 1, (2, 2), (16, 16))


def part_of(b, blocks):
    if b == blocks:
        return "a batch"
    return MORE if b > blocks else "fewer pairs than blocks"


def pairs(random, b, n, m):
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
    not_tested="blocks with three dimensions, because the contract rules them out",
)
