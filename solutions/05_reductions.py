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
# Seven kernels and a test, about {{duration}} of work, that make few numbers of many: a
# sum, in blocks, in warps, over any dimensions; the largest element and its place;
# softmax, in three passes and in two; layer norm.
#
# A `check` runs your kernel in the simulator, with all its tools. It wants:
#
# - the right values, beside PyTorch in double precision. **How right** is worked out
#   from the float type and the number of additions one after the other: float passes,
#   half precision does not, and a sum in the wrong order does not either;
# - no finding: no race, no barrier or shuffle that some threads miss;
# - in exercises 6 and 7, few reads of global memory.
#
# Where a GPU is, the kernel runs there as well.
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
# Ten million numbers, one sum. A block has at most 1024 threads, and one block runs on
# one multiprocessor: of 132, 131 would wait. So many blocks make a sum each, and a
# second launch, of one block, adds those.
#
# > x = 1 2 3 4 5 6, two blocks of 2
# >
# > thread 0: 1 + 5, thread 1: 2 + 6, thread 2: 3, thread 3: 4
# >
# > sums = 14 7, and in the second stage 21
#
# One kernel serves both stages:
#
# 1. Each thread adds its elements in a variable of its own, with a grid-stride loop:
#    thread i of all takes `x[i]`, `x[i + threads]`, and so on.
# 2. The threads of a block add theirs as a tree in shared memory, as in lab 02.

# %%
x, threads = [1, 2, 3, 4, 5, 6], 4
own = [sum(x[i::threads]) for i in range(threads)]
print(own, "->", [sum(own[:2]), sum(own[2:])], "->", sum(own))

# %% [markdown] hints="sum_all"
# <details><summary>Hint 1</summary>
#
# First a loop over i, in which each thread adds to a `float sum = 0.0f` of its own.
# When it is done, `sum` goes into the thread's cell of shared memory. Threads without
# any element put 0 there, without a line of their own.
#
# </details>
# <details><summary>Hint 2</summary>
#
# The loop is `for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x *
# blockDim.x)`. The tree is that of lab 02: half = blockDim.x / 2, ..., 1, with a
# barrier in each step, and outside of the `if`.
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
# The lanes of a warp can read each other's variables: `__shfl_down_sync(mask, sum, d)`
# gives each lane the `sum` of the lane d places above it. Five steps, d = 16, 8, 4, 2,
# 1, and lane 0 has the sum of 32, without an array and without `__syncthreads()`.
#
# The **mask** names the lanes that take part, one bit each: `0xffffffff` is all 32. All
# that it names must come to the line, together; and a lane reads nothing sensible from
# one that it does not name.
#
# Here blocks have any size. With 40 threads the second warp has 8 lanes, and the mask
# there is `0xff`. Threads whose element is past the end of x are there all the same:
# they shuffle like the others, and bring 0.

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
# of the block, and the block ends at blockDim.x; but it is never more than 32. The mask
# has that many ones. `1u << 32` is not defined, so 32 lanes are a case of their own.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In each step every lane shuffles: `float other = __shfl_down_sync(mask, sum, d);`
# stands outside of every `if`. Then it adds, if there is a lane `lane + d`. Lane 0
# writes to `sums[blockIdx.x * warps + tid / 32]`.
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
# `x.sum(dim=(0, 2))` of a tensor that may be transposed, sliced or broadcast. Chapter
# 03 said what such a tensor is: a storage, a shape, strides. Bring the dimensions that
# stay to the front (a permutation, which copies nothing), and what is left to do is
# always the same: **the first `kept` dimensions make y, over the others we add.**
#
# So thread i makes y[i]. It takes i apart into an index for each kept dimension, from
# the last one on, as in lab 03; their strides give the place in x where its elements
# begin. Then it walks through the others: number k = 0 ... n - 1 is taken apart in the
# same way, with the other dimensions.
#
# `keepdim` does not concern the kernel: a dimension of size 1 in y changes its shape
# and strides, not one number in memory. A sum of no elements is 0.

# %%
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
front = x.transpose(1, 0, 2)  # sum over dimensions 0 and 2: dimension 1 stays
print(front.shape, [s // 4 for s in front.strides], front.sum((1, 2)))

# %% [markdown] hints="sum_dim"
# <details><summary>Hint 1</summary>
#
# Write a loop that takes a number apart: from the last dimension to the first, `rest %
# shape[d]` is the index, `rest / shape[d]` is what is left for those before it. Each
# index is multiplied by its stride. You need it twice: for d from kept - 1 down to 0,
# and for d from dims - 1 down to kept.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A function of its own, above the kernel, makes it short: `__device__ int offset_of(int
# i, const int* shape, const int* stride, int first, int end)`. The sum is over
# `x[offset_of(i, ..., 0, kept) + offset_of(k, ..., kept, dims)]`.
#
# </details>

# %% exercise="sum_dim"
solves(sum_dim)(r"""
// How far element number i of the dimensions first ... end - 1 lies from the first.
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
# ## The largest, and where it is
#
# One block looks through one row: each thread through every blockDim.x-th element,
# then all of them as a tree. What travels is a pair, the value and its column.
#
# Three things make it less simple than a sum:
#
# - Where does one begin? Not with 0: a row may have negative elements alone.
# - **Ties.** Of equal elements the first one counts, wherever it was found. Thread 0
#   has columns 0, 256, 512, ...; thread 5 has 5, 261, ...: the lower thread is not
#   always the one with the lower column.
# - **NaN.** A search for the largest should show that there was a NaN: it counts
#   as larger than all, and the first one has the column. But every comparison with NaN
#   is false: `a > b` never finds it.
#
# So write the question once, as a function: does element i, which is a, go before
# element j, which is b? The rest is a tree that asks it.

# %%
nan = float("nan")
print(nan > 1, nan < 1, nan == nan, nan != nan)

# %% [markdown] hints="max_argmax"
# <details><summary>Hint 1</summary>
#
# `a != a` is true for NaN alone. If one of the two is NaN, or both are, then it is a
# that goes before b if a is NaN and (b is none, or i < j). Otherwise: if they are
# equal, i < j decides; if not, a > b.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Every thread begins with element 0 of the row, the pair (row[0], 0): then threads
# without elements have something harmless, and no "smallest number" is needed. To
# take it twice does no harm.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Two arrays in shared memory, `float best[256]` and `int where[256]`. In each step a
# thread below half asks for cell tid + half against its own, and takes over both.
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
# A network's last layer gives scores of any size. Softmax makes probabilities of them:
# all positive, together 1. The formula is y = exp(x) / sum of exp(x), and as it stands
# it cannot be computed: `exp(89)` is infinite in float, and ∞ / ∞ is NaN.
#
# The way out costs nothing: softmax stays the same if a number is subtracted from all
# of the row. With the row's largest element subtracted, no exponent is above 0, and one
# of the terms is exp(0) = 1.
#
# So one block does one row, in three passes: the largest; the sum of exp(x - largest);
# the result. Rows may be longer than the block, and shorter. An element of minus
# infinity is a score that is ruled out: its probability is 0.

# %%
x = np.array([1, 2, 1000], np.float32)
with np.errstate(over="ignore", invalid="ignore"):
    print(np.exp(x) / np.exp(x).sum())
shifted = np.exp(x - x.max())
print(shifted / shifted.sum())

# %% [markdown] hints="softmax_rows"
# <details><summary>Hint 1</summary>
#
# Three loops, each `for (int i = tid; i < n; i += blockDim.x)`. After the first comes a
# tree of maxima, after the second a tree of sums, and each time **all** threads need
# the result: it stands in cell 0.
#
# </details>
# <details><summary>Hint 2</summary>
#
# When a thread reads cell 0 and goes on, another may still have to read it; and the
# fast one soon writes its own cell again, with its sum. Between the two a barrier is
# missing: before the tree, `float m = partial[0]; __syncthreads();`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# A thread without elements needs a maximum to begin with that changes nothing: the
# row's first element, `x[blockIdx.x * n]`. It may be minus infinity; as a maximum of
# all that does no harm, since the row has a larger one.
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
# ## Softmax, one pass less
#
# The largest element and the sum in **one** pass over the row. The pair (m, l) says of
# the elements so far: m is the largest, l the sum of exp(x - m). A new element x
#
# - that is not above m: l grows by exp(x - m);
# - that is above m: every term of l was made with the old m. All of them change by the
#   same factor, exp(m - x). So l = l · exp(m - x) + 1, and m = x.
#
# Two pairs make one in the same way: the larger m stays, and the l of the other is
# scaled. That is what the tree does.
#
# One trap: if m and x are both minus infinity, m - x is NaN. A thread that has seen
# no element yet, or ruled out ones alone, is in that place.

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
# Begin with a number for m that every real score is above, and that is not infinite:
# -3e38f. Then exp(m - new) is 0 or 1, never NaN; and an element of minus infinity adds
# exp(-inf) = 0.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `float value = x[i];` once: each time that `x[i]` is written, memory is read. Then
# `float top = max(m, value); l = l * exp(m - top) + exp(value - top); m = top;`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# In the tree: two arrays in shared memory, ms and ls. With `top` the larger of the two
# ms, the new l is `ls[tid] * exp(ms[tid] - top) + ls[other] * exp(ms[other] - top)`.
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
        print(exercise.name, counts["reads"] / 3000, "reads an element")

# %% check="online_softmax"
check(online_softmax)

# %% [markdown] task="layer_norm"
# ## Layer norm
#
# y = (x - mean) / sqrt(var + eps) · gamma + beta: each row is shifted and scaled, so
# that its mean is 0 and its variance 1, and then gets a scale and a shift that a
# network learns, one for each column.
#
# Mean and variance in one pass: the schoolbook has var = E[x²] - E[x]². With a mean of
# 10,000 both are 100,000,000, where floats are 8 apart: of a variance of 1 nothing is
# left. **Welford's** way never subtracts two large, nearly equal numbers. Of the
# elements so far it keeps their number, their mean, and m2, the sum of the squared
# distances from the mean:
#
#     before = x - mean
#     count += 1
#     mean  += before / count
#     m2    += before · (x - mean)
#
# And two such triples, a and b, are joined into one (Chan, Golub, LeVeque 1979):
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
# Three variables a thread, three arrays in shared memory, the usual loop and the usual
# tree. Only the line in the middle of the tree is new: it joins cell tid + half into
# cell tid.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Threads without elements have a count of 0, and 0 / 0 is NaN: if the other's count is
# 0, there is nothing to join. Compute `apart` and `total` before you change anything.
#
# </details>
# <details><summary>Hint 3</summary>
#
# At the end cell 0 has the row's triple. After a barrier every thread reads it: mean =
# means[0], rstd = 1.0f / sqrt(m2s[0] / n + eps).
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
# ## A test for the largest
#
# Random numbers are a poor test of `max_argmax`: no two are alike, none is NaN, and the
# largest is hardly ever below 0. Write a better **test**. A test calls what it is
# given, compares, and raises an error, an AssertionError by `assert`, where something
# is wrong.
#
# The check gives it right kernels, which it must let pass, and wrong ones, which it
# must not: mistakes that learners of this lab really make.

# %%
x = np.array([[3, 7, 7, 1], [-2, -5, -9, -4], [1, np.nan, 8, np.nan]], np.float32)
print(x.max(1), x.argmax(1))

# %% [markdown] hints="test_max_argmax"
# <details><summary>Hint 1</summary>
#
# For each rule of the contract a row that shows whether it holds: equal elements, far
# apart and near; NaN, one and several; negative numbers alone. And rows that are
# shorter and longer than a block; more than one row.
#
# </details>
# <details><summary>Hint 2</summary>
#
# NumPy's `x.max(1)` and `x.argmax(1)` keep the same rules: 0 and -0 are equal, and
# `-np.nan` is NaN as well.
# `np.testing.assert_array_equal` takes NaN for equal to NaN. Put the largest, or NaN,
# twice into a row of 300, once before element 64 and once after it, and launch with
# blocks of 64 and of 256.
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
    print("your max_argmax passes")

# %% check="test_max_argmax"
check(test_max_argmax)
