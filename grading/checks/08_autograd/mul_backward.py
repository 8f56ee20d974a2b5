"""mul_backward: the gradient of a factor."""

import numpy as np
import torch

from minigrad.ops.vjp import mul_backward

from .formulas import BROADCAST, INF, NAN, exact, formula_check, gradient, of_shapes
from .inputs import drawn


def doubles(random):
    yield "x * other", of_shapes(random, (3,), (3,))
    yield "x * other", of_shapes(random, (2, 3), (2, 3))
    yield BROADCAST, of_shapes(random, (2, 3), (3,))
    yield BROADCAST, of_shapes(random, (2, 3), (2, 1))
    yield "zeros", exact(drawn(random, 3), [0, 2, 0])


check = formula_check(
    mul_backward,
    doubles=doubles,
    reference=lambda dy, other: gradient(torch.mul, dy, np.ones_like(dy), other),
    specials=[exact([NAN, 1, INF, 0, -INF, 0], [1, NAN, 0, INF, 2, -INF])],
    not_tested="nothing that the contract names",
)
