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
# Six exercises around a kernel: what one decides before it runs, what happens to its
# data, and what one reads when it does not run. About {{duration}}. You need no
# GPU and none of the libraries of lesson 00: everything is graded on any machine.
#
# How each exercise goes:
#
# 1. Read the task, and run the example under it. Then read the contract: it says
#    exactly what your answer is given and what it must give. An answer leaves what it
#    is given as it was.
# 2. Fill in the cell that says `YOUR CODE HERE`, and run it. Five answers are Python
#    functions; one is a kernel in CUDA C.
# 3. Run the cell below it, to see your answer at work.
# 4. Run the `check` cell. Each part of the task that is right earns its share of the
#    points. If something is wrong, you see the first case that is, and often why. Check
#    as often as you like.
#
# If you are stuck, open a hint: they go from vague to precise. No check needs your
# answer to another exercise, so you may skip.
#
# When something is odd:
#
# - `NameError: name 'check' is not defined`, or `'solves'`, means that the set-up cell
#   has not run in this session. Run it, then your answers, and go on.
# - After each change of an answer, run its cell: a check tries what you ran last.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import solves
from minigrad.kernels.driver import ERRORS, read_error, wheel_for
from minigrad.kernels.first import pick_launch, roll
from minigrad.kernels.transfers import costliest_copy, needless_copies

# %% [markdown] task="pick_launch"
# ## How many blocks, of how many threads?
#
# To launch a kernel is to choose a block. Large blocks are often good ones, but the
# device sets limits: to the threads of a block, and to its **registers**, the cells in
# which threads keep their variables. All threads of a block get theirs from one store.
# A kernel that needs 100 registers a thread needs 102,400 for 1024 threads; most GPUs
# have 65,536 for a block. CUDA refuses such a launch with `too many resources requested
# for launch`, and a block of 2048 threads with `invalid configuration argument`.
#
# Write `pick_launch(n, registers, limits)`: `(blocks, threads)` with the largest block
# that is allowed, and as few blocks as give each of n elements a thread.
#
# | n | registers | the usual limits | why |
# |---|---|---|---|
# | 1000 | 32 | `(1, 1024)` | 1024 · 32 = 32,768 registers |
# | 1000 | 100 | `(2, 512)` | 1024 · 100 are too many, 512 · 100 = 51,200 are not |
# | 1024 | 64 | `(1, 1024)` | 65,536 registers: just enough |

# %%
limits = {"threads": 1024, "registers": 65536, "blocks": 2147483647}
for threads in 1024, 512, 256:
    print(threads, "threads of 100 registers need", threads * 100)

# %% [markdown] hints="pick_launch"
# <details><summary>Hint 1</summary>
#
# Go through the six sizes, the largest first. Which two comparisons must hold? What is
# left to do if none of the six passes?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `for threads in (1024, 512, 256, 128, 64, 32)`, and return from within the loop.
# Blocks are n / threads, rounded up: `-(-n // threads)`. After the loop comes `raise
# ValueError(...)`.
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
# ## From Numba to CUDA C
#
# Here is a kernel for Numba. It moves an array on by `shift` places; what leaves at one
# end comes in at the other, as in `np.roll` and `torch.roll`.
#
# ```python
# @cuda.jit
# def roll(x, y, shift):
#     i = cuda.grid(1)
#     if i < y.size:
#         y[i] = x[(i - shift) % x.size]
# ```
#
# Port it: write the kernel `roll(x, y, n, shift)` in CUDA C. An array of C does not
# know its size, so n comes as an argument. `shift` is any int: negative, or larger than
# n, too. There may be more threads than n, and nothing outside of the n elements may be
# read or written.
#
# Take care of one sign. Python's `%` and C's are the same for numbers that are not
# negative. For others they are not: in Python `-1 % 5` is 4, in C it is -1.

# %%
x, shift = [0, 1, 2, 3, 4], 2
for i in range(5):
    print(f"y[{i}] = x[({i} - {shift}) % 5] = x[{(i - shift) % 5}]")

# %% [markdown] hints="roll"
# <details><summary>Hint 1</summary>
#
# `cuda.grid(1)` is the global index: which expression of the thread's own numbers is it
# in CUDA C? Then write the kernel as if C's `%` were Python's, and see which elements
# are wrong.
#
# </details>
# <details><summary>Hint 2</summary>
#
# In C, `(i - shift) % n` lies between -(n - 1) and n - 1. Where it is negative, add n:
# keep it in an `int`, and write `if (from < 0) from += n;`.
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

# %% [markdown] task="costliest_copy"
# ## The copy that costs most
#
# A copy between host and device takes a while before its first byte arrives, the
# **latency**, and from then on its bytes come at a certain **rate**. So a small array
# that is copied in each round of a loop may cost more than a large one that is copied
# once.
#
# Write `costliest_copy(copies, links)`: the name of the array whose copies take
# longest, all of them together. One copy takes `latency + nbytes / rate` microseconds.

# %%
links = {"to device": (10, 20000), "to host": (10, 10000)}
copies = [("weights", "to device", 4_000_000)]
copies += [("loss", "to host", 4) for step in range(100)]
for name, link, nbytes in copies[:2]:
    latency, rate = links[link]
    print(f"{name}: one copy takes {latency + nbytes / rate:.4f} us")

# %% [markdown] hints="costliest_copy"
# <details><summary>Hint 1</summary>
#
# Keep a dict from each name to its microseconds so far. What does it hold after the
# last copy?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `spent.get(name, 0)` begins each name at 0: add what this copy takes. A dict keeps its
# keys in the order in which they came, and `max(spent, key=spent.get)` takes the first
# of equals. `default=None` is for the list without copies.
#
# </details>


# %% exercise="costliest_copy"
@solves(costliest_copy)
def costliest_copy(copies, links):
    ### BEGIN SOLUTION
    spent = {}
    for name, link, nbytes in copies:
        latency, rate = links[link]
        spent[name] = spent.get(name, 0) + latency + nbytes / rate  #: spent
    return max(spent, key=spent.get, default=None)  #: result
    ### END SOLUTION


# %%
with trying():
    print(costliest_copy(copies, links))

# %% check="costliest_copy"
check(costliest_copy)

# %% [markdown] task="needless_copies"
# ## The copies that one can do without
#
# The cheapest copy is the one that is not made. Here is what a program did, event by
# event:
#
# | number | event | |
# |---|---|---|
# | 0 | `("to device", "x")` | x goes to the device |
# | 1 | `("kernel", ("x",), ("y",))` | a kernel reads x and changes y |
# | 2 | `("to host", "x")` | **needless**: the host has this x already |
# | 3 | `("to host", "y")` | y comes back |
# | 4 | `("host", ("y",), ("x",))` | the CPU reads y and changes x |
# | 5 | `("to device", "x")` | this is another x than that of event 0 |
# | 6 | `("to device", "y")` | **needless**: this y came from there |
#
# Write `needless_copies(events)`: the numbers of all needless copies, here `[2, 6]`. Of
# `"kernel"` and `"host"` the first tuple says what is read, the second what is changed.

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
# Keep a set of the arrays of which both places hold the same. It is empty at first.
# What does a copy do to the set, and what does a kernel?
#
# </details>
# <details><summary>Hint 2</summary>
#
# A copy of x: if x is in the set, the copy is needless; if not, put x in. `"host"` and
# `"kernel"` take the names in `writes` out of it: `equal -= set(writes)`.
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

# %% [markdown] task="read_error"
# ## What an error of CUDA asks of you
#
# CUDA has a number for each of its errors, and words. The runtime has a name for it,
# and so has the driver; libraries print one of the three, somewhere in a longer
# message. `ERRORS` is a list of the commonest. Each has a `.number`, a `.runtime` and a
# `.driver` (the names; `None` where the driver has none) and its `.words`.
#
# Write `read_error(message)`, which finds the error and says what is to be mended:
# `(number, cause)`, or `None` for a message that names none of them.

# %%
for error in ERRORS:
    print(f"{error.number:3} {error.runtime}: {error.words}")

# %% [markdown] hints="read_error"
# <details><summary>Hint 1</summary>
#
# Bring the message to small letters once, by `.lower()`, and each text that you look
# for as well. Skip a name that is `None`.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through `ERRORS`. For each, `any(text and text.lower() in message for text in
# (error.runtime, error.driver, error.words))`. A dict `{35: "driver", 222: "driver",
# ...}` gives the cause of a number.
#
# </details>


# %% exercise="read_error"
@solves(read_error)
def read_error(message):
    ### BEGIN SOLUTION
    #: causes
    causes = {35: "driver", 222: "driver", 100: "device", 209: "build", 9: "launch"}
    #: join_causes
    causes |= {701: "launch", 700: "kernel", 716: "kernel", 719: "kernel", 2: "memory"}
    message = message.lower()  #: message_lower
    for error in ERRORS:
        signs = error.runtime, error.driver, error.words  #: signs
        if any(sign and sign.lower() in message for sign in signs):  #: if_sign
            return error.number, causes[error.number]  #: early_result
    return None  #: result
    ### END SOLUTION


# %%
with trying():
    print(
        read_error("RuntimeError: CUDA error: an illegal memory access was encountered")
    )
    print(read_error("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate"))
    print(read_error("IndexError: index 5 is out of bounds for axis 0 with size 5"))

# %% check="read_error"
check(read_error)

# %% [markdown] task="wheel_for"
# ## Which wheel fits this machine?
#
# A library for the GPU comes in several wheels, each built with its own CUDA: `cu126`,
# `cu128`, `cu130`. Inside are **cubins**, machine code for GPUs of certain compute
# capabilities, and sometimes **PTX**, from which the driver makes machine code when the
# program runs.
#
# Write `wheel_for(driver, capability, wheels)`: the name of the newest wheel that runs.
# The contract has the two rules of lesson 00, with all their conditions. Take care of
# versions: 12.10 is newer than 12.9.

# %%
wheels = {
    "cu126": ((12, 6), [(7, 5), (8, 0)], None),
    "cu130": ((13, 0), [(7, 5), (8, 0)], (9, 0)),
}
print("tuples compare as versions do:", (12, 10) > (12, 9), (13, 0) > (12, 8))

# %% [markdown] hints="wheel_for"
# <details><summary>Hint 1</summary>
#
# Write two conditions, each with a name: does a cubin fit, does the PTX? Then take all
# wheels that run, and of them the one with the highest CUDA.
#
# </details>
# <details><summary>Hint 2</summary>
#
# A cubin fits if `major == capability[0] and minor <= capability[1]` for one of the
# list. PTX fits if `ptx is not None and ptx <= capability and cuda <= driver`: tuples
# compare the first numbers, and the second ones where those are equal. The newest is
# `max(those, key=lambda name: wheels[name][0], default=None)`.
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
# ## What you have built
#
# Functions that pick a launch, find the copies that cost, read errors and choose a
# wheel. Here they look after one program, from the launch to the error.

# %%
with trying():
    blocks, threads = pick_launch(1_000_000, 40, limits)
    print(f"launch {blocks} blocks of {threads} threads")
    print("leave out the copies", needless_copies(events))
    print("reason:", read_error("CUDA_ERROR_NO_BINARY_FOR_GPU"))
    print("take:", wheel_for((12, 8), (8, 6), wheels))

# %% [markdown]
# ## How you were checked
#
# `show_check` shows the check of an exercise: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(roll)

# %% [markdown]
# Lesson 01 opens a launch: which thread does which element.
