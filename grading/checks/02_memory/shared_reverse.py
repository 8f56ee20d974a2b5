"""shared_reverse: each block's elements reversed in shared memory, without a race."""

import torch

from grading.exercise import Check, arrays, distinct
from minigrad.kernels.memory import shared_reverse

from ..launches import ODD, SUBNORMAL, by_blocks, line, lines, specials

SIZES = 1, 2, 3, 31, 32, 33, 64, 200, 255, 256


def cases(random):
    for part, n, grid, size in lines(random, sizes=SIZES):
        yield part, launch(distinct(random, n), n, grid, size)
    yield ODD, launch(specials(random, more=SUBNORMAL), 32, 1, 32)


def launch(x, n, grid, size):
    return line(x, n, grid, size, shared_mem=4 * size, needs_shared=True)


def reference(x, y, n, launch):
    reversed_ = [rows.flip(1).view(-1) for rows in by_blocks(x[:n], *launch.block)]
    y[:n] = torch.cat(reversed_)


check = Check(
    shared_reverse,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    not_tested="blocks above 256 threads, by contract",
)
