"""Chapter 02, block_sum: sums in fp64 are the oracle.

A wrong kernel is told by what it leaves in the output, or by what the tools find.
"""

import numpy as np

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import memory

from .blocks import FLOAT, BlockCheck, by_blocks, counted, cover


def tree(
    text,
    half="blockDim.x / 2",
    guard="tid < half",
    write="if (tid == 0) sums[blockIdx.x] = partial[0];",
    cells=256,
    kind="float",
):
    """A mistake: the tree, with one thing changed."""
    return mistake(
        text,
        f"""
        __shared__ {kind} partial[{cells}];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        partial[tid] = i < n ? x[i] : 0.0f;
        for (int half = {half}; half > 0; half /= 2) {{
            __syncthreads();
            if ({guard}) partial[tid] += partial[tid + half];
        }}
        {write}
        """,
    )


@checks(memory.block_sum)
class BlockSum(BlockCheck):
    atol = 8 * 2**-24 * 256 * 2  # 8 additions of fp32 on values whose sum is below 256
    serial = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150

    def cases(self, random):
        for blocks, size in [(3, 256), (2, 128), (random.randint(2, 5), 64)]:
            yield "whole blocks", self.launch(random, blocks * size, size)
        for n in (1000, 257, random.randint(300, 500)):
            yield "a last block with fewer elements", self.launch(random, n, 256)
        for n, size in [(96, 32), (100, 16), (1, 256), (255, 256), (33, 32), (5, 1)]:
            yield "blocks of any size", self.launch(random, n, size)
        for n, blocks in [(256, 3), (0, 1), (300, 4)]:
            yield "blocks to spare", self.launch(random, n, 256, blocks)
        yield "zero, inf and NaN", self.launch(random, 1000, 256, special=True)

    def launch(self, random, n, size, blocks=None, special=False):
        x = distinct(random, max(n, 1)) / np.float32(n + 1)
        if special:
            x[[300, 600]], x[768:1000] = [np.inf, np.nan], 0
        blocks = blocks or cover(n, size)
        limits = {"shared_requests": self.serial * blocks, "atomics": 0}
        args = x, blank(blocks), np.int32(n)
        return Launch(blocks, size, args, size * FLOAT, limits)

    def expected(self, launch, x, sums, n):
        rows = by_blocks(x.astype(np.float64), n, *launch.block)
        sums[:] = 0
        sums[: len(rows)] = rows.sum(1)
        return sums

    def lines(self, case):
        keys = {
            "shared_requests": "accesses of shared memory by warps",
            "atomics": "atomic operations",
        }
        return [*super().lines(case), *counted(case, keys)]

    @cause(
        "a thread adds a cell that another may not have written yet: each step of the "
        "tree needs a __syncthreads() before it"
    )
    def no_barrier(self, launch, x, sums, n):
        return Fault("race")

    @cause(
        "within the last warp there is no order either: threads of a warp need not run "
        "in step. Keep __syncthreads() in every step, or use __syncwarp() there"
    )
    def warp_sync(self, launch, x, sums, n):
        return Fault("race-warp")

    @cause(
        "the barrier stands inside an if: the threads that have nothing to add in this "
        "step never come to it. Put it into the loop, but outside of the if"
    )
    def barrier_in_if(self, launch, x, sums, n):
        return Fault("divergent-barrier")

    @cause(
        "a cell is added that nobody has filled: threads behind the end of x must put "
        "0 into theirs"
    )
    def not_filled(self, launch, x, sums, n):
        return Fault("uninitialised")

    @cause(
        "atomics make threads wait for each other, and float additions in an order "
        "that changes give other last digits from run to run: add as a tree"
    )
    def atomics(self, launch, x, sums, n):
        return Fault("atomics")

    @cause(
        "a thread goes outside the arrays: x has n elements, and in each step only "
        "threads below half add, cell tid + half, which is below blockDim.x"
    )
    def outside(self, launch, x, sums, n):
        return Fault("out-of-bounds")

    one_cell = mistake(
        "all threads add to one cell: two read it before either has written, and one "
        "addition is lost. In a tree no two threads write the same cell",
        """
        __shared__ float sum;
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        if (tid == 0) sum = 0;
        __syncthreads();
        if (i < n) sum += x[i];
        __syncthreads();
        if (tid == 0) sums[blockIdx.x] = sum;
        """,
    )
    written_by_all = tree(
        "all threads write the block's sum: one is enough, as if (tid == 0)",
        write="sums[blockIdx.x] = partial[0];",
    )
    one_each = tree(
        "sums has one element for each block, not for each thread: sums[blockIdx.x]",
        write="if (i < n) sums[i] = partial[0];",
    )
    added = tree(
        "the sum is added to what stood there, which is anything: write = for +=",
        write="if (tid == 0) sums[blockIdx.x] += partial[0];",
    )
    small_array = tree(
        "the array has too few cells: a block has up to 256 threads, so partial[256]",
        cells=128,
    )
    without_if = tree(
        "every thread adds, and writes cells that others read: only those below half",
        guard="true",
    )
    one_more = tree(
        "one thread too many adds: those below half do, tid < half", guard="tid <= half"
    )
    half_of_n = tree(
        "half begins at n / 2, but n is the length of the whole array: a block has "
        "blockDim.x cells, so at blockDim.x / 2",
        half="n / 2",
    )
    whole_numbers = tree(
        "partial holds whole numbers, so what stands behind the point is lost: float",
        kind="int",
    )

    fixed_size = tree(
        "half begins at a number, 128, which is right for blocks of 256 only: "
        "blockDim.x / 2 is right for all",
        half="128",
    )
    whole_first = tree(
        "half begins at blockDim.x, and then cell tid + half is behind the block's "
        "cells: it begins at blockDim.x / 2",
        half="blockDim.x",
    )

    @cause(
        "one thread after the other adds, or there are too many steps: in a tree, all "
        "threads below half add at once, and 256 elements take 8 steps"
    )
    def one_by_one(self, launch, x, sums, n):
        return Fault("shared_requests")

    @cause(
        "shared memory was not used: declare __shared__ float partial[256], put one "
        "number for each thread into it, and add there"
    )
    def no_shared(self, launch, x, sums, n):
        return Fault("unshared")

    @cause("only the sum of the first block is written: block b writes sums[b]")
    def first_only(self, launch, x, sums, n):
        sums[0] = self.expected(launch, x, sums.copy(), n)[0]
        return sums

    @cause("each block has the first block's sum: the index into x needs blockIdx.x")
    def no_block(self, launch, x, sums, n):
        sums[:] = self.expected(launch, x, sums.copy(), n)[0]
        return sums

    @cause(
        "the tree stops one step early: the last step is half = 1, when cells 0 and 1 "
        "are added"
    )
    def last_step(self, launch, x, sums, n):
        return self.partly(launch, x, n, slice(0, None, 2))

    @cause(
        "the first step is left out: half begins at blockDim.x / 2, so that the upper "
        "half of the cells is added, too"
    )
    def first_step(self, launch, x, sums, n):
        size = launch.block[0]
        return self.partly(launch, x, n, slice(0, max(size // 2, 1)))

    @cause(
        "the last block is left out because it is not full: the threads behind n add "
        "0, and the others their elements"
    )
    def whole_blocks_only(self, launch, x, sums, n):
        right = self.expected(launch, x, sums.copy(), n)
        full = n // launch.block[0]
        right[full:] = 0
        return right

    @cause("that is the first element of each block: no step of the tree is done")
    def no_tree(self, launch, x, sums, n):
        return self.partly(launch, x, n, slice(0, 1))

    def partly(self, launch, x, n, part):
        """The sums of some of each block's elements."""
        rows = by_blocks(x, n, *launch.block)[:, part]
        sums = np.zeros(launch.grid[0], np.float32)
        sums[: len(rows)] = rows.sum(1)
        return sums
