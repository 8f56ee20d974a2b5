"""Sums of blocks: sums in double precision are the oracle."""

import functools

import numpy as np
import torch

from grading.exercise import Launch, blank, checks
from minigrad.kernels.reductions import sum_all

from .reductions import LENGTHS, TreeCheck, U, scaled, steps


@functools.cache
def ten_million():
    """Numbers around 0.1: added one after the other, they drift."""
    draw = np.random.default_rng(5)
    x = draw.uniform(0.09, 0.11, 10_000_000)
    return (x / (x.sum() / 256 * (steps(x.size, 2**16) + 1))).astype(np.float32)


@checks(sum_all)
class SumAll(TreeCheck):
    """Leaves out blocks above 256 and of no power of two: the contract has none."""

    atol = U  # see reductions.py
    serial = 160  # accesses of shared memory by warps; a tree of 256 needs under 150

    def cases(self, random):
        for n, blocks, size in [(4096, 4, 256), (1024, 2, 128), (3000, 5, 64)]:
            yield "many blocks", self.launch(random, n, blocks, size)
        for n, size in [(1056, 256), *LENGTHS]:
            yield "one block: the second stage", self.launch(random, n, 1, size)
            yield "any number of elements", self.launch(random, 3 * n - 1, 3, size)
        for n, blocks in [(0, 2), (5, 3), (300, 4)]:
            yield "blocks to spare", self.launch(random, n, blocks, 256)
        yield "zero, inf and NaN", self.launch(random, 1000, 2, 64, special=True)
        yield "long sums", self.long(random)
        x, n = ten_million(), 10_000_000
        yield "ten million", Launch(256, 256, (x, blank(256), np.int32(n)))

    def launch(self, random, n, blocks, size, special=False):
        k = steps(n, blocks * size)
        x = scaled(random, (max(n, 1),), k, -(-n // (blocks * size)) * size)
        if special:
            x[:], x[[70, 140]] = 0, [np.inf, np.nan]
        return self.of(x, n, blocks, size)

    def long(self, random):
        """Numbers that are nearly alike: each addition is off to the same side."""
        x = 0.1 + np.float32(2**-22) * np.arange(16_384)
        x *= random.uniform(0.9, 1.1) / (0.11 * 8192 * (steps(8192, 256) + 1))
        return self.of(x.astype(np.float32), 16_384, 2, 256)

    def of(self, x, n, blocks, size):
        each = -(-n // (blocks * size))
        kept = 2 * each * -(-size // 32)  # by threads that add up in shared memory
        limits = {
            "reads": n,
            "reads_per_thread": each,
            "shared_requests": (self.serial + kept) * blocks,
            "atomics": 0,
        }
        return Launch(blocks, size, (x, blank(blocks), np.int32(n)), 0, limits)

    def expected(self, launch, x, sums, n):
        (blocks,), (size,) = launch.grid, launch.block
        rounds = max(-(-n // launch.threads), 1)
        all_ = torch.zeros(rounds * launch.threads, dtype=torch.float64)
        all_[:n] = torch.from_numpy(x[:n])
        return all_.view(rounds, blocks, size).sum((0, 2))
