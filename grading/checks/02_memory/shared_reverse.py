"""shared_reverse: each block's elements reversed in shared memory, without a race."""

from grading.exercise import Check, arrays, distinct
from minigrad.kernels.memory import shared_reverse

from ..launches import ODD, SUBNORMAL, line, lines, specials


def cases(random):
    for part, cells, n, grid, size in lines(random):
        if size <= 256:
            yield part, launch(distinct(random, cells), n, grid, size)
    yield ODD, launch(specials(random, more=SUBNORMAL), 32, 1, 32)


def launch(x, n, grid, size):
    return line(x, n, grid, size, shared_mem=4 * size, needs_shared=True)


def reference(x, y, n, launch):
    parts = (a[:n].split(*launch.block) for a in (x, y))
    for x_block, y_block in zip(*parts, strict=True):
        y_block[:] = x_block.flip(0)


check = Check(
    shared_reverse,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    not_tested="blocks above 256 threads, by contract",
)
