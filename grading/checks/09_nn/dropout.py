"""dropout: other elements than PyTorch's are 0, and as many."""

import itertools
import math

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.drivers.scenarios import CUT, RESULT, incoming
from grading.exercise import Check, close, drive
from minigrad.nn.unfused import dropout

from ..inputs import numbers, on_tensors
from .chance import by_seed, looks_random, seeds_drawn

SIZE = 100, 80
COUNT = math.prod(SIZE)
NEAR = {2: (1e-2, 1e-2), 4: (1e-5, 1e-6), 8: (1e-9, 1e-12)}  # by an element's size
RATIO = {2: 1e-3, 4: 1e-6, 8: 1e-9}
SAME = "the same seed, the same numbers"
ROWS, ZEROS = "whole rows or columns are 0", f"zeros among {COUNT} numbers"


def cases(random):
    def of(x, seeds, dtype=np.float64, shape=SIZE, **options):
        return on_tensors(x.astype(dtype).reshape(shape), seeds=seeds, **options)

    def drawn():
        x = numbers(random, *SIZE)
        return x + np.sign(x), seeds_drawn(random)

    one = drawn()
    for dtype in np.float64, np.float32:
        yield "in training", of(*one, dtype)
    for p in (0.5, 0.2, 0.7):
        yield "in training", of(*drawn(), p=p)
    yield "not in training", of(*drawn(), p=0.3, training=False)
    for row in pairwise(
        random,
        p=(0, 1, -0.1, 1.5, 0.5, random.uniform(0.1, 0.9)),
        training=(True, False),
        dtype=(np.float64, np.float32, np.float16),
        shape=(SIZE, (20, 40, 10), (8000,)),
    ):
        if row["dtype"] is np.float16 and 0 < row["p"] < 1:
            row["p"] = 0.5
        yield part_of(**row), of(one[0], [random.getrandbits(32)], **row)
    for p in (0.125, 0.004, 0.5, 0.996):
        seed = random.getrandbits(32)
        seeds = [seed, *[None] * 63, seed, seed, seed]
        yield "any p", drive(modules.zeros, seeds=seeds, n=COUNT, p=p)


def part_of(p, training, dtype, shape):
    """Which part of the task a case belongs to."""
    if not 0 <= p <= 1:
        return "no other p"
    if not training:
        return "not in training"
    if p in (0, 1):
        return "p of 0 and 1"
    if dtype is np.float16:
        return "float16"
    return "in training" if shape == SIZE else "any dimensions"


def of_counts(counts, p):
    """Do counts of zeros vary as they do by chance? One in 10 million does not."""
    *counts, second, third, fourth = counts
    off = (np.array(counts) - COUNT * p) / math.sqrt(COUNT * p * (1 - p))
    mean = float(off.mean()) * math.sqrt(off.size)
    return {
        SAME: counts[0] == second == third == fourth,
        "p of all elements are dropped": abs(mean) < 6,
        "the count varies from call to call": bool(0.25 < (off * off).mean() < 3),
    }


@np.errstate(all="ignore")
def observe(shown, case):
    if case.driver:
        return of_counts(shown, case.options["p"])
    x, results = case.args[0].values, [one[RESULT] for one in shown]
    if any(y.shape != x.shape for y in results):
        raise ValueError("a result of another shape")
    draws, same = by_seed(results, case.options["seeds"])
    y = draws[0]
    zero = y == 0
    ratios = y[~zero] / x[~zero] if not zero.all() else np.ones(1)
    alike = np.allclose(ratios, ratios[0], RATIO[y.itemsize], equal_nan=True)
    some = 0 < int(zero.sum()) < COUNT
    rows = ((zero.all(d) | ~zero.any(d)).all() for d in range(y.ndim))
    pairs = itertools.combinations(draws, 2)
    return {
        "the dtype is that of the input": all(y.dtype == x.dtype for y in results),
        SAME: same,
        "the gradient goes the same way": all(
            np.allclose(one[CUT][0], one[RESULT] / x * incoming(x), *NEAR[x.itemsize])
            for one in shown
        ),
        "two calls drop the same": some and any(np.array_equal(*p) for p in pairs),
        ROWS: some and bool(any(rows)),
        "each element is drawn alone": looks_random(1.0 * zero.reshape(100, -1)),
        ZEROS: int(zero.sum()),
        "what is not 0 is multiplied by": float(ratios[0]) if alike else "several",
    }


def compare(got, expected, case=None):
    """A count of zeros is a matter of chance, more so where whole rows are 0."""
    if isinstance(expected, dict):
        keys = expected.keys() - {ZEROS if expected.get(ROWS) else ""}
        return all(compare(got[key], expected[key]) for key in keys)
    if type(expected) is int:
        deviation = math.sqrt(2 * expected * (1 - expected / COUNT))
        return abs(got - expected) <= 6 * deviation
    return close(RATIO[4])(got, expected)


check = Check(
    dropout,
    cases=cases,
    reference=F.dropout,
    driver=modules.dropout,
    observe=observe,
    compare=compare,
    not_tested="small inputs, where chance says little; infinity, NaN, and a p that is "
    "NaN, as in the contract; and half but for p = 0.5, since its rounding depends on "
    "the order of the operators",
)
