"""Launches of the kernels of rows and matrices; see variant_cases.py."""

import itertools

import numpy as np
import torch
from variant_cases import Case, blank, family, numbers, shared, view_of, whole


@family("softmax")
def _():
    for n in (1, 31, 33, 260):
        x = numbers(5, n)  # differences of hundreds
        x[0, : n // 2], x[1] = -np.inf, 1e4
        if n > 1:
            x[2, 1], x[3, 0], x[4] = np.nan, np.inf, -np.inf
        yield from softmax_of(x, "float", n)
    yield from softmax_of(numbers(3, 64, dtype=np.float64), "double", 64)
    yield from softmax_of(numbers(3, 132) / 100, "float", 132)  # all count
    for n in (1, 31, 33, 260):
        yield from softmax_backward(numbers(5, n) / 100, "float", n)
    yield from softmax_backward(numbers(3, 64, dtype=np.float64), "double", 64)


def softmax_of(x, kind, n):
    rows, size, near = len(x), np.int64(n), {"float": 1e-5, "double": 1e-13}[kind]
    for log, function in ((0, torch.softmax), (1, torch.log_softmax)):
        y = {1: function(torch.from_numpy(x).double(), 1).numpy()}
        args, types = (x, np.full_like(x, 77)), f"<{kind}, {log}>"
        for name, rest, grid, block in (
            ("softmax_three_pass", (np.int64(rows), size), whole(rows, 32), 32),
            ("softmax_shared", (size,), rows, 64),
            ("softmax_online", (size,), rows, 96),
        ):
            yield Case(name + types, (grid,), (block,), (*args, *rest), y, near)
        if n % 4 == 0:
            packs = whole(n * x.itemsize, 16 * 64)
            yield Case(f"softmax_registers<{kind}, {packs}, {log}>", (rows,), (64,),
                       (*args, np.int32(n)), y, near)  # fmt: skip


def softmax_backward(x, kind, n):
    near = {"float": 1e-5, "double": 1e-13}[kind]
    dy = numbers(*x.shape, dtype=x.dtype, seed=3) / 100
    for log, function in ((0, torch.softmax), (1, torch.log_softmax)):
        wide = torch.from_numpy(x).double().requires_grad_()
        y = function(wide, 1)
        y.backward(torch.from_numpy(dy).double())
        args = dy, y.detach().numpy().astype(x.dtype), np.full_like(x, 77), np.int64(n)
        out = {2: wide.grad.numpy()}
        name = f"softmax_backward<{kind}, {log}>"
        yield Case(name, (len(x),), (96,), args, out, near)


@family("scan")
def _():
    functions = torch.cumsum, torch.cumprod, torch.logcumsumexp
    for (op, function), n, back in itertools.product(
        enumerate(functions), (1, 31, 64, 200), (0, 1)
    ):
        x = torch.from_numpy(numbers(3, n) / 100)
        turned = x.double().flip(1) if back else x.double()
        y = function(turned, 1)
        y = (y.flip(1) if back else y).numpy()
        args = x.numpy(), np.full_like(x, 77), np.int64(n)
        yield Case(f"scan<{op}, {back}, float>", (3,), (64,), args, {1: y}, 1e-5)


@family("sort")
def _():
    for down, n in itertools.product((0, 1), (1, 33, 512, 700)):
        x = np.random.default_rng(n).integers(0, 40, (3, n)).astype(np.float32)
        x[x == 7] = np.nan
        tiles, edges = whole(n, 512), range(512, n, 512)
        some, places = (np.concatenate(parts, 1) for parts in zip(*(
            in_order(part, down, 512 * i)
            for i, part in enumerate(np.split(x, edges, 1))), strict=True))  # fmt: skip
        args = x, np.full_like(x, 77), np.full((3, n), 77), np.int64(n)
        name = f"<{down}, float>"
        yield Case(
            f"sort_tiles{name}", (3 * tiles,), (256,), args, {1: some, 2: places}
        )
        y, chosen = in_order(x, down)
        args = some, places, *args[1:], np.int64(512), np.int64(3 * n)
        yield Case(f"merge_runs{name}", (whole(3 * n, 96),), (96,), args,
                   {2: y, 3: chosen})  # fmt: skip


def in_order(x, down, start=0):
    """(rows in order, the columns that their elements had, from `start` on)."""
    result = torch.from_numpy(x).sort(dim=1, descending=bool(down), stable=True)
    return result.values.numpy(), result.indices.numpy() + start


@family("layer_norm")
def _():
    for n in (1, 31, 33, 100, 1000):
        x = numbers(4, n) / 100 + 1e4 * (np.arange(4)[:, None] == 1)
        yield from layer_norm(x.astype(np.float32), n)


def layer_norm(x, n):
    gamma, beta, eps = (
        numbers(n, seed=1) / 100,
        numbers(n, seed=2) / 100,
        np.float32(1e-3),
    )
    wide = torch.from_numpy(x).double()
    pair = (torch.from_numpy(v).double() for v in (gamma, beta))
    y = torch.nn.functional.layer_norm(wide, (n,), *pair, eps=1e-3).numpy()
    mean, var = wide.mean(1).numpy(), wide.var(1, correction=0).numpy()
    out = {3: y, 4: mean, 5: 1 / np.sqrt(var + 1e-3)}
    args = x, gamma, beta, blank(4, n), blank(4), blank(4)
    near = 2e-3  # 2^-24 of 10^4, in units of the result
    for idea in ("two_pass", "welford"):
        yield Case(f"layer_norm_{idea}<float>", (4,), (96,), (*args, np.int64(n), eps),
                   out, near)  # fmt: skip
    if n % 4 == 0:
        yield Case(f"layer_norm_registers<float, {whole(n, 256)}>", (4,), (64,),
                   (*args, np.int32(n), eps), out, near)  # fmt: skip
    with np.errstate(all="ignore"):
        unbiased = np.where(n > 1, var * n / np.float64(n - 1), np.nan)
    args = x, blank(4), blank(4), np.int64(n), np.float32(1)
    yield Case("variance<float>", (4,), (64,), args, {1: mean, 2: unbiased}, near)
    yield layer_norm_backward(x, gamma, n, eps, near)


def layer_norm_backward(x, gamma, n, eps, near):
    dy, wide = numbers(4, n, seed=4) / 100, torch.from_numpy(x).double()
    wide.requires_grad_()
    scale = torch.from_numpy(gamma).double()
    y = torch.nn.functional.layer_norm(wide, (n,), scale, eps=1e-3)
    y.backward(torch.from_numpy(dy).double())
    args = dy, x, gamma, blank(4, n), np.int64(n), eps
    name, out = "layer_norm_backward<float>", {3: wide.grad.numpy()}
    scale = np.abs(dy * gamma).max() * 1e-3**-0.5  # with n = 1 they cancel
    return Case(name, (4,), (96,), args, out, near, scale=scale)


@family("matmul")
def _():
    for M, N, K in ((1, 1, 1), (37, 51, 29), (3, 5, 0)):
        a, b = numbers(M, K) / 10, numbers(K, N, seed=1) / 10
        c, sizes = {2: a.astype(float) @ b}, np.int32([M, N, K])
        args = a, b, blank(M, N), *sizes
        for name, grid, block in (
            ("matmul_naive<float>", (whole(M, 8), whole(N, 8)), (8, 8)),
            ("matmul_coalesced<float>", (whole(N, 16), whole(M, 4)), (16, 4)),
            ("matmul_column<float>", (whole(N, 64), whole(M, 64)), (512,)),
            ("matmul_patch<float>", (whole(N, 128), whole(M, 128)), (256,)),
        ):
            yield Case(name, grid, block, args, c, 1e-6)
        a, b = torch.from_numpy(a), torch.from_numpy(b)
        yield tiled("matmul_tiled<float>", a, b, 16, (16, 16))
    one = torch.from_numpy(numbers(2, 3, 20, 17))
    other = torch.from_numpy(numbers(3, 20, 33))
    for a, b in ((one.transpose(2, 3), other), (one[:1, :, ::2], other[:, :17, ::3])):
        yield tiled("matmul_tiled<float>", a, b, 16, (16, 16), 4)
    a, b = numbers(130, 12) / 10, numbers(12, 136, seed=1) / 10
    args, c = (a, b, blank(130, 136), *np.int32([130, 136, 12])), a.astype(float) @ b
    yield Case("matmul_vectors", (2, 2), (256,), args, {2: c}, 1e-6)
    a, b = torch.from_numpy(numbers(2, 132, 20)), torch.from_numpy(numbers(1, 20, 36))
    at, bt = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (a, b))
    for i, j in itertools.product((0, 1), repeat=2):
        name = f"matmul_pipelined<{1 - i}, {j}, 1"
        yield tiled(f"{name}>", (a, at)[i], (b, bt)[j], 128, (128,), 1)
        yield tiled(f"{name}, 64, 32, 32>", (a, at)[i], (b, bt)[j], (64, 32), (128,))
    a, b = (
        torch.from_numpy(numbers(2, 37, 29)),
        torch.from_numpy(numbers(29, 51, seed=1)),
    )
    at, bt = a.transpose(1, 2).contiguous().transpose(1, 2), b.t().contiguous().t()
    for i, j in itertools.product((0, 1), repeat=2):
        name = f"matmul_pipelined<{1 - i}, {j}, 0"
        yield tiled(f"{name}>", (a, at)[i], (b, bt)[j], 128, (128,))
        yield tiled(f"{name}, 64, 64, 16>", (a, at)[i], (b, bt)[j], 64, (128,))
    yield tiled("matmul_pipelined<1, 0, 0>", a[:, ::2, ::3], b[::3, ::2], 128, (128,))
    yield tiled("matmul_pipelined<1, 1, 0>", a[:, :, :0], b[:0], 128, (128,))


def tiled(name, a, b, tile, block, most=65535):
    """A product by views; `most` blocks along the batch. tile: (rows, columns)."""
    high, wide = tile if isinstance(tile, tuple) else (tile, tile)
    c = (a.double() @ b.double()).numpy()
    *batch, M, N = c.shape
    a, b = a.expand(*batch, *a.shape[-2:]), b.expand(*batch, *b.shape[-2:])
    batches = int(np.prod(batch))
    args = *view_of(a), *view_of(b), blank(*c.shape), *np.int32([M, N, a.shape[-1]])
    grid = whole(N, wide), whole(M, high), min(most, batches)
    return Case(name, grid, block, (*args, np.int64(batches)), {4: c}, 1e-6)


@family("argmax")
def _():
    for rows, n in ((1, 1), (5, 31), (3, 33), (4, 300)):
        x = numbers(rows, n) - 200
        if n > 1:
            x[0, n // 2] = np.nan
        yield from best_of(x, rows, n)
    ties = np.zeros((2, 100), np.float32)
    ties[0, [40, 70]], ties[1, [3, 99]] = 9, np.nan
    yield from best_of(ties, 2, 100)


def best_of(x, rows, n):
    for op, function in (("1", torch.max), ("2", torch.min)):
        values, indices = function(torch.from_numpy(x), 1)
        out = {1: values.numpy(), 2: indices.numpy()}
        args = x, blank(rows), blank(rows, dtype=np.int64), np.int64(n)
        for block, parts in ((32, 1), (96, 1), (64, 3)):
            some = blank(rows * parts), blank(rows * parts, dtype=np.int64)
            yield Case(f"arg_blocks<{op}, float>", (rows, parts), (block,),
                       args + shared(parts, *some, tickets=rows), out,
                       scratch=(4, 5))  # fmt: skip
