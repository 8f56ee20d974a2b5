"""block_sum: the sum of each block's elements, as a tree; sums in fp64 are right."""

import numpy as np
import torch.nn.functional as F

from grading.exercise import Check, Launch, arrays, blank, distinct
from minigrad.kernels.memory import block_sum

from ..launches import lines

SIZES = 1, 2, 4, 8, 16, 32, 64, 128, 256  # threads of a block
SERIAL = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150


def cases(random):
    for part, n, grid, size in lines(random, sizes=SIZES):
        yield part, launch(drawn(random, n), n, grid, size)
    x = drawn(random, 1000)
    x[[300, 600]], x[768:1000] = [np.inf, np.nan], 0
    yield "zero, inf and NaN", launch(x, 1000, 4, 256)
    for end in 0, -1:  # 0 times what stands there is NaN
        x = drawn(random, 45)
        x[32:][end] = np.inf
        yield "zero, inf and NaN", launch(x, 45, 2, 32)


def drawn(random, n):
    return distinct(random, n) / np.float32(max(n, 1))


def launch(x, n, grid, size):
    limits = {"shared_requests": SERIAL * grid, "atomics": 0}
    args = x, blank(grid), np.int32(n)
    return Launch(grid, size, args, 4 * size, limits, needs_shared=True)


def sums_of(part):
    """A reference that adds up a part of each block's elements."""

    def reference(x, sums, n, launch):
        (size,), x = launch.block, x[:n].double()
        rows = F.pad(x, (0, launch.threads - len(x))).view(-1, size)
        sums[:] = rows[:, part].sum(1)

    return reference


check = Check(
    block_sum,
    cases=cases,
    reference=sums_of(slice(None)),
    models={"no_tree": sums_of(slice(1))},
    # 8 additions of fp32 on values whose sum is below 256
    compare=arrays(atol=8 * 2**-24 * 256 * 2),
    not_tested="blocks above 256 threads or of no power of two: no launch has them",
)
