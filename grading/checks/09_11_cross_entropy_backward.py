"""The gradient of the mean of cross entropy."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import checks
from grading.kernels import Fault, Launch, blank
from grading.mistakes import Mistake, mistakes, right
from minigrad.kernels.losses import cross_entropy_backward

from .reductions import ReductionCheck
from .scores import IGNORE, scores, targets


@checks(cross_entropy_backward)
class CrossEntropyBackward(ReductionCheck):
    rtol, atol = 2.0**-14, 2.0**-20
    steps = 200_000  # a thread may do all rows

    def cases(self, random):
        def of(rows, n, threads, ignored=0, dy=1.0, size=64):
            x, t = scores(random, rows, n), targets(random, rows, n, ignored)
            lse = torch.logsumexp(torch.from_numpy(x).double(), 1).float().numpy()
            up = np.array([dy], np.float32)
            count = np.int32(rows - ignored)
            rest = np.int32(rows), np.int32(n), np.int32(IGNORE), count
            grid = -(-threads // size)
            return Launch(grid, size, (x, t, lse, up, blank(rows, n), *rest))

        for rows, n in [(4, 16), (1, 10), (6, 33)]:
            yield "the gradient", of(rows, n, rows * n)
        yield "the gradient that comes", of(3, 20, 64, dy=-2.5)
        yield "the gradient that comes", of(5, 7, 64, dy=0.125)
        yield "ignored rows", of(7, 12, 128, ignored=4)
        yield "any number of threads", of(9, 100, 64)
        yield "any number of threads", of(400, 100, 36_000, size=96)
        yield "any number of threads", of(30, 300, 96, size=96)
        yield "any number of threads", of(2, 3, 640)

    def expected(self, launch, x, target, lse, dy, dx, rows, n, ignore, count):
        x = torch.from_numpy(x).double().requires_grad_()
        t = torch.from_numpy(target).long()
        loss = F.cross_entropy(x, t, ignore_index=IGNORE)
        return torch.autograd.grad(loss, x, torch.tensor(dy[0]).double())[0]


SLOPE = "(share - (i % n == t))"
mistakes(
    cross_entropy_backward,
    sum_not_mean=Mistake(
        "that is the gradient of the sum: the mean has 1 / count", " / count ->"
    ),
    by_rows=Mistake(
        "it is divided by the number of rows: the mean is over those that are not "
        "ignored, `count`",
        "/ count -> / rows",
    ),
    no_dy=Mistake(
        "the gradient that comes is not used: dy[0] is a factor", "dy[0] / -> 1.0f /"
    ),
    no_one_hot=Mistake(
        "that is the softmax alone: from the target's share 1 is subtracted",
        f"{SLOPE} -> share",
    ),
    sign=Mistake(
        "the sign: softmax minus one-hot, so that a step against the gradient raises "
        "the target's score",
        "dy[0] / -> -dy[0] /",
    ),
    not_ignored=Mistake(
        "a row that is ignored has no gradient: 0", "t == ignore ? 0.0f : ->"
    ),
    one_pass=Mistake(
        "a thread has one element only: with fewer threads than elements it needs a "
        "loop",
        "i += threads -> i += rows * n",
    ),
    outside=Mistake(
        "a thread without an element writes all the same: there may be more threads "
        "than elements",
        Fault("out-of-bounds"),
        (
            "for (int i = -> int i =",
            "threadIdx.x; i < rows * n; i += threads) -> threadIdx.x;",
        ),
    ),
)

right(
    cross_entropy_backward,
    "row by row",
    """
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rows; r++)
        for (int c = first; c < n; c += gridDim.x * blockDim.x) {
            float one = c == target[r] ? 1.0f : 0.0f;
            float slope = expf(x[r * n + c] - lse[r]) - one;
            dx[r * n + c] = target[r] != ignore ? slope * dy[0] / count : 0.0f;
        }
    """,
)
