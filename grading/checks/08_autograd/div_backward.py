"""div_backward: the gradient of a divisor."""

import torch

from minigrad.ops.vjp import div_backward

from .formulas import BROADCAST, INF, NAN, formula_check, gradient, of


def doubles(random):
    yield "the divisor", of(random, (3,), (3,), (3,))
    yield "the divisor", of(random, (2, 3), (2, 3), (2, 3))
    yield BROADCAST, of(random, (2, 3), (3,), (2, 1))
    yield BROADCAST, of(random, (3, 3), (3, 1), (3,))
    yield "a divisor of 0", of(random, (2,), (2,), [0, 0])
    yield "a of zero", of(random, (2,), [0, 0], (2,))


check = formula_check(
    div_backward,
    doubles=doubles,
    reference=lambda dy, a, b: gradient(torch.div, dy, a, b, of=1),
    specials=[
        ([NAN, 1, 1], [1, NAN, 2], [2, 2, NAN]),
        ([NAN, NAN, NAN], [0, 1, 0], [2, INF, 0]),
        ([INF, 1, 1, 0, 1], [1, -INF, 0, 1, 1], [-2, 2, 0, 0, INF]),
    ],
    not_tested="squares of b beyond the largest number: the contract names none",
)
