"""div_backward: the gradient of a divisor."""

import torch

from minigrad.ops.vjp import div_backward

from .formulas import BROADCAST, INF, NAN, exact, formula_check, gradient, of_shapes
from .inputs import drawn


def doubles(random):
    yield "the divisor", of_shapes(random, (3,), (3,), (3,))
    yield "the divisor", of_shapes(random, (2, 3), (2, 3), (2, 3))
    yield BROADCAST, of_shapes(random, (2, 3), (3,), (2, 1))
    yield "a divisor of 0", exact(drawn(random, 2), drawn(random, 2), [0, 0])
    yield "a of zero", exact(drawn(random, 2), [0, 0], drawn(random, 2))


check = formula_check(
    div_backward,
    doubles=doubles,
    reference=lambda dy, a, b: gradient(torch.div, dy, a, b, of=1),
    specials=[
        exact([NAN, 1, 1], [1, NAN, 2], [2, 2, NAN]),
        exact([INF, 1, 1, 0, 1], [1, -INF, 0, 1, 1], [-2, 2, 0, 0, INF]),
    ],
    not_tested="squares of b beyond the largest number: the contract names none",
)
