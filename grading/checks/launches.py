"""The inputs that checks of kernels share: sizes, blocks, grids, and odd numbers."""

import numpy as np

from grading.checking.pairwise import drawn
from grading.exercise import Launch, blank
from minigrad.launch import cdiv

WHOLE, RAGGED, SPARE = "whole blocks", "a ragged last block", "blocks to spare"
SMALL, ODD = "less than one block", "numbers of every kind"
BEYOND = 12  # cells of an output past the n elements, for each block to spare
SIZES = 1, 2, 31, 32, 33, 64, 96, 256, 1024  # threads of a block
LINES = {  # (elements, threads of a block)
    WHOLE: [(512, 256), (192, 64), (32, 32), (70_000, 1)],
    RAGGED: [(257, 256), (33, 32), (1000, 96), (1025, 1024), (70_000, 256)],
    SMALL: [(1, 256), (31, 32)],
    SPARE: [(300, 256), (0, 32)],
}
BLOCKS = (32, 8), (16, 16), (1, 1), (33, 3), (4, 256), (1, 1024), (1024, 1), (3, 70)
AREAS = [  # rows, columns, blocks to spare on the right and below, threads of a block
    (64, 96, 0, 0, (32, 8)), (33, 65, 0, 0, (32, 8)), (40, 31, 0, 0, (16, 16)),
    (33_000, 1, 0, 0, (32, 8)), (1, 33_000, 0, 0, (32, 8)), (9, 40, 2, 2, (32, 8)),
]  # fmt: skip
SIDES = 0, 1, 2, 31, 33, 64, 70  # of a matrix
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


def areas(random, blocks=BLOCKS):
    """(part, rows, columns, grid, block): launches that cover a matrix."""
    fixed = [case for case in AREAS if case[-1] in blocks]
    sides = {"rows": SIDES, "cols": SIDES, "right": (0, 1, 2), "down": (0, 1, 2)}
    for rows, cols, right, down, (x, y) in fixed + drawn(random, **sides, block=blocks):
        part = RAGGED if rows % y or cols % x else WHOLE
        grid = cover(cols, x) + right, cover(rows, y) + down
        yield SPARE if right or down else part, rows, cols, grid, (x, y)


def lines(random, first=WHOLE, sizes=SIZES):
    """(part, elements, grid, block): launches in one dimension, of blocks of `sizes`.

    Those of the part `first` come first.
    """
    known = [(part, n, size, 2 * (part == SPARE))
             for part, pairs in LINES.items() for n, size in pairs
             if size in sizes]  # fmt: skip
    some = {"whole": (0, 1, 2, 5), "rest": range(4), "spare": (0, 0, 1, 2)}
    for size, whole, rest, spare in drawn(random, size=sizes, **some):
        n = whole * size + (0, 1, size // 2, size - 1)[rest]
        known.append((part_of(n, size, spare), n, size, spare))
    for part, n, size, spare in sorted(known, key=lambda case: case[0] != first):
        yield part, n, cover(n, size) + spare, size


def part_of(n, size, spare):
    """The part of the task that a launch of n elements belongs to."""
    if spare:
        return SPARE
    if n < size:
        return SMALL
    return RAGGED if n % size else WHOLE


def by_blocks(x, size):
    """A tensor's whole blocks as the rows of a matrix, and those of the rest."""
    whole = len(x) - len(x) % size
    return x[:whole].view(-1, size), x[None, whole:]


def line(x, n, grid, block, **more):
    """A launch of a kernel of (x, y, n). Past the n elements only y has cells.

    It has fewer than threads, so that a kernel without a guard goes outside of it.
    """
    beyond = BEYOND * max(grid - cover(n, block), 0) * (block > BEYOND)
    args = x, blank(n + beyond, dtype=x.dtype), np.int32(n)
    return Launch(grid, block, args, **more)
