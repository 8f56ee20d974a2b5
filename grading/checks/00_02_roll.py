"""An array moved on, what leaves at one end coming in at the other: torch.roll."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, blank, distinct
from grading.mistakes import mistakes, right
from minigrad.kernels.first import roll


@checks(roll)
class Roll(KernelCheck):
    """Leaves out one array as x and y, and i - shift beyond int: both are barred."""

    def cases(self, random):
        for grid, block, n, shift in [(1, 32, 32, 0), (2, 32, 64, -1),
                                      (3, 32, 96, -50)]:  # fmt: skip
            yield "backwards, or not at all", self.launch(random, grid, block, n, shift)
        for grid, block, n, shift in [(1, 32, 32, 1), (2, 32, 64, 5),
                                      (4, 64, 256, 100)]:  # fmt: skip
            yield "forwards", self.launch(random, grid, block, n, shift)
        for n, shift in [(257, 3), (33, -32), (1000, 999)]:
            yield "more threads than elements", self.launch(random, 5, 256, n, shift)
        for n, shift in [
            (33, 100),
            (64, 64),
            (100, -1001),
            (1, 7),
            (5, -2_000_000_001),
        ]:
            yield "a shift beyond n", self.launch(random, 4, 32, n, shift)
        yield "a shift beyond n", self.launch(random, 300, 256, 70_000, -70_003)
        for n, shift in [(0, 0), (0, 4), (40, 9)]:
            yield "what lies beyond", self.launch(random, 2, 32, n, shift, n + 24)
        n = random.randint(300, 900)
        shift = random.randint(-n, 3 * n)
        yield "a shift beyond n", self.launch(random, 4, 256, n, shift)

    def launch(self, random, grid, block, n, shift, size=None):
        size = size or n
        args = distinct(random, size), blank(size), np.int32(n), np.int32(shift)
        return Launch(grid, block, args)

    def expected(self, launch, x, y, n, shift):
        y[:n] = torch.from_numpy(x[:n]).roll(int(shift))
        return y


mistakes(
    roll,
    r"""
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
    only_on: a shift may be negative, too: then i - shift is beyond n, and % n brings it
        back
    > int from = (i - shift) % n;\n        if (from < 0) from += n; -> int from = i -
        shift;\n        while (from < 0) from += n;
    plus_n: i - shift + n may still be negative: (i - shift) % n first, then + n, and %
        n again
    > int from = (i - shift) % n;\n        if (from < 0) from += n; -> int from = (i -
        shift + n) % n;
    always_n: n is added also where the remainder is not negative: that reads past the
        end
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
    > int from = (i - shift) % n; if (from < 0) from += n; -> int from = ((i - shift) %
        n + n) % n;
    """,
)
right(
    roll,
    "each thread writes where its element goes",
    """
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int to = (i + shift) % n;
    y[to < 0 ? to + n : to] = x[i];
    """,
)
right(
    roll,
    "in a loop over the grid",
    """
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        int k = (i - shift) % n;
        y[i] = x[k + (k < 0 ? n : 0)];
    }
    """,
)
