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
# A reduction makes few numbers of many: a sum, a mean, the largest, the place of the
# largest, a norm, softmax's denominator. It looks like the simplest thing a computer
# does. On a GPU it asks three questions:
#
# - **which threads add, and in which order?** For floats the order changes the result;
# - **how do thousands of threads make one number?** Trees, shuffles, two stages;
# - **how often is each element read?** Every pass over it costs memory's time.
#
# At the end you can write sums, maxima, softmax and layer norm for rows of any length,
# and say how large their rounding error may be. It takes about {{duration}}, and builds
# on chapters 02 to 04. Where you are asked to predict, write your guess down first.
# Nothing needs a GPU. Where times stand in the text, they were measured on one
# {{sum of | PyTorch | GPU}} (`docs/benchmarks/kernels.md`); PyTorch's copy moves
# {{machine | PyTorch's copy | GB/s}} GB/s there.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math
import random

import numpy as np

from minigrad import Kernel, answers_from, viz
from minigrad.kernels import memory, reductions
from minigrad.testing import rate, rates

# In this lesson the course's solutions answer the exercises of labs 01 to 05.
answers_from("solutions", before="06_matmul")

# %% [markdown]
# ## A sum is not a sum
#
# A float has 24 significant binary digits (23 are stored: the first is always 1). After
# each addition what does not fit is rounded away. So is (a + b) + c the same as
# a + (b + c)? **Predict** the two lines.

# %%
a, b, c = np.float32(1e8), np.float32(-1e8), np.float32(1)
print((a + b) + c)
print(a + (b + c))

# %% [markdown]
# The second one added 1 to -100,000,000, where floats are {{=8}} apart:
# {{=the 1 was lost|0.0}}. Addition of floats is commutative, but not associative. Where
# parentheses stand matters, and a parallel sum is nothing but other parentheses.
#
# How far apart are floats? That depends on how large they are.

# %%
for x in 0.1, 1, 1000, 1e6, 1e8:
    print(f"{x:>13,}  {np.spacing(np.float32(x)):.2e}")

# %% [markdown]
# Now a million times 0.1, one after the other, in float. **Predict**: is it 100,000?


# %%
def one_by_one(x):
    """A running sum in float32."""
    return np.cumsum(x, dtype=np.float32)[-1]


tenths = np.full(1_000_000, 0.1, np.float32)
print(one_by_one(tenths))

# %% [markdown]
# {{=Wrong by 1 %!|100958.34}} Above 65,536 floats are 1/128 apart. Each 0.1 that is
# added there counts as 13/128, 0.1016; and always so, as long as the sum is in that
# range. The error does not average out, it **drifts**: {{=downwards at
# first|-9.5e-06}}, where 0.1 is rounded down, and {{=upwards|+9.6e-03}} in the end.

# %%
running = np.cumsum(tenths, dtype=np.float32)
for n in 10**3, 10**4, 10**5, 10**6:
    print(f"{n:>9,}  {running[n - 1]:>12.4f}  {running[n - 1] / (0.1 * n) - 1:+.1e}")

# %% [markdown]
# The same numbers as a **tree**: first pairs, then sums of two, of four, ... Only
# numbers of about the same size meet, and each 0.1 goes through 20 additions instead of
# up to a million.


# %%
def as_tree(x):
    """Halves are added to each other, in float32."""
    while len(x) > 1:
        if len(x) % 2:
            x = np.append(x, np.float32(0))
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x[0]


print(as_tree(tenths))

# %% [markdown]
# The rule: an addition is off by at most u = 2⁻²⁴ of its result. If each term
# goes through k additions, the sum is off by at most **k · u · Σ|x|**. One after the
# other k is n; as a tree, log₂ n. (N. Higham, Accuracy and Stability of Numerical
# Algorithms, chapter 4.) Let us see it with random numbers.

# %%
draw = np.random.default_rng(0)
for n in 10**3, 10**5, 10**7:
    x = draw.random(n, dtype=np.float32)
    exact = x.sum(dtype=np.float64)
    errors = [abs(f(x) / exact - 1) for f in (one_by_one, as_tree)]
    print(f"{n:>11,}  one by one {errors[0]:.0e}   tree {errors[1]:.0e}")

# %% [markdown]
# So the parallel way is not only faster, it is {{=**more exact**|one by one 5e-05 tree
# 2e-08}}. And this is how the lab judges you: a tolerance of k · u · Σ|x| lets every
# sensible order pass. Half precision has u = 2⁻¹¹, and does not pass. Watch what it
# does:

# %%
ones = np.ones(10_000, np.float16)
print(np.cumsum(ones, dtype=np.float16)[-1])

# %% [markdown]
# 2048 + 1 is {{=2048}}: half has 11 significant digits. A sum of halves is therefore
# kept in float, in PyTorch and in this course.
#
# ### The same numbers, shuffled
#
# **Predict**: how many different sums do ten orders of the same numbers give?

# %%
x = draw.random(100_000, dtype=np.float32)
sums = {float(one_by_one(draw.permutation(x))) for _ in range(10)}
print(len(sums), "sums, from", min(sums), "to", max(sums))

# %% [markdown]
# A GPU promises no order, so atomics give another sum in each run; and where every
# thread adds its element to one cell, they wait for each other as well (chapter 02).
# **Two stages** need no atomics: each block writes its own sum, and then one block adds
# those. They are no slower, and give the same number each time: one can compare runs.
#
# ## The tree, once more
#
# Chapter 02 built it: half of the cells are added to the other half, and again.

# %%
cells = [3, 1, 4, 1, 5, 9, 2, 6]
while len(cells) > 1:
    half = len(cells) // 2
    print(cells)
    cells = [cells[i] + cells[i + half] for i in range(half)]
print(cells)

# %% [markdown]
# A block has 1024 threads at most. For ten million elements there is a loop in front: a
# thread first adds up its own. In plain Python, with 2 blocks of 4 threads:

# %%
x, blocks, size = list(range(1, 21)), 2, 4
threads = blocks * size
own = [sum(x[i::threads]) for i in range(threads)]
print(own)

# %% [markdown]
# Then each block makes one number of its four:

# %%
sums = [sum(own[b * size : (b + 1) * size]) for b in range(blocks)]
print(sums, sum(sums))

# %% [markdown]
# ### Why two stages?
#
# `sums` still has one number for each block. What adds those? No block of an ordinary
# launch can wait for another (chapter 02). There are three ways:
#
# 1. **A second kernel.** Kernels run one after the other; that is the barrier.
# 2. **One atomic a block.** A thousand atomics instead of ten million. The order is
#    open, so the last bits are.
# 3. **The last block does it.** Each block counts itself off with an integer atomic;
#    the one that comes last adds up what all have left, which a `__threadfence()` lets
#    it see. One launch, fixed order. PyTorch does this, and so do the library's
#    kernels: see `is_last` in `kernels/reduce.cu`.
#
# (A fourth is to launch the grid *cooperatively*: then all its blocks are on the GPU at
# once, and `grid.sync()` of CUDA's cooperative groups is a barrier for all of them. The
# grid can then be no larger than what fits. On Hopper `cluster.sync()` does the same
# for a few blocks.)
#
# And why not simply **one block**? It runs on one multiprocessor, and a large GPU has
# more than a hundred: all others would stand idle.
#
# Exercise 1 is one kernel for both stages. Here the course's solution runs it: first
# with 256 blocks, then with one.

# %%
sum_all = Kernel(reductions.sum_all.text, "sum_all")
x = np.full(10**7, 0.1, np.float32)
sums, total = np.zeros(256, np.float32), np.zeros(1, np.float32)
sum_all(256, 256, (x, sums, x.size))
sum_all(1, 256, (sums, total, sums.size))
print(total[0], x.sum(dtype=np.float64))

# %% [markdown]
# {{=Off by 1.4 millionths.|1.00000144e+06}} Each 0.1 goes through 153 additions in its
# thread's loop, 8 in the tree, and 9 in the second stage: k · u is 10 millionths, and
# the bound holds. (`np.float32(0.1)` is a little more than 0.1, so the exact sum is not
# 1,000,000.)
#
# ### Break it: the whole sum in one thread
#
# The second stage could be a loop in one thread: 256 numbers only. And the first? Take
# 1 thread a block, and n / 256 elements for each. The sum is a sum of 39,063 terms one
# after the other. **Predict** the error.

# %%
sums = np.zeros(256, np.float32)
for b in range(256):
    sums[b] = one_by_one(x[b::256])
print(sums.sum(dtype=np.float64), x.sum(dtype=np.float64))

# %% [markdown]
# ### And the speed?
#
# 268 million floats, 1 GB. GB/s of x, which is read once:

# %%
names = {"a tree in shared memory": "sum_tree", "shuffles": "sum_shuffle",
         "the same, 16 bytes a load": "sum_vec", "torch.sum": "PyTorch"}  # fmt: skip
viz.ranking({"GB/s": rates("sum of", names)})

# %% [markdown]
# All are as fast as memory is. Once each thread has many elements, the tree at the end
# costs nothing: it is a few steps a block. **Count the bytes first**; a cleverer tree
# cannot make a kernel faster that waits for memory.
#
# **To the lab**: exercise 1 (`sum_all`).
#
# ## A warp needs no barrier
#
# Within a warp there is a shorter way: a **shuffle**. Each lane offers a variable, and
# takes that of another lane, from register to register.
#
# `__shfl_down_sync(mask, value, d)`: lane i gets the value of lane i + d. In Python, a
# warp is a list:


# %%
def shfl_down(values, d):
    """What each lane gets: the value d lanes above it, or its own at the end."""
    return [
        values[i + d] if i + d < len(values) else values[i] for i in range(len(values))
    ]


shfl_down([10, 11, 12, 13, 14, 15, 16, 17], 2)

# %% [markdown]
# The lanes at the end have none above them, and get {{=their own value back|16, 17, 16,
# 17]}}. That does no harm: what they make of it is never read. Eight lanes, three
# steps:

# %%
values = [1, 2, 3, 4, 5, 6, 7, 8]
for d in 4, 2, 1:
    values = [v + got for v, got in zip(values, shfl_down(values, d), strict=True)]
    print(d, values)

# %% [markdown]
# Lane 0 has the sum, {{=36}}; the others hold sums of no use. The picture: which lane
# gives to which, among those whose values still count.

# %%
viz.tree([1, 2, 3, 4, 5, 6, 7, 8])

# %% [markdown]
# In CUDA C five steps make one number of 32, with {{=no array|0 accesses of shared
# memory}} and no barrier:

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

# %%
counts = warp_sum.check(1, 32, (x, y)).counts
print(counts["shared_requests"], "accesses of shared memory")

# %% [markdown]
# Step by step, with the value that each lane holds:

# %%
viz.step(warp_sum, 1, 32, (x, y))

# %% [markdown]
# ### The mask
#
# `0xffffffff` has a bit for each of 32 lanes: all of them take part. It is a promise:
# **every lane that the mask names comes to this line**. **Predict** what the tools say
# if only 20 lanes come.

# %%
early = "if (threadIdx.x >= 20) return;  // wrong on purpose\n    float sum"
some = source.replace("float sum", early)
inside = source.replace("sum += __shfl", "if (threadIdx.x < 20) sum += __shfl")
print(Kernel(inside, "warp_sum").check(1, 32, (x, y)))

# %% [markdown]
# And if the others have ended before? Then they are not waited for; but whoever takes
# the value of one of them gets something undefined. The simulator gives {{=NaN}}:

# %%
Kernel(some, "warp_sum")(1, 32, (x, y))
y

# %% [markdown]
# So threads without an element **stay**, and bring what changes nothing: 0 for a sum.
#
# A block then has two steps: each warp by itself, and then the warps' numbers, which
# are at most 32, so that one warp does them. One barrier instead of ten.

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
# The tree of lab 02, for a block of 256: {{=eight}} steps, with a barrier before each.

# %%
tree = Kernel(memory.block_sum.text, "block_sum")
viz.timeline(tree, 1, 256, (x, sums, 256))

# %% [markdown]
# And this one. **Predict** how many barriers it has.

# %%
viz.timeline(block_sum, 1, 256, (x, sums, 256))

# %% [markdown]
# **To the lab**: exercise 2 (`warp_reduce`).
#
# ## Over any dimensions
#
# `x.sum(dim=(0, 2))` of a tensor of any strides. Chapter 03 has done the work: which
# dimensions are summed is a question of **order**. Bring the kept ones to the front.

# %%
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
front = x.transpose(1, 0, 2)  # keep dimension 1, sum over 0 and 2
front.shape, [s // 4 for s in front.strides]

# %% [markdown]
# Now every element of y is one walk: begin at i · 4, and go through a 2 × 4 grid with
# the strides {{=12 and 1|[4, 12, 1]}}.

# %%
storage = x.ravel()
for i in range(3):
    cells = [i * 4 + j * 12 + k * 1 for j in range(2) for k in range(4)]
    print(cells, storage[cells].sum(), x.sum((0, 2))[i])

# %% [markdown]
# Nothing is copied, whatever the strides. A broadcast dimension has the stride 0, and
# its one element is added n times, as it must be.
#
# ### keepdim is a matter of strides
#
# `keepdim=True` leaves a dimension of size 1. **Predict**: does the kernel have to
# know?

# %%
kept = x.sum((0, 2), keepdims=True)
print(kept.shape, kept.ravel(), x.sum((0, 2)))

# %% [markdown]
# {{=The same three numbers|(1, 3, 1) [ 60. 92. 124.] [ 60. 92. 124.]}} in memory, read
# with another shape. Why have it? Because a shape of (1, 3, 1) broadcasts against x,
# and (3,) does not:

# %%
(x / kept).sum((0, 2))

# %% [markdown]
# ### Who reads what
#
# A sum over the last dimension, and one over the first: the same additions. 65,536 ×
# 4,096 floats, in GB/s. **Predict** which is slow:

# %%
rows = {"rows: a block each": "reduce_blocks", "rows: a warp each": "reduce_warps"}
columns = {"columns: a thread each (exercise 3)": "reduce_strided",
           "columns: blocks of 32 × 32": "reduce_columns<0, float>",
           "the same, 16 blocks a column": "reduce_columns<0, float>,"}  # fmt: skip
speeds = rates("sums of rows", rows | {"rows: torch.sum": "PyTorch"})
speeds |= rates("sums of col", columns | {"columns: torch.sum": "PyTorch"})
viz.ranking({"GB/s": speeds})

# %% [markdown]
# A thread a column is coalesced: neighbors read neighbors. But there are only
# 4,096 of them, where the card holds 270,000: too few loads are on their way. **A
# reduction needs both: neighbors side by side, and enough threads.**
#
# And a sum of nothing? What changes nothing: {{=0|array([0., 0., 0.])}}. For a product
# it is {{=1|array([1., 1., 1.])}}. For a maximum it would be minus infinity; but whole
# numbers have none, and an argmax has no place to name, so PyTorch raises an error
# there.

# %%
np.zeros((3, 0)).sum(1), np.zeros((3, 0)).prod(1)

# %% [markdown]
# **To the lab**: exercise 3 (`sum_dim`).
#
# ## The largest, and NaN
#
# A maximum is a reduction like a sum: `max` in the place of `+`. No rounding, and order
# does not matter. Or does it? **Predict** the three lines.

# %%
nan = float("nan")
print(max(1, nan), max(nan, 1))
print(np.maximum(1, nan), np.maximum(nan, 1))
print(np.fmax(1, nan), np.fmax(nan, 1))

# %% [markdown]
# Python's `max(a, b)` asks `b > a`, and every comparison with NaN is false: {{=the
# first one stays|1 nan}}. NumPy's `maximum` {{=asks whether one is NaN|nan nan}}. C's
# `fmax`, and with it CUDA's `max`, takes the {{=**other**|1.0 1.0}} one. So there are
# three answers to one question:
#
# | | NaN in the row |
# |---|---|
# | `a > b ? a : b` | {{=depends on the order|(nan, 1) [ 1. 1. nan]}} |
# | `fmaxf`, CUDA's `max` | {{=is passed over|(1, nan) [nan 1. nan]}} |
# | PyTorch's `max`, `argmax` | wins: a NaN should not go unnoticed |
#
# The first is the worst: a parallel kernel has no order. In CUDA C:

# %%
source = r"""
__global__ void three(const float* x, float* y) {
    float a = x[0], b = x[1];
    y[0] = a > b ? a : b;
    y[1] = max(a, b);
    y[2] = a > b || a != a ? a : b;
}
"""
three, y = Kernel(source, "three"), np.zeros(3, np.float32)
for pair in (1, nan), (nan, 1):
    three(1, 1, (np.array(pair, np.float32), y))
    print(pair, y)

# %% [markdown]
# `a != a` is true for NaN alone. With it the third is right {{=in both orders|(nan, 1)
# [ 1. 1. nan]}}.
#
# ### Where it is
#
# With the place a pair travels through the tree. For equal values the first place shall
# win. **Predict**: with threads that take every fourth column, which column does a tree
# find that prefers the lower thread?

# %%
row, size = [0, 7, 0, 0, 7, 0, 0, 0], 4
pairs = []
for tid in range(size):
    mine = range(tid, len(row), size)
    pairs.append(max(((row[j], j) for j in mine), key=lambda p: p[0]))
print(pairs, max(pairs, key=lambda p: p[0]))

# %% [markdown]
# Column {{=4}}, thread 0's; the first {{=7}} is in column 1. The tree must compare
# columns, too: larger value first, then {{=smaller column|(7, 1)}}.

# %%
max(pairs, key=lambda p: (p[0], -p[1]))

# %% [markdown]
# ### Break it: begin with 0
#
# **Predict** what a search that begins with 0 says of these, and where it goes unseen.

# %%
best = 0
for value in [-5, -2, -9]:
    best = max(best, value)
best

# %% [markdown]
# All data after a ReLU is positive or 0, and there it goes unnoticed. Begin with an
# element of the row; or with minus infinity, `__int_as_float(0xff800000)`.
#
# argmax of 65,536 rows of 4,096 floats: {{argmax | arg_blocks | time}} in
# `kernels/argmax.cu`, {{argmax | PyTorch | time}} in PyTorch, where the sum of as many
# numbers takes {{sum of | PyTorch | time}}. The pair costs instructions, and here they
# are seen.
#
# **To the lab**: exercise 4 (`max_argmax`).
#
# ## Softmax
#
# A classifier's scores, its **logits**, become **probabilities**, numbers from 0 to 1
# whose sum is 1: yᵢ = exp(xᵢ) / Σ exp(xⱼ).

# %%
x = np.array([2.0, 1.0, 0.1], np.float32)
np.exp(x) / np.exp(x).sum()

# %% [markdown]
# **Predict** the same with 1000 added to all: the probabilities should be as before.

# %%
with np.errstate(all="ignore"):
    print(np.exp(x + 1000) / np.exp(x + 1000).sum())
    print(np.exp(x - 1000) / np.exp(x - 1000).sum())

# %% [markdown]
# {{=NaN}}: exp overflows in float at 88.7; and below -104 everything is 0. But any
# number c may be subtracted from all scores: exp(x - c) is exp(x) / exp(c), and the
# factor cancels. With c = the largest, the largest term is exp(0) = 1: no overflow, and
# no sum of 0.


# %%
def softmax(x):
    m = x.max()  # one pass over x
    l = np.exp(x - m).sum()  # another
    return np.exp(x - m) / l  # and a third


softmax(x), softmax(x + 1000), softmax(x - 1000)

# %% [markdown]
# Three passes: x is read three times, y is written once. What does each cost? A row
# that has just been read may still lie in a cache; a long one does not.
#
# (The second and the third differ from the first {{=in the last digits|0.6590027}}: x +
# 1000 itself was rounded.)
#
# In CUDA C with a thread for each row, it is three loops:

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
# **Predict** two things that are wrong with it, although y is right. What do the
# sectors of its reads say?

# %%
print(threads.check(1, 32, (x, y, 32, 500)).summary())

# %% [markdown]
# Neighboring threads read a whole row apart, so nothing is
# {{=coalesced|32 sectors a request}}. And there are as many threads as rows: 32 here,
# and even 16,384 would be too few for a card that holds 270,000. So let a **block** do
# a row: a loop and a tree for the maximum, a loop and a tree for the sum, and a loop
# for the result. That is exercise 5.

# %%
x = draw.normal(0, 3, (4, 1000)).astype(np.float32)
y = np.zeros_like(x)
three_pass = Kernel(reductions.softmax_rows.text, "softmax_rows")
report = three_pass.check(4, 256, (x, y, 1000))
print(report, report.counts["reads"] / x.size)

# %% [markdown]
# {{=3.3}} reads an element: three passes, and x[0] once for each thread.
#
# ### Break it: a barrier too few
#
# `m = partial[0]` is read by all threads; then the same array is used for the sum. A
# fast warp writes its sum into cell 0 while a slow one {{=has still to read m|writes
# partial[0], which thread 255 read}}.

# %%
text = reductions.softmax_rows.text
racy = text.replace("m = partial[0];\n    __syncthreads();", "m = partial[0];")
print(Kernel(racy, "softmax_rows").check(4, 256, (x, y, 1000)))

# %% [markdown]
# **To the lab**: exercise 5 (`softmax_rows`).
#
# ## One pass less: (m, l)
#
# Can the sum be made before the maximum is known? Say that of the elements so far we
# have m, the largest, and l = Σ exp(xⱼ - m). Now comes x, and it is larger: the new
# maximum is x. What l should have been is
#
# > Σ exp(xⱼ - x) = Σ exp(xⱼ - m) · exp(m - x) = l · exp(m - x)
#
# All terms are wrong by the **same factor**. So one multiplication mends the whole sum,
# and then exp(x - x) = 1 is added. If x is not larger, l grows by exp(x - m), and that
# is all. (M. Milakov and N. Gimelshein, Online normalizer calculation for softmax,
# 2018.)


# %%
def online(x):
    m, l = -math.inf, 0.0
    for value in x:
        top = max(m, value)
        l = l * math.exp(m - top) + math.exp(value - top)
        m = top
    return m, l


row = [1.0, 3.0, 2.0, 5.0, 4.0]
online(row), (max(row), sum(math.exp(v - max(row)) for v in row))

# %% [markdown]
# The picture: the elements, the running maximum, and l, which falls wherever the
# maximum grows.

# %%
row = draw.normal(0, 2, 40)
pairs = [online(row[: k + 1]) for k in range(len(row))]
m, l = zip(*pairs, strict=True)
viz.lines(
    {"x and m": {"x": row, "m": [*m]}, "l": {"l": [*l]}}, "elements so far", dots="x"
)

# %% [markdown]
# Two threads have a pair each. Joined:


# %%
def joined(a, b):
    top = max(a[0], b[0])
    return top, a[1] * math.exp(a[0] - top) + b[1] * math.exp(b[0] - top)


for m, l in joined(online(row[:15]), online(row[15:])), online(row):
    print(f"m = {m:.4f}, l = {l:.4f}")

# %% [markdown]
# So (m, l) is {{=a reduction like any other|m = 4.5169, l = 2.7276 m = 4.5169, l =
# 2.7276}}, with `joined` in the place of `+`, and a tree can do it. Does the order
# matter? Only for rounding:

# %%
parts = [online(row[k::8]) for k in range(8)]
random.shuffle(parts)
while len(parts) > 1:
    half = len(parts) // 2
    parts = [joined(parts[i], parts[i + half]) for i in range(half)]
print("m = {:.4f}, l = {:.4f}".format(*parts[0]))

# %% [markdown]
# ### Break it: minus infinity twice
#
# Scores of minus infinity mean "ruled out": attention uses them for its mask.
# **Predict** what happens if the row begins with one.

# %%
online([-math.inf, 1.0])

# %% [markdown]
# -inf - (-inf) is {{=NaN}}, and NaN stays. So m begins with {{=a finite number|((1.0,
# 1.0), (-3e+38, 0.0))}} below all scores; or one asks first. In a block it hits more
# often than one thinks: a thread that has no element at all is in the same place.


# %%
def online_safe(x):
    m, l = -3e38, 0.0
    for value in x:
        top = max(m, value)
        l = l * math.exp(m - top) + math.exp(value - top)
        m = top
    return m, l


online_safe([-math.inf, 1.0]), online_safe([])

# %% [markdown]
# In CUDA C the loop is the same, `float top = max(m, value);` and so on; the tree joins
# pairs. What do the two kernels of the lab read?

# %%
x, y = np.tile(x, (1, 3)), np.zeros((4, 3000), np.float32)
for exercise in reductions.softmax_rows, reductions.online_softmax:
    counts = Kernel(exercise.text, exercise.name).check(4, 256, (x, y, 3000)).counts
    print(f"{exercise.name:<15} {counts['reads'] / x.size:.2f} reads an element")

# %% [markdown]
# {{=Two}} reads instead of {{=three}}. **Predict**: how much faster is it?
#
# In GB/s of what must move, x once and y once, for rows of two lengths:

# %%
both = {
    "a block a row, three passes": "softmax_shared",
    "a block a row, online": "softmax_online",
    "torch.softmax": "PyTorch",
}
short = {"a thread a row, three passes": "softmax_three",
         "in registers, read once": "softmax_reg"}  # fmt: skip
viz.ranking({
    "16,384 × 4,096": rates("softmax of rows, 16", both | short),
    "1,024 × 262,144": rates("softmax of rows, 1,0", both),
})  # fmt: skip

# %% [markdown]
# A surprise, and a lesson. In rows of 4,096 floats, 16 KB, online is **slower**: the
# second and third pass find the row in the cache, and the exponential that scales l
# costs more than the read it saves. In rows of 1 MB, which no cache near a block holds,
# it has {{softmax of rows, 1,0 | softmax_online}} GB/s against
# {{softmax of rows, 1,0 | softmax_shared}}. The best for short rows reads once, and
# keeps the row in registers.
#
# What makes online softmax great is something else: it needs no row in one place. The
# elements may come piece by piece, and be forgotten. That is the idea of **flash
# attention** (T. Dao and others, 2022).
#
# **To the lab**: exercise 6 (`online_softmax`).
#
# ## Layer norm: cancellation
#
# Mean 0 and variance 1 for each row. The variance can be written in two ways:
#
# > var = E[(x - mean)²] = E[x²] - E[x]²
#
# The second needs one pass only. In exact arithmetic they are equal. **Predict** for
# which of these means it goes wrong in float: 0, 10, 100, 1000, 10,000.


# %%
def square_mean(x):
    return (x * x).mean(dtype=np.float32) - x.mean(dtype=np.float32) ** 2


for mean in 0, 10, 100, 1000, 10_000:
    x = draw.normal(mean, 1, 4096).astype(np.float32)
    print(f"{mean:>6} {x.var(dtype=np.float64):.4f} {square_mean(x):.4f}")

# %% [markdown]
# At 10,000 it may even be negative, and its root NaN. Look at the digits:

# %%
print(f"{(x * x).mean(dtype=np.float64):.3f}  E[x²]")
print(f"{x.mean(dtype=np.float64) ** 2:.3f}  E[x]²")
print(f"{np.spacing(np.float32(1e8))}  from one float to the next, there")

# %% [markdown]
# Two numbers that agree in {{=seven digits|99999804.783}}, and a float holds no more.
# The difference consists of rounding errors alone: that is **cancellation**. The
# subtraction itself is exact; it brings out what was lost before.
#
# ### Welford
#
# Subtract first, square then; but the mean is not known yet. B. P. Welford (1962) keeps
# the mean **so far**, and the sum m2 of squared distances from it. When x comes:
#
#     before = x - mean
#     count += 1
#     mean  += before / count
#     m2    += before · (x - mean)        # the old distance times the new one


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
print(mean, m2 / count, x.var(dtype=np.float64))

# %% [markdown]
# In float, around 10,000, {{=right to three digits|0.9888267 0.988654543710652}}. m2
# grows with the count, but it never subtracts two large, nearly equal numbers. And two
# triples can be joined: the squares of both, and what comes from their means being
# apart.


# %%
def join(a, b):
    total, apart = a[0] + b[0], b[1] - a[1]
    mean = a[1] + apart * b[0] / total
    return total, mean, a[2] + b[2] + apart**2 * a[0] * b[0] / total


count, mean, m2 = join(welford(x[:1000]), welford(x[1000:]))
print(count, mean, m2 / count)

# %% [markdown]
# ### Break it: a thread without elements
#
# Its triple is (0, 0, 0). **Predict** what joining two such triples gives.

# %%
with np.errstate(invalid="ignore"):
    print(*join(welford([]), welford([])))

# %% [markdown]
# {{=0 / 0|nan}}. In the kernel one asks for the count first. Then (count, mean, m2) is
# the next thing that a tree can reduce. Exercise 7, as the course solves it:

# %%
x = draw.normal(10_000, 1, (4, 1000)).astype(np.float32)
ones, zeros, y = np.ones(1000, np.float32), np.zeros(1000, np.float32), np.zeros_like(x)
norm = Kernel(reductions.layer_norm.text, "layer_norm")
norm(4, 256, (x, ones, zeros, y, 1000, np.float32(1e-5)))
y.mean(1), y.std(1)

# %% [markdown]
# 16,384 × 4,096 floats:

# %%
names = {
    "mean, then squares: three reads": "layer_norm_two",
    "Welford: two reads": "layer_norm_welford",
    "the row in registers": "layer_norm_reg",
    "F.layer_norm": "PyTorch",
}
viz.ranking({"GB/s": rates("layer norm", names)})

# %% [markdown]
# The same lesson as with softmax: rows of 16 KB stay in the cache, and Welford's
# division for each element is not free. With the row in registers there is one read,
# and then the plain way, mean first, is as exact as one can wish.
#
# **To the lab**: exercise 7 (`layer_norm`).
#
# ## What PyTorch runs
#
# `torch.profiler` names the kernels. Here they are with their rates in GB/s, for rows
# of 4,096 floats. **Predict**: which come near the copy's rate?

# %%
kernels = {
    "x.sum(1): reduce_kernel<512, 1, ...>": "sums of rows",
    "x.sum(0): reduce_kernel<128, 4, ...>, four columns a thread": "sums of columns",
    "x.argmax(1): reduce_kernel<512, 1, ...>": "argmax",
    "softmax(x, 1): cunn_SoftMaxForwardReg, in registers": "softmax of rows, 16",
    "layer_norm(x, (4096,)): vectorized_layer_norm_kernel, Welford": "layer norm",
}
viz.ranking({"GB/s": {name: rate(of, "PyTorch") for name, of in kernels.items()}})

# %% [markdown]
# (A softmax of short rows, up to 1024, has `softmax_warp_forward`: a warp a row.)
#
# One template, `reduce_kernel`, does every sum, mean, norm and maximum; what is joined,
# and how, is its argument. It deals out dimensions to threads, and where one output has
# many inputs, several blocks share it and the last one finishes: two stages in one
# launch.
#
# ## What to take with you
#
# | reduction | what travels | what changes nothing | joined |
# |---|---|---|---|
# | sum | s | 0 | a + b |
# | maximum | m | minus infinity | the larger; NaN wins |
# | argmax | (m, i) | – | larger m, then smaller i |
# | softmax | (m, l) | (-3e38, 0) | l scaled by exp(m - top) |
# | variance | (count, mean, m2) | (0, 0, 0) | with apart² |
#
# - Float sums: k · u · Σ|x|. A tree has a small k; half has a large u.
# - Own elements in a loop, warps by shuffles, blocks through shared memory, the grid in
#   a second launch, or in the block that is done last.
# - Count reads before you count anything else; then measure: caches count, too.
#
# ## Before you go: four questions
#
# 1. A sum of 2³⁰ floats: 1024 blocks of 1024 threads, then one block. How many
#    additions does an element go through?
# 2. Why may a row's maximum be found with `max`, which passes over NaN, if all one
#    wants is softmax?
# 3. Can the mean be joined without the count?
# 4. Three passes of softmax read 3n and write n; online reads 2n. What is the largest
#    gain, if nothing stays in a cache?
#
# <details><summary>Answers</summary>
#
# 1. 1024 in the loop, 10 in the tree; in the second stage 1 in the loop, 10 in the
#    tree: about 1045. One after the other it would be 2³⁰.
# 2. The NaN comes back in the sum: exp(NaN - m) is NaN, so l is, so the whole row is.
# 3. {{=No|2.5 3.25}}: the mean of 1 element counts less than that of 1000.
# 4. 4n against 3n: a third.
#
# </details>

# %%
# Check the third answer
a, b = [1.0], [4.0, 4.0, 4.0]
print((np.mean(a) + np.mean(b)) / 2, np.mean(a + b))

# %% [markdown]
# Now **lab 05**: its last exercise is a test for other kernels. What you write there is
# what `sum`, `argmax`, `softmax` and `layer_norm` of your own framework are made of.
#
# To read on: N. Higham, *Accuracy and Stability of Numerical Algorithms*, chapter 4; T.
# Chan, G. Golub and R. LeVeque, *Algorithms for Computing the Sample Variance* (1983);
# M. Milakov and N. Gimelshein, *Online normalizer calculation for softmax* (2018); and
# in PyTorch's `aten/src/ATen/native/cuda`: `Reduce.cuh` (`reduce_kernel`),
# `PersistentSoftmax.cuh` (`softmax_warp_forward`) and `layer_norm_kernel.cu`
# (`vectorized_layer_norm_kernel`).
