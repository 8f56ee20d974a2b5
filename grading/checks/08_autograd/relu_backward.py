"""relu_backward: the gradient of relu, from its result."""

import numpy as np
import torch

from grading.exercise import call
from minigrad.ops.vjp import relu_backward

from .formulas import INF, NAN, SPECIAL, formula_check, gradient, of


def doubles(random):
    for shape in (4,), (2, 3):
        dy, x = of(random, shape, shape).args
        y = np.maximum(x, 0)
        y.flat[0], y.flat[1] = 0, 1.5
        yield "above 0", call(dy, y)
    yield SPECIAL, of(random, [1, 2, 3, NAN], [NAN, 0, INF, 2])
    yield SPECIAL, of(random, [INF, -INF, INF], [0, 0, 1])


check = formula_check(
    relu_backward,
    doubles=doubles,
    reference=lambda dy, y: gradient(torch.relu, dy, y),
    not_tested="shapes that are broadcast: the contract has one shape for both",
)
