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
# A linear layer is a product of matrices, attention is mostly products, and a
# convolution can be turned into one (chapter 07). No operation takes more of a
# network's time, and none has been optimized more thoroughly. Libraries call it
# **GEMM**, general matrix multiply. We'll look at seven versions, each faster than the
# one before: the first reaches a fiftieth of the speed of cuBLAS, NVIDIA's own library,
# and the last reaches most of it.
#
# This lesson takes about {{duration}}, builds on chapters 02, 03, and 04, and needs no
# GPU. If the text asks you to predict something, write your guess down first. Each
# **puzzle** asks you to change a single line. All times were measured in float32 on one
# {{a @ b, 4,096 | PyTorch | GPU}}, with TF32 off, which is PyTorch's default for matrix
# products (`docs/benchmarks/kernels.md`).

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import re
import time

import matplotlib.pyplot as plt
import numpy as np

import minigrad
from minigrad import Kernel, answers_from, viz
from minigrad.kernels import matmul
from minigrad.kernels.copy import Strides
from minigrad.launch import file_text
from minigrad.testing import Ceilings, published, rate, rates

# You'll write these functions in lab 06. Here, the reference solutions stand in.
answers_from("solutions", before="07_convolution")

# %% [markdown]
# ## Three loops
#
# Let a be M × K and b be K × N. Then c = a b is M × N, and each of its elements is a
# row of a times a column of b.


# %%
def product(a, b):
    M, K, N = *a.shape, b.shape[1]
    c = np.zeros((M, N), a.dtype)
    for row in range(M):
        for col in range(N):
            for k in range(K):
                c[row, col] += a[row, k] * b[k, col]
    return c


# %%
draw = np.random.default_rng(0)
a, b = (draw.random((48, 48), np.float32) for _ in range(2))
begin = time.perf_counter()
c = product(a, b)
took = time.perf_counter() - begin
print(f"48 x 48: {took:.3f} s, correct: {np.allclose(c, a @ b)}")

# %% [markdown]
# The loops do M · N · K multiplications and as many additions, which makes **2 M N K**
# floating-point operations, or FLOP for short. For 4,096 × 4,096 matrices, that's 137
# billion. **Predict** how long Python would need for them, given that 4,096 is about 85
# times 48.

# %%
print(f"{took * (4096 / 48) ** 3 / 3600:.0f} hours")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The work grows with the cube of the size, so it takes about 85³, or more than 600,000
# times as long as 48 × 48.
#
# </details>
#
# ## One thread per element
#
# cuBLAS takes {{a @ b, 4,096 | PyTorch | time}}. The first step toward that time is the
# biggest: all elements of c can be computed at once, so the loops over row and col
# disappear.
#
# As in chapter 01, y counts rows and x counts columns. The picture shows what one
# thread reads and writes. With b above c, and a to the left of c, each element of c is
# where its row of a and its column of b meet.

# %%
a, b = np.arange(12).reshape(4, 3), np.arange(15).reshape(3, 5)
viz.product(a, b, (1, 2))

# %% [markdown]
# The kernel is the innermost loop, and you'll write it in exercise 1 of the lab. Here
# the reference solution runs, with M, N, and K all different.

# %%
naive = Kernel(matmul.matmul_naive.text, "matmul_naive")
M, N, K = 37, 51, 29
a, b = draw.random((M, K), np.float32), draw.random((K, N), np.float32)

# %% [markdown]
# **Puzzle 1: enough blocks.** Blocks have 16 × 16 threads. Change the grid so that
# every element of the 37 × 51 result gets a thread, and no block is left without work.

# %%
grid = (M // 16, N // 16)  # your line

# %%
c = np.zeros((M, N), np.float32)
naive(grid, (16, 16), (a, b, c, M, N, K))
right = np.isclose(c, a @ b)
print(
    int((~right).sum()), "incorrect; solved:", bool(right.all()) and np.prod(grid) < 13
)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The grid's x comes first, and it counts columns, so N comes first too. Both divisions
# must round up, which gives 4 × 3 blocks.
#
# ```python
# grid = (-(-N // 16), -(-M // 16))
# ```
#
# </details>

# %% [markdown]
# ### Break it: swap rows and columns
#
# Suppose that the kernel swaps x and y, so x counts rows. The grid of 4 × 3 blocks has
# 64 threads along x and 48 along y. **Predict** how many elements of the 37 × 51 result
# are incorrect, and how many of a 64 × 64 result.

# %%
text = matmul.matmul_naive.text
text = text.replace(".y", ".?").replace(".x", ".y").replace(".?", ".x")
swapped = Kernel(text, "matmul_naive")
for n, m in (37, 51), (64, 64):
    a, b = draw.random((n, 29), np.float32), draw.random((29, m), np.float32)
    c = np.zeros((n, m), np.float32)
    swapped((-(-m // 16), -(-n // 16)), (16, 16), (a, b, c, n, m, 29))
    print(n, m, "incorrect:", int((np.abs(c - a @ b) > 1e-5).sum()), "of", c.size)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only 48 columns get threads, so the last three columns, with {{=111}} elements, have
# none. {{=Square matrices don't show the mistake|64 64 incorrect: 0}}, because every
# element still gets a thread, only a different one.
#
# </details>

# %% [markdown]
# Always test with three different sizes. Even where the swapped kernel's values are
# correct, though, something else changes.
#
# ## Neighbors
#
# minigrad has both kernels, in `minigrad/kernels/matmul.cu`. Watch the names: there,
# `matmul_naive` is the version where x counts rows, and the version where x counts
# columns, as in exercise 1, is called `matmul_coalesced`. In a block of 16 × 16
# threads, a warp has 16 values of x and 2 of y. What does it ask for when it reads a?
# We start with `matmul_naive`.

# %%
kernels, n = file_text("matmul.cu"), 64
a, b, c = (np.ones((n, n), np.float32) for _ in range(3))
x_is_row = Kernel(kernels, "matmul_naive<float>")
launch = (4, 4), (16, 16), (a, b, c, n, n, n)
line = 1 + kernels[: kernels.index("sum += (A)a[")].count("\n")
viz.access(x_is_row, *launch, line=line)

# %% [markdown]
# The lanes read one number from each of {{=16}} rows of a, so they fetch 16 sectors, or
# 512 bytes, and use only {{=64}}. Now x counts columns.

# %%
x_is_column = Kernel(kernels, "matmul_coalesced<float>")
line = 1 + kernels[: kernels.rindex("sum += (A)a[")].count("\n")
viz.access(x_is_column, *launch, line=line)

# %%
for kernel in x_is_row, x_is_column:
    counts = kernel.check(*launch).counts
    print(f"{kernel.name:<24} {counts['reads']:,} reads, {counts['sectors']:,} sectors")

# %% [markdown]
# It's {{=the same number of reads|524,288 reads, 33,280 sectors}}, but a quarter of the
# sectors. For 4,096 × 4,096 matrices, the time falls from
# **{{a @ b, 4,096 | matmul_naive | time}}** to
# **{{a @ b, 4,096 | matmul_coalesced | time}}**, although only the lines that compute
# row and col differ.
#
# ## How fast can it be?
#
# Two things limit a kernel. The card's **peak** is how many operations it can do per
# second, and its **bandwidth** is how many bytes per second it can move. Which limit
# matters depends on the kernel's **intensity**, its operations per byte. Adding two
# vectors reads 8 bytes and writes 4 for each addition, so its intensity is 1/12.
#
# A product of n × n matrices does 2 n³ operations, and it must move each element of a,
# b, and c once, which is 3 n² elements of 4 bytes. **Predict** how its intensity grows
# with n.

# %%
for n in 16, 64, 256, 1024, 4096:
    flops, nbytes = 2 * n**3, 3 * n**2 * 4
    print(f"{n:>5} {flops:>15,} FLOP {nbytes:>12,} bytes {flops / nbytes:>7.1f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's n / 6, because the work grows with n³ but the data only with n².
#
# </details>

# %% [markdown]
# With n / 6 operations per byte, a large product doesn't have to wait for memory.
#
# The **roofline** (S. Williams, A. Waterman, D. Patterson, 2009) plots both limits
# against the intensity. On the left, at intensity i, memory feeds at most i · bandwidth
# operations per second, which is the slope. On the right, the line is flat, because the
# peak is the limit there. Our bandwidth is the {{machine | PyTorch's copy | GB/s}} GB/s
# of PyTorch's copy, and our peak is the 67 TFLOP/s of float32 in NVIDIA's data sheet.


# %%
product_of = "a @ b, 4,096"
peak, copy = 67e12, rate("machine", "PyTorch's copy", "GB/s") * 1e9
cublas = rate(product_of, "PyTorch") * 1e12
gpu = published(product_of, "PyTorch", "GPU")
roofs = Ceilings(copy, peak, gpu, "PyTorch's copy", "data sheet, float32")

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
# The kernels of chapters 04 and 05, on the left, reach the slope or even lie a little
# above it, because PyTorch's copy isn't the fastest possible. The products are far to
# the right, where memory isn't the limit, and our two kernels are far below the peak.
# The rest of this lesson is about that gap.
#
# The slope and the flat part meet at the **ridge point**, which is peak / bandwidth.

# %%
print(f"{roofs.ridge:.1f} FLOP per byte, which is n = {6 * roofs.ridge:.0f}")

# %% [markdown]
# Square products with a smaller n are to the left of it. (In practice, neither limit
# decides their time, because launching a kernel takes longer than moving so few bytes.)
# A matrix times a vector, as in a language model that writes word by word, is on the
# left at any size. **Predict** its intensity for a 4,096 × 4,096 matrix, whose elements
# are nearly all the bytes.


# %%
def counted_for(a, b):
    for name, value in matmul.roofline(a, b, roofs.bandwidth, roofs.peak).items():
        print(f"{name:9}", value if name == "bound" else f"{value:.3g}")


counted_for((4096, 4096), (4096, 1))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's about {{=0.5}}, because each element of the matrix takes 4 bytes, and it's used
# for one multiplication and one addition.
#
# </details>

# %% [markdown]
# You'll write `roofline`, which counted this, in exercise 5 of the lab.
#
# **Puzzle 2: enough rows.** A layer multiplies a batch of `rows` × 4,096 by weights of
# 4,096 × 4,096. What's the smallest batch for which memory isn't the limit on this GPU?

# %%
rows = 1  # your line


# %%
def intensity(rows):
    return matmul.roofline((rows, 4096), (4096, 4096), copy, peak)["intensity"]


found = intensity(rows - 1) < roofs.ridge <= intensity(rows)
print(f"{intensity(rows):.2f} FLOP per byte; solved:", found)

# %% [markdown]
# <details><summary>Answer</summary>
#
# As long as the weights are most of the bytes, each row adds 2 FLOP per weight of 4
# bytes, so the intensity is about rows / 2. By that, 32.4 rows would be enough, but
# reading the batch and writing the result raise this to 32.9.
#
# ```python
# rows = 33
# ```
#
# </details>

# %% [markdown]
# ## What a kernel asks for
#
# So far we've counted what **must** move, but a kernel may ask for much more. In both
# kernels so far, for example, each thread reads 2 K elements for a single result. So we
# count the sectors that the warps ask for, and divide the FLOP by the bytes in them.


# %%
def asked(kernel, grid, block, args, n):
    """FLOP per byte that the warps ask of global memory."""
    return 2 * n**3 / (32 * kernel.check(grid, block, args).counts["sectors"])


n, own = 64, {}
for kernel in x_is_row, x_is_column:
    own[kernel.name] = asked(kernel, *launch, n)
    bound = own[kernel.name] * copy / 1e12
    print(f"{kernel.name:<24} {own[kernel.name]:.2f} FLOP/byte: {bound:.1f} TFLOP/s")

# %% [markdown]
# Both are to the left of the ridge point. If all these bytes came from memory, the GPU
# could do {{=0.5}} and {{=2.0}} TFLOP/s, but we measured
# {{a @ b, 4,096 | matmul_naive}} and {{a @ b, 4,096 | matmul_coalesced}}. **Predict**:
# what lets a kernel exceed its limit?
#
# <details><summary>Answer</summary>
#
# The limit is for the card's memory, but between memory and the warps there are two
# caches, which keep data that other threads read soon after, so most reads never reach
# memory.
#
# </details>

# %% [markdown]
# In the next version, we decide ourselves which numbers stay close to the warps.
#
# ## Tiles
#
# A block computes 16 × 16 elements of c. Together, its threads need 16 rows of a and 16
# columns of b, and 16 threads need each of those elements. So the block reads each of
# them **once** into shared memory, in pieces along K. Such a piece is a **tile**. The
# picture shows tiles of 4 × 4, in the second step along K.

# %%
a, b = np.arange(96).reshape(12, 8), np.arange(80).reshape(8, 10)
block = slice(4, 8), slice(4, 8)
viz.product(a, b, block, k=slice(4, 8))

# %% [markdown]
# In Python, one step of a whole block is a product of two small tiles.


# %%
def tiled(a, b, T=4):
    """a @ b by tiles of T x T, and how many elements it read."""
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
# **Predict** how the number of reads depends on T.

# %%
a, b = draw.random((32, 32)), draw.random((32, 32))
for T in 1, 2, 4, 8, 16:
    c, reads = tiled(a, b, T)
    print(f"tiles of {T:>2}: {reads:>6,} reads", np.allclose(c, a @ b))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Tiles of T × T need {{=1/T of the reads|tiles of 16: 4,096 reads}} of the plain
# kernel, whose tiles are 1 × 1.
#
# </details>

# %% [markdown]
# With one thread per element, T can be at most 32, because a block has at most 1,024
# threads. For larger tiles, a thread has to compute more than one element.
#
# In CUDA C, each step has four parts: fill, barrier, multiply, barrier. You'll write
# such a kernel in exercise 2.

# %%
tiles = Kernel(matmul.matmul_tiled.text, "matmul_tiled")
n = 64
a, b = (draw.random((n, n), np.float32) for _ in range(2))
c = np.zeros((n, n), np.float32)
launch = (4, 4), (16, 16), (a, b, c, n, n, n)
tiles(*launch)
print(np.allclose(c, a @ b), f"{asked(tiles, *launch, n):.1f} FLOP per byte")

# %% [markdown]
# ### Break it: only one barrier
#
# The first barrier is easy to explain: no thread may multiply before the tiles are
# full. **Predict** what goes wrong without the second one, at the end of the loop.

# %%
text = matmul.matmul_tiled.text
last, barrier = text.rindex("__syncthreads();"), "__syncthreads();"
no_second = Kernel(text[:last] + text[last + len(barrier) :], "matmul_tiled")
for finding in no_second.check(*launch).findings:
    print(finding.kind, "|", finding.message)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=a race|race}}. A warp that's done multiplying fills its cells for the next
# step while another warp still reads them. (`race-warp` is the same between two threads
# of one warp.) On a GPU, the result may be correct a thousand times before it isn't.
#
# </details>
#
# ### Break it: the tail
#
# If K = 37, there are two whole tiles and 5 more columns. Cells of the last tile that
# are beyond K must hold **0**, but this kernel leaves them alone. **Predict** what they
# hold if K = 37, and if K = 5.

# %%
cell = r"(\w_tile\[ty\]\[tx\]) = (.*) \? (.*) : 0.0f;"
bare = re.sub(cell, r"if (\2) \1 = \3;", matmul.matmul_tiled.text)
tail = Kernel(bare, "matmul_tiled")
for K in 37, 5:
    a, b = draw.random((16, K), np.float32), draw.random((K, 16), np.float32)
    c = np.zeros((16, 16), np.float32)
    report = tail.check(1, (16, 16), (a, b, c, 16, 16, K))
    tail(1, (16, 16), (a, b, c, 16, 16, K))
    kinds = {finding.kind for finding in report.findings}
    print(K, "off by", np.abs(c - a @ b).max(), kinds or "no finding")

# %% [markdown]
# <details><summary>Answer</summary>
#
# With K = 37, they hold what the step before left there. The cells were written, so
# {{=no tool complains|no finding}}, but the result is incorrect. With K = 5, they were
# never written, and {{=the simulator finds that|uninitialized}}.
#
# </details>

# %% [markdown]
# For tiles of 16 × 16, a test needs a K that's larger than 16 and not a multiple of it.
#
# ### How much faster is it?
#
# The threads read 1/16 as many elements as before, and `matmul_coalesced` took
# {{a @ b, 4,096 | matmul_coalesced | time}}. **Predict** how long `matmul_tiled` takes.
#
# <details><summary>Answer</summary>
#
# You may have expected a sixteenth of the time, but it takes
# **{{a @ b, 4,096 | matmul_tiled | time}}**.
#
# </details>

# %% [markdown]
# `matmul_tiled` is far from 16 times as fast, for two reasons. First, the caches
# already served most of the repeated reads. (The warps' traffic also fell only to about
# a seventh, because in `matmul_coalesced`, 16 lanes already shared one element of a.)
# Second, something else takes the time now. **Predict**: how often does a thread access
# **shared** memory per multiplication?

# %%
ones = [np.ones((64, 64), np.float32) for _ in range(3)]
launch = (4, 4), (16, 16), (*ones, 64, 64, 64)
counts = tiles.check(*launch).counts
print(counts["shared_requests"] * 32 / 64**3, "accesses per multiplication")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=2.125}}: one number from each tile, and 1/8 for filling both.
#
# </details>

# %% [markdown]
# In one clock, a multiprocessor of this GPU multiplies for 4 warps, but its shared
# memory has 32 banks and serves only one warp. With 2 accesses per multiplication, the
# kernel gets at most 1/8 of the peak, which is 8.4 of the 67 TFLOP/s, and
# {{a @ b, 4,096 | matmul_tiled}} were measured. So **shared memory is a limit too**.
#
# ## Registers
#
# We use the same idea one level closer to the arithmetic: now a single thread keeps the
# numbers it has read in **registers**, and uses each of them several times.
#
# Let's start with a small version, for sizes that are multiples of 16. Each thread
# computes **four** elements of a column of c, so a block has only 16 × 4 threads.

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
# **Puzzle 3: read it once.** The line below is correct, but the simulator counts no
# fewer reads, because it reads two numbers per multiplication. One of the two is the
# same for all four elements, so read that one once, and predict how many accesses are
# left.

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
# It's the number from b. That leaves one access for a's number, 1/4 for b's, and 1/8
# for filling the tiles, so 1.375 in all.
#
# ```c
# float right = B[i][tx]; for (int r = 0; r < 4; r++) sum[r] += A[ty + r][i] * right;
# ```
#
# </details>

# %% [markdown]
# A column of four only reuses numbers from b, but a **patch** of R × C elements reuses
# numbers from both tiles. For each k, the thread reads R numbers from a's column k and
# C from b's row k, and multiplies all R · C pairs, so it needs (R + C) / (R · C) reads
# per multiplication. The sums and both lists of numbers stay in registers, and a thread
# has at most 255. **Predict**: is 8 × 8 possible, and is 16 × 16?

# %%
for R, C in (1, 1), (8, 1), (4, 4), (8, 8), (16, 8), (16, 16):
    print(f"{R:>2} x {C:<2}  {(R + C) / (R * C):.3f} reads, {R * C + R + C} registers")

# %% [markdown]
# <details><summary>Answer</summary>
#
# 8 × 8 needs only {{=80}} registers, so it's possible, but 16 × 16 would need {{=288}},
# more than a thread can have.
#
# </details>

# %% [markdown]
# With patches of 8 × 8, a block of 256 threads computes 128 × 128 elements. So its
# tiles are larger too, and it reads 1/128 of what the plain kernel reads. The picture
# shows a smaller patch of 2 × 2: for one k, its thread reads 2 numbers from each matrix
# for 4 sums.

# %%
a, b = np.arange(32).reshape(8, 4), np.arange(32).reshape(4, 8)
patch_of = slice(2, 4), slice(4, 6)
viz.product(a, b, patch_of, k=2)

# %% [markdown]
# Between block and thread, there's one more level, the warp. Its 32 patches form a
# rectangle, and lanes that need the same number share one access. So for each k, a warp
# needs 8 numbers of a per row of patches, and 8 of b per column of patches.
#
# **Puzzle 4: shape a warp.** Now a warp's patches form 2 rows of 16. Choose a shape
# that needs the fewest numbers.

# %%
down, along = 2, 16  # your line

# %%
row, col = np.mgrid[:128, :128] // 8  # of patches
warp = row // down * (16 // along) + col // along
picture = warp + 8.0 * ((row == 0) & (col == 0))  # the first thread's patch
plt.figure(figsize=(3.2, 3.2))
plt.imshow(picture, cmap="tab20")
plt.title("one block: colors are warps, the corner is one thread", fontsize=7)
plt.xlabel("columns of c"), plt.ylabel("rows of c")
best = down * along == 32 and down + along == 12
print(8 * down + 8 * along, "numbers per k; solved:", best)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's the shape closest to a square. (8 and 4 are just as good.)
#
# ```python
# down, along = 4, 8
# ```
#
# </details>

# %% [markdown]
# Once you've solved the puzzle, run this cell, which shows all three levels.

# %%
viz.tiling()

# %% [markdown]
# You'll write such a kernel in exercise 3. minigrad has three of them, each going a
# step further: `matmul_column` with 8 × 1, `matmul_patch` with 8 × 8, and
# `matmul_vectors`, which reads and writes 16 bytes at a time as `float4`, so it needs
# fewer instructions for the same bytes.
#
# Now we count the traffic of all versions, each with K = 32 and with K = 96, and take
# the difference. That removes the cost of writing c, which is negligible for a large K.
# (You'll meet `pipelined` below.)

# %%
variants = {  # name: how many rows and columns a block computes, and its threads
    "naive<float>": (16, (16, 16)), "coalesced<float>": (16, (16, 16)),
    "tiled<float>": (16, (16, 16)), "column<float>": (64, 512),
    "patch<float>": (128, 256), "vectors": (128, 256), "pipelined<1, 0, 1>": (128, 128),
}  # fmt: skip


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
# A **pass** is one clock in which shared memory serves one warp. If lanes need
# different words of one bank, an access takes several passes (chapter 02). **Predict**
# which versions save traffic compared with the one before, and which save passes.

# %%
rows = {}
for name in variants:
    sectors, passes = (counted(name, 96) - counted(name, 32)) / (128 * 128 * 64)
    rows[name.partition("<")[0]] = 2 / (32 * sectors), 32 * passes
for name, (per_byte, passes) in rows.items():
    print(f"{name:<10} {per_byte:6.2f} FLOP per byte, {passes:.2f} passes")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each version up to `patch` saves traffic, because its reads are coalesced or its tiles
# are larger. From `column` on, each saves passes, because of larger patches, accesses
# of 16 bytes, or fewer bank conflicts.
#
# </details>

# %% [markdown]
# From `tiled` on, fewer passes mean more speed. Because shared memory serves one warp
# while 4 multiply, a kernel with p passes per multiplication gets at most 1 / (4 p) of
# the peak.

# %%
names = list(rows)
rows_of = [f"matmul_{variant}" for variant in variants]
measured = rates(product_of, dict(zip(names, rows_of, strict=True)))
for name in names[2:]:
    most = min(1, 1 / (4 * rows[name][1])) * peak / 1e12
    print(
        f"{name:<10} at most {most:4.1f} TFLOP/s by passes, {measured[name]} measured"
    )

# %% [markdown]
# `tiled` and `patch` come close to this limit, but `vectors` falls a quarter short, so
# something else slows it too. `column` is above it, perhaps because NVIDIA's compiler
# joins neighboring accesses, which the simulator counts one by one. Shared memory no
# longer limits `pipelined`.
#
# ### Bank conflicts
#
# A patch of 8 × 8 should need a quarter of an access per multiplication, but `patch`
# takes 0.77 passes. Here is why.

# %%
a, b, c = (np.ones((128, 128), np.float32) for _ in range(3))
args = 1, 256, (a, b, c, 128, 128, 128)
line = 1 + kernels[: kernels.index("right[j] = (A)b_tile[q][tx * 8 + j]")].count("\n")
viz.banks(Kernel(kernels, "matmul_patch<float>"), *args, line=line)

# %% [markdown]
# Reading a number of b's tile takes {{=4}} passes instead of 1. Neighboring threads
# read numbers that are 8 apart, so they use only every eighth bank. Instead of 8
# columns side by side, `pipelined` gives a thread two pieces of 4, which are 32 apart,
# so neighboring threads read neighboring pieces.
#
# ## Load the next tile while you multiply
#
# In all tiled kernels so far, a block has to wait in each step, first for memory and
# then at the barriers. To shorten both waits, the fastest kernel has **two** pairs of
# tiles: while it multiplies one pair, the loads for the other are in flight. This is
# **double buffering**. Compare how long the multiplications wait.

# %%
viz.double_buffering()

# %% [markdown]
# **Puzzle 5: a race.** This small kernel, with tiles of 8 × 8, loads the next numbers
# into registers, multiplies, and then stores them. Change the line so that the
# simulator no longer finds a race in it.

# %%
two_pairs = r"""
    for (int k = 8; k <= K; k += 8) {
        __syncthreads();
        float p = k < K ? a[row * K + k + tx] : 0;  // in flight while we multiply
        float q = k < K ? b[(k + ty) * N + col] : 0;
        for (int i = 0; i < 8; i++) sum += A[now][ty][i] * B[now][i][tx];
        A[now][ty][tx] = p, B[now][ty][tx] = q;  // your line
        now = 1 - now;
    }
    c[row * N + col] = sum;
}
"""

# %%
begin = r"""
__global__ void two(const float* a, const float* b, float* c, int N, int K) {
    __shared__ float A[2][8][8], B[2][8][8];
    int tx = threadIdx.x, ty = threadIdx.y, now = 0;
    int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
    float sum = 0;
    A[0][ty][tx] = a[row * K + tx], B[0][ty][tx] = b[ty * N + col];"""
two, c = Kernel(begin + two_pairs, "two"), np.zeros((16, 16), np.float32)
a, b = (draw.random((16, 16), np.float32) for _ in range(2))
kinds = {found.kind for found in two.check((2, 2), (8, 8), (a, b, c, 16, 16)).findings}
two((2, 2), (8, 8), (a, b, c, 16, 16))
print(kinds or "no finding", "solved:", np.allclose(c, a @ b, 1e-5) and not kinds)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Store into the other pair, which nobody reads in this step. (As given, the kernel
# never fills it, so the simulator also finds `uninitialized`.)
#
# ```c
# A[1 - now][ty][tx] = p, B[1 - now][ty][tx] = q;
# ```
#
# Question 2 at the end asks why one barrier per step is enough.
#
# </details>

# %% [markdown]
# Here are all versions, for 4,096 × 4,096 × 4,096.
#
# | version | idea | TFLOP/s |
# |---|---|---|
# | `naive` | one thread per element | {{a @ b, 4,096 | matmul_n}} |
# | `coalesced` | neighbors read neighbors | {{a @ b, 4,096 | matmul_coa}} |
# | `tiled` | a block shares tiles | {{a @ b, 4,096 | matmul_t}} |
# | `column` | a thread computes 8 | {{a @ b, 4,096 | matmul_column}} |
# | `patch` | a thread computes 8 × 8 | {{a @ b, 4,096 | matmul_pa}} |
# | `vectors` | 16 bytes per access | {{a @ b, 4,096 | matmul_v}} |
# | `pipelined` | 16 × 8, two pairs | {{a @ b, 4,096 | matmul_pipelined<1, 0, 1>}} |
# | cuBLAS | | {{a @ b, 4,096 | PyTorch}} |
#
# In this roofline, each kernel's intensity comes from the bytes that its warps ask for.

# %%
viz.roofline([viz.Point(name, rows[name][0], measured[name] * 1e12) for name in rows],
             roofs)  # fmt: skip

# %% [markdown]
# Follow the kernels in the order of the table: first they move right, and then they
# climb. Caches lift the first two above the slope.
#
# ## What else cuBLAS does
#
# - **Copies that bypass registers.** Since Ampere (2020), `cp.async` copies from global
#   to shared memory in one step. Since Hopper, the *tensor memory accelerator* (TMA)
#   copies whole tiles on its own.
# - **Larger tiles, more of them.** For a float32 product, cuBLAS may use tiles of 256 ×
#   128, and 4 pairs instead of two.
# - **The right kernel for each size.** cuBLAS has many kernels, and chooses one by size
#   and alignment. For 4,095 × 4,099 times 4,099 × 4,097, where rows don't begin at
#   multiples of 16 bytes, cuBLAS still reaches
#   {{a @ b, 4,095 | PyTorch}} TFLOP/s,
#   but `pipelined` reaches only {{a @ b, 4,095 | matmul_pi}}.
# - **More blocks for small results.** If c is small and K is large, few blocks have
#   work. So **Split-K** cuts K into pieces for several blocks, and then adds their
#   sums, like the two stages in chapter 05.
#
# **Tensor cores** multiply small matrices in one instruction. According to the data
# sheet, they're about 7 times as fast with TF32 as plain float32, and 15 times in half
# precision. But TF32 keeps only 11 significant binary digits of a float's 24, so let's
# see what that costs in a product of 256 × 256 matrices.


# %%
def tf32(x):
    """Rounded to 11 significant binary digits: the last 13 bits become 0."""
    return ((x.view(np.int32) + 0x1000) & ~0x1FFF).view(np.float32)


a, b = (draw.random((256, 256), np.float32) for _ in range(2))
exact = a.astype(np.float64) @ b
for name, y in {"float32": a @ b, "TF32": tf32(a) @ tf32(b)}.items():
    print(f"{name}: {(abs(y - exact) / exact).max():.0e}")

# %% [markdown]
# With TF32, only about {{=four digits|TF32: 1e-04}} are correct. That's why PyTorch
# leaves TF32 off for matrix products unless you set
# `torch.backends.cuda.matmul.fp32_precision = "tf32"`.
#
# ## Any layout, any batch
#
# Every linear layer computes `x @ w.T` plus a bias, which is a single operator in
# PyTorch, `torch.addmm(bias, x, w.T)`.
#
# `w.T` is a view with two strides swapped, and the kernel that runs here takes strides.
# **Predict** how many kernels the three lines inside `with` launch.

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
# <details><summary>Answer</summary>
#
# They launch {{=three}}, one per line, because the kernel reads `w.T` in place, and one
# launch computes a whole batch.
#
# </details>

# %% [markdown]
# In the third line, a batch of shape (6, 1) meets a batch of 5, which makes 30
# products. The dimension of size 1 and the missing one have {{=stride 0|((600, 0, 30,
# 1), (0, 60, 2, 1))}} there, so one matrix serves several products, as with `expand` in
# chapter 03.

# %%
batch.expand(6, 5, 20, 30).strides, five.expand(6, 5, 30, 2).strides

# %% [markdown]
# **Puzzle 6: one for all.** Read the 40 × 30 matrix `w` as a batch of 6 transposed
# matrices, each 30 × 40, without a copy.

# %%
w = minigrad.arange(1200).reshape(40, 30)
many = w.as_strided((6, 30, 40), (0, 40, 1))  # your line

# %%
same = [many[i].tolist() == w.T.tolist() for i in range(6)]
print(many.strides, "solved:", all(same))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The batch has stride 0 already. A step down in `w.T` is one cell, and a step to the
# right is a whole row of `w`, which is 30 cells.
#
# ```python
# many = w.as_strided((6, 30, 40), (0, 1, 30))
# ```
#
# </details>

# %% [markdown]
# You'll write a kernel that takes strides in exercise 4. Copying first, with
# `w.T.contiguous()`, would move 134 MB for 4,096 × 4,096 floats. PyTorch transposed a
# larger matrix at
# {{x.T as | PyTorch | GB/s}} GB/s, and minigrad's best kernel did it at
# {{x.T as | transpose_vectors | GB/s}}. At these rates, the copy takes about 0.1 ms or
# less, which is little next to the
# {{a @ b, 4,096 | PyTorch | time}} of the large product. For a small batch, though,
# the copy can take longer than the product.
#
# ## Which kernel runs
#
# `a @ b` runs {{=the fastest version|matmul pipelined}} that supports the operands.
# Once you've written some kernels yourself, it runs the fastest of {{=yours|matmul
# yours matmul_register}}. In this notebook, the reference solutions stand in for yours,
# but they run only if you ask for `"yours"`.

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
# At each level, a number is fetched once and used many times.
#
# | level | what's kept there | used again by | saves |
# |---|---|---|---|
# | caches | recent reads | any thread, with luck | memory |
# | shared memory | tiles | the threads of a block | memory and caches |
# | registers | patches | the thread itself | shared memory |
#
# ## Before you go: three questions
#
# 1. A 4,096 × 16 matrix times a 16 × 4,096 matrix: what's the intensity, and what
#    limits this product on the GPU of this lesson?
# 2. With two pairs of tiles, one barrier per step is enough. Why?
# 3. With tiles of 32 × 32, each of 1,024 threads computes one element. How often does
#    it read shared memory per multiplication?
#
# <details><summary>Answers</summary>
#
# 1. The result has 4,096² elements, and each takes 32 FLOP and 4 bytes. That's 8 FLOP
#    per byte, or 7.94 if you also count a and b. It's left of the ridge point at 16.2,
#    so memory is the limit.
# 2. A step stores into the pair that was read in the step before. The barrier between
#    the two steps makes sure that all threads are done with it, and also that the pair
#    for this step is full.
# 3. It's still 2. Larger tiles save reads of global memory, but only registers save
#    reads of shared memory.
#
# </details>

# %% [markdown]
# In the lab, you'll write four kernels, the roofline, and a test. Then `@` in your own
# framework runs what you wrote.
#
# Further reading: S. Boehm, *How to Optimize a CUDA Matmul Kernel for cuBLAS-like
# Performance*; NVIDIA's CUTLASS, `media/docs/cpp/efficient_gemm.md`; PyTorch's
# `aten/src/ATen/native/cuda/Blas.cpp` (`addmm_out_cuda_impl`) and
# `aten/src/ATen/cuda/CUDABlas.cpp` (`gemm`), which calls cuBLAS.
