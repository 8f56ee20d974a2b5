"""Outer products of a batch of vectors, in a grid of three dimensions."""

import numpy as np
import torch

from grading.exercise import KernelCheck, Launch, blank, checks, distinct
from minigrad.kernels.threads import outer_product

from .launches import ODD, areas, cover, specials

MORE = "more pairs than blocks"


@checks(outer_product)
class OuterProduct(KernelCheck):
    """Leaves out blocks with a depth: the contract has two dimensions."""

    steps = 1_500  # rounds of loops; 100 are needed, with loops over i and j 500

    def cases(self, random):
        for part, n, m, *where in areas(random):
            yield part, self.launch(*self.drawn(random, 1, n, m), 1, *where)
        for part, b, n, m, blocks in [
            ("a batch", 3, 5, 7, 3), ("a batch", 2, 17, 33, 2),
            *((MORE, 7, 5, 6, 2), (MORE, 10, 18, 35, 3), (MORE, 257, 3, 4, 2)),
            (MORE, 33_000, 1, 1, 330), ("fewer pairs than blocks", 2, 6, 5, 5),
        ]:  # fmt: skip
            size = 16 if b < 999 else 2
            grid = cover(m, size), cover(n, size)
            x, y = self.drawn(random, b, n, m)
            yield part, self.launch(x, y, blocks, grid, (size, size))
        x = specials(random)[None]
        yield ODD, self.launch(x, x[:, 5:], 1, (2, 2), (16, 16))

    def drawn(self, random, b, n, m):
        return distinct(random, b, n), distinct(random, b, m)

    def launch(self, x, y, blocks, grid, block):
        (b, n), m = x.shape, y.shape[1]
        return Launch(
            (*grid, blocks), block, (x, y, blank(b, n, m), *np.int32([b, n, m]))
        )

    def expected(self, launch, x, y, z, b, n, m):
        return torch.einsum("bi,bj->bij", torch.from_numpy(x), torch.from_numpy(y))
