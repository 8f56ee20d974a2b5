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
# # 05 · Reductions: from sums to softmax
#
# A reduction turns many numbers into one or a few: a sum, a maximum, or a norm. On a
# CPU, it's a short loop, but on a GPU, it raises three questions:
#
# - Which threads add, and in which order? For floats, the order changes the result.
# - How do thousands of threads produce one number?
# - How often is each element read?
#
# After this lesson, you can write sums, maxima, softmax, and layer norm for rows of any
# length, and bound their rounding errors. It builds on chapters 02 to 04, takes about
# {{duration}}, and needs no GPU. All times were measured on one
# {{sum of | PyTorch | GPU}}, where PyTorch's copy reaches
# {{machine | PyTorch's copy | GB/s}} GB/s (`docs/benchmarks/kernels.md`).

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math
import random

import numpy as np

from minigrad import Kernel, answers_from, viz
from minigrad.kernels import memory, reductions
from minigrad.testing import rates

# In this lesson, the reference solutions stand in for labs 01 to 05.
answers_from("solutions", before="06_matmul")

# %% [markdown]
# ## The order changes the sum
#
# A float (float32 in NumPy) has 24 significant bits, so a sum that needs more is
# rounded, and the distance between neighboring floats grows with their size.

# %%
for x in 0.1, 1, 1000, 1e6, 1e8:
    print(f"{x:>13,}  {np.spacing(np.float32(x)):.1e}")

# %% [markdown]
# Here, a is 100,000,000, b is −100,000,000, and c is 1. **Predict** what the next cell
# prints.

# %%
a, b, c = np.float32(1e8), np.float32(-1e8), np.float32(1)
print((a + b) + c)
print(a + (b + c))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It prints {{=1|1.0}} and 0. In the second line, {{=the 1 is lost|0.0}}, because floats
# near −100,000,000 are 8 apart.
#
# </details>

# %% [markdown]
# So float addition isn't associative, and a parallel sum only moves the parentheses.
#
# Now let's add 0.1 a million times, one by one.


# %%
def one_by_one(x):
    """Return the sum in float32, added from the first element to the last."""
    return np.cumsum(x, dtype=np.float32)[-1]


tenths = np.full(1_000_000, 0.1, np.float32)
print(one_by_one(tenths))

# %% [markdown]
# You'd expect 100,000, but the sum is {{=almost 1 % too large|100958.34}}. Once the
# running sum is above 65,536, floats are 1/128 apart, so each further 0.1 is rounded to
# 13/128, which is 0.1016. For a long stretch, the errors all go the same way, so the
# sum **drifts**, here {{=downward at first|-9.5e-06}} and {{=upward|+9.6e-03}} in the
# end.

# %%
running = np.cumsum(tenths, dtype=np.float32)
for n in 10**3, 10**4, 10**5, 10**6:
    print(f"{n:>9,}  {running[n - 1]:>12.4f}  {running[n - 1] / (0.1 * n) - 1:+.1e}")

# %% [markdown]
# A tree adds pairs first, then pairs of those sums, and so on. Each 0.1 goes through 20
# additions instead of up to a million.


# %%
def as_tree(x):
    """Return the sum in float32, with halves added to each other."""
    while len(x) > 1:
        if len(x) % 2:
            x = np.append(x, np.float32(0))
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x[0]


print(as_tree(tenths))

# %% [markdown]
# ### How large can the error be?
#
# The relative rounding error of one addition is at most u, which is 2⁻²⁴ for floats. If
# no element goes through more than k additions, the sum is off by at most about
#
# > k · u · Σ|x|
#
# where Σ|x| is the sum of the absolute values (Higham, chapter 4). If you add one by
# one, k is n − 1, but in a tree, it's only log₂ n, rounded up.

# %%
draw = np.random.default_rng(0)
sizes = [10**k for k in range(3, 8)]
errors = {"one by one": [], "tree": []}
for n in sizes:
    x = draw.random(n, dtype=np.float32)
    exact = x.sum(dtype=np.float64)
    for errors_of, f in zip(errors.values(), (one_by_one, as_tree), strict=True):
        errors_of.append(max(abs(f(x) / exact - 1), 1e-9))
print({name: f"{e[-1]:.0e}" for name, e in errors.items()}, "for", n)
curves = {name: (sizes, e) for name, e in errors.items()}
viz.lines(curves, x="elements", y="relative error", log="xy")

# %% [markdown]
# The tree is not only faster but also {{=**more accurate**|'one by one': '3e-05',
# 'tree': '3e-08'}}. The lab's checks of sums use this bound as their tolerance, so
# every sensible order passes.
#
# **Puzzle 1: two levels.** These cells split a million elements into chunks, add each
# chunk one by one, and then add the chunks' sums one by one. An element goes through at
# most `chunk + n / chunk` additions. Choose a chunk size that divides a million and
# makes this number as small as possible.

# %%
chunk = 2  # your line

# %%
k = chunk + len(tenths) // chunk
chunks = np.cumsum(tenths.reshape(-1, chunk), axis=1, dtype=np.float32)[:, -1]
print(f"k = {k:,}, sum = {one_by_one(chunks)}", "solved:", k <= 2000)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The two terms have the product n, so their sum is smallest if both are √n.
#
# ```python
# chunk = 1000
# ```
#
# This reduces k from 500,002 to 2,000, and the error from 0.35 % to 2 millionths.
#
# </details>

# %% [markdown]
# ### Choosing a tolerance
#
# `np.isclose(got, expected, rtol, atol)` passes if |got − expected| is at most atol +
# rtol · |expected|. The next sum should be 0, so rtol · |expected| is 0 too. A tree has
# 15 levels for 20,000 elements, so the bound is 15 · u · Σ|x|.

# %%
x = draw.normal(size=10_000).astype(np.float32)
x = draw.permutation(np.concatenate([x, -x]))
got, bound = as_tree(x), 15 * 2.0**-24 * abs(x).sum()
print(got, np.isclose(got, 0, rtol=0.01, atol=0))
print(bound, np.isclose(got, 0, rtol=0, atol=bound))

# %% [markdown]
# A relative tolerance of 1 % {{=rejects a correct sum|False}}, which {{=passes|True}}
# if you use the bound as atol. So if terms can cancel, compute atol from the size of
# the terms.
#
# Half precision has 11 significant bits, so its u is 2⁻¹¹. Let's add 10,000 ones.

# %%
ones = np.ones(10_000, np.float16)
print(np.cumsum(ones, dtype=np.float16)[-1])

# %% [markdown]
# The sum stops at {{=2048|2.048e+03}}, because 2049 needs 12 bits and is rounded to
# 2048. So PyTorch and minigrad keep sums of half-precision numbers in float.
#
# Here are ten sums of the same numbers in random order.

# %%
x = draw.random(100_000, dtype=np.float32)
sums = {float(one_by_one(draw.permutation(x))) for _ in range(10)}
print(len(sums), "different sums, from", min(sums), "to", max(sums))

# %% [markdown]
# Atomic additions have no fixed order, so a sum with atomics may change from run to
# run.
#
# ## Two stages
#
# In chapter 02, a block added its elements as a tree. But a block has at most 1,024
# threads, so ten million elements need two more ideas. First, each thread adds many
# elements in a loop. Second, many blocks work at once, and then a single block adds
# their sums.

# %%
viz.stages(range(1, 21), blocks=2, size=4)

# %% [markdown]
# There are 8 threads, so thread 0 adds elements 0, 8, and 16, thread 1 adds elements 1,
# 9, and 17, and so on. This is the grid-stride loop of chapter 01.
#
# **Puzzle 2: who adds what.** The marked line plans the first stage for thread `t` of
# block `b`, but both blocks add the same elements. Fix it.

# %%
x, blocks, size = list(range(1, 21)), 2, 4
threads = blocks * size

# %%
own = [sum(x[t::threads]) for b in range(blocks) for t in range(size)]  # your line

# %%
sums = [sum(own[b * size : (b + 1) * size]) for b in range(blocks)]
print(own, sums, "solved:", sum(sums) == sum(x))

# %% [markdown]
# <details><summary>Answer</summary>
#
# A thread begins at its number within the whole launch. In CUDA C, that's `blockIdx.x *
# blockDim.x + threadIdx.x`.
#
# ```python
# own = [sum(x[b * size + t :: threads]) for b in range(blocks) for t in range(size)]
# ```
#
# </details>

# %% [markdown]
# ### Who adds the blocks' sums?
#
# In an ordinary launch, blocks can't wait for each other (chapter 02), which leaves
# three ways to finish:
#
# 1. Launch a second kernel, which starts when the first has finished.
# 2. Let each block add its sum to the total atomically, which is cheap but has no fixed
#    order.
# 3. Let each block increment a counter atomically when it's done, so the last one knows
#    that it must add all the sums. (`__threadfence()` before the increment makes a
#    block's sum visible to the others.) PyTorch does this, and so does minigrad
#    (`is_last` in `kernels/reduce.cu`).
#
# In exercise 1, you write one kernel for both stages. Here the reference solution adds
# 0.1 ten million times, with 256 blocks of 256 threads and then with one such block.
#
# **Predict**: how many additions does an element go through, at most? Count the loop,
# the tree, and the second stage.
#
# <details><summary>Answer</summary>
#
# A loop has 10,000,000 / 65,536 steps, so up to 153, and the tree has 8. The second
# stage adds 1 + 8, which makes 170 in all, so k · u is about 10 millionths.
#
# </details>

# %%
sum_all = Kernel(reductions.sum_all.text, "sum_all")
x = np.full(10**7, 0.1, np.float32)
sums, total = np.zeros(256, np.float32), np.zeros(1, np.float32)
sum_all(256, 256, (x, sums, x.size))
sum_all(1, 256, (sums, total, sums.size))
exact = x.sum(dtype=np.float64)
print(total[0], exact, f"{total[0] / exact - 1:.1e}")

# %% [markdown]
# The result is {{=off by 1.4 millionths|1.4e-06}}, within the bound of k · u.
#
# ### Break it: one thread per block
#
# What if each of the 256 blocks had a single thread? Then every thread would add up to
# 39,063 elements in its loop. **Predict**: how large is the error if it grows in
# proportion to k?
#
# <details><summary>Answer</summary>
#
# It's about 39,063 / 170 ≈ 230 times the last error of 1.4e-06, or 3.2e-04.
#
# </details>

# %%
sums = np.array([one_by_one(x[b::256]) for b in range(256)])
print(f"{sums.sum(dtype=np.float64) / exact - 1:.1e}")

# %% [markdown]
# The loops alone are off by {{=3.7e-04}}, so the estimate is close.
#
# ### How fast is it?
#
# Here are the rates of three kernels and PyTorch for 268 million floats, counting one
# read of x. (The next section explains shuffles.)

# %%
names = {"a tree in shared memory": "sum_tree", "shuffles": "sum_shuffle",
         "shuffles, loads of 16 bytes": "sum_vec", "torch.sum": "PyTorch"}  # fmt: skip
viz.ranking({"GB/s": rates("sum of", names)})

# %% [markdown]
# All of them are about as fast as the copy, so memory is the limit, and a better tree
# wouldn't help. **Count the bytes first.**
#
# **To the lab**: exercise 1 (`sum_all`).
#
# ## A warp needs no barrier
#
# Threads of the same warp can pass values directly from register to register, which is
# called a **shuffle**. With `__shfl_down_sync(mask, value, d)`, lane i gets the value
# of lane i + d. In Python, we can model a warp as a list.


# %%
def shfl_down(values, d):
    """Return what each lane gets: the value d lanes above, or its own at the end."""
    return [
        values[i + d] if i + d < len(values) else values[i] for i in range(len(values))
    ]


shfl_down([10, 11, 12, 13, 14, 15, 16, 17], 2)

# %% [markdown]
# For the last two lanes, there's no lane two places above, so they get {{=their own
# values back|16, 17, 16, 17]}}. Eight lanes need three steps to add their values.

# %%
values = [1, 2, 3, 4, 5, 6, 7, 8]
for d in 4, 2, 1:
    values = [v + got for v, got in zip(values, shfl_down(values, d), strict=True)]
    print(d, values)

# %% [markdown]
# Lane 0 ends up with the sum, {{=36}}, and the next picture shows only the lanes whose
# values still count.

# %%
viz.tree([1, 2, 3, 4, 5, 6, 7, 8])

# %% [markdown]
# In CUDA C, a full warp takes five steps.

# %%
source = r"""
__global__ void warp_sum(const float* x, float* y) {
    float sum = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) y[0] = sum;
}
"""
x, y = np.arange(32, dtype=np.float32), np.zeros(1, np.float32)
warp_sum = Kernel(source, "warp_sum")
warp_sum(1, 32, (x, y))
print(y, x.sum())

# %% [markdown]
# There's no shared memory and no barrier, because the shuffle itself waits until all
# lanes named in its mask have arrived. Step through it to see the value that each lane
# holds.

# %%
viz.step(warp_sum, 1, 32, (x, y))

# %% [markdown]
# **Puzzle 3: the maximum.** This kernel should find the maximum of a warp's 32
# elements, but it still adds. Fix it.

# %%
maximum = r"""
__global__ void warp_max(const float* x, float* y) {
    float m = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        m += __shfl_down_sync(0xffffffff, m, d);  // your line
    if (threadIdx.x == 0) y[0] = m;
}
"""

# %%
z = np.roll(x, 7)
Kernel(maximum, "warp_max")(1, 32, (z, y))
print(y, "solved:", y[0] == 31)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Nothing changes except how two values become one.
#
# ```c
# m = max(m, __shfl_down_sync(0xffffffff, m, d));
# ```
#
# </details>

# %% [markdown]
# ### The mask
#
# `0xffffffff` is a number with 32 bits, all of them 1. Each bit stands for a lane, so
# this mask names the whole warp. It's a promise: every lane that the mask names reaches
# this line, unless it has already ended. Here only 20 lanes reach it.

# %%
inside = source.replace("sum += __shfl", "if (threadIdx.x < 20) sum += __shfl")
print(Kernel(inside, "warp_sum").check(1, 32, (x, y)))

# %% [markdown]
# On a GPU, a kernel with such a {{=divergent shuffle|divergent-shuffle in warp_sum}}
# may hang.
#
# **Puzzle 4: too few elements.** This kernel should add only the first 20 elements of
# x. The other lanes end before the shuffle, but their values are still used, so the
# simulator complains. Change the line so that it finds nothing and the sum is 190.

# %%
twenty = r"""
__global__ void sum_of_20(const float* x, float* y) {
    float sum; if (threadIdx.x >= 20) return; sum = x[threadIdx.x];  // your line
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) y[0] = sum;
}
"""

# %%
kernel = Kernel(twenty, "sum_of_20")
report = kernel.check(1, 32, (x, y))
kernel(1, 32, (x, y))
print(report)
print(y, "solved:", y[0] == 190 and not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A lane without an element must contribute a value that changes nothing, which for a
# sum is 0.
#
# ```c
# float sum = threadIdx.x < 20 ? x[threadIdx.x] : 0.0f;
# ```
#
# </details>

# %% [markdown]
# A block of 40 threads has a second warp with only 8 lanes. The mask may name the lanes
# that don't exist, but no lane may add a value that comes from them. Here a warp of 8
# lanes adds such values.

# %%
warp_sum(1, 8, (x, y))
y

# %% [markdown]
# The sum is {{=NaN}}, because the simulator replaces undefined values with NaN to make
# them easy to notice.
#
# ### From a warp to a block
#
# First, each warp adds its own elements. Since a block has at most 32 warps, the first
# warp can then add their sums.

# %%
source = r"""
__device__ float warp_sum(float sum) {
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    return sum;
}
"""

# %%
source += r"""
__global__ void block_sum(const float* x, float* sums, int n) {
    __shared__ float partial[32];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    float sum = warp_sum(i < n ? x[i] : 0.0f);
    if (tid % 32 == 0) partial[tid / 32] = sum;
    __syncthreads();
    if (tid >= 32) return;
    sum = warp_sum(tid < blockDim.x / 32 ? partial[tid] : 0.0f);
    if (tid == 0) sums[blockIdx.x] = sum;
}
"""

# %%
x, sums = np.ones(1000, np.float32), np.zeros(2, np.float32)
block_sum = Kernel(source, "block_sum")
block_sum(2, 512, (x, sums, 1000))
print(sums, block_sum.check(2, 512, (x, sums, 1000)))

# %% [markdown]
# The tree of lab 02 takes {{=eight}} steps for a block of 256, with a barrier before
# each.

# %%
tree = Kernel(memory.block_sum.text, "block_sum")
viz.timeline(tree, 1, 256, (x, sums, 256))

# %% [markdown]
# Our new `block_sum` gets by with a single barrier.

# %%
viz.timeline(block_sum, 1, 256, (x, sums, 256))

# %% [markdown]
# **To the lab**: exercise 2 (`warp_reduce`).
#
# ## Over any dimensions
#
# `x.sum(dim=(0, 2))` sums over two dimensions of a tensor, whose strides can be
# anything. If we permute the kept dimensions to the front, which copies nothing
# (chapter 03), there's only one case left: keep the first dimensions and sum over the
# others.

# %%
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
front = x.transpose(1, 0, 2)  # keep dimension 1, sum over 0 and 2
front.shape, [s // 4 for s in front.strides]

# %% [markdown]
# Now each element of the result is the sum of 2 × 4 cells with strides {{=12 and 1|[4,
# 12, 1]}}. Those of element i begin at cell 4 · i.

# %%
storage = x.ravel()
for i in range(3):
    cells = [i * 4 + j * 12 + k * 1 for j in range(2) for k in range(4)]
    print(cells, storage[cells].sum(), x.sum((0, 2))[i])

# %% [markdown]
# With `keepdim=True`, the dimensions you sum over stay, with size 1.

# %%
kept = x.sum((0, 2), keepdims=True)  # NumPy's name for it
print(kept.shape, kept.ravel(), x.sum((0, 2)))

# %% [markdown]
# In both cases, {{=the same three numbers|(1, 3, 1) [ 60. 92. 124.] [ 60. 92. 124.]}}
# are in memory, and only the shape differs. But (3,) doesn't broadcast against x, so to
# divide each element by its sum, you need `kept`.

# %%
(x / kept).sum((0, 2))

# %% [markdown]
# What's the sum of no elements? It must change nothing when you add it, so it's
# {{=0|array([0., 0., 0.])}}, and a product of no elements is {{=1|array([1., 1.,
# 1.])}}. For a maximum or an argmax of no elements, PyTorch raises an error.

# %%
np.zeros((3, 0)).sum(1), np.zeros((3, 0)).prod(1)

# %% [markdown]
# ### Enough threads, side by side
#
# You can sum a matrix of 65,536 × 4,096 floats along its rows or along its columns. We
# try a block or a warp per row, a thread per column, and one or 16 blocks of 32 × 32
# threads for every 32 columns. Neighboring threads always read neighboring elements, so
# all reads are coalesced. The card holds 270,336 threads at once. **Predict** which of
# the five is slow.

# %%
rows = {
    "rows: a block per row": "reduce_blocks",
    "rows: a warp per row": "reduce_warps",
}
columns = {"columns: a thread per column": "reduce_strided",
           "columns: a block per 32": "reduce_columns<0, float>",
           "columns: 16 blocks per 32": "reduce_columns<0, float>,"}  # fmt: skip
speeds = rates("sums of rows", rows | {"rows: torch.sum": "PyTorch"})
speeds |= rates("sums of col", columns | {"columns: torch.sum": "PyTorch"})
viz.ranking({"GB/s": speeds})

# %% [markdown]
# <details><summary>Answer</summary>
#
# One thread per column is slow even though its reads are coalesced. With only 4,096
# threads, there aren't enough loads in flight.
#
# </details>

# %% [markdown]
# A reduction needs both coalesced reads and enough threads.
#
# **To the lab**: exercise 3 (`sum_dim`), which has one thread per result.
#
# ## The maximum, and NaN
#
# A maximum is a reduction with `max` instead of `+`. Nothing is rounded, so you'd
# expect the order not to matter. Here are two ways to write the maximum of two numbers,
# one of which may be NaN (chapter 04).

# %%
source = r"""
__global__ void two(const float* x, float* y) {
    float a = x[0], b = x[1];
    y[0] = a > b ? a : b;
    y[1] = max(a, b);
}
"""
nan = float("nan")
two, y = Kernel(source, "two"), np.zeros(2, np.float32)
for pair in (1, nan), (nan, 1):
    two(1, 1, (np.array(pair, np.float32), y))
    print(pair, y)

# %% [markdown]
# Every comparison with `<`, `>`, `<=`, or `>=` is false if one side is NaN. So the
# result of `a > b ? a : b` {{=depends on the order|(1, nan) [nan 1.] (nan, 1) [1.
# 1.]}}, and with several threads, the order depends on how many there are. If one
# argument is NaN, CUDA's `max` {{=returns the other one|(nan, 1) [1. 1.]}}. PyTorch's
# `max` returns NaN, and `argmax` returns its position, because a NaN shouldn't go
# unnoticed.
#
# In lab 04, you wrote a comparison that keeps NaN: `a > b || a != a ? a : b`.
#
# ### The position of the maximum
#
# To find the position, pass pairs (value, position) up the tree. If several values are
# equal, the first one should win. Below, four threads share a row. Thread `tid` starts
# at column `tid`, looks at every fourth element, and keeps the largest.

# %%
row, size = [0, 7, 0, 0, 7, 0, 0, 0], 4
pairs = []
for tid in range(size):
    mine = range(tid, len(row), size)
    pairs.append(max(((row[j], j) for j in mine), key=lambda p: p[0]))
pairs

# %% [markdown]
# The first 7 is in column 1, but thread 0 has found the one in column {{=4|(7, 4)}}. A
# tree that prefers the lower thread would return 4, so compare the values first, and if
# they're equal, prefer the {{=smaller column|(7, 1)}}.

# %%
max(pairs, key=lambda p: (p[0], -p[1]))

# %% [markdown]
# ### Break it: begin with 0
#
# Suppose the search begins with 0, as a sum does, and the row is −5, −2, −9.

# %%
best = 0
for value in [-5, -2, -9]:
    best = max(best, value)
best

# %% [markdown]
# The result is {{=0}}, which isn't even in the row. So begin with an element of the row
# or with `-INFINITY`.
#
# **To the lab**: exercise 4 (`max_argmax`).
#
# ## Softmax
#
# The scores of a classifier are called **logits**, and softmax turns them into
# **probabilities**, which are between 0 and 1 and add up to 1. It computes yᵢ = exp(xᵢ)
# / Σ exp(xⱼ).

# %%
x = np.array([2.0, 1.0, 0.1], np.float32)
np.exp(x) / np.exp(x).sum()

# %% [markdown]
# If you add the same number to all scores, the probabilities shouldn't change. In
# float, exp overflows above 88.7, and it returns 0 below −104. **Predict** what the
# formula returns if we add 1,000, and if we subtract 1,000.

# %%
with np.errstate(all="ignore"):
    print(np.exp(x + 1000) / np.exp(x + 1000).sum())
    print(np.exp(x - 1000) / np.exp(x - 1000).sum())

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=NaN}} both times, because ∞ / ∞ and 0 / 0 are NaN.
#
# </details>

# %% [markdown]
# To avoid NaN, you may subtract any number c from all scores first. Since exp(x − c) is
# exp(x) / exp(c), the factor 1 / exp(c) cancels.
#
# **Puzzle 5: which c?** Choose c so that the sum neither overflows nor becomes 0, for
# any scores.


# %%
def softmax(x):
    c = 0.0  # your line
    e = np.exp(x - c)
    return e / e.sum()


# %%
with np.errstate(all="ignore"):
    results = [softmax(x), softmax(x + 1000), softmax(x - 1000)]
print(results, "solved:", np.allclose(results, results[0], rtol=1e-3))

# %% [markdown]
# <details><summary>Answer</summary>
#
# With the maximum subtracted, no exponent is above 0, and the largest term is 1. The
# last digits still differ a little, because x + 1000 itself is rounded.
#
# ```python
# c = x.max()
# ```
#
# </details>

# %% [markdown]
# ### Three passes
#
# This softmax takes three passes over x, for the maximum, the sum, and the result. Here
# are the three loops in CUDA C, with one thread per row. After `x += row * n`, `x[i]`
# is element i of the thread's row.

# %%
source = r"""
__global__ void softmax_threads(const float* x, float* y, int rows, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    x += row * n;
    y += row * n;
    float m = x[0], l = 0.0f;
    for (int i = 1; i < n; i++) m = max(m, x[i]);
    for (int i = 0; i < n; i++) l += exp(x[i] - m);
    for (int i = 0; i < n; i++) y[i] = exp(x[i] - m) / l;
}
"""

# %%
x = draw.normal(0, 3, (32, 500)).astype(np.float32)
y = np.zeros_like(x)
threads = Kernel(source, "softmax_threads")
threads(1, 32, (x, y, 32, 500))
print(y.sum(1)[:4])

# %% [markdown]
# Each row adds up to 1, as it should. **Predict**: how many sectors does a warp's read
# of `x[i]` touch, if rows are 2,000 bytes apart and a sector has 32 bytes?

# %%
print(threads.check(1, 32, (x, y, 32, 500)).summary())

# %% [markdown]
# <details><summary>Answer</summary>
#
# It touches {{=32|32 sectors a request}}, because each of the 32 threads reads a
# different one.
#
# </details>

# %% [markdown]
# Nothing is coalesced here, and there are only as many threads as rows. In exercise 5,
# a whole **block** works on each row, which solves both problems.

# %%
x = draw.normal(0, 3, (4, 1000)).astype(np.float32)
y = np.zeros_like(x)
three_pass = Kernel(reductions.softmax_rows.text, "softmax_rows")
report = three_pass.check(4, 256, (x, y, 1000))
print(report, report.counts["reads"] / x.size)

# %% [markdown]
# On average, the reference solution reads an element {{=3.256}} times. Each pass reads
# it once, and each thread also reads the row's first element to begin with.
#
# ### Break it: a missing barrier
#
# All threads read the maximum from `partial[0]`, and then the kernel uses the same
# array for the sum. Without the barrier in between, a fast warp can write its sum into
# `partial[0]` {{=before a slow warp has read the maximum|writes partial[0], which
# thread 255 read}}.

# %%
text = reductions.softmax_rows.text
racy = text.replace("m = partial[0];\n    __syncthreads();", "m = partial[0];")
print(Kernel(racy, "softmax_rows").check(4, 256, (x, y, 1000)))

# %% [markdown]
# **To the lab**: exercise 5 (`softmax_rows`).
#
# ## Online softmax: one pass fewer
#
# Can we compute the sum before we know the maximum? Let m be the maximum of the
# elements so far, and l = Σ exp(xⱼ − m). Now a larger element x arrives. With x as the
# maximum, the sum should have been
#
# > Σ exp(xⱼ − x) = Σ exp(xⱼ − m) · exp(m − x) = l · exp(m − x)
#
# All terms are off by the **same factor**, so a single multiplication corrects the
# whole sum (Milakov and Gimelshein, 2018).
#
# **Puzzle 6: correct the sum.** The marked line only adds the new term, but it must
# also correct l. `top` is the maximum including the new element, so it may be the same
# as m.


# %%
def online(x):
    m, l = -math.inf, 0.0
    for value in x:
        top = max(m, value)
        l = l + math.exp(value - top)  # your line
        m = top
    return m, l


# %%
row = [1.0, 3.0, 2.0, 5.0, 4.0]
expected = max(row), sum(math.exp(v - max(row)) for v in row)
print(online(row), expected, "solved:", np.allclose(online(row), expected))

# %% [markdown]
# <details><summary>Answer</summary>
#
# If the maximum stays the same, the factor is exp(0) = 1, so you don't need an `if`.
#
# ```python
# l = l * math.exp(m - top) + math.exp(value - top)
# ```
#
# </details>

# %% [markdown]
# To join the pairs (m, l) of two threads, correct both sums for the larger maximum and
# add them. Below, 40 elements are reduced as a whole and as eight joined parts.


# %%
def online(x, m=-math.inf, l=0.0):
    for value in x:
        top = max(m, value)
        m, l = top, l * math.exp(m - top) + math.exp(value - top)
    return m, l


def joined(a, b):
    top = max(a[0], b[0])
    return top, a[1] * math.exp(a[0] - top) + b[1] * math.exp(b[0] - top)


# %%
row = draw.normal(0, 2, 40)
parts = [online(row[k::8]) for k in range(8)]
random.shuffle(parts)
while len(parts) > 1:
    half = len(parts) // 2
    parts = [joined(parts[i], parts[i + half]) for i in range(half)]
for m, l in parts[0], online(row):
    print(f"m = {m:.4f}, l = {l:.4f}")

# %% [markdown]
# So computing (m, l) is a reduction like any other, with `joined` instead of `+`. In
# the picture, l drops where m jumps by a lot, because the old terms shrink.

# %%
pairs = [online(row[: k + 1]) for k in range(len(row))]
m, l = zip(*pairs, strict=True)
viz.lines(
    {"x and m": {"x": row, "m": [*m]}, "l": {"l": [*l]}}, "elements so far", dots="x"
)

# %% [markdown]
# ### Break it: minus infinity twice
#
# A score of minus infinity rules a class out. **Predict** what `online` returns if the
# row begins with one.

# %%
online([-math.inf, 1.0])

# %% [markdown]
# <details><summary>Answer</summary>
#
# It returns 1 and NaN. Since −∞ − (−∞) is {{=NaN}}, l becomes NaN and stays NaN.
#
# </details>

# %% [markdown]
# To avoid NaN, begin with a finite number below all finite scores, which a thread
# without elements also needs.

# %%
online([-math.inf, 1.0], m=-3e38), joined(online([], m=-3e38), online([], m=-3e38))

# %% [markdown]
# Three passes read 3n elements and write n, while online softmax reads 2n and writes n.
# **Predict**: how much faster is it if every read goes to memory?
#
# <details><summary>Answer</summary>
#
# It moves 3n instead of 4n elements, so it's 4/3 times as fast.
#
# </details>

# %%
x, y = np.tile(x, (1, 3)), np.zeros((4, 3000), np.float32)
for exercise in reductions.softmax_rows, reductions.online_softmax:
    counts = Kernel(exercise.text, exercise.name).check(4, 256, (x, y, 3000)).counts
    print(f"{exercise.name:<15} {counts['reads'] / x.size:.2f} reads per element")

# %% [markdown]
# Here are the rates for two row lengths, counting one read of x and one write of y,
# even if a kernel reads x again.

# %%
both = {
    "a block per row, three passes": "softmax_shared",
    "a block per row, online": "softmax_online",
    "torch.softmax": "PyTorch",
}
short = {"a thread per row, three passes": "softmax_three",
         "in registers, read once": "softmax_reg"}  # fmt: skip
viz.ranking({
    "16,384 × 4,096, GB/s": rates("softmax of rows, 16", both | short),
    "1,024 × 262,144, GB/s": rates("softmax of rows, 1,0", both),
})  # fmt: skip

# %% [markdown]
# You'd expect online softmax to win both times, but with rows of 4,096 floats, it's
# **slower**. Such a row takes up 16 KB, so the second and third passes find it in a
# cache, and online softmax computes more exponentials. With rows of 1 MB, the cache
# helps less, and online softmax reaches
# {{softmax of rows, 1,0 | softmax_online}} GB/s instead of
# {{softmax of rows, 1,0 | softmax_shared}}. The fastest kernel for short rows keeps
# each row in registers.
#
# Online softmax also never needs the whole row at once, so the elements may arrive
# piece by piece. **Flash attention** is built on that (T. Dao et al., 2022).
#
# **To the lab**: exercise 6 (`online_softmax`).
#
# ## Layer norm: cancellation
#
# Layer norm shifts and scales each row so that its mean is 0 and its variance is 1. You
# can write the variance in two ways:
#
# > var = E[(x − mean)²] = E[x²] − E[x]²
#
# where E[…] is the average over the row. The second form takes only one pass, and in
# exact arithmetic, both are equal. The distance between neighboring floats is about
# 0.000008 near 100, 0.001 near 10⁴, 0.06 near 10⁶, and 8 near 10⁸. **Predict**: with
# variance 1, for which of the means 0, 10, 100, 1,000, and 10,000 is the second form
# useless?


# %%
def square_mean(x):
    return (x * x).mean(dtype=np.float32) - x.mean(dtype=np.float32) ** 2


for mean in 0, 10, 100, 1000, 10_000:
    x = draw.normal(mean, 1, 4096).astype(np.float32)
    print(f"{mean:>6} {x.var(dtype=np.float64):.4f} {square_mean(x):.4f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# At 1,000, few digits are left, and at 10,000 there are none, because E[x²] is about
# 10⁸ there, where floats are 8 apart.
#
# </details>

# %% [markdown]
# Here are the two terms for the mean of 10,000.

# %%
print(f"{(x * x).mean(dtype=np.float64):.3f}  E[x²]")
print(f"{x.mean(dtype=np.float64) ** 2:.3f}  E[x]²")
print(f"{np.spacing(np.float32(1e8))}  between neighboring floats")

# %% [markdown]
# The two numbers agree in their first eight digits, and a float has only about seven,
# so only rounding errors are left, which is called **cancellation**. The subtraction
# itself is exact, but it exposes what was rounded away before.
#
# ### Welford's algorithm
#
# We'd like to subtract first and square afterward, but we don't know the mean yet. B.
# P. Welford (1962) uses the mean of the elements **so far**. His algorithm keeps their
# count, their mean, and m2, which is the sum of their squared distances from that mean.
# Each element x updates all three:
#
#     before = x - mean
#     count += 1
#     mean  += before / count
#     m2    += before · (x - mean)        # old distance · new distance


# %%
def welford(x):
    count = mean = m2 = np.float32(0)
    for value in x:
        before = value - mean
        count += np.float32(1)
        mean += before / count
        m2 += before * (value - mean)
    return count, mean, m2


count, mean, m2 = welford(x)
print(f"{mean:.3f} {m2 / count:.4f} {x.var(dtype=np.float64):.4f}")

# %% [markdown]
# With a mean of 10,000, the variance is {{=correct to about three digits|0.9933
# 0.9934}}. Welford's algorithm also subtracts nearly equal numbers. But floats near
# 10,000 are only 0.001 apart, while those near its square, 10⁸, are 8 apart, so the
# subtraction must come **before** the square.
#
# You can also join the triples (count, mean, m2) of two threads. But each m2 holds
# squared distances from its own part's mean instead of the joined mean, so their sum is
# too small.
#
# **Puzzle 7: the missing term.** Part a is `apart * b[0] / total` away from the joined
# mean, and part b is `apart * a[0] / total` away. Add the squares of these distances,
# once for each element of a and of b.


# %%
def join(a, b):
    total, apart = a[0] + b[0], b[1] - a[1]
    mean = a[1] + apart * b[0] / total
    m2 = a[2] + b[2]  # your line
    return total, mean, m2


# %%
print(*join(welford([1, 1]), welford([3, 3, 3])))
two = join(welford([1, 1]), welford([3, 3, 3]))
print("solved:", np.allclose(two, welford([1, 1, 3, 3, 3]), rtol=1e-4))

# %% [markdown]
# <details><summary>Answer</summary>
#
# a[0] · (apart · b[0] / total)² + b[0] · (apart · a[0] / total)² can be simplified,
# because a[0] + b[0] is the total.
#
# ```python
# m2 = a[2] + b[2] + apart**2 * a[0] * b[0] / total
# ```
#
# </details>

# %% [markdown]
# ### Break it: a thread without elements
#
# A thread without elements has the triple (0, 0, 0), so let's join two such triples.

# %%
with np.errstate(invalid="ignore"):
    print(*join(welford([]), welford([])))

# %% [markdown]
# The mean is {{=NaN|nan}}, because the total is 0. So a kernel must test the total
# before it divides. Here's the reference solution of exercise 7, with four rows whose
# elements are around 10,000. Layer norm also multiplies by a learned scale and adds a
# learned shift, which are ones and zeros here.

# %%
x = draw.normal(10_000, 1, (4, 1000)).astype(np.float32)
ones, zeros, y = np.ones(1000, np.float32), np.zeros(1000, np.float32), np.zeros_like(x)
norm = Kernel(reductions.layer_norm.text, "layer_norm")
norm(4, 256, (x, ones, zeros, y, 1000, np.float32(1e-5)))
y.mean(1), y.std(1)

# %% [markdown]
# The means aren't quite 0, because floats near 10,000 are 0.001 apart, so a row's mean
# is only known to about that.
#
# These are the rates for 16,384 × 4,096 floats, again counting one read and one write.

# %%
names = {
    "mean, then squares: three reads": "layer_norm_two",
    "Welford: two reads": "layer_norm_welford",
    "the row in registers": "layer_norm_reg",
    "F.layer_norm": "PyTorch",
}
viz.ranking({"GB/s": rates("layer norm", names)})

# %% [markdown]
# As with softmax, rows of 16 KB stay in a cache, so Welford's algorithm saves no time
# here. With the row in registers, one read is enough, even if you compute the mean
# first and the squares afterward.
#
# **To the lab**: exercise 7 (`layer_norm`).
#
# ## What PyTorch runs
#
# These are the kernels that `torch.profiler` shows for rows of 4,096 floats.
#
# | call | kernel | GB/s |
# |---|---|---|
# | `x.sum(1)` | `reduce_kernel<512, 1, ...>` | {{sums of rows | PyTorch | GB/s}} |
# | `x.sum(0)` | `reduce_kernel<128, 4, ...>` | {{sums of columns | PyTorch | GB/s}} |
# | `x.argmax(1)` | `reduce_kernel<512, 1, ...>` | {{argmax | PyTorch | GB/s}} |
# | `softmax` | `cunn_SoftMaxForwardReg` | {{softmax of rows, 16 | PyTorch | GB/s}} |
# | `layer_norm` | `vectorized_layer_norm_kernel` | {{layer norm | PyTorch | GB/s}} |
#
# A single template, `reduce_kernel`, does every sum, mean, norm, and maximum. Its type
# argument, the last one, says how two values are joined. For rows of up to 1,024
# elements, PyTorch's softmax uses `softmax_warp_forward`, with one or two rows per
# warp.
#
# ## Summary
#
# | reduction | what travels | neutral value | how two are joined |
# |---|---|---|---|
# | sum | s | 0 | a + b |
# | maximum | m | −∞ | the larger; NaN wins |
# | argmax | (m, i) | none | larger m, then smaller i |
# | softmax | (m, l) | (−3e38, 0) | each l times exp(m − top), then add |
# | variance | (count, mean, m2) | (0, 0, 0) | m2 also grows with apart² |
#
# ## Before you go: two questions
#
# 1. Why may softmax find the maximum with CUDA's `max`, which ignores NaN?
# 2. Can two means be joined without their counts? Try it with [1] and [4, 4, 4].
#
# <details><summary>Answers</summary>
#
# 1. The NaN comes back in the sum, because exp(NaN − m) is NaN. So l is NaN, and so is
#    the whole row.
# 2. They can't, because the mean of the means is {{=2.5|2.5 3.25}}, but the mean of all
#    four is {{=3.25}}.
#
# </details>

# %%
# Check the second answer
a, b = [1.0], [4.0, 4.0, 4.0]
print((np.mean(a) + np.mean(b)) / 2, np.mean(a + b))

# %% [markdown]
# Further reading: N. Higham, *Accuracy and Stability of Numerical Algorithms*, chapter
# 4; T. Chan, G. Golub, and R. LeVeque, *Algorithms for Computing the Sample Variance*
# (1983); M. Milakov and N. Gimelshein, *Online normalizer calculation for softmax*
# (2018); and, in PyTorch's `aten/src/ATen/native/cuda`, `Reduce.cuh` (`reduce_kernel`),
# `PersistentSoftmax.cuh` (`softmax_warp_forward`), and `layer_norm_kernel.cu`
# (`vectorized_layer_norm_kernel`).
