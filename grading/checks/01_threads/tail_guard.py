"""tail_guard: twice each element, with a guard for threads without an element."""

from grading.exercise import Check, distinct
from minigrad.kernels.threads import tail_guard

from ..launches import ODD, RAGGED, line, lines, specials


def cases(random):
    for part, n, *where in lines(random, first=RAGGED):
        yield part, line(distinct(random, n), n, *where)
    yield ODD, line(specials(random), 30, 1, 32)


def reference(x, y, n):
    y[:n] = 2 * x[:n]


check = Check(
    tail_guard,
    cases=cases,
    reference=reference,
    not_tested="the same array as x and y, because the contract rules it out",
)
