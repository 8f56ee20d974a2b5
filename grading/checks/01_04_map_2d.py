"""Each row times its weight, a thread an element of a matrix."""

import numpy as np
import torch

from grading.exercise import KernelCheck, Launch, blank, checks, distinct
from minigrad.kernels.threads import map_2d

from .launches import ODD, areas, specials


@checks(map_2d)
class Map2d(KernelCheck):
    """Leaves out one array as x and y: the contract has no rule for it."""

    def cases(self, random):
        for part, rows, cols, *where in areas(random):
            x, w = distinct(random, rows, cols), distinct(random, rows)
            yield part, self.launch(x, w, *where)
        x, w = np.tile(specials(random), (30, 1)), specials(random)  # all with all
        yield ODD, self.launch(x, w, (1, 4), (32, 8))

    def launch(self, x, w, grid, block):
        sizes = map(np.int32, x.shape)
        return Launch(grid, block, (x, w, blank(*x.shape), *sizes))

    def expected(self, launch, x, w, y, rows, cols):
        return torch.from_numpy(w)[:, None] * torch.from_numpy(x)
