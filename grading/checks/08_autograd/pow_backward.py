"""pow_backward: the gradient of a base."""

import torch

from grading.exercise import call
from minigrad.ops.vjp import pow_backward

from .formulas import BROADCAST, INF, NAN, formula_check, gradient, of


def doubles(random):
    for part, *shapes in [
        ("the base", (3,), (3,), (3,)),
        ("the base", (2, 3), (2, 3), (2, 3)),
        (BROADCAST, (2, 3), (3,), (2, 1)),
        (BROADCAST, (3, 3), (3, 1), (3,)),
    ]:
        dy, a, b = of(random, *shapes).args
        yield part, call(dy, abs(a), b)
    yield "the base", of(random, (3,), (3,), 3.0)
    yield "the base", of(random, (3,), (3,), 2.0)
    yield "an exponent of 0", of(random, (3,), [0, 2, -1], [0, 0, 0])
    yield "an exponent of 0", of(random, (2, 2), [0, 3], 0.0)
    yield "an exponent of 0", of(random, (2, 2), [[0], [0]], 0.0)
    yield "a base of 0", of(random, (3,), [0, 0, 0], [1, 2, 3])


check = formula_check(
    pow_backward,
    doubles=doubles,
    reference=lambda dy, a, b: gradient(torch.pow, dy, a, b),
    specials=[
        ([NAN, 1, 1, 1], [2, NAN, INF, -2], [3, 2, 2, 0.5]),
        ([NAN, NAN, INF], [0, 1, 0], [2, 1, 3]),
        ([1, 1, 1, INF, -1], [NAN, INF, -INF, 2, 0], [0, 0, 0, 3, -1]),
    ],
    not_tested="a dy that is NaN or infinite where b is 0, as in the contract",
)
