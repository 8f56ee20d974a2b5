"""The gradient of a quotient's divisor."""

import numpy as np
import torch

from grading.checking import checks
from grading.mistakes import Mistake, mistakes, right
from minigrad.ops.vjp import div_backward

from .gradients import NO_DY, FormulaCheck, drawn, gradient, looped


@checks(div_backward)
class DivBackward(FormulaCheck):
    def cases(self, random):
        for shape in [(3,), (2, 3)]:
            yield "the divisor", *(drawn(random, *shape) for _ in range(3))
        shapes = (2, 3), (3,), (2, 1)
        yield "shapes that are broadcast", *(drawn(random, *shape) for shape in shapes)
        yield "a divisor of 0", drawn(random, 2), drawn(random, 2), np.zeros(2)
        yield "a of zero", drawn(random, 2), np.zeros(2), drawn(random, 2)

    def expected(self, dy, a, b):
        return gradient(torch.div, dy, a, b, of=1)


mistakes(
    div_backward,
    other_operand=Mistake(
        "this is the gradient of a, the first operand: dy / b. That of b, the second, "
        "is asked for",
        lambda dy, a, b: dy / b + 0 * a,
    ),
    sign=Mistake("the sign: y falls where b grows", lambda dy, a, b: dy * a / (b * b)),
    not_squared=Mistake(
        "b counts twice: the slope of 1 / b is -1 / b ** 2",
        lambda dy, a, b: -dy * a / b,
    ),
    a_left_out=Mistake(
        "a is left out: y = a * (1 / b), and the slope has the factor a",
        lambda dy, a, b: -dy / b**2,
    ),
    guarded=Mistake(
        "where b is 0 the gradient is infinite, as in PyTorch: it is not left out",
        lambda dy, a, b: np.where(b == 0, 0, -dy * a / (b * b)),
    ),
    no_dy=Mistake(NO_DY, lambda dy, a, b: -a / b**2 + 0 * dy),
    like_mul=Mistake(
        "this is the gradient of a product", lambda dy, a, b: dy * a + 0 * b
    ),
)

right(div_backward, "b squared", lambda dy, a, b: -dy * a / b**2)
right(div_backward, "by the result", lambda dy, a, b: -(a / b) * dy / b)
right(div_backward, "as a power", lambda dy, a, b: dy * a * -(b ** (-2.0)))
right(
    div_backward,
    "by a loop",
    lambda dy, a, b: looped(lambda d, x, z: -d * x / (z * z), dy, a, b),
)
