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
# Four kernels, one piece of arithmetic and a test, about {{duration}} of work. Most of
# what a network computes is matrix multiplication: a linear layer is one, a convolution
# becomes one, attention is two. You write it four times: plainly; with tiles; with
# registers; and for batches in any layout.
#
# A `check` runs your kernel in the simulator, with all its tools. It wants:
#
# - the right values, beside PyTorch in double precision, as exact as float allows;
# - no finding: no race, no cell that was never filled, nothing out of bounds;
# - in exercises 2 and 3, few reads: they are counted.
#
# Where a GPU is, the kernel runs there as well, and exercise 3 is timed beside cuBLAS.
#
# Above the cell of an answer stands its contract: it says all that is tested. An answer
# leaves what it is given as it was, unless that says otherwise. Put your code in the
# place of `// YOUR CODE HERE`, run the cell, and check as often as you like. The
# lesson has the pictures.

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
# ## A thread an element
#
# Element (row, col) of c is row `row` of a times column `col` of b: K products, added
# up.
#
# > a = 1 2 / 3 4 and b = 5 6 / 7 8
# >
# > c[0, 1] = 1 · 6 + 2 · 8 = 22
#
# Each thread makes one element of c, in a loop over k. As everywhere: row is y, column
# is x, and the grid reaches beyond c. Write to c once, at the end: the sum belongs in a
# variable of the thread's own.

# %%
a, b = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
print(a @ b, (a[0] * b[:, 1]).sum())

# %% [markdown] hints="matmul_naive"
# <details><summary>Hint 1</summary>
#
# Three matrices with three widths: a row of a has K elements, one of b and one of c has
# N. So a[row, k] lies at `row * K + k`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# row from blockIdx.y, blockDim.y and threadIdx.y, col from the same of x; the guard
# asks for both. Then `float sum = 0.0f`, a loop over k below K, and one line that
# writes.
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
# In the plain kernel each thread reads a whole row of a and a whole column of b for
# itself: 2 K reads for one element. But the 16 threads beside each other read the same
# row of a, and the 16 above each other the same column of b.
#
# So let a block read together. It makes 16 × 16 elements of c, and goes along K in
# steps of 16. In each step
#
# 1. every thread brings **one** element of a and **one** of b to shared memory: two
#    tiles of 16 × 16;
# 2. barrier: from here on the tiles are full;
# 3. every thread adds 16 products, which it finds in its row of a's tile and its column
#    of b's tile;
# 4. barrier: only now may a tile be filled anew.
#
# Each element is read once by a block, and used 16 times. Neighboring threads must
# read neighbors in memory, as in lab 02: the sectors are counted.
#
# K need not be a multiple of 16, nor M or N. A tile that reaches beyond its matrix has
# **zeros** there: they add nothing. And a thread whose element lies outside of c still
# fills its cells, and comes to every barrier.

# %%
a, b = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5)
parts = [a[:, k : k + 2] @ b[k : k + 2] for k in (0, 2)]  # two tiles along K
print(np.array_equal(sum(parts), a @ b))

# %% [markdown] hints="matmul_tiled"
# <details><summary>Hint 1</summary>
#
# With tx and ty for threadIdx.x and y: thread (tx, ty) fills cell [ty][tx] of both
# tiles. In step k that is a[row, k + tx] and b[k + ty, col]: in both, tx goes along the
# row. Each of the two has a guard of its own.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `a_tile[ty][tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;`. The inner loop
# goes over i from 0 to 15 and adds `a_tile[ty][i] * b_tile[i][tx]`. The test whether
# row and col lie in c stands at the end, around the line that writes.
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
        print(exercise.name, right, counts["reads"] / c.size, "reads an element")

# %% check="matmul_tiled"
check(matmul_tiled)

# %% [markdown] task="matmul_register"
# ## Registers
#
# Tiles save reads of global memory. Now shared memory is what takes the time: two reads
# for each multiplication. The way out is the same, one floor higher: a thread that
# reads a number should use it several times. So a thread makes many elements of c, and
# keeps their sums in **registers**.
#
# A patch of 8 × 8: for each k a thread reads 8 numbers of a's column and 8 of b's row,
# and multiplies each with each. 16 reads, 64 multiplications: 1/4 of a read for each,
# instead of 2.
#
# A block of 256 threads makes 128 × 128 elements of c, in steps of 8 along K: tiles of
# 128 × 8 and 8 × 128. Each thread brings 4 elements of each, and these can be **one**
# access: a `float4`, 16 bytes. N and K are multiples of 4 here, so that every row
# begins where a float4 may.
#
# The check counts reads of global and of shared memory; a float4 counts as one. On a
# GPU it asks for 35 % of the speed of cuBLAS, NVIDIA's own library; 60 % can be reached
# without anything that you do not know: that is the bonus, for honour. Take one step
# after the other: patches with plain floats first. When they are right, float4.

# %%
column, row = np.float32([1, 2, 3]), np.float32([10, 20])
print(np.outer(column, row))  # what one k adds to a patch of 3 x 2

# %% [markdown] hints="matmul_register"
# <details><summary>Hint 1</summary>
#
# Thread tid has the patch of column tid % 16 and row tid / 16 in a grid of 16 × 16
# patches. `float sum[8][8] = {}, left[8], right[8];` are its registers: for each q of
# the 8 numbers along K, fill `left` and `right` from the tiles, then two loops over i
# and j with `sum[i][j] += left[i] * right[j]`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A tile has 1024 elements: each thread fills 4 of them, first in a loop, `for (int e =
# tid; e < 1024; e += 256)`. Element e of a's tile is row e / 8, number e % 8 along K;
# of b's tile it is number e / 128 along K and column e % 128.
#
# </details>
# <details><summary>Hint 3</summary>
#
# With float4: `*(float4*)&x` are x and the next three numbers. Thread tid fetches
# four numbers of a's row tid / 2, from tid % 2 * 4 on, and four of b's row tid / 32,
# from tid % 32 * 4 on. Keep a's tile transposed, `a_tile[8][128]`: then the 8 numbers
# that a thread needs for one q lie side by side, two float4. `__align__(16)` stands in
# front of arrays that are read in this way.
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
        shared, reads = report.counts["shared_requests"], report.counts["reads"]
        print(
            exercise.name, shared / (128**3 / 32), "shared,", reads / 128**3, "global"
        )

# %% check="matmul_register"
check(matmul_register)

# %% [markdown] task="matmul_batched"
# ## Batches, in any layout
#
# `x @ w.T`, `q @ k.transpose(-2, -1)`: hardly a product in a network is of two plain
# matrices. Operands are transposed, sliced, come in batches, and one matrix may serve a
# whole batch. To copy them into order first would cost a read and a write of
# everything, and memory for it. A kernel that knows strides needs no copy.
#
# The views are as in lab 03. Their last two dimensions are a matrix: element (row, k)
# of a lies `row * stride[dims - 2] + k * stride[dims - 1]` past the matrix's first.
# For a transposed matrix these two numbers have changed places, and nothing else has.
#
# The dimensions before them are the **batch**. Take the number of the matrix apart over
# them, from the last one to the first, as you took apart i in lab 03; where a matrix
# serves for several, its stride is 0. blockIdx.z says with which matrix a block begins;
# there may be more matrices than gridDim.z, so it goes on from there.
#
# A thread an element is enough here. Tiles are faster, and no harder: only the two
# lines that fill them know of strides.

# %%
a, b = np.ones((2, 3, 4)), np.ones((4, 5))
whole = np.broadcast_to(b, (2, 4, 5))
print(whole.strides, (a @ b).shape, np.array_equal(a @ b, a @ whole))

# %% [markdown] hints="matmul_batched"
# <details><summary>Hint 1</summary>
#
# The function `matrix_of(batch, view)` says where a matrix begins. It is the loop of
# contiguous_kernel with another beginning: the last batch dimension is `view.dims - 3`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `for (long long m = blockIdx.z; m < batches; m += gridDim.z)` goes around everything.
# In it, `const float* x = a + matrix_of(m, a_view)`, the same for b, and then one of
# your kernels from above, with `x[row * a_row + k * a_col]`. c begins at `c + m * M *
# N`. With tiles there are barriers in this loop: no thread may leave it early.
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
# How fast can it be at all? Two things limit a kernel: how many multiplications and
# additions the card can do in a second, its **peak**, and how many bytes a second come
# from memory, its **bandwidth**. Which of the two counts depends on one number, the
# **intensity**: how many operations are done for each byte that moves.
#
# Count for a product what **must** be done, by any kernel:
#
# - **flops**: a multiplication and an addition for each element of the result and each
#   k: two, not one.
# - **bytes**: each element of a and of b is read once and each of the result written
#   once. That a kernel reads some again and again is the kernel's fault, not the
#   product's: a cache or shared memory could have kept it.
#
# At an intensity of i FLOP for each byte the memory can feed i · bandwidth operations a
# second. If that is below the peak, memory is the **bound**; if not, computing is. The
# shapes may have batches, and these are broadcast as in `a @ b`: `broadcast_shapes` of
# lab 03 says how many products there are, but a matrix that serves for several is read
# once.

# %%
product = (np.ones((1000, 10)) @ np.ones((10, 1000))).size
print(product * 10 * 2, "FLOP,", (1000 * 10 + 10 * 1000 + product) * 4, "bytes")

# %% [markdown] hints="roofline"
# <details><summary>Hint 1</summary>
#
# `batch = broadcast_shapes(a[:-2], b[:-2])`, and the result's shape is `(*batch, M,
# N)`. `math.prod` of a shape is the number of elements.
#
# </details>
# <details><summary>Hint 2</summary>
#
# flops = 2 · elements of the result · K. rate = the smaller of peak and intensity ·
# bandwidth, and that is the whole roof.
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
        print(n, roofline((n, n), (n, n), bandwidth=4.24e12, peak=51.1e12))

# %% check="roofline"
check(roofline)

# %% [markdown] task="test_matmul"
# ## A test for products
#
# With two square matrices of whole numbers many a wrong product looks right. Write a
# **test** for kernels such as `matmul_naive`. A test calls what it is given, compares,
# and raises an error, an AssertionError by `assert`, where something is wrong.
#
# The check gives it right kernels, which it must let pass, and wrong ones, which it
# must not: mistakes that learners of this lab really make. A right kernel may add in
# another order, so its last bits may differ.

# %%
a = np.array([0.1, 0.2, 0.3], np.float32)
print(a[0] + a[1] + a[2] == a[2] + a[1] + a[0])
np.testing.assert_allclose(a[0] + a[1] + a[2], a[2] + a[1] + a[0], rtol=1e-5)

# %% [markdown] hints="test_matmul"
# <details><summary>Hint 1</summary>
#
# M, N and K that are all different show where one stands for another. What shows that
# something is added to c as it was, and what must c hold where K is 0?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Several (M, N, K), no multiple of the block, one of them with K = 0; a and b of random
# numbers, c full of 7. For blocks of (16, 4) the grid is `(ceil(N / 16), ceil(M / 4))`.
# Compare with `a @ b` by `np.testing.assert_allclose`, with 1e-4 for rtol and for atol.
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
    print("your matmul_naive passes")

# %% check="test_matmul"
check(test_matmul)

# %% [markdown]
# ## What you have built
#
# `a @ b` of your library runs the highest of your kernels that is made for the
# operands: registers for two large matrices, strides for all that is not plain. The
# trace calls them `yours`, and no copy is among the launches. Where you have no answer,
# a kernel of the library runs; `with minigrad.kernel_variant("fastest")` runs the
# library's always.

# %%
with trying():
    device = "cuda" if minigrad.gpu_available() else "sim"
    x, w = (minigrad.ones(*s).to(device) for s in ((64, 64), (64, 64)))
    batch = minigrad.ones(2, 5, 64).to(device)
    with minigrad.trace() as launches:
        x @ w, x @ w.T, batch @ w
    print(launches)

# %% [markdown]
# ## Your kernels under the roof
#
# The roof of this machine, measured now: the fastest copy, and the fastest product that
# NVIDIA's library (or without a GPU, NumPy) makes. Your kernels stand where the traffic
# puts them that the simulator counts: their FLOP for each byte that their warps ask
# for. With a GPU they are timed as well; the simulator's times say nothing of a GPU, so
# without one you see how high they could be, not how high they are.

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
# ## How you were checked
#
# `show_check` shows the check of an exercise: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(matmul_tiled)

# %% [markdown]
# ## Where to go next
#
# A convolution is a product of matrices in disguise: chapter 07 lays out the windows of
# a picture as columns, and calls what you have written here.
