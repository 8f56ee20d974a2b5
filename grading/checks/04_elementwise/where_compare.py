"""where_compare: comparisons, and a choice between two tensors."""

import numpy as np
import torch

from grading.exercise import Check, arrays
from minigrad.kernels.elementwise import where_compare

from .. import strided
from .elementwise import launch, operation

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
        pairs = [(1, 0), (0, 1), *ONE]
        yield part, launch(random, (8, 8), pairs, op, a=ODD, b=ODD)
    for part, shape, strides in strided.layouts(random):
        views = [strides, *(strided.broadcast(random, shape) for _ in range(3))]
        random.shuffle(views)
        yield part, launch(random, shape, views, "less")
    a, p, q = np.array([1, 4] * 4, np.float32), ODD, -OTHER[::-1]
    for op in ("less", "greater"):  # each p and q is chosen once
        one = launch(random, (8,), [(1,)] * 4, op, a=a, b=5 - a, p=p, q=q)
        yield "what is chosen stays as it is", one
    big = np.array([2**24, 2**24 + 1, 2**31 - 1, -(2**31)], np.int32)
    views = [(1, 0), (0, 1), (0, 1), (0, 0)]
    huge = np.array([2**53, 2**53 + 1, 2**63 - 1, -(2**63)])  # double has not all
    for op in COMPARE:
        for T, x in ("int", big), ("long", huge):  # noqa: N806
            one = launch(random, (4, 4), views, op, T, a=x, b=x, p=x)
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
    not_tested="double as T: int is as far from float, and long further",
)
