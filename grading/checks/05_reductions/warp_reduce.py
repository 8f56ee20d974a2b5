"""warp_reduce: sums of warps, in double precision."""

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import drawn
from grading.exercise import Check, Launch, arrays, blank
from minigrad.kernels.reductions import warp_reduce

from ..reductions import LENGTHS, U, coarse, scaled

WARP = 32


def launch(random, n, blocks, size, special=False):
    x = scaled(random, (max(n, 1),), 5, WARP)
    if special:
        x[[40, 70]], x[100:] = [np.inf, np.nan], 0
        x[[130, 140, 200]] = np.inf, -np.inf, -np.inf
    sums = blank(blocks * -(-size // WARP))
    most = min(n, blocks * size)
    limits = {"reads": most, "reads_per_thread": 1, "shared_requests": 0}
    return Launch(blocks, size, (x, sums, np.int32(n)), 0, limits)


def cases(random):
    for blocks, size in [(2, 64), (1, 32), (random.randint(2, 5), 256)]:
        yield "whole warps", launch(random, blocks * size, blocks, size)
    yield "whole warps", launch(random, 70_000, 280, 256)
    for n, size in LENGTHS:
        yield "any number of elements", launch(random, n, 2, size)
    for size, blocks, share, more in drawn(
        random,
        size=(1, 2, 31, 32, 33, 64, 250, 256),
        blocks=(1, 2, 5),
        share=(0, 0.5, 1),
        more=(-1, 0, 1, 40),
    ):
        n = max(int(share * blocks * size) + more, 0)
        yield "any number of elements", launch(random, n, blocks, size)
    for size in (40, 33, 250, random.randint(65, 95)):
        part = "a last warp with fewer lanes"
        yield part, launch(random, 2 * size - 2, 2, size)
    yield "no element", launch(random, 0, 1, 64)
    yield "zero, inf and NaN", launch(random, 256, 2, 128, special=True)


def reference(x, sums, n, launch):
    """An element of each thread; the last warp of a block may lack lanes."""
    (blocks,), (size,) = launch.grid, launch.block
    x = x[:n].double()[: launch.threads]
    x = F.pad(x, (0, launch.threads - len(x))).view(blocks, size)
    return F.pad(x, (0, -size % WARP)).view(-1, WARP).sum(1)


check = Check(
    warp_reduce,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),  # see reductions.py: 5 steps
    diagnose=coarse,
    not_tested="blocks above 256: the contract has none",
)
