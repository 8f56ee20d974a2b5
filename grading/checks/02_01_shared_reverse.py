"""A block reversed in shared memory: the values, and no race."""

import torch

from grading.exercise import checks
from minigrad.kernels.memory import shared_reverse

from .blocks import BlockCheck
from .launches import ODD, MovesNumbers


@checks(shared_reverse)
class SharedReverse(MovesNumbers, BlockCheck):
    """Leaves out blocks above 256 threads, by contract."""

    def cases(self, random):
        yield from super().cases(random)
        yield ODD, self.launch(self.specials(random), 32, 1, 32)

    def expected(self, launch, x, y, n):
        for first in range(0, n, *launch.block):
            block = torch.from_numpy(x[first : min(first + launch.block[0], n)])
            y[first : first + len(block)] = block.flip(0)
        return y
