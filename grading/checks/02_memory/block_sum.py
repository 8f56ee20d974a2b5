"""block_sum: the sum of each block's elements, as a tree; sums in fp64 are right."""

import numpy as np

from grading.exercise import Check, Launch, arrays, blank, distinct
from minigrad.kernels.memory import block_sum

from ..launches import lines

SERIAL = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150


def cases(random):
    for part, cells, n, grid, size in lines(random):
        if size in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            yield part, launch(drawn(random, cells), n, grid, size)
    x = drawn(random, 1000)
    x[[300, 600]], x[768:1000] = [np.inf, np.nan], 0
    yield "zero, inf and NaN", launch(x, 1000, 4, 256)


def drawn(random, cells):
    return distinct(random, cells) / np.float32(cells)


def launch(x, n, grid, size):
    limits = {"shared_requests": SERIAL * grid, "atomics": 0}
    args = x, blank(grid), np.int32(n)
    return Launch(grid, size, args, 4 * size, limits, needs_shared=True)


def sums_of(part):
    """A reference that adds up a part of each block's elements."""

    def reference(x, sums, n, launch):
        sums[:] = 0
        for b, block in enumerate(x[:n].double().split(*launch.block)):
            sums[b] = block[part].sum()

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
