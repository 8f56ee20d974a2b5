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
# # Lab 00 · From Python to the GPU
#
# In these four exercises about what happens around a kernel, you choose a launch, write
# a first kernel, find needless copies, and choose a wheel. They take about
# {{duration}}. You don't need a GPU, because everything can be graded on any machine.

# %% [markdown]
# {{how}}

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import solves
from minigrad.kernels.driver import wheel_for
from minigrad.kernels.first import pick_launch, roll
from minigrad.kernels.transfers import needless_copies

# %% [markdown] task="pick_launch"
# ## How many blocks, and of how many threads?
#
# When you launch a kernel, you choose the size of its blocks. Large blocks often work
# well, but the device has limits. A block may have at most 1,024 threads, and its
# threads share the **registers**, in which they keep their variables. Most GPUs have
# 65,536 registers per block, and if a block needs more, CUDA refuses the launch with
# `too many resources requested for launch`.
#
# Write `pick_launch(n, registers, limits)`. It tries the block sizes 1024, 512, 256,
# 128, 64, and 32, and returns `(blocks, threads)` with the largest size that's allowed
# and the smallest number of blocks that gives each of n elements a thread.
#
# | n | registers | with the usual limits | because |
# |---|---|---|---|
# | 1000 | 32 | `(1, 1024)` | 1024 · 32 = 32,768 registers are few enough |
# | 1000 | 100 | `(2, 512)` | 1024 · 100 is too many, but 512 · 100 = 51,200 isn't |
# | 1024 | 64 | `(1, 1024)` | 1024 · 64 = 65,536 is exactly the limit |

# %%
limits = {"threads": 1024, "registers": 65536, "blocks": 2147483647}
for threads in 1024, 512, 256:
    print(threads, "threads of 100 registers need", threads * 100)

# %% [markdown] hints="pick_launch"
# <details><summary>Hint 1</summary>
#
# Which two comparisons must hold for a block size? What's left to do if none of the six
# sizes passes?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Loop over the six sizes, starting with the largest, and return from inside the loop.
# The number of blocks is n / threads, rounded up. `-(-a // b)` rounds up. After the
# loop, raise the ValueError.
#
# </details>


# %% exercise="pick_launch"
@solves(pick_launch)
def pick_launch(n, registers, limits):
    ### BEGIN SOLUTION
    if n == 0:  #: if_n
        return None
    for threads in (1024, 512, 256, 128, 64, 32):  #: each_threads
        enough = threads * registers <= limits["registers"]  #: enough
        if threads <= limits["threads"] and enough:  #: if_threads
            blocks = -(-n // threads)  #: blocks
            if blocks > limits["blocks"]:
                raise ValueError("more blocks than the grid may have")  #: error
            return blocks, threads
    raise ValueError("not even 32 threads are allowed")  #: raise_ValueError
    ### END SOLUTION


# %%
with trying():
    print(pick_launch(1000, 32, limits), pick_launch(1000, 100, limits))

# %% check="pick_launch"
check(pick_launch)

# %% [markdown] task="roll"
# ## From Numba to CUDA C++
#
# Here's a kernel for Numba, where `cuda.grid(1)` is the thread's number among all
# threads of the launch, and `y.size` is the number of elements. It moves the elements
# of an array by `shift` positions, and what leaves at one end comes in at the other, as
# in `np.roll` and `torch.roll`.
#
# ```python
# @cuda.jit
# def roll(x, y, shift):
#     i = cuda.grid(1)
#     if i < y.size:
#         y[i] = x[(i - shift) % x.size]
# ```
#
# Write the same kernel in CUDA C++, as `roll(x, y, n, shift)`. An array in C++ doesn't
# know its size, so n is an argument.
#
# Be careful with one operator. Python's `%` and C++'s `%` agree for numbers that aren't
# negative, but in Python, `-1 % 5` is 4, and in C++ it's -1.

# %%
x, shift = [0, 1, 2, 3, 4], 2
for i in range(5):
    print(f"y[{i}] = x[({i} - {shift}) % 5] = x[{(i - shift) % 5}]")

# %% [markdown] hints="roll"
# <details><summary>Hint 1</summary>
#
# `cuda.grid(1)` is the thread's number among all threads. How do you compute it in CUDA
# C++? Write the kernel as if `%` were Python's, and see which elements are wrong.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In C++, `(i - shift) % n` is between -(n - 1) and n - 1. Keep it in an `int`. What do
# you have to add if it's negative?
#
# </details>


# %% exercise="roll"
solves(roll)(r"""
__global__ void roll(const float* x, float* y, int n, int shift) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;  //: index
    if (i < n) {  //: guard
        int from = (i - shift) % n;  //: from
        if (from < 0) from += n;  //: if_from
        y[i] = x[from];  //: store
    }
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(roll.text, "roll")
    x = minigrad.to_device(np.arange(5, dtype=np.float32))
    for shift in 2, -1, 7:
        y = minigrad.to_device(np.full(5, -1, np.float32))
        kernel(1, 8, (x, y, 5, shift))
        print(f"shift {shift:2}:", *minigrad.to_host(y))

# %% check="roll"
check(roll)

# %% [markdown] task="needless_copies"
# ## Copies that you don't need
#
# The time until the first byte of a copy arrives is called the **latency**. If it's 10
# microseconds, copying a loss of 4 bytes to the host 100 times takes 1 ms. That's
# longer than copying 16 MB of weights once at 20 GB/s. The cheapest copy is one that
# you don't make. Here's what a program did, event by event:
#
# | number | event | |
# |---|---|---|
# | 0 | `("to device", "x")` | x goes to the device |
# | 1 | `("kernel", ("x",), ("y",))` | a kernel reads x and changes y |
# | 2 | `("to host", "x")` | **needless**, because the host already has this x |
# | 3 | `("to host", "y")` | y comes back |
# | 4 | `("host", ("y",), ("x",))` | the CPU reads y and changes x |
# | 5 | `("to device", "x")` | x has changed since event 0 |
# | 6 | `("to device", "y")` | **needless**, because the device already has this y |
#
# Write `needless_copies(events)`. It returns the numbers of all needless copies, here
# `[2, 6]`. In `"kernel"` and `"host"` events, the first tuple names the arrays that are
# read, and the second names those that are changed.

# %%
events = [
    ("to device", "x"),
    ("kernel", ("x",), ("y",)),
    ("to host", "x"),
    ("to host", "y"),
    ("host", ("y",), ("x",)),
    ("to device", "x"),
    ("to device", "y"),
]
for number, event in enumerate(events):
    print(number, *event)

# %% [markdown] hints="needless_copies"
# <details><summary>Hint 1</summary>
#
# For which arrays do host and device hold the same values right now? Keep those names
# in a set, which is empty at first. What does a copy do to the set, and what does a
# kernel do?
#
# </details>
# <details><summary>Hint 2</summary>
#
# If x is in the set when it's copied, the copy is needless. If it isn't, add it.
# `"host"` and `"kernel"` remove the names in `writes` from the set.
#
# </details>


# %% exercise="needless_copies"
@solves(needless_copies)
def needless_copies(events):
    ### BEGIN SOLUTION
    needless, equal = [], set()  #: needless
    for number, (what, *names) in enumerate(events):
        if what in ("host", "kernel"):
            reads, writes = names  #: reads
            equal -= set(writes)  #: subtract_equal
        elif names[0] in equal:  #: elif_names
            needless.append(number)
        else:
            equal.add(names[0])  #: add
    return needless
    ### END SOLUTION


# %%
with trying():
    print(needless_copies(events))

# %% check="needless_copies"
check(needless_copies)

# %% [markdown] task="wheel_for"
# ## Which wheel fits this machine?
#
# A library for the GPU comes in several wheels, each built with its own CUDA version,
# such as `cu126`, `cu128`, or `cu130`. A GPU's **compute capability**, such as 8.6,
# says which generation it belongs to. A wheel contains **cubins**, which are machine
# code for GPUs of certain compute capabilities. It may also contain **PTX**, from which
# the driver makes machine code when the program runs.
#
# Write `wheel_for(driver, capability, wheels)`. It returns the name of the newest wheel
# that runs. The contract states the two rules from part 3 of the lesson with all their
# conditions. Read that part first. Compare versions as tuples, not as strings or
# floats, because 12.10 is newer than 12.9.

# %%
wheels = {
    "cu126": ((12, 6), [(7, 5), (8, 0)], None),
    "cu130": ((13, 0), [(7, 5), (8, 0)], (9, 0)),
}
print("tuples compare as versions do:", (12, 10) > (12, 9), (13, 0) > (12, 8))

# %% [markdown] hints="wheel_for"
# <details><summary>Hint 1</summary>
#
# What are the two ways in which a wheel can have code for the GPU? Give each condition
# a name.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A cubin fits if its major number is equal and its minor number isn't above the GPU's.
# For PTX, tuples compare as versions do, so one comparison is for the capability and
# another is for the CUDA version. Collect the wheels that run, and return the one with
# the highest CUDA version.
#
# </details>


# %% exercise="wheel_for"
@solves(wheel_for)
def wheel_for(driver, capability, wheels):
    ### BEGIN SOLUTION
    fitting = []
    for name, (cuda, cubins, ptx) in wheels.items():
        #: cubin
        cubin = any(a == capability[0] and b <= capability[1] for a, b in cubins)
        compiled = ptx is not None and ptx <= capability and cuda <= driver  #: compiled
        if cuda[0] <= driver[0] and (cubin or compiled):  #: if_cuda
            fitting.append(name)
    return max(fitting, key=lambda name: wheels[name][0], default=None)  #: result
    ### END SOLUTION


# %%
with trying():
    print(wheel_for((12, 8), (8, 6), wheels), wheel_for((13, 0), (9, 0), wheels))

# %% check="wheel_for"
check(wheel_for)

# %% [markdown]
# ## What you've built
#
# Your functions choose a launch, find needless copies, and choose a wheel. Here
# they're all at work.

# %%
with trying():
    blocks, threads = pick_launch(1_000_000, 40, limits)
    print(f"launch {blocks} blocks of {threads} threads")
    print("leave out the copies", needless_copies(events))
    print("take:", wheel_for((12, 8), (8, 6), wheels))

# %% [markdown]
# ## How your code is checked
#
# `show_check` prints the check of an exercise. You see its cases, where the expected
# values come from, and the mistakes that it recognizes.

# %%
show_check(roll)

# %% [markdown]
# Next, lesson 01 looks inside a launch and shows which thread works on which element.
