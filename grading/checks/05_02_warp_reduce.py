"""Sums of warps: sums in double precision are the oracle."""

import numpy as np

from grading.exercise import Launch, blank, checks, mistakes
from minigrad.kernels.reductions import warp_reduce

from .reductions import LENGTHS, ReductionCheck, U, scaled


@checks(warp_reduce)
class WarpReduce(ReductionCheck):
    """Leaves out blocks above 256: the contract has none."""

    atol = U  # see reductions.py: 5 steps

    def cases(self, random):
        for blocks, size in [(2, 64), (1, 32), (random.randint(2, 5), 256)]:
            yield "whole warps", self.launch(random, blocks * size, blocks, size)
        yield "whole warps", self.launch(random, 70_000, 280, 256)
        for n, size in LENGTHS:
            yield "any number of elements", self.launch(random, n, 2, size)
        for size in (40, 33, 250, random.randint(65, 95)):
            launch = self.launch(random, 2 * size - 2, 2, size)
            yield "a last warp with fewer lanes", launch
        yield "no element", self.launch(random, 0, 1, 64)
        yield "zero, inf and NaN", self.launch(random, 256, 2, 128, special=True)

    def launch(self, random, n, blocks, size, special=False):
        x = scaled(random, (max(n, 1),), 5, 32)
        if special:
            x[[40, 70]], x[100:] = [np.inf, np.nan], 0
        sums = blank(blocks * -(-size // 32))
        most = min(n, blocks * size)
        limits = {"reads": most, "reads_per_thread": 1, "shared_requests": 0}
        return Launch(blocks, size, (x, sums, np.int32(n)), 0, limits)

    def expected(self, launch, x, sums, n):
        (blocks,), (size,) = launch.grid, launch.block
        cells = np.zeros((blocks, -(-size // 32) * 32))
        own = x[: min(n, launch.threads)]
        cells[:, :size] = np.pad(own, (0, launch.threads - len(own))).reshape(-1, size)
        return cells.reshape(-1, 32).sum(1)


TAKE = "float sum = i < n ? x[i] : 0.0f;"
STEPS = """for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(mask, sum, d);
        if (lane + d < lanes) sum += other;
    }"""
mistakes(warp_reduce)(f"""
absent_lanes: in a warp with fewer lanes, a lane adds what it gets from one that is not
    there: only if lane + d < lanes is there something to add
> if (lane + d < lanes) ->
> lane + d < lanes -> lane + d < 32
last_step: the last step is left out: after d = 2 comes d = 1
> d > 0 -> d > 1
rounded_down: a block of 40 threads has 2 sums of its own: neither blockDim.x / 32 nor
    i / 32 counts them. A block has (blockDim.x + 31) / 32 warps
> (blockDim.x + 31) / 32 -> blockDim.x / 32
all_write: several threads write the same sum: only lane 0 of each warp has it
> if (lane == 0) ->
wrong_mask: the mask is wrong: it names lanes that do not come to the shuffle, or leaves
    out some that do. Threads past the end of x must shuffle, too: give them 0, and keep
    __shfl_down_sync outside of every if
! divergent-shuffle
> float other = __shfl_down_sync(mask, sum, d); ->
& if (lane + d < lanes) sum += other -> if (lane < d && lane + d < lanes) sum +=
    __shfl_down_sync(mask, sum, d)
> (mask -> (0xffff
> (mask -> (0x7fffffff
active_mask: __activemask() names the lanes that happen to be at this line: inside an if
    those are not all, and what the others should bring is missing. Let all lanes
    shuffle, outside of the if, and name them
> {TAKE} -> float sum = i < n ? x[i] : 0.0f; if (i < n)
& {STEPS} -> for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(__activemask(),
    sum, d);
returned: threads past the end of x have returned, and lanes add what they would have
    brought: let them stay, and give them 0
> float sum -> if (i >= n) return; float sum
first_lane: that is each warp's first element: nothing is added to it
> {STEPS} ->
shared: the sums are right, but went through shared memory: the lanes of a warp read
    each other's variables, with __shfl_down_sync
! shared_requests
> {STEPS} -> __shared__ float cells[256]; cells[tid] = sum; for (int d = 16; d > 0; d /=
    2) {{ __syncthreads(); if (lane < d && lane + d < lanes) cells[tid] += cells[tid +
    d]; }} sum = cells[tid];
one_lane: one lane reads what all 32 should: each thread reads its own element, and
    shuffles bring them together
! reads_per_thread
> {TAKE} -> float sum = 0.0f;
& {STEPS} -> for (int k = i; lane == 0 && k < min(i + lanes, n); k++) sum += x[k];
outside: a thread goes outside the arrays: x has n elements, sums one for each warp
! out-of-bounds
> i < n ? x[i] : 0.0f -> x[i]
past_threads: elements past the last thread are added, too: thread i of all has x[i]
    alone, and what lies past the threads belongs to none
> {TAKE} -> float sum = 0.0f; for (int k = i; k < n; k += gridDim.x * blockDim.x) sum +=
    x[k];
equivalent: a block has at most 256 threads
> off by one: tid / 31]
equivalent: in the step of d, lane 0 gets what lane d has, and that comes of lanes
    without the bit d: for them lane ^ d is lane + d
> function: __shfl_xor_sync(mask, sum, d)
right: by __shfl_xor_sync
> _down_ -> _xor_
& lane + d < lanes -> (lane ^ d) < lanes
equivalent: the mask of a warp may name lanes that are not there, and a shift by 32 or
    more gives 0 on a GPU, of which 1 less is all lanes
> comparison: mask = lanes != 32 ?
> term dropped: mask = lanes ?
> term dropped: mask = 32 ?
> off by one: mask = lanes == 33 ?
> off by one: mask = lanes == 31 ?
> branch dropped: unsigned mask = (
> operator: (1u >> lanes) - 1
equivalent: with 33 lanes, lanes from 16 on add one too many, and lane 0 takes none of
    that
> off by one: lanes = min(33,
right: neighbours first
> d = 16; d > 0; d /= 2 -> d = 1; d < 32; d *= 2
right: half of the lanes that are left, rounded up
> {STEPS} ->
    for (int left = lanes, d; left > 1; left = d) {{
        d = (left + 1) / 2;
        float other = __shfl_down_sync(mask, sum, d);
        sum += lane + d < left ? other : 0;
    }}
& lanes == 32 ? 0xffffffff : (1u << lanes) - 1 -> __activemask()
""")
