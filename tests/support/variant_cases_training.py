"""Launches of the kernels of batch norm, dropout and losses; see variant_cases.py."""

import itertools

import numpy as np
import torch
import torch.nn.functional as F
from variant_cases import Case, blank, family, numbers, shared, whole

from minigrad import random


@family("batch_norm")
def _():
    for n, c, places, parts in ((3, 5, 1, 1), (4, 3, 70, 1), (2, 2, 333, 3)):
        x = (numbers(n, c, places) / 100 + 1e3).astype(np.float32)
        yield from batch_norm(x, n, c, places, parts)


def batch_norm(x, n, c, places, parts):
    weight, bias = (numbers(c, seed=i) / 100 for i in (1, 2))
    kept = numbers(c, seed=3), abs(numbers(c, seed=4))
    eps, momentum, wide = np.float32(1e-3), np.float32(0.3), x.astype(float)
    leaves = [torch.from_numpy(a.astype(float)).requires_grad_() for a in
              (x, weight, bias)]  # fmt: skip
    after = [torch.from_numpy(a.astype(float)) for a in kept]
    y = F.batch_norm(leaves[0], *after, *leaves[1:], True, 0.3, 1e-3)
    dy = numbers(n, c, places, seed=5)
    dx, dw, db = torch.autograd.grad(y, leaves, torch.from_numpy(dy).double())
    mean, var = wide.mean((0, 2)), wide.var((0, 2))
    sizes, count = np.int32([n, c, places]), np.int64(x.size)
    near = 1e-3  # 2^-24 of 1000, in units of the result
    results = {3: mean, 4: var}
    for running in (0, 1):
        args = x, *shared(parts, blank(c, parts, 2), tickets=c), blank(c), blank(c)
        args += tuple(a.copy() for a in kept) if running else (None, None)
        yield Case("batch_norm_moments<float>", (c, parts), (96,),
                   (*args, momentum, *sizes), results, near, scratch=(1,))  # fmt: skip
        results = results | {5: after[0].numpy(), 6: after[1].numpy()}
    m, v = mean.astype(np.float32), var.astype(np.float32)
    args = x, m, v, weight, bias, blank(*x.shape), *sizes[1:], eps, count
    y = {5: y.detach().numpy()}
    yield Case("batch_norm_element<float>", (whole(x.size, 64),), (64,), args, y, near)
    yield Case("batch_norm_plane<float>", (n * c,), (32,), args, y, near)
    args = x, dy, m, v, *shared(parts, blank(c, parts, 2), tickets=c)
    sums = {6: dw.numpy(), 7: db.numpy()}
    yield Case("batch_norm_sums<float>", (c, parts), (96,),
               (*args, blank(c), blank(c), *sizes, eps), sums, near,
               scratch=(4,))  # fmt: skip
    w, b = (t.numpy().astype(np.float32) for t in (dw, db))
    for training in (1, 0):
        dx = dx.numpy() if training else dy * (weight / np.sqrt(var + 1e-3))[:, None]
        args = x, dy, m, v, weight, w, b, blank(*x.shape), *sizes[1:], eps
        yield Case("batch_norm_input<float>", (whole(x.size, 64),), (64,),
                   (*args, np.int32(training), count), {7: dx}, near)  # fmt: skip


@family("random")
def _():
    for n in (1, 33, 1000):
        words = random.philox(5, np.arange(7, 7 + n)).reshape(-1, 2)[:n]
        sizes = np.int64(n), np.uint64(5), np.uint64(7), np.int32(24), np.int64(-3)
        captured = sizes[0], np.uint64(1), np.uint64(3), *sizes[3:]
        state = np.array([5, 4], np.uint64)  # the seed, and what to add to the first
        for kind, dtype in ((0, np.float32), (1, np.float32), (2, np.int64)):
            y = random.numbers(kind, words, 24, -3, 10)
            name = f"draw<{'long long' if kind == 2 else 'float'}, {kind}>"
            args = blank(n, dtype=dtype), *sizes, np.uint64(10), None
            yield Case(name, (whole(n, 64),), (32,), args, {0: y}, 1e-6)
            args = blank(n, dtype=dtype), *captured, np.uint64(10), state
            yield Case(name, (whole(n, 64),), (32,), args, {0: y}, 1e-6)
    for n in (1, 33, 1000):
        x, seed, first = numbers(n), 5, 7
        words = random.philox(seed, np.arange(first, first + n))[:, ::2].reshape(-1)
        y = np.where(words[:n] >> 8 < random.limit(0.7), x * np.float32(1 / 0.7), 0)
        args = x, blank(n), np.uint64(seed), np.uint64(first)
        args += np.uint32(random.limit(0.7)), np.float32(1 / 0.7), np.int64(n), None
        yield Case("dropout<float>", (whole(n, 64),), (32,), args, {1: y}, 1e-7)


REDUCTIONS = "none", "mean", "sum"


@family("nll")
def _():
    for sizes, log, number in itertools.product(
        ((4, 10, 7), (70, 4)), (0, 1), range(3)
    ):
        for smooth, weighted in ((0, 1), (0.2, 0), (0.2, 1)):
            if not (log and smooth):
                yield from nll(sizes, log, number, smooth, weighted)
    x = numbers(3, 200)
    y = torch.log_softmax(torch.from_numpy(x).double(), 1).numpy()
    lse = {1: y, 2: (x - y).mean(1)}
    yield Case("nll_logarithms<float>", (3,), (96,),
               (x, blank(*x.shape), blank(3), np.int32(200)), lse, 1e-6)  # fmt: skip


def nll(sizes, log, number, smooth, weighted):
    x, weight = numbers(*sizes) / 100, abs(numbers(sizes[1], seed=1)) / 100
    target = np.random.default_rng(2).integers(0, sizes[1], (sizes[0], *sizes[2:]))
    how = {"reduction": REDUCTIONS[number], "ignore_index": 1}
    if weighted:
        how["weight"] = torch.from_numpy(weight).double()
    if not log:
        how["label_smoothing"] = smooth
    leaf = torch.from_numpy(x).double().requires_grad_()
    function = F.nll_loss if log else F.cross_entropy
    y = function(leaf, torch.from_numpy(target), **how)
    dy = numbers(*(y.shape or (1,)), seed=3) / 100
    (dx,) = torch.autograd.grad(y, leaf, torch.from_numpy(dy).double().view(y.shape))
    rows, classes, places = target.size, sizes[1], int(np.prod(sizes[2:]))
    lse = torch.logsumexp(leaf.detach(), 1).numpy().reshape(-1)
    kept = (target != 1).reshape(-1)
    total = (weight[target.reshape(-1)] if weighted else np.ones(rows)) @ kept
    name, end = f"<{log}, {number}, float>", (np.int64(1), np.float32(smooth))
    end += (np.int32(weighted),)
    results = {3: y.detach().numpy()}
    if not log:
        results[4] = lse
    if number:
        results[5] = total
    args = x, target, weight, blank(*y.shape), blank(rows), blank(1)
    more = np.int32(classes), np.int32(places), *end, np.zeros(3, np.int64)
    for blocks in (1, 3) if number else (1,):
        some = *shared(blocks, blank(2 * blocks), tickets=1), *more, np.int64(rows)
        yield Case("nll" + name, (blocks,), (64,), args + some, results, 1e-5, "",
                   scratch=(6,))  # fmt: skip
    args = x, target, weight, dy, lse.astype(np.float32), np.float32([total])
    args += blank(*sizes), np.int32(classes), np.int32(places), *end, np.int64(x.size)
    yield Case("nll_input" + name, (whole(x.size, 64),), (64,), args,
               {6: dx.numpy()}, 1e-5)  # fmt: skip
