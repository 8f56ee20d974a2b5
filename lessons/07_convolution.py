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
# A convolution slides a small window over an image, and at each place multiplies what
# lies under it with the same few weights. It can be computed in many ways that give the
# same numbers and differ in time by a factor of ten, twenty and more:
#
# - **direct**: a thread an element of the result, or a tile with its halo;
# - **im2col + GEMM**: all windows as the columns of a matrix, and one product;
# - **implicit GEMM**: that product, but the matrix is never stored;
# - **FFT** and **Winograd**: fewer multiplications, by algebra.
#
# A product of matrices is called **GEMM**, general matrix multiply, as in chapter 06.
# At the end you can say which way suits which sizes, and write convolution, pooling and
# their gradients. It takes about {{duration}}, and builds on chapters 02, 04 and 06.
# Where you are asked to predict, write your guess down first. Nothing needs a GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from minigrad import Kernel, answers_from, viz
from minigrad.kernels import convolution
from minigrad.testing import bench_table, rates

# In this lesson the course's solutions answer the exercises of all labs.
answers_from("solutions")
F = minigrad.functional

# %% [markdown]
# ## One window
#
# An image of 4 x 5, weights of 3 x 3. The window stands at the upper left:

# %%
x = np.arange(20.0).reshape(4, 5)
w = np.array([[1.0, 0, -1]] * 3)
viz.windows(x, 3, at=(0, 0))

# %% [markdown]
# Each place under the window is a **tap**, and has its weight. These weights take the
# left column of the window minus the right one: 15 - 21 = {{=−6}}. **Predict** the
# other five. In plain Python it is four loops, two over places and two over taps.


# %%
def convolve(x, w):
    """The sum of each window times w."""
    places = x.shape[0] - w.shape[0] + 1, x.shape[1] - w.shape[1] + 1
    y = np.zeros(places, x.dtype)
    for oh, ow in np.ndindex(*places):
        for kh, kw in np.ndindex(*w.shape):
            y[oh, ow] += x[oh + kh, ow + kw] * w[kh, kw]
    return y


convolve(x, w)

# %% [markdown]
# In mathematics a convolution turns the kernel around first: w[-kh, -kw]. What PyTorch
# computes, and the whole field calls convolution, is a *correlation*. Weights are
# learnt, so it does not matter, as long as all agree. **Predict**: which sign has the
# result if the kernel is turned?

# %%
convolve(x, w[::-1, ::-1])

# %% [markdown]
# ### How large is the result?
#
# Three numbers say where windows lie. **Padding** puts {{=zeros|reads 0, 0, 0, 0, 0, 1,
# 0, 5, 6}} around the image, `stride` is the step from one window to the next:

# %%
viz.windows(x, 3, stride=2, padding=1, at=[(0, 0), (1, 2)])

# %% [markdown]
# And the **dilation** is the step from tap to tap. **Predict** which cells are marked
# for a window of 2 x 2 with dilation 2 at place (1, 1).

# %%
viz.windows(x, 2, dilation=2, at=(1, 1))

# %% [markdown]
# A window of K taps, each `dilation` apart, reaches over dilation * (K - 1) + 1
# elements. It starts `padding` before the image and goes in steps of `stride`, so
#
# > OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1
#
# "same" padding {{=keeps the size|{'padding': 'same'} (1, 1, 7, 9)}}, with stride 1 and
# 2 * padding = dilation * (K - 1).

# %%
for how in {}, {"padding": 1}, {"stride": 2}, {"dilation": 2}, {"padding": "same"}:
    image, weights = minigrad.zeros(1, 1, 7, 9), minigrad.zeros(1, 1, 3, 3)
    print(how, F.conv2d(image, weights, **how).shape)

# %% [markdown]
# ### Channels
#
# A pixel has C **channels** (red, green, blue), and one wants O results at each place.
# So the weights are O x C x KH x KW, and the sum goes over c, too. Images come in
# batches of N:
#
# > y[n, o, oh, ow] = bias[o] + the sum over c, kh and kw of
# > w[o, c, kh, kw] · x[n, c, ih, iw]
#
# Seven loops. In chapter 10 a network reads MNIST, handwritten digits. Its second layer
# has N = 64, O = 64, C = 32, places of 14 x 14 and taps of 3 x 3.

# %%
N, out, C, places, taps = 64, 64, 32, 14 * 14, 9
multiplications = N * out * C * places * taps
numbers = N * C * places + out * C * taps + N * out * places
print(f"{multiplications:,} multiplications of {numbers:,} numbers")
print(f"{2 * multiplications / (4 * numbers):.0f} operations for each byte")

# %% [markdown]
# {{=95}} operations a byte: as with large matrices, a GPU could be busy with arithmetic
# all the time, if each number were read once. The naive kernel reads two for each
# multiplication. All that follows is about that.
#
# ## Direct: a tile and its halo
#
# Neighboring windows overlap. A block with a thread for each place of a tile reads the
# tile and its **halo**, K - 1 more rows and columns. Here for 6 x 6 threads and windows
# of 3 x 3:

# %%
viz.halo(6, 3)

# %% [markdown]
# The inner elements are read nine times each. So the block brings all
# {{=64|8 x 8 elements}} to shared memory once, and reads them there. With 16 x 16
# threads it is 18 x 18 elements.
#
# Lab 07 writes that kernel. Here is the course's, and one that reads each element from
# global memory. The simulator counts.

# %%
naive = """
__global__ void naive(const float* x, const float* w, const float* bias, float* y,
                      int C, int H, int W, int O, int K, int padding) {
    int oh = blockIdx.y * 16 + threadIdx.y, ow = blockIdx.x * 16 + threadIdx.x;
    float sum = bias[blockIdx.z % O];
    for (int i = 0; i < K * K; i++) {
        int ih = oh + i / K - padding, iw = ow + i % K - padding;
        if (ih >= 0 && ih < H && iw >= 0 && iw < W) sum += w[i] * x[ih * W + iw];
    }
    y[oh * W + ow] = sum;
}
"""

# %%
image, weights, bias = np.ones((32, 32), "f"), np.ones((3, 3), "f"), np.zeros(1, "f")
args = image, weights, bias, np.zeros((32, 32), "f"), 1, 32, 32, 1, 3, 1
for kernel in (
    Kernel(naive, "naive"),
    Kernel(convolution.conv2d_direct.text, "conv2d_direct"),
):
    counts = kernel.check((2, 2, 1), (16, 16), args).counts
    reads, sectors = counts["reads"], counts["sectors"]
    print(f"{kernel.name:<14} reads {reads:>6,}  sectors {sectors:>6,}")

# %% [markdown]
# {{=Four in five|reads 11,396}} of the reads that are left are weights: all threads
# read the same one at a time, which costs a warp one sector. (CUDA has a place for such
# numbers: constant memory, 64 KB that kernels only read; its cache gives one word to
# all lanes at once.) What the halo saves grows with the window: **predict** for 7 x 7.

# %%
for K in 1, 3, 5, 7:
    print(K, f"{K * K / ((16 + K - 1) ** 2 / 16**2):.1f} times fewer reads of x")

# %% [markdown]
# ### Break it: the corner of the halo
#
# Three parts are easy to fill: the tile, the strip to its right, the strip below. What
# is forgotten is the square where both are beyond the tile, the corners of the picture.
# The tools see that cells are read
# {{=that were never written|which this block has not written}}.

# %%
text = convolution.conv2d_direct.text
filling = "part[r][q] = inside"
assert filling in text
broken = text.replace(filling, "if (r < 16 || q < 16) part[r][q] = inside")
report = Kernel(broken, "conv2d_direct").check((2, 2, 1), (16, 16), args)
print(str(report).partition("seen at")[0])

# %% [markdown]
# ## Windows as columns
#
# GPUs are good at one thing above all: products of matrices. *im2col* copies each
# window to a column. Then all windows are multiplied with all weights at once:
#
# > w as O x (C · KH · KW), columns as (C · KH · KW) x places: **y = w @ columns**

# %%
viz.columns(np.arange(12.0).reshape(3, 4), 2, at=(0, 1))

# %% [markdown]
# Each column is a window, each row a tap: {{=the first row|[ 0., 1., 2., 4., 5., 6.]}}
# has what lies under the windows' upper left. PyTorch calls it `unfold`. **Predict**
# the third column, then look at `F.unfold`'s.

# %%
small = minigrad.arange(12.0).reshape(1, 1, 3, 4)
F.unfold(small, 2).numpy()[0]

# %% [markdown]
# Now a convolution is one line, and it is {{=the same|0.0}}.

# %%
x = minigrad.rand(2, 3, 6, 5)
w, b = minigrad.rand(4, 3, 3, 3), minigrad.rand(4)
y = w.reshape(4, 27) @ F.unfold(x, 3) + b.reshape(4, 1)
abs(y.reshape(2, 4, 4, 3) - F.conv2d(x, w, b)).max().item()

# %% [markdown]
# ### What it costs
#
# Every element of x is copied up to KH · KW times, so the columns of the MNIST layer
# are nine times its image. They are written once and read once. **Predict**: how does
# that compare with what the convolution has to move at all?

# %%
image, result = 4 * N * C * places, 4 * N * out * places
columns = image * taps
print(f"image {image / 1e6:.1f} MB, result {result / 1e6:.1f} MB")
print(f"columns {columns / 1e6:.1f} MB, written and read {2 * columns / 1e6:.1f} MB")

# %% [markdown]
# **To the lab**: exercises 1 (`im2col`), 3 (`conv2d_gemm`) and 4 (`conv2d_direct`).
#
# ## Implicit GEMM
#
# The product reads its matrix in tiles: 8 numbers of K for 64 places. A thread that
# fills a tile can just as well compute where the element would have come from, and read
# it from x. The matrix exists only in shared memory, a tile at a time. That is
# *implicit* GEMM, and what `conv2d` of minigrad runs on a device
# (`minigrad/kernels/conv_gemm.cu`).
#
# The trace lists what each way launches, and how many bytes of tensors it touches.

# %%
x, w = minigrad.rand(2, 8, 14, 14).to("sim"), minigrad.rand(8, 8, 3, 3).to("sim")
for variant in "direct", "halo", "im2col", "pipelined":
    with minigrad.kernel_variant(variant), minigrad.trace() as launches:
        F.conv2d(x, w, padding=1)
    for one in launches:
        print(f"{variant:<10} {one.kernel.partition('<')[0]:<18} {one.bytes:>9,} bytes")

# %% [markdown]
# Computing places costs integer divisions: element k of a column is channel k / 9, tap
# k % 9. Two things make them cheap. The window's size is a number of the template, and
# the compiler divides by a constant with a multiplication. And a thread fetches the
# same place in every step, so it finds out **once** which of the taps lie inside: a bit
# for each.
#
# **Predict**, before you read on: which of the ways is fastest on a real GPU, and how
# much does the halo gain over the direct kernel? One
# {{conv2d: images 1024 x 1 | PyTorch | GPU}}, a batch of 1024, the two layers of
# chapter 10's network (`docs/benchmarks/kernels.md`), in TFLOP/s:

# %%
ways = {"direct": "conv2d_d", "a tile and its halo": "conv2d_h",
        "implicit GEMM": "conv2d_i", "implicit GEMM in registers": "conv2d_p",
        "PyTorch, by cuDNN": "PyTorch"}  # fmt: skip
viz.ranking({
    "1 × 28 × 28 to 32": rates("conv2d: images 1024 x 1", ways),
    "32 × 14 × 14 to 64": rates("conv2d: images 1024 x 3", ways),
})  # fmt: skip

# %% [markdown]
# The halo gains nothing: it is slower. What neighbors read twice lies in the L1 cache
# anyway, and the barriers are not free. It is worth writing all the same: on hardware
# or data without such a cache it is the way, and stencils in physics, blurs and pooling
# with large windows use it. The first three have the limit of chapter 06's tiled
# product: each multiplication takes two numbers out of shared memory or cache.
# Registers make the great step, as they did there; and *implicit* saves writing the
# columns and reading them again. In the first layer K is 9, and there is little to
# multiply for each element that is written: which kernel is best is a matter of the
# sizes, and no library's choice is best for all.
#
# ## Backward: two more products
#
# y = w @ columns, so dw = dy @ columnsᵀ and dcolumns = wᵀ @ dy. The weights are shared:
# by all places, which the product adds up, and by all **images**, so dw is summed over
# the batch as well.

# %%
x, w = minigrad.rand(5, 2, 4, 4), minigrad.rand(3, 2, 2, 2).double()
columns = F.unfold(x.double(), 2).numpy()
dy = np.random.default_rng(0).normal(size=(5, 3, 9))
_, dw, _ = convolution.conv2d_backward(dy, columns, w.numpy().reshape(3, 8))
dw.shape

# %% [markdown]
# Is it right? Move one weight a little, and see by how much the sum of dy · y changes.

# %%
moved = w.clone()
moved[1, 0, 1, 1] += 1e-3
change = F.conv2d(x.double(), moved) - F.conv2d(x.double(), w)
print((change.numpy() * dy.reshape(5, 3, 3, 3)).sum() / 1e-3)
print(dw.reshape(3, 2, 2, 2)[1, 0, 1, 1])

# %% [markdown]
# **Break it**: with the first image alone, which a look at the shapes would not reveal.

# %%
print((dy[0] @ columns[0].T).reshape(3, 2, 2, 2)[1, 0, 1, 1])

# %% [markdown]
# From dcolumns to dx: what im2col copied from one place must be **added** there. That
# is *col2im*, `fold` in PyTorch. It is not the inverse of im2col. **Predict**: what
# becomes of an image of ones that is unfolded and folded again?

# %%
ones = minigrad.ones(1, 1, 4, 5)
F.fold(F.unfold(ones, 3), (4, 5), 3).numpy()[0, 0]

# %% [markdown]
# It counts, from {{=1}} at a corner to {{=6}}, in how many windows each element lies:

# %%
viz.overlaps((4, 5), 3)

# %% [markdown]
# im2col is linear, so it is a matrix, if a strange one: each row has a single {{=1}}.
# Let us write it down, column by column, and look at col2im's. It is {{=the
# transpose|True}}: the **adjoint**.


# %%
def matrix_of(function, *shape):
    """The matrix of a linear function of tensors of a shape."""
    unit = np.eye(int(np.prod(shape)), dtype=np.float32)
    results = [function(minigrad.tensor(row.reshape(shape))) for row in unit]
    return np.stack([y.numpy().reshape(-1) for y in results], 1)


A = matrix_of(lambda x: F.unfold(x, 2), 1, 1, 3, 3)
B = matrix_of(lambda y: F.fold(y, (3, 3), 2), 1, 4, 4)
print(A.shape, (B == A.T).all(), A.sum(1))

# %% [markdown]
# For all x and y then (A x) · y = x · (Aᵀ y): a test that needs no other program.

# %%
x, y = minigrad.rand(1, 2, 5, 6), minigrad.rand(1, 12, 10)
how = {"kernel_size": (2, 3), "stride": (1, 2), "padding": (0, 1)}
columns = F.unfold(x, **how)
y = minigrad.rand(*columns.shape)
(columns * y).sum().item(), (x * F.fold(y, (5, 6), **how)).sum().item()

# %% [markdown]
# ### Break it: += from many threads
#
# As a scatter, several threads add to one element. `x[i] += v` is a read, an addition
# and a write; between them {{=another thread|race in col2im}} comes. `atomicAdd` is one
# step; but the order in which they come is open, so the last digits differ from run to
# run. The library turns the loop around: a thread for each element of x **gathers**, in
# the same order each time.

# %%
text = convolution.col2im.text
assert "atomicAdd(&" in text
broken = text.replace("atomicAdd(&", "(").replace("], columns[i])", "] += columns[i])")
sizes = 1, 4, 5, 3, 3, 2, 3, 1, 0, 1
arrays = np.ones(54, np.float32), np.zeros(20, np.float32)
print(
    str(Kernel(broken, "col2im").check(1, 64, (*arrays, *sizes))).partition("seen")[0]
)

# %% [markdown]
# **To the lab**: exercises 2 (`col2im`), 5 (`conv2d_backward`) and 8, a test of col2im.
#
# ## Max pooling
#
# **Pooling** makes one number of each window; here it is the largest. Forward also
# notes where it was, and backward sends dy there, and nowhere else. Windows may
# overlap, so gradients may meet.

# %%
viz.pooling([[1.0, 5, 2], [5, 3, 4], [0, 6, 6]], 2, stride=1)

# %% [markdown]
# **Predict** dx where dy is 1 everywhere.

# %%
x = minigrad.tensor([[[1.0, 5, 2], [5, 3, 4], [0, 6, 6]]])
y, indices = F.max_pool2d(x, 2, stride=1, return_indices=True)
dx = np.zeros(9)
np.add.at(dx, indices.numpy().reshape(-1), 1)  # dy is 1 everywhere
for name, array in {"y": y, "indices": indices}.items():
    print(name, array.tolist()[0])
print("dx", dx.reshape(3, 3).tolist())

# %% [markdown]
# Of two 5s the first one counts, row by row; the 5 at index {{=1}} was the largest of
# {{=two}} windows. And padding is not 0 here: it {{=does not count|[[[-3.0, -7.0]]]}}
# at all. **Predict** the result.

# %%
F.max_pool2d(minigrad.tensor([[[-3.0, -7.0]]]), (1, 2), padding=(0, 1)).tolist()

# %% [markdown]
# **To the lab**: exercises 6 (`max_pool2d`) and 7 (`max_pool2d_backward`).
#
# ## Fewer multiplications: FFT and Winograd
#
# A convolution in space is a product of spectra: transform, multiply, transform back.
# For N elements the transform costs N log N instead of N · K; it pays for large
# windows.

# %%
x, w = np.random.default_rng(0).normal(size=64), np.array([1.0, 2.0, -1.0])
spectrum = np.fft.rfft(x) * np.conj(np.fft.rfft(w, 64))  # conj: not turned around
y = np.fft.irfft(spectrum, 64)[:62]
print(abs(y - np.correlate(x, w)).max())

# %% [markdown]
# For 3 taps there is a trick of Winograd's (1980; for networks Lavin and Gray, 2015).
# Two results need 6 multiplications; with sums made before, {{=4 are enough|17.0 31.0
# [17. 31.]}}:
#
# > m₁ = (d₀ - d₂) g₀, m₂ = (d₁ + d₂)(g₀ + g₁ + g₂) / 2,
# > m₃ = (d₂ - d₁)(g₀ - g₁ + g₂) / 2, m₄ = (d₁ - d₃) g₂
# >
# > y₀ = m₁ + m₂ + m₃, y₁ = m₂ - m₃ - m₄

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
# Done along rows and columns, 3 x 3 taps take 16 multiplications for 2 x 2 results
# instead of 36: 2.25 times fewer. The sums of g are made once for all places. The
# price: more additions, more memory, and a rounding error that is a little larger.
#
# ## What cuDNN picks from
#
# PyTorch calls cuDNN. These are its ways forward, by the names they had in the library
# for ten years. (cuDNN 9 has replaced that interface by one of graphs, whose *engines*
# have numbers; PyTorch uses the new one. The ways are the same.)
#
# | algorithm | what it does | extra memory |
# |---|---|---|
# | `IMPLICIT_GEMM` | the product; places computed on the way | none |
# | `IMPLICIT_PRECOMP_GEMM` | the same, with offsets computed before | little |
# | `GEMM` | im2col, then a product | the columns |
# | `FFT`, `FFT_TILING` | spectra, of the image or of tiles | much |
# | `WINOGRAD` | 3 x 3 with stride 1, in one kernel | little |
# | `WINOGRAD_NONFUSED` | the same in steps, 5 x 5 as well | some |
#
# **Predict**: how large are the columns of 1024 images, 32 × 14 × 14 floats each, with
# windows of 3 x 3 and a padding of 1? The images take 26 MB.

# %%
print(f"{1024 * 32 * 3 * 3 * 14 * 14 * 4 / 1e6:.0f} MB")

# %% [markdown]
# Which way is fastest depends on every size. By default a heuristic chooses; with
# `torch.backends.cudnn.benchmark = True` several are tried once for each new shape
# (ten, unless `benchmark_limit` says otherwise), which is why the first step is slow
# and changing shapes are expensive. Some backward algorithms add by atomics:
# `torch.backends.cudnn.deterministic = True` leaves those out. And PyTorch lets float32
# convolutions run on tensor cores, which round their operands to TF32, 11 significant
# binary digits, unless `torch.backends.cudnn.conv.fp32_precision = "ieee"` (before 2.9:
# `torch.backends.cudnn.allow_tf32 = False`).
#
# ### On your machine
#
# The same convolution three ways, in NumPy: taps one by one, columns and a product for
# each image, and `conv2d` of minigrad, which does the latter in pieces that stay in the
# cache.


# %%
def by_taps(x, w):
    """A product for each tap: nothing is copied, the result is added up nine times."""
    high, wide = x.shape[2] - 2, x.shape[3] - 2
    y = 0
    for kh, kw in np.ndindex(3, 3):
        part = x[:, :, kh : kh + high, kw : kw + wide]
        y = y + np.einsum("oc,nchw->nohw", w[:, :, kh, kw], part, optimize=True)
    return y


# %%
def by_columns(x, w):
    return w.reshape(len(w), -1) @ F.unfold(minigrad.from_numpy(x), 3).numpy()


def by_minigrad(x, w):
    return F.conv2d(minigrad.from_numpy(x), minigrad.from_numpy(w))


# %%
def layer(n, c, o, side):
    rng = np.random.default_rng(0)
    sizes = (n, c, side, side), (o, c, 3, 3)
    return tuple(rng.normal(size=size).astype(np.float32) for size in sizes)


# %%
ways = {"by taps": by_taps, "by columns": by_columns, "minigrad": by_minigrad}
bench_table(ways, [(16, 1, 32, 28), (16, 32, 64, 14)], lambda s: layer(*s), repeat=10)

# %% [markdown]
# (Each row is a layer: images, channels, results, size. After a time stands its ratio
# to the first column's.)
#
# ## What to take with you
#
# - A convolution is a product of matrices whose second matrix is a view of the image
#   with overlaps. im2col stores it, implicit GEMM computes where its elements lie.
# - A halo is shared memory used for windows that overlap.
# - Backward are two more products; what was shared is summed: over places, over images.
# - A gather in place of a scatter needs no atomics, and rounds the same every time.
# - Which way is fastest is a matter of sizes: count bytes, then measure.
#
# ## Before you go: four questions
#
# 1. A convolution of 1 x 1 windows: what does im2col do?
# 2. Why is the gradient of im2col no division by the number of windows?
# 3. dx is again a convolution, of dy. With which weights?
# 4. Why do Winograd's multiplications not save anything for 1 x 1 windows?
#
# <details><summary>Answers</summary>
#
# 1. Nothing but a reshape: the columns are the image, and the convolution is a product
#    of matrices.
# 2. Each copy has a gradient of its own, and the derivative of a sum of uses is the sum
#    of derivatives: the chain rule. Means would make the adjoint test fail.
# 3. With {{=the kernel turned around|True}}, and its two channels exchanged; of stride
#    2, dy has zeros between its elements.
# 4. They save what neighboring windows have in common, and those have nothing.
#
# </details>

# %%
# Check the third answer
dy, w = minigrad.rand(1, 3, 4, 4), minigrad.rand(3, 2, 3, 3)
dx = F.fold(w.reshape(3, 18).T @ dy.reshape(1, 3, 16), (6, 6), 3)
turned = np.flip(w.numpy(), (2, 3)).transpose(1, 0, 2, 3)
again = F.conv2d(dy, minigrad.tensor(turned.copy()), padding=2)
np.allclose(again.numpy(), dx.numpy(), atol=1e-5)

# %% [markdown]
# What you write in **lab 07** is what `unfold`, `conv2d` and `max_pool2d` of your own
# framework run.
#
# To read on: S. Chetlur and others, *cuDNN: Efficient Primitives for Deep Learning*
# (2014), for implicit GEMM; A. Lavin and S. Gray, *Fast Algorithms for Convolutional
# Neural Networks* (2015); V. Dumoulin and F. Visin, *A guide to convolution
# arithmetic*; PyTorch's `aten/src/ATen/native/Convolution.cpp` (`convolution_backward`)
# and `aten/src/ATen/native/cuda/im2col.cuh` (`im2col_kernel`, `col2im_kernel`).
