"""The gradients of a convolution as a product: autograd is the oracle."""

import numpy as np
import torch

from grading.exercise import Check, checks
from minigrad.kernels.convolution import conv2d_backward


def eighths(random, part, *shape):
    """Whole numbers divided by 8: sums of their products are exact in the dtype."""
    draw = np.random.default_rng(random.getrandbits(64))
    most, dtype = (99, "float32") if part == "float32" else (9999, "float64")
    return (draw.integers(-most, most, shape) / 8).astype(dtype)


@checks(conv2d_backward)
class Conv2dBackward(Check):
    """Leaves out NaN, inf and O or K of 0: the contract names none of them."""

    def cases(self, random):
        shapes = [(3, 2, 4, 5), (2, 5, 3, 4), (1, 3, 2, 6), (0, 2, 4, 5), (3, 2, 4, 0)]
        shapes.append(tuple(random.randint(2, 6) for _ in range(4)))
        for part in ("dw, of all images together", "dcolumns", "db", "float32"):
            for N, O, K, P in shapes:  # noqa: E741
                sizes = (N, O, P), (N, K, P), (O, K)
                yield part, *(eighths(random, part, *size) for size in sizes)

    def expected(self, dy, columns, w):
        leaves = [torch.tensor(a, requires_grad=True) for a in (columns, w)]
        bias = torch.zeros(len(w), dtype=leaves[1].dtype, requires_grad=True)
        y = leaves[1] @ leaves[0] + bias[:, None]
        found = torch.autograd.grad(y, [*leaves, bias], torch.from_numpy(dy))
        return tuple(t.numpy() for t in found)

    def same(self, got, expected, dy, *args):
        alike = super().same(got, expected, dy, *args)
        pairs = zip(got, expected, strict=True) if alike else ()
        return alike and all(one.dtype == other.dtype for one, other in pairs)
