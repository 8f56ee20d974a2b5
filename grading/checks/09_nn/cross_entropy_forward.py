"""cross_entropy_forward: the loss of each row, and its lse."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Check, Launch, Limits, arrays, blank
from minigrad.kernels.losses import cross_entropy_forward

from ..reductions import coarse, many_small
from .cross_entropy import IGNORE, NEAR, scores, targets

LIMITS = Limits(steps=70_000, watched=2**14)  # one thread a row is slow, and right


def launch(random, x, size, ignored=0, ignore=IGNORE):
    rows, n = x.shape
    t = targets(random, rows, n, ignored, ignore)
    args = x, t, blank(rows), blank(rows), np.int32(n), np.int32(ignore)
    counted = 1000 <= n < LIMITS.watched
    reads = {"reads of x": rows * (4 * n + size)} if counted else {}
    return Launch(rows, size, args, 0, reads)


def with_finite_targets(launch):
    launch.args[1][:] = np.minimum(launch.args[1] | 1, 299)
    return launch


def cases(random):
    for rows, n, size in [(5, 64, 64), (4, 100, 128), (3, 256, 256)]:
        yield "the loss", launch(random, scores(random, rows, n), size)
    steep = scores(random, 90, 90)  # each place has the largest of a row
    np.fill_diagonal(steep, 10_000)
    yield "scores up to 10000", launch(random, steep, 64)
    yield "scores up to 10000", launch(random, scores(random, 3, 50) - 990, 32)
    part, rising = "rows longer than a block", np.sort(scores(random, 1, 33_000, 90))
    yield part, launch(random, rising, 256)
    yield part, launch(random, many_small(6_000), 4)
    yield part, launch(random, scores(random, 40_000, 3), 32)
    for n, size in [(1000, 256), (257, 64), (3000, 256)]:
        yield part, launch(random, scores(random, 2, n), size)
    for n, size in [(1, 64), (2, 1), (33, 32), (10, 256), (30, 16), (9, 4)]:
        yield "rows of any length", launch(random, scores(random, 3, n), size)
    for ignore in IGNORE, 255:
        yield "ignored rows", launch(random, scores(random, 6, 40), 64, 3, ignore)
    ruled_out = scores(random, 3, 300)
    ruled_out[0, ::2] = ruled_out[1:, ::3] = -np.inf  # all, or some, of a thread's
    yield "minus infinity", with_finite_targets(launch(random, ruled_out, 64))
    draw = np.random.default_rng(random.getrandbits(64))
    for n, size in [(300, 64), (70, 16), (40, 1)]:
        masked = scores(random, 4, n)
        masked[0, : 2 * size + 2] = masked[1, : n // 2] = masked[2, n // 2 :] = -np.inf
        masked[3, draw.random(n) < 0.8] = -np.inf
        masked[3, draw.integers(n)] = 1
        yield "minus infinity", launch(random, masked, size)
        yield "ignored rows", launch(random, masked, size, 4)  # and nothing is NaN
    yield "minus infinity", launch(random, ruled_out, 64)  # a loss may be infinite


def reference(x, target, losses, lse, n, ignore):
    x, t = x.double(), target.long()
    loss = F.cross_entropy(x, t, reduction="none", ignore_index=int(ignore))
    return {"losses": loss, "lse": torch.logsumexp(x, 1)}


check = Check(
    cross_entropy_forward,
    cases=cases,
    reference=reference,
    compare=arrays(rtol=NEAR, atol=NEAR),
    diagnose=coarse,
    limits=LIMITS,
    not_tested="scores of NaN and +infinity: no score is either",
)
