"""tanh_backward: the gradient of tanh, from its result."""

import numpy as np
import torch

from grading.exercise import call
from minigrad.ops.vjp import tanh_backward

from .formulas import NAN, formula_check, gradient, of


def doubles(random):
    for shape in (3,), (2, 3):
        dy, x = of(random, shape, shape).args
        yield "anywhere", call(dy, np.tanh(x))
    yield "at the ends", of(random, (3,), [-1, 1, 0])


check = formula_check(
    tanh_backward,
    doubles=doubles,
    reference=lambda dy, y: gradient(torch.tanh, dy, torch.atanh(torch.tensor(y))),
    specials=[([NAN, 1], [0.5, NAN]), ([NAN, NAN, NAN], [1, -1, 0])],
    not_tested="shapes that are broadcast and infinity: the contract names neither",
)
