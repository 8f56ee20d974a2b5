"""linear: a linear layer."""

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.drivers.graphs import with_gradients
from grading.exercise import Check, close
from minigrad.nn.unfused import linear

from ..gradients import optional, quarters
from ..inputs import numbers, on_tensors


def cases(random):
    for rows, n, m in [(4, 3, 5), (1, 7, 2), (6, 5, 5), (4, 3, 5)]:
        x, w, b = (numbers(random, *s) for s in ((rows, n), (m, n), (m,)))
        yield "matrices", on_tensors(x, w, b)
        yield "without bias", on_tensors(x, w)
    yield "a bias of zeros", on_tensors(x, w, 0 * b)
    yield "float16", on_tensors(*map(quarters, (x, w, b)))
    x, w, b = numbers(random, 2, 3), numbers(random, 4, 3), numbers(random, 4)
    for shape in (2, 5, 3), (3,), (0, 3):
        yield "any dimensions in front", on_tensors(numbers(random, *shape), w, b)
    yield "in float32", on_tensors(*map(np.float32, (x, w, b)))
    for row in pairwise(
        random,
        front=((4,), (), (1,), (2, 5), (0,), (2, 0, 3), (2, 1, 3, 2)),
        n=(1, 3),
        m=(1, 4),
        bias=(None, 0, 1),
        dtype=(np.float64, np.float32, quarters),
    ):
        x, w = (numbers(random, *s, row["n"]) for s in (row["front"], (row["m"],)))
        given = [x, w]
        if row["bias"] is not None:
            given.append(row["bias"] * numbers(random, row["m"]))
        yield "shapes together", on_tensors(*map(row["dtype"], given))
    x, w, b = numbers(random, 2, 3), numbers(random, 4, 3), numbers(random, 4)
    x[0, 0], x[1, 1] = np.nan, np.inf
    yield "NaN and infinity", on_tensors(x, w, b)


def none(got, expected, case):
    """What is said if the bias isn't there."""
    if len(case.args) == 2 and "NoneType" in getattr(got, "message", ""):
        return "none", "`bias` is None in this call. Add it only if it isn't None."
    return optional("bias")(got, expected, case)


check = Check(
    linear,
    cases=cases,
    reference=F.linear,
    driver=with_gradients,
    compare=close(),
    diagnose=none,
    not_tested="strided tensors: a matter of the operators in it",
)
