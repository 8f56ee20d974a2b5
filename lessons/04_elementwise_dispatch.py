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
# # 04 · Part 2: In which dtype, and by which kernel?
#
# Part 1 was about kernels, but which kernel runs when Python evaluates `x + y`? That
# depends on the dtype in which the sum is computed, and on the device. In this lesson,
# you'll learn PyTorch's rule for the dtype, fill a small registry of kernels, watch
# which kernels minigrad and PyTorch launch, and then turn three launches into one.
#
# This lesson takes about {{duration}}, and builds on part 1. The core path of the
# course leaves this part out.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os

os.environ["KINETO_LOG_LEVEL"] = "6"  # torch.profiler keeps its own messages to itself
import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import Kernel, answers_from, viz
from minigrad.testing import rates

# You'll write some of this in lab 04. Here, the reference solutions stand in.
answers_from("solutions", before="05_reductions")
device = "cuda" if minigrad.gpu_available() else "sim"

# %% [markdown]
# ## Type promotion
#
# A kernel is compiled for certain types, so the dtype has to be known before the kernel
# is chosen. The rule for choosing the dtype is called **type promotion**, and the next
# picture shows it for two tensors. Start at both dtypes and follow the arrows to the
# first dtype that you can reach from both, which is the result.

# %%
viz.promotion()

# %% [markdown]
# **Predict** the results for int32 and int64, uint8 and int8, int64 and float16, and
# float16 and bfloat16.

# %%
for a, b in [
    ("int32", "int64"), ("uint8", "int8"), ("int64", "float16"), ("float16", "bfloat16")
]:  # fmt: skip
    print(f"{a:8} {b:9}", torch.promote_types(getattr(torch, a), getattr(torch, b)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# int32 and int64 become {{=int64|torch.int64}}. uint8 and int8 become
# {{=int16|torch.int16}}, because neither holds all values of the other. float16 and
# bfloat16 become {{=float32|torch.float32}}, because one has more digits and the other
# has a wider range. For int64 and float16, the result is {{=float16|torch.float16}},
# although above 2,048 a float16 can't hold every integer.
#
# </details>

# %% [markdown]
# In PyTorch, integers give way to floats of *any* width, because otherwise, a network
# in half precision would switch to float32 at the first tensor of integers.
#
# In NumPy, int32 and float32 become {{=float64|float64}}, because a float32 can't hold
# every int32. A float64 takes twice the memory and is slow on most GPUs, so PyTorch
# {{=keeps float32|torch.float32}}.

# %%
np.result_type(np.int32, np.float32), torch.promote_types(torch.int32, torch.float32)

# %% [markdown]
# ### Numbers, and tensors without dimensions
#
# If the number 2.5 counted like a float32 tensor, adding it to a float16 tensor would
# give float32, and every network in half precision would become float32 at its first
# constant. So the operands fall into three groups:
#
# 1. tensors with dimensions
# 2. tensors without dimensions, such as `tensor(2.5)` or the sum of a tensor
# 3. Python numbers, where an int counts as int64 and a float as the default dtype,
#    float32
#
# There are also three **kinds** of dtypes, from lowest to highest: bool, integers, and
# floats. (PyTorch has complex numbers as a fourth.) Within a group, the picture
# decides. Between groups, **the highest kind wins. If several groups have that kind,
# the first of them wins.**
#
# | operands | dtypes by group | result |
# |---|---|---|
# | int32 tensor, 2 | 1: int32; 3: int64 | the same kind, so group 1: int32 |
# | int32 tensor, 2.5 | 1: int32; 3: float32 | the higher kind: float32 |
# | float16 tensor, 2.5 | 1: float16; 3: float32 | the same kind, so group 1: float16 |
#
# **Predict** the dtypes for the next three pairs.

# %%
halves = torch.ones(3, dtype=torch.float16)
ints = torch.ones(3, dtype=torch.int32)
double = torch.tensor(1.0, dtype=torch.float64)  # without dimensions
for pair in (halves, double), (ints, double), (halves, double.view(1)):
    print(torch.result_type(*pair))

# %% [markdown]
# <details><summary>Answer</summary>
#
# In the first pair, both are floats, so the tensor with dimensions wins and the result
# is {{=float16|torch.float16}}. In the second pair, the float has the higher kind, so
# it's {{=float64|torch.float64}}. In the last pair, `view(1)` gave the double a
# dimension, so both tensors belong to the first group, and the picture says float64.
#
# </details>

# %% [markdown]
# **Puzzle 1: stay in half precision.** With this factor, the product is float32, which
# takes twice the memory. Change the factor's shape so that the product stays float16.

# %%
factor = torch.tensor([0.1])  # your line

# %%
scaled = halves * factor
print(scaled.dtype, "solved:", scaled.dtype == torch.float16 and scaled.shape == (3,))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Without dimensions, the factor is in the second group, and because both groups have
# the same kind, the first one wins.
#
# ```python
# factor = torch.tensor(0.1)
# ```
#
# The Python number `0.1` would also do.
#
# </details>

# %% [markdown]
# ### Operators with their own rules
#
# `/` and `exp` always return {{=floats|float32 int64 int64 float32}}, and comparisons
# return {{=bool|bool}}.

# %%
x = minigrad.tensor([1, 2, 3])
print((x / 2).dtype, (x // 2).dtype, (x * 2).dtype, x.exp().dtype, (x < 2).dtype)

# %% [markdown]
# So 1 / 2 is 0.5 in a tensor, as in Python, although it would be 0 in a kernel for
# `int`. That's why minigrad's kernels have separate types for loading, computing, and
# storing, and an int is converted to float *before* the division.
#
# Promotion looks at dtypes and never at values. **Predict** the result of 200 + 100, if
# the 200 is in a uint8 tensor, which holds 0 to 255.

# %%
torch.tensor([200], dtype=torch.uint8) + 100

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=44}}, because the sum wraps around at 256, and there's no error.
#
# </details>

# %% [markdown]
# **Puzzle 2: enough room.** Brighten the two pixels by 100, so that the result is 300
# and 110. The pixels themselves stay uint8.

# %%
pixels = minigrad.tensor([200, 10], dtype=minigrad.uint8)
brighter = pixels + 100  # your line

# %%
print(brighter, "solved:", brighter.tolist() == [300, 110])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Convert before you add, because afterward it's too late.
#
# ```python
# brighter = pixels.int() + 100
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 4 (`result_type`).
#
# ## The dispatcher
#
# Now the operator, the device, and the dtype are known. A table called the **registry**
# says which kernel to run for them. Here's a small one, where a dtype of None means
# every dtype.

# %%
registry = {
    ("add", "cpu", None): np.add,
    ("exp", "cuda", "float32"): "a kernel in CUDA C",
}

# %% [markdown]
# The **dispatcher** looks up the kernel in this table, and raises {{=a clear
# error|DispatchError: exp has no kernel}} if there's none. A kernel for another device
# is never an alternative, because the tensor's address means nothing there.

# %%
with trying():
    minigrad.dispatch.find_kernel(registry, "exp", "cpu", "float32")

# %% [markdown]
# **Puzzle 3: register a kernel.** Change the line so that `exp` works on the CPU for
# every dtype. Don't touch the lookup.

# %%
mine = {**registry, ("exp", "cpu", "float64"): np.exp}  # your line

# %%
solved = False
with trying():
    kernel = minigrad.dispatch.find_kernel(mine, "exp", "cpu", "float32")
    solved = kernel is np.exp and ("exp", "cpu", "float32") not in mine
print("solved:", solved)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```python
# mine = {**registry, ("exp", "cpu", None): np.exp}
# ```
#
# If a kernel for float64 is also there, float64 tensors use that one.
#
# </details>

# %% [markdown]
# minigrad's own registry is much larger. With it, `x + y` takes four steps: check the
# devices, promote the dtypes, find the kernel, and run it.

# %%
kernels = minigrad.dispatch.KERNELS
print(len({name for name, _, _ in kernels}), "operators,", len(kernels), "kernels")
x, y = minigrad.ones(3), minigrad.arange(3)
dtype = minigrad.result_type(x, y)
minigrad.dispatch.find_kernel(kernels, "add", x.device, dtype)(x, y)

# %% [markdown]
# Neither minigrad nor PyTorch {{=accepts tensors on two different devices|All tensors
# must be on one device}}, with one exception: a tensor on the CPU *without dimensions*
# {{=may meet a tensor on any device|tensor([3., 3., 3.]}}.

# %%
with trying():
    print(minigrad.tensor(2.0) + minigrad.ones(3, device="sim"))
    print(minigrad.ones(3) + minigrad.ones(3, device="sim"))

# %% [markdown]
# **To the lab**: exercise 5 (`find_kernel`).
#
# ### PyTorch's dispatch keys
#
# PyTorch's operators are in a C++ library called **ATen**. It also has a registry, but
# without dtypes, because each kernel is a C++ function that branches on the dtype
# itself. Instead of a single device, a tensor has {{=several keys|DispatchKeySet(CPU,}}
# at once, its **dispatch keys**.

# %%
print(torch._C._dispatch_keys(torch.ones(3)))
viz.dispatch_keys()

# %% [markdown]
# A call goes to the highest key that has a kernel and is switched on. Autocast, which
# chooses between half precision and float32, is off by default, so the call goes to
# Autograd. Its kernel records the operation if a gradient is needed, excludes its own
# key and ADInplaceOrView, and calls the dispatcher again. The second call reaches the
# **backend**, which computes. You'll build the autograd layer in chapter 08.

# %% [markdown]
# ## Which kernels ran?
#
# `minigrad.trace()` lists every kernel that's launched inside its `with` block.
# (`kernel_variant` chooses among an operator's kernels, and `"fastest"` means
# minigrad's own.)

# %%
x = minigrad.rand(1000, 64).to(device)
y = minigrad.rand(64).to(device)
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    z = (x * y + 1).relu()
launches

# %% [markdown]
# Three operators make three launches, and each line shows the kernel and how many bytes
# it read and wrote. (`add` runs a `unary` kernel, because its second operand is the
# number 1.) `y` is broadcast, so the first kernel is {{=`strided`|mul strided}}, which
# computes offsets as in part 1. The others got {{=contiguous|relu contiguous}} tensors.
#
# Let's compare that with PyTorch. `torch.profiler` lists its operators, and on a GPU
# also its kernels.

# %%
from torch.profiler import ProfilerActivity, profile

where = "cuda" if torch.cuda.is_available() else "cpu"
tx, ty = torch.rand(1000, 64, device=where), torch.rand(64, device=where)
watched = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (where == "cuda")
with profile(activities=watched, acc_events=True) as prof:
    tz = torch.relu(tx * ty + 1)
for event in prof.events():
    if event.name.startswith("aten::") or str(event.device_type).endswith("CUDA"):
        print(event.name[:80])

# %% [markdown]
# `mul`, `add`, and `relu` are the same operators as ours. On a CPU, the four lines
# after `add` convert the number 1 to float32. `relu` calls another operator,
# {{=`clamp_min`|aten::clamp_min}}. On a GPU, three kernels follow. `elementwise_kernel`
# handles broadcasting, and `vectorized_elementwise_kernel` handles contiguous tensors.
#
# Some operators only make a view. **Predict** which operators in the next cell launch a
# kernel.

# %%
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    z = x.T.contiguous().view(-1) > 0.5
launches

# %% [markdown]
# <details><summary>Answer</summary>
#
# `T` and `view` only make a new shape and new strides for the same storage, so they
# launch nothing. `contiguous` {{=copies|copy strided}}, and the comparison is the
# second launch.
#
# </details>

# %% [markdown]
# **Puzzle 4: one launch fewer.** Change the line so that it launches a single kernel.
# `z` must have the same values in the same order.


# %%
def compare(x):
    return x.T.contiguous().view(-1) > 0.5  # your line


# %%
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    again = compare(x)
same = again.shape == z.shape and (again == z).all().item()
print(launches)
print("solved:", len(launches) == 1 and same)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The comparison reads any layout, and its result is a new, contiguous tensor, so a view
# of that result needs no copy.
#
# ```python
# return (x.T > 0.5).view(-1)
# ```
#
# </details>

# %% [markdown]
# ### Kernel variants
#
# An operator's kernels are called its **variants**. The one from the lab is `yours`,
# which in this notebook is the reference solution.

# %%
with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
    z = (x * y).relu()
launches

# %% [markdown]
# Once you've done the lab, minigrad uses your {{=`unary_kernel`|relu yours
# unary_kernel}} and {{=`binary_broadcast`|mul yours binary_broadcast}} wherever they
# fit, and its own kernels for other dtypes.
#
# How much does a variant matter? We measured three on an
# {{relu | PyTorch | GPU}}
# with tensors of 1 GB. `strided` takes any layout, `contiguous` reads element i at
# position i, and `vectors` loads 16 bytes at a time. The rates count the bytes of the
# operands and of the result, each once. PyTorch's plain copy reaches
# {{machine | PyTorch's copy | GB/s}} GB/s,
# which is roughly the limit, although the best `x + y` comes out a little higher.

# %%
unary = {"strided": "unary_s", "contiguous": "unary<float>", "vectors": "unary_v"}
binary = {name: row.replace("unary", "binary") for name, row in unary.items()}
rows = {"strided": "binary_s", "vectors": "binary_r"}
viz.ranking({
    "relu(x)": rates("relu", unary | {"PyTorch": "PyTorch"}),
    "x + y": rates("a + b", binary | {"PyTorch": "PyTorch"}),
    "matrix + row": rates("mat", rows | {"PyTorch": "PyTorch"}),
})  # fmt: skip

# %% [markdown]
# For `x + y`, `contiguous` gains little over `strided`, because minigrad merges the
# dimensions of contiguous tensors into one first. For the matrix plus a row, two
# dimensions remain, and the rate of `strided` drops from {{a + b | binary_s}} to
# {{mat | binary_s}} GB/s.
#
# `vectors` gains more, because each thread asks for four floats at once instead of one.
# So four times as many bytes are in flight while a warp waits, which is what it takes
# to keep this memory busy.
#
# ## Fusing by hand
#
# In `z = sqrt(x * y + 1)`, where x, y, and z have the same size, each kernel reads what
# the one before it wrote.

# %%
viz.fusion()

# %% [markdown]
# These kernels are limited by memory, not by arithmetic. The
# {{relu | PyTorch | GPU}}
# copies {{machine | PyTorch's copy | GB/s}} billion bytes per second. In a matrix
# product, though, it does {{a @ b, 4,096 | PyTorch}} trillion operations per second,
# or dozens in the time it takes to move one float. So the only way to be faster is to
# move less.
#
# **Predict** how many bytes the three kernels move for our x with 64,000 floats and y
# with 64, which is broadcast. A float has 4 bytes.
#
# <details><summary>Answer</summary>
#
# Reading y moves 256 bytes, and the kernels also read or write 256,000 bytes six times,
# so it's {{=1,536,256|1,536,256}} bytes.
#
# </details>

# %%
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    z = (x * y + 1).sqrt()
print(f"{sum(launch.bytes for launch in launches):,} bytes,", len(launches), "launches")

# %% [markdown]
# **Puzzle 5: fuse.** This kernel only multiplies, so change the line to compute all of
# `sqrt(x * y + 1)`. It reads x and y once and writes z once, so it moves a third of the
# bytes (y is small).

# %%
fused = """
__global__ void fused(const float* x, const float* y, float* z, int n, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float product = x[i] * y[i % columns];
    z[i] = product;  // your line
}
"""

# %%
together, n = x.new_empty(x.shape), x.numel()
arrays = [tensor.storage.data for tensor in (x, y, together)]
Kernel(fused, "fused", ("--fmad=true",))(n // 256, 256, (*arrays, n, 64))
error = (together - z).abs().amax().item()
print("largest difference:", error, "solved:", error < 1e-6)

# %% [markdown]
# <details><summary>Answer</summary>
#
# ```c
# z[i] = sqrt(product + 1);
# ```
#
# </details>

# %% [markdown]
# With the right line, the largest difference is about 10⁻⁷ instead of 0. The compiler
# turns `x[i] * y[i % columns] + 1` into a single **fused multiply-add**, which rounds
# once, whereas two kernels round twice. (The simulator does that only if you pass
# `--fmad=true`.) Both results are correct, and the fused one is a little more accurate.
#
# `torch.compile` fuses kernels for you by recording an expression and writing one
# kernel for as much of it as possible.
#
# ## Where PyTorch keeps this
#
# | here | PyTorch |
# |---|---|
# | `result_type` | `aten/src/ATen/native/TypeProperties.cpp` |
# | `promote_types` | `c10/core/ScalarType.cpp` |
# | the list of operators | `aten/src/ATen/native/native_functions.yaml` |
# | the registry | `aten/src/ATen/core/dispatch/Dispatcher.h` |
# | same device, same dtype | `aten/src/ATen/TensorIterator.cpp` |
#
# ## Before you go: three questions
#
# 1. Which dtype does `x * 0.5` have if x is an int64 tensor? If it's a bfloat16 tensor?
# 2. Why doesn't a dispatcher copy a tensor to the CPU and back if only the CPU has a
#    kernel?
# 3. How many tensors of x's size does `((x + 1) * 2).exp()` read or write, with three
#    kernels and with a single one?
#
# <details><summary>Answers</summary>
#
# 1. float32 and bfloat16.
# 2. It would be correct, but so slow that the decision should be yours.
# 3. Six and two.
#
# </details>

# %% [markdown]
# Now finish **lab 04**, whose last exercise is a test for other people's kernels.
# Afterward, to run both parts of this lesson on your own code, replace `"solutions"`
# with `"labs"` in their set-up cells, and then choose **Kernel > Restart Kernel and Run
# All Cells**.
#
# Further reading: E. Yang, *Let's talk about the PyTorch dispatcher* (2020); J. Ansel
# et al., *PyTorch 2* (2024), about fusion by a compiler.
