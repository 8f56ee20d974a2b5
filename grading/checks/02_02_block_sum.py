"""The sum of each block's elements, as a tree: sums in fp64 are the oracle."""

from dataclasses import replace

import numpy as np

from grading.exercise import Model, blank, checks, distinct, models
from minigrad.kernels.memory import block_sum

from .blocks import BlockCheck, by_blocks


@checks(block_sum)
class BlockSum(BlockCheck):
    """Leaves out blocks above 256 threads or of no power of two: no launch has them."""

    atol = 8 * 2**-24 * 256 * 2  # 8 additions of fp32 on values whose sum is below 256
    serial = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150

    def fits(self, size):
        return size <= 256 and size & (size - 1) == 0

    def cases(self, random):
        yield from super().cases(random)
        x = self.drawn(random, 1000, 256)
        x[[300, 600]], x[768:1000] = [np.inf, np.nan], 0
        yield "zero, inf and NaN", self.launch(x, 1000, 4, 256)

    def drawn(self, random, cells, block):
        return distinct(random, cells) / np.float32(cells)

    def launch(self, x, n, grid, block):
        limits = {"shared_requests": self.serial * grid, "atomics": 0}
        args = x, blank(grid), np.int32(n)
        return replace(super().launch(x, n, grid, block), args=args, limits=limits)

    def expected(self, launch, x, sums, n):
        return self.partly(launch, x, sums, n, slice(None))

    def partly(self, launch, x, sums, n, part):
        """The sums of some of each block's elements."""
        rows = by_blocks(x.astype(np.float64), n, *launch.block)[:, part]
        sums[:] = 0
        sums[: len(rows)] = rows.sum(1)
        return sums


ONE = Model(lambda check, *args: check.partly(*args, slice(0, 1)))
models(block_sum, no_tree=ONE)
