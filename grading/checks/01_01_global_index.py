"""A thread's place in the grid."""

import numpy as np
import torch

from grading.exercise import Launch, blank, checks
from minigrad.kernels.threads import global_index

from .launches import LineCheck


@checks(global_index)
class GlobalIndex(LineCheck):
    """Leaves out threads without an element: the contract's launch has none."""

    def cases(self, random):
        for *_, grid, block in self.inputs(random):
            part = "one block" if grid == 1 else "several blocks"
            yield part, self.launch(blank(grid * block, dtype=np.int32), grid, block)

    def launch(self, block, grid, size):
        args, limits = (block, block.copy()), {"writes": 2 * len(block)}
        return Launch(grid, size, args, 0, limits)

    def expected(self, launch, block, thread):
        (per,) = launch.block
        i = torch.arange(len(block))
        return {"block": i // per, "thread": i % per}
