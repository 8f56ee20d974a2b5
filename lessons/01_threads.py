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
# A GPU runs one small function many thousand times at once, each time for another
# element. This lesson is about the one question that this function must answer first:
# **which element is mine?** With the answer you can write kernels for rows of numbers,
# for matrices and for whole batches, of any size.
#
# It takes about {{duration}}, and builds on Python and NumPy alone. At its end
# you can write a kernel for any number of elements, choose its launch, and read what
# the tools say when it is wrong. Run each cell as you come to it; where you are asked
# to predict, write your guess down first. Five **puzzles** stand on the way: change the
# line that says `// your line` until the cell below says `solved: True`. Lab 01 is
# where you write whole kernels: the lesson says when to go there.
#
# You need no GPU. On a machine with one, the kernels run there; on all others they run
# in minigrad's simulator, which takes the same CUDA C and the same calls. It also sees
# mistakes that a GPU passes over in silence, so we shall use it on purpose.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import Kernel, answers_from, device_empty, to_device, to_host, viz

# Lab 01 has exercises for you. In this lesson the course's solutions answer them.
answers_from("solutions", before="02_memory")

# %% [markdown]
# Where will kernels run on this machine?

# %%
print("a GPU" if minigrad.gpu_available() else "the simulator")

# %% [markdown]
# ## The picture
#
# Eight numbers are to be doubled. On a CPU one writes a loop: one worker goes from
# element to element. On a GPU one writes what is to be done with **one** element, and
# sends eight workers at once. A worker is called a **thread**, and threads come in
# groups of equal size, called **blocks**. All blocks of a launch are its **grid**. Here
# are two blocks of four threads; beneath each thread stands its element, i.

# %%
viz.threads(2, 4, 8)

# %% [markdown]
# Each thread knows two numbers: which block it is in, and which thread it is in that
# block. Both count from 0, and the threads of every block count from 0 again. Its
# element must follow from the two.
#
# ## First in Python
#
# A **kernel** is the function that each thread runs. Here is one in plain Python. It is
# given its block and its thread, and finds its element: before block 1 stand 4 threads,
# before block 2 stand 8.


# %%
def double(block, thread, x, y):
    i = block * 4 + thread
    y[i] = 2 * x[i]


# %% [markdown]
# To **launch** it means to call it once for each thread of each block. A GPU does that
# at once; we do it one after the other.


# %%
def launch(kernel, blocks, threads, args):
    for block in range(blocks):
        for thread in range(threads):
            kernel(block, thread, *args)


# %% [markdown]
# Two blocks of four threads, for eight elements.

# %%
x, y = [10, 11, 12, 13, 14, 15, 16, 17], [0] * 8
launch(double, 2, 4, (x, y))
y

# %% [markdown]
# **Predict**: two blocks of three threads, and the same kernel. Which elements stay 0?

# %%
y = [0] * 8
launch(double, 2, 3, (x, y))
y

# %% [markdown]
# {{=Elements 3 and 7|[20, 22, 24, 0, 28, 30, 32, 0]}}: the 4 in the kernel is the size
# of a block, and the launch has to agree with it. (In CUDA C the hardware will tell
# each thread how large its block is.)
#
# Two things are remarkable, because they are true of every kernel. It returns nothing:
# it writes its result into an array that it was given. And there is no loop in it: the
# loop is the launch.
#
# ### In which order?
#
# In no order. A GPU starts blocks as it has room, and no one can say which thread comes
# first. So a kernel must give the same result in any order. Let us shuffle.

# %%
import random


def launch_shuffled(kernel, blocks, threads, args):
    everyone = [(b, t) for b in range(blocks) for t in range(threads)]
    random.shuffle(everyone)
    for block, thread in everyone:
        kernel(block, thread, *args)


# %% [markdown]
# `double` does not mind: no thread reads what another one writes.

# %%
y = [0] * 8
launch_shuffled(double, 2, 4, (x, y))
y

# %% [markdown]
# ### Break it
#
# A running sum: each element is the one before it, plus itself. This kernel reads what
# its neighbor has written.


# %%
def running_sum(block, thread, x, y):
    i = block * 4 + thread
    y[i] = x[i] + (y[i - 1] if i > 0 else 0)


# %% [markdown]
# **Predict**: in order, it {{=works|[1, 2, 3, 4, 5, 6, 7, 8]}}. And shuffled? Run the
# cell several times.

# %%
for how in launch, launch_shuffled:
    y = [0] * 8
    how(running_sum, 2, 4, ([1] * 8, y))
    print(how.__name__, y)

# %% [markdown]
# On a GPU every launch is shuffled. This is the first rule of the course: **each
# element is written by one thread, and no thread relies on what another writes** in the
# same launch. (Chapter 02 shows how threads of one block may wait for each other.)
#
# ## The same in CUDA C
#
# Kernels are written in CUDA C, which is C++ with a few words more. Here is `double`.

# %%
source = r"""
__global__ void twice(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}
"""
twice = Kernel(source, "twice")
viz.source(twice)

# %% [markdown]
# Word by word:
#
# | CUDA C | means |
# |---|---|
# | `__global__` | this is a kernel: the CPU launches it, the GPU runs it |
# | `void` | it returns nothing, as always |
# | `const float* x` | an array of float32, by its address; `const`: only to be read |
# | `float* y` | an array that it may write to |
# | `int i` | a whole number, of 32 bits; every variable says its type |
# | `blockIdx.x` | which block this thread is in |
# | `threadIdx.x` | which thread it is in its block |
# | `blockDim.x` | how many threads a block has |
# | `;` | ends a statement; the end of a line means nothing |
#
# No one passes the three numbers to the kernel: the hardware provides them, to each
# thread its own. In Python they were the arguments `block` and `thread`, and the 4.
#
# The arrays must lie in the memory of the **device**, as the GPU is called; your own
# computer is the **host**. `to_device` copies an array there; `device_empty` makes a
# new one, of float32, in which anything may stand.

# %%
x = to_device(np.arange(10, 18, dtype=np.float32))
y = device_empty(8)

# %% [markdown]
# The launch says how many blocks there are, how many threads each has, and the
# arguments, as a tuple.

# %%
twice(2, 4, (x, y))
to_host(y)

# %% [markdown]
# The picture of this launch, made by watching it: which thread has written which
# element. In each box stand the thread and, beneath it, its block.

# %%
viz.launch(twice, 2, 4, (x, y))

# %% [markdown]
# `to_host` brings the result back as a NumPy array. Three steps, always: data to the
# device, launch, result to the host. How long each takes is a matter for chapter 02.
#
# This is also how CuPy's `RawKernel` is called. (It wants `(2,)` and `(4,)`, tuples, as
# we shall when there are more dimensions.)
#
# ### Break it: types
#
# C does not look at what you pass to it. A kernel that expects `float*` and is given
# float64 reads every number as two others. NumPy makes float64 unless you say
# otherwise, so this happens to everyone; minigrad refuses. (`with trying():` shows an
# error's message alone and goes on, here and wherever a mistake is made on purpose.)

# %%
with trying():
    twice(2, 4, (to_device(np.arange(8.0)), y))

# %% [markdown]
# The message says what helps: `x.astype(np.float32)`. In the same way a Python float
# has 64 bits; for a parameter `float a` pass `np.float32(0.5)`.
#
# ## Which element is mine?
#
# The expression in the first line of the kernel is the one that you will write most
# often in your life with GPUs. It is called the **global index**:
#
# > i = blockIdx.x · blockDim.x + threadIdx.x
#
# Before this block stand `blockIdx.x` whole blocks, each with `blockDim.x` threads.
#
# **Predict**: in blocks of 256 threads, which is the global index of thread 10 in block
# 3? And which thread has i = 1000?
#
# <details><summary>Answer</summary>
#
# 3 · 256 + 10 = {{=778}}. And 1000 = 3 · 256 + {{=232}}: thread {{=232}} of block
# {{=3}}.
#
# </details>

# %%
3 * 256 + 10, divmod(1000, 256)

# %% [markdown]
# `divmod` is the way back: from the element to the thread that does it.
#
# **Puzzle 1: mirror.** The first thread of all writes the last element, the last thread
# the first. Which thread of which block will stand in box 0 of the picture?

# %%
mirror = Kernel(
    r"""
__global__ void mirror(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int to = i;  // your line
    y[to] = x[i];
}
""",
    "mirror",
)

# %%
mirror(2, 4, (x, y, 8))
print("solved:", np.array_equal(to_host(y), to_host(x)[::-1]))
viz.launch(mirror, 2, 4, (x, y, 8))

# %% [markdown]
# <details><summary>Answer</summary>
#
# In box 0 stands thread 3 of block 1.
#
# ```c
# int to = n - 1 - i;
# ```
#
# </details>
#
# ### Let the threads speak
#
# A kernel can print. `printf` takes a text with a `%d` for each whole number (and `%f`
# for a float), as in C.

# %%
hello = Kernel(
    r"""
__global__ void hello() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("block %d, thread %d: i = %d\n", blockIdx.x, threadIdx.x, i);
}
""",
    "hello",
)

# %% [markdown]
# Two blocks of three.

# %%
hello(2, 3, ())
minigrad.synchronize()

# %% [markdown]
# On a GPU the blocks may come in another order each time. And the CPU does not wait: a
# launch returns at once, and `synchronize` waits until the GPU is done, so that what it
# printed can be seen. (In the simulator there is nothing to wait for.)
#
# Print sparingly. What a GPU prints goes into a buffer of 1 MB, which is shown at the
# next synchronization; a million threads print far more than it holds, and the oldest
# lines are lost without a word. Let one thread print: `if (i == 0) printf(...)`.
#
# ### Break it: forget the block
#
# What if the index is `threadIdx.x` alone?

# %%
forgets = Kernel(
    r"""
__global__ void forgets(const float* x, float* y) {
    int i = threadIdx.x;
    y[i] = 2 * x[i];
}
""",
    "forgets",
)
y = to_device(np.zeros(8, np.float32))
forgets(2, 4, (x, y))
to_host(y)

# %% [markdown]
# The second half is {{=untouched|26., 0., 0., 0., 0.]}}. **Predict** which elements the
# picture marks: those that no thread writes, and those that more than one does.

# %%
viz.launch(forgets, 2, 4, (x, y))

# %% [markdown]
# Block 1 has run, but has done
# {{=the elements of block 0 again|More than one thread writes y[0], y[1], y[2], y[3]}}.
# With one block all would have looked well: **test with more than one block**.
#
# There is a second mistake in it, and it cannot be seen in the numbers: two threads
# write the same element. `check` runs a launch in the simulator with all its tools, on
# copies of the arrays, and reports what they find.

# %%
print(forgets.check(2, 4, (x, y)))

# %% [markdown]
# A **race**: the thread that writes last wins, and no one can say which that is. It is
# {{=a note and no finding|nothing found, 1 note}}, since here both write the same
# number. They will not always be so kind.
#
# Read a finding from the top: where in your text, what happened, which thread saw it.
#
# **To the lab**: exercise 1 (`global_index`).
#
# ## A guard for the last block
#
# Eight elements and two blocks of four: that was no accident. What about five elements?
# Blocks are whole, so it takes two of them, eight threads, and {{=three threads have no
# element|The last 3 threads have no element}}.

# %%
viz.threads(2, 4, 5)

# %% [markdown]
# In Python there would be {{=an error|IndexError}}.

# %%
with trying():
    launch(double, 2, 4, ([10, 11, 12, 13, 14], [0] * 5))

# %% [markdown]
# C does not look. `y[5]` is one past the last cell, and may belong to anything. We
# make that visible: `memory` has eight cells, of which only the first five are ours.

# %%
memory = to_device(np.array([0, 0, 0, 0, 0, 77, 88, 99], np.float32))
x = to_device(np.arange(10, 18, dtype=np.float32))
twice(2, 4, (x, memory))
to_host(memory)

# %% [markdown]
# 77, 88 and 99 are {{=gone|30., 32., 34.}}. They might have been the weights of the
# next layer, and no message would have come: only wrong results, some day, somewhere
# else. If the address belongs to no allocation at all, a GPU stops with `an illegal
# memory access was encountered`, and does not say where. (NVIDIA's `compute-sanitizer`,
# which runs a whole program under such a watch, does; so does `check`, below.)
#
# The cure is one line, the **guard**: a thread without an element does nothing. For
# that the kernel must know how many elements there are; an array in C does not know its
# own length.

# %%
guarded = Kernel(
    r"""
__global__ void guarded(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
""",
    "guarded",
)

# %% [markdown]
# The same launch, with n = 5.

# %%
memory = to_device(np.array([0, 0, 0, 0, 0, 77, 88, 99], np.float32))
guarded(2, 4, (x, memory, 5))
to_host(memory)

# %% [markdown]
# It is also written the other way round: `if (i >= n) return;`. Both are good. Drawn,
# with the threads that the guard stops:

# %%
x, y = to_device(np.arange(5, dtype=np.float32)), to_device(np.zeros(5, np.float32))
viz.launch(guarded, 2, 4, (x, y, 5))

# %% [markdown]
# ### Break it: no guard
#
# Now with arrays that have five cells and no more. The simulator finds the first thread
# that goes outside. **Predict** its block, its thread and its i.

# %%
x, y = to_device(np.arange(5, dtype=np.float32)), to_device(np.zeros(5, np.float32))
report = twice.check(2, 4, (x, y))
print(report)

# %% [markdown]
# A finding is an object first, and a text second. Block and thread are (x, y, z).

# %%
for f in report.findings:
    print(f.kind, "line", f.line, "thread", f.thread, "of block", f.block)

# %% [markdown]
# And the most frequent of all mistakes in guards: `<=`. Element n is the first that is
# **not** there. {{=One thread too many|times 1}}, one cell too far.

# %%
sloppy = Kernel(source.replace("y[i]", "if (i <= 5) y[i]"), "twice")
for f in sloppy.check(2, 4, (x, y)).findings:
    print(f.kind, "block", f.block, "thread", f.thread, "times", f.count)

# %% [markdown]
# With a guard, {{=nothing is found|nothing found}}.

# %%
print(guarded.check(2, 4, (x, y, 5)))

# %% [markdown]
# **Puzzle 2: differences.** Element i of the result is `x[i + 1] - x[i]`, so n numbers
# have n - 1 differences. This guard keeps every write inside of y, which has n cells.
# **Predict** what `check` finds all the same.

# %%
differences = Kernel(
    r"""
__global__ void differences(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)  // your line
        y[i] = x[i + 1] - x[i];
}
""",
    "differences",
)

# %%
report = differences.check(2, 4, (x, y, 5))
print(report)
print("solved:", not report.findings)

# %% [markdown]
# <details><summary>Answer</summary>
#
# {{=Thread 0 of block 1|block 1 thread 0}} **reads** past the end. A guard protects
# whatever is touched.
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
# The block is your choice; 128 or 256 threads are good ones to begin with. The grid
# follows: n / size, **rounded up**. `//` rounds down, so there is a small trick; both
# of these are used everywhere.

# %%
for n in 255, 256, 257, 1000:
    print(n, "elements:", (n + 255) // 256, "blocks;", -(-n // 256))

# %% [markdown]
# Rounded down, 257 elements would get one block, and the last one would
# {{=never be doubled|0.]}}. That gives no error either.

# %%
x, y = to_device(np.ones(257, np.float32)), to_device(np.zeros(257, np.float32))
guarded(257 // 256, 256, (x, y, 257))
to_host(y)[-3:]

# %% [markdown]
# And `257 // 256 + 1`? Right here, but for 256 elements it gives 2: a block that does
# nothing, and costs its launch.
#
# ### What the hardware allows
#
# | | at most | |
# |---|---|---|
# | threads in a block | 1024 | x · y · z, on every NVIDIA GPU since 2010 |
# | block, x and y | 1024 each | |
# | block, z | 64 | |
# | grid, x | 2 147 483 647 | 2³¹ − 1 |
# | grid, y and z | 65 535 each | |
# | threads in a warp | 32 | always exactly |
# | blocks at once on one multiprocessor | 16 to 32 | the others wait their turn |
# | multiprocessors of a GPU | 40 (T4), 108 (A100), 132 (H100 SXM, H200) | |
#
# A **multiprocessor** (SM) is what runs blocks: each block runs on one of them from its
# beginning to its end. An H100 holds up to 132 · 2048 = 270 336 threads at once. The
# size of the grid is not limited by that: blocks wait until there is room.
#
# What is too large is refused.

# %%
with trying():
    guarded(1, 2048, (x, y, 257))

# %% [markdown]
# So is a grid without blocks. Take care where n may be 0.

# %%
with trying():
    guarded(0, 256, (x, y, 0))

# %% [markdown]
# ### Warps
#
# Within a block, 32 threads each form a **warp**: threads 0 to 31, 32 to 63, and so on.
# A warp is what the hardware really runs: one instruction is issued for its 32 threads,
# each of which does it on its own data. (Since the GPUs of 2017, Volta, a thread has a
# place in the program of its own, and the threads of a warp may drift apart; a barrier,
# chapter 02, brings them together again.) So 32 is the reason for all good block sizes:
# a block of 33 threads has two warps, and the second has one thread and {{=31 empty
# places|33 threads: 2 warps, 31 places empty}}. A place in a warp is a **lane**: thread
# 37 of a block is lane 5 of warp 1.

# %%
for size in 1, 32, 33, 100, 256:
    warps = -(-size // 32)
    print(f"{size:4} threads: {warps} warps, {warps * 32 - size:2} places empty")

# %% [markdown]
# What if the threads of one warp want different things? At an `if` where some go this
# way and some that way, the warp goes both ways, one after the other, each time with
# part of its threads asleep. The branch is **divergent**. The simulator counts them.

# %%
ways = Kernel(
    r"""
__global__ void ways(float* y, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / size % 2 == 0) y[i] = 1;
    else y[i] = 2;
}
""",
    "ways",
)

# %% [markdown]
# 8 warps. Every second thread goes another way, then every second group of 16, then
# every second group of 32. **Predict** the three counts.

# %%
y = to_device(np.zeros(256, np.float32))
for size in 1, 16, 32:
    counts = ways.check(1, 256, (y, size)).counts
    print("groups of", size, "->", counts["divergent_branches"], "divergent")

# %% [markdown]
# 32 is {{=free of charge|groups of 32 -> 0 divergent}}: then every warp agrees with
# itself. The guard `i < n` diverges in one warp at most, the one where the elements
# end: it costs next to nothing.
#
# **Puzzle 3: agree.** The result stays as it was with groups of 1: 1, 2, 1, 2 and so
# on. But no thread says which element it must do. Deal them out so that no warp
# diverges.

# %%
agree = Kernel(
    r"""
__global__ void agree(float* y) {
    int t = threadIdx.x;
    int i = t;  // your line
    if (i % 2 == 0) y[i] = 1;
    else y[i] = 2;
}
""",
    "agree",
)

# %%
agree(1, 256, (y,))
divergent = agree.check(1, 256, (y,)).counts["divergent_branches"]
right = np.array_equal(to_host(y), np.tile([1, 2], 128))
print(divergent, "divergent; solved:", right and divergent == 0)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Threads 0 to 127 do the even elements, the others the odd ones.
#
# ```c
# int i = t % 128 * 2 + t / 128;
# ```
#
# (Now the threads of a warp write every second cell: chapter 02 says what that costs.)
#
# </details>
#
# ## Rows and columns
#
# Grids and blocks can have two dimensions, or three. Then every index has a `.x` and a
# `.y`, and a launch takes tuples, x first. It is only a way of counting: a block of
# (32, 8) has 256 threads, as one of 256 has.

# %%
viz.threads((2, 2), (8, 3))

# %% [markdown]
# **Row is y, column is x**, in this course everywhere. It looks the wrong way round,
# since one says "row, column" and "x, y". But x runs to the right, and what runs to the
# right in a matrix is the column.
#
# In Python first. The grid and the block are (x, y).


# %%
def launch_2d(kernel, grid, block, args):
    for by in range(grid[1]):
        for bx in range(grid[0]):
            for ty in range(block[1]):
                for tx in range(block[0]):
                    kernel((bx, by), (tx, ty), block, *args)


# %% [markdown]
# The global index once for each direction. Each thread signs with its block.


# %%
def sign(block_index, thread_index, block, y, rows, cols):
    col = block_index[0] * block[0] + thread_index[0]
    row = block_index[1] * block[1] + thread_index[1]
    if row < rows and col < cols:
        y[row, col] = 10 * block_index[1] + block_index[0]


# %% [markdown]
# A matrix of 5 rows and 7 columns, in blocks that are 4 wide and 2 high. **Predict**
# the grid: how many blocks along x, how many along y?

# %%
y = np.full((5, 7), -1)
launch_2d(sign, (2, 3), (4, 2), (y, 5, 7))
y

# %% [markdown]
# 7 columns, 4 to a block, take 2 blocks; 5 rows, 2 to a block, take 3. Read {{=21}} as
# block (1, 2): x = 1, y = 2. The blocks at the right and lower edges reach beyond the
# matrix, so it takes two guards.
#
# ### In memory there are no rows
#
# A kernel gets an address and nothing else. The matrix lies there row by row, so that
# element (row, col) is cell
#
# > row · cols + col
#
# `cols` is how far it is from one row to the next, in elements: the **row stride**, or
# **leading dimension**. (Here that is the length of a row. It may be more, where each
# row is padded; in bytes it is then called the **pitch**.) Chapter 03 makes a whole
# library of this expression.

# %%
matrix = Kernel(
    r"""
__global__ void matrix(float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && col < cols) y[row * cols + col] = 10 * row + col;
}
""",
    "matrix",
)

# %% [markdown]
# Every element is written by the thread that stands at its place.

# %%
y = to_device(np.full((5, 7), -1, np.float32))
matrix((2, 3), (4, 2), (y, 5, 7))
to_host(y)

# %% [markdown]
# The same as a picture. The blocks at the edges write {{=less than they could|13 write
# nothing}}.

# %%
viz.launch(matrix, (2, 3), (4, 2), (y, 5, 7))

# %% [markdown]
# **Puzzle 4: a quarter turn.** y has 7 rows and 5 columns, and is x turned clockwise:
# the first row of x becomes the **last column** of y. Element (row, col) goes to row
# `col` of y; to which column, and so to which cell?

# %%
turn = Kernel(
    r"""
__global__ void turn(const float* x, float* y, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows || col >= cols) return;
    int cell = row * cols + col;  // your line
    y[cell] = x[row * cols + col];
}
""",
    "turn",
)

# %%
x = to_device(np.arange(35, dtype=np.float32).reshape(5, 7))
y = device_empty((7, 5))
turn((2, 3), (4, 2), (x, y, 5, 7))
print("solved:", np.array_equal(to_host(y), np.rot90(to_host(x), -1)))
viz.launch(turn, (2, 3), (4, 2), (x, y, 5, 7))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Column `rows - 1 - row`; and the rows of y are `rows` long.
#
# ```c
# int cell = col * rows + rows - 1 - row;
# ```
#
# </details>
#
# ### Break it: swap x and y
#
# With the row from x and the column from y, the same launch has too few threads along
# one direction and too many along the other.

# %%
text = matrix.source
text = text.replace("blockIdx.y * blockDim.y + threadIdx.y", "ROW")
text = text.replace("blockIdx.x * blockDim.x + threadIdx.x", "COL")
text = text.replace("ROW", "blockIdx.x * blockDim.x + threadIdx.x")
text = text.replace("COL", "blockIdx.y * blockDim.y + threadIdx.y")
swapped = Kernel(text.replace("matrix", "swapped"), "swapped")
y = to_device(np.full((5, 7), -1, np.float32))
swapped((2, 3), (4, 2), (y, 5, 7))
to_host(y)

# %% [markdown]
# And the picture:

# %%
viz.launch(swapped, (2, 3), (4, 2), (y, 5, 7))

# %% [markdown]
# The last column has {{=no thread|No thread writes y[0, 6], y[1, 6]}}. For a square
# matrix and a square block nothing would be seen at all, and this is why this course
# never tests with squares. (It would still be slow: the threads of a warp, which differ
# in x, would write down a column, to cells far apart.)
#
# ### Break it: guard the rows only
#
# Below the matrix lies a row of 77 that is not ours. **Predict**: what do the threads
# do whose column is not there?

# %%
careless = Kernel(matrix.source.replace(" && col < cols", ""), "matrix")
y = to_device(np.full((6, 7), 77, np.float32))
careless((2, 3), (4, 2), (y, 5, 7))
to_host(y)

# %% [markdown]
# Column 7 of row 0 is cell 7, and that is column 0 of row 1. Two threads write it: one
# writes 7, the other 10. It is not even outside of the array, except in the last row,
# where a {{=77}} has gone. Without the sixth row, the tools find {{=both|race in
# matrix}}.

# %%
y = to_device(np.full((5, 7), -1, np.float32))
for f in careless.check((2, 3), (4, 2), (y, 5, 7)).findings:
    print(f, end="\n\n")

# %% [markdown]
# In two dimensions guards diverge more often: at the right edge every row of blocks has
# warps that are cut. **Predict** how many of these 128 warps do, for 64 rows of 40.

# %%
y = to_device(np.zeros((64, 40), np.float32))
counts = matrix.check((2, 8), (32, 8), (y, 64, 40)).counts
counts["divergent_branches"]

# %% [markdown]
# {{=64}}, half of them: in each row the second warp has columns 32 to 63, and 8 of them
# exist. A block that is 8 wide and 32 high would fit 40 columns exactly; but chapter 02
# shows why x should be wide.
#
# **To the lab**: exercise 3 (`launch_config`) and exercise 4 (`map_2d`).
#
# ## Fewer threads than elements
#
# A thread for each element is simple, and for most kernels it is right. But sometimes
# one wants a grid of fixed size: as many blocks as the GPU holds at once, say, or
# because each thread must prepare something costly. Then each thread must do several
# elements. Which ones?
#
# Let four threads share ten elements, one after the other, as one deals out cards. Each
# begins at its global index, and goes on in steps of **all** threads. In Python that is
# `range`.

# %%
for thread in range(4):
    print("thread", thread, "does", list(range(thread, 10, 4)))

# %% [markdown]
# In CUDA C it is a `for` loop: in its parentheses stand the beginning, the condition
# and the step. `gridDim.x` is how many blocks there are; so the step is
# `gridDim.x * blockDim.x`. This is a **grid-stride loop**.

# %%
strided = Kernel(
    r"""
__global__ void strided(const float* x, float* y, int n) {
    int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        y[i] = 2 * x[i];
    }
}
""",
    "strided",
)

# %% [markdown]
# Two blocks of four threads, for 20 elements.

# %%
x, y = to_device(np.arange(20, dtype=np.float32)), device_empty(20)
viz.launch(strided, 2, 4, (x, y, 20))

# %% [markdown]
# The loop is the guard, too: a thread that starts past the end does nothing. {{=Any
# grid works|1,000,192 threads: 1,000,003 elements are right}}.

# %%
n = 1_000_003
x = to_device(np.arange(n, dtype=np.float32))
for grid, block in [(1, 32), (4, 256), (40, 128), (3907, 256)]:
    y = to_device(np.zeros(n, np.float32))
    strided(grid, block, (x, y, n))
    right = (to_host(y) == 2 * to_host(x)).sum()
    print(f"{grid * block:9,} threads: {right:,} elements are right")

# %% [markdown]
# **Puzzle 5: neighbors.** Why not give each thread a run of neighbors? Eight threads,
# 20 elements, so three each: thread 0 does 0 to 2, thread 1 does 3 to 5. **Predict**
# how many are left for the last two threads.

# %%
runs = Kernel(
    r"""
__global__ void runs(const float* x, float* y, int n, int each) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += gridDim.x * blockDim.x)  // your line
        y[i] = 2 * x[i];
}
""",
    "runs",
)

# %%
x, y = to_device(np.arange(20, dtype=np.float32)), device_empty(20)
runs(2, 4, (x, y, 20, 3))
neighbors = runs.check(1, 1, (x, y, 20, 3)).counts["writes"] == 3
print("solved:", neighbors and np.array_equal(to_host(y), 2 * to_host(x)))
viz.launch(runs, 2, 4, (x, y, 20, 3))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Two for thread 6, {{=none for thread 7|of which 7 write}}; and the run that reaches
# past the end needs its guard.
#
# ```c
# for (int i = each * t; i < each * (t + 1) && i < n; i++)
# ```
#
# </details>

# %% [markdown]
# Such runs are right, and slower: the 32 threads of a warp read at the same moment, and
# the memory likes it best when those 32 read 32 neighbors. With the step they do.
# Chapter 02 measures how much that is.
#
# ### Break it: too small a step
#
# With a step of `blockDim.x`, which is 64 here, block 0 does everything, block 1 all
# but the first 64 elements again, and so on. **Predict**: is the result wrong?

# %%
text = strided.source.replace("gridDim.x * blockDim.x;", "blockDim.x;")
greedy = Kernel(text, "strided")
x, y = to_device(np.arange(1000, dtype=np.float32)), device_empty(1000)
greedy(4, 64, (x, y, 1000))
print("all right:", np.array_equal(to_host(y), 2 * to_host(x)))

# %% [markdown]
# {{=All the same numbers|all right: True}}, and nearly four times the work: 1000,
# {{=936, 872 and 808|and 2,615 more}} elements. No comparison of results will ever find
# that. The tools note it: threads of two blocks write the same element.

# %%
print(greedy.check(4, 64, (x, y, 1000)))

# %% [markdown]
# ### How large may i be?
#
# `int` ends at 2 147 483 647. A tensor of more elements than that is rare, but it fits
# into the memory of today's GPUs. `blockIdx.x * blockDim.x` is `unsigned`, a whole
# number without a sign, up to 4 294 967 295; put into an `int`, what is above 2³¹ − 1
# becomes {{=negative|-2147483648}}, and passes every guard. Kernels of libraries say
# `long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;` or have two
# versions. In this course `int` will do.

# %%
np.int32(2**31 - 1) + np.array([1], np.int32)

# %% [markdown]
# **To the lab**: exercise 5 (`grid_stride`).
#
# ## A batch of outer products
#
# Now the kind of problem that comes from PyTorch. There are b pairs of vectors, `x` of
# shape `(b, n)` and `y` of shape `(b, m)`, and for each pair one wants all products:
# `z` of shape `(b, n, m)`.

# %%
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
y = torch.tensor([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]])
z = torch.einsum("bi,bj->bij", x, y)
print(torch.equal(z, x[:, :, None] * y[:, None, :]))
z

# %% [markdown]
# {{=The same|True}} as `x[:, :, None] * y[:, None, :]`. What one element needs is one
# line.


# %%
def outer(x, y, z, k, i, j):
    z[k, i, j] = x[k, i] * y[k, j]


# %% [markdown]
# So there are three indices, and a grid has three dimensions. j is the last index, and
# runs along the row: it becomes x. i becomes y, and k becomes z.
#
# | index | counts | comes from | cell of x | of y | of z |
# |---|---|---|---|---|---|
# | k | the pair, to b | `blockIdx.z`, by `gridDim.z` | k · n | k · m | k · n · m |
# | i | the row, to n | `blockIdx.y * blockDim.y + threadIdx.y` | + i | | + i · m |
# | j | the column, to m | `blockIdx.x * blockDim.x + threadIdx.x` | | + j | + j |
#
# The cell of z is mostly written `(k * n + i) * m + j`.
#
# Why a grid-stride loop over k? Along z a grid has no more than 65 535 blocks. A batch
# may be larger.
#
# The kernel is yours to write, so here we only use the library's. **Predict** the grid
# for n = 20 and m = 100 in blocks of (32, 8), with 4 blocks along z.

# %%
from minigrad.kernels.threads import launch_config, outer_product

grid = (*launch_config((20, 100), (32, 8)), 4)
grid

# %% [markdown]
# Ten pairs, four blocks along z: blocks 0 and 1 do three pairs, blocks 2 and 3 do two.

# %%
x = np.random.default_rng(0).random((10, 20), np.float32)
y = np.random.default_rng(1).random((10, 100), np.float32)
z = device_empty((10, 20, 100))
kernel = Kernel(outer_product.text, "outer_product")
kernel(grid, (32, 8), (to_device(x), to_device(y), z, 10, 20, 100))
np.array_equal(to_host(z), x[:, :, None] * y[:, None, :])

# %% [markdown]
# {{=Equal to the last bit|True}}: one multiplication is one multiplication, wherever it
# is done. With sums it will be different (chapter 05).
#
# ### Break it: forget the batch
#
# A kernel that forgets the pair's number reads the first row of x for every pair. It is
# one of the commonest mistakes when a kernel is taken from a book, where there is no
# batch. **Predict** which of the ten matrices are right.

# %%
one = Kernel(
    r"""
__global__ void one(const float* x, const float* y, float* z, int b, int n, int m) {
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = blockIdx.z; k < b; k += gridDim.z)
        if (i < n && j < m) z[(k * n + i) * m + j] = x[i] * y[k * m + j];
}
""",
    "one",
)

# %%
z = device_empty((10, 20, 100))
one(grid, (32, 8), (to_device(x), to_device(y), z, 10, 20, 100))
good = [np.array_equal(to_host(z)[k], np.outer(x[k], y[k])) for k in range(10)]
good

# %% [markdown]
# {{=The first matrix|[True, False, False, False}} is right. So: **test with more than
# one**: one block, one row, one pair are never a test.
#
# **To the lab**: exercise 6 (`outer_product`).
#
# ## When the compiler says no
#
# C is stricter than Python, and looks at everything before anything runs. Its messages
# have a form: the file, the line, the column, what is wrong; below, your own line with
# a `^` under the place. Here is a missing {{=semicolon|expected}}.


# %%
def compiled(body):
    """Compile a kernel of this body, and print what the compiler says."""
    try:
        Kernel(f"__global__ void k(float* y, int n) {{\n{body}\n}}", "k")
        print("compiles")
    except minigrad.CompileError as error:
        print(error)


# %%
compiled("    int i = threadIdx.x\n    y[i] = 1;")

# %% [markdown]
# The `^` stands where the compiler noticed; the mistake is there, or just before. The
# next ones are what people write who come from Python. **Predict** each message before
# you run its cell.

# %%
compiled("    i = threadIdx.x;\n    y[i] = 1;")

# %% [markdown]
# {{=No variable|is undefined}} without a type. The next one forgets that a block
# has {{=three dimensions|no operator}}.

# %%
compiled("    int i = blockIdx * blockDim + threadIdx;\n    y[i] = 1;")

# %% [markdown]
# C's `and` is `&&`, a condition stands in {{=parentheses|expected}}, and
# a block of statements in braces.

# %%
compiled("    int i = threadIdx.x;\n    if i < n:\n        y[i] = 1;")

# %% [markdown]
# An array in C has no shape: `y[row][col]` {{=does not exist|pointer}} for a `float*`.

# %%
compiled("    int row = threadIdx.y, col = threadIdx.x;\n    y[row][col] = 1;")

# %% [markdown]
# And three that **do** compile, and surprise: `/` between whole numbers rounds towards
# zero, `%` has the sign of its left side, and `^` is not a power.

# %%
odd = Kernel(
    r"""
__global__ void odd(float* y) {
    y[0] = 1 / 2;
    y[1] = 1.0f / 2;
    y[2] = 3 ^ 2;
    y[3] = 3 * 3;
    y[4] = -7 / 2;
    y[5] = -7 % 2;
}
""",
    "odd",
)

# %%
y = device_empty(6)
odd(1, 1, (y,))
to_host(y), -7 // 2

# %% [markdown]
# `1.0f` is a float32; `1.0` without the `f` is a float64, and makes all of the
# expression float64: slow on a GPU that has few units for it. `-7 / 2` is {{=−3}},
# where Python's `-7 // 2` is {{=−4}}.
#
# ## What PyTorch does
#
# `2 * x` on a GPU is the same launch. PyTorch's kernel for it
# (`launch_vectorized_kernel` in `aten/src/ATen/native/cuda/CUDALoops.cuh`) has blocks
# of 128 threads, each of which does several elements, 4 or more; the grid is the number
# of elements, divided and rounded up. So it has a guard, too.

# %%
n, threads, each = 1_000_003, 128, 4
-(-n // (threads * each))

# %% [markdown]
# You can see it on a machine with a GPU: `torch.profiler` names each kernel with its
# grid and its block. Chapter 10 does that for a whole network.
#
# ## In one table
#
# | | one dimension | two |
# |---|---|---|
# | index | `i = blockIdx.x * blockDim.x + threadIdx.x` | `col` of `.x`, `row` of `.y` |
# | guard | `if (i < n)` | `if (row < rows && col < cols)` |
# | cell | `i` | `row * cols + col` |
# | grid | `-(-n // size)` | x from cols, y from rows |
# | any grid | `for (...; i < n; i += gridDim.x * blockDim.x)` | the same, for each |
#
# ## Before you go: five questions
#
# 1. A launch has grid 10 and block 96. How many threads, how many warps?
# 2. n = 1000, block 256. How many threads does the guard stop?
# 3. Is `i = threadIdx.x * gridDim.x + blockIdx.x` wrong? Each thread has an i of its
#    own, all below n.
# 4. A kernel has no guard, n is 1024 and the block 256. What goes wrong?
# 5. A block of (16, 16) and an image of 1080 rows and 1920 columns: which grid?
#
# <details><summary>Answers</summary>
#
# 1. {{=960}} threads; 3 warps a block, {{=30}} in all.
# 2. 4 blocks, 1024 threads: {{=24}}.
# 3. Each element is done once, so the values are right. But the threads of a warp are
#    `gridDim.x` elements apart, and the memory does not like that: chapter 02.
# 4. Nothing, today. Something will, when there are 1025 elements.
# 5. ({{=120}}, {{=68}}): 1920 / 16 is 120, and 1080 / 16 is 67.5. x first.
#
# </details>

# %%
10 * 96, 10 * 96 // 32, -1000 % 256, launch_config((1080, 1920), (16, 16))

# %% [markdown]
# Now **lab 01**: in its last exercise you write the test of a kernel. When all are
# done, the kernels of the library are yours: in the set-up cell, write `"labs"` for
# `"solutions"`, restart the kernel, and run everything again on your own code.
#
# To read on: NVIDIA's *CUDA C++ Programming Guide*, the chapter "Programming Model"; M.
# Harris, *CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops* (2013);
# PyTorch's `aten/src/ATen/cuda/detail/KernelUtils.h`, whose `CUDA_KERNEL_LOOP` is such
# a loop; and the GPU-Puzzles of Sasha Rush, for more of the same kind.
