"""The same algorithms for Numba's simulator, which runs Python, at sizes it can bear.

To be imported with NUMBA_ENABLE_CUDASIM=1.
"""

import numba
import numpy as np
from numba import cuda

from . import common
from .workloads import Workload, f32, of_size

TILE, BLOCK = 16, 128


@cuda.jit
def vector_add(a, b, c, n):
    i = cuda.grid(1)
    if i < n:
        c[i] = a[i] + b[i]


@cuda.jit
def matmul(A, B, C, M, N, K):
    col, row = cuda.grid(2)
    if row < M and col < N:
        acc = np.float32(0)
        for k in range(K):
            acc += A[row, k] * B[k, col]
        C[row, col] = acc


@cuda.jit
def matmul_tiled(A, B, C, M, N, K):
    As = cuda.shared.array((TILE, TILE), numba.float32)
    Bs = cuda.shared.array((TILE, TILE), numba.float32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = np.float32(0)
    for t in range((K + TILE - 1) // TILE):
        As[ty, tx] = A[row, t * TILE + tx]
        Bs[ty, tx] = B[t * TILE + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            acc += As[ty, k] * Bs[k, tx]
        cuda.syncthreads()
    C[row, col] = acc


@cuda.jit
def reduce(x, out, n):
    s = cuda.shared.array(BLOCK, numba.float32)
    tid, i = cuda.threadIdx.x, cuda.grid(1)
    s[tid] = x[i] if i < n else np.float32(0)
    cuda.syncthreads()
    d = BLOCK // 2
    while d > 0:
        if tid < d:
            s[tid] += s[tid + d]
        cuda.syncthreads()
        d //= 2
    if tid == 0:
        cuda.atomic.add(out, 0, s[0])


def contestants():
    """(Workload for cudasim, the same for Numba's simulator)."""
    for label, stem, name, theirs, launch, args, shared in launches():
        work = Workload(label, common.source(stem), name, *launch, args, shared)
        yield work, lambda f=theirs, launch=launch, args=args: f[launch](*args)


def launches():
    n = 10_000
    yield ("vector add 10,000", "vector_add", "vector_add", vector_add,
           of_size(n, 256), (f32(n), f32(n), f32(n), n), 0)  # fmt: skip
    square = (f32(64, 64), f32(64, 64), f32(64, 64), 64, 64, 64)
    yield ("matmul naive 64", "matmul_naive", "matmul", matmul,
           ((4, 4), (16, 16)), square, 0)  # fmt: skip
    yield ("matmul tiled 64", "matmul_tiled", "matmul_tiled", matmul_tiled,
           ((4, 4), (16, 16)), square, 0)  # fmt: skip
    x, out = f32(n), np.zeros(1, np.float32)
    yield ("block reduction 10,000", "reduce_shared", "reduce", reduce,
           of_size(n, BLOCK), (x, out, n), BLOCK * 4)  # fmt: skip
