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
# # 02 · Memory, part 2: fetching, tiles, and timing
#
# A GPU computes far faster than it can fetch. NVIDIA's data sheet for the H100 promises
# 67 trillion float operations per second. In the same second, the memory delivers 3.35
# TB, which is less than one trillion floats, so most kernels spend their time waiting
# for memory. In this lesson, you'll count what a warp fetches, use shared memory to
# fetch less, keep the memory busy, and measure all this without fooling yourself.
#
# This lesson takes about {{duration}} and builds on part 1. (It isn't on the core
# path.) All measurements are in `docs/benchmarks/memory.md`.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

from minigrad import Kernel, viz
from minigrad.testing import rates, series

# %% [markdown]
# ## How a warp fetches
#
# The 32 threads of a warp execute a load together, and the memory system sees a single
# **request** with 32 addresses. It answers in **sectors** of 32 bytes, so if a thread
# reads one float, the seven others in its sector are delivered too, whether anyone
# needs them or not. We can count sectors in one line.


# %%
def sectors(addresses):
    """Return the number of sectors that hold the bytes at these addresses."""
    return len({address // 32 for address in addresses})


# %% [markdown]
# Suppose thread t reads the float at index t · stride. **Predict** the number of
# sectors for strides 1, 2, 4, 8, 32, and 0.
#
# <details><summary>Answer</summary>
#
# The warp needs {{=4}}, {{=8}}, {{=16}}, {{=32}}, {{=32}}, and {{=1}}. From stride 8
# on, each thread needs its own sector, and with stride 0, all threads share one.
#
# </details>

# %%
for stride in 1, 2, 4, 8, 32, 0:
    print(f"stride {stride}:", sectors(4 * stride * t for t in range(32)), "sectors")

# %% [markdown]
# With stride 1, the warp reads 128 bytes in 4 sectors. That's as few as possible, so
# the access is called **coalesced**. With stride 8, the memory delivers 1,024 bytes for
# the same 128.
#
# The simulator counts sectors for any kernel, such as this one, which makes {{=two}}
# requests per warp, because it reads and writes.

# %%
source = r"""
__global__ void copy_strided(const float* x, float* y, int n, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    if (i < n) y[i] = x[i];
}
"""
strided = Kernel(source, "copy_strided")
x, y = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
for stride in 1, 4, 32:
    counts = strided.check(1, 32, (x, y, 1024, stride)).counts
    print(f"{stride}: {counts['requests']} requests, {counts['sectors']} sectors")

# %% [markdown]
# Here are both accesses with stride 4.

# %%
viz.access(strided, 1, 32, (x, y, 1024, 4))

# %% [markdown]
# Does the count predict the time? We copied 8 million floats with each stride.

# %%
strides, useful = series("memory/copy with a stride", "useful")
counted = [sectors(4 * stride * t for t in range(32)) for stride in strides]
viz.lines({
    "sectors per request": {"counted": (strides, counted)},
    "GB/s of useful data": {"H100": (strides, useful)},
}, x="stride", log="xy")  # fmt: skip

# %% [markdown]
# Up to stride 8, twice as many sectors mean half the speed. Beyond that, the copy gets
# slower although the count stays the same, because caches and memory chips have their
# own limits.
#
# **Puzzle 1: two elements per thread.** Each thread of a warp now reads two floats, one
# after the other, and in the given line, they're next to each other. Change the line so
# that the warp still reads floats 0 to 63, but each load is coalesced.

# %%
loads = []
for k in 0, 1:
    elements = [2 * t + k for t in range(32)]  # your line
    loads.append(elements)

# %%
counted = [sectors(4 * i for i in elements) for elements in loads]
everything = sorted(loads[0] + loads[1]) == [*range(64)]
print(counted, "sectors", "solved:", counted == [4, 4] and everything)

# %% [markdown]
# <details><summary>Answer</summary>
#
# In each load, neighboring threads must read neighboring floats. On a CPU, the element
# that a thread needs *next* should be adjacent, but on a GPU, it's the element that the
# neighbor in the warp needs *now*.
#
# ```python
# elements = [t + 32 * k for t in range(32)]
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 4 (`coalesced_copy`).
#
# ### Rows and columns
#
# Most large strides come from matrices, because neighbors in a column are a whole row
# apart. In a 2-D block, threads are counted along x first, so the threads of a warp
# have neighboring values of `threadIdx.x`. If `x` counts columns, a warp reads a piece
# of a row. The next kernel contains the words `ROW` and `COL`, and the option `-DCOL=x`
# tells the compiler to read `COL` as `x`.

# %%
source = r"""
__global__ void double_2d(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.ROW * blockDim.ROW + threadIdx.ROW;
    int col = blockIdx.COL * blockDim.COL + threadIdx.COL;
    if (row < rows && col < cols) y[row * cols + col] = 2 * x[row * cols + col];
}
"""
x2, y2 = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
launch = (2, 8), (32, 8), (x2, y2, 64, 64)
by_rows = Kernel(source, "double_2d", ("-DROW=y", "-DCOL=x"))
by_rows.check(*launch).counts["sectors"]

# %% [markdown]
# Now `x` counts rows instead, but each element is still read once and written once.
# **Predict** how many sectors it takes.
#
# <details><summary>Answer</summary>
#
# It takes {{=8192}}, eight times as many, because each of the 32 threads is in a
# different row and needs its own sector.
#
# </details>

# %%
by_columns = Kernel(source, "double_2d", ("-DROW=x", "-DCOL=y"))
by_columns.check(*launch).counts["sectors"]

# %% [markdown]
# To keep the threads of a warp in one row, this course always uses `y` for the row and
# `x` for the column.
#
# ## A tile turns rows into columns
#
# A transpose reads rows and writes columns, or the other way around, so one side always
# has a large stride.

# %%
source = r"""
__global__ void transpose(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
}
"""
report = Kernel(source, "transpose").check(*launch)
for (line, column), c in report.counts["lines"].items():
    if "sectors" in c:
        print(f"{line}:{column}", c["requests"], "requests,", c["sectors"], "sectors")

# %% [markdown]
# Line 5 reads at column {{=58}}, with {{=4 sectors|128 requests, 512 sectors}} per
# request, and writes at column {{=55}}, with {{=32|128 requests, 4096 sectors}}. On the
# H100, this kernel reached
# {{memory/transposes | element | GB}} GB/s, while a plain copy reached
# {{memory/transposes | a plain copy | GB}}.
#
# Shared memory helps. A block fetches a **tile** of 32 × 32 elements row by row, and
# then writes the tile's *columns* as rows of y, so both global accesses are coalesced.
# Only shared memory is read down a column, but it has banks instead of sectors.
#
# ### Banks
#
# Shared memory consists of 32 **banks**. Word 0 (4 bytes) is in bank 0, word 1 in bank
# 1, word 31 in bank 31, and word 32 in bank 0 again. In one pass, each bank delivers
# one word. If two threads of a warp need different words from the same bank, that's a
# **bank conflict**, and it takes another pass. If they need the same word, one pass is
# enough.


# %%
def passes(words):
    """Return the number of passes for a warp's access to these words."""
    banks = [{word for word in words if word % 32 == bank} for bank in range(32)]
    return max(map(len, banks))


# %% [markdown]
# **Predict** the passes for strides 1, 2, 3, 4, 32, 33, and 0.
#
# <details><summary>Answer</summary>
#
# The access takes {{=1}}, {{=2}}, {{=1}}, {{=4}}, {{=32}}, {{=1}}, and {{=1}}. An odd
# stride visits all banks, but an even one skips some of them. With stride 0, all
# threads read the same word.
#
# </details>

# %%
for stride in 1, 2, 3, 4, 32, 33, 0:
    print(f"stride {stride}:", passes([stride * t for t in range(32)]), "passes")

# %% [markdown]
# What matters is the largest power of two that divides the stride. On the H100, we
# timed a loop that reads shared memory with each stride, and the times grow nearly as
# fast as the passes.

# %%
strides, times = series("memory/shared memory", "µs")
names = [f"stride {stride:.0f}" for stride in strides]
counted = [passes([stride * t for t in range(32)]) for stride in strides]
both = {"passes": counted, "µs on the H100": times}
print(f"32 passes take {max(times) / min(times):.0f} times as long as one")
viz.ranking({k: dict(zip(names, v, strict=True)) for k, v in both.items()})

# %% [markdown]
# A column of `float tile[32][32]` has stride 32, which is {{=the worst case|32 words in
# 1 bank, 32 passes}}, but stride 33 {{=takes one pass|[32][33]: 32 words in 32 banks, 1
# pass}}. Add a column that nobody uses, so that each row begins one bank later than the
# row above. This is called *padding*.

# %%
viz.bank_map((32, 32), (32, 33))

# %% [markdown]
# The simulator counts passes too, here for a kernel that writes rows of the tile and
# reads columns.

# %%
source = r"""
__global__ void columns(const float* x, float* y) {
    __shared__ float tile[32][WIDTH];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""
launch = 1, (32, 32), (np.ones(1024, np.float32), np.zeros(1024, np.float32))
for width in 32, 33:
    counts = Kernel(source, "columns", (f"-DWIDTH={width}",)).check(*launch).counts
    print(counts["shared_requests"], "requests,", counts["bank_passes"], "passes")

# %% [markdown]
# Each of the 32 warps writes once and reads once. Without padding, a write takes one
# pass and a read takes 32, which makes {{=1,056}} passes in all. With padding, {{=every
# request takes one|64 requests, 64 passes}}.
#
# **Puzzle 2: no spare column.** You can avoid the conflicts without padding.
# `place(row, col)` says which word of the tile an element is stored in. All 1,024 words
# must be used, each for one element. Change the line so that a warp reads any row and
# any column in one pass.


# %%
def place(row, col):
    return 32 * row + col  # your line


# %%
lines = range(32)
used = {place(row, col) for row in lines for col in lines} == {*range(1024)}
by_row = max(passes([place(row, t) for t in lines]) for row in lines)
by_column = max(passes([place(t, col) for t in lines]) for col in lines)
print(by_row, by_column, "solved:", used and by_row == by_column == 1)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Rotate each row by its number, so that a column is spread over all banks. This is
# called *swizzling*.
#
# ```python
# return 32 * row + (col + row) % 32
# ```
#
# </details>

# %% [markdown]
# Here are three transposes of 16,384 × 16,384 floats and a plain copy on the H100.

# %%
kernels = "element by element", "tile [32][32]", "tile [32][33]", "a plain copy"
viz.ranking({"GB/s": rates("memory/transposes", {k: k for k in kernels}, "GB")})

# %% [markdown]
# **To the lab**: exercise 5 (`transpose_tiled`).
#
# ## While one warp waits, another works
#
# A load from device memory takes 500 cycles or more, and its warp has to wait for the
# value. But the SM doesn't wait, because in each cycle, each of its four schedulers
# picks a warp that's ready. This is called **latency hiding**. Here's a small SM that
# can issue one load per cycle (the blue boxes). A load takes 8 cycles, and each warp
# needs three loads, one after another.


# %%
def run_warps(warps, loads=3, latency=8):
    lanes = {f"warp {w}": [] for w in range(warps)}
    ready, left, cycle = [0] * warps, [loads] * warps, 0
    while any(left):
        w = next((w for w in range(warps) if left[w] and ready[w] <= cycle), None)
        if w is not None:
            begin, ready[w], left[w] = cycle, cycle + latency, left[w] - 1
            lanes[f"warp {w}"].append(("load", begin, begin + 1))
            lanes[f"warp {w}"].append(("wait", begin + 1, ready[w]))
        cycle += 1
    print(f"{warps * loads} loads in {max(ready)} cycles")
    return lanes


viz.spans(run_warps(2), "two warps", unit="cycles")

# %% [markdown]
# Most of the time, both warps are waiting.
#
# **Puzzle 3: never idle.** What's the smallest number of warps that lets this SM issue
# a load in every cycle, up to the last load?

# %%
warps = 3  # your line

# %%
lanes = run_warps(warps)
loads = [span for lane in lanes.values() for span in lane if span[0] == "load"]
begins = sorted(begin for _, begin, _ in loads)
print("solved:", begins == [*range(3 * warps)] and warps <= 8)
viz.spans(lanes, unit="cycles")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first warp is ready again 8 cycles after its first load, so by then, seven other
# warps must have issued theirs.
#
# ```python
# warps = 8
# ```
#
# </details>

# %% [markdown]
# In general, the amount in flight is the rate times the latency, which is known as
# *Little's law*. The memory of an H100 delivers 3.35 TB/s to 132 SMs, a load takes 500
# cycles at 1.98 billion cycles per second, and a warp asks for 128 bytes. **Predict**
# how many waiting warps each SM needs.

# %%
in_flight = 3.35e12 * 500 / 1.98e9  # bytes
print(f"{in_flight / 1e3:.0f} KB, {in_flight / 132 / 128:.0f} warps per SM")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It needs {{=50|50 warps}}, or fewer if each warp has several independent loads in
# flight or loads 16 bytes per thread (`float4`).
#
# </details>
#
# ### Occupancy
#
# An SM of the H100 has places for 64 warps, and the share of these places that's taken
# is called **occupancy**. A block needs places, registers, and shared memory, so
# whatever runs out first is the limit. The 65,536 registers of an SM are divided into
# four parts of 16,384, and all registers of a warp are in the same part.


# %%
def occupancy(threads, registers, shared):
    """Return how many blocks an SM of an H100 holds, the warps of each, and the limit.

    registers: per thread. shared: bytes per block, to which CUDA adds 1 KB.
    """
    warps = -(-threads // 32)
    fit = 16384 // (registers * 32) * 4  # warps that the registers allow
    limits = {"threads": 64 // warps, "registers": fit // warps,
              "shared memory": 228 * 1024 // (shared + 1024), "blocks": 32}  # fmt: skip
    limit = min(limits, key=limits.get)
    return limits[limit], warps, f"limit: {limit}"


# %% [markdown]
# **Predict** what limits each of these four blocks: threads, registers, shared memory,
# or the number of blocks. The tuples list threads, registers per thread, and bytes of
# shared memory.

# %%
four = (256, 32, 0), (256, 128, 0), (256, 32, 48 * 1024), (32, 32, 0)
viz.slots({str(block): occupancy(*block) for block in four})

# %% [markdown]
# <details><summary>Answer</summary>
#
# In this order, the limits are threads, registers, shared memory, and the number of
# blocks. With the last block, an SM has only 32 warps, because it holds at most 32
# blocks.
#
# </details>

# %% [markdown]
# **Puzzle 4: a greedy kernel.** A kernel needs 48 registers per thread. In blocks of
# 1,024 threads, it fills only half of the places, because a second block doesn't fit.
# Find a block size that fills 40 places, which is the most that the registers allow.

# %%
threads = 1024  # your line

# %%
blocks, warps, limit = occupancy(threads, 48, 0)
print(blocks * warps, "places", "solved:", blocks * warps == 40 and threads % 32 == 0)
viz.slots({f"{threads} threads": (blocks, warps, limit)})

# %% [markdown]
# <details><summary>Answer</summary>
#
# A warp takes 32 · 48 = 1,536 registers, so 10 warps fit in each part, and 40 in all.
# The number of warps per block must divide 40, and there can't be more than 32 blocks.
# So blocks of 2, 4, 5, 8, 10, or 20 warps fill them all.
#
# ```python
# threads = 256
# ```
#
# </details>

# %% [markdown]
# High occupancy isn't a goal in itself. In chapter 06, a kernel with few warps wins,
# because each of its threads has a lot of independent work.
#
# If a thread needs more registers than it can get, some variables *spill* into **local
# memory**, the thread's own part of device memory, which is much slower.
#
# ## From the host to the device
#
# Copies between host and device use a bus, here PCIe 5. The operating system may move a
# program's memory, so the driver first copies each piece into its own buffer, and the
# GPU fetches it from there. **Pinned** memory (also called page-locked) never moves, so
# the GPU can read it directly. In PyTorch, you get it from `pin_memory()`. How long do
# the copies take?

# %%
kinds = "plain", "pinned", "within the device"
copies = {kind: series("memory/copies", kind) for kind in kinds}
for kind, (_, times) in copies.items():
    print(f"{kind}: 1 GB takes {times[-1] / 1e3:.1f} ms on the H100")
viz.lines(copies, x="bytes", y="µs", log="xy")

# %% [markdown]
# Even the smallest copy takes 8 µs or more, because that's what it costs to start one.
# So copy everything at once instead of element by element. Copies within the device are
# far faster, so leave data there as long as kernels need it. A copy from pinned memory
# can also run while a kernel works, if the two are in different streams.
#
# **Puzzle 5: overlap.** Four pieces are copied, and a kernel works on each, but in the
# given line, every kernel waits for all four copies. What does it really have to wait
# for? Change the line so that everything is done after 5.7 ms.

# %%
copy, work = 1.2e-3, 0.9e-3  # seconds per piece
bus = gpu = 0.0
lanes = {"copies": [], "kernels": []}
for i in range(4):
    lanes["copies"].append((f"copy {i}", bus, bus + copy))
    bus += copy
    begin = max(4 * copy, gpu)  # your line
    gpu = begin + work
    lanes["kernels"].append((f"kernel {i}", begin, gpu))

# %%
print(f"{1e3 * gpu:.1f} ms", "solved:", abs(gpu - 5.7e-3) < 1e-9 and bus < gpu)
viz.spans(lanes)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each kernel needs its own copy, which ends at `bus`, and the kernel before it, which
# ends at `gpu`. The kernel begins as soon as both are done. Only the last kernel adds
# to the time of the copies.
#
# ```python
# begin = max(bus, gpu)
# ```
#
# </details>

# %% [markdown]
# ## How long does it take?
#
# If you launch a kernel, the call returns at once, so Python continues while the GPU
# works. Here's a GPU in plain Python.


# %%
class ToyGPU:
    """A launch takes 5 µs. The first kernel takes 20 ms, every other one 1 ms."""

    def __init__(self):
        self.now = self.done = 0.0  # the time, and when the queue will be empty
        self.first = True

    def launch(self):
        self.now += 5e-6
        self.done = max(self.now, self.done) + (20e-3 if self.first else 1e-3)
        self.first = False

    def synchronize(self):
        self.now = max(self.now, self.done)


# %% [markdown]
# We launch the same kernel three times and read the clock before and after each launch.
# **Predict** the three numbers.

# %%
gpu = ToyGPU()
for _ in range(3):
    start = gpu.now
    gpu.launch()
    print(f"{1000 * (gpu.now - start):.3f} ms")

# %% [markdown]
# <details><summary>Answer</summary>
#
# We get {{=0.005}} ms each time, because that's how long a launch takes.
#
# </details>

# %% [markdown]
# On the H100, a copy that takes {{memory/single | a copy, with a | m}} seemed to take
# {{memory/single | a copy, without | m}} because we didn't wait. So wait before you
# stop the clock. **Predict** the three numbers again.

# %%
gpu = ToyGPU()
for _ in range(3):
    start = gpu.now
    gpu.launch()
    gpu.synchronize()
    print(f"{1000 * (gpu.now - start):.3f} ms")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The last two are {{=1.005}} ms, but {{=the first|20.005 ms}} is far larger.
#
# </details>

# %% [markdown]
# On a GPU, the first call also compiles the kernel and allocates memory. On the H100,
# the first call of a small kernel took {{memory/single | the first | m}} and a later
# one {{memory/single | a later | m}}. So run the kernel a few times before you measure,
# which is called the **warm-up**. Also wait *before* you start the clock, because
# otherwise you'd time the rest of the warm-up.
#
# ### Which number to report
#
# One of these five runs was disturbed. Here are the mean and the median.

# %%
times = [1.02, 1.00, 1.01, 1.03, 9.40]
print(f"mean {np.mean(times):.3f}, median {np.median(times):.3f}")

# %% [markdown]
# The mean, {{=2.692}}, is a time that we never measured, but the **median** is what you
# usually get. Here's the recipe:
#
# 1. Warm up.
# 2. Wait, start the clock, run, wait, and stop the clock. Or let the device record
#    **events** in its queue before and after the work.
# 3. Repeat, report the median, and look at the spread.
# 4. Measure the sizes that matter, and say which.
#
# `minigrad.testing.bench` does all this, and in lab 02 you'll write its core. If a
# kernel waits for memory, report its **bandwidth**, the number of bytes read and
# written divided by the time. You can compare that with the data sheet.
#
# **Puzzle 6: bandwidth.** On the H100, we copied n floats with one thread per float.
# The line computes GB/s from n and the time in µs. What's missing?

# %%
sizes, times = series("memory/copy of one", "µs")
speeds = []
for n, time in zip(sizes, times, strict=True):
    speeds.append(4 * n / time / 1e3)  # your line

# %%
print(f"the largest: {speeds[-1]:.0f} GB/s, {speeds[-1] / 3350:.0%} of 3,350 GB/s")
print("solved:", round(speeds[-1]) == 2370)
viz.lines({"µs": {"time": (sizes, times)}, "GB/s": {"rate": (sizes, speeds)}},
          x="n", log="xy")  # fmt: skip

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each float has 4 bytes, and it's both read and written. The largest copy reached
# {{=2370}} GB/s, {{=71}} % of the data sheet's 3,350.
#
# ```python
# speeds.append(8 * n / time / 1e3)
# ```
#
# </details>

# %% [markdown]
# Where the time is flat, you only measure the launch, so a good kernel and a bad one
# look the same. Up to 4 million floats, both arrays fit into the L2 cache, so you may
# be measuring the cache, and beyond that, the memory. A grid-stride loop was no
# faster, with {{memory/single | copy with a grid | m}} GB/s, while the driver's own
# copy reached {{memory/single | the driver | m}}.
#
# **To the lab**: exercise 6 (`bench`).
#
# <details><summary>Tools for a real GPU</summary>
#
# A GPU reports an error late (chapter 00). Most errors in a kernel are also **sticky**,
# so every later call fails until you restart the process. These tools help:
#
# - `compute-sanitizer python program.py` watches every access, as `check` does. Choose
#   `--tool memcheck`, `racecheck` (shared memory only), `initcheck`, or `synccheck`.
# - `nsys profile python program.py` records a timeline of launches and copies.
# - `ncu python program.py` reads the hardware's counters for each kernel, such as
#   sectors and bank conflicts. (Older articles use `nvprof`, which doesn't support the
#   A100 or anything newer.)
#
# </details>

# %% [markdown]
# ## What to remember
#
# | | rule | what shows it |
# |---|---|---|
# | shared memory | a barrier between a write and another thread's access | `race` |
# | barriers | reached by all threads of the block | `divergent-barrier` |
# | blocks | no order between them, but the next kernel sees everything | `race` |
# | global memory | neighboring threads read neighboring elements | `sectors` |
# | shared memory | different banks, for example by padding | `bank_passes` |
# | transfers | few and large ones, and data stays on the device | a timer |
# | timing | warm-up, wait, median, several sizes | |
#
# ## Before you go: two questions
#
# 1. Thread t reads `tile[t][0]` of `float tile[32][36]`. How many passes does it take?
# 2. Thread t reads float t + 1. How many sectors does the warp's read take?
#
# <details><summary>Answers</summary>
#
# 1. It takes {{=four}}, because 4 is the largest power of two that divides 36.
# 2. It takes {{=five}}, but the neighboring warp needs the fifth sector too and finds
#    it in the cache. So on the H100, a copy that's shifted by one float took only
#    {{memory/single | slower | m}} longer.
#
# </details>

# %%
# This checks the answers.
passes([36 * t for t in range(32)]), sectors(4 * (t + 1) for t in range(32))

# %% [markdown]
# Now finish **lab 02**, whose last exercise is a test that you write for other people's
# kernels.
#
# Further reading: Mark Harris, *Optimizing Parallel Reduction in CUDA* and *An
# Efficient Matrix Transpose in CUDA C/C++*; Vasily Volkov, *Better Performance at Lower
# Occupancy*; NVIDIA's *CUDA C++ Best Practices Guide*; and, in PyTorch,
# `torch/utils/benchmark/utils/timer.py` (`Timer.blocked_autorange`).
