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
# # 02 · Memory: where data lies, and who may touch it when
#
# A GPU can compute far faster than it can fetch. An H200, a large GPU of NVIDIA's, does
# some 60 trillion float operations a second, and its memory, among the fastest there
# are, delivers about one trillion floats in that time. So most kernels spend their time
# on memory, and their author decides three things:
#
# - **where** data lies: in the host's memory, the device's, or a block's own;
# - **when** threads may read what others write: barriers and races;
# - **how** threads fetch: side by side, or each from somewhere else.
#
# At the end you can say whether a kernel has a race, count what its warps fetch, and
# measure it honestly. It takes about {{duration}}, and builds on chapter 01. Run each
# cell as you come to it; where you are asked to predict, write your guess down first.
# In lab 02 you write five kernels and a timer. Nothing here needs a GPU: kernels run in
# the course's simulator, which sees more than a GPU would show you. Speeds in the text
# were measured on one {{memory/single | slower | GPU}}; `docs/benchmarks/memory.md`
# names the day, the machine and the versions.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import random

import numpy as np

from grading import trying
from minigrad import Kernel, answers_from, gpu_available, to_device, to_host, viz
from minigrad.kernels.memory import bench
from minigrad.kernels.stopwatch import Stopwatch

# In this lesson the course's solutions answer the exercises of labs 01 and 02.
answers_from("solutions", before="03_strides")
print("GPU:", "yes" if gpu_available() else "none; kernels run in the simulator")

# %% [markdown]
# ## Two memories
#
# The processor that runs Python is the **host**; the GPU is the **device**. Each has a
# memory of its own, and a kernel reads and writes the device's alone. So a computation
# has three parts: data goes there, kernels run, results come back.

# %%
x = np.arange(8, dtype=np.float32)  # on the host
there = to_device(x)  # a copy in device memory
back = to_host(there)  # and a copy of that on the host
type(x), type(there), type(back)

# %% [markdown]
# On a GPU, `there` is a CuPy array. In the simulator device memory is NumPy arrays, but
# a copy is made all the same: what happens to one is not seen in the other.

# %%
there += 100
print(x)
print(to_host(there))

# %% [markdown]
# ### What a transfer costs
#
# Between the two memories lies a bus. Copies from host to device, over PCIe 5, and
# within the device:

# %%
from minigrad.testing import rates, series

kinds = "plain", "pinned", "within the device"
copies = {kind: series("memory/copies", kind) for kind in kinds}
for kind, (sizes, times) in copies.items():
    print(f"{kind}: 1 GB at {sizes[-1] / times[-1] / 1e3:.0f} GB/s")
viz.lines(copies, x="bytes", y="µs", log="xy")

# %% [markdown]
# Three things to see. A small copy costs what its beginning costs,
# {{memory/copies | 16 | plain}} µs: copy once, not element by element. **Pinned**
# memory, which the operating system has promised not to move, can be read by the GPU
# directly; PyTorch calls it `pin_memory()`. And within its own memory the device copies
# many times as fast as the bus can bring anything. What is on the device stays there,
# as long as kernels have use for it.
#
# Here is the same on your computer.

# %%
for n in 4, 2**12, 2**20, 2**24:
    x = np.ones(n, np.float32)
    seconds = bench(lambda x=x: to_device(x), Stopwatch(), repeat=5)
    speed = x.nbytes / seconds / 1e9
    print(f"{x.nbytes:>11,} bytes {1e6 * seconds:9.1f} us {speed:6.2f} GB/s")

# %% [markdown]
# ### The pyramid
#
# On the device, too, memory is either large or near. **Predict**: which is larger, the
# L2 cache or the registers of all multiprocessors (SM) together?

# %%
viz.pyramid("H200")

# %% [markdown]
# (Makers' figures; a cycle is a tick of the clock, half a nanosecond. "T4", "A100" and
# "H100" are there, too. On a T4 the registers are larger than the L2 cache. A kernel
# that does not ask for more gets at most 48 KB of shared memory for a block.)
#
# - **Registers** hold a thread's own variables: 65,536 of 32 bits in each SM, dealt out
#   to the threads that live there. No other thread sees them.
# - **Shared memory** belongs to a block. Its threads see it, and it is gone when the
#   block ends. (Since the GPUs of 2022, Hopper, blocks may form a *cluster* and read
#   each other's; this course does without.)
# - The **L1 cache** is what is left of the same memory: it keeps what the SM's threads
#   have read from device memory. The hardware decides what it holds.
# - The **L2 cache** is shared by all SMs. It works by itself, too; a program can give
#   it hints, and since the A100 set a part of it aside.
# - **Device memory**, also called **global memory**: all threads of all kernels see it,
#   and the arrays of this course lie there.
#
# How much is that for one thread of the 2048 that an SM holds?

# %%
sms, threads = 132, 2048  # H200
for name, kilobytes in ("registers", 256), ("shared memory", 228):
    each = kilobytes * 1024 / threads
    print(f"{name}: {sms * kilobytes / 1024:.0f} MB, {each:.0f} bytes a thread")

# %% [markdown]
# All shared memory of an H200 holds {{=a five-thousandth|shared memory: 29 MB}} of what
# its device memory does. That is why kernels work in tiles: fetch a small piece, use it
# often, fetch the next.
#
# And where does a thread's own array lie, if its registers cannot hold it? Two more
# names stand for parts of device memory. **Local memory** is a thread's own: variables
# go there that do not fit into its registers (they *spill*), and arrays with an index
# that the compiler does not know. It is as far away as all device memory. **Constant
# memory** is 64 KB that kernels can only read; its own small cache hands one word to
# all 32 threads of a warp at once, and is slow if they want different ones.
#
# ## A block, in plain Python
#
# Threads of a block can work together, because they share memory. To see what can go
# wrong we build a block in Python. A thread is a **generator**: a function that stops
# at each `yield`, and goes on from there when it is called again. Our `yield` is the
# **barrier**: here a thread waits until all others have come to it, too.


# %%
def run_block(kernel, order, n, *args):
    """Run n threads in this order, each one up to its next barrier."""
    shared = ["?"] * n  # not written yet: on a GPU it holds anything
    threads = [kernel(tid, n, shared, *args) for tid in range(n)]
    while threads:
        # next gives "end" where a thread has come to its end
        waiting = [t for t in order(threads) if next(t, "end") != "end"]
        if 0 < len(waiting) < len(threads):
            raise RuntimeError(f"{len(waiting)} threads wait, the others never come")
        threads = [t for t in threads if t in waiting]
    return shared


# %% [markdown]
# That is all: `order` says in which order the threads take turns. Our first kernel
# moves a word one place to the left, by way of shared memory. Every thread puts its
# letter in; then, after the barrier, it takes out its right neighbor's.


# %%
def rotate(tid, n, shared, x, y):
    shared[tid] = x[tid]
    yield  # the barrier
    y[tid] = shared[(tid + 1) % n]


# %% [markdown]
# Run it with the threads in order.

# %%
y = [" "] * 6
run_block(rotate, list, 6, "stream", y)
"".join(y)

# %% [markdown]
# A GPU promises no order. The result must be the same in any: backwards, or shuffled.


# %%
def shuffled(threads):
    return random.sample(threads, len(threads))


for order in list, reversed, shuffled:
    run_block(rotate, order, 6, "stream", y)
    print("".join(y))

# %% [markdown]
# ### Break it: the barrier comes too late
#
# We move the barrier after the second step. **Predict** what comes out in order, and
# what backwards.


# %%
def rotate_late(tid, n, shared, x, y):
    shared[tid] = x[tid]
    y[tid] = shared[(tid + 1) % n]
    yield


# %%
for order in list, reversed, shuffled, shuffled, shuffled:
    run_block(rotate_late, order, 6, "stream", y)
    print("".join(y))

# %% [markdown]
# In order, a thread reads what its neighbor has not written yet; {{=only the last
# one|?????s}} is lucky, because thread 0 was the first. Backwards it is the other way
# round: {{=all right but one|tream?}}. Shuffled, it is another word each time.
#
# That is a **race**: two threads use the same cell, at least one of them writes, and
# nothing says which comes first. It is a mistake of the program, not of one run: it is
# there, too, in a run whose letters all happen to be right.
#
# > **The rule.** Between a write and another thread's access to the same cell there
# > must be a barrier. Each cell is written by one thread between two barriers.
#
# ### Break it: a barrier that not all come to
#
# A barrier waits for **all** threads of the block. Let only the first half come to it.


# %%
def half_waits(tid, n, shared, x, y):
    shared[tid] = x[tid]
    if tid < n // 2:
        yield
    y[tid] = shared[(tid + 1) % n]


# %%
with trying():
    run_block(half_waits, list, 6, "stream", y)

# %% [markdown]
# A GPU by itself does not say so: the kernel may hang for ever, or go on as if nothing
# were wrong, with half of the block ahead. (`compute-sanitizer --tool synccheck` does
# say so.) So a barrier stands outside of every `if` whose condition differs between
# threads of a block.
#
# ## The same in CUDA C
#
# `__shared__` declares an array in shared memory, of a size that the text says.
# (`extern __shared__ float tile[];` leaves the size to the launch.) `__syncthreads()`
# is the barrier. `tid` is the thread's number in its block, `i` that of its element.

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
# Two blocks of 256: each {{=rotates its own|[255. 0. 257. 258.]}} 256 elements. (So n
# is a multiple of 256 here, and there is no tail to guard. In the lab there is.)

# %%
n = 512
x = np.arange(n, dtype=np.float32)
y = np.zeros(n, np.float32)
rotate(2, 256, (x, y, n))
print(y[:4], y[254:258], y[-2:])

# %% [markdown]
# `check` takes the same launch, runs it in the simulator under all its tools, and says
# what it has seen. Your arrays stay as they are.

# %%
print(rotate.check(2, 256, (x, y, n)))

# %% [markdown]
# Time runs to the right here. Each row is a warp, 32 threads that go together; the
# thick line is the barrier, where all of them meet.

# %%
viz.timeline(rotate, 2, 256, (x, y, n))

# %% [markdown]
# A smaller block, of 16 threads, can be watched step by step: which of them are active,
# and what they and the shared array hold. Press *Next*. (In a notebook that is only
# read, such as a web page, the picture stands still.)

# %%
small = Kernel(source.replace("256", "16"), "rotate")
viz.step(small, 2, 16, (x[:32].copy(), np.zeros(32, np.float32), 32))

# %% [markdown]
# ### Break it: no barrier
#
# We take the barrier out. **Predict**: is y wrong?

# %%
racy = Kernel(source.replace("__syncthreads();", ""), "rotate")
z = np.zeros(n, np.float32)
racy(2, 256, (x, z, n))
print((z != y).sum(), "are wrong")

# %% [markdown]
# The surprise: {{=all of them are right|0 are wrong}}! The simulator runs all threads
# of a block side by side, line by line: everyone writes, then everyone reads. No thread
# can be late. That is one of the orders that a GPU may choose, and a kind one.
#
# On that GPU, with 4096 such blocks, {{memory/wrong | 1 | wrong}} of 1,048,576 elements
# were wrong. In the next run it was {{memory/wrong | 2 | wrong}}, then
# {{memory/wrong | 3 | wrong}}. A test on two blocks might well have passed.
#
# So do not look at the values. Ask the tools.

# %%
report = racy.check(2, 256, (x, y, n))
print(report)

# %% [markdown]
# A finding names the line, the cell, and both threads. Drawn on the source:

# %%
viz.finding(report)

# %% [markdown]
# And in time: nothing makes a warp's read wait for another warp's write.

# %%
viz.timeline(racy, 2, 256, (x, y, n))

# %% [markdown]
# `report.findings` has the same as objects.

# %%
finding = report.findings[0]
finding.kind, finding.line, finding.block, finding.thread

# %% [markdown]
# And the wrong numbers? They can be had. `schedule="warps"` runs the warps one after
# the other, in an order drawn with `seed`, each as far as it gets: up to a barrier, or
# to the end. We let thread 31 print what it takes: its neighbor is in the next warp.

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
# Thread 31 takes what thread 32 should have put in: {{=32}} in block 0, {{=288}} in
# block 1. Where the second warp came later, it takes what was there before: in the
# simulator `{{=nan}}`, which it puts into shared memory at the beginning, so that it is
# not mistaken for data. On a GPU it would be some number that another block left there.
#
# ### The tools find a barrier in an `if`, too

# %%
diverging = source.replace("__syncthreads();", "if (tid < 128) __syncthreads();")
print(Kernel(diverging, "rotate").check(2, 256, (x, y, n)))

# %% [markdown]
# One thing is allowed that looks much the same. A thread that has **ended**, by
# `return`, is not waited for (on GPUs since 2017, compute capability 7.0). But its cell
# of shared memory stays unfilled, and others may need it: it is better to let all
# threads live until the last barrier, and to guard the accesses.
#
# ### Two barriers
#
# A barrier is needed not only between a write and the reads that follow. Say that a
# block uses its tile again and again, for one piece of x after the other.

# %%
source = r"""
__global__ void rotate_pieces(const float* x, float* y, int pieces) {
    __shared__ float tile[256];
    int tid = threadIdx.x;

    for (int k = 0; k < pieces; k++) {
        tile[tid] = x[k * 256 + tid];
        __syncthreads();
        y[k * 256 + tid] = tile[(tid + 1) % 256];
    }
}
"""
pieces = Kernel(source, "rotate_pieces")

# %% [markdown]
# There is a barrier between the write and the read. **Predict**: where is the race?
#
# <details><summary>Answer</summary>
#
# {{=The read of one round and the write of the next|line 7 of the next round comes
# after line 9}}. A fast warp comes to the next round and overwrites cells that a slow
# one has still to read. That is *write after read*; it needs a barrier as *read after
# write* does, at the end of the loop's body.
#
# </details>

# %%
print(pieces.check(1, 256, (x, y, 2)))

# %% [markdown]
# With a second barrier, at the end of the loop's body,
# {{=nothing is found|nothing found}}:

# %%
mended = source.replace("% 256];", "% 256];\n        __syncthreads();")
print(Kernel(mended, "rotate_pieces").check(1, 256, (x, y, 2)))

# %% [markdown]
# The same hides in one line: `s[tid] += s[tid - 1]` reads another's cell and writes its
# own, which yet another one reads. Two accesses, and no room for a barrier between
# them: it must become two statements.
#
# ### Between blocks there is no barrier
#
# `__syncthreads()` is for one block. Blocks run in any order, and perhaps not at the
# same time, so a block of an ordinary launch cannot wait for another: the other may not
# start before this one has ended. What all blocks have written can be read safely by
# the **next kernel**. The device has queues, called **streams**; kernels of one stream
# run one after the other, so the end of a kernel is the barrier for all its blocks.
# (Work in different streams may overlap. CuPy and PyTorch put everything into one
# stream unless you make another, and so does this course.)
#
# Here block 1 wants what block 0 writes. The tools watch
# {{=global memory|which thread 0 of block 0 wrote}} as well.

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
# **To the lab**: exercise 1 (`shared_reverse`).
#
# ## Many threads, one number: the tree
#
# How do 256 threads add 256 numbers? Not by `sum += x[tid]`: that reads and writes one
# cell, from all threads at once. As a tree, in plain Python; it finds the largest here,
# with the barrier before each step.


# %%
def largest(tid, n, shared, x, y):
    shared[tid] = x[tid]
    half = n // 2
    while half > 0:
        yield
        if tid < half:
            shared[tid] = max(shared[tid], shared[tid + half])
        half //= 2
    if tid == 0:
        y[0] = shared[0]


# %% [markdown]
# Eight numbers, {{=three steps|then 5 9 4 6; then 5 9; then 9}}. Half of the threads
# work in the first, then a quarter. The others do nothing, but they come to each
# barrier.

# %%
y, numbers = [None], [3, 1, 4, 1, 5, 9, 2, 6]
print(run_block(largest, shuffled, 8, numbers, y), y)
viz.tree(numbers, max)

# %% [markdown]
# For 256 elements it is 8 steps instead of 255. **Predict**: with which n does it go
# wrong?
#
# <details><summary>Answer</summary>
#
# Where n is odd on the way: 6 → 3 → 1. In the step from 3 to 1, cell 2 is
# {{=forgotten|[1]}}. So blocks have a power of two of threads, and where there are too
# few elements the other cells are filled with what changes nothing: 0 for a sum, minus
# infinity for the largest.
#
# </details>

# %%
run_block(largest, list, 6, [1, 1, 1, 1, 1, 7], y)
y

# %% [markdown]
# **To the lab**: exercise 2 (`block_sum`) and exercise 3 (`fix_the_race`).
#
# ### Atomics
#
# Sometimes threads must write the same cell: to count how often each value comes, for
# example. `counts[x[i]] += 1` is {{=a race|race in count}}: two threads read 5, both
# write 6, and one is lost. `atomicAdd(&counts[x[i]], 1)` does read, addition and write
# as one thing that no other thread can come between: it is **atomic**. It promises no
# order; and threads that want the same cell queue for it. To count 67 million numbers
# took {{memory/counts | atomic | 256}} with 256 cells in global memory,
# {{memory/counts | atomic | one}} where all numbers were the same, and
# {{memory/counts | in shared | one}} in that case when each block counted in shared
# memory first. With floats the sum depends on the order, in its last bits, so it may
# differ from run to run.

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

# %%
better = source.replace("counts[x[i]] += 1", "atomicAdd(&counts[x[i]], 1)")
atomic = Kernel(better, "count")
atomic(4, 256, (dice, counts, 1024))
print(counts, np.bincount(dice))
print(atomic.check(4, 256, (dice, counts, 1024)))

# %% [markdown]
# ## How a warp fetches
#
# Threads do not fetch one by one. A warp, 32 threads, executes one load together, and
# the memory system sees one **request** with 32 addresses. It answers in **sectors** of
# 32 bytes: a thread that wants one float gets the seven others of its sector delivered,
# used or not. To count sectors is one line of Python.


# %%
def sectors(addresses):
    """How many sectors of 32 bytes hold these bytes."""
    return len({address // 32 for address in addresses})


# %% [markdown]
# Thread t reads element t · stride, of 4 bytes. **Predict** the number for strides 1,
# 2, 4, 8, 32 and 0.
#
# <details><summary>Answer</summary>
#
# {{=4}}, {{=8}}, {{=16}}, {{=32}}, {{=32}} and {{=1}}. From stride 8 on each thread
# needs a sector of its own; and with stride 0 all want the same one.
#
# </details>

# %%
for stride in 1, 2, 4, 8, 32, 0:
    print(f"stride {stride}:", sectors(4 * stride * t for t in range(32)), "sectors")

# %% [markdown]
# 128 bytes are wanted, and {{=4}} sectors are the fewest that hold them: that access is
# **coalesced**. With stride 8, 1024 bytes come for the same 128. The kernel that shows
# it, and what the simulator counts:

# %%
source = r"""
__global__ void copy_strided(const float* x, float* y, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) y[i] = x[i];
}
"""
strided = Kernel(source, "copy_strided")
n = 32 * 32
x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)

# %%
for stride in 1, 2, 4, 8, 32:
    counts = strided.check(1, 32, (x, y, n, stride)).counts
    print(
        f"stride {stride}: {counts['requests']} requests, {counts['sectors']} sectors"
    )

# %% [markdown]
# {{=Two}} requests: the warp's read and its write. The picture has the addresses of one
# access, and the sectors that they touch.

# %%
viz.access(strided, 1, 32, (x, y, n, 1))

# %%
viz.access(strided, 1, 32, (x, y, n, 4))

# %% [markdown]
# And does it cost what the count says? 8 million floats were copied with each stride:

# %%
strides, useful = series("memory/copy with a stride", "useful")
counted = [sectors(4 * stride * t for t in range(32)) for stride in strides]
viz.lines({
    "sectors for each request": {"counted": (strides, counted)},
    "GB/s of useful data": {"measured": (strides, useful)},
}, x="stride", log="xy")  # fmt: skip

# %% [markdown]
# Twice the sectors, half the speed, up to 8. (Beyond it things get worse although the
# count stays: device memory is opened in pages, and caches keep lines of 128 bytes. A
# count of sectors explains most, not all.)
#
# Now shift instead of stride: thread t reads element t + 1. **Predict** the sectors.

# %%
for shift in 0, 1, 4, 8:
    print(f"shift {shift}:", sectors(4 * (t + shift) for t in range(32)), "sectors")

# %% [markdown]
# {{=One more|shift 1: 5 sectors}}, unless the shift is
# {{=a whole number of sectors|shift 8: 4 sectors}}. That costs
# {{memory/single | slower | m}} of the time, since the neighboring warp wants that
# sector anyway, and finds it in the cache.
#
# ### Rows and columns
#
# Where do strides come from? From matrices. A matrix is stored row by row: neighbors
# in a row lie side by side, neighbors in a column a whole row apart. In a 2-D block,
# `threadIdx.x` runs fastest along a warp. So if x is the column, a warp reads a row:

# %%
source = r"""
__global__ void copy_2d(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.ROW * blockDim.ROW + threadIdx.ROW;
    int col = blockIdx.COL * blockDim.COL + threadIdx.COL;
    if (row < rows && col < cols) y[row * cols + col] = x[row * cols + col];
}
"""
x2, y2 = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
launch = (2, 8), (32, 8), (x2, y2, 64, 64)
by_rows = Kernel(source, "copy_2d", ("-DROW=y", "-DCOL=x"))
by_rows.check(*launch).counts["sectors"]

# %% [markdown]
# (`-DROW=y` lets the compiler read `y` where the text says `ROW`.) And if x and y
# change places? Every element is still copied, once, by one thread. **Predict** the
# factor.

# %%
by_columns = Kernel(source, "copy_2d", ("-DROW=x", "-DCOL=y"))
by_columns.check(*launch).counts["sectors"]

# %% [markdown]
# {{=8192}}, eight times as many. This is why *row is y, column is x* in this course,
# everywhere.
#
# The same in one dimension: a loop in which each thread has a piece of its own looks
# tidy, and is the worst there is. On a CPU it would be right: there one thread's
# neighbor in **time** should lie beside it, on a GPU its neighbor in the **warp**.
#
# **To the lab**: exercise 4 (`coalesced_copy`).
#
# ## A tile turns rows into columns
#
# A transpose must read rows and write columns, or the other way. One side is always
# strided:

# %%
source = r"""
__global__ void transpose(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
}
"""
naive = Kernel(source, "transpose")
report = naive.check(*launch)
for (line, column), counts in report.counts["lines"].items():
    if "sectors" in counts:
        print(f"{line}:{column}", counts["requests"], "requests,", end=" ")
        print(counts["sectors"], "sectors")

# %% [markdown]
# Line 5 has both, the read at column {{=58}} and the write at column {{=55}}: {{=4
# sectors|128 requests, 512 sectors}} for each request of the read, {{=32|128 requests,
# 4096 sectors}} for each of the write. On a GPU it reached
# {{memory/transposes | element | GB}} GB/s, where a plain copy reached
# {{memory/transposes | a plain copy | GB}}.
#
# The way out is shared memory. A block fetches a tile of 32 × 32 elements, row by row;
# then it writes the tile's **columns** as rows of y. Both global sides are coalesced,
# and only shared memory is read down a column. There, sectors do not exist. Something
# else does.
#
# ### Banks
#
# Shared memory is 32 **banks** of 4 bytes' width. Word 0 lies in bank 0, word 1 in bank
# 1, word 31 in bank 31, word 32 in bank 0 again. In one pass each bank delivers one
# word. If two threads of a warp want different words of one bank, there are two passes;
# if they want the same word, one will do.


# %%
def passes(words):
    """How many passes a warp's access to these words takes."""
    banks = [{word for word in words if word % 32 == bank} for bank in range(32)]
    return max(map(len, banks))


# %% [markdown]
# **Predict** the passes for strides 1, 2, 3, 4, 32, 33 and 0.
#
# <details><summary>Answer</summary>
#
# {{=1}}, {{=2}}, {{=1}}, {{=4}}, {{=32}}, {{=1}}, {{=1}}. Only what a stride has in
# common with 32 counts: odd strides visit all banks.
#
# </details>

# %%
for stride in 1, 2, 3, 4, 32, 33, 0:
    print(f"stride {stride}:", passes([stride * t for t in range(32)]), "passes")

# %% [markdown]
# On a GPU, the time of a loop that reads shared memory with each stride:

# %%
strides, times = series("memory/shared memory", "µs")
names = [f"stride {stride:.0f}" for stride in strides]
counted = [passes([stride * t for t in range(32)]) for stride in strides]
both = {"passes": counted, "µs": times}
viz.ranking({k: dict(zip(names, v, strict=True)) for k, v in both.items()})

# %% [markdown]
# The time is the number of passes, almost exactly. A column of `float tile[32][32]` has
# stride 32: {{=the worst of all|32 words in 1 bank, 32 passes}}. And the cure stands
# there, too: {{=33|[32][33]: 32 words in 32 banks, 1 pass}}. With one column more,
# which stays unused, each row begins one bank further on:

# %%
viz.bank_map((32, 32), (32, 33))

# %% [markdown]
# (`lanes=` draws any other access: try `lanes=lambda t: (0, t)`, a row.) The kernel; an
# array whose sizes stand in the text has rows and columns in C, too, row by row:

# %%
source = r"""
__global__ void columns(const float* x, float* y) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""

# %%
x2, y2 = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
launch = 1, (32, 32), (x2, y2)
plain = Kernel(source, "columns", ("-DWIDTH=32",))
padded = Kernel(source, "columns", ("-DWIDTH=33",))
for kernel in plain, padded:
    counts = kernel.check(*launch).counts
    print(counts["shared_requests"], "requests,", counts["bank_passes"], "passes")

# %% [markdown]
# 32 writes of one pass each, and {{=32 reads of 32 passes|1,024 passes for 32
# requests}}, {{=1056}} in all; with padding {{=all have one|64 requests, 64 passes}}.
# In the picture each column is a bank, and each row a pass:

# %%
viz.banks(plain, *launch)

# %%
viz.banks(padded, *launch)

# %% [markdown]
# The three transposes on a GPU, 16384 × 16384, blocks of 32 × 8 threads:

# %%
kernels = "element by element", "tile [32][32]", "tile [32][33]", "a plain copy"
viz.ranking({"GB/s": rates("memory/transposes", {k: k for k in kernels}, "GB")})

# %% [markdown]
# **To the lab**: exercise 5 (`transpose_tiled`).
#
# ## Waiting is hidden by other warps
#
# A load from device memory takes 500 cycles or more, and a warp that needs its value
# waits. The SM does not: each cycle it picks a warp that is ready. So what matters is
# not how long one load takes, but how many are on their way. **Predict**: how many
# warps must wait for a load at the same time, in each SM of an H200, to keep its
# memory busy?

# %%
seconds = 500 / 1.98e9  # of one load; an H200 does 1.98 billion cycles a second
in_flight = 4.8e12 * seconds  # bytes: what arrives in a second, times the seconds
print(f"{in_flight / 1e6:.1f} MB, {in_flight / 132 / 128:.0f} warps of 128 bytes each")

# %% [markdown]
# An SM holds 64 warps. So even a full one {{=does not quite do|72 warps of 128 bytes
# each}}, if each thread has one load on its way; and under load they take longer than
# 500 cycles. That is why a copy of one float a thread stays far below the data sheet,
# and why a loop of several independent loads a thread, or loads of 16 bytes (`float4`),
# come nearer to it.
#
# How many warps there are is the **occupancy**: the share of the 64 places that are
# taken. A block needs threads, registers and shared memory, and whichever an SM runs
# out of first is the limit.


# %%
def occupancy(threads, registers, shared):
    """Share of an H200's warps; registers a thread, bytes of shared memory a block."""
    warps = -(-threads // 32)
    limits = {"threads": 64 // warps, "registers": 65536 // (registers * 32 * warps),
              "shared memory": 228 * 1024 // (shared + 1024), "blocks": 32}  # fmt: skip
    limit = min(limits, key=limits.get)
    return limits[limit] * warps / 64, limit


# %% [markdown]
# (1 KB of shared memory a block is the system's.) **Predict** the four shares.

# %%
for block in (256, 32, 0), (256, 128, 0), (256, 32, 48 * 1024), (32, 32, 0):
    share, limit = occupancy(*block)
    print(f"{block!s:16} {share:4.0%}, limited by {limit}")

# %% [markdown]
# High occupancy is a means, not an end: chapter 06 has a kernel of 128 registers a
# thread which is faster than those with more warps, because each of its threads has
# much independent work of its own.
#
# ## How long does it take?
#
# Numbers like those above are easy to get, and easy to get wrong. To launch a kernel is
# to put it into the device's queue: the call returns at once, and Python goes on while
# the GPU works. We build that in plain Python, with a clock that we move ourselves.


# %%
class ToyGPU:
    """Kernels take a millisecond, the first one twenty. Launching takes 5 us."""

    def __init__(self):
        self.now = self.done = 0.0  # the time; when the queue will be empty
        self.first = True

    def launch(self):
        self.now += 5e-6
        self.done = max(self.now, self.done) + (20e-3 if self.first else 1e-3)
        self.first = False

    def synchronize(self):
        self.now = max(self.now, self.done)


# %% [markdown]
# **Predict** the three numbers. The same kernel is timed three times, each time before
# and after its launch.

# %%
gpu = ToyGPU()
for _ in range(3):
    start = gpu.now
    gpu.launch()
    print(f"{1000 * (gpu.now - start):.3f} ms")

# %% [markdown]
# {{=0.005}} ms each: the time that it takes to ask. On a GPU, a copy that takes
# {{memory/single | a copy, with a | m}} "took" {{memory/single | a copy, without | m}}
# in this way. Wait, then, before you look at the clock:

# %%
gpu = ToyGPU()
for _ in range(3):
    start = gpu.now
    gpu.launch()
    gpu.synchronize()
    print(f"{1000 * (gpu.now - start):.3f} ms")

# %% [markdown]
# Better, but {{=the first one|20.005 ms}} is not like the others. It is compiled, its
# memory is allocated, clocks wake up: on a GPU the first call of a small kernel took
# {{memory/single | the first | m}} and a later one {{memory/single | a later | m}}. So
# a few runs go first that are not counted: the **warm-up**.
#
# And if one waits at the end only?

# %%
gpu = ToyGPU()
gpu.launch()  # the warm-up
start = gpu.now
gpu.launch()
gpu.synchronize()
print(f"{1000 * (gpu.now - start):.3f} ms")

# %% [markdown]
# {{=21}} ms: the warm-up was still running when the clock was started. Wait before,
# too.
#
# ### One number of many
#
# Times scatter, and mostly to one side: nothing makes a run faster than it can be, but
# another program, or a clock that is lowered, makes it slower. **Predict** mean and
# median of these.

# %%
times = [1.02, 1.00, 1.01, 1.03, 9.40]
print(f"mean {np.mean(times):.3f}, median {np.median(times):.3f}")

# %% [markdown]
# {{=The mean|mean 2.692}} is a time that never came up. The **median** is what one
# usually gets; the **minimum** is what is possible when nothing disturbs. Both are
# honest, for different questions: a table of what to expect gives the median, a
# comparison of two tiny pieces of code often the minimum. So the recipe is:
#
# 1. warm up;
# 2. wait, start the clock, run, wait, stop the clock; or let the device put stamps,
#    **events**, around the work in its own queue;
# 3. often, and take the median; look at the spread, too;
# 4. on the sizes that matter, and always say which.
#
# `minigrad.testing.bench` does that. Lab 02 has you write its heart, and `bench` in
# this notebook is that exercise. For memory one gives the **bandwidth**: bytes read and
# written, over the time. It can be compared with what the card can do.

# %%
from minigrad import testing

source = r"""
__global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""
copy = Kernel(source, "copy")

# %% [markdown]
# With a GPU you see its memory at work, without one the simulator's: NumPy on your
# processor. The launch is the same.

# %%
for n in 2**10, 2**16, 2**20, 2**22:
    x, y = (to_device(np.ones(n, np.float32)) for _ in range(2))
    launch = n // 256, 256, (x, y, n)
    timing = testing.bench(lambda launch=launch: copy(*launch), repeat=5)
    print(f"{n:>9,}  {timing}  {timing.bandwidth(8 * n):.1f} GB/s")

# %% [markdown]
# The same, as it was measured for this course:

# %%
sizes, times = series("memory/copy of one", "µs")
speeds = [8e-3 * n / time for n, time in zip(sizes, times, strict=True)]
print(f"the largest: {speeds[-1]:.0f} GB/s")
viz.lines({"µs": {"time": (sizes, times)}, "GB/s": {"rate": (sizes, speeds)}},
          x="n", log="xy")  # fmt: skip

# %% [markdown]
# **Shapes matter.** Where the line is flat, one measures the launch and nothing else:
# two kernels of very different quality look the same there. Up to about 2^22 floats, x
# and y fit into the L2 cache together, and what is measured is perhaps the cache. Only
# then is it the memory. (The grid-stride loop of lab 02 reached
# {{memory/single | copy with a grid | m}} GB/s, the driver's own copy
# {{memory/single | the driver | m}}.)
#
# ### Four wrong ways
#
# No wait before the clock is stopped; the first run counted; the mean of a few runs;
# one small size. **Predict**: what has been measured each time?
#
# <details><summary>Answers</summary>
#
# The launch; the compiler; another program; the launch again, or the cache.
#
# </details>

# %% [markdown]
# **To the lab**: exercise 6 (`bench`).
#
# ## When a GPU complains
#
# In the simulator a mistake stops the launch that makes it. A GPU runs on while Python
# is elsewhere, so its errors come late, and in an unexpected place:
#
# - An error in a kernel (an illegal address, a failed `assert`) is reported by whatever
#   call next waits for the device, a copy to the host for example, many lines further
#   on. Started with `CUDA_LAUNCH_BLOCKING=1`, a program waits after every launch, and
#   the traceback points at the right one.
# - Such an error is **sticky**: the process's context is spoilt, and every later call
#   reports it again. Only a new process helps: restart the kernel of the notebook.
#
# A launch that is refused is not sticky. CUDA C++ programs must ask for it, with
# `cudaGetLastError()`; CuPy and PyTorch do, and so does minigrad. **Predict** how many
# threads are one too many:

# %%
try:
    copy(1, 1025, (x, y, n))
except Exception as error:
    print(type(error).__name__, error)

# %% [markdown]
# Tools that watch a real GPU:
#
# - `compute-sanitizer python program.py` watches every access, as `check` does here:
#   `--tool memcheck` (outside of arrays), `racecheck` (shared memory), `initcheck`,
#   `synccheck`. It costs a factor of ten or more in time.
# - Where is the time? `nsys profile python program.py` records a timeline of launches
#   and copies; `ncu python program.py` reads the hardware's counters of each kernel:
#   sectors, bank conflicts, occupancy, and how close it comes to the card's limits.
#
# ## What to take with you
#
# | | rule | what shows it |
# |---|---|---|
# | transfers | few, large; keep data on the device | the clock |
# | shared memory | a barrier between a write and another's access, both ways | `race` |
# | barriers | all threads of the block, outside of every `if` | `divergent-barrier` |
# | blocks | no order between them; the next kernel sees all | `race` |
# | global memory | neighboring threads, neighboring elements | `sectors` |
# | shared memory | different banks: pad by one | `bank_passes` |
# | timing | warm-up, wait, median, several sizes | – |
#
# ## Before you go: four questions
#
# 1. A kernel gives the right values in a thousand runs. Is it free of races?
# 2. Each thread of a warp reads one `double`, 8 bytes, side by side. How many sectors?
# 3. Thread t reads `tile[t][0]` of `float tile[32][36]`. How many passes?
# 4. A kernel reads and writes 1 GB each, on a card of 2 TB/s. What is the least time
#    that it can take?
#
# <details><summary>Answers</summary>
#
# 1. The runs cannot say. Values show the orders that came up; a race is about those
#    that could.
# 2. 256 bytes, {{=8}} sectors. That is coalesced: nothing is fetched in vain.
# 3. Stride 36 has the factor 4 in common with 32: {{=four}} passes.
# 4. One millisecond. If it takes 5, ask for sectors.
#
# </details>

# %%
# Check the second and the third answer
sectors(8 * t for t in range(32)), passes([36 * t for t in range(32)])

# %% [markdown]
# Now **lab 02**: in its last exercise you write a test, for other kernels. When all are
# done, the timer of this lesson is yours: in the set-up cell, write `"labs"` for
# `"solutions"`, restart the kernel, and run everything again.
#
# To read on: Mark Harris, *Optimizing Parallel Reduction in CUDA* and *An Efficient
# Matrix Transpose in CUDA C/C++*; Vasily Volkov, *Better Performance at Lower
# Occupancy*; NVIDIA's *CUDA C++ Best Practices Guide*; and in PyTorch
# `torch/utils/benchmark/utils/timer.py` (`Timer.blocked_autorange`).
