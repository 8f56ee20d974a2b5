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
# # 01 · Threads, blocks, grids
#
# A GPU runs one small function, called a kernel, thousands of times at once, each time
# on a different element. This lesson is about the first question that a kernel has to
# answer: **which element is mine?** Once you can answer it, you can write kernels for
# vectors, matrices, and whole batches.
#
# This lesson takes about {{duration}} and builds only on Python and NumPy. Run each
# code cell as you reach it, and if the text asks you to predict something, write your
# guess down first. Each **puzzle** asks you to change a single line, and the code cell
# below it tells you whether you've solved it. In lab 01, you'll write whole kernels,
# and the lesson says when to go there.
#
# You don't need a GPU. Kernels run on this machine's GPU if it has one, and otherwise
# in the simulator of minigrad, the library that you build in this course. The simulator
# also finds mistakes that a GPU doesn't report, so we'll use it even if you have a GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import random

import numpy as np

import minigrad
from grading import trying
from minigrad import Kernel, device_empty, to_device, to_host, viz

# %% [markdown]
# Where will kernels run on this machine?

# %%
print("a GPU" if minigrad.gpu_available() else "the simulator")

# %% [markdown]
# ## The picture
#
# To add 100 to eight numbers on a CPU, you'd write a loop, and one worker would go from
# element to element. On a GPU, you write down what happens to **one** element, and
# eight workers do it at once. Such a worker is a **thread**. Threads come in groups of
# equal size, called **blocks**, and all blocks together are the **grid**. Here are two
# blocks of four threads, with each thread's element, i, below it.

# %%
viz.threads(2, 4, 8)

# %% [markdown]
# A thread knows two numbers: the number of its block, and its own number within the
# block. Both count from 0, and in every block the threads start at 0 again. From these
# two numbers, the thread has to work out its element.
#
# ## First in Python
#
# Each thread runs the same **kernel**, and we'll write the first one in plain Python.
# Four threads come before block 1, and eight would come before block 2, so the kernel
# multiplies the block's number by 4.


# %%
def add_100(block, thread, x, y):
    i = block * 4 + thread
    y[i] = x[i] + 100


# %% [markdown]
# To **launch** a kernel is to call it once for each thread of each block. A GPU makes
# many of these calls at the same time, but we make them one after the other.


# %%
def launch(kernel, blocks, threads, args):
    for block in range(blocks):
        for thread in range(threads):
            kernel(block, thread, *args)


# %%
x, y = [0, 1, 2, 3, 4, 5, 6, 7], [0] * 8
launch(add_100, 2, 4, (x, y))
y

# %% [markdown]
# Two things seem to be missing from this kernel. It returns nothing, because it writes
# its result into an array that it was given, and it has no loop, because the launch is
# the loop.
#
# **Predict** which elements stay 0 if we launch the same kernel with two blocks of
# three threads.
#
# <details><summary>Answer</summary>
#
# {{=Elements 3 and 7|[100, 101, 102, 0, 104, 105, 106, 0]}} do, because the 4 in the
# kernel is the size of a block and has to agree with the launch. In CUDA C, you won't
# need such a number, because the hardware tells each thread how large its block is.
#
# </details>

# %%
y = [0] * 8
launch(add_100, 2, 3, (x, y))
y

# %% [markdown]
# ### In which order?
#
# A GPU starts blocks whenever it has room for them, so you can't know which thread
# comes first, and a kernel must give the same result in any order. To test that, we
# shuffle the calls.


# %%
def launch_shuffled(kernel, blocks, threads, args):
    everyone = [(b, t) for b in range(blocks) for t in range(threads)]
    random.shuffle(everyone)
    for block, thread in everyone:
        kernel(block, thread, *args)


# %%
y = [0] * 8
launch_shuffled(add_100, 2, 4, (x, y))
y

# %% [markdown]
# `add_100` passes, because no thread needs what another thread writes. The next kernel
# computes a running sum, in which each element of y is the sum of x up to that element.
# To get it, each thread adds its own element to what its left neighbor has written.
#
# **Puzzle 1: any order.** Run the next two cells a few times. Then change the line so
# that each thread computes its element from `x` only.


# %%
def running_sum(block, thread, x, y):
    i = block * 4 + thread
    y[i] = x[i] + (y[i - 1] if i > 0 else 0)  # your line


# %%
for how in launch, launch_shuffled:
    y = [0] * 8
    how(running_sum, 2, 4, ([3, 1, 4, 1, 5, 9, 2, 6], y))
    print(how.__name__, y)
print("solved:", y == [3, 4, 8, 9, 14, 23, 25, 31])

# %% [markdown]
# <details><summary>Answer</summary>
#
# In order, the kernel {{=works|launch [3, 4, 8, 9, 14, 23, 25, 31]}}, but shuffled, it
# fails, because some threads read their neighbor's element before it's been written.
# Instead, let each thread add up the elements of `x` itself.
#
# ```python
# y[i] = sum(x[: i + 1])
# ```
#
# That's more work in total, but no thread has to wait for another.
#
# </details>

# %% [markdown]
# On a GPU, expect every launch to be shuffled, so this is the first rule of the course:
# **each element is written by one thread, and no thread relies on what another thread
# writes** in the same launch. (Chapter 02 has two exceptions. Barriers let the threads
# of a block wait for each other, and atomics let several threads add to one element.)
#
# ## The same in CUDA C
#
# Kernels are written in CUDA C, which is C++ with a few extra keywords. NVIDIA calls it
# CUDA C++, but we use so little of C++ that the old name fits. Here's `add_100` again.

# %%
source = r"""
__global__ void add_100(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] + 100;
}
"""
add_100 = Kernel(source, "add_100")
viz.source(add_100)

# %% [markdown]
# | CUDA C | means |
# |---|---|
# | `__global__` | This is a kernel. The CPU launches it, and the GPU runs it. |
# | `void` | It returns nothing. That's true of every kernel. |
# | `const float* x` | x is the address of an array of float32 that's only read. |
# | `float* y` | y is the address of an array that may also be written. |
# | `int i` | i is a 32-bit integer. In C, you declare every variable with its type. |
# | `blockIdx.x` | the number of this thread's block |
# | `threadIdx.x` | this thread's number within its block |
# | `blockDim.x` | the number of threads in a block |
# | `;` | ends a statement (a line break doesn't) |
#
# The hardware gives each thread `blockIdx`, `threadIdx`, and `blockDim`, so they aren't
# arguments. They have an `.x` because blocks and grids can have three dimensions, but
# for now, we only need the first.
#
# The arrays must be in the memory of the **device**, which is the GPU. The CPU and its
# memory are called the **host**. `to_device` copies an array to the device, and
# `device_empty` returns a new float32 array there, which may contain anything.

# %%
x = to_device(np.arange(8, dtype=np.float32))
y = device_empty(8)

# %% [markdown]
# For a launch, you pass the number of blocks, the number of threads per block, and a
# tuple of arguments. Afterward, `to_host` copies the result back.

# %%
add_100(2, 4, (x, y))
to_host(y)

# %% [markdown]
# Almost every GPU program has these three steps: copy to the device, launch, and copy
# back. (The numbers of blocks and threads may also be tuples, such as `(2,)`.)
#
# The next picture shows the launch as the simulator recorded it. Each element of y is a
# box that shows the thread that wrote it and, below, the thread's block.

# %%
viz.launch(add_100, 2, 4, (x, y))

# %% [markdown]
# ### Break it: types
#
# A launch from Python passes only an array's address, so the kernel can't tell what
# type its numbers have. A kernel that expects `float*` but gets an array of float64
# would read each 64-bit number as two 32-bit ones. Since float64 is NumPy's default,
# this happens easily, so minigrad refuses such an array. (`with trying():` prints the
# message of an error and lets the notebook continue.)

# %%
with trying():
    add_100(2, 4, (to_device(np.arange(8.0)), y))

# %% [markdown]
# Python's floats also have 64 bits, so for a parameter `float a`, pass
# `np.float32(0.5)`.
#
# ## Which element is mine?
#
# The first line of `add_100`, which you'll write again and again, computes the **global
# index**:
#
# > i = blockIdx.x · blockDim.x + threadIdx.x
#
# There are `blockIdx.x` whole blocks before this thread's block, and each of them has
# `blockDim.x` threads.
#
# **Predict**: with 256 threads per block, what's the global index of thread 10 in block
# 3? And which thread has the global index 1000?
#
# <details><summary>Answer</summary>
#
# It's 3 · 256 + 10 = {{=778}}. In the other direction, 1000 is 3 · 256 + {{=232}}, so
# it's thread {{=232}} of block {{=3}}.
#
# </details>

# %%
3 * 256 + 10, divmod(1000, 256)

# %% [markdown]
# **Puzzle 2: mirror.** Reverse the array, so that the first thread writes the last
# element, and the last thread the first. Which thread of which block will be in box 0
# of the picture?

# %%
source = r"""
__global__ void mirror(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int to = i;  // your line
    y[to] = x[i];
}
"""
mirror = Kernel(source, "mirror")

# %%
mirror(2, 4, (x, y, 8))
print("solved:", np.array_equal(to_host(y), to_host(x)[::-1]))
viz.launch(mirror, 2, 4, (x, y, 8))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Box 0 shows thread 3 of block 1, because that's the last thread.
#
# ```c
# int to = n - 1 - i;
# ```
#
# </details>

# %% [markdown]
# If you don't understand what a kernel does, make it print something with `printf`,
# where `%d` stands for an integer and `%f` for a float.

# %%
source = r"""
__global__ void hello() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("block %d, thread %d: i = %d\n", blockIdx.x, threadIdx.x, i);
}
"""
hello = Kernel(source, "hello")
hello(2, 3, ())
minigrad.synchronize()

# %% [markdown]
# On a GPU, a launch returns immediately, so `synchronize` waits until the kernel is
# done and its text has arrived. Don't print much, because once the GPU's buffer of 1 MB
# is full, it drops its oldest lines without warning. With `if (i == 0) printf(...)`,
# only one thread prints.
#
# ### Break it: forget the block
#
# What if the index is only `threadIdx.x`? **Predict** which elements of `y` change.

# %%
forgets = Kernel(add_100.source.replace("blockIdx.x * blockDim.x + ", ""), "add_100")
y = to_device(np.zeros(8, np.float32))
forgets(2, 4, (x, y))
to_host(y)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only {{=the first four|[100., 101., 102., 103., 0.}} do. Block 1 ran too, but it did
# {{=the elements of block 0 again|More than one thread writes y[0], y[1], y[2], y[3]}}.
#
# </details>

# %%
viz.launch(forgets, 2, 4, (x, y))

# %% [markdown]
# With a single block, the result would be correct, so **test with more than one
# block**.
#
# There's another problem, which you can't see in the numbers: two threads write the
# same element. But `check` finds it, because it runs the launch in the simulator, on
# copies of the arrays, and watches every access.

# %%
print(forgets.check(2, 4, (x, y)))

# %% [markdown]
# This is a **race**: the thread that writes last wins, and you can't know which thread
# that is. Here, both write the same number, so it's only {{=a note|nothing found, 1
# note}}. A report shows the place in your source, says what happened there, and names a
# thread that did it.
#
# **To the lab**: exercise 1 (`global_index`).
#
# ## A guard for the last block
#
# Two blocks of four threads fit eight elements exactly. What if there are only five?
# Blocks are always whole, so we still need two, and {{=three threads have no
# element|The last 3 threads have no element}}.

# %%
viz.threads(2, 4, 5)

# %% [markdown]
# Python would raise an IndexError in these threads, but C doesn't check, so `y[5]` is
# whatever comes after the array in memory. To see that, we make an array of eight
# cells, `memory`, but pretend that only the first five belong to y.

# %%
memory = to_device(np.array([0, 0, 0, 0, 0, 77, 88, 99], np.float32))
add_100(2, 4, (x, memory))
to_host(memory)

# %% [markdown]
# 77, 88, and 99 are {{=gone|105., 106., 107.}}. They might have been the weights of
# another layer, and you'd get no message, only wrong results, later and somewhere else.
#
# If the address is outside all allocated memory, the GPU aborts the kernel and reports
# `an illegal memory access was encountered`. From then on, your process can't use the
# GPU, and you still don't know where it happened. NVIDIA's `compute-sanitizer` can tell
# you, and so can `check`.
#
# **Predict** which thread of which block `check` names if both arrays have five
# elements.

# %%
x, y = to_device(np.arange(5, dtype=np.float32)), to_device(np.zeros(5, np.float32))
print(add_100.check(2, 4, (x, y)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=thread 1 of block 1|block 1 thread 1}}, which has i = 5.
#
# </details>

# %% [markdown]
# The fix is a single condition, the **guard**: a thread without an element does
# nothing. An array in C doesn't know its own length, so the kernel needs it as another
# argument.

# %%
source = r"""
__global__ void guarded(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 100;
}
"""
guarded = Kernel(source, "guarded")
print(guarded.check(2, 4, (x, y, 5)))
viz.launch(guarded, 2, 4, (x, y, 5))

# %% [markdown]
# You can also write `if (i >= n) return;`, which works just as well unless the block's
# other threads still need this thread (chapter 02). It's easy to write `i <= n` by
# mistake, which lets one thread too many through, because element n is the first that
# doesn't exist.
#
# **Puzzle 3: differences.** The next kernel computes `x[i + 1] - x[i]`, so n numbers
# give n - 1 differences. The guard keeps all writes inside y, which has n elements.
# Which thread still accesses something that doesn't exist? Write down its i, and fix
# the guard before you run the next cell.

# %%
source = r"""
__global__ void differences(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)  // your line
        y[i] = x[i + 1] - x[i];
}
"""
differences = Kernel(source, "differences")

# %%
report = differences.check(2, 4, (x, y, 5))
print(report)
print("solved:", not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# {{=Thread 0 of block 1|block 1 thread 0}} has i = 4 and **reads** x[5], which doesn't
# exist. A guard has to protect everything that a thread touches.
#
# ```c
# if (i + 1 < n)
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 2 (`tail_guard`).
#
# ## How many blocks?
#
# You choose the size of a block, 128 or 256 threads if in doubt. Then the number of
# blocks follows, because together they need at least n threads.
#
# **Puzzle 4: round up.** `n // 256` is one block too few unless 256 divides n, and `n
# // 256 + 1` is one too many if it does. Find an expression that's correct for every n.


# %%
def blocks_for(n):
    return n // 256 + 1  # your line


# %%
blocks = [blocks_for(n) for n in (1, 255, 256, 257, 512, 1000)]
print(blocks, "solved:", blocks == [1, 1, 1, 2, 2, 4])

# %% [markdown]
# <details><summary>Answer</summary>
#
# There are two tricks, and you'll meet both. The first adds 255 before it divides. The
# other, `-(-n // 256)`, works because `//` rounds -n / 256 down, which rounds n / 256
# up.
#
# ```python
# return (n + 255) // 256
# ```
#
# </details>

# %% [markdown]
# With one block too few, the last elements {{=aren't computed|[0., 0., 0.]}}, and
# there's no error. An extra block costs next to nothing, so you won't notice it either.

# %%
x, y = to_device(np.ones(300, np.float32)), to_device(np.zeros(300, np.float32))
guarded(300 // 256, 256, (x, y, 300))
to_host(y)[-3:]

# %% [markdown]
# ### What the hardware allows
#
# A **multiprocessor** (SM, for streaming multiprocessor) is the part of a GPU that runs
# blocks, and every block stays on one SM from beginning to end. An H100 has up to 132
# of them, each with room for 2,048 threads, so it holds up to 270,336 threads at once.
# Your grid may be much larger, because blocks wait until there's room.
#
# | | at most | |
# |---|---|---|
# | threads per block | 1,024 | x · y · z, on every NVIDIA GPU since 2010 |
# | block, x and y | 1,024 each | |
# | block, z | 64 | |
# | grid, x | 2,147,483,647 | 2³¹ − 1 |
# | grid, y and z | 65,535 each | |
# | blocks on one multiprocessor | 16 to 32 | the others wait |
# | threads on one multiprocessor | 1,024 to 2,048 | |
#
# A launch is refused if its blocks are too large or if it has no blocks, so be careful
# where n can be 0.

# %%
with trying():
    guarded(1, 2048, (x, y, 300))
with trying():
    guarded(0, 256, (x, y, 0))

# %% [markdown]
# ### Warps
#
# Every 32 consecutive threads of a block form a **warp**: threads 0 to 31, 32 to 63,
# and so on. The hardware issues each instruction once for a whole warp, and all 32
# threads run it, each on its own data. NVIDIA calls this **SIMT**, single instruction,
# multiple threads. A thread's position in its warp is called its **lane**, so thread 37
# is lane 5 of warp 1.
#
# **Predict** how many warps a block of 33 threads needs, and how many of their lanes
# are empty.
#
# <details><summary>Answer</summary>
#
# It needs two, and the second has a single thread and {{=31 empty lanes|33 threads: 2
# warps, 31 lanes empty}}.
#
# </details>

# %%
for size in 32, 33, 100, 256:
    warps = -(-size // 32)
    print(f"{size:3} threads: {warps} warps, {warps * 32 - size:2} lanes empty")

# %% [markdown]
# Good block sizes are multiples of 32, so that no lane stays empty.
#
# But what if the threads of a warp disagree at an `if`? Then the warp runs both
# branches, one after the other, and in each pass some of its lanes wait. Such a branch
# is **divergent**. In the next kernel, neighboring groups of `size` threads take
# different branches.

# %%
source = r"""
__global__ void ways(float* y, int size, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i;
    if (i / size % 2 == 0)
        for (int r = 0; r < rounds; r++) v = sqrtf(v) + 1;
    else
        for (int r = 0; r < rounds; r++) v = v / 2 + 1;
    y[i] = v;
}
"""
ways = Kernel(source, "ways")

# %% [markdown]
# With groups of 1, every other thread takes the second branch, as the picture shows.
# The warp runs the `sqrtf` loop in one pass and the `v / 2` loop in the other, so it
# takes as long as both loops together.

# %%
y = to_device(np.zeros(256, np.float32))
viz.divergence(ways, 1, 256, (y, 1, 10), line=5)

# %% [markdown]
# Here, all 8 warps diverge. **Predict** how many do with groups of 16, and with groups
# of 32.
#
# <details><summary>Answer</summary>
#
# With groups of 16, it's {{=all 8|of 16: 8 of 8}} again. A group of 32 is a whole warp,
# so its threads agree, and {{=none|of 32: 0 of 8}} of the warps diverges. There are
# still two branches, but no warp has to run both.
#
# </details>

# %%
for size in 1, 16, 32:
    seen = ways.check(1, 256, (y, size, 10)).counts
    print(f"groups of {size}: {seen['divergent_branches']} of 8 warps diverge")

# %% [markdown]
# Divergence only matters if both branches have work to do. If they're as short as `v =
# 1` and `v = 2`, the compiler removes the branch. And the guard `i < n` diverges in one
# warp at most, where the elements end, so it costs next to nothing.
#
# **Puzzle 5: agree.** Even elements still take one branch, and odd elements the other.
# Choose which thread does which element, so that no warp diverges.

# %%
source = r"""
__global__ void agree(float* y, int rounds) {
    int t = threadIdx.x;
    int i = t;  // your line
    float v = i;
    if (i % 2 == 0)
        for (int r = 0; r < rounds; r++) v = sqrtf(v) + 1;
    else
        for (int r = 0; r < rounds; r++) v = v / 2 + 1;
    y[i] = v;
}
"""
agree = Kernel(source, "agree")

# %%
expected = device_empty(256)
ways(1, 256, (expected, 1, 10))
agree(1, 256, (y, 10))
divergent = agree.check(1, 256, (y, 10)).counts["divergent_branches"]
correct = np.array_equal(to_host(y), to_host(expected))
print(divergent, "divergent; solved:", correct and divergent == 0)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Let threads 0 to 127 do the even elements, and the others the odd ones.
#
# ```c
# int i = t % 128 * 2 + t / 128;
# ```
#
# This has a price, because now the threads of a warp write every other element. Chapter
# 02 says what that costs.
#
# </details>

# %% [markdown]
# ## Rows and columns
#
# If grids and blocks have two or three dimensions, a launch takes tuples, x first, and
# the kernel can also ask for `.y` and `.z`. Here's a grid of 2 × 2 blocks, each 8
# threads wide and 3 high.

# %%
viz.threads((2, 2), (8, 3))

# %% [markdown]
# In this course, **x counts columns and y counts rows**. That may look like the wrong
# order, because we say "row, column" but "x, y". Column numbers grow to the right,
# though, as x does.
#
# A kernel only gets an address, and in memory there are no rows. The matrix is stored
# row by row, so `row` whole rows come before element (row, col). It's in cell
#
# > row · cols + col
#
# `cols`, the distance from one row to the next, is called the **row stride** or the
# **leading dimension**. Chapter 03 extends the idea to any number of dimensions. In the
# next kernel, every thread writes `10 * blockIdx.y + blockIdx.x`, so you can see which
# block each element belongs to.

# %%
source = r"""
__global__ void matrix(float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols)
        y[row * cols + col] = 10 * blockIdx.y + blockIdx.x;
}
"""
matrix = Kernel(source, "matrix")

# %% [markdown]
# **Predict** the grid for 5 rows and 7 columns in blocks that are 4 wide and 2 high.
#
# <details><summary>Answer</summary>
#
# It's {{=(2, 3)}}, because 7 columns take 2 blocks of 4, and 5 rows take 3 blocks of 2.
#
# </details>

# %%
grid = -(-7 // 4), -(-5 // 2)
y = to_device(np.full((5, 7), -1, np.float32))
matrix(grid, (4, 2), (y, 5, 7))
print(grid, to_host(y).astype(int), sep="\n")
viz.launch(matrix, grid, (4, 2), (y, 5, 7))

# %% [markdown]
# Here, {{=21}} means the block with `blockIdx.y` = 2 and `blockIdx.x` = 1. Blocks at
# the right and the bottom reach beyond the matrix, so the kernel needs two guards, and
# {{=13 threads write nothing|13 write nothing}}.
#
# **Puzzle 6: a quarter turn.** This kernel should turn the matrix x clockwise, so y has
# 7 rows and 5 columns, and the first row of x becomes the **last column** of y. Element
# (row, col) of x goes to row `col` of y. In which column does it end up, and in which
# cell?

# %%
source = r"""
__global__ void turn(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    int cell = row * cols + col;  // your line
    y[cell] = x[row * cols + col];
}
"""
turn = Kernel(source, "turn")

# %%
x = to_device(np.arange(35, dtype=np.float32).reshape(5, 7))
y = device_empty((7, 5))
turn((2, 3), (4, 2), (x, y, 5, 7))
print("solved:", np.array_equal(to_host(y), np.rot90(to_host(x), -1)))
viz.launch(turn, (2, 3), (4, 2), (x, y, 5, 7))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Row 0 goes to the last column, `rows - 1`, and every row after it goes one column
# further to the left. Each row of y has `rows` elements.
#
# ```c
# int cell = col * rows + rows - 1 - row;
# ```
#
# </details>

# %% [markdown]
# ### Break it: guard the rows only
#
# Suppose we forget the guard for the columns. The matrix still has 5 rows of 7, and
# below it is a row of 77s that doesn't belong to us. **Predict** what the threads
# beyond the last column do.

# %%
careless = Kernel(matrix.source.replace(" && col < cols", ""), "matrix")
memory = to_device(np.full((6, 7), 77, np.float32))
careless((2, 3), (4, 2), (memory, 5, 7))
print(to_host(memory).astype(int))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Column 7 of row 0 would be cell 7, but that's column 0 of row 1, so two threads write
# different numbers to it. Only in the last row does such a thread leave the matrix and
# overwrite one {{=77}}.
#
# </details>

# %% [markdown]
# If y has exactly 35 elements, `check` reports {{=an access out of bounds and a
# race|out-of-bounds race}}.

# %%
y = to_device(np.full((5, 7), -1, np.float32))
print(*(f.kind for f in careless.check((2, 3), (4, 2), (y, 5, 7)).findings))

# %% [markdown]
# ### Break it: swap x and y
#
# If you take the row from x and the column from y, the same launch has too many threads
# in one direction and too few in the other. **Predict** which elements get no thread.

# %%
text = matrix.source.replace("row =", "r =").replace("col =", "row =")
swapped = Kernel(text.replace("r =", "col ="), "matrix")
viz.launch(swapped, (2, 3), (4, 2), (y, 5, 7))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The {{=last column|No thread writes y[0, 6], y[1, 6]}} gets no thread, because there
# are only 3 · 2 threads along y.
#
# </details>

# %% [markdown]
# If the matrix and the blocks were square, you'd see nothing wrong, so **test with
# shapes that aren't square**.
#
# The grid and the guards already depend on the shape, so the block doesn't have to, and
# any fixed block is fine, for example 32 wide and 8 high. Code that computes the block
# from the shape breaks easily: `(1024 // rows, rows)` works for up to 1,024 rows, but
# with 1,025, the block is 0 threads wide, and the launch is {{=refused|block (0, 1025)
# is empty}}.

# %%
with trying():
    matrix((1, 1), (1024 // 1025, 1025), (y, 1025, 7))

# %% [markdown]
# **To the lab**: exercise 3 (`launch_config`) and exercise 4 (`map_2d`).
#
# ## Fewer threads than elements
#
# One thread per element is right for most kernels, but sometimes you want a grid of
# fixed size, for example as many blocks as the GPU holds at once. Then each thread has
# to do several elements. Which ones?
#
# If four threads share ten elements, each begins at its own global index and moves
# ahead by the **total** number of threads.

# %%
for thread in range(4):
    print("thread", thread, "does", list(range(thread, 10, 4)))

# %% [markdown]
# In CUDA C, that's a `for` loop, and this pattern is called a **grid-stride loop**. The
# parentheses after `for` contain the start, the condition, and the step. The condition
# is also the guard, because a thread that starts beyond the end does nothing. The
# number of blocks is `gridDim.x`.
#
# **Puzzle 7: no work twice.** The step of this kernel is too small. With 4 blocks of 64
# threads and 1,000 elements, is the result wrong, and how many writes do the threads
# make in all? Answer before you correct it.

# %%
source = r"""
__global__ void shared_out(const float* x, float* y, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int step = blockDim.x;  // your line
    for (int i = first; i < n; i += step) y[i] = x[i] + 100;
}
"""
shared_out = Kernel(source, "shared_out")

# %%
x, y = to_device(np.arange(1000, dtype=np.float32)), device_empty(1000)
shared_out(4, 64, (x, y, 1000))
print("correct:", np.array_equal(to_host(y), to_host(x) + 100))
report = shared_out.check(4, 64, (x, y, 1000))
print(f"{report.counts['writes']:,} writes; solved: {report.counts['writes'] == 1000}")
print(report)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The result is {{=correct|correct: True}}, because all writers of an element write the
# same number. But block 0 does all 1,000 elements, block 1 does all but the first 64,
# and so on, which makes {{=3,616}} writes. You'd never find that by comparing results,
# but the report notes the race.
#
# ```c
# int step = gridDim.x * blockDim.x;
# ```
#
# </details>

# %% [markdown]
# Why don't we give each thread a run of neighbors instead, such as elements 0, 1, and 2
# for thread 0? That's correct too, but slower, because the 32 threads of a warp read at
# the same moment, and memory is fastest if they read 32 adjacent elements, as they do
# here. Chapter 02 measures the difference.
#
# **To the lab**: exercise 5 (`grid_stride`).
#
# ## A batch
#
# Tensors in PyTorch usually come in batches. Suppose you have b images, and image k
# should get brighter by `light[k]`:
#
# > y[k, row, col] = x[k, row, col] + light[k]
#
# There are three indices, and a grid has three dimensions.
#
# | index | counts | comes from | adding 1 moves by |
# |---|---|---|---|
# | k | images | `blockIdx.z`, then steps of `gridDim.z` | rows · cols cells |
# | row | rows | `blockIdx.y * blockDim.y + threadIdx.y` | cols cells |
# | col | columns | `blockIdx.x * blockDim.x + threadIdx.x` | 1 cell |
#
# So the cell is row · cols + col, plus k · rows · cols for the images before it. The
# kernel loops over k, because a grid has at most 65,535 blocks along z, and a batch may
# be larger.
#
# In the picture below, two blocks along z share three images. **Predict** which images
# the first of them does.

# %%
source = r"""
__global__ void lighten(const float* x, const float* light, float* y,
                        int b, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    for (int k = blockIdx.z; k < b; k += gridDim.z) {
        int cell = (k * rows + row) * cols + col;
        y[cell] = x[cell] + light[k];
    }
}
"""
lighten = Kernel(source, "lighten")

# %%
images = np.zeros((3, 2, 5), np.float32)
light = np.array([10, 20, 30], np.float32)
args = to_device(images), to_device(light), device_empty((3, 2, 5)), 3, 2, 5
lighten((2, 1, 2), (4, 2), args)
print(*(image.min() for image in to_host(args[2])))
viz.launch(lighten, (2, 1, 2), (4, 2), args)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first block does images 0 and 2, because it moves ahead by `gridDim.z`, which is
# 2.
#
# </details>

# %% [markdown]
# If the kernel added `light[0]` instead of `light[k]`, you wouldn't notice with a batch
# of one, so never test with only one block, one row, or one image.
#
# **To the lab**: exercise 6 (`outer_product`) needs the same three indices.
#
# ## What PyTorch does
#
# On a GPU, `x + 100` is a launch like ours. PyTorch makes it in
# `launch_vectorized_kernel` (`aten/src/ATen/native/cuda/CUDALoops.cuh`), with blocks of
# 128 threads, and each thread does several elements. The grid is n divided by the
# elements per block, rounded up. **Predict** the number of blocks for n = 1,000,003 and
# 4 elements per thread.
#
# <details><summary>Answer</summary>
#
# A block does 128 · 4 = 512 elements, so we need {{=1,954}} blocks.
#
# </details>

# %%
-(-1_000_003 // (128 * 4))

# %% [markdown]
# ## In one table
#
# | | one dimension | two dimensions |
# |---|---|---|
# | index | `i = blockIdx.x * blockDim.x + threadIdx.x` | col from x, row from y |
# | guard | `if (i < n)` | `if (row < rows && col < cols)` |
# | cell | `i` | `row * cols + col` |
# | grid | n / `blockDim.x`, rounded up | x from cols, y from rows |
# | any grid | start at i, step by `gridDim.x * blockDim.x` | the same along x and y |
#
# ## Before you go: four questions
#
# 1. A launch has 10 blocks of 96 threads. How many threads and how many warps is that?
# 2. Is `i = threadIdx.x * gridDim.x + blockIdx.x` wrong? Every thread gets its own i.
# 3. A kernel without a guard processes 1,024 elements in four blocks of 256 threads.
#    What goes wrong?
# 4. Blocks are (16, 16), and an image has 1080 rows and 1920 columns. What's the grid?
#
# <details><summary>Answers</summary>
#
# 1. It's 960 threads and 30 warps, 3 per block.
# 2. The values are correct, because every element is done once. But neighbors in a warp
#    are `gridDim.x` elements apart, and that's slow.
# 3. Nothing goes wrong, until there are 1,025 elements.
# 4. It's (120, 68), x first, because 1920 / 16 is 120 and 1080 / 16 is 67.5.
#
# </details>

# %% [markdown]
# Now go to **lab 01**, whose last exercise is a test for other people's kernels.
#
# Further reading: NVIDIA's *CUDA Programming Guide*, the part on the programming model;
# M. Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops* (2013);
# PyTorch's `aten/src/ATen/cuda/detail/KernelUtils.h`, whose `CUDA_KERNEL_LOOP` is a
# grid-stride loop; and Sasha Rush's GPU-Puzzles, if you'd like more puzzles.
#
# ## Appendix: when the compiler says no
#
# C is stricter than Python. The compiler looks at the whole source before anything
# runs, and its messages name a line and a column and mark the place with a `^`. The
# mistake is there or right before it. If you come from Python, mistakes like these five
# are easy to make. **Predict** what's wrong in each, before you run the cell.

# %%
bodies = [
    "int i = threadIdx.x\n    y[i] = 1;",
    "i = threadIdx.x;\n    y[i] = 1;",
    "int i = blockIdx * blockDim + threadIdx;\n    y[i] = 1;",
    "int i = threadIdx.x;\n    if i < n and n > 1: y[i] = 1;",
    "int row = threadIdx.y, col = threadIdx.x;\n    y[row][col] = 1;",
]
for body in bodies:
    try:
        Kernel(f"__global__ void k(float* y, int n) {{\n    {body}\n}}", "k")
    except minigrad.CompileError as error:
        print(error, end="\n\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# 1. The first line has no {{=semicolon|expected}}.
# 2. A variable needs {{=a type|is undefined}}.
# 3. `blockIdx` has three dimensions, so you have to say {{=which one|no operator}} you
#    mean.
# 4. A condition needs {{=parentheses|expected '('}}, and `and` is usually written `&&`.
#    Statements that belong together are in braces, `{` and `}`.
# 5. `y` is only an address and has no shape, so {{=two indices|pointer}} make no sense.
#
# </details>

# %% [markdown]
# The next lines **do** compile, but some of the results surprise Python programmers.

# %%
source = r"""
__global__ void odd(float* y) {
    y[0] = 1 / 2;
    y[1] = 1.0f / 2;
    y[2] = -7 / 2;
    y[3] = 3 ^ 2;
}
"""
y = device_empty(4)
Kernel(source, "odd")(1, 1, (y,))
to_host(y), -7 // 2

# %% [markdown]
# `/` between integers drops the fraction, so 1 / 2 is {{=0}}, and -7 / 2 is {{=−3}}
# where Python's `//` gives {{=−4}}. `^` is the bitwise exclusive or, and C has no
# operator for powers. `1.0f` is a float32, but `1.0` is a float64 and turns the whole
# expression into float64, which runs at half the speed on an A100 or H100, and at 1/64
# on an RTX 30, 40, or 50.
#
# The largest `int` is 2,147,483,647. Beyond that, an index turns
# {{=negative|-2147483648}}, so it passes the guard `i < n`. In this course, `int` will
# do, but libraries often write `long long i = (long long)blockIdx.x * blockDim.x +
# threadIdx.x;`. NumPy's int32 wraps around in the same way.

# %%
np.int32(2**31 - 1) + np.array([1], np.int32)
