"""What the simulator's speed is measured on: launches, and the same in NumPy."""

import dataclasses
import functools
from collections.abc import Callable

import numpy as np
from cudasim.benchmarks import common

EMPTY = 'extern "C" __global__ void empty(int n) {}'
RNG = np.random.default_rng(0)


@dataclasses.dataclass
class Workload(common.Launch):
    """A launch to time. `numpy` does the same; goal: milliseconds of a plain launch."""

    numpy: Callable | None = None
    goal: float | None = None


def f32(*shape):
    return RNG.standard_normal(shape).astype(np.float32)


def of_size(n, block):
    return (-(-n // block),), (block,)


def vector_add(n=1_000_000):
    a, b, c = f32(n), f32(n), f32(n)
    return Workload(
        "vector add 1e6",
        common.source("vector_add"),
        "vector_add",
        *of_size(n, 256),
        (a, b, c, n),
        numpy=lambda: np.add(a, b, c),
        goal=5,
    )


def saxpy(n=1_000_000):
    x, y, a = f32(n), f32(n), np.float32(1e-3)
    return Workload(
        "saxpy, grid-stride, 1e6",
        common.source("saxpy_grid_stride"),
        "saxpy",
        (256,),
        (256,),
        (a, x, y, n),
        numpy=lambda: a * x + y,
    )


def matmul(stem, name, goal, n=256):
    A, B, C = f32(n, n), f32(n, n), f32(n, n)
    args, tiles = (A, B, C, n, n, n), -(-n // 16)
    return Workload(
        f"{stem.replace('_', ' ')} {n}",
        common.source(stem),
        name,
        (tiles, tiles),
        (16, 16),
        args,
        numpy=lambda: A @ B,
        goal=goal,
    )


def conv2d():
    N, size, out = 64, 28, 32
    x, w, y = f32(N, 1, size, size), f32(out, 1, 3, 3), f32(N, out, size, size)
    shape = np.array((N, 1, size, size), [(c, "i4") for c in "nchw"])[()]

    def with_numpy():
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return np.einsum("nchwij,ocij->nohw", windows, w, optimize=True)

    return Workload(
        "conv2d 64x1x28x28, 32 of 3x3",
        common.source("conv2d"),
        "conv2d",
        (2, 2, N * out),
        (16, 16),
        (x, w, y, shape, out),
        numpy=with_numpy,
        goal=55,
    )


def softmax(n=1024):
    x, y = f32(n, n), f32(n, n)

    def with_numpy():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return Workload(
        "softmax 1024x1024",
        common.source("softmax"),
        "softmax",
        (n,),
        (256,),
        (x, y, n),
        numpy=with_numpy,
        goal=30,
    )


def reduction(n=1_000_000):
    x, out = f32(n), np.zeros(1, np.float32)
    return Workload(
        "block reduction 1e6",
        common.source("reduce_shared"),
        "reduce",
        *of_size(n, 256),
        (x, out, n),
        1024,
        numpy=lambda: x.sum(),
    )


def transpose(n=1024):
    x, y = f32(n, n), f32(n, n)
    return Workload(
        "transpose 1024x1024",
        common.source("transpose_tiled"),
        "transpose",
        (n // 32, n // 32),
        (32, 8),
        (x, y, n, n),
        numpy=lambda: np.ascontiguousarray(x.T),
    )


def histogram(n=1_000_000):
    data, bins = RNG.integers(256, size=n, dtype=np.uint8), np.zeros(256, np.uint32)
    return Workload(
        "histogram 1e6",
        common.source("histogram"),
        "histogram",
        (64,),
        (256,),
        (data, n, bins),
        numpy=lambda: np.bincount(data, minlength=256),
    )


def empty():
    return Workload("empty launch", EMPTY, "empty", (1,), (32,), (0,), goal=0.1)


WORKLOADS = {
    "vector_add": vector_add,
    "saxpy": saxpy,
    "matmul_naive": functools.partial(matmul, "matmul_naive", "matmul", 35),
    "matmul_tiled": functools.partial(matmul, "matmul_tiled", "matmul_tiled", 55),
    "conv2d": conv2d,
    "softmax": softmax,
    "reduction": reduction,
    "transpose": transpose,
    "histogram": histogram,
    "empty": empty,
}
