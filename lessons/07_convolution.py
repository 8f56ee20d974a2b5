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
# # 07 · Convolution and pooling
#
# A convolution slides a small window over an image. At each position, it multiplies
# what's under the window by the same few weights, and adds up the products. There are
# many ways to compute that, and the fastest can be more than 20 times as fast as the
# slowest:
#
# - **direct**: each thread reads its window, or a block shares a tile of the image
# - **im2col + GEMM**: all windows become the columns of a matrix, and a matrix product
#   (a GEMM, as in chapter 06) does the rest
# - **implicit GEMM**: the same product, but the matrix is never stored
# - **FFT** and **Winograd**: formulas that need fewer multiplications
#
# This lesson takes about {{duration}}, builds on chapters 02, 03, 04, and 06, and needs
# no GPU. If the text asks you to predict something, write your guess down first. Each
# **puzzle** asks you to change a single line. All times were measured on one
# {{conv2d: images 1024 x 1 | PyTorch | GPU}} and are listed in
# `docs/benchmarks/kernels.md` and `tf32.md`.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from minigrad import Kernel, answers_from, viz
from minigrad.testing import rate, rates

# You'll write these functions in lab 07. Here, the reference solutions stand in.
answers_from("solutions", before="08_autograd")
F = minigrad.functional

# %% [markdown]
# ## One window
#
# Here's a 4 × 5 image with a 3 × 3 window in its upper left corner, which gives the
# upper left element of the result.

# %%
x = np.arange(20.0).reshape(4, 5)
w = np.array([[1.0, 0, -1]] * 3)
viz.windows(x, 3, at=(0, 0))

# %% [markdown]
# Each position in the window is called a **tap**, and the small numbers count the taps.
# The weights w have the shape of the window, and together they're called a **filter**.
# Many books say *kernel* instead, but in this course, a kernel is always a GPU
# function.
#
# This filter adds the window's left column and subtracts its right column, so the first
# element of the result is 15 − 21 = {{=−6}}. **Predict** the other five.


# %%
def convolve(x, w):
    """Return the sum of each window times w."""
    shape = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    y = np.zeros(shape, x.dtype)
    for oh, ow in np.ndindex(*shape):
        for kh, kw in np.ndindex(*w.shape):
            y[oh, ow] += x[oh + kh, ow + kw] * w[kh, kw]
    return y


convolve(x, w)

# %% [markdown]
# <details><summary>Answer</summary>
#
# All six are {{=equal|[-6., -6., -6.]}}, because the pixel values grow by 1 from one
# column to the next.
#
# </details>

# %% [markdown]
# At a vertical edge, the values change more, so the output is further from 0.
#
# **Puzzle 1: the other edges.** This picture is dark at the top and bright at the
# bottom, and the filter doesn't see that edge. Change the line so that it does.

# %%
picture = np.repeat([[0.0], [0], [0], [1], [1], [1]], 6, axis=1)

# %%
edges = convolve(picture, w)  # your line

# %%
print(edges)
print("solved:", bool((abs(edges).max(1) == [0, 3, 3, 0]).all()))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The transposed filter subtracts the window's bottom row from its top row.
#
# ```python
# edges = convolve(picture, w.T)
# ```
#
# </details>

# %% [markdown]
# In mathematics, a convolution flips the filter first, so tap (kh, kw) gets the weight
# `w[-1 - kh, -1 - kw]`. PyTorch doesn't flip the filter, so a mathematician would call
# the result a *correlation*. In a network, the difference doesn't matter, because
# training finds weights that fit.
#
# ### How large is the result?
#
# Three numbers determine where the windows are. The **padding** is how many rows and
# columns of zeros are added on each side of the image, and the **stride** is the step
# from one window to the next. The picture shows the first and the last window for a
# padding of 1 and a stride of 2.

# %%
viz.windows(x, 3, stride=2, padding=1, at=[(0, 0), (1, 2)])

# %% [markdown]
# The **dilation** is the step from one tap to the next. **Predict** which four elements
# of x a 2 × 2 window with dilation 2 reads for element (1, 1) of the result.

# %%
viz.windows(x, 2, dilation=2, at=(1, 1))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It reads 6, 8, 16, and 18, because the window begins at the 6, in row 1 and column 1.
# The other taps are 2 rows lower, 2 columns to the right, or both.
#
# </details>

# %% [markdown]
# With KH taps that are `dilation` apart, a window is dilation · (KH − 1) + 1 rows high.
# The first window begins `padding` rows above the image, and each one after it begins
# `stride` rows lower. So the height of the result is
#
# > OH = (H + 2 · padding − dilation · (KH − 1) − 1) // stride + 1
#
# and its width OW follows in the same way.
#
# **Puzzle 2: half the size.** An image has 28 × 28 pixels, and the window is 5 × 5. Add
# padding to the line so that the result is 14 × 14.

# %%
how = {"stride": 2}  # your line

# %%
images, filters = minigrad.zeros(1, 1, 28, 28), minigrad.zeros(1, 1, 5, 5)
y = F.conv2d(images, filters, **how)
print(y.shape, "solved:", y.shape == (1, 1, 14, 14) and how["stride"] == 2)

# %% [markdown]
# <details><summary>Answer</summary>
#
# (28 + 2 · 2 − 4 − 1) // 2 + 1 = 27 // 2 + 1 = 14. Without padding, it's 12.
#
# ```python
# how = {"stride": 2, "padding": 2}
# ```
#
# </details>

# %% [markdown]
# ### Channels
#
# A color image has three **channels**, red, green, and blue. In general there are C
# channels, and a window reads all of them. A layer has O filters, each of which
# produces one **output channel**, so the layer's weights have shape (O, C, KH, KW).
# Images come in batches of N, and each output channel has a bias:
#
# > y[n, o, oh, ow] = bias[o] + the sum over c, kh, and kw of
# > w[o, c, kh, kw] · x[n, c, ih, iw]
#
# where ih = oh · stride − padding + kh · dilation, and iw accordingly.
#
# PyTorch stores images in this order, N × C × H × W, channel by channel. With
# `memory_format=torch.channels_last`, the channels of a pixel are neighbors in memory
# instead, which suits tensor cores.
#
# For a batch of N = 64 images, the second convolution of chapter 10's network turns C =
# 32 channels of 14 × 14 into O = 64 of the same size, with 3 × 3 windows and a padding
# of 1. **Predict** roughly how many multiplications that takes.

# %%
N, C, O, positions, taps = 64, 32, 64, 14 * 14, 9
multiplications = N * O * positions * C * taps
elements = N * C * positions + O * C * taps + N * O * positions
print(f"{multiplications:,} multiplications, {elements:,} elements")
print(f"{2 * multiplications / (4 * elements):.0f} FLOP per byte")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It takes {{=231 million|231,211,008 multiplications}}, because each of the 64 · 64 ·
# 14 · 14 elements of y is a sum of 32 · 9 products.
#
# </details>

# %% [markdown]
# The last line of the output counts an addition with each multiplication, and 4 bytes
# per element. The result is far above the H200's ridge point near 16 (chapter 06), so
# memory isn't the limit if each element is read or written only once. But if each
# thread reads its own window, it reads two numbers per multiplication, which is only
# 0.25 operations per byte.
#
# ## Direct: a tile and its halo
#
# Suppose a block has a thread for each element of a 6 × 6 tile of y. With 3 × 3
# windows, its threads read the tile of x at the same position and a border around it,
# which is called the **halo**. In general, K × K windows need K − 1 more rows and
# columns than the tile has.

# %%
viz.halo(6, 3)

# %% [markdown]
# The number in each box says how many threads read that element, and in the middle it's
# {{=9|324 times}}. So the block should copy all {{=64|8 x 8 elements}} elements to
# shared memory once, and then read them from there. But it has only 36 threads, so some
# must copy more than one.
#
# In one dimension, such a kernel is short. The next one replaces each of 100 elements
# with the mean of itself and its two neighbors, and takes 0 outside the array.
#
# **Puzzle 3: fill the halo.** Change the line so that the simulator no longer complains
# about this kernel.

# %%
source = r"""
__global__ void smooth(const float* x, float* y, int n) {
    __shared__ float part[66];  // 64 elements, and one more at each end
    int t = threadIdx.x, first = blockIdx.x * 64;
    for (int r = t; r < 64; r += 64) {  // your line
        int i = first - 1 + r;
        part[r] = i >= 0 && i < n ? x[i] : 0.0f;
    }
    __syncthreads();
    if (first + t < n) y[first + t] = (part[t] + part[t + 1] + part[t + 2]) / 3;
}
"""

# %%
smooth, signal = Kernel(source, "smooth"), np.arange(100, dtype=np.float32)
y = np.zeros(100, np.float32)
report = smooth.check(2, 64, (signal, y, 100))
print(str(report).partition("seen at")[0])
smooth(2, 64, (signal, y, 100))
print("solved:", not report.findings and np.allclose(y[1:-1], signal[1:-1]))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The loop has to reach all 66 cells. Threads 0 and 1 run it twice, and the others once.
#
# ```c
# for (int r = t; r < 66; r += 64) {
# ```
#
# </details>

# %% [markdown]
# In lab 07, you'll do this in two dimensions. There, it's easy to forget the halo's
# corners, where both the row and the column are outside the tile.
#
# The windows of a 16 × 16 tile have 16² · K² elements in all, but the block copies only
# the tile and its halo. **Predict** by which factor that reduces the reads for K = 7.

# %%
for K in 1, 3, 5, 7:
    factor = 16**2 * K**2 / (16 + K - 1) ** 2
    print(f"K = {K}: reads of x reduced by a factor of {factor:.1f}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The factor is {{=25.9}}, because the block copies (16 + 6)² = 484 elements instead of
# 256 · 49.
#
# </details>
#
# ## Windows as columns
#
# GPUs are best at matrix products, so let's turn a convolution into one. **im2col**
# (image to columns) copies each window into a column of a matrix. The picture marks the
# window at (0, 1) and its column.

# %%
viz.columns(np.arange(12.0).reshape(3, 4), 2, at=(0, 1))

# %% [markdown]
# The matrix has a column per window and a row per tap, so its first row holds {{=what's
# under the upper left tap|[ 0.,  1.,  2.,  4.,  5.,  6.]}} of each window. We number
# the rows by k and the columns by p, which counts the windows row by row. In PyTorch,
# im2col is called `unfold`, and it returns the matrix in the picture.

# %%
small = minigrad.arange(12.0).reshape(3, 4)
F.unfold(small.reshape(1, 1, 3, 4), 2).numpy()[0]

# %% [markdown]
# **Puzzle 4: no copy.** In chapter 03, you read overlapping windows of a signal without
# copying anything. Do the same here. Change the strides so that `view[kh, kw, oh, ow]`
# is the element that tap (kh, kw) of window (oh, ow) reads.

# %%
view = small.as_strided((2, 2, 2, 3), (2, 1, 4, 1))  # your line

# %%
columns = F.unfold(small.reshape(1, 1, 3, 4), 2)
print("solved:", view.reshape(4, 6).tolist() == columns[0].tolist())

# %% [markdown]
# <details><summary>Answer</summary>
#
# One row down is 4 elements further in memory, and one column to the right is 1
# further. That's true for the next tap and for the next window.
#
# ```python
# view = small.as_strided((2, 2, 2, 3), (4, 1, 4, 1))
# ```
#
# So in four dimensions, im2col's result is another view of the image, in which the
# windows share elements. They're copied only when the view is reshaped to a 4 × 6
# matrix. (With padding, there's no such view, because the zeros aren't stored.)
#
# </details>

# %% [markdown]
# With C channels, the matrix has C · KH · KW rows. If each filter is a row of C · KH ·
# KW weights, then y = w @ columns, plus the bias. A convolution becomes one line, and
# its result is {{=the same|True}} as with our loops.

# %%
x = minigrad.rand(2, 3, 6, 5)
w, b = minigrad.rand(4, 3, 3, 3), minigrad.rand(4)
y = w.reshape(4, 27) @ F.unfold(x, 3) + b.reshape(4, 1)
x, w, loops = x.numpy(), w.numpy(), b.numpy().reshape(4, 1, 1)
for c in range(3):
    loops = loops + np.stack([convolve(x[0, c], w[o, c]) for o in range(4)])
np.allclose(y[0].numpy().reshape(4, 4, 3), loops)  # the first image

# %% [markdown]
# ### What it costs
#
# Any convolution must at least read the images and write the result. With im2col, the
# columns are also written once and read at least once, which takes more bytes than the
# images and the result together. **Predict** by which factor, for chapter 10's layer,
# with 32 channels, 64 output channels, and 9 taps.

# %%
image, result = 4 * N * C * positions, 4 * N * O * positions
columns = image * taps
print(f"images and result {(image + result) / 1e6:.1f} MB")
print(f"columns, written and read {2 * columns / 1e6:.1f} MB")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The columns take 6 times as many bytes, because 2 · 9 · 32 is 6 · (32 + 64).
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`im2col`), exercise 3 (`conv2d_gemm`), and exercise 4
# (`conv2d_direct`).
#
# ## Implicit GEMM
#
# A tiled product copies its second matrix tile by tile to shared memory. Instead of
# reading an element of `columns`, a thread can compute where im2col would have read it,
# and read that element of x. So the matrix never exists as a whole, and each block
# holds only one tile of it at a time. This is **implicit GEMM**, which minigrad's
# `conv2d` uses on a GPU (`minigrad/kernels/conv_gemm.cu`).
#
# **Puzzle 5: a matrix that isn't there.** `element(k, p)` returns element (k, p) of the
# columns without storing the matrix. The image has 2 channels of 5 × 5, and the windows
# are 3 × 3. The rows are ordered by channel, then by kh, then by kw. Fix the line that
# splits k.

# %%
image = np.random.default_rng(0).random((2, 5, 5))


# %%
def element(k, p):
    c, kh, kw = k // 9, k % 3, k // 3 % 3  # your line
    oh, ow = divmod(p, 3)
    return image[c, oh + kh, ow + kw]


# %%
columns = F.unfold(minigrad.from_numpy(image[None]), 3).numpy()[0]
same = [element(k, p) == columns[k, p] for k, p in np.ndindex(18, 9)]
print(sum(same), "of", len(same), "solved:", all(same))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The last index changes fastest, so kw is the remainder, as in chapter 03.
#
# ```python
# c, kh, kw = k // 9, k // 3 % 3, k % 3
# ```
#
# </details>

# %% [markdown]
# Let's see what each variant launches. The last column counts the bytes of all arrays
# that are passed to a kernel.

# %%
sizes = (2, 8, 14, 14), (8, 8, 3, 3), (8,)
x, w, b = (minigrad.rand(*size).to("sim") for size in sizes)
for variant in "direct", "halo", "im2col", "pipelined":
    with minigrad.kernel_variant(variant), minigrad.trace() as launches:
        F.conv2d(x, w, b, padding=1)
    for launch in launches:
        name = launch.kernel.partition("<")[0]
        print(f"{variant:<10} {name:<18} {launch.bytes:>9,} bytes")

# %% [markdown]
# Only `im2col` needs an extra array and more than one launch, because separate kernels
# copy the windows, multiply, and add the bias. `pipelined` is an implicit GEMM whose
# threads each keep a patch of sums in registers, as in the last kernels of chapter 06.
# (What you write as `conv2d_direct` in the lab works like `conv2d_halo` here.)
#
# **Predict** how four of minigrad's kernels rank: direct, with a halo, and implicit
# GEMM without and with sums in registers. The next picture shows their TFLOP/s on an
# H200, for a batch of 1,024 and both convolutions of chapter 10's network. (We didn't
# time im2col's product.)

# %%
ways = {"direct": "conv2d_d", "a tile and its halo": "conv2d_h",
        "implicit GEMM": "conv2d_i",
        "implicit GEMM in registers": "conv2d_p"}  # fmt: skip
panels = {"1 × 28 × 28 to 32, TFLOP/s": "1024 x 1 ",
          "32 × 14 × 14 to 64, TFLOP/s": "1024 x 32 "}  # fmt: skip
for title, images in panels.items():
    panels[title] = rates(f"conv2d: images {images}", ways)
    for way, row in ("PyTorch, TF32 off", "float32"), ("PyTorch, TF32", "TF32"):
        panels[title][way] = rate(f"tf32/images {images}", row, "TFLOP/s")
viz.ranking(panels)

# %% [markdown]
# <details><summary>Answer</summary>
#
# In both layers, the kernel with sums in registers is the fastest of the four. The
# others read two numbers per multiplication from shared memory or cache, which also
# limited chapter 06's tiled product. Plain implicit GEMM beats both direct kernels. The
# one with a halo is slower than the one without, probably because the L1 cache already
# serves most repeated reads, and barriers take time.
#
# </details>

# %% [markdown]
# The first layer has only 9 multiplications per element written, so all kernels reach
# fewer TFLOP/s there. In that layer, minigrad's fastest kernel beats PyTorch, but in
# the second, PyTorch is faster even with TF32 off.
#
# By default, PyTorch allows TF32 for float32 convolutions, but not for matrix products
# (chapter 06). In the second layer, TF32 takes
# {{tf32/images 1024 x 32 | TF32 | time}} instead of
# {{tf32/images 1024 x 32 | float32 | time}},
# but the largest error grows from
# {{tf32/images 1024 x 32 | float32 | largest error}} to
# {{tf32/images 1024 x 32 | TF32 | largest error}},
# relative to the largest element. In the first layer, neither the time nor the error
# changes. To turn TF32 off, set `torch.backends.cudnn.conv.fp32_precision = "ieee"`
# (before PyTorch 2.9, `torch.backends.cudnn.allow_tf32 = False`).

# %% [markdown]
# <details><summary>For reference: how PyTorch chooses an algorithm</summary>
#
# PyTorch calls cuDNN, NVIDIA's library for neural networks, which has implicit GEMM
# with and without indices computed in advance, im2col and GEMM, FFT, and Winograd. By
# default, a heuristic chooses among them. With `torch.backends.cudnn.benchmark = True`,
# PyTorch times several for each new shape and keeps the fastest, so the first step and
# every new shape are slow. Some backward algorithms use atomics, unless you set
# `torch.backends.cudnn.deterministic = True`.
#
# </details>

# %% [markdown]
# ## Backward: two more products
#
# So far, the weights were given, but training has to find them (chapters 08 to 10). It
# computes a single number, the **loss**, which says how wrong the network's output is,
# and asks how the loss reacts to a small change in each weight. If the loss grows by g
# · ε when w grows by a tiny ε, then g is the **gradient** of the loss with respect to
# w. We call it the gradient of w, or dw. In the same way, dy is the gradient of y,
# element by element.
#
# Here's a small example. A weight w is used twice, for y₀ = 3 w and y₁ = 10 w, and the
# loss is 2 y₀ + 5 y₁. If y₀ grows by ε, the loss grows by 2 ε, and for y₁ it's 5 ε, so
# dy is (2, 5). If w grows by ε, then y₀ grows by 3 ε.
#
# **Puzzle 6: two paths.** Compute dw from dy. The cell below your line moves w by 0.001
# to check the result.


# %%
def loss(w):
    return 2 * (3 * w) + 5 * (10 * w)


dy = 2, 5

# %%
dw = dy[0] + dy[1]  # your line

# %%
slope = (loss(1.001) - loss(1)) / 0.001
print(f"{dw}, moving w: {slope:.3f}", "solved:", abs(dw - slope) < 1e-6)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first path adds 2 · 3 ε to the loss, and the second adds 5 · 10 ε, so dw is
# {{=56|moving w: 56.000}}.
#
# ```python
# dw = dy[0] * 3 + dy[1] * 10
# ```
#
# </details>

# %% [markdown]
# We multiply the slopes along each path and add up the products. This is the **chain
# rule**, and computing dw from dy is called the **backward pass**, or just backward.
#
# In the convolution y = w @ columns, the weight w[o, k] is used for y[o, p] at every
# position p, where it's multiplied by columns[k, p]. So dw[o, k] is the sum of dy[o, p]
# · columns[k, p] over all p. That's the dot product of row o of dy and row k of the
# columns, so
#
# > dw = dy @ columnsᵀ
#
# In the same way, columns[k, p] is used for all output channels, so dcolumns = wᵀ @ dy.
#
# In the next picture, a is dy, b is columnsᵀ, and c is dw, for 2 output channels, 3
# positions, and 4 taps.

# %%
dy, columns = np.arange(1, 7).reshape(2, 3), np.arange(12).reshape(4, 3)
viz.product(dy, columns.T, (1, 2))

# %% [markdown]
# All images of the batch use the same weights, so the paths through all images are
# added too.
#
# **Puzzle 7: all images.** Below, `dy` and `columns` hold 5 images, but the given line
# uses only the first. Change it so that `dw` is the gradient for all of them. To check
# dw, we move one weight again, and take the sum of dy · y as the loss, because then the
# gradient of y is dy.

# %%
x, w = minigrad.rand(5, 2, 4, 4).double(), minigrad.rand(3, 2, 2, 2).double()
columns, dy = F.unfold(x, 2).numpy(), np.random.default_rng(0).random((5, 3, 9))

# %%
dw = dy[0] @ columns[0].T  # your line

# %%
moved = w.clone()
moved[1, 0, 1, 1] += 1e-3
change = (F.conv2d(x, moved) - F.conv2d(x, w)).numpy().reshape(5, 3, 9)
slope, found = (change * dy).sum() / 1e-3, dw.reshape(3, 2, 2, 2)[1, 0, 1, 1]
print(f"{found:.6f}, moving it: {slope:.6f}", "solved:", abs(found - slope) < 1e-6)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each image has its own dy and columns, and their products are added up.
#
# ```python
# dw = sum(d @ c.T for d, c in zip(dy, columns, strict=True))
# ```
#
# The given line's result had the correct shape too, so shapes don't reveal this
# mistake.
#
# </details>

# %% [markdown]
# ### col2im
#
# The last gradient is dx. im2col copied an element of x into several columns, so each
# copy has a gradient, and dx is their sum. Computing these sums is called **col2im**,
# or `fold` in PyTorch. The picture marks the copies of the 5.

# %%
viz.columns(np.arange(12.0).reshape(3, 4), 2, element=(1, 1))

# %% [markdown]
# So col2im isn't the inverse of im2col. **Predict** what becomes of a 4 × 5 image of
# ones that's unfolded with 3 × 3 windows and then folded.

# %%
ones = minigrad.ones(1, 1, 4, 5)
F.fold(F.unfold(ones, 3), (4, 5), 3).numpy()[0, 0]

# %% [markdown]
# <details><summary>Answer</summary>
#
# Each element is now the number of windows that it's in, from {{=1}} in the corners to
# {{=6}} in the middle. Dividing by these numbers would undo im2col, but backward
# doesn't divide, because a gradient is the sum over all uses.
#
# </details>

# %% [markdown]
# im2col is linear, so there's a matrix A with A @ x = columns, if both are flattened.
# Let's build A column by column, from images that are 1 in a single pixel, and do the
# same for col2im.


# %%
def matrix_of(function, *shape):
    """Return the matrix of a linear function of tensors of this shape."""
    units = np.eye(int(np.prod(shape)), dtype=np.float32)
    results = [function(minigrad.tensor(unit.reshape(shape))) for unit in units]
    return np.stack([y.numpy().reshape(-1) for y in results], 1)


A = matrix_of(lambda x: F.unfold(x, 2), 1, 1, 3, 3)
B = matrix_of(lambda y: F.fold(y, (3, 3), 2), 1, 4, 4)
print(A.shape, B.shape, "transposed:", np.array_equal(B, A.T))

# %% [markdown]
# The matrix of col2im is {{=the transpose|transposed: True}} of A, also called the
# **adjoint**. So (A x) · c = x · (Aᵀ c) for every image x and all columns c. With
# random x and c, that's a test for col2im.
#
# ### Many threads, one element
#
# One way to write col2im is a **scatter**, in which each element of the columns gets a
# thread that adds it to x. Here it is in one dimension, for a signal and windows of 2.
#
# **Puzzle 8: lost updates.** Fix the line so that the result is [1, 6, 8, 6], although
# several threads add to the same element.

# %%
source = r"""
__global__ void back(const float* columns, float* x, int OW, int KW) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < KW * OW) x[i % OW + i / OW] += columns[i];  // your line
}
"""

# %%
columns, x = np.array([[1, 2, 3], [4, 5, 6]], np.float32), np.zeros(4, np.float32)
back = Kernel(source, "back")
report = back.check(1, 32, (columns, x, 3, 2))
print(str(report).partition("seen at")[0])
back(1, 32, (columns, x, 3, 2))
print(x, "solved:", not report.findings and x.tolist() == [1, 6, 8, 6])

# %% [markdown]
# <details><summary>Answer</summary>
#
# `+=` is a read, an addition, and a write, and another thread may come in between.
# `atomicAdd` can't be interrupted (chapter 02).
#
# ```c
# if (i < KW * OW) atomicAdd(&x[i % OW + i / OW], columns[i]);
# ```
#
# </details>

# %% [markdown]
# Atomics run in any order, so the last bits of the sum can differ from run to run.
# minigrad uses a **gather** instead, in which each element of x gets a thread that
# finds its windows and adds up its copies, always in the same order.
#
# **To the lab**: exercise 2 (`col2im`), exercise 5 (`conv2d_backward`), and exercise 8
# (`test_col2im`).
#
# ## Max pooling
#
# **Pooling** turns each window into a single number, here its maximum. The kernel also
# notes where the maximum was, because backward sends dy there and nowhere else. Below,
# the image has four 2 × 2 windows, numbered 0 to 3, and the small numbers in it say
# which windows chose an element.

# %%
viz.pooling([[1.0, 5, 2], [5, 3, 4], [0, 6, 6]], 2, stride=1)

# %% [markdown]
# If the maximum occurs more than once, its first position is taken, in row order.
# **Predict** dx if dy is 1 for all four windows.

# %%
x = minigrad.tensor([[[1.0, 5, 2], [5, 3, 4], [0, 6, 6]]])
y, indices = F.max_pool2d(x, 2, stride=1, return_indices=True)
dx = np.zeros(9)
np.add.at(dx, indices.numpy().reshape(-1), 1)
print("indices", indices.tolist()[0])
print("dx", dx.reshape(3, 3).tolist())

# %% [markdown]
# <details><summary>Answer</summary>
#
# The 5 at index {{=1}} is the maximum of two windows, so it gets {{=2}}, and so does
# the first 6. All other elements get 0.
#
# </details>

# %% [markdown]
# **Predict** the result for the two pixels −3 and −7, with one column of padding on
# each side, and 1 × 2 windows that don't overlap.

# %%
F.max_pool2d(minigrad.tensor([[[-3.0, -7.0]]]), (1, 2), padding=(0, 1)).tolist()

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=−3 and −7|[[[-3.0, -7.0]]]}}, because the padding doesn't count. A 0 there
# would beat every negative number.
#
# </details>

# %% [markdown]
# **To the lab**: exercise 6 (`max_pool2d`) and exercise 7 (`max_pool2d_backward`).
#
# ## Optional: fewer multiplications
#
# A fast Fourier transform (FFT) turns a convolution into an element-wise product. For n
# elements, it takes about n · log n operations however large the window is, so it pays
# off for large windows. For small ones, Lavin and Gray (2015) use a method by Winograd,
# in which two outputs of a filter with 3 taps take {{=4 multiplications|17.0 31.0 [17.
# 31.]}} instead of 6.

# %%
d, g = np.array([3.0, 1, 4, 1]), np.array([2.0, 7, 1])
m = (
    (d[0] - d[2]) * g[0],
    (d[1] + d[2]) * (g[0] + g[1] + g[2]) / 2,
    (d[2] - d[1]) * (g[0] - g[1] + g[2]) / 2,
    (d[1] - d[3]) * g[2],
)
print(m[0] + m[1] + m[2], m[1] - m[2] - m[3], np.correlate(d, g))

# %% [markdown]
# The sums of weights and their halves are computed only once per filter. Applied to
# rows and columns, the method takes 16 multiplications instead of 36 for 2 × 2 outputs
# of a 3 × 3 filter, at the price of more additions and slightly larger rounding errors.
#
# ## Before you go: three questions
#
# 1. What does im2col do for 1 × 1 windows, with stride 1 and no padding?
# 2. A 3 × 3 convolution with a padding of 1 turns 256 channels of 14 × 14 into 512. By
#    which factor are the columns larger than the images?
# 3. dx is also a convolution of dy. With which filter?
#
# <details><summary>Answers</summary>
#
# 1. It only reshapes, because the columns are the image. The convolution is then a
#    matrix product.
# 2. They're 9 times as large, because each of the 14 × 14 windows has 9 taps in each
#    channel. The 512 output channels don't matter.
# 3. With {{=the flipped filter|True}}, whose two channel dimensions are swapped. dy
#    gets KH − 1 rows and KW − 1 columns of padding on each side. (That's for stride 1,
#    without padding or dilation.)
#
# </details>

# %%
# Check the third answer.
dy, w = minigrad.rand(1, 3, 4, 4), minigrad.rand(3, 2, 3, 3)
dx = F.fold(w.reshape(3, 18).T @ dy.reshape(1, 3, 16), (6, 6), 3)
flipped = np.flip(w.numpy(), (2, 3)).transpose(1, 0, 2, 3)
again = F.conv2d(dy, minigrad.tensor(flipped.copy()), padding=2)
np.allclose(again.numpy(), dx.numpy(), atol=1e-5)

# %% [markdown]
# Now go to **lab 07**, where you write the kernels behind `unfold`, `conv2d`, and
# `max_pool2d` in your own library.
#
# Further reading: S. Chetlur et al., *cuDNN: Efficient Primitives for Deep Learning*
# (2014), on implicit GEMM; A. Lavin and S. Gray, *Fast Algorithms for Convolutional
# Neural Networks* (2015); V. Dumoulin and F. Visin, *A guide to convolution arithmetic
# for deep learning* (2016); and, in PyTorch's source,
# `aten/src/ATen/native/Convolution.cpp` (`convolution_backward`) and
# `aten/src/ATen/native/cuda/im2col.cuh` (`im2col_kernel`, `col2im_kernel`).
