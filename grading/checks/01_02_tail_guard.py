"""Twice each element, and a guard for threads that have none."""

import torch

from grading.exercise import checks
from minigrad.kernels.threads import tail_guard

from .launches import ODD, RAGGED, LineCheck, specials


@checks(tail_guard)
class TailGuard(LineCheck):
    """Leaves out one array as x and y: the contract has no rule for it."""

    first = RAGGED

    def cases(self, random):
        yield from super().cases(random)
        yield ODD, self.launch(specials(random), 30, 1, 32)

    def expected(self, launch, x, y, n):
        y[:n] = (2 * torch.from_numpy(x))[:n]
        return y
