"""The sum of each block's elements, as a tree: sums in fp64 are the oracle."""

from dataclasses import replace

import numpy as np

from grading.exercise import Model, blank, checks, distinct, mistakes
from minigrad.kernels.memory import block_sum

from .blocks import BlockCheck, by_blocks


@checks(block_sum)
class BlockSum(BlockCheck):
    """Leaves out blocks above 256 threads or of no power of two: no launch has them."""

    atol = 8 * 2**-24 * 256 * 2  # 8 additions of fp32 on values whose sum is below 256
    serial = 200  # accesses of shared memory by a warp; a tree of 256 needs under 150

    def fits(self, size):
        return size <= 256 and size & (size - 1) == 0

    def cases(self, random):
        yield from super().cases(random)
        x = self.drawn(random, 1000, 256)
        x[[300, 600]], x[768:1000] = [np.inf, np.nan], 0
        yield "zero, inf and NaN", self.launch(x, 1000, 4, 256)

    def drawn(self, random, cells, block):
        return distinct(random, cells) / np.float32(cells)

    def launch(self, x, n, grid, block):
        limits = {"shared_requests": self.serial * grid, "atomics": 0}
        args = x, blank(grid), np.int32(n)
        return replace(super().launch(x, n, grid, block), args=args, limits=limits)

    def expected(self, launch, x, sums, n):
        return self.partly(launch, x, sums, n, slice(None))

    def partly(self, launch, x, sums, n, part):
        """The sums of some of each block's elements."""
        rows = by_blocks(x.astype(np.float64), n, *launch.block)[:, part]
        sums[:] = 0
        sums[: len(rows)] = rows.sum(1)
        return sums


FILL = "partial[tid] = i < n ? x[i] : 0.0f;"
STEP = "if (tid < half) partial[tid] += partial[tid + half];"
TREE = f"""for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        __syncthreads();
        {STEP}
    }}"""
LATER = f"""{TREE} -> for (int half = blockDim.x / 2; half > 32; half /= 2) {{
        __syncthreads();
        {STEP}
    }}
    __syncthreads();
    """
NEIGHBOURS = f"""{TREE} -> for (int s = 1; s < blockDim.x; s *= 2) {{
        __syncthreads();
        """
ONE = Model(lambda check, *args: check.partly(*args, slice(0, 1)))
mistakes(block_sum, no_tree=ONE)(f"""
no_tree: that is the first element of each block: no step of the tree is done
> {TREE} -> __syncthreads();
written_by_all: all threads write the block's sum: one is enough, as if (tid == 0)
> if (tid == 0) ->
one_each: sums has one element for each block, not for each thread: sums[blockIdx.x]
> if (tid == 0) sums[blockIdx.x] -> if (i < n) sums[i]
added: the sum is added to what stood there, which is anything: write = for +=
> ] = partial[0] -> ] += partial[0]
small_array: the array has too few cells: a block has up to 256 threads, so partial[256]
> partial[256] -> partial[128]
without_if: every thread adds, and writes cells that others read: only those below half
> if (tid < half) ->
fixed_size: half begins at a number, 128, which is right for blocks of 256 only:
    blockDim.x / 2 is right for all
> blockDim.x / 2 -> 128
whole_first: half begins at blockDim.x, and then cell tid + half lies past the block's
    cells: it begins at blockDim.x / 2
> blockDim.x / 2 -> blockDim.x
first_only: only the sum of the first block is written: block b writes sums[b]
> if (tid == 0) sums[blockIdx.x] -> if (i == 0) sums[0]
empty_block: a block without elements has the sum 0, which is to be written as well
> if (tid == 0) sums -> if (tid == 0 && i < n) sums
no_block: each block has the first block's sum: the index into x needs blockIdx.x
> i = blockIdx.x * blockDim.x + tid -> i = tid
last_step: the tree stops one step early: the last step is half = 1, when cells 0 and 1
    are added
> half > 0 -> half > 1
whole_blocks_only: the last block is left out because it is not full: the threads past
    the end of x add 0, and the others their elements
> i < n -> (blockIdx.x + 1) * blockDim.x <= n
no_barrier: a thread adds a cell that another may not have written yet: each step of the
    tree needs a __syncthreads() before it
+ __syncthreads();
> __syncthreads(); ->
> __syncthreads(); -> __syncwarp();
> __syncthreads(); ->
& {FILL} -> {FILL} __syncthreads();
> __syncthreads(); ->
& {STEP} -> {STEP} __syncthreads();
> {NEIGHBOURS}if (tid + s < blockDim.x) partial[tid] += partial[tid + s]; }}
warp_sync: within the last warp there is no order either: threads of a warp need not run
    in step. Keep __syncthreads() in every step, or use __syncwarp() there
+ __syncwarp();
> {LATER}for (int half = min(32, blockDim.x / 2); half > 0; half /= 2) {STEP}
barrier_in_if: a barrier stands inside an if: some threads never come to it, and the
    others wait. Put it into the loop, but outside of every if
! divergent-barrier
> __syncthreads(); ->
& {FILL} -> {FILL} __syncthreads();
& {STEP} -> if (tid < half) {{ partial[tid] += partial[tid + half]; __syncthreads(); }}
not_filled: a cell is added that nobody has filled: threads past the end of x must put 0
    into theirs
! uninitialised
> {FILL} -> if (i < n) partial[tid] = x[i];
> {FILL} -> if (i >= n) return; {FILL}
atomics: atomics make threads wait for each other, and float additions in an order that
    changes give other last digits from run to run: add as a tree
! atomics
> {FILL} -> if (tid == 0) partial[0] = 0; __syncthreads(); if (i < n)
    atomicAdd(&partial[0], x[i]);
& {TREE} -> __syncthreads();
outside: a thread goes outside the arrays: x has n elements, and in each step only
    threads below half add, cell tid + half, which is below blockDim.x
! out-of-bounds
> i < n ? x[i] : 0.0f -> x[i]
> i < n ? x[i] : 0.0f; -> i <= n ? x[i] : 0.0f; if (i >= n) partial[tid] = 0.0f;
one_cell: all threads add to one cell: two read it before either has written, and one
    addition is lost. In a tree no two threads write the same cell
> {FILL} -> if (tid == 0) partial[0] = 0.0f; __syncthreads(); if (i < n) partial[0] =
    partial[0] + x[i];
& {TREE} -> __syncthreads();
one_by_one: one thread after the other adds, or there are too many steps: in a tree, all
    threads below half add at once, and 256 elements take 8 steps
! shared_requests
> {TREE} -> __syncthreads(); if (tid == 0) for (int k = 1; k < blockDim.x; k++)
    partial[0] += partial[k];
> {TREE} -> __syncthreads(); float sum = 0.0f; for (int k = 0; k < blockDim.x; k++) sum
    += partial[k];
& ] = partial[0] -> ] = sum
no_shared: nothing goes through shared memory: put one number for each thread into it,
    and add there
! unshared
> ] = partial[0] -> ] = 0; for (int k = i; tid == 0 && k < min(n, i + (int)blockDim.x);
    k++) sums[blockIdx.x] += x[k]
> int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid; float sum = 0.0f; for (int k
    = 0; k < blockDim.x && tid == 0; k++) if (i + k < n) sum += x[i + k]; if (tid == 0)
    sums[blockIdx.x] = sum;
right: neighbours first
> {NEIGHBOURS}if (tid % (2 * s) == 0 && tid + s < blockDim.x) partial[tid] +=
    partial[tid + s]; }}
right: dynamic shared memory
> __shared__ float partial[256] -> extern __shared__ float partial[]
right: __syncwarp in the last warp
> {LATER}if (tid < 32) for (int half = min(32, blockDim.x / 2); half > 0; half /= 2) {{
    {STEP} __syncwarp(blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu); }}
right: shuffles in the warps
>
    __shared__ float partial[8];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    float sum = i < n ? x[i] : 0.0f;
    int warps = (blockDim.x + 31) / 32;
    unsigned lanes = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
    for (int d = min(32, blockDim.x) / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(lanes, sum, d);
    if (tid % 32 == 0) partial[tid / 32] = sum;
    __syncthreads();
    if (tid == 0) {{
        for (int w = 1; w < warps; w++) sum += partial[w];
        sums[blockIdx.x] = sum;
    }}
""")
