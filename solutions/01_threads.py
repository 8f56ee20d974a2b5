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
# Here you write your first kernels in CUDA C, and a test of one: seven exercises, about
# {{duration}} of work. They run on your GPU if the machine has one, and else in
# minigrad's simulator: you change nothing for it.
#
# How each exercise goes:
#
# 1. Read the task, and look at the example under it: plain Python that does the same,
#    one element after the other.
# 2. Fill in the cell that says `// YOUR CODE HERE`: put CUDA C in the place of that
#    line. The text between `r"""` and `"""` is what the compiler gets. Above the cell
#    stands the contract: it says all that is tested. An answer leaves what it is given
#    as it was, unless that says otherwise. Then run the cell.
# 3. Run the cell below it, to see your kernel at work.
# 4. Run the `check` cell. It launches your kernel many times, with grids and blocks of
#    several shapes, compares with PyTorch, and watches every access to memory. Each
#    part of the task that is right earns its share of the points. If something is
#    wrong, you see the first launch that went wrong, the first element that is, which
#    thread should have written it, and often why. Check as often as you like.
#
# If you are stuck, open a hint: they go from vague to precise. Work in order if you
# can. You may also skip: no check needs your answer to another exercise.
#
# When something is odd:
#
# - `NameError: name 'check' is not defined`, or `'solves'`, means that the set-up cell
#   has not run in this session. Run it, then your answers, and go on.
# - After each change of an answer, run its cell: a check tries what you ran last.
# - `error:` with a line and a caret `^` comes from the compiler. Mend its first message
#   first: the others often follow from it.
# - To begin afresh, choose **Kernel > Restart Kernel and Run All Cells**. Exercises
#   without an answer say so, and nothing stops.

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
# Every thread runs the same kernel. What differs is what it knows of itself: its number
# in its block, `threadIdx.x`, and the number of its block, `blockIdx.x`. All blocks
# have `blockDim.x` threads. Counted through all blocks, one after the other, the
# threads have numbers 0, 1, 2, ...: that is the **global index** i.
#
# Write the kernel `global_index`, in which every thread signs its element.

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
# How many threads stand before the first thread of block 1? Of block 2?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Before thread t of block b stand b whole blocks and t threads of its own. So i is
# `blockIdx.x * blockDim.x + threadIdx.x`. Keep it in an `int`, and use it twice.
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
# Blocks are whole. For 257 elements in blocks of 256 threads it takes two blocks, which
# is 512 threads: 255 of them have no element. If they wrote nevertheless, they would
# write past the end of the array, into memory of other arrays.
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
# Each thread knows its i, and knows n. When does it have something to do?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `if (i < n)` before the line that reads and writes. Element n - 1 is the last; element
# n is not there.
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
# To launch a kernel is to choose a block, and then to know how many blocks it takes:
# enough that every element has its thread, and none in vain.
#
# For a matrix, the block has two sizes, and so has the grid. Take care of the order: a
# shape says rows first, `(rows, cols)`, while a grid and a block say **x** first, and x
# runs along the columns.
#
# | shape | block | grid | why |
# |---|---|---|---|
# | `(257,)` | `(256,)` | `(2,)` | one block has room for 256 |
# | `(256,)` | `(256,)` | `(1,)` | one block is just enough |
# | `(20, 100)` | `(32, 8)` | `(4, 3)` | 100 / 32 columns: 4; 20 / 8 rows: 3 |
# | `(0,)` | `(256,)` | `(1,)` | a grid has at least one block |
#
# Write the Python function `launch_config`.

# %%
import torch

for n in (255, 256, 257):
    print(n, "elements:", len(torch.zeros(n).split(256)), "pieces of at most 256")

# %% [markdown] hints="launch_config"
# <details><summary>Hint 1</summary>
#
# It is a division that is rounded up. `//` rounds down: what can you add to the number
# before you divide?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `(n + size - 1) // size` is n / size rounded up; so is `-(-n // size)`. Go through the
# sizes of the shape in reverse order, with the sizes of the block beside them: `zip`
# and `reversed`. `max(..., 1)` takes care of the shape without elements.
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
# A grid and its blocks may have two dimensions. Then each thread has an x and a y: x
# runs along the columns, y along the rows. In memory the matrix is still one long row
# of cells, one row of the matrix after the other: element (row, col) is cell
# `row * cols + col`.
#
# Write the kernel `map_2d`, which multiplies each row by a weight of its own.

# %%
x = torch.arange(6.0).view(2, 3)
w = torch.tensor([10.0, 100.0])
w[:, None] * x

# %% [markdown] hints="map_2d"
# <details><summary>Hint 1</summary>
#
# First find out `row` and `col` of the thread: the expression of exercise 1, once
# with `.y` and once with `.x`. Which of the two belongs to the row?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `col = blockIdx.x * blockDim.x + threadIdx.x`, and `row` is the same with y. Both need
# a guard: a col that is not there would be an element of the next row. Then
# `i = row * cols + col` is the cell in x and in y.
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
# So far there was a thread for each element. Let us do without: with 4 blocks of 256
# threads there are 1024 threads, and each of them does about a thousand of 1 000 003
# elements. A thread begins at its own global index, and goes on in steps of **all**
# threads of the grid, `gridDim.x * blockDim.x`, as long as there is an element. So
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
# In Python each thread goes through `range(start, n, step)`. What are start and step?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `for (int i = start; i < n; i += step)`, with the global index as start and
# `gridDim.x * blockDim.x` as step. The condition of the loop is the guard.
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
    print((minigrad.to_host(y) == minigrad.to_host(x) ** 2).sum(), "are right")

# %% check="grid_stride"
check(grid_stride)

# %% [markdown] task="outer_product"
# ## The outer product of a batch
#
# All of it together. The outer product of a vector of n and one of m numbers is a
# matrix of n × m: `z[i, j] = x[i] * y[j]`. In PyTorch one has a batch of b such pairs,
# `x` of shape `(b, n)` and `y` of shape `(b, m)`, and wants `z` of shape `(b, n, m)`:
#
# > z[k, i, j] = x[k, i] · y[k, j]
#
# Everything lies row by row: `x[k, i]` is cell `k * n + i`, and `z[k, i, j]` is cell
# `(k * n + i) * m + j`.
#
# Write the kernel `outer_product`. Its grid has three dimensions: along z it goes
# through the pairs as `grid_stride` goes through elements.

# %%
x, y = torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[1.0, 10, 100], [2, 20, 200]])
torch.einsum("bi,bj->bij", x, y)

# %% [markdown] hints="outer_product"
# <details><summary>Hint 1</summary>
#
# It is exercise 4 for i and j, and exercise 5 for k. Begin with one pair, k = 0: the
# first part of the check says when that is right.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Find `i` (with y) and `j` (with x), and return if one of them is too large. Then
# `for (int k = blockIdx.z; k < b; k += gridDim.z)`: one multiplication, whose three
# cells the task names.
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
# A kernel that is right for 256 elements may be wrong for 257. A **test** finds that
# out: it launches the kernel, looks at the result, and says no by an error. In Python
# that is `assert condition`: it raises an AssertionError where the condition does not
# hold.
#
# Write a test for kernels such as `tail_guard`. The check gives it right ones, which it
# must let pass, and wrong ones, which it must not. The wrong ones are mistakes that
# learners of this lab really make. What did you get wrong at first, or nearly?

# %%
y = np.array([2, 4, 6], np.float32)
try:
    assert np.array_equal(y, [2, 4, 7]), f"expected 2 4 7, got {y}"
except AssertionError as error:
    print("AssertionError:", error)

# %% [markdown] hints="test_tail_guard"
# <details><summary>Hint 1</summary>
#
# Which n and which launch would show each of these mistakes: no guard at all, `<=` for
# `<`, the thread's number within its block compared with n, a literal instead of n?
# One n is not enough, and one block isn't either.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through several (n, grid, block), some with blocks to spare. For each make `x` and
# a `y` of more than n elements, full of a number that no right result has, such as
# -1. After the launch `y[:n]` must be `2 * x[:n]`, and `y[n:]` must still be -1.
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
# ## What you have built
#
# Six ways to say who does what. With `launch_config` for the grid, a kernel becomes a
# function of arrays, which is all that a user of PyTorch ever sees. Here it is compared
# with PyTorch's own, on 64 pairs.


# %%
def outer(x, y):
    """The outer products of a batch: (b, n), (b, m) -> (b, n, m)."""
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
# ## How you were checked
#
# `show_check` shows the check of an exercise: its launches, where the expected values
# come from, and the mistakes that it can name.

# %%
show_check(tail_guard)

# %% [markdown]
# ## Where to go next
#
# Your threads never spoke to each other, and never waited. In chapter 02 they share
# memory: then it matters who writes first, and how fast the memory is that they read.
