"""Chapter 02, shared_reverse: the values, and no race.

A wrong kernel is told by what it leaves in the output, or by what the tools find.
"""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import memory

from .blocks import FLOAT, BlockCheck, cover


def turned(
    text,
    put="tid",
    take="count - 1 - tid",
    to="first + tid",
    count="min((int)blockDim.x, n - first)",
    guard="tid < count",
    cells=256,
):
    """A mistake: what goes into which cell of the tile, and comes out of which."""
    return mistake(
        text,
        f"""
        __shared__ float tile[{cells}];
        int tid = threadIdx.x, first = blockIdx.x * blockDim.x, count = {count};
        if (tid < count) tile[{put}] = x[first + tid];
        __syncthreads();
        if ({guard}) y[{to}] = tile[{take}];
        """,
    )


@checks(memory.shared_reverse)
class SharedReverse(BlockCheck):
    def cases(self, random):
        for blocks, size in [(2, 256), (random.randint(3, 9), 64), (3, 32)]:
            yield "whole blocks", self.launch(random, blocks * size, size)
        for n, size in [(257, 256), (1000, 256), (random.randint(130, 190), 64)]:
            yield "a last block with fewer elements", self.launch(random, n, size)
        for n, size in [(31, 32), (33, 32), (1, 256), (255, 256), (100, 33)]:
            yield "blocks of any size", self.launch(random, n, size)
        for n, size, spare in [(300, 256, 2), (0, 64, 0), (64, 64, 1)]:
            yield "blocks to spare", self.launch(random, n, size, spare)

    def launch(self, random, n, size, spare=0):
        x, y = distinct(random, max(n, 1)), blank(max(n, 1))
        shared = size * FLOAT
        return Launch(cover(n, size) + spare, size, (x, y, np.int32(n)), shared)

    def expected(self, launch, x, y, n):
        for first in range(0, n, *launch.block):
            block = torch.from_numpy(x[first : min(first + launch.block[0], n)])
            y[first : first + len(block)] = block.flip(0)
        return y

    @cause(
        "a thread takes its element out of shared memory before another has put it in: "
        "__syncthreads() belongs between the two steps, for all threads of the block"
    )
    def no_barrier(self, launch, x, y, n):
        return Fault("race")

    @cause(
        "the barrier stands inside an if: in the last block some threads never come to "
        "it, and the others wait. Put __syncthreads() on a line outside of every if"
    )
    def barrier_in_if(self, launch, x, y, n):
        return Fault("divergent-barrier")

    @cause(
        "nothing goes through shared memory: declare __shared__ float tile[256], fill "
        "it, and read from it after a barrier"
    )
    def no_shared(self, launch, x, y, n):
        return Fault("unshared")

    one_too_far = turned(
        "one cell too far: count elements lie in cells 0 to count - 1, so thread 0 "
        "takes cell count - 1",
        take="count - tid",
    )
    small_tile = turned(
        "tile has too few cells for this block: a block has up to 256 threads, so it "
        "is tile[256]",
        cells=128,
    )
    smaller_tile = turned(small_tile.cause, cells=64)
    by_i = turned(
        "tile is the block's own, so its cells are counted by tid, not by i",
        put="first + tid",
        take="first + count - 1 - tid",
    )
    first_place = turned(
        "every block writes to the first one's place: thread tid writes y[first + tid]",
        to="tid",
    )
    last_left_out = turned(
        "the last element is not written: the second guard, too, is tid < count",
        guard="tid < count - 1",
    )
    unsigned_count = turned(
        "blockDim.x is unsigned, and then so is min(blockDim.x, n - first): where n - "
        "first is below 0, it becomes huge. Write (int)blockDim.x",
        count="min(blockDim.x, n - first)",
    )

    whole_array = mistake(
        "the whole array is reversed: each block reverses its own elements only",
        """
        __shared__ float tile[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        if (i < n) tile[tid] = x[n - 1 - i];
        __syncthreads();
        if (i < n) y[i] = tile[tid];
        """,
    )
    not_reversed = mistake(
        "y is x as it was: thread tid takes out what another has put in, cell "
        "count - 1 - tid",
        """
        __shared__ float tile[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        if (i < n) tile[tid] = x[i];
        __syncthreads();
        if (i < n) y[i] = tile[tid];
        """,
    )
    blocks_swapped = mistake(
        "the elements go to another block: block b reads and writes the elements from "
        "b * blockDim.x on",
        """
        __shared__ float tile[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        int other = (gridDim.x - 1 - blockIdx.x) * blockDim.x + tid;
        if (i < n) tile[tid] = x[i];
        __syncthreads();
        if (other < n) y[other] = tile[blockDim.x - 1 - tid];
        """,
    )

    @cause(
        "a cell of shared memory is read that no thread has filled: the last block has "
        "fewer elements than threads, so count is n - first there, not blockDim.x"
    )
    def full_block(self, launch, x, y, n):
        return Fault("uninitialised")

    @cause(
        "a thread goes outside an array: only threads below count have an element, in "
        "x, in y and in the tile; and thread tid takes out cell count - 1 - tid"
    )
    def outside(self, launch, x, y, n):
        return Fault("out-of-bounds")
