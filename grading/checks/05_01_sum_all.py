"""Sums of blocks: sums in double precision are the oracle."""

import functools

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, mistakes
from minigrad.kernels.reductions import sum_all

from .reductions import LENGTHS, NO_ELEMENT, STEP, TreeCheck, U, scaled, steps


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


OWN = "for (int i = blockIdx.x * blockDim.x + tid; i < n; i += threads) sum += x[i];"
TREE = """for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }"""
mistakes(sum_all)(rf"""
one_block: only block 0 adds, and does everything: one multiprocessor works, all others
    wait. Thread i of all blocks takes x[i], x[i + threads] and so on
> for (int i = -> if (blockIdx.x == 0) for (int i =
& i += threads -> i += blockDim.x
block_step: every block adds all elements: the loop goes on by blockDim.x; it goes on by
    the number of all threads, gridDim.x * blockDim.x
> i += threads -> i += blockDim.x
no_block: every block adds the same elements: the loop begins at thread i of all
> int i = blockIdx.x * blockDim.x + tid -> int i = tid
small_block: a block of fewer threads than a warp adds nothing: blockDim.x is any power
    of two, and the tree begins with half of it
> half > 0 -> half > 0 && (blockDim.x == 1 || blockDim.x > 16)
dynamic:
> __shared__ float partial[256] -> extern __shared__ float partial[]
one_block_alone: only block 0 adds, and does everything; the others write no sum: every
    block has its share, and writes sums[blockIdx.x]
> float sum -> if (blockIdx.x > 0) return; float sum
& i += threads -> i += blockDim.x
slow_drift: one thread adds much more than its share, one after the other: that is slow,
    and in a long sum of floats it drifts. Each thread adds n / threads elements, and a
    tree adds the threads' numbers
! reads_per_thread
> if (threadIdx.x > 0) return; int threads = gridDim.x * blockDim.x; float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x; i < n; i += threads) for (int k = i; k < min(i
    + (int)blockDim.x, n); k++) sum += x[k]; sums[blockIdx.x] = sum;
> {OWN} -> int i = blockIdx.x * blockDim.x + tid; for (int k = 0; k < n / threads; k++)
    sum += x[i + k * threads]; if (tid == 0) for (i = n / threads * threads + i; i < n;
    i++) if (i / (int)blockDim.x % (int)gridDim.x == blockIdx.x) sum += x[i];
coarse:
> __global__ -> #include <cuda_fp16.h>\n__global__
& float sum -> __half sum
& sum += x[i] -> sum = __hadd(sum, __float2half(1024 * x[i]))
& partial[0] -> partial[0] / 1024
atomics: atomics make threads wait, and add in another order from run to run: the last
    digits change. Add as a tree
! atomics
> {TREE} -> __syncthreads();
& partial[tid] = sum; -> if (tid == 0) partial[0] = 0.0f; __syncthreads();
    atomicAdd(&partial[0], sum);
one_by_one: the sum of the threads' numbers is made by one thread after the other: in a
    tree, all threads below half add at once
! shared_requests
> {TREE} -> __syncthreads(); if (tid == 0) for (int k = 1; k < blockDim.x; k++)
    partial[0] += partial[k];
no_barrier: a thread adds a cell that another may not have written yet: {STEP}
+ __syncthreads();
> __syncthreads(); ->
> __syncthreads(); ->
& for (int half -> __syncthreads(); for (int half
barrier_in_if:
> __syncthreads(); if (tid < half) -> if (tid < half) __syncthreads(); if (tid < half)
& for (int half -> __syncthreads(); for (int half
not_filled: {NO_ELEMENT}
! uninitialised
> float sum -> if (blockIdx.x * blockDim.x + tid >= n) return; float sum
outside: a thread goes outside the arrays: the loop ends where i < n does
! out-of-bounds
> i < n -> i <= n
right: shuffles in the warps
> partial[tid] = sum; -> unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 :
    0xffffffffu;
& {TREE} ->
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(lanes, sum, d);
    if (tid % 32 == 0) partial[tid / 32] = sum;
    __syncthreads();
    if (tid == 0)
        for (int w = 1; w < blockDim.x / 32; w++) partial[0] += partial[w];
right: neighbours last, added up in shared memory
> float sum -> float& sum
& = 0.0f; for -> = partial[tid]; sum = 0.0f; for
& partial[tid] = sum; ->
& {TREE} ->
    for (int s = 1; s < blockDim.x; s *= 2) {{
        __syncthreads();
        if (tid % (2 * s) == 0) sum += partial[tid + s];
    }}
right: in double, two at a time, neighbours first
> float partial[256] -> double partial[256]
& float sum = 0.0f; {OWN} partial[tid] = sum; ->
    double even = 0, odd = 0;
    int i = blockIdx.x * blockDim.x + tid;
    for (; i + threads < n; i += 2 * threads) {{ even += x[i]; odd += x[i + threads]; }}
    partial[tid] = even + odd + (i < n ? x[i] : 0);
& {TREE} ->
    for (int s = 1; s < blockDim.x; s *= 2) {{
        __syncthreads();
        if (2 * s * tid < blockDim.x) partial[2 * s * tid] += partial[2 * s * tid + s];
    }}
""")
