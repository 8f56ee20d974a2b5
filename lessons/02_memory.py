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
# # 02 · Memory, part 1: races and barriers
#
# The threads of a block share memory, so they can work together, but one thread may
# read what another hasn't written yet. Such a bug is called a race, and it often gives
# correct values on your machine and incorrect ones on another. In this lesson, you'll
# build a block in plain Python to see where races come from, and then use tools that
# find a race even if every value is correct. Part 2 is about speed.
#
# This lesson takes about {{duration}} and builds on chapter 01. Run each code cell as
# you reach it, but if the text asks you to predict something, write your guess down
# first. Each **puzzle** asks you to change a single line. Nothing here needs a GPU,
# because kernels run in our simulator, which shows you more than a GPU would.
# All measured numbers in both parts are from an {{memory/wrong | 1 | GPU}}.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import random

import numpy as np

from grading import trying
from minigrad import Kernel, viz

# %% [markdown]
# ## Where data is stored
#
# A GPU has more than one memory. The nearer a memory is to the threads, the faster it
# is. But the fast memories are small, so each thread gets very little of them. (A cycle
# is one tick of the GPU's clock, about half a nanosecond.)

# %%
viz.pyramid("H100")

# %% [markdown]
# - **Registers** hold a thread's own variables, which no other thread can see.
# - **Shared memory** belongs to a block. Only the block's threads can see it, and it's
#   gone when the block ends.
# - The **L1 cache** uses the same hardware as shared memory, and it keeps what the
#   multiprocessor (SM) has read recently.
# - The **L2 cache** is shared by all SMs.
# - Your arrays are in device memory, which is also called **global memory**, because
#   all threads of all kernels can see it.
# - **Constant memory** is 64 KB of device memory that kernels can only read. Its cache
#   delivers one value to all threads of a warp at once.
#
# The hardware decides what the caches hold, but what's in shared memory is up to you.
#
# An SM has 65,536 registers of 4 bytes, and it can hold up to 2,048 threads at a time.
# **Predict** how many registers each thread gets if the SM is full, and how many bytes
# of the 228 KB of shared memory.
#
# <details><summary>Answer</summary>
#
# Each thread gets {{=32}} registers and {{=114}} bytes.
#
# </details>

# %%
print(65536 // 2048, "registers and", 228 * 1024 // 2048, "bytes per thread")

# %% [markdown]
# That isn't much, so kernels fetch a small piece of their data, use it as often as
# possible, and then fetch the next.
#
# ## A block, in plain Python
#
# To see what can go wrong, we'll build a block whose threads are **generators**. A
# generator is a function that pauses at each `yield` and continues there when we call
# `next` on it. When it returns, `next(t, "end")` gives us `"end"`.
#
# Our `yield` is the **barrier**, where a thread waits until all other threads of the
# block have reached it. In each round, every thread runs to its next barrier. If some
# threads wait there but the rest have ended, the wait would never end, so we raise an
# error.


# %%
def run_block(kernel, order, n, *args):
    """Run n threads, each up to its next barrier, in the order that `order` returns."""
    shared = ["?"] * n  # not written yet
    threads = [kernel(tid, n, shared, *args) for tid in range(n)]
    while threads:
        waiting = [t for t in order(threads) if next(t, "end") != "end"]
        if 0 < len(waiting) < len(threads):
            raise RuntimeError(f"{len(waiting)} threads wait, but the rest have ended")
        threads = [t for t in threads if t in waiting]


# %% [markdown]
# Our first kernel rotates a word by one letter to the left. Each thread puts its letter
# into shared memory. After the barrier, it takes its right neighbor's letter, and
# thread n − 1 takes the first one.


# %%
def rotate(tid, n, shared, x, y):
    shared[tid] = x[tid]
    yield  # the barrier
    y[tid] = shared[(tid + 1) % n]


# %% [markdown]
# A GPU promises no order, so we try three, and the result is {{=always
# correct|treams}}.


# %%
def shuffled(threads):
    return random.sample(threads, len(threads))


for order in list, reversed, shuffled:
    y = [" "] * 6
    run_block(rotate, order, 6, "stream", y)
    print("".join(y))

# %% [markdown]
# **Puzzle 1: swap.** Change the line so that neighbors swap their letters, and `stream`
# becomes `tserma`.


# %%
def swap(tid, n, shared, x, y):
    shared[tid] = x[tid]
    yield
    y[tid] = shared[(tid + 1) % n]  # your line


# %%
run_block(swap, shuffled, 6, "stream", y)
print("".join(y), "solved:", y == [*"tserma"])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Even threads take the letter to their right, and odd threads take the one to their
# left. Each thread reads a letter that another one wrote, so the barrier is still
# needed. (`shared[tid ^ 1]` does the same, because `^ 1` changes the last bit.)
#
# ```python
# y[tid] = shared[tid + 1 if tid % 2 == 0 else tid - 1]
# ```
#
# </details>

# %% [markdown]
# ### Break it: the barrier is too late
#
# Now the barrier comes after the read. **Predict** the words if the threads run in
# order, and if they run backward.


# %%
def rotate_late(tid, n, shared, x, y):
    shared[tid] = x[tid]
    y[tid] = shared[(tid + 1) % n]
    yield


for order in list, reversed, shuffled, shuffled:
    y = [" "] * 6
    run_block(rotate_late, order, 6, "stream", y)
    print("".join(y))

# %% [markdown]
# <details><summary>Answer</summary>
#
# In order, threads 0 to 4 read before their neighbor writes. Only thread 5 {{=gets its
# letter|?????s}}, because thread 0 has already run. Backward, all but thread 5 {{=get
# theirs|tream?}}, and if we shuffle, the word is different each time.
#
# </details>

# %% [markdown]
# This kernel has a **race**. Two threads use the same cell, at least one of them
# writes, and nothing decides which comes first. The race is in the program, so it's
# there even in a run whose letters are all correct.
#
# **Puzzle 2: find the order.** `threads` is the list of all threads in order of their
# numbers, and `order` returns them in the order in which they run. Change the line so
# that `rotate_late` writes `t?e?m?`.


# %%
def order(threads):
    return threads[::-1]  # your line


# %%
y = [" "] * 6
run_block(rotate_late, order, 6, "stream", y)
print("".join(y), "solved:", y == [*"t?e?m?"])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Threads 0, 2, and 4 must get their neighbor's letter, so threads 1, 3, and 5 have to
# run before them.
#
# ```python
# return threads[1::2] + threads[::2]
# ```
#
# </details>

# %% [markdown]
# > **The rule.** There must be a barrier between a write and another thread's access to
# > the same cell.
#
# ### Break it: a barrier that some threads don't reach
#
# A barrier waits for **all** threads of the block, but here, only the first half
# reaches it.


# %%
def half_waits(tid, n, shared, x, y):
    shared[tid] = x[tid]
    if tid < n // 2:
        yield
    y[tid] = shared[(tid + 1) % n]


with trying():
    run_block(half_waits, list, 6, "stream", y)

# %% [markdown]
# A GPU raises no error, but the kernel may hang, or half of the block may continue
# without the other half. So don't put a barrier inside an `if` whose condition differs
# between the threads of a block.
#
# ## The same in CUDA C
#
# `__shared__` declares an array in shared memory, and `__syncthreads()` is the barrier.
# Here, the size of the array is part of the source. (If you write `extern __shared__
# float tile[];` instead, the size in bytes comes from the launch: `kernel(grid, block,
# args, shared_mem=1024)`.)

# %%
source = r"""
__global__ void rotate(const float* x, float* y, int n) {
    __shared__ float tile[256];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;

    tile[tid] = x[i];
    __syncthreads();
    y[i] = tile[(tid + 1) % blockDim.x];
}
"""
rotate = Kernel(source, "rotate")

# %% [markdown]
# We pass NumPy arrays, so the launch runs in the simulator. With two blocks of 256
# threads, each block {{=rotates its own elements|[255. 0. 257. 258.]}}. Because n is a
# multiple of 256, the kernel needs no guard.

# %%
n = 512
x = np.arange(n, dtype=np.float32)
y = np.zeros(n, np.float32)
rotate(2, 256, (x, y, n))
print(y[:4], y[254:258], y[-2:])

# %% [markdown]
# `check` takes the same arguments and reports what the tools find.

# %%
print(rotate.check(2, 256, (x, y, n)))

# %% [markdown]
# In the next picture, each row is a warp, time runs to the right, and the thick line is
# the barrier, where all warps of a block meet.

# %%
viz.timeline(rotate, 2, 256, (x, y, n))

# %% [markdown]
# With blocks of 16 threads, you can also follow each thread step by step. Press *Next*.

# %%
small = Kernel(source.replace("256", "16"), "rotate")
viz.step(small, 2, 16, (x[:32].copy(), np.zeros(32, np.float32), 32))

# %% [markdown]
# ### Break it: no barrier
#
# Now we take the barrier out. The simulator runs all threads of a block in lockstep, so
# all of them finish an instruction before any of them begins the next. **Predict**
# whether any element is incorrect.

# %%
racy = Kernel(source.replace("__syncthreads();", ""), "rotate")
z = np.zeros(n, np.float32)
racy(2, 256, (x, z, n))
print((z != y).sum(), "are incorrect")

# %% [markdown]
# <details><summary>Answer</summary>
#
# You'd expect the kernel to fail, but {{=every element is correct|0 are incorrect}},
# because all threads write before any of them reads. A GPU doesn't promise that.
#
# </details>

# %% [markdown]
# On the H100, we launched 4,096 such blocks three times. Of 1,048,576 elements,
# {{memory/wrong | 1 | wrong}} were incorrect the first time,
# {{memory/wrong | 2 | wrong}} the second, and
# {{memory/wrong | 3 | wrong}} the third. Different elements were incorrect each time.
#
# So instead of relying on the values, ask the tools, which name {{=the line, the cell,
# and both threads|race in rotate}}.

# %%
report = racy.check(2, 256, (x, y, n))
print(report)

# %% [markdown]
# Every thread reads a cell that another one writes. The report names thread 31, whose
# neighbor is in the next warp, and says how many other threads race too.
#
# With `schedule="warps"`, the warps run one after the other in a random order that
# depends on `seed`, and each runs until it reaches a barrier or ends. We let thread 31
# print what it reads.

# %%
shown = source.replace("__syncthreads();", "").replace(
    "y[i] =", 'if (tid == 31) printf("%.0f ", tile[32]);\n    y[i] ='
)
for seed in range(4):
    report = Kernel(shown, "rotate").check(
        2, 256, (x, y, n), schedule="warps", seed=seed
    )
    print(report.output)

# %% [markdown]
# Thread 31 should read {{=32}} in block 0 and {{=288}} in block 1. If the next warp
# hasn't run yet, thread 31 reads whatever was in the cell. The simulator fills shared
# memory with `{{=nan}}` so that you notice, but a GPU leaves old numbers there.
#
# The tools also find {{=a barrier in an `if`|divergent-barrier}}.

# %%
diverging = source.replace("__syncthreads();", "if (tid < 128) __syncthreads();")
print(Kernel(diverging, "rotate").check(2, 256, (x, y, n)))

# %% [markdown]
# A thread that has *ended* is a special case. On GPUs since 2017 and in the simulator
# (but not in our `run_block`), a barrier waits only for threads that haven't ended, so
# a thread may return early. But then it can't fill its cell of shared memory or do its
# share after the barrier, so let a thread return only if no other thread still needs
# it.
#
# **Puzzle 3: everyone in step.** `shift` moves its elements to the right by `by`
# positions, one per step, and zeros follow from the left. Thread 0 has no left
# neighbor, so the kernel's author lets it skip the loop. Run both cells, read what the
# simulator says, and change the line.

# %%
shift_source = r"""
__global__ void shift(float* x, int by) {
    __shared__ float tile[64];
    int tid = threadIdx.x;  tile[tid] = x[tid];
    for (int k = 0; tid > 0 && k < by; k++) {  // your line
        __syncthreads();
        float left = tid > 0 ? tile[tid - 1] : 0.0f;
        __syncthreads();
        tile[tid] = left;
    }
    x[tid] = tile[tid];
}
"""

# %%
launch = 1, 64, (np.arange(1, 65, dtype=np.float32), 3)
report = Kernel(shift_source, "shift").check(*launch)
print(report)
print("solved:", not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# All threads must run the loop the same number of times, and thread 0 may take part,
# because the line with `left` already handles it.
#
# ```c
# for (int k = 0; k < by; k++) {
# ```
#
# </details>

# %% [markdown]
# ### Two barriers
#
# You also need a barrier between a read and the *next* write, as in this kernel, which
# reuses its tile for each piece of x.
#
# **Puzzle 4: make them wait.** The author has put a barrier at the end of the loop, but
# `__syncwarp()` only waits for the threads of a warp. Which two lines race, and what
# has to replace the marked line? Change that line before you run the second cell.

# %%
pieces_source = r"""
__global__ void rotate_pieces(const float* x, float* y, int pieces) {
    __shared__ float tile[256];
    int tid = threadIdx.x;
    for (int k = 0; k < pieces; k++) {
        tile[tid] = x[k * 256 + tid];
        __syncthreads();
        y[k * 256 + tid] = tile[(tid + 1) % 256];
        __syncwarp();  // your line
    }
}
"""

# %%
report = Kernel(pieces_source, "rotate_pieces").check(1, 256, (x, y, 2))
print(report)
print("solved:", not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# In {{=line 6}}, a fast warp begins the next round and overwrites cells that a slow
# warp still has to read in {{=line 8}}, which is called a *write-after-read* hazard.
# The reader and the writer can be in different warps, so the whole block has to wait.
#
# ```c
# __syncthreads();
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`shared_reverse`) and exercise 3 (`fix_the_race`).
#
# ## Between blocks there's no barrier
#
# `__syncthreads()` only waits for the threads of one block. Blocks run in any order,
# maybe even one after the other. So a block can't wait for another one, because that
# block might not even start until the first one has ended. Here, block 1 reads what
# block 0 writes, and the tools {{=find that too|which thread 0 of block 0 wrote}}.

# %%
source = r"""
__global__ void chain(float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = i;
    __syncthreads();
    if (blockIdx.x == 1) y[i] += y[i - 32];
}
"""
print(Kernel(source, "chain").check(2, 32, (y,)))

# %% [markdown]
# The way out is a second kernel. The device has queues, called **streams**, and the
# kernels of a stream run one after the other, so the end of a kernel is a barrier for
# all of its blocks. The **next kernel** can read everything that they wrote.
#
# ## Many threads, one number: the tree
#
# How can the threads of a block find the maximum of their numbers together? They use a
# tree, in which each step begins with a barrier. Then half of the remaining threads
# compare two cells each.


# %%
def largest(tid, n, shared, x, y):
    shared[tid] = x[tid]
    width = n  # how many cells still matter
    while width > 1:
        half = width // 2
        yield
        if tid < half:
            shared[tid] = max(shared[tid], shared[tid + half])
        width = half
    if tid == 0:
        y[0] = shared[0]


# %% [markdown]
# Eight numbers take {{=three steps|then 5 9 4 6; then 5 9; then 9}}, in which fewer and
# fewer threads have work, but all of them reach each barrier.

# %%
y, numbers = [None], [3, 1, 4, 1, 5, 9, 2, 6]
run_block(largest, shuffled, 8, numbers, y)
print(y)
viz.tree(numbers, max)

# %% [markdown]
# **Predict** how many steps 256 numbers take, and what `largest` finds among the six
# numbers 1, 1, 1, 1, 1, 7.
#
# <details><summary>Answer</summary>
#
# 256 numbers take {{=8}} steps, because 2 to the power of 8 is 256, while a single
# thread would need 255. Among the six numbers, `largest` finds {{=1|8 steps, [1]}}. The
# width goes from 6 to 3 to 1, and in the last step, nobody looks at cell 2, which holds
# the 7.
#
# </details>

# %%
run_block(largest, list, 6, [1, 1, 1, 1, 1, 7], y)
print(int(np.log2(256)), "steps,", y)

# %% [markdown]
# `largest` can miss a number if n isn't a power of two. That's one reason why the
# number of threads in a block usually is. If there are fewer elements than threads, the
# rest of the cells get a value that changes nothing, such as 0 for a sum or minus
# infinity for a maximum.
#
# **Puzzle 5: any width.** The guard of this version skips cells that no longer matter,
# so any `half` is safe. Change the line so that the tree works for every n.


# %%
def largest_of_any(tid, n, shared, x, y):
    shared[tid] = x[tid]
    width = n
    while width > 1:
        half = width // 2  # your line
        yield
        if tid < half and tid + half < width:
            shared[tid] = max(shared[tid], shared[tid + half])
        width = half
    if tid == 0:
        y[0] = shared[0]


# %%
found = []
for n in range(1, 20):
    run_block(largest_of_any, shuffled, n, [*range(n)], y)
    found.append(y[0])
print(found, "solved:", found == [*range(19)])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Round up, so that two cells remain if the width is 3. Thread 0 compares cells 0 and 2,
# and cell 1 has no partner, so it stays as it is.
#
# ```python
# half = (width + 1) // 2
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 2 (`block_sum`).
#
# ## Atomics
#
# Sometimes many threads must write to the same cell, for example to count how often
# each face of a die comes up. `counts[x[i]] += 1` is {{=a race|race in count}}, because
# two threads may both read 5 and both write 6.

# %%
source = r"""
__global__ void count(const int* x, int* counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) counts[x[i]] += 1;
}
"""
dice = np.random.default_rng(0).integers(0, 6, 1024, dtype=np.int32)
counts = np.zeros(6, np.int32)
print(Kernel(source, "count").check(4, 256, (dice, counts, 1024)))

# %% [markdown]
# `atomicAdd` reads, adds, and writes as a single operation that no other thread can
# interrupt, so it's **atomic**.

# %%
better = source.replace("counts[x[i]] += 1", "atomicAdd(&counts[x[i]], 1)")
atomic = Kernel(better, "count")
atomic(4, 256, (dice, counts, 1024))
print(counts, np.bincount(dice))
print(atomic.check(4, 256, (dice, counts, 1024)))

# %% [markdown]
# Atomics have a price, because threads that need the same cell must take turns. On the
# H100, it took {{memory/counts | atomic | 256}} to count 67 million numbers that have
# 256 different values, and
# {{memory/counts | atomic | one}} when all the numbers were the same.
#
# Atomics don't guarantee an order either, which doesn't matter for integers. But a sum
# of floats depends on its order, so its last bits can change from run to run.
#
# **Puzzle 6: count twice.** It's faster if each block counts in its own shared memory
# first, and then adds its counts to the total. That way, both cases above took only
# {{memory/counts | in shared | 256}}. But what's still wrong with the last line? Fix it
# before you run the second cell, which shows what the simulator thinks of it.

# %%
twice_source = r"""
__global__ void count_twice(const int* x, int* counts, int n) {
    __shared__ int own[6];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    if (tid < 6) own[tid] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&own[x[i]], 1);
    __syncthreads();
    if (tid < 6) counts[tid] += own[tid];  // your line
}
"""

# %%
report = Kernel(twice_source, "count_twice").check(4, 256, (dice, counts, 1024))
print(report)
print("solved:", not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Within a block, each of the six threads has its own cell, but thread 0 of every block
# writes to `counts[0]`, and nothing orders the blocks.
#
# ```c
# if (tid < 6) atomicAdd(&counts[tid], own[tid]);
# ```
#
# </details>

# %% [markdown]
# ## Before you go: two questions
#
# 1. A kernel returns correct values in a thousand runs. Is it free of races?
# 2. Each thread of a block reads `tile[0]`, and nobody writes to it after the last
#    barrier. Is that a race?
#
# <details><summary>Answers</summary>
#
# 1. You can't tell from the values. They only show that the orders you happened to get
#    did no harm, and another run may get a different order.
# 2. It isn't, because a race needs a write.
#
# </details>
