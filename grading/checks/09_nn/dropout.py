"""dropout: other elements than PyTorch's are 0, and as many."""

import itertools
import math

import numpy as np
import torch.nn.functional as F

from grading.checking.check import Check
from grading.checking.compare import close
from grading.drivers import modules
from minigrad.nn.unfused import dropout

from ..inputs import numbers, on_tensors
from .chance import by_state, looks_random, repeats, seeds_drawn

SIZE = 100, 80
COUNT = math.prod(SIZE)
NEAR = {2: (1e-2, 1e-2), 4: (1e-5, 1e-6), 8: (1e-9, 1e-12)}  # by an element's size
RATIO = {2: 1e-3, 4: 1e-6, 8: 1e-9}
ZEROS, FACTOR = f"zeros among {COUNT} numbers", "what is not 0 is multiplied by"
SEED, DTYPE, CUT, ROWS, AGAIN, ALONE = (
    "the same seed, the same numbers",
    "the dtype is that of the input",
    "the gradient goes the same way",
    "whole rows or columns are 0",
    "two calls drop the same elements",
    "each element is drawn alone",
)
CAUSES = {
    SEED: (
        "seed", "minigrad.manual_seed does not decide what is dropped: draw with "
        "random.keep_mask or minigrad.rand, not with another library"
    ),
    DTYPE: ("dtype", "the result has another dtype than the input"),
    CUT: (
        "cut", "the gradient does not come back: that of what is kept is scaled as it "
        "is, all other 0. Use operators of tensors, no NumPy, no detach()"
    ),
    ALONE: ("pattern", "which elements are 0 follows a pattern: draw each alone"),
}  # fmt: skip


def cases(random):
    def drawn():
        return numbers(random, *SIZE) + 10, numbers(random, *SIZE), seeds_drawn(random)

    def of(x, dy, seeds, dtype=np.float64, shape=SIZE, **options):
        pair = (a.astype(dtype).reshape(shape) for a in (x, dy))
        return on_tensors(*pair, seeds=seeds, **options)

    one = drawn()
    for dtype in np.float64, np.float32:
        yield "in training", of(*one, dtype)
    yield "float16", of(*one, np.float16)
    for shape in (20, 40, 10), (8000,):
        yield "any dimensions", of(*one, shape=shape)
    for p in (0.5, 0.2, 0.7):
        yield "in training", of(*drawn(), p=p)
    for p in (0.5, 0.3):
        yield "not in training", of(*drawn(), p=p, training=False)
    for part, few in ("p of 0 and 1", (0, 1)), ("no other p", (-0.1, 1.5)):
        for p in few:
            yield part, of(*drawn(), p=p)
    yield "no other p", of(*drawn(), p=1.5, training=False)


def observe(shown, case):
    x, dy = (a.values for a in case.args)
    results, seeds, back = shown["results"], case.options["seeds"], shown["gradient"]
    if any(y.shape != x.shape for y in results):
        raise ValueError("a result of another shape")
    draws = [few[0] for few in by_state(results, seeds)]
    y = draws[0]
    zero = y == 0
    ratios = y[~zero] / x[~zero] if not zero.all() else np.ones(1)
    alike = np.allclose(ratios, ratios[0], RATIO[y.itemsize], equal_nan=True)
    some = 0 < zero.sum() < COUNT
    rows = ((zero.all(d) | ~zero.any(d)).all() for d in range(y.ndim))
    pairs = itertools.combinations(draws, 2)
    return {
        DTYPE: all(y.dtype == x.dtype for y in results),
        SEED: repeats(results, seeds),
        ZEROS: int(zero.sum()),
        FACTOR: float(ratios[0]) if alike else "several numbers",
        CUT: np.allclose(  # where nothing is kept, no gradient is as good as 0
            0 if back is None else back, results[-1] / x * dy, *NEAR[x.itemsize]
        ),
        ROWS: bool(some and any(rows)),
        AGAIN: bool(some and any(np.array_equal(*pair) for pair in pairs)),
        ALONE: bool(looks_random(1.0 * zero.reshape(100, -1))),
    }


def compare(got, expected, case=None):
    """A count of zeros is a matter of chance, more so where whole rows are 0."""
    if isinstance(expected, dict):
        keys = expected.keys() - {ZEROS if expected.get(ROWS) else ""}
        return all(compare(got[key], expected[key]) for key in keys)
    if type(expected) is int:
        deviation = math.sqrt(2 * expected * (1 - expected / COUNT))
        return abs(got - expected) <= 6 * deviation
    return close()(got, expected)


def describe(exercise, case):
    x, options = case.args[0].values, case.options.items()
    said = [f"{name}={value}" for name, value in options if name != "seeds"]
    return ", ".join([f"dropout of {x.shape} numbers in {x.dtype}", *said])


def diagnose(got, expected, case):
    if not isinstance(got, dict) or not isinstance(expected, dict):
        return None
    if got.get(FACTOR) != got.get(FACTOR):  # NaN
        return "divided_by_0", "with p = 1 all is 0, and 1 / (1 - p) does not exist"
    wrong = (CAUSES[fact] for fact in CAUSES if got.get(fact) is False)
    return () if got.get(ROWS) else next(wrong, ())


check = Check(
    dropout,
    cases=cases,
    reference=F.dropout,
    driver=modules.dropout,
    observe=observe,
    compare=compare,
    describe=describe,
    diagnose=diagnose,
    not_tested="small inputs, where chance says little; infinity times 0; and half but "
    "for p = 0.5, since its rounding depends on the order of the operators",
)
