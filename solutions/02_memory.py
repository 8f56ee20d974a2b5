# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Lab 02 · Memory
#
# In the seven exercises of this lab, you write five kernels, a timer, and a test. They
# take about {{duration}}. In four of the kernels, the threads of a block work
# together through shared memory, and in exercises 4 and 5, you move data as fast as the
# memory allows. Kernels are written in CUDA C, in a string, and run in the simulator
# unless you have a GPU. A kernel passes its check only if its values are correct and
# the tools find nothing, so **a race is a mistake even if the values are correct**. In
# exercises 4 and 5, the check also counts sectors and bank passes and, if you have a
# GPU, measures the bandwidth.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

from grading import check, trying
from minigrad import Kernel, answers_from, solves
from minigrad.exercises.own_tests import test_block_sum
from minigrad.kernels.memory import (
    bench,
    block_sum,
    coalesced_copy,
    fix_the_race,
    shared_reverse,
    transpose_tiled,
)

answers_from("labs", before="02_memory")

# %% [markdown] task="shared_reverse"
# ## Reverse each block, through shared memory
#
# Each block reverses its own elements. If blocks have 4 threads and x has 6 elements,
# it looks like this:
#
# > x = 0 1 2 3 | 4 5
# >
# > y = 3 2 1 0 | 5 4
#
# The last block has only two elements here, so it reverses those two.
#
# Do it in two steps. First, every thread reads its element of `x` and puts it into
# shared memory. Then every thread takes another thread's element and writes it to its
# own position in `y`. No thread may begin the second step before all threads of the
# block have finished the first.
#
# Write `shared_reverse`. An array of 256 floats is large enough. (You may also write
# `extern __shared__ float tile[];`, and then the launch provides as many bytes as the
# contract says.)

# %%
x = np.arange(6, dtype=np.float32)
first, last = x[:4], x[4:]
print(x, "->", np.concatenate([first[::-1], last[::-1]]))

# %% [markdown] hints="shared_reverse"
# <details><summary>Hint 1</summary>
#
# Which element is the block's first, and how many does it have? The second number is
# `blockDim.x` or `n - first`, whichever is less. (`blockDim.x` is unsigned, and `n -
# first` can be negative, so write `(int)blockDim.x`.)
#
# </details>
# <details><summary>Hint 2</summary>
#
# A thread that has an element stores it in the cell with its own number. Then comes the
# barrier, which must not be in an `if`, because all threads of the block must reach it.
# If the block has `count` elements, thread 0 takes the one in cell `count - 1`, thread
# 1 takes the one before, and so on.
#
# </details>

# %% exercise="shared_reverse"
solves(shared_reverse)(r"""
__global__ void shared_reverse(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    __shared__ float tile[256];  //: shared
    int tid = threadIdx.x, first = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - first);  //: count

    if (tid < count) tile[tid] = x[first + tid];  //: fill
    __syncthreads();  //: barrier
    if (tid < count) y[first + tid] = tile[count - 1 - tid];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    y = np.zeros_like(x)
    Kernel(shared_reverse.text, "shared_reverse")(2, 4, (x, y, 6))
    print(y)

# %% check="shared_reverse"
check(shared_reverse)

# %% [markdown] task="block_sum"
# ## Add as a tree
#
# Each block adds up its own elements of `x` and writes one number, `sums[blockIdx.x]`.
# In each step of the tree, the second half of the remaining cells is added to the
# first.
#
# > 3 1 4 1 5 9 2 6 → 8 10 6 7 → 14 17 → 31
#
# Here, 3 + 5 = 8, 1 + 9 = 10, and so on.
#
# Write `block_sum`. Threads past the end of `x` must not read it, and they add 0. Don't
# use atomics, because their order changes from run to run, and so would the sums.

# %%
cells = [3, 1, 4, 1, 5, 9, 2, 6]
while len(cells) > 1:
    half = len(cells) // 2
    cells = [cells[i] + cells[i + half] for i in range(half)]
    print(cells)

# %% [markdown] hints="block_sum"
# <details><summary>Hint 1</summary>
#
# What should each thread put into shared memory before the first step? And in a step
# that adds the second half to the first, which threads have something to do?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Loop over `half`, which is half the number of threads at first, then half of that, and
# 1 in the last step. Each step begins with a barrier. After it, the threads below
# `half` add the cell that's `half` cells further on. Keep the barrier out of the `if`.
# When the loop has ended, thread 0 knows the sum.
#
# </details>

# %% exercise="block_sum"
solves(block_sum)(r"""
__global__ void block_sum(const float* x, float* sums, int n) {
    // BEGIN SOLUTION
    __shared__ float partial[256];  //: shared
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;  //: index

    partial[tid] = i < n ? x[i] : 0.0f;  //: fill
    for (int half = blockDim.x / 2; half > 0; half /= 2) {  //: each_half
        __syncthreads();  //: barrier
        if (tid < half) partial[tid] += partial[tid + half];  //: add_partial
    }  //: end
    if (tid == 0) sums[blockIdx.x] = partial[0];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    x, sums = np.arange(1, 7, dtype=np.float32), np.zeros(2, np.float32)
    Kernel(block_sum.text, "block_sum")(2, 4, (x, sums, 6))
    print(sums)

# %% check="block_sum"
check(block_sum)

# %% [markdown] task="fix_the_race"
# ## Fix a race
#
# The kernel in the next cell computes running totals, block by block. `y[i]` is the sum
# of the block's elements up to and including `x[i]`. In step d = 1, 2, 4, and so on,
# every thread adds the value d cells before its own:
#
# > 1 1 1 1 1 → 1 2 2 2 2 → 1 2 3 4 4 → 1 2 3 4 5
#
# Run it. In the simulator, the totals are correct, so the author was satisfied. But on
# a GPU, they were incorrect, and different each time. Read what the tools find. Which
# thread may write a cell while another still has to read it?
#
# Copy the kernel into the cell with `// YOUR CODE HERE` and fix it there. You don't
# need a new algorithm, because it's enough to put its reads and writes in order. (In C,
# `a ? b : c` is Python's `b if a else c`.)

# %%
broken = r"""
__global__ void fix_the_race(const int* x, int* y, int n) {
    __shared__ int total[256];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    total[tid] = i < n ? x[i] : 0;
    for (int d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        if (tid >= d) total[tid] += total[tid - d];
    }
    if (i < n) y[i] = total[tid];
}
"""
x, y = np.ones(256, np.int32), np.zeros(256, np.int32)
kernel = Kernel(broken, "fix_the_race")
kernel(1, 256, (x, y, 256))
print(y[:12], "...", y[-1])
print(kernel.check(1, 256, (x, y, 256)))

# %% [markdown] hints="fix_the_race"
# <details><summary>Hint 1</summary>
#
# `total[tid] += total[tid - d]` reads another thread's cell and writes its own. In the
# step with d = 1, thread 5 writes cell 5 and thread 6 reads it. Should thread 6 get the
# old value or the new one?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Split the line into two parts. In the first, each thread only reads, and keeps the
# value in its own variable. In the second, each thread only writes. What has to be
# between the two parts, and what between this step and the next? Both must be outside
# every `if`.
#
# </details>

# %% exercise="fix_the_race"
solves(fix_the_race)(r"""
__global__ void fix_the_race(const int* x, int* y, int n) {
    // BEGIN SOLUTION
    __shared__ int total[256];  //: shared
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    total[tid] = i < n ? x[i] : 0;  //: fill
    for (int d = 1; d < blockDim.x; d *= 2) {  //: each_d
        __syncthreads();  //: barrier
        int before = tid >= d ? total[tid - d] : 0;  //: before
        __syncthreads();  //: second_barrier
        total[tid] += before;  //: add_total
    }  //: end
    if (i < n) y[i] = total[tid];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    y = np.zeros(256, np.int32)
    kernel = Kernel(fix_the_race.text, "fix_the_race")
    kernel(1, 256, (x, y, 256))
    print(y[:12], "...", y[-1])
    print(kernel.check(1, 256, (x, y, 256)))

# %% check="fix_the_race"
check(fix_the_race)

# %% [markdown] task="coalesced_copy"
# ## A coalesced copy
#
# The kernel in the next cell copies an array with fewer threads than elements. Each
# thread copies its own piece, one element after the other, as you'd do on a CPU. The
# result is correct, but the copy reaches only
# {{memory/single | copy with a piece | m}} GB/s on an
# {{memory/single | copy with a piece | GPU}}.
#
# Write `coalesced_copy` so that the threads of a warp always read neighboring elements.
# Which elements a thread copies is up to you. With a better choice, the copy reaches
# {{memory/single | copy with a grid | m}} GB/s on the same card.

# %%
strided = r"""
__global__ void coalesced_copy(const float* x, float* y, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    int each = (n + threads - 1) / threads;

    for (int i = tid * each; i < (tid + 1) * each; i++)
        if (i < n) y[i] = x[i];
}
"""
x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
counts = Kernel(strided, "coalesced_copy").check(2, 128, (x, y, 4096)).counts
print(counts["sectors"], "sectors in", counts["requests"], "requests")

# %% [markdown] hints="coalesced_copy"
# <details><summary>Hint 1</summary>
#
# While thread 0 copies element 0, which element should thread 1 copy? And once every
# thread has copied one element, where does the next round begin?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A thread's first element is its number in the whole grid. From there, it moves ahead
# by the number of all threads, and it stops at n. This is the grid-stride loop of
# chapter 01.
#
# </details>

# %% exercise="coalesced_copy"
solves(coalesced_copy)(r"""
__global__ void coalesced_copy(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)  //: each_i
        y[i] = x[i];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = Kernel(coalesced_copy.text, "coalesced_copy")
    counts = kernel.check(2, 128, (x, y, 4096)).counts
    print(counts["sectors"], "sectors in", counts["requests"], "requests")

# %% check="coalesced_copy"
check(coalesced_copy)

# %% [markdown] task="transpose_tiled"
# ## Transpose in tiles
#
# A tile makes both the reads and the writes of `y[col, row] = x[row, col]` coalesced.
# Let each block fetch a tile of 32 × 32 elements into shared memory, row by row. Then
# let it write the rows of the transposed tile, which are the columns of the tile.
#
# - The block may have fewer rows of threads than the tile. So each thread handles one
#   element in several rows of the tile: `threadIdx.y`, `threadIdx.y + blockDim.y`, and
#   so on.
# - The tiles at the right and lower edges reach beyond the matrix. A good test is a
#   matrix of 33 × 65.
# - A column of `float tile[32][32]` is in a single bank. Add a column that nobody uses.
#
# Write `transpose_tiled`. The `.y` numbers count rows and the `.x` numbers count
# columns, so `blockIdx.y` counts the tiles of the matrix `x` from top to bottom.

# %%
x = np.arange(6, dtype=np.float32).reshape(2, 3)
print(x, "->", x.T, sep="\n")

# %% [markdown] hints="transpose_tiled"
# <details><summary>Hint 1</summary>
#
# You need two loops over the rows of the tile with a barrier between them. In the first
# loop, k is a row of the tile of `x`. Which row and column of `x` does the thread read?
# In the second loop, k is a row of the tile of `y`. Which row and column of `y` does
# the thread write?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In `y`, the tile's first row is `32 * blockIdx.x` and its first column `32 *
# blockIdx.y`. Here too, `threadIdx.x` must count along the row, so that neighbors write
# neighbors. `y` has `cols` rows of `rows` elements. The second guard must check the row
# and column that this loop writes, not those of the first loop.
#
# </details>
# <details><summary>Hint 3</summary>
#
# One loop uses `threadIdx.x` as the tile's last index and the other uses it as the
# first. That's where the transposing happens, and why the tile needs a 33rd column.
#
# </details>

# %% exercise="transpose_tiled"
solves(transpose_tiled)(r"""
__global__ void transpose_tiled(const float* x, float* y, int rows, int cols) {
    // BEGIN SOLUTION
    __shared__ float tile[32][33];  //: shared
    int tx = threadIdx.x, top = blockIdx.y * 32, left = blockIdx.x * 32;  //: tx

    for (int k = threadIdx.y; k < 32; k += blockDim.y) {  //: each_k
        int row = top + k, col = left + tx;  //: row
        if (row < rows && col < cols) tile[k][tx] = x[row * cols + col];  //: fill
    }
    __syncthreads();  //: barrier
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {  //: each_k_after_barrier
        int row = top + tx, col = left + k;  //: col
        if (row < rows && col < cols) y[col * rows + row] = tile[tx][k];  //: store
    }  //: end
    // END SOLUTION
}
""")

# %%
with trying():
    y = np.zeros((3, 2), np.float32)
    Kernel(transpose_tiled.text, "transpose_tiled")((1, 1), (32, 8), (x, y, 2, 3))
    print(y)

# %% check="transpose_tiled"
check(transpose_tiled)

# %% [markdown] task="bench"
# ## A timer
#
# A launch returns at once, long before the kernel is done. If you read the clock right
# before and right after it, you only measure the launch. Write `bench(run, device)`,
# which returns how long the work takes:
#
# - Don't time the first calls, which compile the kernel, fill the caches, and bring the
#   GPU up to full speed.
# - Return the **median**, because a single disturbed call can move a mean a lot.
# - When a timed call begins, no earlier work may be left, and when you read the time at
#   its end, its work must be done.
#
# You can use the clock, or events, which the device itself records:
#
#     start, stop = device.event(), device.event()
#     start.record()
#     run()
#     stop.record()
#     stop.synchronize()
#     start.elapsed_time(stop)
#
# The check has its own device, whose kernels take known times.

# %%
times = [0.0214, 0.0003, 0.0002, 0.0002, 0.0002, 0.0031, 0.0002]
warm = times[1:]
print(f"mean of all {np.mean(times):.4f}, mean of the warm {np.mean(warm):.4f}, "
      f"their median {np.median(warm):.4f}")  # fmt: skip

# %% [markdown] hints="bench"
# <details><summary>Hint 1</summary>
#
# There are two loops, and the first only calls `run()`. In the second, what must be
# true before you read the clock for the first time, and what before you read it again?
#
# </details>
# <details><summary>Hint 2</summary>
#
# With the clock, each timed call has five steps: wait, read the clock, run, wait, and
# read the clock again. Collect the differences in a list. `statistics.median` takes a
# list, and so does `np.median`.
#
# </details>


# %% exercise="bench"
@solves(bench)
def bench(run, device, warmup=3, repeat=20):  #: head
    ### BEGIN SOLUTION
    for _ in range(warmup):  #: warmup_loop
        run()  #: warmup_run
    times = []  #: times
    for _ in range(repeat):  #: repeat_loop
        device.synchronize()  #: synchronize
        start = device.clock()  #: start
        run()  #: timed_run
        device.synchronize()  #: synchronize_device
        times.append(device.clock() - start)  #: append
    return float(np.median(times))  #: result
    ### END SOLUTION


# %%
from minigrad import to_device
from minigrad.kernels.stopwatch import Stopwatch

with trying():
    x, y = (to_device(np.zeros(2**20, np.float32)) for _ in range(2))
    copy = Kernel(coalesced_copy.text, "coalesced_copy")
    seconds = bench(lambda: copy(1024, 256, (x, y, x.size)), Stopwatch(), repeat=5)
    print(f"{2 * x.nbytes / seconds / 1e9:.3g} GB/s")

# %% check="bench"
check(bench)

# %% [markdown] task="test_block_sum"
# ## A test for kernels with barriers
#
# A kernel without its barriers may give correct values here and incorrect ones on a
# GPU. So a test for such a kernel checks two things: the values, and what the
# simulator's tools find.
#
# Write `test_block_sum`, a test for kernels such as `block_sum`. It launches the kernel
# that it's passed, compares the sums, and raises an error if something is wrong (use
# `assert`). You may call `kernel.check`. The check runs your test on correct kernels,
# which it must accept, and on incorrect ones with mistakes that are easy to make in
# this lab, which it must reject.

# %%
two = """
__global__ void two(int* y) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = s[63 - threadIdx.x];
}
"""
print(*Kernel(two, "two").check(1, 64, (np.zeros(64, np.int32),)).findings)

# %% [markdown] hints="test_block_sum"
# <details><summary>Hint 1</summary>
#
# Which launches would reveal a missing step of the tree, a fixed number instead of
# `blockDim.x`, blocks that aren't full, and a sum that's added to what was there?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Try several combinations of n, block size, and number of blocks. Include an n that's
# no multiple of the block size, and blocks without any element. First,
# `kernel.check(...).findings` must be empty. Then launch the kernel, and compare its
# sums with NumPy's: pad x with zeros, reshape it to one row per block, and sum each
# row.
#
# </details>


# %% exercise="test_block_sum"
@solves(test_block_sum)
def test_block_sum(kernel):
    ### BEGIN SOLUTION
    for n, size, blocks in [(1000, 256, 4), (37, 32, 3), (64, 64, 1), (500, 128, 5)]:
        x = np.arange(1, n + 1, dtype=np.float32)
        sums = np.full(blocks, -1, np.float32)  #: sums
        found = kernel.check(blocks, size, (x, sums, n)).findings
        assert not found, found  #: assert_found
        kernel(blocks, size, (x, sums, n))
        whole = np.zeros(blocks * size, np.float32)
        whole[:n] = x
        expected = whole.reshape(blocks, size).sum(1)
        #: assert_sums
        assert np.array_equal(sums, expected), f"n = {n}, blocks of {size}: {sums}"
    ### END SOLUTION


# %%
with trying():
    test_block_sum(Kernel(block_sum.text, "block_sum"))
    print("Your block_sum passes your test.")

# %% check="test_block_sum"
check(test_block_sum)
