"""binary_broadcast: a function of two tensors that are broadcast."""

import numpy as np
import torch

from grading.exercise import Check
from minigrad.kernels.elementwise import binary_broadcast

from .. import strided
from ..launches import specials
from .elementwise import DTYPES, all_pairs, launch, operation, rounded

BINARY = {"sub": torch.sub, "maximum": torch.maximum, "min": torch.minimum,
          "fmin": torch.fmin, "copysign": torch.copysign}  # fmt: skip
PAIR = (3, 4), [(1, 0), (0, 1)]  # a column and a row


def cases(random):
    yield "a column and a row", launch(random, *PAIR, "sub")
    for views in [(0, 1), (1, 0)], [(1, 7), (0, 0)], [(0, 0), (5, 1)]:
        yield "a column and a row", launch(random, (7, 5), views, "sub")
    for part, shape, strides in strided.layouts(random):
        views = [strides, strided.broadcast(random, shape)]
        random.shuffle(views)
        yield part, launch(random, shape, views, "sub", random.choice([*DTYPES]))
    for T in DTYPES:  # noqa: N806
        yield "maximum", all_pairs(random, "maximum", T)
        other = "min" if T in ("int", "long") else random.choice(["sub", "fmin"])
        yield "other operations", all_pairs(random, other, T)
    for op in (op for op in BINARY if op != "min"):  # which is for int and long
        a, b = specials(random), specials(random)
        part = "maximum" if op == "maximum" else "other operations"
        yield part, launch(random, (30, 30), [(0, 1), (1, 0)], op, a=a, b=b)
    big = np.array([2**24 + 1, 2**24 + 3, 2**24 + 5, 7])
    huge = 2**53 + big  # more digits than double has
    for part, op, T, x in [  # noqa: N806
        ("other operations", "sub", "int", big),
        ("maximum", "maximum", "double", big),
        ("other operations", "sub", "long", huge),
        ("maximum", "maximum", "long", huge),
    ]:
        a = x.astype(DTYPES[T])
        yield part, launch(random, *PAIR, op, T, a=a[:3], b=a)
    yield "no elements", launch(random, *PAIR, "sub", "int", n=0)


def reference(a, a_view, b, b_view, y, n, launch):
    a, b = strided.read(a, a_view), strided.read(b, b_view)
    y.view(-1)[:n] = BINARY[operation(launch)](a, b).reshape(-1)[:n]


check = Check(
    binary_broadcast,
    cases=cases,
    reference=reference,
    compare=rounded,
    not_tested="subnormal numbers, which a GPU takes for 0",
)
