"""An array moved on, what leaves at one end coming in at the other: torch.roll."""

import numpy as np
import torch

from grading.exercise import Launch, checks, distinct, mistakes
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


mistakes(roll)(r"""
signed: C's % is negative where i - shift is: then add n, as Python's % does
> if (from < 0) from += n; ->
clamped: where i - shift is negative, the elements come from the other end: add n
> from += n -> from = 0
absolute: -1 mod n is n - 1, not 1: where the remainder is negative, add n
> from += n -> from = -from
the_other_way: moved the wrong way: y[i] comes from x[i - shift]
> i - shift -> i + shift
> y[i] = x[from] -> y[from] = x[i]
once: adding n once is not enough for a shift beyond n: take % n first
> int from = (i - shift) % n;\n        if (from < 0) from += n; -> int from = i -
    shift;\n        if (from < 0) from += n;\n        if (from >= n) from -= n;
overflow: a shift may be near the largest int: i + shift is beyond it, and i - shift is
    not
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int to = (i + shift) % n;
    y[to < 0 ? to + n : to] = x[i];
only_on: a shift may be negative, too: then i - shift is beyond n, and % n brings it
    back
> int from = (i - shift) % n;\n        if (from < 0) from += n; -> int from = i -
    shift;\n        while (from < 0) from += n;
plus_n: i - shift + n may still be negative: (i - shift) % n first, then + n, and % n
    again
> int from = (i - shift) % n;\n        if (from < 0) from += n; -> int from = (i - shift
    + n) % n;
negative_rest: the remainder of a shift below 0 is below 0, too: i less that may be n or
    more. Take % n of i - shift
> (i - shift) % n -> i - shift % n
always_n: n is added also where the remainder is not negative: that reads past the end
> if (from < 0) from += n; -> from += n;
local_only: cuda.grid(1) counts through all blocks: blockIdx.x * blockDim.x +
    threadIdx.x
> blockIdx.x * blockDim.x + ->
in_float: float leaves out whole numbers beyond 2^24: take the remainder of ints
> (i - shift) % n -> fmodf(i - shift, n)
no_guard: there is no guard: threads from n on write past the end
> if (i < n) -> if (n > 0)
off_by_one: one too many: element n is the first that is not there
> i < n -> i <= n
unknown:
> = x[from] -> = -x[from]
right: twice %
> int from = (i - shift) % n; if (from < 0) from += n; -> int from = ((i - shift) % n +
    n) % n;
right: each thread writes where its element goes
>
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int to = (i + shift % n) % n;
    y[to < 0 ? to + n : to] = x[i];
right: in a loop over the grid
>
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        int k = (i - shift) % n;
        y[i] = x[k + (k < 0 ? n : 0)];
    }
""")
