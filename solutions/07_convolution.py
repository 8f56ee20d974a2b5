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
# # Lab 07 · Convolution and pooling
#
# In this lab, you write six kernels, the gradients of a convolution, and a test. There
# are eight exercises, which take about {{duration}}. You copy windows into columns and
# back, compute a convolution with and without columns, and write max pooling. The
# checks run your kernels in the simulator, compare their results, look for mistakes
# such as races, and count reads in exercises 3 and 4. If this machine has a GPU, your
# kernels also run there.
#
# No exercise of this lab is **core**, so later labs don't need them. Begin with those
# marked **good to know**, and take the **extra** ones last.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import Kernel, answers_from, solves
from minigrad.exercises.own_tests import test_col2im
from minigrad.kernels.convolution import (
    col2im,
    conv2d_backward,
    conv2d_direct,
    conv2d_gemm,
    im2col,
    max_pool2d,
    max_pool2d_backward,
)

answers_from("labs", before="07_convolution")

# %% [markdown] task="im2col"
# ## Windows as columns
#
# `im2col` copies every window of an image into a column of a matrix, so that a
# convolution becomes a matrix product. Here's a 2 × 3 image with 2 × 2 windows.
#
# > x = 1 2 3 / 4 5 6
# >
# > The first window is 1 2 / 4 5, and the second is 2 3 / 5 6.
# >
# > columns = 1 2 / 2 3 / 4 5 / 5 6
#
# There's a row for each tap and a column for each window. Rows are ordered by channel,
# then by kh, then by kw, which is the order of the weights. Columns are ordered by oh,
# then by ow, which is the order of the result.
#
# Write `im2col` as a gather. Each thread takes one element of `columns`, finds out
# which element of x belongs there, and copies it.

# %%
x = np.arange(1, 7).reshape(2, 3)
windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2))  # (oh, ow, kh, kw)
print(windows.reshape(2, 4).T)

# %% [markdown] hints="im2col"
# <details><summary>Hint 1</summary>
#
# Thread i has element i of `columns`, which has five dimensions: plane, kh, kw, oh, and
# ow. Which of the five indices changes fastest, and how do you get it from i?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take i apart from the right, as in `index_of` of lab 03: first `i % OW`, then divide
# by OW, and so on, until only the plane is left. The contract says how ih and iw
# follow. If either is negative or too large, write 0 and don't read x.
#
# </details>

# %% exercise="im2col"
solves(im2col)(r"""
__global__ void im2col(const float* x, float* columns, int planes, int H, int W,
                       int KH, int KW, int OH, int OW, int stride, int padding,
                       int dilation) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;  //: index
    if (i >= planes * KH * KW * OH * OW) return;  //: guard
    int ow = rest % OW; rest /= OW;  //: ow
    int oh = rest % OH; rest /= OH;  //: ow
    int kw = rest % KW; rest /= KW;  //: kw
    int kh = rest % KH, plane = rest / KH;  //: kh
    int ih = oh * stride - padding + kh * dilation;  //: ih
    int iw = ow * stride - padding + kw * dilation;  //: iw
    bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;  //: inside
    columns[i] = inside ? x[(plane * H + ih) * W + iw] : 0.0f;  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    x, columns = np.arange(1, 7, dtype=np.float32), np.zeros((4, 2), np.float32)
    sizes = 1, 2, 3, 2, 2, 1, 2, 1, 0, 1
    Kernel(im2col.text, "im2col")(1, 32, (x, columns, *sizes))
    print(columns)

# %% check="im2col"
check(im2col)

# %% [markdown] task="col2im"
# ## And back: add what was copied
#
# An element of x is copied into several columns, one for each window that it's in. So
# its gradient is the sum of the gradients of its copies. `col2im` (columns to image)
# adds them up.
#
# > columns = 1 2 / 2 3 / 4 5 / 5 6  ->  x = 1 4 3 / 4 10 6
#
# For example, the 2 in the first row of x was copied twice, so the two numbers that are
# now at these two positions are added: 2 + 2 = 4.
#
# col2im isn't the inverse of im2col, but its **adjoint**. For every image x and all
# columns c, the sum of im2col(x) · c is the sum of x · col2im(c). The next cell checks
# the example.
#
# Write `col2im`. It can be a scatter, in which each element of `columns` is added to
# its element of x, or a gather, in which each element of x looks for the windows that
# it's in.

# %%
x, c = np.arange(1.0, 7).reshape(2, 3), np.array([[1, 2], [2, 3], [4, 5], [5, 6.0]])
columns = np.lib.stride_tricks.sliding_window_view(x, (2, 2)).reshape(2, 4).T
back = np.array([[1, 4, 3], [4, 10, 6.0]])
print((columns * c).sum(), (x * back).sum())

# %% [markdown] hints="col2im"
# <details><summary>Hint 1</summary>
#
# A scatter is im2col with its last line reversed, because the indices are the same.
# What happens if two threads add to the same element at the same time?
#
# </details>
# <details><summary>Hint 2</summary>
#
# For a scatter, find ih and iw as in im2col. If they're inside the image, add the
# thread's element of `columns` to x with `atomicAdd(&x[...], value)`. For a gather, ask
# for each tap whether `ih + padding - kh * dilation` is at least 0 and a multiple of
# the stride. Divided by the stride, it's oh, which must be less than OH. You find ow in
# the same way.
#
# </details>

# %% exercise="col2im"
solves(col2im)(r"""
__global__ void col2im(const float* columns, float* x, int planes, int H, int W,
                       int KH, int KW, int OH, int OW, int stride, int padding,
                       int dilation) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = i;  //: index
    if (i >= planes * KH * KW * OH * OW) return;  //: index
    int ow = rest % OW; rest /= OW;  //: ow
    int oh = rest % OH; rest /= OH;  //: ow
    int kw = rest % KW; rest /= KW;  //: kw
    int kh = rest % KH, plane = rest / KH;  //: kh
    int ih = oh * stride - padding + kh * dilation;  //: ih
    int iw = ow * stride - padding + kw * dilation;  //: iw
    if (ih >= 0 && ih < H && iw >= 0 && iw < W)  //: guard
        atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]);  //: add
    // END SOLUTION
}
""")

# %%
with trying():
    columns, x = np.array([1, 2, 2, 3, 4, 5, 5, 6], np.float32), np.zeros(6, np.float32)
    sizes = 1, 2, 3, 2, 2, 1, 2, 1, 0, 1
    Kernel(col2im.text, "col2im")(1, 32, (columns, x, *sizes))
    print(x.reshape(2, 3))

# %% check="col2im"
check(col2im)

# %% [markdown] task="conv2d_gemm"
# ## Convolution as a product
#
# Once the columns exist, a convolution is `w @ columns + bias` for each image. Row o of
# the matrix w holds the weights of output channel o, in the order of the columns' rows.
#
# Write `conv2d_gemm`. It's the tiled product of lab 06, but for many images at once and
# with a bias. Each output channel has one bias, so every element of row o gets
# `bias[o]`. The sizes don't have to be multiples of 16, so put a 0 wherever a tile
# reaches beyond its matrix.

# %%
w, columns = np.arange(1, 9).reshape(2, 4), np.array([[1, 2], [2, 3], [4, 5], [5, 6]])
print(w @ columns + np.array([[100], [200]]))

# %% [markdown] hints="conv2d_gemm"
# <details><summary>Hint 1</summary>
#
# The block's z selects the image. Where do image n's columns begin, and where does its
# result? After that, which lines of your tiled product must change?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Here row counts output channels, and col counts positions p. In steps of 16 along K,
# every thread copies one element of w and one of the columns, or 0 if it's outside.
# Then there's a barrier, a loop over 16 products, and another barrier. No thread may
# return before the last barrier, so test row and col for each copy and again where you
# write y. That's also where you add `bias[row]`.
#
# </details>

# %% exercise="conv2d_gemm"
solves(conv2d_gemm)(r"""
__global__ void conv2d_gemm(const float* columns, const float* w, const float* bias,
                            float* y, int O, int K, int P) {
    // BEGIN SOLUTION
    __shared__ float w_tile[16][16], c_tile[16][16];  //: shared
    int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    columns += n * K * P;  //: add_columns
    float sum = 0.0f;  //: sum
    for (int k = 0; k < K; k += 16) {  //: each_k
        w_tile[ty][tx] = row < O && k + tx < K ? w[row * K + k + tx] : 0.0f;  //: fill
        //: fill_c_tile
        c_tile[ty][tx] = k + ty < K && col < P ? columns[(k + ty) * P + col] : 0.0f;
        __syncthreads();  //: barrier
        for (int i = 0; i < 16; i++) sum += w_tile[ty][i] * c_tile[i][tx];  //: each_i
        __syncthreads();  //: second_barrier
    }  //: end
    if (row < O && col < P) y[(n * O + row) * P + col] = sum + bias[row];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    w = np.arange(1, 9, dtype=np.float32)
    columns = np.array([1, 2, 2, 3, 4, 5, 5, 6], np.float32)
    bias, y = np.array([100, 200], np.float32), np.zeros((2, 2), np.float32)
    kernel = Kernel(conv2d_gemm.text, "conv2d_gemm")
    kernel((1, 1, 1), (16, 16), (columns, w, bias, y, 2, 4, 2))
    print(y)

# %% check="conv2d_gemm"
check(conv2d_gemm)

# %% [markdown] task="conv2d_direct"
# ## Without columns: a tile and its halo
#
# With 3 × 3 windows, the columns are nine times as large as the image. For layers with
# few output channels, writing and reading the columns takes longer than the product
# itself. A block can do without them, because its 16 × 16 outputs need only 18 × 18
# elements of each channel. In general, a block needs its tile and a **halo** of K − 1
# more rows and columns.
#
# Write `conv2d_direct`. For each channel, the block copies (16 + K − 1)² elements to
# shared memory, which is more than it has threads. Then each thread adds its K · K
# products.
#
# (On an H200, this is even slower than reading x directly, as you've seen in the
# lesson. But image filters and physics simulations work like this.)

# %%
K, tile = 3, 16
read = (tile + K - 1) ** 2
print(read, "elements for", tile**2, "threads, each used up to", K * K, "times")

# %% [markdown] hints="conv2d_direct"
# <details><summary>Hint 1</summary>
#
# How can 16 × 16 threads fill a square with a side of 16 + K − 1, including its
# corners? Think of a loop in which each thread takes more than one row, and more than
# one column.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Declare the shared array for the largest window: 16 + 7 − 1 = 22 rows and columns. The
# threads fill it in two nested loops that start at ty and tx and go in steps of 16.
# Cell (r, q) holds the element at ih = blockIdx.y * 16 - padding + r, and iw
# accordingly, or 0 outside the image. Then thread (tx, ty) reads a K × K square that
# begins at cell (ty, tx). All threads must go through all channels, because there are
# barriers in that loop. Test oh and ow only where you write y.
#
# </details>

# %% exercise="conv2d_direct"
solves(conv2d_direct)(r"""
__global__ void conv2d_direct(const float* x, const float* w, const float* bias,
                              float* y, int C, int H, int W, int O, int K,
                              int padding) {
    // BEGIN SOLUTION
    __shared__ float part[22][22];  //: shared
    int tx = threadIdx.x, ty = threadIdx.y, n = blockIdx.z / O, o = blockIdx.z % O;
    int top = blockIdx.y * 16, left = blockIdx.x * 16, side = 16 + K - 1;
    int OH = H + 2 * padding - K + 1, OW = W + 2 * padding - K + 1;
    float sum = bias[o];  //: sum
    for (int c = 0; c < C; c++) {
        for (int r = ty; r < side; r += 16)  //: each_r
            for (int q = tx; q < side; q += 16) {  //: each_q
                int ih = top - padding + r, iw = left - padding + q;  //: ih
                bool inside = ih >= 0 && ih < H && iw >= 0 && iw < W;  //: inside
                //: fill
                part[r][q] = inside ? x[((n * C + c) * H + ih) * W + iw] : 0.0f;
            }  //: end
        __syncthreads();  //: barrier
        for (int kh = 0; kh < K; kh++)  //: each_kh
            for (int kw = 0; kw < K; kw++)
                //: add_sum
                sum += w[((o * C + c) * K + kh) * K + kw] * part[ty + kh][tx + kw];
        __syncthreads();  //: second_barrier
    }  //: last_end
    int oh = top + ty, ow = left + tx;
    if (oh < OH && ow < OW) y[(blockIdx.z * OH + oh) * OW + ow] = sum;
    // END SOLUTION
}
""")

# %%
with trying():
    x, w = np.ones((1, 1, 4, 5), np.float32), np.ones((1, 1, 3, 3), np.float32)
    bias, y = np.zeros(1, np.float32), np.zeros((4, 5), np.float32)
    kernel = Kernel(conv2d_direct.text, "conv2d_direct")
    kernel((1, 1, 1), (16, 16), (x, w, bias, y, 1, 4, 5, 1, 3, 1))
    print(y)

# %% check="conv2d_direct"
check(conv2d_direct)

# %% [markdown] task="conv2d_backward"
# ## The gradients are products too
#
# For one image, y = w @ columns + bias. The gradient dy says how fast the loss grows
# with each element of y, and we want the same for w, the columns, and the bias. The
# weight w[o, k] is multiplied by columns[k, p] for every p, so
#
# > dw[o, k] = the sum over p of dy[o, p] · columns[k, p], or dw = dy @ columnsᵀ
# >
# > dcolumns[k, p] = the sum over o of w[o, k] · dy[o, p], or dcolumns = wᵀ @ dy
#
# The bias of channel o is added to y[o, p] for every p, so its gradient is the sum of
# dy[o, p] over p.
#
# All images use the **same weights and bias**, so dw and db are sums over the images as
# well. `dcolumns` has a matrix for each image, which col2im turns into the image's part
# of dx.
#
# Write `conv2d_backward` with NumPy.

# %%
dy, columns = np.ones((5, 2, 6)), np.ones((5, 4, 6))
print((dy @ columns.transpose(0, 2, 1)).shape, "-> (2, 4)")

# %% [markdown] hints="conv2d_backward"
# <details><summary>Hint 1</summary>
#
# With two arrays of three dimensions, `@` multiplies image by image. If one of them is
# only a matrix, it's used for every image. Which two dimensions of `columns` do you
# have to swap? And over which dimensions of dy is db a sum?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `columns.transpose(0, 2, 1)` swaps the last two dimensions, so its product with dy has
# shape (N, O, K), a dw for each image. Add those up. For a matrix, `w.T` is wᵀ. db has
# shape (O,), so only dimension 1 of dy remains.
#
# </details>


# %% exercise="conv2d_backward"
@solves(conv2d_backward)
def conv2d_backward(dy, columns, w):
    ### BEGIN SOLUTION
    dcolumns = w.T @ dy
    dw = (dy @ columns.transpose(0, 2, 1)).sum(0)  #: dw
    return dcolumns, dw, dy.sum((0, 2))  #: result
    ### END SOLUTION


# %%
with trying():
    made = conv2d_backward(np.ones((5, 2, 6)), np.ones((5, 4, 6)), np.ones((2, 4)))
    print([array.shape for array in made])

# %% check="conv2d_backward"
check(conv2d_backward)

# %% [markdown] task="max_pool2d"
# ## The maximum of each window
#
# Pooling makes an image smaller by keeping only the maximum of each window. Backward
# sends a gradient only to the element that was the maximum, so forward also writes
# **where** it was, as ih · W + iw, which is the element's number in its plane.
#
# > x = 1 5 / 5 2, a window of 2 × 2: y = 5, indices = 1
#
# If the maximum occurs more than once, its first position is taken, in row order. So
# here the index is 1 and not 2. Elements outside the image don't count, not even as 0,
# so the maximum of −3 and −7 is −3. If a window has a NaN, its maximum is NaN.
#
# Write `max_pool2d`.

# %%
x = np.array([[-3.0, -7.0]])
print(x.max(), np.pad(x, 1).max(), "<- a padding of zeros would be the maximum")

# %% [markdown] hints="max_pool2d"
# <details><summary>Hint 1</summary>
#
# The first element of the window that's inside the image is always the best one so far.
# How can you tell that you haven't seen any yet, without assuming anything about its
# value?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Keep the maximum and its index, and let the index start at −1. An element becomes the
# new maximum if the index is still −1, if it's larger, or if it's NaN. Every comparison
# with NaN is false except `!=`, so `value != value` is true only if the value is NaN.
#
# </details>

# %% exercise="max_pool2d"
solves(max_pool2d)(r"""
__global__ void max_pool2d(const float* x, float* y, int* indices, int planes, int H,
                           int W, int OH, int OW, int K, int stride, int padding) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * OH * OW) return;  //: guard
    int plane = i / (OH * OW), oh = i / OW % OH, ow = i % OW, best = -1;  //: plane
    float most = 0.0f;  //: most
    for (int kh = 0; kh < K; kh++)
        for (int kw = 0; kw < K; kw++) {
            //: ih
            int ih = oh * stride - padding + kh, iw = ow * stride - padding + kw;
            if (ih < 0 || ih >= H || iw < 0 || iw >= W) continue;  //: if_ih
            float value = x[(plane * H + ih) * W + iw];  //: value
            if (best < 0 || value > most || value != value) {  //: if_best
                best = ih * W + iw;  //: best
                most = value;  //: set_most
            }
        }
    y[i] = most;
    indices[i] = best;
    // END SOLUTION
}
""")

# %%
with trying():
    x, y = np.array([1, 5, 5, 2], np.float32), np.zeros(1, np.float32)
    indices = np.zeros(1, np.int32)
    kernel = Kernel(max_pool2d.text, "max_pool2d")
    kernel(1, 32, (x, y, indices, 1, 2, 2, 1, 1, 2, 2, 0))
    print(y, indices)

# %% check="max_pool2d"
check(max_pool2d)

# %% [markdown] task="max_pool2d_backward"
# ## And back, by the indices
#
# Each element of dy goes to the element of dx that its window chose. Windows may
# overlap, so several may have chosen the same element. Then their gradients are added,
# as NumPy does for one plane in the next cell.
#
# Write `max_pool2d_backward`. Threads that add to one element at the same time mustn't
# lose an update.

# %%
indices, dy, dx = np.array([1, 1, 3]), np.array([10.0, 20, 5]), np.zeros(4)
np.add.at(dx, indices, dy)
print(dx)

# %% [markdown] hints="max_pool2d_backward"
# <details><summary>Hint 1</summary>
#
# Which is easier? Each element of dy could have a thread, which adds it to one element
# of dx. Or each element of dx could have a thread, which goes through all indices of
# its plane.
#
# </details>
# <details><summary>Hint 2</summary>
#
# With a thread t for each element of dy, the plane is t / places, and its part of dx
# begins at plane * size. Add with `atomicAdd`, because other threads may add to the
# same element.
#
# </details>

# %% exercise="max_pool2d_backward"
solves(max_pool2d_backward)(r"""
__global__ void max_pool2d_backward(const float* dy, const int* indices, float* dx,
                                    int planes, int size, int places) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= planes * places) return;  //: guard
    atomicAdd(&dx[i / places * size + indices[i]], dy[i]);  //: add
    // END SOLUTION
}
""")

# %%
with trying():
    dy, indices = np.array([10, 20, 5], np.float32), np.array([1, 1, 3], np.int32)
    dx = np.zeros(4, np.float32)
    kernel = Kernel(max_pool2d_backward.text, "max_pool2d_backward")
    kernel(1, 32, (dy, indices, dx, 1, 4, 3))
    print(dx)

# %% check="max_pool2d_backward"
check(max_pool2d_backward)

# %% [markdown] task="test_col2im"
# ## A test with the adjoint
#
# What should col2im return? You could compute it by hand for a small image, but you
# don't have to. col2im is the adjoint of im2col, so for every image x and all columns c
#
# > the sum of im2col(x) · c = the sum of x · col2im(c)
#
# If x and c are random and the two sides agree up to rounding, then almost certainly
# every element went where it belongs.
#
# Write a **test** for kernels such as `col2im`. It launches the kernel that it's
# passed, and raises an error if something is wrong, for example with `assert`. The
# check runs your test on correct kernels, which it must accept, and on kernels with
# typical mistakes, which it must reject.

# %%
A, x, c = np.random.rand(3, 4), np.random.rand(4), np.random.rand(3)
print((A @ x) @ c, x @ (A.T @ c))

# %% [markdown] hints="test_col2im"
# <details><summary>Hint 1</summary>
#
# With 3 × 3 windows, stride 1, and no padding, many mistakes don't show. Which sizes do
# show that a kernel swaps H and W or KH and KW, or leaves out the stride, the padding,
# the dilation, or a plane?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take a few choices of (H, W, KH, KW, stride, padding, dilation), with different
# numbers in each and at least 2 planes. The lesson has the formula for OH and OW.
# Launch `Kernel(im2col.text, "im2col")` with a random x, and the kernel that you were
# passed with a random c, both with at least as many threads as the larger array has
# elements. Compare the two sums with `np.testing.assert_allclose`, with both tolerances
# 1e-3.
#
# </details>


# %% exercise="test_col2im"
@solves(test_col2im)
def test_col2im(kernel):
    ### BEGIN SOLUTION
    random = np.random.default_rng(0)
    forward = Kernel(im2col.text, "im2col")
    #: each_H
    for H, W, KH, KW, stride, padding, dilation in [
        (5, 7, 3, 2, 1, 0, 1), (6, 5, 2, 3, 2, 1, 1), (7, 9, 2, 3, 1, 2, 2)
    ]:  # fmt: skip
        OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
        OW = (W + 2 * padding - dilation * (KW - 1) - 1) // stride + 1
        sizes = 2, H, W, KH, KW, OH, OW, stride, padding, dilation  #: sizes
        x = random.normal(size=(2, H, W)).astype(np.float32)  #: x
        c = random.normal(size=(2, KH, KW, OH, OW)).astype(np.float32)  #: c
        columns, back = np.zeros_like(c), np.zeros_like(x)
        blocks = max(x.size, c.size) // 128 + 1
        forward(blocks, 128, (x, columns, *sizes))  #: forward
        kernel(blocks, 128, (c, back, *sizes))
        one, other = (columns * c).sum(), (x * back).sum()  #: one
        np.testing.assert_allclose(one, other, 1e-3, 1e-3)  #: assert_allclose
    ### END SOLUTION


# %%
with trying():
    test_col2im(Kernel(col2im.text, "col2im"))
    print("Your col2im passes.")

# %% check="test_col2im"
check(test_col2im)

# %% [markdown]
# ## What you've built
#
# `unfold`, `conv2d`, and `max_pool2d` of your library now run the kernels that you've
# written, and the trace marks these kernels as `yours`. `conv2d` runs your
# `conv2d_direct` if stride and dilation are 1, the window is a square of at most 7 × 7,
# and the padding is equal on all sides. Otherwise, it runs your `im2col` and
# `conv2d_gemm`. `with minigrad.kernel_variant("fastest")` always runs minigrad's.

# %%
with trying():
    device = "cuda" if minigrad.gpu_available() else "sim"
    F = minigrad.functional
    x, w = (minigrad.ones(*s).to(device) for s in ((2, 3, 8, 8), (4, 3, 3, 3)))
    with minigrad.trace() as launches:
        F.max_pool2d(F.conv2d(x, w, padding=1), 2)
    print(launches)

# %% [markdown]
# ## How you were checked
#
# `show_check` shows an exercise's check: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(im2col)

# %% [markdown]
# ## Where to go next
#
# You've written the gradients of a convolution and of max pooling by hand. In chapter
# 08, you build the engine that puts such gradients together for any program.
