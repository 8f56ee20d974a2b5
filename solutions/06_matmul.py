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
# # Lab 06 · Matrix multiplication
#
# In this lab, you write four kernels, the roofline, and a test, in six exercises that
# take about {{duration}}. You start with a plain product of matrices, then use tiles
# and registers, and then multiply batches of any layout. The simulator runs your
# kernels, checks the results, and looks for races and other mistakes. In exercises 2,
# 3, and 4, it also counts reads. If this machine has a GPU, your kernels run there as
# well, and exercise 3 is compared with cuBLAS.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import Kernel, answers_from, solves, viz
from minigrad.exercises.own_tests import test_matmul
from minigrad.kernels.copy import Strides
from minigrad.kernels.matmul import (
    matmul_batched,
    matmul_naive,
    matmul_register,
    matmul_tiled,
    roofline,
)
from minigrad.layout import broadcast_shapes
from minigrad.testing import ceilings

answers_from("labs", before="06_matmul")

# %% [markdown] task="matmul_naive"
# ## One thread per element
#
# Element (row, col) of c is row `row` of a times column `col` of b, so it's a sum of K
# products.
#
# Write `matmul_naive`, in which each thread computes one element of c in a loop over k.
# As in chapter 01, y counts rows, x counts columns, and the grid may be larger than c.
# Keep the sum in a local variable, and write to c once, at the end.

# %%
a, b = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
print(a @ b, (a[0] * b[:, 1]).sum())

# %% [markdown] hints="matmul_naive"
# <details><summary>Hint 1</summary>
#
# How many elements are in a row of a, in a row of b, and in a row of c? Only one of
# these numbers is K. So where is a[row, k]?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute row from the y components of `blockIdx`, `blockDim`, and `threadIdx`, and col
# from the x components. The guard has to check both. Then start the sum at 0, add one
# product for each k below K, and write once. What does that write if K is 0?
#
# </details>

# %% exercise="matmul_naive"
solves(matmul_naive)(r"""
__global__ void matmul_naive(const float* a, const float* b, float* c,
                             int M, int N, int K) {
    // BEGIN SOLUTION
    int row = blockIdx.y * blockDim.y + threadIdx.y;  //: row
    int col = blockIdx.x * blockDim.x + threadIdx.x;  //: col
    if (row >= M || col >= N) return;  //: guard

    float sum = 0.0f;  //: sum
    for (int k = 0; k < K; k++) sum += a[row * K + k] * b[k * N + col];  //: each_k
    c[row * N + col] = sum;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    a, b = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
    c = np.zeros((2, 2), np.float32)
    Kernel(matmul_naive.text, "matmul_naive")(1, (16, 16), (a, b, c, 2, 2, 2))
    print(c)

# %% check="matmul_naive"
check(matmul_naive)

# %% [markdown] task="matmul_tiled"
# ## Tiles
#
# In the plain kernel, each thread reads a whole row of a and a whole column of b, which
# is 2 K reads for one element. But 16 threads side by side read the same row of a, and
# 16 threads in a column read the same column of b.
#
# So let a block read these elements together. The block computes 16 × 16 elements of c
# and goes along K in steps of 16, each of which has four parts:
#
# 1. Every thread copies **one** element of a and **one** of b to shared memory.
#    Together they fill two tiles of 16 × 16.
# 2. All threads wait at a barrier, so that the tiles are full.
# 3. Every thread adds 16 products, from its row of a's tile and its column of b's tile.
# 4. All threads wait at a second barrier, because nobody may overwrite a tile that's
#    still being read.
#
# M, N, and K don't have to be multiples of 16. Where a tile extends past its matrix, it
# must hold **zeros**, which add nothing. A thread whose element is outside c still
# fills its cells and still reaches every barrier.

# %%
a, b = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5)
parts = [a[:, k : k + 2] @ b[k : k + 2] for k in (0, 2)]  # two tiles along K
print(np.array_equal(sum(parts), a @ b))

# %% [markdown] hints="matmul_tiled"
# <details><summary>Hint 1</summary>
#
# Let tx and ty be `threadIdx.x` and `threadIdx.y`, and let thread (tx, ty) fill cell
# [ty][tx] of both tiles. Which element of a belongs there in the step that starts at k?
# Which element of b? In both, tx should move along a row. When is each of them outside
# its matrix?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The element of a is in row `row` and column k + tx, and the element of b is in row k +
# ty and column `col`. `condition ? value : 0.0f` reads it only if it exists. After the
# barrier, loop over i from 0 to 15. Put the check that row and col are inside c around
# a single line, the one that writes to c.
#
# </details>

# %% exercise="matmul_tiled"
solves(matmul_tiled)(r"""
#define TILE 16

__global__ void matmul_tiled(const float* a, const float* b, float* c,
                             int M, int N, int K) {
    // BEGIN SOLUTION
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;  //: row

    float sum = 0.0f;  //: sum
    for (int k = 0; k < K; k += TILE) {  //: each_k
        a_tile[ty][tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;  //: fill
        //: fill_b_tile
        b_tile[ty][tx] = k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f;
        __syncthreads();  //: barrier
        for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];  //: each_i
        __syncthreads();  //: second_barrier
    }  //: end
    if (row < M && col < N) c[row * N + col] = sum;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    a, b = (np.random.default_rng(s).random((48, 48), np.float32) for s in (0, 1))
    for exercise in matmul_naive, matmul_tiled:
        c = np.zeros((48, 48), np.float32)
        kernel, arguments = Kernel(exercise.text, exercise.name), (a, b, c, 48, 48, 48)
        kernel((3, 3), (16, 16), arguments)
        counts = kernel.check((3, 3), (16, 16), arguments).counts
        right = np.allclose(c, a @ b, 1e-5)
        print(exercise.name, right, counts["reads"] / c.size, "reads per element")

# %% check="matmul_tiled"
check(matmul_tiled)

# %% [markdown] task="matmul_register"
# ## Registers
#
# Tiles save reads of global memory, but now shared memory is the bottleneck, with two
# reads per multiplication. A thread should use each number several times, so it now
# computes many elements of c and keeps their sums in **registers**.
#
# For a patch of 8 × 8 and each k, a thread reads 8 numbers from a's column k and 8 from
# b's row k, and multiplies all 64 pairs, so it needs 16 reads for 64 multiplications. A
# block of 256 threads computes 128 × 128 elements, in steps of 8 along K, so its tiles
# are 128 × 8 and 8 × 128. The next cell does one such step in NumPy, thread by thread.
#
# Write the kernel in three stages, and check after each:
#
# 1. **Fill.** Start from your `matmul_tiled`. Its tiles have one cell per thread, but
#    now each tile has 1,024 cells for 256 threads, so every thread fills four of each.
# 2. **Patches.** Replace the one sum by an 8 × 8 array, and the inner loop by what the
#    next cell does. After this stage, both the values and the number of reads of shared
#    memory are correct.
# 3. **float4**, for speed. Read four floats at once from global memory, and write four
#    elements of c at once. N and K are multiples of 4, so each group of four is either
#    entirely inside its matrix or entirely outside.
#
# The check counts reads of global and shared memory, and a float4 counts as one read.
# On a GPU, the kernel must reach 35 % of cuBLAS's speed, and what you've learned is
# enough for the bonus at 60 %.

# %%
a_tile, b_tile = (np.random.default_rng(s).random((128, 8)) for s in (0, 1))
b_tile = b_tile.T.copy()  # 8 x 128
total = np.zeros((128, 128))
for tid in range(256):  # each thread's patch
    down, along = tid // 16 * 8, tid % 16 * 8
    for q in range(8):
        left, right = a_tile[down : down + 8, q], b_tile[q, along : along + 8]
        total[down : down + 8, along : along + 8] += np.outer(left, right)
print(np.allclose(total, a_tile @ b_tile))

# %% [markdown] hints="matmul_register"
# <details><summary>Hint 1</summary>
#
# A tile has 1,024 cells and a block has 256 threads. Suppose thread tid fills cell tid
# and every 256th cell after it. Which row and column of a's tile is cell e? Which ones
# of b's tile? In the first, a row has 8 cells, and in the second, it has 128.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Which numbers does a thread need at the same time? For one q, it needs 8 of a's tile
# and 8 of b's, so copy them to two small arrays, `left` and `right`. Then two nested
# loops add `left[i] * right[j]` to `sum[i][j]`. All three arrays belong to the thread,
# and the sums start at 0: `float sum[8][8] = {}`.
#
# </details>
# <details><summary>Hint 3</summary>
#
# `*(float4*)&x` is x and the next three floats. A float4 must start at a multiple of 16
# bytes, so write `__align__(16)` before arrays that you access this way. a's tile is
# the difficult one: a float4 of a goes along K, but a thread needs 8 numbers *down* a
# column. What if you store that tile transposed, as `a_tile[8][128]`? Because 1,024 /
# 256 / 4 = 1, each thread fetches one float4 of each tile.
#
# </details>

# %% exercise="matmul_register"
solves(matmul_register)(r"""
#define FOUR(x) (*(float4*)&(x))  // x and the next three numbers

__global__ void matmul_register(const float* a, const float* b, float* c,
                                int M, int N, int K) {
    // BEGIN SOLUTION
    __shared__ __align__(16) float a_tile[8][128], b_tile[8][128];  //: shared
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int row = blockIdx.y * 128, col = blockIdx.x * 128;  //: row
    __align__(16) float sum[8][8] = {}, left[8], right[8];  //: align

    for (int k = 0; k < K; k += 8) {  //: each_k
        int r = row + tid / 2, q = k + tid % 2 * 4;
        float4 zero = {}, in = r < M && q < K ? FOUR(a[r * K + q]) : zero;  //: zero
        float four[4] = {in.x, in.y, in.z, in.w};
        //: each_i
        for (int i = 0; i < 4; i++) a_tile[tid % 2 * 4 + i][tid / 2] = four[i];
        int p = k + tid / 32, s = col + tid % 32 * 4;
        in = p < K && s < N ? FOUR(b[p * N + s]) : zero;  //: in
        FOUR(b_tile[tid / 32][tid % 32 * 4]) = in;  //: four
        __syncthreads();  //: barrier
        for (int i = 0; i < 8; i++) {  //: each_i_after_barrier
            for (int j = 0; j < 8; j += 4) {
                FOUR(left[j]) = FOUR(a_tile[i][ty * 8 + j]);  //: left
                FOUR(right[j]) = FOUR(b_tile[i][tx * 8 + j]);  //: right_four
            }
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++) sum[y][x] += left[y] * right[x];  //: each_x
        }
        __syncthreads();  //: second_barrier
    }  //: end
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x += 4) {
            int r = row + ty * 8 + y, s = col + tx * 8 + x;  //: r
            if (r < M && s < N) FOUR(c[r * N + s]) = FOUR(sum[y][x]);  //: guard
        }
    // END SOLUTION
}
""")

# %%
with trying():
    a, b = (np.random.default_rng(s).random((128, 128), np.float32) for s in (0, 1))
    launches = {matmul_tiled: ((8, 8), (16, 16)), matmul_register: (1, 256)}
    for exercise, launch in launches.items():
        c = np.zeros((128, 128), np.float32)
        report = Kernel(exercise.text, exercise.name).check(
            *launch, (a, b, c, 128, 128, 128)
        )
        shared, reads = report.counts["shared_requests"] * 32, report.counts["reads"]
        print(exercise.name, "accesses per multiplication:", end=" ")
        print(shared / 128**3, "shared,", reads / 128**3, "global")

# %% check="matmul_register"
check(matmul_register)

# %% [markdown] task="matmul_batched"
# ## Batches in any layout
#
# Products such as `x @ w.T` or `q @ k.transpose(-2, -1)` rarely multiply two plain
# matrices. Operands are transposed or sliced, they come in batches, and one matrix may
# serve a whole batch. Copying them first would take memory, and every element would be
# read and written once more, but a kernel that knows strides doesn't need a copy.
#
# The views are as in lab 03. Their last two dimensions are a matrix, so element (row,
# k) of a is `row * stride[dims - 2] + k * stride[dims - 1]` cells after the first
# element of its matrix. In a transposed matrix, these two strides are swapped.
#
# All dimensions before them are the **batch**. To find where matrix number m starts,
# split m into batch indices, from the last batch dimension to the first, and add up
# index times stride. That's what `contiguous_kernel` does with i in lab 03. If one
# matrix serves several products, its stride is 0. A block starts with matrix
# `blockIdx.z`, and because there may be more matrices than `gridDim.z`, it continues
# with number m + gridDim.z.
#
# One thread per element is enough here, without tiles. With tiles, the kernel is
# faster, and compared with exercise 2, only the lines that fill the tiles and write to
# c need other indices.

# %%
a, b = np.ones((2, 3, 4)), np.ones((4, 5))
whole = np.broadcast_to(b, (2, 4, 5))
print(whole.strides, (a @ b).shape, np.array_equal(a @ b, a @ whole))

# %% [markdown] hints="matmul_batched"
# <details><summary>Hint 1</summary>
#
# The function `matrix_of(batch, view)` returns where a matrix starts. It's the loop of
# `contiguous_kernel`, but which dimension is the last one of the batch?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The last batch dimension is `view.dims - 3`, and the loop ends with dimension 0. In
# the kernel, a loop goes over m, starting with `blockIdx.z`. There, let `left` point to
# the first element of a's matrix, `a + matrix_of(m, a_view)`, and find b's in the same
# way. Then continue like one of your kernels, but use two strides in each index. Where
# does matrix m of c start? With tiles, this loop has barriers in it, so no thread may
# leave it early.
#
# </details>

# %% exercise="matmul_batched"
solves(matmul_batched)(r"""
#define TILE 16

struct Strides { int dims; long long shape[8]; long long stride[8]; };

// Where matrix number `batch` of a view begins.
__device__ long long matrix_of(long long batch, const Strides& view) {
    // BEGIN SOLUTION
    long long offset = 0;
    for (int d = view.dims - 3; d >= 0; d--) {  //: each_d
        offset += batch % view.shape[d] * view.stride[d];  //: add_offset
        batch /= view.shape[d];  //: add_offset
    }  //: add_offset
    return offset;
    // END SOLUTION
}

__global__ void matmul_batched(const float* a, Strides a_view,
                               const float* b, Strides b_view, float* c,
                               int M, int N, int K, long long batches) {
    // BEGIN SOLUTION
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];  //: shared
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    long long a_row = a_view.stride[a_view.dims - 2];
    long long a_col = a_view.stride[a_view.dims - 1];
    long long b_row = b_view.stride[b_view.dims - 2];
    long long b_col = b_view.stride[b_view.dims - 1];

    for (long long m = blockIdx.z; m < batches; m += gridDim.z) {  //: each_m
        const float* x = a + matrix_of(m, a_view) + row * a_row;  //: x
        const float* y = b + matrix_of(m, b_view) + col * b_col;  //: y
        float sum = 0.0f;
        for (int k = 0; k < K; k += TILE) {
            //: fill
            a_tile[ty][tx] = row < M && k + tx < K ? x[(k + tx) * a_col] : 0.0f;
            //: fill_b_tile
            b_tile[ty][tx] = k + ty < K && col < N ? y[(k + ty) * b_row] : 0.0f;
            __syncthreads();  //: barrier
            //: each_i
            for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
            __syncthreads();  //: second_barrier
        }  //: end
        if (row < M && col < N) c[(m * M + row) * N + col] = sum;
    }
    // END SOLUTION
}
""")

# %%
with trying():
    a, b = np.arange(120, dtype=np.float32), np.arange(100, dtype=np.float32)
    views = Strides((2, 3, 20), (60, 1, 3)), Strides((2, 20, 5), (0, 5, 1))
    c = np.zeros((2, 3, 5), np.float32)
    arguments = a, views[0], b, views[1], c, 3, 5, 20, 2
    Kernel(matmul_batched.text, "matmul_batched")((1, 1, 2), (16, 16), arguments)
    transposed = a.reshape(2, 20, 3).transpose(0, 2, 1)
    print(np.array_equal(c, transposed @ b.reshape(20, 5)))

# %% check="matmul_batched"
check(matmul_batched)

# %% [markdown] task="roofline"
# ## The roofline
#
# How fast can a product be at all? As in the lesson, the peak and the bandwidth limit
# it. Count what any kernel **must** do:
#
# - **flops**: one multiplication and one addition for each element of the result and
#   each k.
# - **bytes**: each element of a and b is read once, and each element of the result is
#   written once. Some kernels read elements repeatedly, but that's up to the kernel,
#   because a cache or shared memory could have kept them.
#
# At an intensity of i FLOP per byte, memory can feed i · bandwidth operations per
# second. If that's less than the peak, the **bound** is "memory", and otherwise it's
# "compute". The shapes may have batch dimensions, which are broadcast as in `a @ b`. So
# `broadcast_shapes` of lab 03 says how many products there are, but a matrix that
# serves several products is still read only once. The cell below your function uses the
# numbers of an H200's data sheet.

# %%
product = (np.ones((1000, 10)) @ np.ones((10, 1000))).size
print(product * 10 * 2, "FLOP,", (1000 * 10 + 10 * 1000 + product) * 4, "bytes")

# %% [markdown] hints="roofline"
# <details><summary>Hint 1</summary>
#
# Which shape does the result have? Its batch is broadcast from `a[:-2]` and `b[:-2]`.
# `math.prod` of a shape is the number of elements. Which three shapes matter for the
# bytes?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The FLOP are 2 · elements of the result · K. The bytes count the shapes as they're
# given, without broadcasting a or b. The rate is the smaller of the peak and intensity
# · bandwidth.
#
# </details>


# %% exercise="roofline"
@solves(roofline)
def roofline(a, b, bandwidth, peak, itemsize=4):  #: head
    ### BEGIN SOLUTION
    result = (*broadcast_shapes(a[:-2], b[:-2]), a[-2], b[-1])  #: result
    nbytes = itemsize * sum(math.prod(shape) for shape in (a, b, result))  #: nbytes
    flops = 2 * math.prod(result) * a[-1]  #: flops
    fed = flops / nbytes * bandwidth  # what the memory allows  #: fed
    return {  #: final_result
        "bytes": nbytes,
        "flops": flops,
        "intensity": flops / nbytes,
        "rate": min(peak, fed),
        "bound": "memory" if fed < peak else "compute",
    }
    ### END SOLUTION


# %%
with trying():
    for n in 16, 128, 1024, 4096:
        print(n, roofline((n, n), (n, n), bandwidth=4.8e12, peak=67e12))

# %% check="roofline"
check(roofline)

# %% [markdown] task="test_matmul"
# ## A test for products
#
# If you test with two square matrices of integers, many incorrect kernels pass. Write a
# **test** for kernels such as `matmul_naive`. It calls the kernel, compares the
# results, and raises an error, for example with `assert`, if something is wrong.
#
# The check calls your test with correct kernels, which must pass, and with incorrect
# ones, which must not. They contain mistakes that are easy to make in this lab. A
# correct kernel may add in another order, so its last bits may differ. That's why you
# compare with tolerances: `assert_allclose(got, expected, rtol, atol)` accepts a
# difference of up to atol + rtol · |expected|. The relative part covers large values,
# and the absolute part covers sums near 0, where rounding errors of the products can be
# larger than the sum itself.

# %%
a = np.array([1, 5e-8, 5e-8], np.float32)
print(a[0] + a[1] + a[2] == a[2] + a[1] + a[0])
np.testing.assert_allclose(a[0] + a[1] + a[2], a[2] + a[1] + a[0], rtol=1e-5)

# %% [markdown] hints="test_matmul"
# <details><summary>Hint 1</summary>
#
# Which sizes would show that a kernel confuses M, N, and K? What would show that a
# kernel adds to what c already holds? And what should c hold if K is 0?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Use several (M, N, K), with sizes that aren't multiples of the block's, and one with K
# = 0. Draw a and b at random, and fill c with some number first. Blocks that aren't
# square, such as (16, 4), find more mistakes. Round the grid up in both directions. For
# sums of a few dozen products, 1e-4 is a good value for both tolerances.
#
# </details>


# %% exercise="test_matmul"
@solves(test_matmul)
def test_matmul(kernel):
    ### BEGIN SOLUTION
    random = np.random.default_rng(0)
    for M, N, K in [(16, 16, 16), (5, 37, 20), (33, 18, 3), (4, 3, 0)]:  #: each_M
        a = random.normal(size=(M, K)).astype(np.float32)
        b = random.normal(size=(K, N)).astype(np.float32)
        c = np.full((M, N), 7, np.float32)  #: c
        kernel((-(-N // 16), -(-M // 4)), (16, 4), (a, b, c, M, N, K))  #: kernel
        np.testing.assert_allclose(c, a @ b, 1e-4, 1e-4)  #: assert_allclose
    ### END SOLUTION


# %%
with trying():
    test_matmul(Kernel(matmul_naive.text, "matmul_naive"))
    print("Your matmul_naive passes.")

# %% check="test_matmul"
check(test_matmul)

# %% [markdown]
# ## What you've built
#
# In your library, `a @ b` now runs the fastest of your kernels that supports the
# operands: the one with registers for two contiguous matrices whose N and K are
# multiples of 4, and the one with strides for everything else. The trace calls them
# `yours`, and none of the launches is a copy. Where you haven't written a kernel,
# minigrad's runs. `with minigrad.kernel_variant("fastest")` always runs minigrad's.

# %%
with trying():
    device = "cuda" if minigrad.gpu_available() else "sim"
    x, w = (minigrad.ones(*s).to(device) for s in ((64, 64), (64, 64)))
    batch = minigrad.ones(2, 5, 64).to(device)
    with minigrad.trace() as launches:
        x @ w, x @ w.T, batch @ w
    print(launches)

# %% [markdown]
# ## Your kernels in the roofline
#
# First we measure this machine's limits, with its fastest copy and with the fastest
# product of NVIDIA's library (or, without a GPU, NumPy's). The simulator counts how
# many bytes your kernels' warps ask for, and that decides how far right each kernel is.
# With a GPU, the kernels are also timed, but without one, you only see how fast they
# could be, because the simulator's times say nothing about a GPU.

# %%
with trying() as show:
    points = []
    for exercise, tile, block in [
        (matmul_naive, 16, (16, 16)),
        (matmul_tiled, 16, (16, 16)),
        (matmul_register, 128, 256),
    ]:

        def launch(n, tile=tile, block=block):
            a, b, c = (np.ones((n, n), np.float32) for _ in range(3))
            return (n // tile, n // tile), block, (a, b, c, n, n, n), 2 * n**3

        points.append(viz.point(Kernel(exercise.text, exercise.name), launch))
    show(viz.roofline(points, ceilings()))

# %% [markdown]
# ## How your code is checked
#
# `show_check` shows an exercise's check: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(matmul_tiled)

# %% [markdown]
# ## Where to go next
#
# A convolution can be turned into a product of matrices. In chapter 07, you arrange the
# windows of an image as columns, and then call what you've written here.
