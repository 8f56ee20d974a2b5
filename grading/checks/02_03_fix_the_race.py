"""Running totals of each block: right totals are not enough."""

import numpy as np

from grading.exercise import checks, mistakes
from minigrad.kernels.memory import fix_the_race

from .blocks import BlockCheck, by_blocks


@checks(fix_the_race)
class FixTheRace(BlockCheck):
    """Leaves out blocks above 256 threads, by contract, and totals beyond int."""

    dtype, cells = np.int32, 2

    def drawn(self, random, cells, block):
        x = super().drawn(random, cells, block)
        return x * np.int32(2**31 // (block * cells) | 1)  # sums as large as int holds

    def expected(self, launch, x, y, n):
        rows = by_blocks(x, n, *launch.block)
        y[:n] = rows.cumsum(1).flatten()[:n]
        return y


FILL = "total[tid] = i < n ? x[i] : 0;"
READ = "int before = tid >= d ? total[tid - d] : 0;"
BETWEEN = f"{READ}\n        __syncthreads();\n        total[tid] += before;"
STEPS = f"""for (int d = 1; d < blockDim.x; d *= 2) {{
        __syncthreads();
        {BETWEEN}
    }}"""
mistakes(fix_the_race)(f"""
lost: the cell is replaced by the one d places before it: add that, +=
> += before -> = before
one_step: only the first step is done, d = 1: it goes on with d = 2, 4, 8, ... below
    blockDim.x
> d < blockDim.x -> d < 2
not_set: where tid < d, `before` has no value, and is added all the same: give it 0
> {READ} -> int before; if (tid >= d) before = total[tid - d];
race_remains: the race is still there: a thread writes total[tid] while another may
    still have to read it. All must have read before one writes, and all must have
    written before one reads again: that is two barriers in each step
+ __syncthreads();
> {BETWEEN} -> if (tid >= d) total[tid] += total[tid - d];
> {BETWEEN} -> if (tid >= d) total[tid] += total[tid - d]; __syncthreads();
> __syncthreads(); {READ} -> {READ}
> {BETWEEN} -> {READ} total[tid] += before;
> {BETWEEN} -> {READ} __syncwarp(); total[tid] += before;
> __shared__ int -> __shared__ volatile int
& {BETWEEN} -> if (tid >= d) total[tid] = total[tid] + total[tid - d];
> {BETWEEN} -> if (tid >= d) atomicAdd(&total[tid], total[tid - d]);
barrier_in_if: a barrier stands inside an if: some threads never come to it, and the
    others wait. Let all threads come to it, and only the read be under the if
! divergent-barrier
> {BETWEEN} -> if (tid >= d) {{ int before = total[tid - d]; __syncthreads(); total[tid]
    += before; }}
warp_sync: threads of one warp need an order, too: use __syncthreads(), or __syncwarp()
    if no other warp takes part
+ __syncwarp();
> {STEPS} -> for (int d = 1; d < 32; d *= 2) {{ __syncthreads(); int before = tid % 32
    >= d ? total[tid - d] : 0; total[tid] += before; }} __syncthreads(); int before = 0;
    for (int w = 31; w < tid - tid % 32; w += 32) before += total[w]; __syncthreads();
    total[tid] += before;
outside: a thread goes outside the arrays: threads below d have no cell d places before
    their own, and those past the end of x no element
! out-of-bounds
> tid >= d -> tid >= 0
> if (i < n) ->
no_shared: nothing goes through shared memory: the totals are to be made there
! unshared
> if (i < n) y[i] = total[tid]; -> int sum = 0; for (int k = i - tid; k <= i && i < n;
    k++) sum += x[k]; if (i < n) y[i] = sum;
> int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, sum = 0; for (int k = i -
    tid; k <= i && i < n; k++) sum += x[k]; if (i < n) y[i] = sum;
exclusive: each total lacks the thread's own element: y[i] counts x[i] as well
> if (i < n) y[i] = total[tid] -> __syncthreads(); if (i < n) y[i] = tid > 0 ? total[tid
    - 1] : 0
read_too_late: the value is read after the others have written: it holds this step's sum
    already. Read first, then the barrier, then write
> {BETWEEN} -> int own = total[tid]; __syncthreads(); if (tid >= d) total[tid] = own;
equivalent: what stands past the end is added to nothing that is written
> off by one: -> total[tid] = i < n ? x[i] : 1;
equivalent: a step with d >= blockDim.x adds 0 everywhere
> comparison: -> for (int d = 1; d <= blockDim.x; d *= 2)
> a literal: -> for (int d = 1; d < 256; d *= 2)
right: two arrays in turn
> total[256] -> total[2][256], now = 0
& __shared__ int total[2][256], now = 0 -> int now = 0; __shared__ int total[2][256]
& {FILL} -> total[0][tid] = i < n ? x[i] : 0;
& {BETWEEN} -> int before = tid >= d ? total[now][tid - d] : 0; total[1 - now][tid] =
    total[now][tid] + before; now = 1 - now;
& = total[tid]; -> = total[now][tid];
right: one thread alone
> {STEPS} -> __syncthreads(); if (tid == 0) for (int k = 1; k < blockDim.x; k++)
    total[k] += total[k - 1]; __syncthreads();
right: each thread for itself
> {STEPS} -> __syncthreads(); int sum = 0; for (int k = 0; k <= tid; k++) sum +=
    total[k];
& = total[tid]; -> = sum;
& __shared__ int total[256] -> extern __shared__ int total[]
right: by shuffles, and the warps' totals
>
    __shared__ int totals[8];
    int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
    unsigned left = blockDim.x - (tid - lane);
    unsigned lanes = left < 32 ? (1u << left) - 1 : 0xffffffffu;
    int sum = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {{
        int before = __shfl_up_sync(lanes, sum, d);
        if (lane >= d) sum += before;
    }}
    if (lane == 31) totals[tid / 32] = sum;
    __syncthreads();
    for (int w = 0; w < tid / 32; w++) sum += totals[w];
    if (i < n) y[i] = sum;
""")
