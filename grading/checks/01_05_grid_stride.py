"""The square of each element, in a loop over all threads of the grid."""

from dataclasses import replace

import numpy as np
import torch

from grading.exercise import checks, distinct
from minigrad.kernels.threads import grid_stride

from .launches import ODD, LineCheck, specials

MILLION = 1_000_003


@checks(grid_stride)
class GridStride(LineCheck):
    """Leaves out one array as x and y: the contract has no rule for it; and of the
    battery what is large: threads that each do every element take long there.
    """

    steps = 5_000
    rtol = 2.0**-21  # powf is not as exact as a product

    def fits(self, size):
        return size <= 64

    def cases(self, random):
        part = "several elements a thread"
        for n, grid, block in [(300, 2, 32), (1100, 4, 64), (250, 3, 33), (100, 1, 32),
                               (52_000, 200, 256), (MILLION, 4, 256)]:  # fmt: skip
            yield part, self.launch(self.drawn(random, n, block), n, grid, block)
        for n, grid, block in [(96, 3, 32), (97, 3, 32), (64, 2, 16), (33, 1, 32)]:
            x = self.drawn(random, n, block)
            yield "no thread does more than its share", self.launch(x, n, grid, block)
        yield from super().cases(random)
        yield ODD, self.launch(specials(random), 30, 1, 8)

    def drawn(self, random, cells, block):
        return np.fmod(distinct(random, cells), np.float32(1009))

    def launch(self, x, n, grid, block):
        whole, rest = divmod(n, grid * block)
        limits = {"writes": n, "writes_per_thread": whole + rest}
        limits = limits if n < 9999 else {}  # long ones are not watched
        return replace(super().launch(x, n, grid, block), limits=limits)

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x).square()[:n]
        return y
