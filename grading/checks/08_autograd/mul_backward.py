"""mul_backward: the gradient of a factor."""

import numpy as np
import torch

from minigrad.ops.vjp import mul_backward

from .formulas import BROADCAST, INF, NAN, formula_check, gradient, of


def doubles(random):
    yield "x * other", of(random, (3,), (3,))
    yield "x * other", of(random, (2, 3), (2, 3))
    yield BROADCAST, of(random, (2, 3), (3,))
    yield BROADCAST, of(random, (2, 3), (2, 1))
    yield "zeros", of(random, (3,), [0, 2, 0])


check = formula_check(
    mul_backward,
    doubles=doubles,
    reference=lambda dy, other: gradient(torch.mul, dy, np.ones_like(dy), other),
    specials=[
        ([NAN, 1, INF, 0, -INF, 0], [1, NAN, 0, INF, 2, -INF]),
        ([NAN, NAN, NAN], [0, INF, NAN]),
    ],
    not_tested="nothing that the contract names",
)
