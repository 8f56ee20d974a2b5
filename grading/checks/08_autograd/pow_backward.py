"""pow_backward: the gradient of a base."""

import torch

from grading.checking.check import call
from minigrad.ops.vjp import pow_backward

from .formulas import BROADCAST, INF, NAN, exact, formula_check, gradient
from .inputs import drawn


def doubles(random):
    for part, *shapes in [
        ("the base", (3,), (3,), (3,)),
        ("the base", (2, 3), (2, 3), (2, 3)),
        (BROADCAST, (2, 3), (3,), (2, 1)),
    ]:
        dy, a, b = (drawn(random, *shape) for shape in shapes)
        yield part, call(dy, abs(a), b)
    for b in 3.0, 2.0:
        yield "the base", call(drawn(random, 3), drawn(random, 3), b)
    yield "an exponent of 0", exact(drawn(random, 3), [0, 2, -1], [0, 0, 0])
    for a in [0, 3], [[0], [0]]:
        dy, a = exact(drawn(random, 2, 2), a).args
        yield "an exponent of 0", call(dy, a, 0.0)
    yield "a base of 0", exact(drawn(random, 3), [0, 0, 0], [1, 2, 3])


check = formula_check(
    pow_backward,
    doubles=doubles,
    reference=lambda dy, a, b: gradient(torch.pow, dy, a, b),
    specials=[
        exact([NAN, 1, 1, 1], [2, NAN, INF, -2], [3, 2, 2, 0.5]),
        exact([1, 1, 1, INF, -1], [NAN, INF, -INF, 2, 0], [0, 0, 0, 3, -1]),
    ],
    not_tested="a dy that is NaN or infinite where b is 0, as in the contract",
)
