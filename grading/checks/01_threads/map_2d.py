"""map_2d: each row times its weight, with one thread per element of a matrix."""

import numpy as np

from grading.exercise import Check, Launch, blank, distinct
from minigrad.kernels.threads import map_2d

from ..launches import ODD, areas, specials


def cases(random):
    for part, rows, cols, *where in areas(random):
        x, w = distinct(random, rows, cols), distinct(random, rows)
        yield part, launch(x, w, *where)
    x, w = np.tile(specials(random), (30, 1)), specials(random)  # all with all
    yield ODD, launch(x, w, (1, 4), (32, 8))


def launch(x, w, grid, block):
    return Launch(grid, block, (x, w, blank(*x.shape), *map(np.int32, x.shape)))


def reference(x, w, y, rows, cols):
    return w[:, None] * x


check = Check(
    map_2d,
    cases=cases,
    reference=reference,
    not_tested="the same array as x and y, because the contract rules it out",
)
