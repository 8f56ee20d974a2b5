"""The library's kernels in order of speed, each beside what PyTorch does."""

import functools

import numpy as np

from benchmarks.variants import (
    Family,
    blocks,
    empty,
    empty_of_torch,
    family,
    numbers,
    of_torch,
    tickets,
    two_stages,
    variant,
    view,
)

RELU = "#define UNARY(x, s, t) (x != x || x > 0 ? x : 0)\n"
N = 2**28  # floats, in the families of vectors
ROWS, COLS = 2**16, 2**12  # the same as a matrix


@family
def relu():
    import torch

    x, y, zero = numbers(N), empty(N), np.float32(0)
    X, Y, size = of_torch(x), empty_of_torch(N), np.int64(N)

    def unary(idea, grid, *args):
        name = f"unary{idea}<float>"
        return variant("elementwise", name, grid, 256, *args, zero, zero, prelude=RELU)

    yield Family(
        f"relu of {N:,} floats", lambda: torch.clamp(X, min=0, out=Y), lambda: y,
        [unary("_strided", N // 256, x, view((N,), (1,)), y, np.int32(N)),
         unary("", N // 256, x, y, size), unary("_vectors", N // 1024, x, y, size)],
        nbytes=8 * N,
        after="none, because the memory isn't faster. To save time, fuse operations "
        "into one kernel, so that their intermediate results never go to memory.",
    )  # fmt: skip


def binary(idea, grid, *args, block=256, prelude=""):
    name = f"binary{idea}<float>"
    return variant("elementwise", name, grid, block, *args, prelude=prelude)


def rows_of_packs(rows, cols, *args, prelude=""):
    """binary_rows: a warp along a row, 8 packs a thread; 8 rows a block."""
    grid, block = (rows // 8, cols // 1024), (32, 8)
    return binary("_rows", grid, *args, block=block, prelude=prelude)


@family
def add():
    import torch

    x, z, y, line = numbers(N), numbers(N), empty(N), view((N,), (1,))
    X, Z, Y, size = of_torch(x), of_torch(z), empty_of_torch(N), np.int64(N)
    yield Family(
        f"a + b, {N:,} floats", lambda: torch.add(X, Z, out=Y), lambda: y,
        [binary("_strided", N // 256, x, line, z, line, y, np.int32(N)),
         binary("", N // 256, x, z, y, size),
         binary("_vectors", N // 1024, x, z, y, size)], nbytes=12 * N,
    )  # fmt: skip


@family
def broadcast():
    import torch

    x, z, y = numbers(ROWS, COLS), numbers(COLS), empty(ROWS, COLS)
    X, Z, Y = of_torch(x), of_torch(z), empty_of_torch(ROWS, COLS)
    shape = ROWS, COLS
    views = x, view(shape, (COLS, 1)), z, view(shape, (0, 1)), y, np.int32(N)
    yield Family(
        f"matrix of {ROWS:,} x {COLS:,} + row", lambda: torch.add(X, Z, out=Y),
        lambda: y,
        [binary("_strided", N // 256, *views), rows_of_packs(ROWS, COLS, *views)],
        nbytes=8 * N,
        after="for views whose rows aren't made of packs, replace the division with a "
        "multiplication by a reciprocal that the host computes.",
    )  # fmt: skip


@family
def outer():
    import torch

    shape, n = (256, 1024, 1024), 1024
    x, z, y = numbers(256, n), numbers(256, n), empty(*shape)
    X, Z, Y = of_torch(x)[:, :, None], of_torch(z)[:, None], empty_of_torch(*shape)
    views = x, view(shape, (n, 1, 0)), z, view(shape, (n, 0, 1)), y, np.int32(N)
    times = {"prelude": "#define BINARY(a, b) a * b\n"}
    yield Family(
        f"256 outer products of {n:,} x {n:,} floats",
        lambda: torch.mul(X, Z, out=Y), lambda: y,
        [binary("_strided", N // 256, *views, **times),
         rows_of_packs(N // n, n, *views, **times)], nbytes=4 * N,
    )  # fmt: skip


@family
def transpose():
    n = 2**14
    x, y = numbers(n, n), empty(n, n)
    X, Y = of_torch(x), empty_of_torch(n, n)

    def turn(idea, grid, block=(32, 4)):
        sizes = np.int32(n), np.int32(n)
        return variant("copy", f"transpose_{idea}<float>", grid, block, x, y, *sizes)

    args = x, view((n, n), (1, n)), y, np.int32(n * n)
    yield Family(
        f"x.T as a contiguous matrix, {n:,} x {n:,} floats", lambda: Y.copy_(X.t()),
        lambda: y,
        [turn("naive", (n // 32, n // 4)),
         variant("copy", "contiguous<float>", n * n // 256, 256, *args),
         turn("tiled", (n // 32, n // 32)), turn("padded", (n // 32, n // 32)),
         turn("vectors", (n // 32, n // 128), (8, 32))], nbytes=8 * n * n,
        after="use the copy engine for tiles (`cp.async.bulk.tensor`), which reads "
        "whole tiles into shared memory while the previous ones are written.",
    )  # fmt: skip


@family
def sum_of_all():
    many = 132 * 16
    x, parts, total = numbers(N), empty(many), empty(1)
    X = of_torch(x)
    first, second = (x, parts, np.int64(N)), (parts, total, np.int64(many))
    size = np.int64(N)
    yield Family(
        f"sum of {N:,} floats", lambda: X.sum(), lambda: total,
        [two_stages("reduce", f"sum_{idea}<float>", (many, 256, first),
                    (1, 256, second)) for idea in ("tree", "shuffle", "vectors")]
        + [variant("reduce", "reduce_blocks<0, float>", (1, 1024), 256, x, total, size,
                   size, parts, tickets(1), how=", one launch")],
        nbytes=4 * N, near=1e-2,
        after="none, because it reads as fast as the memory allows.",
    )  # fmt: skip


@family
def rows():
    import torch

    x, y, where = numbers(ROWS, COLS), empty(ROWS), empty(ROWS, dtype=np.int64)
    X, n, size = of_torch(x), np.int64(COLS), f"{ROWS:,} x {COLS:,} floats"
    yield Family(
        f"sums of rows, {size}", lambda: X.sum(1), lambda: y,
        [variant("reduce", "reduce_blocks<0, float>", ROWS, 256, x, y, n, n,
                 None, None),
         variant("reduce", "reduce_warps<0, float>", ROWS // 8, (32, 8), x, y,
                 np.int64(ROWS), n, n)], nbytes=4 * N, near=1e-5,
    )  # fmt: skip
    args = x, y, where, n, None, None, None
    yield Family(
        f"argmax of rows, {size}", lambda: torch.argmax(X, 1), lambda: where,
        [variant("argmax", "arg_blocks<1, float>", ROWS, 256, *args)], nbytes=4 * N,
        after="load 16 bytes at a time, and find the maximum of a pack before its "
        "index.",
    )  # fmt: skip


@family
def columns():
    parts = 16
    x, y, partial = numbers(ROWS, COLS), empty(COLS), empty(parts, COLS)
    X, kept, grid = of_torch(x), view((COLS,), (1,)), COLS // 32
    m, n, count = np.int32(COLS), np.int32(ROWS), np.int64(ROWS)
    down, name = (x, kept, view((ROWS,), (COLS,))), "reduce_columns<0, float>"
    yield Family(
        f"sums of columns, {ROWS:,} x {COLS:,} floats", lambda: X.sum(0), lambda: y,
        [variant("reduce", "reduce_strided<0, float>", grid, 32, *down, y, m, n, count),
         variant("reduce", name, grid, (32, 32), *down, y, m, n, count, None, None),
         variant("reduce", name, (grid, parts), (32, 32), *down, y, m, n, count,
                 partial, tickets(grid), how=f", {parts} blocks")],
        nbytes=4 * N, near=1e-4,
        after="four columns per thread, in loads of 16 bytes.",
    )  # fmt: skip


@family
def softmax():
    import torch

    for m, n, log in ((2**14, 2**12, 0), (2**14, 2**12, 1), (2**10, 2**18, 0)):
        x, y = numbers(m, n), empty(m, n)
        function = torch.log_softmax if log else torch.softmax
        yield Family(
            f"{function.__name__} of rows, {m:,} x {n:,} floats",
            functools.partial(function, of_torch(x), 1), lambda y=y: y,
            list(softmax_rungs(x, y, m, n, log)), nbytes=8 * x.size, near=1e-5,
            after="use several blocks per row, which together hold it in their "
            "registers, and a second step for their pairs (m, l)." if n > COLS else "",
        )  # fmt: skip


def softmax_rungs(x, y, m, n, log):
    """All for rows that fit a block's registers; where they do not, what is left."""
    long, types, size = n > COLS, f"<float, {log}>", np.int64(n)

    def one(idea, grid, block, *sizes):
        return variant("softmax", f"softmax_{idea}", grid, block, x, y, *sizes)

    if not long:
        yield one("three_pass" + types, m // 64, 64, np.int64(m), size)
    yield one("shared" + types, m, 1024 if long else 256, size)
    yield one("online" + types, m, 1024 if long else 256, size)
    if not long:
        yield one(f"registers<float, 4, {log}>", m, 256, np.int32(n))


@family
def layer_norm():
    import torch

    m, n = 2**14, 2**12
    x, y, gamma, beta = numbers(m, n), empty(m, n), numbers(n), numbers(n)
    X, W, B = map(of_torch, (x, gamma, beta))
    args, eps = (x, gamma, beta, y, empty(m), empty(m)), np.float32(1e-5)
    names = "layer_norm_two_pass<float>", "layer_norm_welford<float>"
    yield Family(
        f"layer norm of rows, {m:,} x {n:,} floats",
        lambda: torch.nn.functional.layer_norm(X, (n,), W, B), lambda: y,
        [*(variant("layer_norm", k, m, 256, *args, np.int64(n), eps) for k in names),
         variant("layer_norm", "layer_norm_registers<float, 8>", m, 128, *args,
                 np.int32(n), eps)], nbytes=8 * x.size, near=1e-5,
        after="fuse it with what comes before, for example the sum of a residual "
        "block.",
    )  # fmt: skip


@family
def matmul():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    for M, N, K in ((4096, 4096, 4096), (4095, 4097, 4099)):
        a, b, c = numbers(M, K), numbers(K, N), empty(M, N)
        A, B, C = of_torch(a), of_torch(b), empty_of_torch(M, N)
        whole = not (N % 4 or K % 4)
        yield Family(
            f"a @ b, {M:,} x {K:,} @ {K:,} x {N:,} floats",
            functools.partial(torch.mm, A, B, out=C), lambda c=c: c,
            list(products(a, b, c, M, N, K, whole)), flops=2 * M * N * K, near=1e-5,
            after="copy from global to shared memory without registers (`cp.async`, "
            "and on Hopper the copy engine), three or more tiles ahead. If you can do "
            "without float32, tensor cores multiply TF32 or half several times as "
            "fast." if whole else "",
        )  # fmt: skip


def products(a, b, c, M, N, K, whole):
    """matmul's variants; if not `whole`, those for sizes that 4 does not divide."""
    sizes, one = np.int32([M, N, K]), np.int64(1)
    grid = blocks(N, 128), blocks(M, 128)
    across, tiles = blocks(N, 32), (blocks(N, 16), blocks(M, 16))
    by_rows = a, view((M, K), (K, 1)), b, view((K, N), (N, 1)), c, *sizes, one

    def plain(idea, grid, block):
        return variant("matmul", f"matmul_{idea}", grid, block, a, b, c, *sizes)

    if whole:
        yield plain("naive<float>", tiles, (16, 16))
        yield plain("coalesced<float>", (across, blocks(M, 8)), (32, 8))
    yield variant("matmul", "matmul_tiled<float>", tiles, (16, 16), *by_rows)
    yield plain("column<float>", (blocks(N, 64), blocks(M, 64)), 512)
    yield plain("patch<float>", grid, 256)
    if not whole:
        yield variant("matmul", "matmul_pipelined<1, 0, 0>", grid, 128, *by_rows)
        return
    yield plain("vectors", grid, 256)
    for a_row, b_col in ((1, 0), (1, 1), (0, 0)):
        left = a if a_row else a.T.copy()
        right = b.T.copy() if b_col else b
        args = left, view((M, K), (K, 1) if a_row else (1, M)), right
        args += view((K, N), (1, K) if b_col else (N, 1)), c, *sizes, one
        name = f"matmul_pipelined<{a_row}, {b_col}, 1>"
        yield variant("matmul", name, grid, 128, *args)
