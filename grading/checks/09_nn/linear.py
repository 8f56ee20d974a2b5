"""linear: a linear layer."""

import numpy as np
import torch.nn.functional as F

from grading.checking.check import Check
from grading.checking.compare import close
from grading.drivers.graphs import with_gradients
from minigrad.nn.unfused import linear

from ..gradients import diagnose, quarters
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
    x[0, 0], x[1, 1] = np.nan, np.inf
    yield "NaN and infinity", on_tensors(x, w, b)


check = Check(
    linear,
    cases=cases,
    reference=F.linear,
    driver=with_gradients,
    compare=close(),
    diagnose=diagnose,
    not_tested="strided tensors: a matter of the operators in it",
)
