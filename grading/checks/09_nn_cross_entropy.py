"""What the checks of cross entropy share: its input, and how exact it must be.

lse is a sum of at most 33000 / 256 terms in a loop and 8 in a tree, its logarithm off
by as much as the sum is in parts: below 2^-14 in each case. Beside that lse is a
float, rounded by 2^-24 of its size, and the loss is a difference of such. In the
backward the exponential of x - lse, of some 16 at most in the cases, is off by a few u,
so the same holds.
"""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Launch, blank, checks
from grading.kernels.runs import same_arrays
from minigrad.kernels.losses import cross_entropy_backward, cross_entropy_forward

from .reductions import ReductionCheck

IGNORE = -100


def scores(random, rows, n, scale=8):
    draw = np.random.default_rng(random.getrandbits(64))
    return (draw.uniform(-scale, scale, (rows, n))).astype(np.float32)


def targets(random, rows, n, ignored=0, ignore=IGNORE):
    found = np.array([random.randrange(n) for _ in range(rows)], np.int32)
    found[random.sample(range(rows), ignored)] = ignore
    return found


@checks(cross_entropy_forward)
class CrossEntropyForward(ReductionCheck):
    """Leaves out NaN and +infinity, which no score is."""

    rtol, atol = 2.0**-14, 2.0**-14
    steps, watched = 70_000, 2**14  # one thread a row is slow, and right

    def cases(self, random):
        def of(x, size, ignored=0, ignore=IGNORE):
            rows, n = x.shape
            t = targets(random, rows, n, ignored, ignore)
            args = x, t, blank(rows), blank(rows), np.int32(n), np.int32(ignore)
            counted = 1000 <= n < self.watched
            reads = {"reads of x": rows * (4 * n + size)} if counted else {}
            return Launch(rows, size, args, 0, reads)

        for rows, n, size in [(5, 64, 64), (4, 100, 128), (3, 256, 256)]:
            yield "the loss", of(scores(random, rows, n), size)
        steep = scores(random, 90, 90)  # each place has the largest of a row
        np.fill_diagonal(steep, 10_000)
        yield "scores up to 10000", of(steep, 64)
        yield "scores up to 10000", of(scores(random, 3, 50) - 9990, 32)
        rising = np.sort(scores(random, 1, 33_000, 90))
        yield "rows longer than a block", of(rising, 256)
        yield "rows longer than a block", of(scores(random, 40_000, 3), 32)
        for n, size in [(1000, 256), (257, 64), (3000, 256)]:
            yield "rows longer than a block", of(scores(random, 2, n), size)
        for n, size in [(1, 64), (2, 1), (33, 32), (10, 256), (30, 16), (9, 4)]:
            yield "rows of any length", of(scores(random, 3, n), size)
        yield "ignored rows", of(scores(random, 6, 40), 64, ignored=3)
        yield "ignored rows", of(scores(random, 6, 40), 64, ignored=3, ignore=255)
        ruled_out = scores(random, 3, 300)
        ruled_out[0, ::2] = ruled_out[1:, ::3] = -np.inf  # all, or some, of a thread's
        yield "minus infinity", self.with_finite_targets(of(ruled_out, 64))
        yield "minus infinity", of(ruled_out, 64)  # a loss may be infinite

    def same(self, got, expected, launch):
        """A float lse of 10000 is rounded by 2^-11, and so is what is subtracted."""
        x = launch.args[0]
        near = self.atol + abs(x[np.isfinite(x)]).max() * 2.0**-23
        arrays = [(got.arrays[name], value) for name, value in expected.items()]
        return all(same_arrays(a, b, self.rtol, near) for a, b in arrays)

    def with_finite_targets(self, launch):
        launch.args[1][:] = np.minimum(launch.args[1] | 1, 299)
        return launch

    def expected(self, launch, x, target, losses, lse, n, ignore):
        x, t = torch.from_numpy(x).double(), torch.from_numpy(target).long()
        loss = F.cross_entropy(x, t, reduction="none", ignore_index=int(ignore))
        return {"losses": loss, "lse": torch.logsumexp(x, 1)}


@checks(cross_entropy_backward)
class CrossEntropyBackward(ReductionCheck):
    """Leaves out scores far beyond 100, where a float lse is too coarse."""

    rtol, atol = 2.0**-14, 2.0**-20
    steps = 50_000  # a thread may do all rows

    def cases(self, random):
        def of(rows, n, threads, ignored=0, dy=1.0, size=64, ignore=IGNORE, far=0):
            x = scores(random, rows, n) + np.float32(far)
            t = targets(random, rows, n, ignored, ignore)
            lse = torch.logsumexp(torch.from_numpy(x).double(), 1).float().numpy()
            up = np.array([dy], np.float32)
            count = np.int32(rows - ignored)
            rest = np.int32(rows), np.int32(n), np.int32(ignore), count
            grid = -(-threads // size)
            return Launch(grid, size, (x, t, lse, up, blank(rows, n), *rest))

        for rows, n in [(4, 16), (1, 10), (6, 33)]:
            yield "the gradient", of(rows, n, rows * n)
        yield "the gradient that comes", of(3, 20, 64, dy=-2.5)
        yield "the gradient that comes", of(5, 7, 64, dy=0.125)
        yield "scores near 100", of(3, 20, 64, far=100)
        yield "ignored rows", of(7, 12, 128, ignored=4)
        yield "ignored rows", of(7, 12, 128, ignored=4, ignore=255)
        yield "every row ignored", of(3, 8, 64, ignored=3)
        yield "any number of threads", of(9, 100, 64)
        yield "any number of threads", of(400, 100, 36_000, size=96)
        yield "any number of threads", of(30, 300, 96, size=96)
        yield "any number of threads", of(2, 3, 640)

    def expected(self, launch, x, target, lse, dy, dx, rows, n, ignore, count):
        x = torch.from_numpy(x).double().requires_grad_()
        t = torch.from_numpy(target).long()
        if not count:  # PyTorch's mean of nothing is NaN
            return torch.zeros(x.shape)
        loss = F.cross_entropy(x, t, ignore_index=int(ignore))
        return torch.autograd.grad(loss, x, torch.tensor(dy[0]).double())[0]
