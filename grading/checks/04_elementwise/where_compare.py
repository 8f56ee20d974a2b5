"""where_compare: comparisons, and a choice between two tensors."""

import math

import numpy as np
import torch

from grading.exercise import Check, arrays
from minigrad.kernels.elementwise import where_compare

from .. import strided
from .elementwise import DTYPES, NUMBERS, all_pairs, launch, operation

COMPARE = {
    "equal": torch.eq, "not_equal": torch.ne, "less": torch.lt,
    "less_equal": torch.le, "greater": torch.gt, "greater_equal": torch.ge,
}  # fmt: skip
ODD = np.array([1, 2, np.nan, np.inf, -np.inf, -0.0, 3, 5], np.float32)
OTHER = np.array([2, 2, np.nan, np.inf, np.inf, 0.0, np.nan, 4], np.float32)
ONE = (0, 0), (0, 0)  # p and q are numbers


def cases(random):
    for op in COMPARE:
        yield "comparisons", launch(random, (5, 4), [(4, 1), (0, 1), *ONE], op)
    for op in COMPARE:
        part, one = "NaN and infinities", [(1,), (1,), (0,), (0,)]
        yield part, launch(random, (8,), one, op, a=ODD, b=OTHER)
    for part, shape, strides in strided.layouts(random):
        if math.prod(shape) > 9999:  # four views of these take long
            continue
        views = [strides, *(strided.broadcast(random, shape) for _ in range(3))]
        random.shuffle(views)
        yield part, launch(random, shape, views, "less")
    for T in DTYPES:  # noqa: N806
        few = 6 if T in ("float", "int") else 2  # of each a text is compiled
        for op in random.sample([*COMPARE], few):
            part = "NaN and infinities" if T == "float" else "another type"
            yield part, all_pairs(random, op, T, count=4)
    a, p, q = np.array([1, 4] * 4, np.float32), ODD, -OTHER[::-1]
    for op in ("less", "greater"):  # each p and q is chosen once
        one = launch(random, (8,), [(1,)] * 4, op, a=a, b=5 - a, p=p, q=q)
        yield "what is chosen stays as it is", one
    for T in DTYPES:  # noqa: N806
        x = np.array(NUMBERS[T], DTYPES[T])
        chosen = {"a": x, "b": x, "p": x, "q": x[::-1].copy()}
        one = launch(random, x.shape, [(1,)] * 4, "less", T, **chosen)
        yield "another type", one
    yield "no elements", launch(random, (4, 3), [(3, 1)] * 4, "less", n=0)


def reference(a, a_view, b, b_view, p, p_view, q, q_view, y, n, launch):
    pairs = (a, a_view), (b, b_view), (p, p_view), (q, q_view)
    a, b, p, q = (strided.read(*pair) for pair in pairs)
    holds = COMPARE[operation(launch)](a, b)
    y.view(-1)[:n] = torch.where(holds, p, q).reshape(-1)[:n]


check = Check(
    where_compare,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    not_tested="other T than float, double, int, and long",
)
