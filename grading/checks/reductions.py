"""What the checks of chapter 05 share: how exact a sum is, sizes, odd numbers, rows.

A float addition is off by at most u = 2^-24 of its result. So a sum in which each term
goes through k additions is off by at most k u (|x1| + |x2| + ...); in half precision u
is 2^-11, 8192 times as much. k is small where the work is shared out: a thread adds
n / threads terms one after the other, then a tree has log2(threads) steps.

The inputs of sums are scaled so that (k + 1) (|x1| + |x2| + ...) is 1 (the 1 is for
rounding the result): then the bound is u in every case.
"""

import numpy as np

from grading.exercise import KernelCheck, Launch, Problem, distinct

U = 2.0**-24
# (elements, threads of the block) of every size; LONG: with the number of rows
LENGTHS = (
    *((5, 1), (1, 2), (7, 4), (8, 8), (40, 16), (31, 32), (65, 64), (33, 128)),
    *((1, 256), (255, 256), (257, 256)),
)
LONG = (3, 256, 256), (2, 1000, 128), (4, 460, 64)
COARSE = (
    "the values are nearly right, but further off than float rounds: which step loses "
    "digits, or adds something that does not belong there?"
)
STEP = "each step of the tree needs a __syncthreads() before it"
NO_ELEMENT = (
    "a cell is used that nobody has filled: threads without elements put 0 there"
)


def steps(n, threads):
    """Additions that a term of n goes through, in loops and then in a tree."""
    return -(-n // threads) + int(np.log2(max(threads, 1)) + 0.999)


def scaled(random, shape, k, terms):
    """Distinct numbers of which each `terms` have a sum that u bounds the error of."""
    x = distinct(random, *shape).astype(np.float64)
    return (x / (abs(x).max() * max(terms, 1) * (k + 1))).astype(np.float32)


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


def _some(expected):
    """A thousandth of the largest number."""
    finite = expected[np.isfinite(expected)]
    return abs(finite).max(initial=0) / 1000


def coarse(got, expected, launch):
    """A check's `diagnose`: floats nearly right, and nothing else wrong."""
    if isinstance(got, Problem) or got.spoilt:
        return None
    report = got.report
    most = launch.limits.items()
    if report.findings or report.notes or any(report.counts[k] > n for k, n in most):
        return None
    floats = (n for n, a in got.arrays.items() if a.dtype.kind == "f")
    pairs = ((got.arrays[n], expected[n].reshape(got.arrays[n].shape)) for n in floats)
    near = (np.allclose(g, e, 0.02, _some(e), equal_nan=True) for g, e in pairs)
    return ("coarse", COARSE) if all(near) else None


class ReductionCheck(KernelCheck):
    """A kernel that makes few numbers of many floats."""

    def general(self, case):
        """Values that are nearly right, before what is said of any kernel."""
        if not isinstance(case.got, Problem) and self._is_coarse(case):
            return "coarse", COARSE
        return super().general(case)

    def _is_coarse(self, case):
        (launch,) = case.args
        found = self.faults(case.got, launch) or self.same(
            case.got, case.expected, launch
        )
        floats = [n for n, a in case.got.arrays.items() if a.dtype.kind == "f"]
        pairs = [(case.got.arrays[n], case.expected[n]) for n in floats]
        return not found and all(
            np.allclose(got, e.reshape(got.shape), 0.02, _some(e), equal_nan=True)
            for got, e in pairs
        )


class TreeCheck(ReductionCheck):
    """A kernel in which the threads of a block join what they have, in a tree."""


class TreesCheck(TreeCheck):
    """One in which several trees use the same cells, one after the other."""


class RowCheck(TreeCheck):
    """A kernel whose blocks do a row each.

    rounds: how often it may read x; left_out: kinds of odd_rows; usual(random, rows, n)
    makes rows, and of(random, x, size) the launch for rows x.
    """

    left_out = ()

    def cases(self, random):
        for rows, n, size in LONG:
            yield self.heart, self.of(random, self.usual(random, rows, n), size)
        for n, size in LENGTHS:
            x = self.usual(random, 3, n)
            yield "rows of any length", self.of(random, x, size)
        x = np.sort(self.usual(random, 1, 102_400)).reshape(2, 128, 400)
        x = x.T.reshape(1, -1)  # a thread's are larger than those of tid - 2
        x[0, random.randint(70_000, 99_000)] = 20 * x.max()
        yield "rows of any length", self.of(random, x, 256)
        for part, x in odd_rows(random):
            for size in () if part in self.left_out else (256, 32):
                yield part, self.of(random, x, size)

    def of_rows(self, size, *args):
        """x, ..., with what all threads may begin with: a row's first elements."""
        rows, n = args[0].shape
        most = rows * (self.rounds * n + self.rounds // 2 * size)
        return Launch(rows, size, args, 0, {"reads of x": most})
