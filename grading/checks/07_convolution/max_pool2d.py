"""max_pool2d: the largest element of each window, and its index."""

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import pairwise
from grading.exercise import Check, Launch, blank, distinct
from minigrad.kernels.convolution import max_pool2d

from ..strided import cover
from .windows import squares


def launch(x, K, stride, padding):
    x = x.astype(np.float32)
    planes, H, W = x.shape
    OH, OW = ((n + 2 * padding - K) // stride + 1 for n in (H, W))
    shape = planes, OH, OW
    numbers = np.int32([planes, H, W, OH, OW, K, stride, padding])
    args = x, blank(*shape), blank(*shape, dtype=np.int32), *numbers
    return Launch(*cover(planes * OH * OW), args)


def cases(random):
    def drawn(planes, H, W, *how):
        return launch(distinct(random, planes, H, W), *how)

    for sizes in (2, 6, 8, 2, 2, 0), (3, 9, 6, 3, 3, 0):
        yield "the maximum and its index", drawn(*sizes)
    for part, *sizes in squares(random):
        yield part, drawn(*sizes)
    for *shape, K, stride, padding in (2, 6, 7, 3, 2, 1), (1, 5, 4, 2, 1, 1):
        yield "padding", launch(-abs(distinct(random, *shape)), K, stride, padding)
    for row in pairwise(
        random,
        of=("only negative elements", "ties", "only -infinity", "NaN and infinity"),
        planes=(1, 3),
        H=(4, 7),
        W=(5, 9),
        how=((2, 2, 0), (3, 2, 1), (2, 1, 1), (3, 1, 0), (1, 1, 0), (4, 3, 2)),
    ):
        part, *shape, how = row.values()
        x = -abs(distinct(random, *shape)) - 1
        if part == "ties":
            x = np.array(random.choices((0, 1, 2), k=x.size)).reshape(shape)
        elif part == "only -infinity":
            part, x = "ties", np.full(shape, -np.inf)
        elif part == "NaN and infinity":
            at = random.sample(range(x[0].size), 3)
            x[-1].flat[at] = (
                np.copysign(np.nan, random.choice((1, -1))),
                np.inf,
                -np.inf,
            )
        yield part, launch(x, *how)
    x = distinct(random, 2, 6, 8)
    x[0, 0, 1], x[0, 3, 2], x[1, 5, 7] = np.nan, np.nan, np.nan
    x[0, 4, 4], x[1, 0, 0], x[1, 0, 3] = np.inf, -np.inf, np.inf
    yield "NaN and infinity", launch(x, 2, 2, 0)
    for sizes in [(1, 260, 260, 1, 1, 0), (1, 33_000, 2, 2, 1000, 0),
                  (1, 2, 33_000, 2, 1000, 1)]:  # fmt: skip
        yield "large ones", drawn(*sizes)
    rising = np.sort(distinct(random, 66 * 2000)).reshape(1, 66, 2000)
    yield "large ones", launch(rising, 66, 1000, 0)


def reference(x, y, indices, *sizes):
    K, stride, padding = map(int, sizes[-3:])
    y, indices = F.max_pool2d(x.double(), K, stride, padding, return_indices=True)
    return {"y": y, "indices": indices}


check = Check(
    max_pool2d,
    cases=cases,
    reference=reference,
    not_tested="sizes of 0, dilation, K above 100, and padding above K / 2, which the "
    "contract rules out, and the index in a window with several NaN, which it leaves "
    "open",
)
