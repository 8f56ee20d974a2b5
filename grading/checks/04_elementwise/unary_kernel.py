"""unary_kernel: a function of every element, for any layout."""

import torch

from grading.exercise import Check
from minigrad.kernels.elementwise import unary_kernel

from .. import strided
from ..launches import specials
from .elementwise import launch, operation, rounded

UNARY = {  # what OP is -> PyTorch's function
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "-": torch.neg,
    "fabs": torch.abs,
    "sqrt": torch.sqrt,
    "exp": torch.exp,
}

STEEP = (  # where exp(x), or exp(-x), is close to 0 or to the largest number
    -50, -87, -88.5, -89.5, -104, 17, 50, 88, 89.5, 104, -708, -746, 709, 710, 1000,
)  # fmt: skip


def cases(random):
    for part, shape, strides in strided.layouts(random):
        T = random.choice(["float", "double"])  # noqa: N806
        yield part, launch(random, shape, [strides], "-", T)
    for op in UNARY:
        part = op if op in ("relu", "sigmoid") else "other operations"
        x = specials(random, more=STEEP)
        yield part, launch(random, (5, 9), [(1, 5)], op, x=x)
        yield part, launch(random, (17,), [(1,)], op, x=x)
    for op in ("relu", "sigmoid", "exp"):
        x = specials(random, "float64", more=STEEP) * (1 + 2**-40)
        yield "another type", launch(random, (5, 9), [(1, 5)], op, "double", x=x)
    yield "no elements", launch(random, (2, 3), [(1, 2)], "relu", n=0)


def reference(x, view, y, n, launch):
    op = UNARY[operation(launch)]
    y.view(-1)[:n] = op(strided.read(x, view).double()).reshape(-1)[:n]


check = Check(
    unary_kernel,
    cases=cases,
    reference=reference,
    compare=rounded,
    not_tested="types but float and double, by contract, and subnormal numbers",
)
