"""conv2d: a convolution as one product of matrices."""

import math
import re

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.drivers.graphs import with_gradients
from grading.drivers.scenarios import RESULT
from grading.exercise import Check, close
from minigrad.nn.unfused import conv2d

from ..gradients import optional, quarters
from ..inputs import numbers, on_tensors


def drawn(random, x, w):
    """An input of shape x, weights of shape w, and a bias."""
    return numbers(random, *x), numbers(random, *w), numbers(random, w[0])


def cases(random):
    for _ in range(2):
        few = drawn(random, (2, 1, 5, 6), (3, 1, 3, 2))
        yield "a window on images", on_tensors(*few)
    few = drawn(random, (2, 3, 6, 5), (4, 3, 2, 3))
    yield "a window on images", on_tensors(*few)
    x, w = numbers(random, 2, 2, 4, 5), numbers(random, 3, 2, 3, 3)
    yield "without bias", on_tensors(x, w)
    for x, w, options in [
        ((1, 2, 7, 6), (3, 2, 3, 3), {"stride": 2}),
        ((2, 2, 5, 6), (2, 2, 3, 3), {"padding": 1}),
        ((2, 1, 6, 8), (2, 1, 3, 2), {"stride": (2, 1), "padding": (0, 2)}),
    ]:
        yield "stride and padding", on_tensors(*drawn(random, x, w), **options)
    few = drawn(random, (1, 2, 9, 8), (2, 2, 3, 2))
    yield "dilation", on_tensors(*few, dilation=2)
    few = drawn(random, (1, 2, 9, 11), (2, 2, 3, 3))
    yield "dilation", on_tensors(*few, dilation=(1, 3), padding=(1, 2), stride=(2, 3))
    yield "1 x 1", on_tensors(*drawn(random, (2, 3, 4, 5), (5, 3, 1, 1)))
    x, w, b = drawn(random, (2, 2, 4, 5), (3, 2, 3, 2))
    yield "in float32", on_tensors(*map(np.float32, (x, w, b)))
    yield "a bias of zeros", on_tensors(x, w, 0 * b)
    yield "float16", on_tensors(*map(quarters, (x, w, b)))
    for row in pairwise(
        random,
        n=(1, 2),
        c=(1, 3),
        o=(1, 4),
        images=((7, 9), (8, 7)),
        window=((1, 1), (3, 2), (2, 3), (7, 1)),
        stride=(1, 2, (2, 1), (1, 3)),
        padding=(0, 1, (0, 2), (3, 0)),
        dilation=(1, 2, (1, 3)),
        bias=(None, 0, 1),
        dtype=(np.float64, np.float32),
    ):
        n, c, o, images, window = (row.pop(name) for name in [*row][:5])
        if window == (7, 1):
            row["dilation"] = 1
        few = drawn(random, (n, c, *images), (o, c, *window))
        times, dtype = row.pop("bias"), row.pop("dtype")
        few = few[:2] if times is None else (*few[:2], times * few[2])
        yield "options together", on_tensors(*map(dtype, few), **row)


def positions(got, expected, case):
    """What is said if unfold's positions and OH * OW don't fit."""
    said = getattr(got, "message", "")
    if len(case.args) == 2 and "NoneType" in said:
        return "none", "`bias` is None in this call. Add it only if it isn't None."
    if found := re.match(
        r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)", said
    ):
        wanted = tuple(map(int, found[1].split(",")))
        right, size = expected[RESULT].shape, int(found[2])
        if wanted == right:
            return "unfold", (
                "OH and OW are correct, but the columns have another number of "
                "positions. Check unfold's arguments. Their order is `unfold(input, "
                "kernel_size, dilation, padding, stride)`."
            )
        if wanted[:2] == right[:2] and len(wanted) == 4 and size == math.prod(right):
            return "sizes", (
                f"OH and OW are {wanted[2:]}, but should be {right[2:]}. A window "
                "covers dilation * (k - 1) + 1 rows or columns of the padded image."
            )
    return optional("bias")(got, expected, case)


check = Check(
    conv2d,
    cases=cases,
    reference=F.conv2d,
    driver=with_gradients,
    compare=close(),
    diagnose=positions,
    not_tested="strided tensors, NaN, and no images: its operators' matter",
)
