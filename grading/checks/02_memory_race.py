"""Chapter 02, fix_the_race: right totals are not enough.

A wrong kernel is told by what it leaves in the output, or by what the tools find.
"""

import numpy as np

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import memory

from .blocks import FLOAT, BlockCheck, by_blocks, cover


def steps(text, read, then="total[tid] += before;"):
    """A mistake: the two halves of a step, on both sides of the barrier."""
    return mistake(
        text,
        f"""
        __shared__ int total[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        total[tid] = i < n ? x[i] : 0;
        for (int d = 1; d < blockDim.x; d *= 2) {{
            __syncthreads();
            {read}
            __syncthreads();
            {then}
        }}
        if (i < n) y[i] = total[tid];
        """,
    )


@checks(memory.fix_the_race)
class FixTheRace(BlockCheck):
    def cases(self, random):
        for blocks, size in [(2, 256), (3, 128), (2, 64)]:
            yield "right values, and no race", self.launch(random, blocks * size, size)
        for n in (257, 1000, random.randint(520, 700)):
            yield "a last block with fewer elements", self.launch(random, n, 256)
        for n, size in [(32, 32), (31, 32), (1, 256), (300, 100), (7, 1), (0, 64)]:
            yield "blocks of any size", self.launch(random, n, size)

    def launch(self, random, n, size):
        cells = max(n, 1)
        x, y = distinct(random, cells, dtype=np.int32), blank(cells, dtype=np.int32)
        shared = 2 * size * FLOAT
        return Launch(cover(n, size), size, (x, y, np.int32(n)), shared)

    def expected(self, launch, x, y, n):
        rows = by_blocks(x, n, *launch.block)
        y[:n] = rows.cumsum(1).flatten()[:n]
        return y

    @cause(
        "the race is still there: a thread writes total[tid] while another may still "
        "have to read it. All must have read before one writes, and all must have "
        "written before one reads again: that is two barriers in each step"
    )
    def race_remains(self, launch, x, y, n):
        return Fault("race")

    @cause(
        "a barrier stands inside an if: the threads below d never come to it, and the "
        "others wait. Let all threads come to it, and only the read be under the if"
    )
    def barrier_in_if(self, launch, x, y, n):
        return Fault("divergent-barrier")

    @cause(
        "threads of one warp need an order, too: use __syncthreads(), or __syncwarp() "
        "if no other warp takes part"
    )
    def warp_sync(self, launch, x, y, n):
        return Fault("race-warp")

    @cause(
        "a thread goes outside the arrays: threads below d have no cell d places "
        "before their own, and those behind n no element"
    )
    def outside(self, launch, x, y, n):
        return Fault("out-of-bounds")

    @cause("shared memory was not used: mend the kernel, and keep its method")
    def no_shared(self, launch, x, y, n):
        return Fault("unshared")

    exclusive = mistake(
        "each total lacks the thread's own element: y[i] counts x[i] as well",
        """
        __shared__ int total[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        total[tid] = i < n ? x[i] : 0;
        __syncthreads();
        int sum = 0;
        for (int k = 0; k < tid; k++) sum += total[k];
        if (i < n) y[i] = sum;
        """,
    )
    read_too_late = mistake(
        "the value is read after the others have written: it holds this step's sum "
        "already. Read first, then the barrier, then write",
        """
        __shared__ int total[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        total[tid] = i < n ? x[i] : 0;
        for (int d = 1; d < blockDim.x; d *= 2) {
            __syncthreads();
            int own = total[tid];
            __syncthreads();
            if (tid >= d) total[tid] = own;
        }
        if (i < n) y[i] = total[tid];
        """,
    )
    not_set = steps(
        "where tid < d, `before` has no value, and is added all the same: give it 0",
        "int before; if (tid >= d) before = total[tid - d];",
    )
    lost = steps(
        "the cell is replaced by the one d places before it: add that, +=",
        "int before = tid >= d ? total[tid - d] : 0;",
        then="total[tid] = before;",
    )
    one_step = mistake(
        "only the first step is done, d = 1: it goes on with d = 2, 4, 8, ... below "
        "blockDim.x",
        """
        __shared__ int total[256];
        int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
        total[tid] = i < n ? x[i] : 0;
        __syncthreads();
        int before = tid >= 1 ? total[tid - 1] : 0;
        __syncthreads();
        total[tid] += before;
        if (i < n) y[i] = total[tid];
        """,
    )
