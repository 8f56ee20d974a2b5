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
# # 06 · Matrix multiplication, step by step
#
# A linear layer is a product of matrices, attention is two of them, and a convolution
# becomes one (chapter 07). Nothing else costs a network so much time, and nothing else
# on a GPU has been made faster so often. Three questions lead through it:
#
# - **what must be done?** So many multiplications, so many bytes: the roofline;
# - **what reads which number, and how often?** Tiles and registers: the same idea on
#   two floors;
# - **how far is it to cuBLAS**, NVIDIA's own library, and what is in between?
#
# Programs call this product **GEMM**, general matrix multiply. Here it is made seven
# times, each time faster: from a fiftieth of cuBLAS's speed to most of it. At the end
# you can say what bounds a product, keep tiles and patches where they are used, and
# explain a kernel's speed by what is counted. It takes about {{duration}}, and builds
# on chapters 02, 03 and 04. Where you are asked to predict, write your guess down
# first. Nothing needs a GPU. Where times stand in the text, they were measured on one
# {{a @ b, 4,096 | PyTorch | GPU}} (`docs/benchmarks/kernels.md`); a copy there moves
# {{machine | PyTorch's copy | GB/s}} GB/s.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import re
import time

import numpy as np

import minigrad
from minigrad import Kernel, answers_from, viz
from minigrad.kernels import matmul
from minigrad.kernels.copy import Strides
from minigrad.launch import file_text
from minigrad.testing import Ceilings, ceilings, published, rate, rates

# In this lesson the course's solutions answer the exercises of labs 01 to 06.
answers_from("solutions", before="07_convolution")

# %% [markdown]
# ## Three loops
#
# a is M × K, b is K × N, and c = a b is M × N. Each element of c is a row of a times a
# column of b:


# %%
def product(a, b):
    M, K, N = *a.shape, b.shape[1]
    c = np.zeros((M, N), a.dtype)
    for row in range(M):
        for col in range(N):
            for k in range(K):
                c[row, col] += a[row, k] * b[k, col]
    return c


draw = np.random.default_rng(0)
a, b = draw.random((3, 4)), draw.random((4, 5))
print(np.abs(product(a, b) - a @ b).max())

# %% [markdown]
# M · N · K multiplications, and as many additions: **2 M N K** operations, FLOP for
# short. For 4096 × 4096 matrices these are 137 billion. **Predict** how long the three
# loops would take for them in Python; here is the time for 48.

# %%
a, b = (draw.random((48, 48), np.float32) for _ in range(2))
begin = time.perf_counter()
product(a, b)
took = time.perf_counter() - begin
print(f"{took:.3f} s; for 4096: {took * (4096 / 48) ** 3 / 3600:.0f} hours")

# %% [markdown]
# cuBLAS takes {{a @ b, 4,096 | PyTorch | time}}. What follows is the way from hours to
# milliseconds; its first step is the longest: the loop over row and col is not needed,
# for all elements of c can be made at the same time.
#
# ## A thread an element
#
# Row is y, column is x. What one thread reads, and what it makes:

# %%
a, b = np.arange(12).reshape(4, 3), np.arange(15).reshape(3, 5)
viz.product(a, b, (1, 2))

# %% [markdown]
# b stands above c and a on its left, so that an element of c lies where its row and its
# column meet. The kernel is the innermost loop, and exercise 1 of the lab. Here the
# course's solution runs it, on sizes of which no two are alike:

# %%
naive = Kernel(matmul.matmul_naive.text, "matmul_naive")
M, N, K = 37, 51, 29
a, b = draw.random((M, K), np.float32), draw.random((K, N), np.float32)
c = np.zeros((M, N), np.float32)
naive((4, 3), (16, 16), (a, b, c, M, N, K))
print(np.abs(c - a @ b).max())

# %% [markdown]
# ### Break it: rows and columns swapped
#
# Let x count the rows. **Predict**: what is wrong then with 37 × 51? And with 64 × 64?

# %%
text = matmul.matmul_naive.text
text = text.replace(".y", ".?").replace(".x", ".y").replace(".?", ".x")
swapped = Kernel(text, "matmul_naive")
for n, m in (37, 51), (64, 64):
    a, b = draw.random((n, 29), np.float32), draw.random((29, m), np.float32)
    c = np.zeros((n, m), np.float32)
    swapped((-(-m // 16), -(-n // 16)), (16, 16), (a, b, c, n, m, 29))
    print(n, m, "wrong:", int((np.abs(c - a @ b) > 1e-5).sum()), "of", c.size)

# %% [markdown]
# Three columns of 37 have no thread, {{=111}} elements: the grid covers 64 × 48.
# {{=Square matrices do not show it|64 64 wrong: 0}}: every element still has its
# thread, only another one. So one tests with three different sizes. But there is
# something else that changes, even where the values are right.
#
# ## Neighbors
#
# The library has both kernels, in `minigrad/kernels/matmul.cu`: `matmul_naive`, where x
# counts the rows, and `matmul_coalesced`, where it counts the columns, as exercise 1
# does. What does one warp, 2 × 16 threads, ask for when it reads a and b? First with x
# along the rows:

# %%
kernels, n = file_text("matmul.cu"), 64
a, b, c = (np.ones((n, n), np.float32) for _ in range(3))
along_rows = Kernel(kernels, "matmul_naive<float>")
launch = (4, 4), (16, 16), (a, b, c, n, n, n)
line = 1 + kernels[: kernels.index("sum += (A)a[")].count("\n")
viz.access(along_rows, *launch, line=line)

# %% [markdown]
# The lanes read 16 different rows of a: {{=16}} sectors of 32 bytes for {{=64}} bytes.
# Now with x along the columns:

# %%
along_columns = Kernel(kernels, "matmul_coalesced<float>")
line = 1 + kernels[: kernels.rindex("sum += (A)a[")].count("\n")
viz.access(along_columns, *launch, line=line)

# %%
for kernel in along_rows, along_columns:
    counts = kernel.check(*launch).counts
    print(f"{kernel.name:<24} {counts['reads']:,} reads, {counts['sectors']:,} sectors")

# %% [markdown]
# {{=As many reads|524,288 reads, 33,280 sectors}}, a quarter of the sectors. On that
# GPU, for 4096 × 4096: **{{a @ b, 4,096 | matmul_naive | time}}** and
# **{{a @ b, 4,096 | matmul_coalesced | time}}**. Two lines differ, those that find row
# and col.
#
# ## How fast can it be?
#
# Before we go on: what is the goal? Two things limit any kernel: operations a second,
# the **peak** of the card, and bytes a second, its **bandwidth**. Which of them counts
# depends on the kernel's **intensity**: operations for each byte that moves.
#
# An addition of two vectors reads 8 bytes, writes 4 and makes 1 operation: 1/12 FLOP
# for each byte. And a product of n × n matrices? **Predict**: how does its intensity
# grow with n? What must move is each element of a and b once, and each of c once.

# %%
for n in 16, 64, 256, 1024, 4096:
    flops, nbytes = 2 * n**3, 3 * n**2 * 4
    print(f"{n:>5} {flops:>15,} FLOP {nbytes:>12,} bytes {flops / nbytes:>7.1f}")

# %% [markdown]
# n / 6: the work grows with n³, the data with n². Large products are the one thing in a
# network that need not wait for memory.
#
# Now the picture that puts both limits together: the **roofline** (S. Williams, A.
# Waterman, D. Patterson, 2009). To the left, at intensity i, the memory feeds i ·
# bandwidth operations a second: the slope. To the right it is flat: the peak. Both axes
# are logarithmic. Here the slope is PyTorch's copy, the flat part what cuBLAS
# reaches in float32. Both, and the kernels in the picture, are read from the table of
# measurements in `docs/benchmarks/kernels.md`:


# %%
product_of = "a @ b, 4,096"
cublas = rate(product_of, "PyTorch") * 1e12
copy = rate("machine", "PyTorch's copy", "GB/s") * 1e9
gpu = published(product_of, "PyTorch", "GPU")
roofs = Ceilings(copy, cublas, gpu, "PyTorch's copy", "cuBLAS, float32")

# %% [markdown]
# Three kernels of chapters 04 and 05, the fastest variants, and three products:

# %%
points = [
    viz.Point("a + b", 1 / 12, rate("a + b", "binary_vectors") * 1e9 / 12),
    viz.Point("relu", 1 / 8, rate("relu", "unary_vectors") * 1e9 / 8),
    viz.Point("sum", 1 / 4, rate("sum of", "sum_vectors") * 1e9 / 4),
    viz.Point("naive", 4096 / 6, rate(product_of, "matmul_naive") * 1e12),
    viz.Point("coalesced", 4096 / 6, rate(product_of, "matmul_coalesced") * 1e12),
    viz.Point("cuBLAS", 4096 / 6, cublas),
]
viz.roofline(points, roofs)

# %% [markdown]
# The kernels on the left touch their roof: nothing is left to be gained there, except
# by fusing them with others. The products stand far to the right, where memory is no
# excuse, and far below the roof. All that follows is about this vertical line.
#
# The edge, where slope and flat part meet, lies at peak / bandwidth:

# %%
print(f"{roofs.ridge:.1f} FLOP for each byte; n = {6 * roofs.ridge:.0f}")

# %% [markdown]
# Products of smaller matrices lie to the left of the edge. (What bounds them is neither
# roof, but the launch: 60 KB take 15 ns at this bandwidth, and a launch 7 µs.) A matrix
# times a vector lies there too, of any size: **predict** its intensity. This is what a
# language model does when it writes word by word.


# %%
def counted_for(a, b):
    for name, value in matmul.roofline(a, b, roofs.bandwidth, roofs.peak).items():
        print(f"{name:9}", value if name == "bound" else f"{value:.3g}")


counted_for((4096, 4096), (4096, 1))

# %% [markdown]
# `roofline` is exercise 5 of the lab. And the roof of your machine? Without a GPU it is
# that of NumPy on the host, and says nothing of kernels.

# %%
print(ceilings())

# %% [markdown]
# ## What a kernel asks for
#
# The intensity above counts what **must** move. A kernel may ask for more: each thread
# of the plain kernel reads 2 K elements for the one that it makes. Count what the warps
# ask for, in sectors, and divide: that is the kernel's own intensity.


# %%
def asked(kernel, grid, block, args, n):
    """FLOP for each byte that the warps ask of global memory."""
    return 2 * n**3 / (32 * kernel.check(grid, block, args).counts["sectors"])


n, own = 64, {}
for kernel in along_rows, along_columns:
    own[kernel.name] = asked(kernel, *launch, n)
    bound = own[kernel.name] * copy / 1e12
    print(f"{kernel.name:<24} {own[kernel.name]:.2f} FLOP a byte, {bound:.1f} TFLOP/s")

# %% [markdown]
# {{=0.12}} and {{=0.49}} FLOP for each byte: left of the edge, both of them. If all of
# this came from memory, that GPU could do {{=0.5}} and {{=2.0}} TFLOP/s. The measured
# rates are higher. **Predict** why.

# %%
for name, intensity in own.items():
    roof = roofs.rate(intensity) / 1e12
    print(f"{name:<24} roof: {roof:.2f}, measured: {rate(product_of, name)} TFLOP/s")

# %% [markdown]
# Above the roof! The roof is that of the card's memory, and between it and the warps
# there are two caches. They keep what neighbors will read again; so most reads never
# go to memory. A cache is a hope, though, not a plan. The plan is:
#
# ## Tiles
#
# A block makes 16 × 16 elements of c. Together its threads need 16 rows of a and 16
# columns of b; each of those elements is needed by 16 threads. So the block reads them
# **once**, into shared memory, piece by piece along K. Such a piece is a **tile**; here
# tiles of 4 × 4, in the second step along K:

# %%
a, b = np.arange(96).reshape(12, 8), np.arange(80).reshape(8, 10)
block = slice(4, 8), slice(4, 8)
viz.product(a, b, block, k=slice(4, 8))

# %% [markdown]
# In Python, with the steps of all threads of a block as one product of two small tiles:


# %%
def tiled(a, b, T=4):
    """a @ b by tiles of T x T; and how many elements were read."""
    (M, K), N, reads = a.shape, b.shape[1], 0
    c = np.zeros((M, N))
    for top in range(0, M, T):
        for left in range(0, N, T):
            for k in range(0, K, T):
                a_tile = a[top : top + T, k : k + T]
                b_tile = b[k : k + T, left : left + T]
                reads += a_tile.size + b_tile.size
                c[top : top + T, left : left + T] += a_tile @ b_tile
    return c, reads


# %% [markdown]
# **Predict** how the number of reads depends on T, the tiles' size.

# %%
a, b = draw.random((32, 32)), draw.random((32, 32))
for T in 1, 2, 4, 8, 16:
    c, reads = tiled(a, b, T)
    print(f"tiles of {T:>2}: {reads:>6,} reads", np.allclose(c, a @ b))

# %% [markdown]
# Tiles of T × T: {{=1/T of the reads|tiles of 16: 4,096 reads}}. A tile of 1 × 1 is the
# plain kernel. In CUDA C (exercise 2) each step has four parts: fill, barrier,
# multiply, barrier. The course's solution, beside the plain one:

# %%
tiles = Kernel(matmul.matmul_tiled.text, "matmul_tiled")
n = 64
a, b = (draw.random((n, n), np.float32) for _ in range(2))
c = np.zeros((n, n), np.float32)
launch = (4, 4), (16, 16), (a, b, c, n, n, n)
tiles(*launch)
print(np.abs(c - a @ b).max(), asked(tiles, *launch, n), "FLOP for each byte")

# %% [markdown]
# ### Break it: one barrier is not enough
#
# The first barrier is obvious: no thread may multiply before the tiles are full.
# **Predict**: what happens without the second one, at the loop's end?

# %%
text = matmul.matmul_tiled.text
first, last = text.index("__syncthreads();"), text.rindex("__syncthreads();")
barrier = "__syncthreads();"
no_second = Kernel(text[:last] + text[last + len(barrier) :], "matmul_tiled")
for finding in no_second.check(*launch).findings:
    print(finding.kind, "|", finding.message)

# %% [markdown]
# {{=A warp|race}} that is done with its products fills its cells for the next step,
# while another still reads them. On a GPU the result may be right a thousand times.
#
# ### Break it: the tail
#
# K = 37 is two tiles and 5 more. The cells of the last tile beyond K must hold **0**.
# Leave them as they are: **predict** what they hold, with K = 37, and with K = 5.

# %%
cell = r"(\w_tile\[ty\]\[tx\]) = (.*) \? (.*) : 0.0f;"
bare = re.sub(cell, r"if (\2) \1 = \3;", text)
tail = Kernel(bare, "matmul_tiled")
for K in 37, 5:
    a, b = draw.random((16, K), np.float32), draw.random((K, 16), np.float32)
    c = np.zeros((16, 16), np.float32)
    report = tail.check(1, (16, 16), (a, b, c, 16, 16, K))
    tail(1, (16, 16), (a, b, c, 16, 16, K))
    kinds = {finding.kind for finding in report.findings}
    print(K, "off by", np.abs(c - a @ b).max(), kinds or "no finding")

# %% [markdown]
# With K = 37 they hold what the step before has left there: all of it has been written,
# so {{=no tool complains|no finding}}, and the result is wrong. With K = 5 they were
# never written, and {{=that is found|uninitialized}}. So a check needs a K that is
# ragged **and** more than a tile.
#
# ### And the speed?
#
# 1/16 of the reads. **Predict** the time on that GPU; `matmul_coalesced` took
# {{a @ b, 4,096 | matmul_coalesced | time}}.
#
# <details><summary>Answer</summary>
#
# **{{a @ b, 4,096 | matmul_tiled | time}}**. All that work for so little!
#
# </details>

# %% [markdown]
# Two things explain this time. Most of what the plain kernel read again came from the
# caches: its warps requested 8 times the traffic, but memory did not see it. And now
# something else takes the time. Count what each multiplication reads from **shared**
# memory:

# %%
ones = [np.ones((64, 64), np.float32) for _ in range(3)]
launch = (4, 4), (16, 16), (*ones, 64, 64, 64)
counts = tiles.check(*launch).counts
print(counts["shared_requests"] * 32 / 64**3, "accesses for each multiplication")

# %% [markdown]
# 2, for a number of each tile, and 1/8 for filling them: {{=2.125}}. In one clock a
# multiprocessor of that GPU multiplies for 4 warps, but its shared memory has 32 banks,
# and serves one warp. With 2 accesses for each multiplication 7 of 8 clocks are spent
# waiting: at most 1/8 of the peak. NVIDIA's data sheet says 67 TFLOP/s; an eighth of it
# is 8.4, and {{a @ b, 4,096 | matmul_tiled}} were measured. **Shared memory is a roof
# of its own.**
#
# ## Registers
#
# The same idea again, one floor higher: what reads a number uses it several times. Now
# that is a single thread, and the place where it keeps things are its **registers**.
#
# First one step alone, for sizes that are multiples of 16: a thread makes **four**
# elements of c, one below the other, so a block of 16 × 4 threads fills the same tiles.

# %%
filled = r"""
__global__ void four(const float* a, const float* b, float* c, int N, int K) {
    __shared__ float A[16][16], B[16][16];
    int tx = threadIdx.x, ty = threadIdx.y * 4, row = blockIdx.y * 16 + ty;
    int col = blockIdx.x * 16 + tx;
    float sum[4] = {};  // in registers
    for (int k = 0; k < K; k += 16) {
        for (int r = 0; r < 4; r++) {
            A[ty + r][tx] = a[(row + r) * K + k + tx];
            B[ty + r][tx] = b[(k + ty + r) * N + col];
        }"""

# %% [markdown]
# **Puzzle.** The loop that multiplies is right, and gains nothing: it reads two numbers
# for each multiplication. One of the two is the same for all four elements: read it
# once. **Predict** how many accesses are left.

# %%
multiplied = r"""
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            for (int r = 0; r < 4; r++) sum[r] += A[ty + r][i] * B[i][tx];  // your line
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) c[(row + r) * N + col] = sum[r];
}
"""

# %%
a, b = (draw.random((64, 64), np.float32) for _ in range(2))
c = np.zeros((64, 64), np.float32)
four = Kernel(filled + multiplied, "four")
four((4, 4), (16, 4), (a, b, c, 64, 64))
counts = four.check((4, 4), (16, 4), (a, b, c, 64, 64)).counts
accesses = counts["shared_requests"] * 32 / 64**3
print(accesses, "accesses; solved:", np.allclose(c, a @ b, 1e-5) and accesses < 1.4)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The number of b. One access for a's, 1/4 for b's, 1/8 for filling: 1.375.
#
# ```c
# float right = B[i][tx];
# for (int r = 0; r < 4; r++) sum[r] += A[ty + r][i] * right;
# ```
#
# (A good compiler finds this one by itself.)
#
# </details>

# %% [markdown]
# A strip reuses b's numbers only. In a patch of R × C elements both are used again: for
# each k a thread reads R numbers of a's column and C of b's row, and multiplies each
# with each.


# %%
def patch(a, b):
    """One thread: a patch of c, and how many numbers it reads."""
    total, reads = np.zeros((a.shape[0], b.shape[1])), 0
    for k in range(a.shape[1]):
        left, right = a[:, k], b[k]  # in registers
        reads += left.size + right.size
        total += np.outer(left, right)
    return total, reads


a, b = draw.random((8, 16)), draw.random((16, 8))
total, reads = patch(a, b)
np.allclose(total, a @ b), reads / (8 * 8 * 16)

# %% [markdown]
# {{=A quarter|0.25}} of a read for each multiplication, instead of 2. How large should
# the patch be? Its sums stay in registers, and a thread has 255 at most:

# %%
for R, C in (1, 1), (8, 1), (4, 4), (8, 8), (16, 8), (16, 16):
    print(f"{R:>2} x {C:<2}  {(R + C) / (R * C):.3f} reads, {R * C + R + C} registers")

# %% [markdown]
# A column of 8 is already good; a square is better than a strip of the same size; and
# 16 × 16, with {{=288}}, does not fit. A block of 256 threads with patches of 8 × 8
# makes 128 × 128 elements of c, and so its tiles are larger, too: 1/128 of the plain
# kernel's reads. For one k, a thread with a patch of 2 × 2 reads 2 numbers of a and 2
# of b, for 4 sums:

# %%
a, b = np.arange(32).reshape(8, 4), np.arange(32).reshape(4, 8)
patch_of = slice(2, 4), slice(4, 6)
viz.product(a, b, patch_of, k=2)

# %% [markdown]
# Exercise 3 is such a kernel. The library has three on the way: `matmul_column`, 8 × 1;
# `matmul_patch`, 8 × 8; and `matmul_vectors`, which reads and writes 16 bytes at a
# time, as `float4`: fewer instructions for the same bytes.
#
# All variants, counted twice: for K = 32 and for K = 96. The difference is what 64
# steps along K cost; writing c, which hardly counts for a large K, is not in it.

# %%
variants = {  # name: how many rows and columns a block makes, and its threads
    "naive<float>": (16, (16, 16)), "coalesced<float>": (16, (16, 16)),
    "tiled<float>": (16, (16, 16)), "column<float>": (64, 512),
    "patch<float>": (128, 256), "vectors": (128, 256), "pipelined<1, 0, 1>": (128, 128),
}  # fmt: skip


# %% [markdown]
# What a variant costs for n × K times K × n: sectors, and passes of shared memory.


# %%
def counted(name, K, n=128):
    size, threads = variants[name]
    a, b, c = (np.ones(n * m, np.float32) for m in (K, K, n))
    args = a, b, c, n, n, K
    if name.startswith(("tiled", "pipelined")):  # these take any layout
        views = Strides((n, K), (K, 1)), Strides((K, n), (n, 1))
        args = a, views[0], b, views[1], c, n, n, K, 1
    kernel = Kernel(kernels, f"matmul_{name}")
    counts = kernel.check((n // size, n // size), threads, args).counts
    return np.array([counts["sectors"], counts["bank_passes"]])


# %% [markdown]
# **Predict** which variant saves sectors, and which saves passes.

# %%
rows = {}
for name in variants:
    sectors, passes = (counted(name, 96) - counted(name, 32)) / (128 * 128 * 64)
    rows[name.partition("<")[0]] = 2 / (32 * sectors), 32 * passes
for name, (intensity, passes) in rows.items():
    print(f"{name:<10} {intensity:6.2f} FLOP for each byte, {passes:.2f} passes")

# %% [markdown]
# A **pass** is one clock of shared memory, for one warp (chapter 02: where lanes want
# different words of one bank, an access takes several). Each variant asks for fewer of
# them. Bytes and passes for each multiplication, and what was measured:

# %%
names = list(rows)
rows_of = [f"matmul_{variant}" for variant in variants]
measured = rates(product_of, dict(zip(names, rows_of, strict=True)))
viz.ranking({
    "bytes requested": {name: 2 / rows[name][0] for name in names},
    "passes of shared memory": {name: rows[name][1] for name in names},
    "TFLOP/s": measured | {"cuBLAS": cublas / 1e12},
})  # fmt: skip

# %% [markdown]
# Fewer passes, more speed. With p passes for each multiplication, 4 warps in a clock
# cannot do more than 1 / (4 p) of the peak:

# %%
for name in names[2:]:
    most = min(1, 1 / (4 * rows[name][1])) * 67
    print(f"{name:<10} at most {most:4.1f} TFLOP/s by passes; {measured[name]}")

# %% [markdown]
# `tiled` and `patch` stay a little below, `vectors` by a quarter: it waits elsewhere,
# too. (`column` is above: the simulator counts accesses as they are written, and
# NVIDIA's compiler may join some that lie side by side.) For `pipelined` shared memory
# is no limit any more.
#
# ### Break it: conflicts
#
# A patch of 8 × 8 needs a quarter of an access for each multiplication, as you have
# seen, but `patch` takes 0.77 passes. Which access takes several?

# %%
a, b, c = (np.ones((128, 128), np.float32) for _ in range(3))
args = 1, 256, (a, b, c, 128, 128, 128)
line = 1 + kernels[: kernels.index("right[j] = (A)b_tile[q][tx * 8 + j]")].count("\n")
viz.banks(Kernel(kernels, "matmul_patch<float>"), *args, line=line)

# %% [markdown]
# {{=4}} passes: the threads' numbers lie 8 apart, so only every eighth bank is used.
# `vectors` has fewer, and `pipelined` gives each thread two pieces of 4 instead of one
# of 8: squares of 4 × 4, so that a warp's lanes lie side by side.
#
# ## While one tile is used, the next
#
# In all kernels so far a block stands still twice in each step: it waits for memory,
# and at the barriers. `matmul_pipelined`, the fastest, has **two** pairs of tiles:
# while one is multiplied, the loads for the other are on their way. One barrier a step
# is enough then. **Predict** why. (It is question 2 at the end.)
#
# All variants, 4096 × 4096 × 4096 in float32:
#
# | variant | idea | TFLOP/s |
# |---|---|---|
# | `naive` | a thread an element | {{a @ b, 4,096 | matmul_n}} |
# | `coalesced` | neighbors read neighbors | {{a @ b, 4,096 | matmul_coa}} |
# | `tiled` | a block shares tiles | {{a @ b, 4,096 | matmul_t}} |
# | `column` | a thread makes 8 | {{a @ b, 4,096 | matmul_column}} |
# | `patch` | a thread makes 8 × 8 | {{a @ b, 4,096 | matmul_pa}} |
# | `vectors` | 16 bytes an access | {{a @ b, 4,096 | matmul_v}} |
# | `pipelined` | 16 × 8; two tiles | {{a @ b, 4,096 | matmul_pipelined<1, 0, 1>}} |
# | cuBLAS | | {{a @ b, 4,096 | PyTorch}} |
#
# And under the roof, each where its own traffic puts it:

# %%
viz.roofline([viz.Point(name, rows[name][0], measured[name] * 1e12) for name in rows],
             roofs)  # fmt: skip

# %% [markdown]
# Read it from the left: first the kernels move to the right, out of reach of the slope
# (and the caches lift the first two above it). Then they climb.
#
# ## How far to cuBLAS, and what would be next
#
# **Predict**: where may the remainder lie?
#
# - **Copies that bypass the registers.** `pipelined` loads into registers and stores
#   into shared memory. Since Ampere, 2020, it can be done in one step, `cp.async`; and
#   from Hopper on by an engine, the *tensor memory accelerator* (TMA), which brings
#   whole tiles while no thread is busy with it.
# - **Larger patches for each warp**, where registers allow it: fewer passes still.
# - **Machine code.** NVIDIA writes such kernels below CUDA C, where one chooses the
#   registers and the order of instructions by hand.
# - **The right kernel for the size.** cuBLAS has hundreds and chooses. With 4095 ×
#   4097, whose rows do not begin at multiples of 16 bytes, it falls to
#   {{a @ b, 4,095 | PyTorch}} TFLOP/s, and `pipelined` to
#   {{a @ b, 4,095 | matmul_pi}}.
# - **More blocks for small results.** If c is small and K long, few blocks have work.
#   **Split-K** cuts K into pieces, one for each of several blocks, and adds the pieces
#   up: chapter 05's second stage.
#
# And **tensor cores**? They multiply small matrices as one instruction: by the data
# sheet about 7 times as fast in TF32, 15 times in half precision. But TF32 keeps 11
# significant binary digits of a float's 24. **Predict** the largest error of a product
# of 256 × 256, in float32 and with operands cut to TF32.


# %%
def tf32(x):
    """Rounded to 11 significant binary digits: the last 13 bits become 0."""
    return ((x.view(np.int32) + 0x1000) & ~0x1FFF).view(np.float32)


a, b = (draw.random((256, 256), np.float32) for _ in range(2))
exact = a.astype(np.float64) @ b
for name, y in {"float32": a @ b, "TF32": tf32(a) @ tf32(b)}.items():
    print(f"{name}: {(abs(y - exact) / exact).max():.0e}")

# %% [markdown]
# PyTorch leaves TF32 off for matrix products unless you set
# `torch.backends.cuda.matmul.fp32_precision = "tf32"` (before 2.9 the switch was
# `allow_tf32`; use only one of the two).
#
# ## Any layout, any batch
#
# `x @ w.T` is in every linear layer. A transposed matrix is a view: two strides have
# changed places. A kernel that takes strides reads it as it lies. **Predict** how many
# kernels these three lines launch.

# %%
device = "cuda" if minigrad.gpu_available() else "sim"
x, w = minigrad.ones(20, 30).to(device), minigrad.ones(40, 30).to(device)
batch, five = minigrad.ones(6, 1, 20, 30).to(device), minigrad.ones(5, 30, 2).to(device)
with minigrad.trace() as launches:
    x @ w.T
    batch @ w.T
    batch @ five
launches

# %% [markdown]
# {{=Three}}: no copy is among them. In the third, 6 × 1 matrices meet 5: that makes 6 ×
# 5 products. The dimension of size 1, and the one that is missing, have {{=the stride
# 0|((600, 0, 30, 1), (0, 60, 2, 1))}} there: one matrix serves for many. `expand` of
# chapter 03 has done it.

# %%
batch.expand(6, 5, 20, 30).strides, five.expand(6, 5, 30, 2).strides

# %% [markdown]
# The matrix number of a batch is taken apart over the dimensions before the last two,
# like an index in chapter 03. That is exercise 4, and in the library the first
# variant that takes any strides is `tiled`.
#
# ### Break it: a kernel that ignores strides
#
# It is right for plain operands. **Predict** the second line.

# %%
text = matmul.matmul_batched.text.replace("(k + tx) * a_col", "(k + tx)")
flat = Kernel(text, "matmul_batched")
x = draw.random((5, 5), np.float32)
plain, turned = Strides((5, 5), (5, 1)), Strides((5, 5), (1, 5))
for view, right in (plain, x @ x), (turned, x.T @ x):
    c = np.zeros((5, 5), np.float32)
    flat(1, (16, 16), (x, view, x, plain, c, 5, 5, 5, 1))
    print(np.allclose(c, right))

# %% [markdown]
# One could copy first: `w.T.contiguous()`. For 4096 × 4096 floats that moves 134 MB.
# **Predict** how long that GPU takes for it, beside {{a @ b, 4,096 | PyTorch | time}}
# of the product.

# %%
print(f"{1e3 * 2 * 4 * 4096**2 / roofs.bandwidth:.3f} ms")

# %% [markdown]
# For small batches it may cost more than the product. And memory: as much again.
#
# ## Which kernel runs
#
# `a @ b` runs {{=the fastest variant|matmul pipelined}} that supports the operands. If
# you have written one, it runs the fastest of {{=**yours**|matmul yours
# matmul_register}}. In this notebook the reference solutions stand in, which don't
# count as yours, but you can ask for a variant by its name:

# %%
a = minigrad.ones(64, 64).to(device)
with minigrad.trace() as launches:
    a @ a
    with minigrad.kernel_variant("yours"):
        a @ a
        a.T @ a
    with minigrad.kernel_variant("tiled"):
        a @ a
launches

# %% [markdown]
# ## What to take with you
#
# | floor | what is kept there | used again by | saves |
# |---|---|---|---|
# | caches | what was read lately | any thread, with luck | memory |
# | shared memory | tiles | the threads of a block | memory and caches |
# | registers | patches | the thread itself | shared memory |
#
# - Count what must be done: 2 M N K FLOP, each element once. Divide: the intensity.
# - The slope of the roofline is bandwidth, the flat part is peak. It says which of the
#   two to work on, and when to stop.
# - Each number that is read should be used many times, on every floor.
# - A measured time that surprises you has a cause that can be counted.
#
# ## Before you go: four questions
#
# 1. A linear layer: 32 rows of 4096 times 4096 × 4096. What is its intensity, and what
#    bounds it on the GPU of this chapter?
# 2. Two pairs of tiles need one barrier a step. Why not two?
# 3. Tiles of 32 × 32 with 1024 threads, an element each: how many reads of shared
#    memory for each multiplication?
# 4. Why does the patch of a thread not grow to 16 × 16?
#
# <details><summary>Answers</summary>
#
# 1. 2 · 32 · 4096² FLOP; the weights alone are 67 MB: {{=15.8}} FLOP for each byte.
#    That is just right of the edge at 12: the arithmetic, by a little.
# 2. A step fills the pair that was used in the step before. The barrier at the end of
#    that step has made sure that all were done with it; and the same barrier says that
#    the pair of the next step is full.
# 3. Still 2. Larger tiles save global memory; only registers save shared memory.
# 4. 256 sums and 32 numbers are more than the 255 registers that a thread can have;
#    what does not fit would go to local memory, which is device memory.
#
# </details>

# %%
# Check the first answer
counted_for((32, 4096), (4096, 4096))

# %% [markdown]
# Now **lab 06**: four kernels, the roofline, and a test for other kernels. What you
# write there is what `@` of your own framework runs.
#
# To read on: S. Boehm, *How to Optimize a CUDA Matmul Kernel for cuBLAS-like
# Performance*; NVIDIA's CUTLASS, `media/docs/efficient_gemm.md`; PyTorch's
# `aten/src/ATen/native/cuda/Blas.cpp` (`addmm_out_cuda_impl`) and
# `aten/src/ATen/cuda/CUDABlas.cpp` (`gemm`), which calls cuBLAS.
