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
# Seven exercises, about {{duration}} of work: five kernels, a timer, and a test. Three
# of the kernels let the threads of a block work together through shared memory, and two
# move data as fast as the memory allows. The timer is what you will measure with for
# the rest of the course.
#
# Kernels are written in CUDA C, in a string. Without a GPU they run in the course's
# simulator, and nothing in this notebook changes.
#
# A `check` runs your kernel in the simulator, with all its tools. It wants three
# things:
#
# - the right values,
# - no finding: **a race is wrong, even where the values happen to be right**,
# - in exercises 4 and 5, few memory transactions.
#
# Where a GPU is, the kernel runs there as well, and in exercises 4 and 5 its bandwidth
# is measured. Elsewhere that part is not graded, and costs nothing.
#
# Above the cell of an answer stands its contract: it says all that is tested. An answer
# leaves what it is given as it was, unless that says otherwise. Put your code in the
# place of `// YOUR CODE HERE`, run the cell, and check as often as you like. The
# lesson has the pictures.

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
# Each block turns its own elements round. With blocks of 4, and 6 elements:
#
# > x = 0 1 2 3 | 4 5
# >
# > y = 3 2 1 0 | 5 4
#
# The last block has only two elements here, and reverses those two.
#
# Let the block do it in two steps, by way of an array in shared memory:
#
# 1. every thread reads its element of `x` and puts it into shared memory,
# 2. every thread takes another's element out, and writes it to its own place in `y`.
#
# Between the two, all threads of the block must have done the first. An array of 256
# floats is large enough.

# %%
x = np.arange(6, dtype=np.float32)
first, last = x[:4], x[4:]
print(x, "->", np.concatenate([first[::-1], last[::-1]]))

# %% [markdown] hints="shared_reverse"
# <details><summary>Hint 1</summary>
#
# Begin with two numbers: `first`, where the block's elements begin, and `count`, how
# many there are: `blockDim.x`, or `n - first` if that is less. (`blockDim.x` is
# unsigned: compare `(int)blockDim.x`, since `n - first` may be below 0.)
#
# </details>
# <details><summary>Hint 2</summary>
#
# `if (tid < count) tile[tid] = x[first + tid];` is the first step. Then comes
# `__syncthreads();` on a line of its own: outside of every `if`, because all threads of
# the block must come to it. In the second step thread 0 takes what thread `count - 1`
# has put there.
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
# One thread could do it alone, in 255 additions one after the other. A tree needs 8
# steps for 256 elements: in each step the first half of what is left adds the second
# half to itself.
#
# > 3 1 4 1 5 9 2 6 → 8 10 6 7 → 14 17 → 31
#
# (3 + 5, 1 + 9, 4 + 2, 1 + 6, and so on.)
#
# Threads past the end of `x` must not read it, and what they add is 0. Why no atomics?
# Additions in an order that changes from run to run give sums that do, too.

# %%
cells = [3, 1, 4, 1, 5, 9, 2, 6]
while len(cells) > 1:
    half = len(cells) // 2
    cells = [cells[i] + cells[i + half] for i in range(half)]
    print(cells)

# %% [markdown] hints="block_sum"
# <details><summary>Hint 1</summary>
#
# First let every thread put one number into shared memory: its element, or 0. Then a
# loop over `half`: 128, 64, ..., 1 for 256 threads. In each step the threads below
# `half` do something, and the others nothing.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `for (int half = blockDim.x / 2; half > 0; half /= 2)`, and inside a barrier, then
# `if (tid < half) partial[tid] += partial[tid + half];`. The barrier stands in the
# loop, and not in the `if`. At the end thread 0 has the sum.
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
# ## Mend a kernel
#
# The kernel in the next cell makes running totals, block by block: `y[i]` is the sum of
# the block's elements up to and with `x[i]`. In step d = 1, 2, 4, ... every thread adds
# the cell d places before its own:
#
# > 1 1 1 1 1 → 1 2 2 2 2 → 1 2 3 4 4 → 1 2 3 4 5
#
# Run it: the simulator gives the right totals. Its author tried it there, was content,
# and got wrong numbers on a GPU, other ones each time. Read what the tools find. Which
# thread may write a cell while another still has to read it?
#
# Copy the kernel into the cell of the answer, and mend it there. You need no new idea:
# put the steps in order. (`condition ? one : other` is C's `one if condition else
# other`.)

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
# `total[tid] += total[tid - d]` is two things: a read of another thread's cell, and a
# write of one's own. Thread 5 writes cell 5; in the same step thread 6 reads it. Is it
# the old value or the new one that thread 6 should get?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Keep the value that was read in a variable of the thread's own. Then there are three
# parts: all read; a barrier; all write. And before the next step, a barrier again. Both
# barriers stand outside of every `if`.
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
# ## A copy that the memory likes
#
# The kernel in the next cell copies an array with fewer threads than elements. Each
# thread has a piece of its own, one element after the other, as one would do it on a
# CPU. It is right, and slow: on an {{memory/single | copy with a piece | GPU}} it
# reaches {{memory/single | copy with a piece | m}} GB/s.
#
# Look at one instruction of one warp: its 32 threads read 32 addresses that lie far
# apart, each in a sector of its own. The memory brings 32 sectors of 32 bytes, 1024
# bytes, for the 128 that are used.
#
# Write the copy so that the threads of a warp read elements that lie side by side.
# Which elements a thread copies is up to you. The same loop, re-indexed, reaches about
# {{memory/single | copy with a grid | m}} GB/s there.

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
# Which element should thread 1 copy while thread 0 copies element 0? And when all
# threads have copied one element each, where does the next round begin?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Thread `tid` takes the elements `tid`, `tid + threads`, `tid + 2 * threads`, ..., as
# long as they are below n. It is the grid-stride loop of chapter 01.
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
# ## Transpose, in tiles
#
# `y[col, row] = x[row, col]`. Done element by element, either the reads or the writes
# run down a column, and each touches a sector of its own. On a GPU that reaches
# {{memory/transposes | element | GB}} GB/s, of the
# {{memory/transposes | a plain copy | GB}} that a plain copy reaches.
#
# So let a block fetch a tile of 32 × 32 elements into shared memory, reading rows, and
# write the rows of the transposed tile, which are columns of the tile: both global
# sides are in order, and the turning happens in shared memory.
#
# - Each thread deals with several rows of the tile: `threadIdx.y`, `threadIdx.y +
#   blockDim.y`, ...
# - Tiles at the right and lower edge reach beyond the matrix: 33 × 65 is a good test.
# - A column of `float tile[32][32]` lies in one bank: 32 threads that read it must
#   wait for each other. One more column changes that.
#
# Row is y, column is x: `blockIdx.y` counts the tiles of x downwards.

# %%
x = np.arange(6, dtype=np.float32).reshape(2, 3)
print(x, "->", x.T, sep="\n")

# %% [markdown] hints="transpose_tiled"
# <details><summary>Hint 1</summary>
#
# Two loops over the rows of the tile, with a barrier between them. In the first, k is a
# row of the tile of `x`: row `blockIdx.y * 32 + k`, column `blockIdx.x * 32 +
# threadIdx.x`. In the second, k is a row of the tile of `y`: which row and column of
# `y` is that?
#
# </details>
# <details><summary>Hint 2</summary>
#
# In `y`, the rows of the tile begin at `blockIdx.x * 32`, and its columns at
# `blockIdx.y * 32`. There `threadIdx.x` runs along the column number again, so that
# neighbors write neighbors; y has `cols` rows of `rows` elements. The guard is about
# these numbers, not about those of the first loop.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `tile[k][threadIdx.x]` goes in, `tile[threadIdx.x][k]` comes out. With `float
# tile[32][33]`, cells under each other lie in different banks.
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
# A launch returns at once, long before the kernel has ended. To read the clock before
# and after it is to measure how long the launch takes. `bench(run, device)` shall say
# how long the work takes:
#
# - The first calls are not timed: compiling, filling caches and waking the clock are
#   not what we ask about.
# - The result is a **median**. A mean would be moved by one call that was disturbed.
# - When a timed call begins, nothing may be left to do from before; when you read the
#   time at its end, its work must be done.
#
# You may use the clock, or events, which the device itself stamps with the time:
#
#     start, stop = device.event(), device.event()
#     start.record()
#     run()
#     stop.record()
#     stop.synchronize()
#     start.elapsed_time(stop)
#
# The check has a device of its own, whose kernels take times that are known.

# %%
times = [0.0214, 0.0003, 0.0002, 0.0002, 0.0002, 0.0031, 0.0002]
warm = times[1:]
print(f"mean of all {np.mean(times):.4f}, mean of the warm {np.mean(warm):.4f}, "
      f"their median {np.median(warm):.4f}")  # fmt: skip

# %% [markdown] hints="bench"
# <details><summary>Hint 1</summary>
#
# Two loops. The first only calls run(). In the second, think of what must stand before
# the first reading of the clock, and what between run() and the second.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With the clock: synchronize, read, run, synchronize, read; the difference goes into a
# list. `statistics.median` takes the list.
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
# ## A test for a kernel with barriers
#
# A kernel without its barriers may give the right values here, and others on a GPU. So
# a test of such a kernel looks at two things: the values, and what the simulator's
# tools find.
#
# Write a test for kernels such as `block_sum`. A test launches what it is given,
# compares, and raises an error, an AssertionError by `assert`, where something is
# wrong. The check gives it right kernels, which it must let pass, and wrong ones, which
# it must not: mistakes that learners of this lab really make.

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
# Which sizes would show each of these: a step of the tree that is missing, a literal
# for `blockDim.x`, blocks that are not full, a sum that is added to what was there?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through several (n, block, blocks), with n no multiple of the block, and blocks
# without any element. `kernel.check(...)` must have no findings; after `kernel(...)`
# the sums are those of `x`, filled up with zeros, in rows of a block each.
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
    print("your block_sum passes")

# %% check="test_block_sum"
check(test_block_sum)
