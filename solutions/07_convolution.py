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
# Eight exercises, about {{duration}} of work: windows as columns of a matrix,
# and the way back; convolution as a product of matrices, and without one; its
# gradients; the largest element of each window.
#
# A `check` runs your kernel in the simulator, with all its tools. It wants:
#
# - the right values, beside PyTorch in double precision;
# - no finding: no race, no access outside of the arrays, no missing barrier;
# - in exercises 3 and 4, few reads of global memory.
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
# A convolution multiplies each window of an image with the same weights. If all windows
# stood side by side as the columns of a matrix, that would be one product of matrices.
# This kernel, *image to columns*, writes that matrix:
#
# > x = 1 2 3 / 4 5 6, windows of 2 x 2: the first is 1 2 / 4 5, the second 2 3 / 5 6
# >
# > columns: 1 2 / 2 3 / 4 5 / 5 6. A row for each tap, a column for each window
#
# The rows are ordered by channel, kh and kw, as the weights are; the columns by oh and
# ow, as the result is. It is a gather: each thread has its own element of `columns`,
# and asks where it comes from.

# %%
x = np.arange(1, 7).reshape(2, 3)
windows = np.lib.stride_tricks.sliding_window_view(x, (2, 2))  # (oh, ow, kh, kw)
print(windows.reshape(2, 4).T)

# %% [markdown] hints="im2col"
# <details><summary>Hint 1</summary>
#
# Thread i has element i of `columns`. Take i apart from the right: `ow = i % OW`, then
# `i /= OW`, and so on, until the plane is left over.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `int ih = oh * stride - padding + kh * dilation`, `iw` alike. Both may be below 0, or
# at H or W and above: then the element is 0, and nothing of x is read.
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
# ## And back: what lies in one place is added
#
# Backward, each element of `columns` has a gradient, and x wants its own. An element of
# x was copied to several columns, once for each window that it is in; so its gradient
# is the **sum** of theirs. *Columns to image* adds:
#
# > columns = 1 2 / 2 3 / 4 5 / 5 6  ->  x = 1 4 3 / 4 10 6
#
# The 2 in the middle of the first row was in both windows: 2 + 2 = 4. That is not the
# inverse of im2col but its **adjoint**: for all x and y, (im2col(x) * y).sum() is
# (x * col2im(y)).sum(). With matrices one would say: the transpose.
#
# Two ways: each element of `columns` is added to x by `atomicAdd`, a scatter; or each
# element of x looks for the windows that it is in, a gather.

# %%
x, y = np.arange(1.0, 7).reshape(2, 3), np.array([[1, 2], [2, 3], [4, 5], [5, 6.0]])
columns = np.lib.stride_tricks.sliding_window_view(x, (2, 2)).reshape(2, 4).T
back = np.array([[1, 4, 3], [4, 10, 6.0]])
print((columns * y).sum(), (x * back).sum())

# %% [markdown] hints="col2im"
# <details><summary>Hint 1</summary>
#
# The scatter is im2col with its last line turned around: the same indices, and what
# was read is added to. Two threads that add to one element at once would lose one of
# the two sums: atomicAdd does not.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `if (inside) atomicAdd(&x[(plane * H + ih) * W + iw], columns[i]);`
#
# The gather: for each tap `oh * stride = ih + padding - kh * dilation` must be at least
# 0, a multiple of stride, and oh below OH.
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
# With the columns at hand, a convolution is `w @ columns + bias` for each image: the
# weights of channel o, laid out in a row, times a window, laid out in a column. The
# order of both is the same, so nothing is turned around.
#
# It is the tiled product of lab 06, for many images at once, and with the bias, which
# belongs to the **channel**: bias[o] for all places of row o.
#
# Sizes are of any kind here: a tile at the edge is filled up with zeros.

# %%
w, columns = np.arange(1, 9).reshape(2, 4), np.array([[1, 2], [2, 3], [4, 5], [5, 6]])
print(w @ columns + np.array([[100], [200]]))

# %% [markdown] hints="conv2d_gemm"
# <details><summary>Hint 1</summary>
#
# `row` is o, `col` is p, and image n begins at `columns + n * K * P` and `y + n * O *
# P`. For each 16 numbers of K: every thread brings one element of w and one of columns
# to shared memory, or 0 where there is none; barrier; 16 multiplications; barrier.
#
# </details>
# <details><summary>Hint 2</summary>
#
# No thread may return before the last barrier, also if its row or column is past the
# end. Only the last line, `y[...] = sum + bias[row]`, stands after an if.
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
# The columns of 3 x 3 windows are nine times as large as the image: they are written
# once and read once, and that takes longer than the product itself where channels are
# few. A block can do without. 16 x 16 places, side by side, have windows that overlap:
# together they see 18 x 18 elements, the tile and a **halo** of K - 1 more.
#
# For each channel: bring those (16 + K - 1)² elements to shared memory, which is more
# than the block has threads; barrier; K * K multiplications; barrier.
#
# (The lesson measures that on a large GPU this gains nothing: its L1 cache shares the
# reads already. You write it because a tile with its halo is the pattern of every
# stencil, and because filling an area larger than the block is what later tiles need,
# too.)

# %%
K, tile = 3, 16
read = (tile + K - 1) ** 2
print(read, "elements for", tile**2, "threads, each used", K * K, "times")

# %% [markdown] hints="conv2d_direct"
# <details><summary>Hint 1</summary>
#
# Shared memory for the largest window: `__shared__ float part[22][22]`. To fill it, let
# the threads step: `for (int r = ty; r < 16 + K - 1; r += 16)`, and a loop over columns
# inside. So the corner of the halo is filled, too.
#
# </details>
# <details><summary>Hint 2</summary>
#
# part[r][q] is x at ih = blockIdx.y * 16 - padding + r and iw = blockIdx.x * 16 -
# padding + q, or 0 outside. Thread (tx, ty) then reads part[ty + kh][tx + kw]. All
# threads go through all channels: past the edge they only do not write.
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
# ## The gradients are products, too
#
# For one image y = w @ columns + bias. What a small change of the weight w[o, k] does:
# y[o, p] changes by columns[k, p], for every p. So
#
# > dw[o, k] = the sum over p of dy[o, p] * columns[k, p]: dw = dy @ columnsᵀ
# >
# > dcolumns[k, p] = the sum over o of w[o, k] * dy[o, p]: dcolumns = wᵀ @ dy
#
# The weights and the bias are the **same for all images**: each image has its part in
# dw and db, and they are added. dcolumns has a matrix for each image; col2im makes dx
# of them.

# %%
dy, columns = np.ones((5, 2, 6)), np.ones((5, 4, 6))
print((dy @ columns.transpose(0, 2, 1)).shape, "-> (2, 4)")

# %% [markdown] hints="conv2d_backward"
# <details><summary>Hint 1</summary>
#
# `@` of two arrays with three dimensions multiplies image by image, and a matrix goes
# with all images. `w.T` is wᵀ; of three dimensions `.T` would turn all of them.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `dy @ columns.transpose(0, 2, 1)` is (N, O, K): one dw for each image. Sum them over
# dimension 0. db is the sum of dy over the dimensions 0 and 2.
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
# ## The largest of each window
#
# Pooling makes an image smaller: of each window one element is left, the largest. Back
# goes a gradient only to that element, so forward also writes **where** it was: the
# number ih * W + iw in its plane.
#
# > x = 1 5 / 5 2, a window of 2 x 2: y = 5, indices = 1
#
# Of equal ones the first counts, row by row: here index 1, not 2. What is outside of
# the image does not count, not even as 0: the largest of -3 and -7 is -3. And a NaN
# must not get lost.

# %%
x = np.array([[-3.0, -7.0]])
print(x.max(), np.pad(x, 1).max(), "<- a padding of zeros would win")

# %% [markdown] hints="max_pool2d"
# <details><summary>Hint 1</summary>
#
# Keep `best`, the index of the largest so far, or -1 before there is one. An element is
# the new best if there is none yet, or if it is larger.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `if (best < 0 || value > most || value != value)`: a comparison with NaN is false, so
# NaN needs a word of its own. Once `most` is NaN, `value > most` is false for all.
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
# Each dy goes to where its window's maximum was. Windows may overlap, and then several
# have found the same element: their gradients are added, and threads that add to one
# element at the same time must not lose a sum.

# %%
indices, dy, dx = np.array([1, 1, 3]), np.array([10.0, 20, 5]), np.zeros(4)
np.add.at(dx, indices, dy)
print(dx)

# %% [markdown] hints="max_pool2d_backward"
# <details><summary>Hint 1</summary>
#
# Either a thread for each dy, which adds it to `dx`; or a thread for each dx, which
# goes through all indices of its plane.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `atomicAdd(&dx[i / places * size + indices[i]], dy[i]);`
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
# ## A test by the adjoint
#
# What should col2im give? One could compute it by hand, for one small image. There is a
# test without any expected values: `col2im` is the adjoint of `im2col`, so for every
# image x and all columns c
#
# > sum of im2col(x) · c = sum of x · col2im(c)
#
# With random x and c both sides are the same number only if every element went where it
# belongs.
#
# Write this **test** for kernels such as `col2im`. It raises an error, an
# AssertionError by `assert`, where something is wrong. The check gives it right
# kernels, which it must let pass, and wrong ones, which it must not: mistakes that
# learners of this lab make.

# %%
A, x, c = np.random.rand(3, 4), np.random.rand(4), np.random.rand(3)
print((A @ x) @ c, x @ (A.T @ c))

# %% [markdown] hints="test_col2im"
# <details><summary>Hint 1</summary>
#
# With taps of 3 x 3, stride 1 and no padding many mistakes are not seen. Which sizes
# show that H and W, or KH and KW, have changed places, that padding is left out, that
# windows overlap?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A few (H, W, KH, KW, stride, padding, dilation), all numbers different; OH is
# `(H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1`, OW alike. Launch im2col,
# `Kernel(im2col.text, "im2col")`, and the kernel you were given, with random x and c,
# and compare the two sums by `np.testing.assert_allclose`, both tolerances 1e-3.
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
    print("your col2im passes")

# %% check="test_col2im"
check(test_col2im)
