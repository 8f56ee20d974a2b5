"""Chapter 05, sum_all and warp_reduce: sums in double precision are the oracle."""

import functools

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, mistake
from minigrad.kernels import reductions

from .reductions import ReductionCheck, U, scaled, steps


@functools.cache
def ten_million():
    """Numbers around 0.1: added one after the other, they drift."""
    draw = np.random.default_rng(5)
    x = draw.uniform(0.09, 0.11, 10_000_000)
    return (x / (x.sum() / 256 * (steps(x.size, 2**16) + 1))).astype(np.float32)


@checks(reductions.sum_all)
class SumAll(ReductionCheck):
    atol = U  # see sums.py
    serial = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150

    def cases(self, random):
        some = random.randint(2, 6), random.choice([64, 128, 256])
        for n, blocks, size in [(4096, 4, 256), (1024, 2, 128), (3000, *some)]:
            yield "many blocks", self.launch(random, n, blocks, size)
        for n, size in [(132, 256), (1056, 256), (100, 32), (9, 1)]:
            yield "one block: the second stage", self.launch(random, n, 1, size)
        for n in (1, 31, 32, 33, 255, 256, 257, 10_007):
            yield "any number of elements", self.launch(random, n, 3, 64)
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
        limits = {
            "reads": n,
            "reads_per_thread": each,
            "shared_requests": self.serial * blocks,
        }
        return Launch(blocks, size, (x, blank(blocks), np.int32(n)), 0, limits)

    def expected(self, launch, x, sums, n):
        (blocks,), (size,) = launch.grid, launch.block
        rounds = max(-(-n // launch.threads), 1)
        all_ = torch.zeros(rounds * launch.threads, dtype=torch.float64)
        all_[:n] = torch.from_numpy(x[:n])
        return all_.view(rounds, blocks, size).sum((0, 2))

    @cause(
        "only block 0 adds, and does everything: one multiprocessor works, all others "
        "wait. Thread i of all blocks takes x[i], x[i + threads] and so on"
    )
    def one_block(self, launch, x, sums, n):
        sums[1:] = 0
        sums[0] = x[:n].sum(dtype=np.float64)
        return sums

    one_block_alone = mistake(
        "only block 0 adds, and does everything; the others write no sum: every block "
        "has its share, and writes sums[blockIdx.x]",
        """
        if (blockIdx.x > 0) return;
        __shared__ float partial[256];
        float sum = 0.0f;
        for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
        partial[threadIdx.x] = sum;
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        if (threadIdx.x == 0) sums[0] = partial[0];
        """,
    )

    @cause(
        "every block adds all elements: the loop goes on by blockDim.x; it goes on by "
        "the number of all threads, gridDim.x * blockDim.x"
    )
    def block_step(self, launch, x, sums, n):
        for b in range(len(sums)):
            sums[b] = x[b * launch.block[0] : n].sum(dtype=np.float64)
        return sums

    @cause("every block adds the same elements: the loop begins at thread i of all")
    def no_block(self, launch, x, sums, n):
        sums[:] = self.expected(launch, x, sums, n)[0]
        return sums

    @cause(
        "one thread adds much more than its share, one after the other: that is slow, "
        "and in a long sum of floats it drifts. Each thread adds n / threads elements, "
        "and a tree the rest"
    )
    def slow_drift(self, launch, x, sums, n):
        return Fault("reads_per_thread")

    @cause(
        "the sum of the threads' numbers is made by one thread after the other: in a "
        "tree, all threads below half add at once"
    )
    def one_by_one(self, launch, x, sums, n):
        return Fault("shared_requests")

    @cause("each thread adds one element only: it needs a loop over all of its own")
    def first_pass(self, launch, x, sums, n):
        x[launch.threads :] = 0
        return self.expected(launch, x, sums, n)

    @cause(
        "a thread adds a cell that another may not have written yet: each step of the "
        "tree needs a __syncthreads() before it"
    )
    def no_barrier(self, launch, x, sums, n):
        return Fault("race")

    @cause(
        "the barrier stands inside an if, or threads without elements have returned "
        "before it: all threads of the block must come to it"
    )
    def barrier_in_if(self, launch, x, sums, n):
        return Fault("divergent-barrier")

    @cause(
        "a cell is added that nobody has filled: threads without elements put 0 there"
    )
    def not_filled(self, launch, x, sums, n):
        return Fault("uninitialised")

    @cause("a thread goes outside the arrays: the loop ends where i < n does")
    def outside(self, launch, x, sums, n):
        return Fault("out-of-bounds")


def lanes_sum(x, n, grid, block, lanes):
    """The sums of the first `lanes` elements of each warp, in double precision."""
    per, warps = block, -(-block // 32)
    cells = np.zeros((grid, warps * 32))
    cells[:, :per] = np.pad(x[:n], (0, grid * per - n)).reshape(grid, per)
    return cells.reshape(grid * warps, 32)[:, lanes].sum(1)


@checks(reductions.warp_reduce)
class WarpReduce(ReductionCheck):
    atol = U  # see sums.py: 5 steps

    def cases(self, random):
        for blocks, size in [(2, 64), (1, 32), (random.randint(2, 5), 256)]:
            yield "whole warps", self.launch(random, blocks * size, blocks, size)
        for n in (1, 31, 33, 100, 127, random.randint(130, 250)):
            yield "fewer elements than threads", self.launch(random, n, 2, 128)
        for size in (40, 33, 5, 1, 250, random.randint(65, 95)):
            launch = self.launch(random, 2 * size - 2, 2, size)
            yield "a last warp with fewer lanes", launch
        yield "no element", self.launch(random, 0, 1, 64)
        yield "zero, inf and NaN", self.launch(random, 256, 2, 128, special=True)

    def launch(self, random, n, blocks, size, special=False):
        n = max(n, 0)
        x = scaled(random, (max(n, 1),), 5, 32)
        if special:
            x[[40, 70]], x[100:] = [np.inf, np.nan], 0
        sums = blank(blocks * -(-size // 32))
        limits = {"reads": n, "reads_per_thread": 1, "shared_requests": 0}
        return Launch(blocks, size, (x, sums, np.int32(n)), 0, limits)

    def expected(self, launch, x, sums, n):
        return lanes_sum(x, n, *launch.grid, *launch.block, slice(None))

    @cause(
        "the mask is wrong: it names lanes that do not come to the shuffle, or leaves "
        "out some that do. Threads behind the end of x must shuffle, too: give them 0, "
        "and keep __shfl_down_sync outside of every if"
    )
    def wrong_mask(self, launch, x, sums, n):
        return Fault("divergent-shuffle")

    absent_lanes = mistake(
        "in a warp with fewer lanes, a lane adds what it gets from one that is not "
        "there: only if lane + d < lanes is there something to add",
        """
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        float sum = i < n ? x[i] : 0.0f;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        int warps = (blockDim.x + 31) / 32;
        if (tid % 32 == 0) sums[blockIdx.x * warps + tid / 32] = sum;
        """,
    )
    active_mask = mistake(
        "__activemask() names whoever happens to be at this line: inside an if those "
        "are not all lanes, and what the others should bring is missing. Let all lanes "
        "shuffle, outside of the if, and name them",
        """
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        int warps = (blockDim.x + 31) / 32;
        float sum = 0.0f;
        if (i < n) {
            sum = x[i];
            for (int d = 16; d > 0; d /= 2)
                sum += __shfl_down_sync(__activemask(), sum, d);
        }
        if (tid % 32 == 0) sums[blockIdx.x * warps + tid / 32] = sum;
        """,
    )

    returned = mistake(
        "threads behind the end of x have returned, and lanes add what they would have "
        "brought: let them stay, and give them 0",
        """
        int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
        if (i >= n) return;
        int lanes = min(32, (int)blockDim.x - (tid - lane));
        float sum = x[i];
        for (int d = 16; d > 0; d /= 2) {
            float other = __shfl_down_sync(0xffffffff, sum, d);
            if (lane + d < lanes) sum += other;
        }
        int warps = (blockDim.x + 31) / 32;
        if (lane == 0) sums[blockIdx.x * warps + tid / 32] = sum;
        """,
    )

    @cause("the last step is left out: after d = 2 comes d = 1")
    def last_step(self, launch, x, sums, n):
        return lanes_sum(x, n, *launch.grid, *launch.block, slice(0, None, 2))

    @cause("the first step is left out: 32 lanes begin with d = 16")
    def first_step(self, launch, x, sums, n):
        return lanes_sum(x, n, *launch.grid, *launch.block, slice(0, 16))

    @cause("that is each warp's first element: nothing is added to it")
    def first_lane(self, launch, x, sums, n):
        return lanes_sum(x, n, *launch.grid, *launch.block, slice(0, 1))

    @cause(
        "the sums are right, but went through shared memory: the lanes of a warp read "
        "each other's variables, with __shfl_down_sync"
    )
    def shared(self, launch, x, sums, n):
        return Fault("shared_requests")

    @cause(
        "one lane reads what all 32 should: each thread reads its own element, and "
        "shuffles bring them together"
    )
    def one_lane(self, launch, x, sums, n):
        return Fault("reads_per_thread")

    rounded_down = mistake(
        "a block of 40 threads has 2 warps, not 40 / 32 = 1: round up",
        """
        int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
        int lanes = min(32, (int)blockDim.x - (tid - lane));
        float sum = i < n ? x[i] : 0.0f;
        for (int d = 16; d > 0; d /= 2) {
            float other = __shfl_down_sync(0xffffffff, sum, d);
            if (lane + d < lanes) sum += other;
        }
        if (lane == 0) sums[blockIdx.x * (blockDim.x / 32) + tid / 32] = sum;
        """,
    )

    @cause("a thread goes outside the arrays: x has n elements, sums one for each warp")
    def outside(self, launch, x, sums, n):
        return Fault("out-of-bounds")

    @cause("several threads write the same sum: only lane 0 of each warp has it")
    def all_write(self, launch, x, sums, n):
        return Fault("race")
