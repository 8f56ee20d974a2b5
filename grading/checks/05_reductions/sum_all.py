"""sum_all: sums of blocks, in double precision."""

import functools

import numpy as np
import torch.nn.functional as F

from grading.checking.pairwise import drawn as pairs
from grading.exercise import Check, Launch, arrays, blank
from minigrad.kernels.reductions import sum_all

from ..reductions import LENGTHS, U, coarse, scaled, steps

SIZES = 1, 2, 32, 64, 256  # threads of a block
SERIAL = 160  # accesses of shared memory by warps; a tree of 256 needs under 150


@functools.cache
def ten_million():
    """Numbers around 0.1: added one after the other, they drift."""
    draw = np.random.default_rng(5)
    x = draw.uniform(0.09, 0.11, 10_000_000)
    return (x / (x.sum() / 256 * (steps(x.size, 2**16) + 1))).astype(np.float32)


def launch(x, n, blocks, size):
    each = -(-n // (blocks * size))
    added = 2 * each * -(-size // 32)  # by threads that add up in shared memory
    limits = {
        "reads": n,
        "reads_per_thread": each,
        "shared_requests": (SERIAL + added) * blocks,
        "atomics": 0,
    }
    return Launch(blocks, size, (x, blank(blocks), np.int32(n)), 0, limits)


def drawn(random, n, blocks, size):
    k, each = steps(n, blocks * size), -(-n // (blocks * size))
    return launch(scaled(random, (max(n, 1),), k, each * size), n, blocks, size)


def special(random):
    x = scaled(random, (1000,), steps(1000, 128), 512)
    x[:], x[[70, 140]] = 0, [np.inf, np.nan]
    yield launch(x, 1000, 2, 64)
    x[70], x[[128, 700]] = -np.inf, [np.inf, -np.inf]  # in the third block both
    yield launch(x, 1000, 8, 64)


def long(random):
    """Numbers that are nearly alike: each addition is off to the same side."""
    x = 0.1 + np.float32(2**-22) * np.arange(16_384)
    x *= random.uniform(0.9, 1.1) / (0.11 * 8192 * (steps(8192, 256) + 1))
    return launch(x.astype(np.float32), 16_384, 2, 256)


def cases(random):
    for n, blocks, size in [(4096, 4, 256), (1024, 2, 128), (3000, 5, 64)]:
        yield "many blocks", drawn(random, n, blocks, size)
    for n, size in [(1056, 256), *LENGTHS]:
        yield "one block: the second stage", drawn(random, n, 1, size)
    for size, blocks, rounds, rest in pairs(
        random, size=SIZES, blocks=(1, 2, 5), rounds=(0, 1, 3), rest=range(4)
    ):
        threads = blocks * size
        n = rounds * threads + (0, 1, threads // 2, threads - 1)[rest]
        part = "any number of elements" if n >= threads else "blocks to spare"
        yield part, drawn(random, n, blocks, size)
    for n, blocks in [(0, 2), (5, 3), (300, 4)]:
        yield "blocks to spare", drawn(random, n, blocks, 256)
    for one in special(random):
        yield "zero, inf and NaN", one
    yield "long sums", long(random)
    args = ten_million(), blank(256), np.int32(10_000_000)
    yield "ten million", Launch(256, 256, args)


def reference(x, sums, n, launch):
    """An element of each block's threads, and again, until there is none left."""
    (blocks,), (size,) = launch.grid, launch.block
    rounds = max(-(-n // launch.threads), 1)
    x = F.pad(x[:n].double(), (0, int(rounds * launch.threads - n)))
    return x.view(-1, blocks, size).sum((0, 2))


check = Check(
    sum_all,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),  # see reductions.py
    diagnose=coarse,
    not_tested="blocks above 256 and of no power of two: the contract has none",
)
