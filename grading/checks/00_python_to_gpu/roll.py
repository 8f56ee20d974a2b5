"""roll: an array moved on; what leaves at one end comes in at the other."""

from dataclasses import replace

import numpy as np

from grading.exercise import Check, arrays, distinct
from minigrad.kernels.first import roll

from ..launches import ODD, SUBNORMAL, line, lines, specials

SHIFTS = {
    "backwards, or not at all": (0, -1, -50),
    "forwards": (1, 5, 95),
    "a shift beyond n": (96, 100, -97, -1001, -2_000_000_001, 2**31 - 1, 96 - 2**31),
}


def launch(x, n, grid, block, shift):
    usual = line(x, n, grid, block)
    return replace(usual, args=(*usual.args, np.int32(shift)))


def cases(random):
    for part, shifts in SHIFTS.items():
        for shift in shifts:
            yield part, launch(distinct(random, 96), 96, 3, 32, shift)
    for part, n, *where in lines(random):
        near = *range(-2, 3), n - 1, n, n + 1, -n, -n - 1, n // 2, 3 * n + 2
        shift = random.choice([*near, *near, 2**31 - 1, n - 2**31])
        yield part, launch(distinct(random, n), n, *where, shift)
    yield ODD, launch(specials(random, more=SUBNORMAL), 32, 1, 32, 5)


def reference(x, y, n, shift):
    y[:n] = x[:n].roll(int(shift))


check = Check(
    roll,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    not_tested="one array as x and y, and i - shift beyond int: both are barred",
)
