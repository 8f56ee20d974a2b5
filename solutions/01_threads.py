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
# # Lab 01 · Threads
#
# In this lab, you write your first kernels in CUDA C, a function that computes their
# grid, and a test. There are seven exercises, which take about {{duration}}. The
# kernels run on your GPU if this machine has one, and otherwise in minigrad's
# simulator, with no change to your code. In a kernel's cell, replace `// YOUR CODE
# HERE` with your code, and to start over, put that comment back. The compiler gets the
# text between `r"""` and `"""`. If it reports several errors, fix the first one first,
# because the others often follow from it.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import answers_from, solves
from minigrad.exercises.own_tests import test_tail_guard
from minigrad.kernels.threads import (
    global_index,
    grid_stride,
    launch_config,
    map_2d,
    outer_product,
    tail_guard,
)

answers_from("labs", before="01_threads")

# %% [markdown] task="global_index"
# ## Which thread am I?
#
# All threads run the same kernel, but they know different numbers. `blockIdx.x` is the
# number of a thread's block, and `threadIdx.x` is the thread's number within the block.
# All blocks have `blockDim.x` threads. If you count the threads block by block, each
# thread gets its own number 0, 1, 2, and so on. This number is the **global index** i.
#
# Write the kernel `global_index`, in which every thread stores its block's number and
# its own number at its global index. The example does the same in plain Python.

# %%
block, thread = [None] * 8, [None] * 8
for b in range(2):  # 2 blocks
    for t in range(4):  # of 4 threads
        i = b * 4 + t
        block[i], thread[i] = b, t
print("block ", *block)
print("thread", *thread)

# %% [markdown] hints="global_index"
# <details><summary>Hint 1</summary>
#
# With 4 threads per block, how many threads come before the first thread of block 1?
# And before thread 2 of block 3?
#
# </details>
# <details><summary>Hint 2</summary>
#
# The blocks before a thread's own block are all full, so multiply the block's number by
# the number of threads per block. Then add the thread's number. Keep the result in an
# `int i`, and use it as the index of both arrays.
#
# </details>


# %% exercise="global_index"
solves(global_index)(r"""
__global__ void global_index(int* block, int* thread) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;  //: index
    block[i] = blockIdx.x;  //: store
    thread[i] = threadIdx.x;  //: store_thread
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(global_index.text, "global_index")
    block = minigrad.to_device(np.full(8, -1, np.int32))
    thread = minigrad.to_device(np.full(8, -1, np.int32))
    kernel((2,), (4,), (block, thread))
    print("block ", *minigrad.to_host(block))
    print("thread", *minigrad.to_host(thread))

# %% check="global_index"
check(global_index)

# %% [markdown] task="tail_guard"
# ## The last block
#
# Blocks are always whole. For 257 elements in blocks of 256 threads, you need two
# blocks, which have 512 threads, so 255 of them have no element. If they wrote anyway,
# they'd write past the end of the array, into memory that may belong to another array.
#
# Write the kernel `tail_guard`, which doubles n elements and touches nothing else.

# %%
x = [10, 20, 30, 40, 50]
y = [None] * 5
for b in range(2):  # 2 blocks of 4 threads, for 5 elements
    for t in range(4):
        i = b * 4 + t
        if i < 5:
            y[i] = 2 * x[i]
        else:
            print(f"thread {t} of block {b} has no element: i = {i}")
print(y)

# %% [markdown] hints="tail_guard"
# <details><summary>Hint 1</summary>
#
# Every thread knows its i, and it knows n. When does it have something to do?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Put an `if` in front of the line that reads and writes. Element n - 1 is the last, and
# element n doesn't exist. Which comparison lets i = n - 1 through and stops i = n?
#
# </details>


# %% exercise="tail_guard"
solves(tail_guard)(r"""
__global__ void tail_guard(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;  //: index
    if (i < n) y[i] = 2 * x[i];  //: guard
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(tail_guard.text, "tail_guard")
    x = minigrad.to_device(np.arange(257, dtype=np.float32))
    y = minigrad.to_device(np.zeros(257, np.float32))
    kernel((2,), (256,), (x, y, 257))
    print(minigrad.to_host(y)[-3:])
    print(kernel.check((2,), (256,), (x, y, 257)))

# %% check="tail_guard"
check(tail_guard)

# %% [markdown] task="launch_config"
# ## How many blocks?
#
# To launch a kernel, you choose the size of a block and compute the number of blocks.
# It should be the smallest number that gives every element a thread.
#
# For a matrix, both the block and the grid have two sizes. Watch their order, because a
# shape starts with the rows, as in `(rows, cols)`, but a grid and a block start with
# **x**, which counts the columns.
#
# | shape | block | grid | why |
# |---|---|---|---|
# | `(257,)` | `(256,)` | `(2,)` | A single block has room for only 256. |
# | `(256,)` | `(256,)` | `(1,)` | A single block is just enough. |
# | `(20, 100)` | `(32, 8)` | `(4, 3)` | 100 columns take 4 blocks, 20 rows take 3. |
# | `(0,)` | `(256,)` | `(1,)` | A grid has at least one block. |
#
# Write the Python function `launch_config`. In the example, PyTorch splits a tensor
# into pieces of at most 256 elements, and you need one block for each piece.

# %%
import torch

for n in (255, 256, 257):
    print(n, "elements:", len(torch.zeros(n).split(256)), "pieces of at most 256")

# %% [markdown] hints="launch_config"
# <details><summary>Hint 1</summary>
#
# You have to divide and round up, but `//` rounds down. What could you add before you
# divide? And which size of the block belongs to the rows?
#
# </details>
# <details><summary>Hint 2</summary>
#
# With `reversed` and `zip`, go through the shape from last to first, and at the same
# time through the block from first to last. For each pair, divide and round up, and
# take at least 1 (with `max`). At the end, you need a tuple.
#
# </details>


# %% exercise="launch_config"
@solves(launch_config)
def launch_config(shape, block):
    ### BEGIN SOLUTION
    sizes = zip(reversed(shape), block, strict=True)  #: sizes
    return tuple(max(-(-n // size), 1) for n, size in sizes)  #: result
    ### END SOLUTION


# %%
with trying():
    print(launch_config((257,), (256,)), launch_config((256,), (256,)))
    print(launch_config((20, 100), (32, 8)))

# %% check="launch_config"
check(launch_config)

# %% [markdown] task="map_2d"
# ## Rows and columns
#
# If a grid and its blocks have two dimensions, every thread has an x and a y. x counts
# the columns, and y counts the rows. In memory, the matrix is still one long line of
# cells, one row after the other. Element (row, col) is in cell `row * cols + col`.
#
# Write the kernel `map_2d`, which multiplies each row by its own weight.

# %%
x = torch.arange(6.0).view(2, 3)
w = torch.tensor([10.0, 100.0])
w[:, None] * x

# %% [markdown] hints="map_2d"
# <details><summary>Hint 1</summary>
#
# First find the thread's `row` and `col`. Each is a global index as in exercise 1, one
# with `.y` and the other with `.x`. Which of them gives you the row?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Guard both. If `col` is too large, `row * cols + col` is an element of the next row,
# so nobody would notice a missing guard at first. Then compute the cell, which is the
# same in x and y, and multiply by the weight of the row.
#
# </details>


# %% exercise="map_2d"
solves(map_2d)(r"""
__global__ void map_2d(const float* x, const float* w, float* y, int rows, int cols) {
    // BEGIN SOLUTION
    int row = blockIdx.y * blockDim.y + threadIdx.y;  //: row
    int col = blockIdx.x * blockDim.x + threadIdx.x;  //: col
    if (row >= rows || col >= cols) return;  //: guard
    int i = row * cols + col;  //: i
    y[i] = w[row] * x[i];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(map_2d.text, "map_2d")
    x = minigrad.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    w = minigrad.to_device(np.array([10, 100], np.float32))
    y = minigrad.to_device(np.zeros((2, 3), np.float32))
    kernel((1, 1), (32, 8), (x, w, y, 2, 3))
    print(minigrad.to_host(y))

# %% check="map_2d"
check(map_2d)

# %% [markdown] task="grid_stride"
# ## Any grid will do
#
# So far, every element had its own thread. Now there may be fewer threads. For example,
# 4 blocks of 256 threads have to do 1,000,003 elements, so each thread does about a
# thousand. A thread begins at its own global index and moves ahead by the **total**
# number of threads in the grid as long as there are elements left. That way,
# neighboring threads always do neighboring elements.
#
# Write the kernel `grid_stride`, which squares n elements with any grid.

# %%
threads, n = 4, 10
for t in range(threads):
    print(f"thread {t} does", *range(t, n, threads))

# %% [markdown] hints="grid_stride"
# <details><summary>Hint 1</summary>
#
# In Python, each thread would go through `range(start, n, step)`. What are `start` and
# `step`? `gridDim.x` is the number of blocks.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In C, that's a `for` loop with the start, the condition, and the step in its
# parentheses, separated by semicolons. `i += step` moves ahead. The condition is also
# the guard, so you don't need another.
#
# </details>


# %% exercise="grid_stride"
solves(grid_stride)(r"""
__global__ void grid_stride(const float* x, float* y, int n) {
    // BEGIN SOLUTION
    int step = gridDim.x * blockDim.x;  //: step
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {  //: each_i
        y[i] = x[i] * x[i];  //: store
    }
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(grid_stride.text, "grid_stride")
    x = minigrad.to_device(np.arange(1_000_003, dtype=np.float32) % 100)
    y = minigrad.to_device(np.full(1_000_003, -1, np.float32))
    kernel((4,), (256,), (x, y, 1_000_003))
    correct = (minigrad.to_host(y) == minigrad.to_host(x) ** 2).sum()
    print(f"{correct:,} elements are correct")

# %% check="grid_stride"
check(grid_stride)

# %% [markdown] task="outer_product"
# ## The outer products of a batch
#
# Now put it all together. The outer product of n numbers and m numbers is an n × m
# matrix with `z[i, j] = x[i] * y[j]`. In PyTorch, you usually have a batch of b such
# pairs. Then `x` has shape `(b, n)`, `y` has shape `(b, m)`, and `z` has shape `(b, n,
# m)`:
#
# > z[k, i, j] = x[k, i] · y[k, j]
#
# All of them are stored row by row, so `x[k, i]` is in cell `k * n + i`, and `z[k, i,
# j]` is in cell `(k * n + i) * m + j`.
#
# Write the kernel `outer_product`, whose grid has three dimensions. The blocks along z
# share the pairs in the same way as the threads in `grid_stride` share the elements.

# %%
x, y = torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 10, 100], [2, 20, 200]])
torch.einsum("bi,bj->bij", x, y)

# %% [markdown] hints="outer_product"
# <details><summary>Hint 1</summary>
#
# i and j are like the row and the column in exercise 4, and k is like i in exercise 5.
# What would the kernel be if there were only one pair, k = 0? The check tells you when
# that part is correct.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Compute `i` from the `.y` numbers and `j` from the `.x` numbers, and return if either
# is too large. Then loop over k. All threads of a block do the same pairs, so the loop
# begins at the block's number along z, and the step is the number of blocks along z.
# Inside the loop, multiply one element of x by one of y.
#
# </details>


# %% exercise="outer_product"
solves(outer_product)(r"""
__global__ void outer_product(const float* x, const float* y, float* z,
                              int b, int n, int m) {
    // BEGIN SOLUTION
    int i = blockIdx.y * blockDim.y + threadIdx.y;  //: index
    int j = blockIdx.x * blockDim.x + threadIdx.x;  //: j
    if (i >= n || j >= m) return;  //: guard
    for (int k = blockIdx.z; k < b; k += gridDim.z) {  //: each_k
        z[(k * n + i) * m + j] = x[k * n + i] * y[k * m + j];  //: store
    }
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(outer_product.text, "outer_product")
    x = minigrad.to_device(np.array([[1, 2], [3, 4]], np.float32))
    y = minigrad.to_device(np.array([[1, 10, 100], [2, 20, 200]], np.float32))
    z = minigrad.to_device(np.zeros((2, 2, 3), np.float32))
    kernel((1, 1, 1), (16, 16), (x, y, z, 2, 2, 3))
    print(minigrad.to_host(z))

# %% check="outer_product"
check(outer_product)

# %% [markdown] task="test_tail_guard"
# ## A test for a kernel
#
# A kernel that's correct for 256 elements may be wrong for 257. A **test** finds that
# out. It launches the kernel, checks the result, and raises an error if something is
# wrong. In Python, `assert condition` raises an AssertionError unless the condition is
# true.
#
# Write a test for kernels like `tail_guard`. The check runs it on several kernels. Your
# test must let the correct ones pass and fail the others, which have mistakes that are
# easy to make in this lab. What did you get wrong at first, or almost get wrong?

# %%
y = np.array([2, 4, 6], np.float32)
try:
    assert np.array_equal(y, [2, 4, 7]), f"expected 2 4 7, got {y}"
except AssertionError as error:
    print("AssertionError:", error)

# %% [markdown] hints="test_tail_guard"
# <details><summary>Hint 1</summary>
#
# Think of a kernel without a guard, with `<=` instead of `<`, with `threadIdx.x < n`,
# or with a number instead of n. Which n and which launch would reveal each of them?
# Would a single n be enough? Would a single block?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Try several combinations of n, grid, and block, some with more blocks than needed. For
# each, make an `x` with fractions, and a `y` that's longer than n and filled with a
# number that no correct result contains, such as -1. After the launch, what must the
# first n elements of `y` be, and what must the others be?
#
# </details>


# %% exercise="test_tail_guard"
@solves(test_tail_guard)
def test_tail_guard(kernel):
    ### BEGIN SOLUTION
    #: each_n
    for n, grid, block in [(300, 3, 128), (257, 2, 256), (64, 1, 64), (5, 4, 32)]:
        x = np.arange(1, n + 100, dtype=np.float32) / 4  #: x
        y = np.full(n + 99, -1, np.float32)  #: y
        kernel(grid, block, (x, y, n))
        #: assert_y
        assert np.array_equal(y[:n], 2 * x[:n]), f"wrong elements for n = {n}"
        assert np.all(y[n:] == -1), f"something was written past n = {n}"  #: assert_all
    ### END SOLUTION


# %%
with trying():
    test_tail_guard(minigrad.Kernel(tail_guard.text, "tail_guard"))
    print("your tail_guard passes")

# %% check="test_tail_guard"
check(test_tail_guard)

# %% [markdown]
# ## What you've built
#
# You can now say which thread does what, for vectors, matrices, and batches. With
# `launch_config` for the grid, a kernel becomes a function of arrays, and that's all
# that a user of PyTorch ever sees. Here we compare `outer` with PyTorch's own function,
# on 64 pairs.


# %%
def outer(x, y):
    """Return the outer products of a batch: (b, n), (b, m) -> (b, n, m)."""
    (b, n), m = x.shape, y.shape[1]
    z = minigrad.device_empty((b, n, m))
    grid = (*launch_config((n, m), (16, 16)), min(b, 8))
    kernel = minigrad.Kernel(outer_product.text, "outer_product")
    kernel(grid, (16, 16), (minigrad.to_device(x), minigrad.to_device(y), z, b, n, m))
    return minigrad.to_host(z)


# %%
with trying():
    random = np.random.default_rng(0)
    x, y = random.random((64, 33), np.float32), random.random((64, 50), np.float32)
    both = torch.einsum("bi,bj->bij", torch.from_numpy(x), torch.from_numpy(y))
    print("equal to PyTorch:", np.array_equal(outer(x, y), both.numpy()))

# %% [markdown]
# ## How your code is checked
#
# `show_check` prints the check of an exercise. You see its launches, where the expected
# values come from, and the mistakes that it recognizes.

# %%
show_check(tail_guard)

# %% [markdown]
# ## Where to go next
#
# So far, your threads have shared nothing and never waited for each other. In chapter
# 02, they share memory, so it matters who writes first and how fast the memory is.
