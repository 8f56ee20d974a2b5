"""The inputs that checks of kernels share: sizes, blocks, grids, and odd numbers."""

import numpy as np

from grading.exercise import Launch, blank
from minigrad.launch import cdiv

WHOLE, RAGGED, SPARE = "whole blocks", "a ragged last block", "blocks to spare"
SMALL, ODD = "less than one block", "numbers of every kind"
BEYOND = 12  # cells past the n elements, for each block to spare
LINES = {  # (elements, threads of a block)
    WHOLE: [(512, 256), (192, 64), (32, 32), (5, 1)],
    RAGGED: [
        (257, 256),
        (33, 32),
        (1000, 96),
        (1025, 1024),
        (100, 33),
        (83, 41),
        (37, 16),
        (9, 4),
        (70_000, 256),
    ],
    SMALL: [(1, 256), (31, 32), (255, 256), (50, 64)],
    SPARE: [(300, 256), (64, 64), (7, 32), (0, 32)],
}
AREAS = [  # part, rows, columns, threads of a block along x and y
    (WHOLE, 64, 96, 32, 8), (WHOLE, 128, 32, 16, 16),
    (RAGGED, 33, 65, 32, 8), (RAGGED, 40, 31, 16, 16), (RAGGED, 3, 100, 1, 8),
    (RAGGED, 100, 3, 33, 3), (RAGGED, 1, 1, 32, 32), (RAGGED, 33_000, 1, 32, 8),
    (RAGGED, 1, 33_000, 32, 8), (SPARE, 9, 40, 32, 8), (SPARE, 0, 7, 8, 4),
]  # fmt: skip
# No number is subnormal: CuPy compiles with -ftz=true, and the GPU takes them for 0.
SUBNORMAL = 1e-40, -1e-45  # for kernels that compute nothing
NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e37, -1e37, 1e-37, -1e-37, 100.0, -100)


def cover(n, size):
    """How many blocks of `size` n elements need; one at least."""
    return max(cdiv(n, size), 1)


def specials(random, dtype="float32", more=()):
    """Numbers of every kind, 30 and those in `more`, in some order."""
    values = np.array([*NUMBERS, *np.linspace(-9, 9, 19), *more]).astype(dtype)
    return np.random.default_rng(random.getrandbits(64)).permutation(values)


def areas(random):
    """(part, rows, columns, grid, block): launches that cover a matrix."""
    some = RAGGED, *random.sample(range(34, 90), 2), 32, 4
    for part, rows, cols, *block in [*AREAS, some]:
        spare = 2 * (part == SPARE)
        grid = cover(cols, block[0]) + spare, cover(rows, block[1]) + spare
        yield part, rows, cols, grid, tuple(block)


def lines(random, first=WHOLE):
    """(part, cells of x, elements, grid, block): launches in one dimension.

    Those of the part `first` come first.
    """
    known = LINES | {RAGGED: [*LINES[RAGGED], (random.randint(520, 700), 64)]}
    for part in sorted(known, key=lambda part: part != first):
        spare = 2 * (part == SPARE)
        for n, size in known[part]:
            yield part, n + BEYOND * spare, n, cover(n, size) + spare, size


def line(x, n, grid, block, **more):
    """A launch of a kernel of (x, y, n)."""
    args = x, blank(len(x), dtype=x.dtype), np.int32(n)
    return Launch(grid, block, args, **more)
