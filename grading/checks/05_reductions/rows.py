"""Kernels whose blocks do a row each: rows of every length, and odd ones."""

import numpy as np

from grading.exercise import Launch, distinct

from ..reductions import LENGTHS

SHORT = *LENGTHS, (1, 1), (2, 1), (2, 256), (31, 256), (257, 4), (64, 64), (600, 16)
LONG = (3, 256, 256), (2, 1000, 128), (4, 460, 64)  # rows, elements, threads of a block


def odd_rows(random):
    """(what is odd, rows): all that a reduction of rows may stumble over."""
    x = distinct(random, 3, 300) / 900
    yield "negative elements alone", 9 * x - 9990
    x[1:] = 40_000 * x[1], 9 * x[2] + 9990
    yield "large elements", x * [[100], [1], [1]]
    # the largest in several places, also in lower threads later on
    x = np.array([[random.randint(0, 9) for _ in range(700)] for _ in range(5)])
    x[0], x[1, [7, 256, 512]], x[2, [300, 513]] = 3, 20, 20
    x[3, [random.randint(3, 30), 64 * random.randint(4, 8)]] = 20
    x = np.vstack([x, -x[0]]).astype(float)
    x[-1, [7, 300]], x[-1, [9, 256]] = -0.0, 0.0
    yield "ties", x
    x = distinct(random, 4, 600) / 300
    x[0, :300] = x[1, ::2] = x[3] = -np.inf
    x[2, np.arange(600) != random.randrange(600)] = -np.inf
    yield "minus infinity", x[:3]
    x = np.vstack([x, distinct(random, 7, 600)])
    x[4, [9, 256]], x[5, [0, 5]], x[6] = np.nan, np.nan, np.nan
    x[7, random.randint(1, 599)], x[7, 400] = np.nan, np.inf
    x[8, [8, 300]], x[9, 7], x[9, [9, 265]] = np.inf, -np.inf, np.nan
    x[10, [8, 300]], x[10, [9, 256]] = -np.nan, np.nan  # with its sign, and without
    x = np.vstack([x, distinct(random, 1, 600)])
    x[11, [7, 256, 512]] = np.inf  # the first not in the lowest thread
    yield "NaN and infinity", x[3:]


def short_rows(random, usual, n, far, infinite):
    """Rows of every kind, as short as n, that one launch does."""
    x = usual(random, 7, n)
    x[1], x[2], x[3] = np.sort(x[1]), np.sort(x[2])[::-1], 0.5
    x[4], x[5] = x[4] - far, x[5] + far
    if infinite:
        x[6, np.arange(n) != random.randrange(n)] = -np.inf
    return x


def unordered_rows(random, usual, n):
    """Short rows with NaN and infinities."""
    x = usual(random, 6, n)
    for row, value in zip(x, (np.nan, -np.nan, np.inf, -np.inf), strict=False):
        row[[random.randrange(n), random.randrange(n)]] = value
    x[4, 0], x[4, -1], x[5] = np.inf, np.nan, -np.inf
    return x


def cases_of_rows(random, core, usual, launch, left_out=(), far=30_000):
    """usual(random, rows, n) makes rows, and launch(random, x, size) the launch for x.

    left_out: kinds of odd_rows. far: how far from 0 short rows may be, too.
    """
    for rows, n, size in LONG:
        yield core, launch(random, usual(random, rows, n), size)
    for n, size in SHORT:
        x = short_rows(random, usual, n, far, "minus infinity" not in left_out)
        yield "rows of any length", launch(random, x, size)
        if "NaN and infinity" not in left_out:
            x = unordered_rows(random, usual, n)
            yield "NaN and infinity", launch(random, x, size)
    x = np.sort(usual(random, 1, 102_400)).reshape(2, 128, 400)
    x = x.T.reshape(1, -1)  # a thread's are larger than those of tid - 2
    x[0, random.randint(70_000, 99_000)] = 20 * x.max()
    yield "rows of any length", launch(random, x, 256)
    for part, x in odd_rows(random):
        for size in () if part in left_out else (256, 32):
            yield part, launch(random, x, size)


def of_rows(rounds, size, *args, begin=0):
    """The launch of x, ...; rounds: how often x may be read.

    begin: elements of a row that each thread may read beside these, to begin with.
    """
    rows, n = args[0].shape
    most = rows * (rounds * n + begin * size)
    return Launch(rows, size, args, 0, {"reads of x": most})
