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
# # Lab 05 · Reductions
#
# In this lab, you write seven kernels and a test, which take about {{duration}}. Three
# kernels compute sums, first of blocks, then of warps, and then over any dimensions.
# The others compute the maximum and its column, softmax in two ways, and layer norm. A
# check compares your results with PyTorch in double precision. Its tolerance follows
# from the number of additions that an element may go through, so any sensible order of
# additions passes, but half precision doesn't. The check also reports races and missing
# lanes, and counts reads where the contract limits them. If there's a GPU, your kernel
# also runs there.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

from grading import check, trying
from minigrad import Kernel, answers_from, solves
from minigrad.exercises.own_tests import test_max_argmax
from minigrad.kernels.reductions import (
    layer_norm,
    max_argmax,
    online_softmax,
    softmax_rows,
    sum_all,
    sum_dim,
    warp_reduce,
)

answers_from("labs", before="05_reductions")

# %% [markdown] task="sum_all"
# ## A sum in two stages
#
# Ten million numbers should become a single sum. With a single block, only one
# multiprocessor would work, and on a GPU with 132 of them, 131 would have nothing to
# do. Instead, many blocks each compute a sum, and a second launch with one block adds
# their sums. Here's an example with two blocks of 2 threads.
#
# > x = 1 2 3 4 5 6
# >
# > thread 0: 1 + 5, thread 1: 2 + 6, thread 2: 3, thread 3: 4
# >
# > sums = 14 7, and after the second stage 21
#
# Write one kernel for both stages. Each thread first adds its elements in a variable,
# and then the block adds its threads' sums as a tree in shared memory, as in lab 02.
# How does a thread find its elements, and what does a thread without elements
# contribute?

# %%
x, threads = [1, 2, 3, 4, 5, 6], 4
own = [sum(x[i::threads]) for i in range(threads)]
print(own, "->", [sum(own[:2]), sum(own[2:])], "->", sum(own))

# %% [markdown] hints="sum_all"
# <details><summary>Hint 1</summary>
#
# Which element does thread i of the whole launch begin with, and how far is it from
# there to its next one? There are gridDim.x * blockDim.x threads in all.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use a grid-stride loop that adds to a `float sum = 0.0f`. Then store `sum` in the
# thread's cell of shared memory, even if the thread had no elements. In the tree, a
# variable `half` begins at `blockDim.x / 2`, and you divide it by 2 after every step.
# In the last step, it's 1. Each step begins with a barrier that all threads reach,
# outside of every `if`.
#
# </details>

# %% exercise="sum_all"
solves(sum_all)(r"""
__global__ void sum_all(const float* x, float* sums, int n) {  //: head
    // BEGIN SOLUTION
    __shared__ float partial[256];  //: shared
    int tid = threadIdx.x, threads = gridDim.x * blockDim.x;

    float sum = 0.0f;  //: sum
    //: each_i
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += threads) sum += x[i];
    partial[tid] = sum;  //: fill
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
    x, sums, total = (np.zeros(k, np.float32) for k in (10**6, 64, 1))
    x += np.float32(0.1)
    kernel = Kernel(sum_all.text, "sum_all")
    kernel(64, 256, (x, sums, x.size))
    kernel(1, 256, (sums, total, sums.size))
    print(total[0], x.sum(dtype=np.float64))

# %% check="sum_all"
check(sum_all)

# %% [markdown] task="warp_reduce"
# ## A warp needs no shared memory
#
# With `__shfl_down_sync(mask, sum, d)`, each lane gets the `sum` of the lane d places
# above it. After five steps, with d = 16, 8, 4, 2, and 1, lane 0 has the sum of its
# warp's 32 elements. This takes no array and no `__syncthreads()`.
#
# In this exercise, blocks may have any size. With 40 threads, the second warp has only
# 8 lanes. A value from a lane that doesn't exist is undefined, so you must not add it.
# The mask must name all lanes that reach the shuffle. It may also name lanes that don't
# exist, so if all lanes shuffle, `0xffffffff` is fine for every warp.
#
# A thread whose element is past the end of x is different, because it does exist. The
# easiest way is to let it take part in every shuffle and contribute 0.

# %%
lanes = np.arange(8)
while len(lanes) > 1:
    half = len(lanes) // 2
    lanes = lanes[:half] + lanes[half:]  # lane i adds the sum of lane i + half
    print(lanes)

# %% [markdown] hints="warp_reduce"
# <details><summary>Hint 1</summary>
#
# How many lanes does this thread's warp have? The warp begins with thread `tid - lane`
# of the block and ends after 32 threads or at blockDim.x, whichever comes first.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In each step, every lane calls `__shfl_down_sync`, outside of every `if`, and stores
# the result in a variable. Then it adds that value only if lane `lane + d` exists. At
# the end, lane 0 writes. Each block has (blockDim.x + 31) / 32 sums, so its sums begin
# at blockIdx.x times that number.
#
# </details>

# %% exercise="warp_reduce"
solves(warp_reduce)(r"""
__global__ void warp_reduce(const float* x, float* sums, int n) {
    // BEGIN SOLUTION
    int tid = threadIdx.x, lane = tid % 32, i = blockIdx.x * blockDim.x + tid;
    int lanes = min(32, (int)blockDim.x - (tid - lane));
    unsigned mask = lanes == 32 ? 0xffffffff : (1u << lanes) - 1;  //: mask

    float sum = i < n ? x[i] : 0.0f;  //: sum
    for (int d = 16; d > 0; d /= 2) {  //: each_d
        float other = __shfl_down_sync(mask, sum, d);  //: other
        if (lane + d < lanes) sum += other;  //: if_lane
    }  //: end
    int warps = (blockDim.x + 31) / 32;  //: warps
    if (lane == 0) sums[blockIdx.x * warps + tid / 32] = sum;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    x, sums = np.ones(78, np.float32), np.zeros(4, np.float32)
    kernel = Kernel(warp_reduce.text, "warp_reduce")
    print(kernel.check(2, 40, (x, sums, 78)))
    kernel(2, 40, (x, sums, 78))
    print(sums)

# %% check="warp_reduce"
check(warp_reduce)

# %% [markdown] task="sum_dim"
# ## Over any dimensions
#
# `x.sum(dim=(0, 2))` should also work if x is transposed, sliced, or broadcast. If you
# permute the kept dimensions to the front, which copies nothing, only one case is left:
# **the first `kept` dimensions are those of y, and you sum over the others.**
#
# Thread i computes y[i]. It turns i into an index of the kept dimensions, as in lab 03,
# and their strides say where in x the elements that y[i] adds up begin. Then it loops
# over k from 0 to n − 1, and turns each k into an index of the other dimensions.
#
# `keepdim` doesn't concern the kernel, because it only changes the shape of y.

# %%
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
front = x.transpose(1, 0, 2)  # sum over dimensions 0 and 2: dimension 1 stays
print(front.shape, [s // 4 for s in front.strides], front.sum((1, 2)))

# %% [markdown] hints="sum_dim"
# <details><summary>Hint 1</summary>
#
# How do you turn a number into an index? From the last dimension to the first, `rest %
# shape[d]` is the index, and `rest / shape[d]` is left for the dimensions before it.
# You need this twice. Which dimensions do you go through for i, and which for k?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Fill in `offset_of`, which handles the dimensions `first` to `end - 1` and adds each
# index times its stride. In the kernel, call it once for i with the dimensions 0 to
# kept - 1, and then in the loop for each k with the dimensions kept to dims - 1. The
# sum of both offsets is the position in x.
#
# </details>

# %% exercise="sum_dim"
solves(sum_dim)(r"""
// Return the offset of element i, counted over the dimensions first to end - 1 only.
__device__ int offset_of(int i, const int* shape, const int* stride, int first,
                         int end) {
    // BEGIN SOLUTION
    int offset = 0;
    for (int d = end - 1; d >= first; d--) {  //: each_d
        offset += i % shape[d] * stride[d];  //: add_offset
        i /= shape[d];
    }
    return offset;
    // END SOLUTION
}

__global__ void sum_dim(const float* x, const int* shape, const int* stride, float* y,
                        int dims, int kept, int m, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;  //: guard

    int begin = offset_of(i, shape, stride, 0, kept);  //: begin
    float sum = 0.0f;  //: sum
    for (int k = 0; k < n; k++)  //: each_k
        sum += x[begin + offset_of(k, shape, stride, kept, dims)];  //: add_sum
    y[i] = sum;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel, y = Kernel(sum_dim.text, "sum_dim"), np.zeros(3, np.float32)
    shape, stride = np.array([3, 2, 4], np.int32), np.array([4, 12, 1], np.int32)
    kernel(1, 32, (x, shape, stride, y, 3, 1, 3, 8))
    print(y, x.sum((0, 2)))

# %% check="sum_dim"
check(sum_dim)

# %% [markdown] task="max_argmax"
# ## The maximum and its column
#
# Each block handles one row. Each thread starts at its own column and takes every
# blockDim.x-th element from there. Then a tree joins the threads' results, which are
# pairs of a value and its column. Three things make this harder than a sum:
#
# - **Where to begin.** A row may have only negative elements, so you can't begin with
#   0.
# - **Ties.** If several elements are equal, the first one counts. With 256 threads,
#   thread 0 has columns 0, 256, 512, and so on, and thread 5 has columns 5, 261, and so
#   on. So the lower thread doesn't always have the lower column.
# - **NaN.** It counts as larger than every number, and of several NaNs the first one
#   counts. But `<`, `>`, and `==` are always false for NaN, so `a > b` never finds it.
#
# Write the comparison as a function. `goes_before` says whether element i with value a
# goes before element j with value b, and the rest of the kernel calls it.

# %%
nan = float("nan")
print(nan > 1, nan < 1, nan == nan, nan != nan)

# %% [markdown] hints="max_argmax"
# <details><summary>Hint 1</summary>
#
# Which expression is true only if a is NaN? Write down the cases one by one: a or b is
# NaN, they're equal, or they differ. When does a go before b in each case?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Let every thread begin with the pair (row[0], 0). Then threads without elements have a
# harmless pair, and you don't need a smallest number.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Use two arrays in shared memory, one for values and one for columns. In each step,
# each thread with `tid < half` compares the pair in cell `tid + half` with its own. If
# that pair goes before its own, it copies both numbers.
#
# </details>

# %% exercise="max_argmax"
solves(max_argmax)(r"""
// Does element i, which is a, go before element j, which is b?
__device__ bool goes_before(float a, int i, float b, int j) {
    // BEGIN SOLUTION
    if (a != a || b != b) return a != a && (b == b || i < j);  //: leave
    return a == b ? i < j : a > b;  //: result
    // END SOLUTION
}

__global__ void max_argmax(const float* x, float* values, int* indices, int n) {
    // BEGIN SOLUTION
    __shared__ float best[256];
    __shared__ int where[256];
    int tid = threadIdx.x, i = 0;
    const float* row = x + blockIdx.x * n;

    float a = row[0];  //: a
    for (int j = tid; j < n; j += blockDim.x)  //: each_j
        if (goes_before(row[j], j, a, i)) { a = row[j]; i = j; }  //: if_goes_before
    best[tid] = a;  //: fill
    where[tid] = i;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {  //: each_half
        __syncthreads();  //: barrier
        int other = tid + half;  //: other
        if (tid >= half) continue;
        if (goes_before(best[other], where[other], best[tid], where[tid])) {
            best[tid] = best[other];
            where[tid] = where[other];
        }
    }
    //: if_tid
    if (tid == 0) { values[blockIdx.x] = best[0]; indices[blockIdx.x] = where[0]; }
    // END SOLUTION
}
""")

# %%
with trying():
    x = np.array([[3, 7, 7, 1], [-5, -2, -9, -4], [0, nan, 9, nan]], np.float32)
    values, indices = np.zeros(3, np.float32), np.zeros(3, np.int32)
    Kernel(max_argmax.text, "max_argmax")(3, 32, (x, values, indices, 4))
    print(values, indices)

# %% check="max_argmax"
check(max_argmax)

# %% [markdown] task="softmax_rows"
# ## Softmax
#
# The last layer of a network returns scores of any size, and softmax turns them into
# probabilities, which are at least 0 and add up to 1. The formula is y = exp(x) / sum
# of exp(x), but `exp(89)` is infinite in float, and ∞ / ∞ is NaN.
#
# As in the lesson, subtract the row's maximum. Then no exponent is above 0, and one of
# the terms is exp(0) = 1.
#
# Each block handles one row, in three passes: the maximum, the sum of exp(x − maximum),
# and the result. A row may be longer or shorter than the block. An element of minus
# infinity has probability 0.

# %%
x = np.array([1, 2, 1000], np.float32)
with np.errstate(over="ignore", invalid="ignore"):
    print(np.exp(x) / np.exp(x).sum())
shifted = np.exp(x - x.max())
print(shifted / shifted.sum())

# %% [markdown] hints="softmax_rows"
# <details><summary>Hint 1</summary>
#
# All three passes go through the row with the same loop. What do you need after the
# first pass, and what after the second? Which threads need those results?
#
# </details>
# <details><summary>Hint 2</summary>
#
# After the first loop comes a tree of maxima, and after the second a tree of sums. Each
# time, all threads read the result from cell 0. Which threads may not have read the
# maximum yet when thread 0 writes its sum to cell 0? There must be a barrier in
# between.
#
# </details>
# <details><summary>Hint 3</summary>
#
# A thread without elements needs a maximum that changes nothing, such as the row's
# first element. That element may be minus infinity, which does no harm, because the
# tree finds a larger one.
#
# </details>

# %% exercise="softmax_rows"
solves(softmax_rows)(r"""
__global__ void softmax_rows(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    __shared__ float partial[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;  //: row
    y += blockIdx.x * n;  //: row

    float m = x[0];  //: m_after_row
    for (int i = tid; i < n; i += blockDim.x) m = max(m, x[i]);  //: max_of_thread
    partial[tid] = m;  //: fill
    for (int half = blockDim.x / 2; half > 0; half /= 2) {  //: each_half
        __syncthreads();  //: barrier
        //: max_of_row
        if (tid < half) partial[tid] = max(partial[tid], partial[tid + half]);
    }  //: max_of_row
    __syncthreads();  //: max_of_row
    m = partial[0];  //: max_of_row
    __syncthreads();  //: second_barrier

    float l = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) l += exp(x[i] - m);  //: sum_of_thread
    partial[tid] = l;
    //: each_half_after_sum_of_thread
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  //: third_barrier
        if (tid < half) partial[tid] += partial[tid + half];
    }
    __syncthreads();
    l = partial[0];  //: l
    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - m) / l;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    x = np.array([[1, 2, 1000], [0, 0, 0]], np.float32)
    y = np.zeros_like(x)
    Kernel(softmax_rows.text, "softmax_rows")(2, 32, (x, y, 3))
    print(y)

# %% check="softmax_rows"
check(softmax_rows)

# %% [markdown] task="online_softmax"
# ## Softmax with one pass fewer
#
# Compute the maximum and the sum in **one** pass over the row. The pair (m, l)
# describes the elements so far: m is their maximum, and l is the sum of exp(x − m).
# What does a new element x change?
#
# - If x isn't above m, l grows by exp(x − m).
# - If x is above m, all terms of l were computed with the old m. They all need the same
#   factor, exp(m − x), so l = l · exp(m − x) + 1 and m = x.
#
# The tree joins two pairs in the same way: the larger m stays, and the l of the other
# pair is scaled.
#
# There's one trap: if m and x are both minus infinity, m − x is NaN. This happens in a
# thread that hasn't seen any element above minus infinity yet.

# %%
m, l = -1e30, 0.0  # noqa: E741
for x in [1, 2, 1000, 999]:
    new = max(m, x)
    l = l * np.exp(m - new) + np.exp(x - new)  # noqa: E741
    m = new
    print(m, l)

# %% [markdown] hints="online_softmax"
# <details><summary>Hint 1</summary>
#
# The example begins with m = -1e30, which is below every real score. Why is m − x never
# NaN then? What does an element of minus infinity then add to l?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Copy `x[i]` to a variable once, because each `x[i]` in the code is a read. Compute the
# new maximum, scale l by exp(old m − new m), and add exp(x − new m).
#
# </details>
# <details><summary>Hint 3</summary>
#
# In the tree, use one array for m and one for l. Scale both sums, the thread's own and
# the other, because either of them may have the smaller m.
#
# </details>

# %% exercise="online_softmax"
solves(online_softmax)(r"""
__global__ void online_softmax(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    __shared__ float ms[256], ls[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;  //: row
    y += blockIdx.x * n;  //: row

    float m = -3e38f, l = 0.0f;  //: m
    for (int i = tid; i < n; i += blockDim.x) {  //: each_i
        float value = x[i], top = max(m, value);  //: value
        l = l * exp(m - top) + exp(value - top);  //: l
        m = top;  //: set_m
    }
    ms[tid] = m;  //: fill
    ls[tid] = l;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  //: barrier
        if (tid >= half) continue;  //: leave
        int other = tid + half;
        float top = max(ms[tid], ms[other]);  //: top
        //: fill_ls
        ls[tid] = ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top);
        ms[tid] = top;
    }
    __syncthreads();  //: second_barrier
    //: store
    for (int i = tid; i < n; i += blockDim.x) y[i] = exp(x[i] - ms[0]) / ls[0];
    // END SOLUTION
}
""")

# %%
with trying():
    x = np.linspace(-9, 9, 3000, dtype=np.float32)
    y = np.zeros_like(x)
    for exercise in softmax_rows, online_softmax:
        kernel = Kernel(exercise.text, exercise.name)
        kernel(1, 256, (x, y, 3000))
        counts = kernel.check(1, 256, (x, y, 3000)).counts
        print(exercise.name, counts["reads"] / 3000, "reads per element")

# %% check="online_softmax"
check(online_softmax)

# %% [markdown] task="layer_norm"
# ## Layer norm
#
# Layer norm computes y = (x − mean) / sqrt(var + eps) · gamma + beta for each row.
# First it shifts and scales the row so that its mean is 0 and its variance 1. Then it
# applies a scale and a shift that a network learns, one of each per column.
#
# Mean and variance should take one pass, but the textbook's var = E[x²] − E[x]² fails
# if the mean is large, as the example shows. So use **Welford's algorithm** from the
# lesson, which keeps count, mean, and m2 for the elements so far.
#
# Two such triples, a and b, are joined like this (Chan, Golub, and LeVeque, 1983):
#
#     total = count_a + count_b,  apart = mean_b - mean_a
#     mean  = mean_a + apart · count_b / total
#     m2    = m2_a + m2_b + apart² · count_a · count_b / total

# %%
x = np.random.default_rng(0).normal(10_000, 1, 1000).astype(np.float32)
square_mean = (x * x).mean(dtype=np.float32)
print(square_mean - x.mean() ** 2, "is not", x.var(dtype=np.float64))

# %% [markdown] hints="layer_norm"
# <details><summary>Hint 1</summary>
#
# You need three variables per thread and three arrays in shared memory. The loop and
# the tree are as before. Which formula joins two triples in the tree?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A thread without elements has count 0, and 0 / 0 is NaN. If the other count is 0,
# there's nothing to join. Compute `total` and `apart` before you change any cell.
#
# </details>
# <details><summary>Hint 3</summary>
#
# In the end, cell 0 has the triple of the row. After a barrier, every thread reads it
# and computes 1 / sqrt(m2 / n + eps).
#
# </details>

# %% exercise="layer_norm"
solves(layer_norm)(r"""
//: head
__global__ void layer_norm(const float* x, const float* gamma, const float* beta,
                           float* y, int n, float eps) {  //: head
    // BEGIN SOLUTION
    __shared__ float counts[256], means[256], m2s[256];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    float count = 0.0f, mean = 0.0f, m2 = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) {  //: each_i
        float value = x[i], before = value - mean;  //: value
        count += 1.0f;
        mean += before / count;
        m2 += before * (value - mean);  //: add_m2
    }
    counts[tid] = count;  //: fill
    means[tid] = mean;
    m2s[tid] = m2;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  //: barrier
        int other = tid + half;
        if (tid >= half || counts[other] == 0.0f) continue;  //: leave
        float total = counts[tid] + counts[other], apart = means[other] - means[tid];
        float share = counts[other] / total;
        means[tid] += apart * share;  //: add_means
        m2s[tid] += m2s[other] + apart * apart * counts[tid] * share;  //: add_m2s
        counts[tid] = total;
    }
    __syncthreads();  //: second_barrier
    float rstd = 1.0f / sqrt(m2s[0] / n + eps);  //: rstd
    for (int i = tid; i < n; i += blockDim.x)  //: each_i_after_rstd
        y[i] = (x[i] - means[0]) * rstd * gamma[i] + beta[i];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    y, ones, none = (np.full(1000, k, np.float32) for k in (0, 1, 0))
    arguments = x, ones, none, y, 1000, np.float32(1e-5)
    Kernel(layer_norm.text, "layer_norm")(1, 256, arguments)
    print(y.mean(), y.std())

# %% check="layer_norm"
check(layer_norm)

# %% [markdown] task="test_max_argmax"
# ## A test for max_argmax
#
# Random numbers are a poor test of `max_argmax`. Two of them are hardly ever equal,
# none is NaN, and the maximum is almost never negative. Write a better **test**. A test
# launches a kernel, compares the results, and raises an error if something is wrong.
# For example, `assert` raises an AssertionError.
#
# The check passes correct kernels to your test, which must accept them, and incorrect
# ones, which it must reject. The incorrect ones have mistakes that are easy to make in
# this lab.

# %%
x = np.array([[3, 7, 7, 1], [-2, -5, -9, -4], [1, np.nan, 8, np.nan]], np.float32)
print(x.max(1), x.argmax(1))

# %% [markdown] hints="test_max_argmax"
# <details><summary>Hint 1</summary>
#
# Which row shows whether a kernel keeps a rule of the contract? Go through the rules:
# equal elements, near and far apart, one NaN and several, only negative numbers, rows
# that are shorter and longer than a block, and more than one row.
#
# </details>
# <details><summary>Hint 2</summary>
#
# NumPy's `x.max(1)` and `x.argmax(1)` keep the same rules. There, 0 and -0 are equal,
# and `-np.nan` is also a NaN. `np.testing.assert_array_equal` treats NaN as equal to
# NaN. In a row of 300 elements, put the maximum or NaN in columns 5 and 256, and launch
# blocks of 64 and of 256 threads. Both times, thread 0 has column 256, so a kernel that
# prefers the lower thread returns the wrong one.
#
# </details>


# %% exercise="test_max_argmax"
@solves(test_max_argmax)
def test_max_argmax(kernel):
    ### BEGIN SOLUTION
    random = np.random.default_rng(0)
    plain = random.normal(size=(3, 300))
    ties, nans = plain.copy(), plain.copy()
    ties[:, [70, 130, 290]] = 9
    ties[1, 3] = 9
    nans[:, [75, 129, 280]] = np.nan
    nans[0, 2:4] = np.nan
    nans[2, 4:6] = np.inf, -np.nan
    #: each_x
    for x in (plain, ties, nans, -1 - abs(plain), plain[:, :1], plain[:, :40]):
        for size in (32, 64, 256):  #: each_size
            x = np.ascontiguousarray(x, np.float32)
            values, indices = np.full(3, -9, np.float32), np.full(3, -9, np.int32)
            kernel(3, size, (x, values, indices, x.shape[1]))
            np.testing.assert_array_equal(values, x.max(1))  #: assert_array_equal
            np.testing.assert_array_equal(indices, x.argmax(1))
    ### END SOLUTION


# %%
with trying():
    test_max_argmax(Kernel(max_argmax.text, "max_argmax"))
    print("Your max_argmax passes.")

# %% check="test_max_argmax"
check(test_max_argmax)
