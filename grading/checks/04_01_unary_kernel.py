"""A function of every element, for any layout."""

import torch

from grading.exercise import checks
from minigrad.kernels.elementwise import unary_kernel

from . import strided
from .launches import specials
from .strided import ElementwiseCheck

UNARY = {  # what OP is -> PyTorch's function
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "-": torch.neg,
    "fabs": torch.abs,
    "sqrt": torch.sqrt,
    "exp": torch.exp,
}


@checks(unary_kernel)
class UnaryKernel(ElementwiseCheck):
    """Leaves out T but float and double, by contract, and subnormal numbers."""

    def cases(self, random):
        for part, shape, strides in strided.layouts(random):
            yield part, self.launch(random, shape, [strides], "-")
        for op in UNARY:
            part = op if op in ("relu", "sigmoid") else "other operations"
            x = specials(random)
            yield part, self.launch(random, (3, 10), [(1, 3)], op, x=x)
            yield part, self.launch(random, (17,), [(1,)], op, x=x)
        for op in ("relu", "sigmoid", "exp"):
            x = specials(random, "float64") * (1 + 2**-40)
            launch = self.launch(random, (5, 6), [(1, 5)], op, "double", x=x)
            yield "another type", launch
        yield "no elements", self.launch(random, (2, 3), [(1, 2)], "relu", n=0)

    def expected(self, launch, x, view, y, n):
        op = UNARY[self.op(launch)]
        return strided.written(y, n, op(strided.read(x, view).double()))
