"""conv2d_backward: the gradients of a batched product, by PyTorch's autograd."""

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.exercise import Check, call, same
from minigrad.kernels.convolution import conv2d_backward

PARTS = "dw of all images", "dcolumns", "db", "float32"


def eighths(random, part, *shape):
    """Integers divided by 8: sums of their products are exact in the dtype."""
    draw = np.random.default_rng(random.getrandbits(64))
    most, dtype = (99, "float32") if part == "float32" else (9999, "float64")
    return (draw.integers(-most, most, shape) / 8).astype(dtype)


def few(random, part):
    """Small integers, so that the first case can be checked by hand."""
    draw = np.random.default_rng(random.getrandbits(64))
    dtype = "float32" if part == "float32" else "float64"
    return [
        draw.integers(1, 9, shape).astype(dtype)
        for shape in ((2, 1, 2), (2, 3, 2), (1, 3))
    ]


def cases(random):
    shapes = [(3, 2, 4, 5), (2, 5, 3, 4), (1, 3, 2, 6), (0, 2, 4, 5), (3, 2, 4, 0)]
    shapes.append(tuple(random.randint(2, 6) for _ in range(4)))
    for part in PARTS:
        yield part, call(*few(random, part))
        for N, O, K, P in shapes:  # noqa: E741
            sizes = (N, O, P), (N, K, P), (O, K)
            yield part, call(*(eighths(random, part, *size) for size in sizes))
    for row in pairwise(
        random, N=(0, 1, 3), O=(1, 5), K=(1, 4), P=(0, 1, 6), part=("db", "float32")
    ):
        N, O, K, P, part = row.values()  # noqa: E741, N806
        sizes = (N, O, P), (N, K, P), (O, K)
        yield part, call(*(eighths(random, part, *size) for size in sizes))


def reference(dy, columns, w):
    dy, columns, w = map(torch.from_numpy, (dy, columns, w))
    operands = columns, w, w.new_zeros(len(w), 1)
    dcolumns, dw, db = torch.func.vjp(lambda x, w, b: w @ x + b, *operands)[1](dy)
    return dcolumns.numpy(), dw.numpy(), db[:, 0].numpy()


def compare(got, expected, case):
    return same(got, expected) and [a.dtype for a in got] == [a.dtype for a in expected]


def diagnose(got, expected, case):
    images = len(case.args[0])
    for name, one, right in zip(("dw", "db"), got[1:], expected[1:], strict=True):
        if images > 1 and np.shape(one) == right.shape and right.any():
            if np.allclose(one * images, right):
                return "averaged", (
                    f"`{name}` is a mean over the images. Every image adds its part to "
                    "the gradient, so use the sum."
                )
    return None


check = Check(
    conv2d_backward,
    cases=cases,
    reference=reference,
    compare=compare,
    diagnose=diagnose,
    not_tested="an O or K of 0, NaN, and inf, which the contract rules out",
)
