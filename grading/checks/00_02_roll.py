"""An array moved on, what leaves at one end coming in at the other: torch.roll."""

import numpy as np
import torch

from grading.exercise import Launch, checks, distinct
from minigrad.kernels.first import roll

from .launches import ODD, LineCheck, MovesNumbers

SHIFTS = {
    "backwards, or not at all": (0, -1, -50),
    "forwards": (1, 5, 95),
    "a shift beyond n": (96, 100, -97, -1001, -2_000_000_001, 2**31 - 1, 96 - 2**31),
}


@checks(roll)
class Roll(MovesNumbers, LineCheck):
    """Leaves out one array as x and y, and i - shift beyond int: both are barred."""

    def cases(self, random):
        for part, shifts in SHIFTS.items():
            for shift in shifts:
                yield part, self.launch(distinct(random, 96), 96, 3, 32, shift)
        for part, x, n, *where in self.inputs(random):
            shift = random.randrange(max(n, 1))
            yield part, self.launch(x, n, *where, shift)
        yield ODD, self.launch(self.specials(random), 32, 1, 32, 5)

    def launch(self, x, n, grid, block, shift):
        args = *super().launch(x, n, grid, block).args, np.int32(shift)
        return Launch(grid, block, args)

    def expected(self, launch, x, y, n, shift):
        y[:n] = torch.from_numpy(x[:n]).roll(int(shift))
        return y
