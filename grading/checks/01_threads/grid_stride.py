"""grid_stride: the square of each element, in a loop over all threads of the grid."""

import numpy as np

from grading.checking.pairwise import drawn
from grading.exercise import Check, Limits, arrays, distinct
from minigrad.kernels.threads import grid_stride

from ..launches import ODD, line, lines, specials

MILLION = 1_000_003
SIZES = 1, 2, 31, 32, 33, 64


def cases(random):
    for n, grid, size in [(300, 2, 32), (1100, 4, 64), (250, 3, 33), (100, 1, 32),
                          (52_000, 200, 256), (MILLION, 4, 256)]:  # fmt: skip
        yield "several elements per thread", launch(squarable(random, n), n, grid, size)
    for n, grid, size in [(96, 3, 32), (97, 3, 32), (64, 2, 16), (33, 1, 32)]:
        part = "no thread does more than its share"
        yield part, launch(squarable(random, n), n, grid, size)
    some = {"size": SIZES, "grid": (1, 2, 7), "rounds": (1, 3)}
    for size, grid, rounds, rest in drawn(random, **some, rest=(-1, 0, 1)):
        n = rounds * size * grid + rest
        yield "several elements per thread", launch(squarable(random, n), n, grid, size)
    for part, n, grid, size in lines(random, sizes=SIZES):
        yield part, launch(squarable(random, n), n, grid, size)
    yield ODD, launch(specials(random), 30, 1, 8)


def squarable(random, n):
    return np.fmod(distinct(random, n), np.float32(1009))


def launch(x, n, grid, size):
    whole, rest = divmod(n, grid * size)
    limits = {"writes": n, "writes_per_thread": whole + rest}
    return line(x, n, grid, size, limits=limits if n < 9999 else {})  # else unwatched


def reference(x, y, n):
    y[:n] = x[:n].square()


check = Check(
    grid_stride,
    cases=cases,
    reference=reference,
    compare=arrays(rtol=2.0**-21),  # powf is not as exact as a product
    limits=Limits(steps=5_000),
    not_tested="the same array as x and y, because the contract rules it out; and "
    "large blocks for few elements, because wrong kernels take too long there",
)
