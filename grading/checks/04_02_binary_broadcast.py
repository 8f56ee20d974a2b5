"""A function of two tensors that are broadcast."""

import numpy as np
import torch

from grading.exercise import checks
from minigrad.kernels.elementwise import binary_broadcast

from . import strided
from .launches import specials
from .strided import ElementwiseCheck

BINARY = {"sub": torch.sub, "maximum": torch.maximum, "fmin": torch.fmin,
          "copysign": torch.copysign}  # fmt: skip
PAIR = (3, 4), [(1, 0), (0, 1)]  # a column and a row


@checks(binary_broadcast)
class BinaryBroadcast(ElementwiseCheck):
    """Leaves out subnormal numbers, which a GPU takes for 0."""

    def cases(self, random):
        yield "a column and a row", self.launch(random, *PAIR, "sub")
        for views in [(0, 1), (1, 0)], [(1, 7), (0, 0)], [(0, 0), (5, 1)]:
            yield "a column and a row", self.launch(random, (7, 5), views, "sub")
        for part, shape, strides in strided.layouts(random):
            views = [strides, strided.broadcast(random, shape)]
            random.shuffle(views)
            yield part, self.launch(random, shape, views, "sub")
        for op in BINARY:
            a, b = specials(random), specials(random)
            args = (30, 30), [(0, 1), (1, 0)], op
            part = "maximum" if op == "maximum" else "other operations"
            yield part, self.launch(random, *args, a=a, b=b)
        big = np.array([2**24 + 1, 2**24 + 3, 2**24 + 5, 7])
        for part, op, T in [("other operations", "sub", "int"),  # noqa: N806
                            ("maximum", "maximum", "double")]:  # fmt: skip
            a = big.astype(strided.DTYPES[T])
            yield part, self.launch(random, *PAIR, op, T, a=a[:3], b=a)
        a = 2**53 + big.astype("int64")  # more digits than double has
        for part, op in ("other operations", "sub"), ("maximum", "maximum"):
            launch = self.launch(random, *PAIR, op, "long", a=a[:3], b=a)
            yield part, launch
        yield "no elements", self.launch(random, *PAIR, "sub", "int", n=0)

    def expected(self, launch, a, a_view, b, b_view, y, n):
        op = BINARY[self.op(launch)]
        return strided.written(
            y, n, op(strided.read(a, a_view), strided.read(b, b_view))
        )
