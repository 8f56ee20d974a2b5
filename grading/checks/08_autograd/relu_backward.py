"""relu_backward: the gradient of relu, from its result."""

import numpy as np
import torch

from grading.exercise import call
from minigrad.ops.vjp import relu_backward

from .formulas import INF, NAN, formula_check, gradient, of


def doubles(random):
    for shape in (4,), (2, 3):
        dy, x = of(random, shape, shape).args
        y = np.maximum(x, 0)
        y.flat[0], y.flat[1] = 0, 1.5
        yield "above 0", call(dy, y)
    yield "above 0", of(random, (4,), [5e-324, 1e-310, -0.0, 1e308])


check = formula_check(
    relu_backward,
    doubles=doubles,
    reference=lambda dy, y: gradient(torch.relu, dy, y),
    specials=[
        ([1, 2, 3, NAN, NAN], [NAN, 0, INF, 2, NAN]),
        ([INF, -INF, INF, INF, -INF, NAN], [0, 0, 1, NAN, INF, 0]),
    ],
    not_tested="shapes that are broadcast: the contract has one shape for both",
)
