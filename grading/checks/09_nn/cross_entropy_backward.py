"""cross_entropy_backward: softmax minus one-hot, divided by a count."""

import numpy as np
import torch
import torch.nn.functional as F

from grading.exercise import Check, Launch, Limits, arrays, blank
from minigrad.kernels.losses import cross_entropy_backward
from minigrad.launch import cdiv

from ..reductions import coarse
from .cross_entropy import IGNORE, NEAR, scores, targets


def launch(random, rows, n, threads, ignored=0, dy=1.0, size=64, ignore=IGNORE, far=0):
    x = scores(random, rows, n) + np.float32(far)
    t = targets(random, rows, n, ignored, ignore)
    lse = torch.logsumexp(torch.from_numpy(x).double(), 1).float().numpy()
    up, numbers = np.float32([dy]), np.int32([rows, n, ignore, rows - ignored])
    return Launch(cdiv(threads, size), size, (x, t, lse, up, blank(rows, n), *numbers))


def cases(random):
    for rows, n in [(4, 16), (1, 10), (6, 33)]:
        yield "the gradient", launch(random, rows, n, rows * n)
    yield "the gradient that comes", launch(random, 3, 20, 64, dy=-2.5)
    yield "the gradient that comes", launch(random, 5, 7, 64, dy=0.125)
    yield "scores near 100", launch(random, 3, 20, 64, far=100)
    yield "ignored rows", launch(random, 7, 12, 128, ignored=4)
    yield "ignored rows", launch(random, 7, 12, 128, ignored=4, ignore=255)
    yield "every row ignored", launch(random, 3, 8, 64, ignored=3)
    yield "every row ignored", launch(random, 3, 8, 64, ignored=3, dy=np.inf)
    part = "any number of threads"
    yield part, launch(random, 9, 100, 64)
    yield part, launch(random, 400, 100, 36_000, size=96)
    yield part, launch(random, 30, 300, 96, size=96)
    yield part, launch(random, 2, 3, 640)


def reference(x, target, lse, dy, dx, rows, n, ignore, count):
    if not count:  # PyTorch's mean of nothing is NaN
        return torch.zeros(x.shape)
    x, t = x.double().requires_grad_(), target.long()
    loss = F.cross_entropy(x, t, ignore_index=int(ignore))
    return torch.autograd.grad(loss, x, dy[0].double())[0]


check = Check(
    cross_entropy_backward,
    cases=cases,
    reference=reference,
    compare=arrays(rtol=NEAR, atol=2.0**-20),
    diagnose=coarse,
    limits=Limits(steps=50_000),  # a thread may do all rows
    not_tested="scores far beyond 100, where a float lse is too coarse",
)
