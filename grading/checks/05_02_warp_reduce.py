"""Sums of warps: sums in double precision are the oracle."""

import numpy as np

from grading.exercise import Launch, blank, checks
from minigrad.kernels.reductions import warp_reduce

from .reductions import LENGTHS, ReductionCheck, U, scaled


@checks(warp_reduce)
class WarpReduce(ReductionCheck):
    """Leaves out blocks above 256: the contract has none."""

    atol = U  # see reductions.py: 5 steps

    def cases(self, random):
        for blocks, size in [(2, 64), (1, 32), (random.randint(2, 5), 256)]:
            yield "whole warps", self.launch(random, blocks * size, blocks, size)
        yield "whole warps", self.launch(random, 70_000, 280, 256)
        for n, size in LENGTHS:
            yield "any number of elements", self.launch(random, n, 2, size)
        for size in (40, 33, 250, random.randint(65, 95)):
            launch = self.launch(random, 2 * size - 2, 2, size)
            yield "a last warp with fewer lanes", launch
        yield "no element", self.launch(random, 0, 1, 64)
        yield "zero, inf and NaN", self.launch(random, 256, 2, 128, special=True)

    def launch(self, random, n, blocks, size, special=False):
        x = scaled(random, (max(n, 1),), 5, 32)
        if special:
            x[[40, 70]], x[100:] = [np.inf, np.nan], 0
        sums = blank(blocks * -(-size // 32))
        most = min(n, blocks * size)
        limits = {"reads": most, "reads_per_thread": 1, "shared_requests": 0}
        return Launch(blocks, size, (x, sums, np.int32(n)), 0, limits)

    def expected(self, launch, x, sums, n):
        (blocks,), (size,) = launch.grid, launch.block
        cells = np.zeros((blocks, -(-size // 32) * 32))
        own = x[: min(n, launch.threads)]
        cells[:, :size] = np.pad(own, (0, launch.threads - len(own))).reshape(-1, size)
        return cells.reshape(-1, 32).sum(1)
