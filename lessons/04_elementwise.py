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
# # 04 · One kernel for any layout
#
# `(x * y + 1).relu()` is a line of Python, and three kernels. This lesson is about what
# happens in between: one kernel body does every operation of this kind, on tensors of
# any layout; a table says in which dtype; and a **dispatcher** finds the kernel, by
# operator, device and dtype. PyTorch does it in the same way, and at the end the two
# lists of what was run stand side by side.
#
# At the end you can write a kernel that reads any layout, say in which dtype and by
# which kernel an expression is computed, and join several kernels into one. It takes
# about {{duration}}, and builds on chapters 01 and 03. Run each cell as you come to
# it; where you are asked to predict, write your guess down first. Lab 04 is where you
# write all this yourself: the lesson says when to go there.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os

os.environ["KINETO_LOG_LEVEL"] = "6"  # torch.profiler keeps its own messages to itself
import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import Kernel, answers_from, to_device, to_host, viz
from minigrad.kernels.copy import Strides
from minigrad.layout import broadcast_shapes
from minigrad.testing import rates
from minigrad.viz import strides

# Lab 04 has exercises for you. In this lesson the course's solutions answer them.
answers_from("solutions", before="05_reductions")

# %% [markdown]
# Where will kernels run on this machine?

# %%
device = "cuda" if minigrad.gpu_available() else "sim"
device

# %% [markdown]
# A tensor on "sim" lies in the simulator's memory, one on "cuda" in the GPU's, and one
# on "cpu" is NumPy's business.
#
# ## The picture
#
# An operation is **elementwise** if element i of the result depends on element i of the
# operands, and on nothing else: `exp`, `relu`, `+`, `*`, `<`, `where`. No thread needs
# to know what another one does, so these are the simplest kernels there are. What makes
# them interesting is the question of chapter 03: **where is element i?**

# %%
x = minigrad.arange(6, dtype=minigrad.float32).view(2, 3)
strides(x.T, name="x.T")

# %% [markdown]
# Element 1 of `x.T`, counted row by row, is a 3, and lies in cell {{=3}}. If a kernel
# is to double this tensor, thread 1 must read cell 3.
#
# ## First in Python
#
# The rule is that of chapter 03: take i apart into an index for each dimension, the
# last one first, and add up index times stride.


# %%
def cell_of(i, shape, strides):
    cell = 0
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        i, index = divmod(i, size)
        cell += index * stride
    return cell


# %%
[cell_of(i, (3, 2), (1, 3)) for i in range(6)]

# %% [markdown]
# Now a kernel that does any operation on a view of any kind. It reads by `cell_of`, and
# writes row by row: the result is a new tensor, and new tensors are contiguous.


# %%
def unary(i, op, x, shape, strides, y):
    y[i] = op(x[cell_of(i, shape, strides)])


# %%
y = [None] * 6
for i in range(6):  # six threads
    unary(i, lambda v: 10 * v, [0, 1, 2, 3, 4, 5], (3, 2), (1, 3), y)
y

# %% [markdown]
# The operation is an argument here. So is the layout: {{=a row that is repeated|[0, 10,
# 20, 0, 10, 20]}}, or every second element, takes other numbers and no other kernel.

# %%
y = [None] * 6
for i in range(6):
    unary(i, lambda v: 10 * v, [0, 1, 2], (2, 3), (0, 1), y)
y

# %% [markdown]
# ## The same in CUDA C
#
# Three things are new. The view comes as a **struct**, a few values under one name. A
# function that a kernel calls is marked `__device__`. And `const Strides& view` hands
# it over as it is, without a copy.

# %%
offset_of = r"""
struct Strides { int dims; long long shape[8]; long long stride[8]; };

__device__ long long offset_of(int i, const Strides& view) {
    long long offset = 0, rest = i;
    for (int d = view.dims - 1; d >= 0; d--) {
        offset += rest % view.shape[d] * view.stride[d];
        rest /= view.shape[d];
    }
    return offset;
}
"""

# %% [markdown]
# `long long` is a whole number of 64 bits. There is no `divmod` in C: `%` is the
# remainder, and `/=` divides. Eight dimensions are the most, because a struct has a
# fixed size.
#
# The kernel itself is two lines. `T` and `OP` are not CUDA C: they are names that are
# replaced by others before the compiler looks at the text.

# %%
unary_source = (
    offset_of
    + r"""
__global__ void unary(const T* x, Strides view, T* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = OP(x[offset_of(i, view)]);
}
"""
)

# %% [markdown]
# What replaces them is said when the text is compiled: `-D` defines a name, as
# `#define T float` would in the first line of the text.

# %%
square_root = Kernel(unary_source, "unary", ("-DT=float", "-DOP=sqrt"))
square_root

# %% [markdown]
# `Strides(shape, strides)` makes the struct, and the array is the tensor's storage,
# from its first element on.


# %%
def memory(x):
    return x.storage.data[x.offset :]


# %%
x = minigrad.arange(6, dtype=minigrad.float32).view(2, 3).to(device)
y = to_device(np.zeros((3, 2), np.float32))
square_root(1, 32, (memory(x.T), Strides(x.T.shape, x.T.strides), y, 6))
to_host(y)

# %% [markdown]
# Nothing was transposed, and nothing was copied before. The same text with other names
# in it is another operation, or another type.

# %%
y = to_device(np.zeros(6, np.float32))
for op in "exp", "fabs", "floor", "-":
    kernel = Kernel(unary_source, "unary", ("-DT=float", f"-DOP={op}"))
    kernel(1, 32, (memory(x), Strides((6,), (1,)), y, 6))
    print(op, to_host(y))

# %% [markdown]
# And a function that launches it on any tensor: the whole of a unary operator, but for
# the choice of the kernel.


# %%
def run_unary(op, x, source=unary_source):
    kernel = Kernel(source, "unary", ("-DT=float", f"-DOP={op}"))
    y, n = x.new_empty(x.shape), x.numel()
    args = memory(x), Strides(x.shape, x.strides), memory(y), n
    kernel(-(-n // 256), 256, args)
    return y


# %% [markdown]
# **Predict** the shape and the values of each before you run it.

# %%
run_unary("-", x[:, ::2])

# %%
run_unary("-", x[1].expand(2, 3))

# %%
run_unary("-", x[1, 2])

# %% [markdown]
# The last one has {{=no dimensions|tensor(-5.,}}: the loop of `offset_of` does nothing,
# the offset is 0, and there is one element.
#
# ### Break it: ignore the strides
#
# What if the kernel reads `x[i]`?

# %%
flat = unary_source.replace("x[offset_of(i, view)]", "x[i]")
run_unary("-", x.T, flat)

# %% [markdown]
# The shape is right and the values are
# {{=in the wrong order|[-0., -1.]}}. With a contiguous tensor
# nothing would have been seen: **test with a transposed one**, and never with a square
# or a constant one.
#
# ### What it costs
#
# A division for each dimension, and reads that may lie far apart. Chapter 02 counted
# **sectors**, pieces of 32 bytes that the memory delivers. Here the simulator counts
# them for a matrix of 64 × 64 and for its transpose.

# %%
big = minigrad.rand(64, 64).to("sim")
for view in big, big.T:
    y = np.zeros(view.shape, np.float32)
    args = memory(view), Strides(view.shape, view.strides), y, 4096
    print(square_root.check(16, 256, args).counts["sectors"], "sectors")

# %% [markdown]
# {{=1024}} sectors: 512 are read and 512 written. Transposed {{=4608}}: as many are
# written, and eight times as many read, for each thread of a warp fetches a sector of
# its own. This is why libraries have a second kernel for contiguous tensors, and a
# third that moves 16 bytes at a time.
#
# ## NaN
#
# **NaN**, "not a number", is what 0 / 0 gives, or ∞ − ∞. It spreads through everything
# that is computed with it, and that is its use: one sees at the end that something went
# wrong. So an operation must not lose it.

# %%
nan = torch.tensor(float("nan"))
print(nan + 1, nan * 0, torch.relu(nan), torch.maximum(nan, torch.tensor(5.0)))

# %% [markdown]
# Every comparison with NaN is {{=false|tensor(False), tensor(False)}}, but
# {{=`!=`|tensor(True)}}.
# NaN is not equal to itself either, and this is how one asks for it: `x != x`.

# %%
nan < 0, nan > 0, nan == nan, nan != nan

# %% [markdown]
# Now three versions of relu. **Predict** what each makes of NaN.

# %%
functions = r"""
__device__ float relu_a(float x) { return x > 0 ? x : 0; }
__device__ float relu_b(float x) { return x < 0 ? 0 : x; }
__device__ float relu_c(float x) { return fmax(x, 0.0f); }
"""
odd = minigrad.tensor([-2.0, 3.0, float("nan"), -float("inf")]).to(device)
for op in "relu_a", "relu_b", "relu_c":
    print(op, run_unary(op, odd, functions + unary_source))

# %% [markdown]
# `condition ? one : other` takes the second way where the condition is false, so with
# NaN always. In `relu_a` that way is 0, and {{=the NaN is gone|relu_a tensor([0., 3.,
# 0., 0.]}}: the network would go on training, on garbage. `fmax` {{=loses it|relu_c
# tensor([0., 3., 0., 0.]}}, too, by its definition.
#
# **Infinities** come out of what is too large: float32 ends at 3.4 · 10³⁸, and exp(89)
# lies above it.

# %%
functions = r"""
__device__ float sigmoid_a(float x) { return exp(x) / (1 + exp(x)); }
__device__ float sigmoid_b(float x) { return 1 / (1 + exp(-x)); }
"""
far = minigrad.tensor([-100.0, -1.0, 0.0, 1.0, 100.0]).to(device)
for op in "sigmoid_a", "sigmoid_b":
    print(op, run_unary(op, far, functions + unary_source))

# %% [markdown]
# On paper they are the same function. At 100 the first is {{=∞ / ∞|nan]}}, and the
# second {{=1 / 1|1.0000]}}. Test with large numbers, too, and with both signs.
#
# **To the lab**: exercise 1 (`unary_kernel`).
#
# ## Two tensors
#
# A column and a row, added: chapter 03 expands both to the common shape, by strides of
# 0.

# %%
a = minigrad.tensor([[10.0], [20.0], [30.0]])
b = minigrad.tensor([1.0, 2.0, 3.0, 4.0])
strides(a.expand(3, 4), base=a, name="a.expand(3, 4)", base_name="a")

# %%
strides(b.expand(3, 4), base=b, name="b.expand(3, 4)", base_name="b")

# %% [markdown]
# A kernel for two operands has two views. It does not know that there is such a thing
# as broadcasting.

# %%
binary_source = (
    offset_of
    + r"""
__device__ float add(float a, float b) { return a + b; }
__device__ float sub(float a, float b) { return a - b; }

__global__ void binary(const float* a, Strides a_view,
                       const float* b, Strides b_view, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = OP(a[offset_of(i, a_view)], b[offset_of(i, b_view)]);
}
"""
)

# %% [markdown]
# The operator around it: find the common shape, expand, launch.


# %%
def run_binary(op, a, b, source=binary_source, *options):
    shape = broadcast_shapes(a.shape, b.shape)
    y, views = a.new_empty(shape), []
    for x in a.expand(shape), b.expand(shape):
        views += [memory(x), Strides(shape, x.strides)]
    kernel, n = Kernel(source, "binary", (f"-DOP={op}", *options)), y.numel()
    kernel(-(-n // 256), 256, (*views, memory(y), n))
    return y


# %%
a, b = a.to(device), b.to(device)
run_binary("sub", a, b)

# %% [markdown]
# Three and four numbers were read, and twelve written. Let the threads say which cell
# they read: a kernel can print.

# %%
talking = binary_source.replace(
    "if (i < n)",
    r'if (i < n) printf("i = %d: a[%d], b[%d]\n", i, '
    "(int)offset_of(i, a_view), (int)offset_of(i, b_view));\n    if (i < n)",
)
run_binary("sub", a[:2], b[:3], talking)
minigrad.synchronize()

# %% [markdown]
# Threads 0, 1 and 2 all read `a[0]`: the stride of 0 at work.
# (On a GPU a warp that reads one cell costs one access.) A number beside a tensor is
# the same with strides of 0 everywhere.

# %%
run_binary("add", a, minigrad.tensor(0.5).to(device))

# %% [markdown]
# ### Break it: a stride of 0 ignored
#
# With `b[i]` in the place of b's view. **Predict** what the tools say.

# %%
broken = Kernel(
    binary_source.replace("b[offset_of(i, b_view)]", "b[i]"), "binary", ("-DOP=sub",)
)
rows, y = [np.arange(n, dtype=np.float32) for n in (3, 4)], np.zeros((3, 4), np.float32)
column, row = Strides((3, 4), (1, 0)), Strides((3, 4), (0, 1))
print(broken.check(1, 32, (rows[0], column, rows[1], row, y, 12)))

# %% [markdown]
# An expanded tensor has twelve elements and four cells. A kernel that believes its
# shape and not its strides {{=reads past its end|out-of-bounds}}.
#
# ### The order of operands
#
# `a - b` is not `b - a`, and with NaN even a maximum must be written with care. Here is
# one that is {{=right for a NaN in either|tensor([2., nan, nan]}}: `a > b` and `a != a`
# are both false only if b is at least as large, or is NaN.

# %%
larger = r"""
__device__ float larger(float a, float b) { return a > b || a != a ? a : b; }
"""
p = minigrad.tensor([1.0, float("nan"), 5.0]).to(device)
q = minigrad.tensor([2.0, 2.0, float("nan")]).to(device)
run_binary("larger", p, q, larger + binary_source)

# %% [markdown]
# **To the lab**: exercise 2 (`binary_broadcast`).
#
# ## Comparing and choosing
#
# A comparison is elementwise, too; its result has another dtype, {{=bool|tensor([False,
# True, False])}}.

# %%
x = minigrad.tensor([1.0, 5.0, float("nan")])
x > 2, x == x

# %% [markdown]
# `where(condition, p, q)` chooses. It is an operator with three operands, all of them
# broadcast.

# %%
minigrad.where(x > 2, x, 0.0)

# %% [markdown]
# The opposite of `<` is not `>=`. With numbers it is; with NaN {{=neither
# holds|(tensor(True), tensor(False))}}.

# %%
~(torch.tensor(torch.nan) < 2), torch.tensor(torch.nan) >= 2

# %% [markdown]
# ### Break it: choose by arithmetic
#
# `c * p + (1 - c) * q` looks like a `where` without an `if`. **Predict** what it gives
# where q is infinite and c is 1.

# %%
c, p = torch.tensor([1.0, 0.0]), torch.tensor([7.0, 8.0])
q = torch.tensor([torch.inf, 9.0])
c * p + (1 - c) * q, torch.where(c == 1, p, q)

# %% [markdown]
# 0 · ∞ is {{=NaN}}. What is not chosen must not be computed with. (Does an `if` not
# make the threads of a warp wait for each other? For a choice like this the compiler
# makes one instruction that selects, and no thread waits.)
#
# **To the lab**: exercise 3 (`where_compare`).
#
# ## In which dtype?
#
# A kernel is compiled for certain types. So before one is chosen it must be decided in
# which dtype `x + y` is computed. **Predict** these four.

# %%
ints = torch.ones(3, dtype=torch.int32)
halves = torch.ones(3, dtype=torch.float16)
(ints + halves).dtype, (ints + 2).dtype, (ints + 2.5).dtype, (halves + 2.5).dtype

# %% [markdown]
# This is **type promotion**, and not a matter of taste: there is a table, and a rule
# that writes it. First the table, for two tensors with dimensions.

# %%
whole, floats = ["uint8", "int8", "int32", "int64"], ["float16", "bfloat16"]
names = ["bool", *whole, *floats, "float32", "float64"]
print(f"{'':9}", *(f"{name:>8}" for name in names))
for a in names:
    row = [torch.promote_types(getattr(torch, a), getattr(torch, b)) for b in names]
    print(f"{a:9}", *(f"{str(dtype)[6:]:>8}" for dtype in row))

# %% [markdown]
# Read off it:
#
# - bool gives way to everything, and whole numbers give way to floats of **any** width:
#   int64 with float16 is {{=float16|int64 int64 int64 int64 int64 int64 float16}},
#   although a float16 holds whole numbers to 2048 only.
# - Of two of a kind the wider one wins.
# - Two pairs fit into neither: uint8 with int8 needs {{=int16|uint8 uint8 uint8
#   int16}}, and float16 with bfloat16 needs {{=float32|float16 float32 float32
#   float64}}.
#
# minigrad's `promote_types` is the same.

# %%
minigrad.promote_types(minigrad.uint8, minigrad.int8)

# %% [markdown]
# NumPy has another table: there int32 and float32 make {{=float64|(dtype('float64'),
# torch.float32)}}, because float32 does not hold every int32. Networks want their
# float32 back, and PyTorch gives it to them.

# %%
np.result_type(np.int32, np.float32), torch.promote_types(torch.int32, torch.float32)

# %% [markdown]
# ### Numbers, and tensors without dimensions
#
# If a 2.5 were a float32 like any other, `halves + 2.5` would be float32, and every
# network in half precision would fall back to float32 at its first constant. So there
# are three groups of operands, in this order:
#
# 1. tensors with dimensions,
# 2. tensors without (`tensor(2.5)`, or a sum),
# 3. Python's numbers: bool is bool, int is int64, float is the default dtype, float32
#    (in PyTorch, `torch.set_default_dtype` can change it).
#
# and three kinds: bool, whole numbers, floats. (PyTorch has a fourth, complex numbers,
# which minigrad leaves out.) Within a group the table decides.
# Between the groups: **the highest kind wins, and of groups of the same kind the first
# one.**
#
# | operands | groups | result |
# |---|---|---|
# | int32 tensor, 2 | int32; int64 | both whole: the first, int32 |
# | int32 tensor, 2.5 | int32; float32 | the higher kind: float32 |
# | float16 tensor, 2.5 | float16; float32 | both floats: float16 |
# | bool tensor, 1 | bool; int64 | the higher kind: int64 |
#
# **Predict** the next three.

# %%
double = torch.tensor(1.0, dtype=torch.float64)  # without dimensions
for pair in (halves, double), (ints, double), (halves[:1], double.view(1)):
    print(torch.result_type(*pair))

# %% [markdown]
# The last is {{=float64|torch.float64 torch.float64}}: `view(1)` has given the double a
# dimension, and a group of its own no more.

# %%
x, y = minigrad.ones(3, dtype=minigrad.int32), minigrad.tensor(2.5)
minigrad.result_type(x, y), minigrad.result_type(x, True), minigrad.result_type(1, 2.5)

# %% [markdown]
# ### Rules of single operators
#
# The table says in which dtype one computes; some operators have their own word in it.
# `/` and `exp` make {{=floats|(dtype('float32'), dtype('int64'), dtype('int64'),
# dtype('float32')}} of whole numbers, and comparisons give {{=bool|dtype('bool')}}.

# %%
x = minigrad.tensor([1, 2, 3])
(x / 2).dtype, (x // 2).dtype, (x * 2).dtype, x.exp().dtype, (x < 2).dtype

# %% [markdown]
# So 1 / 2 is 0.5 in a tensor, as in Python, while in a kernel of `int` it is 0: the
# elements must be turned into float **before** the division. A loaded element is
# converted, the operation is done, the result is converted once more: that is why the
# library's kernels have three types, `unary<X, Y, M>`.
#
# ### Break it: too narrow
#
# Promotion looks at dtypes and never at values. **Predict**:

# %%
torch.tensor([200], dtype=torch.uint8) + 100

# %%
torch.tensor([60000.0], dtype=torch.float16) * 2

# %% [markdown]
# The first wraps around at 256, to {{=44}}, without a word; the second is
# {{=infinite|inf}}. If you want more room, say so before: `x.int() + 100`.
#
# **To the lab**: exercise 4 (`result_type`).
#
# ## The dispatcher
#
# Now operator, device and dtype are known, and the kernel is looked up: in one table,
# the **registry**. Here is a small one.


# %%
def add_numpy(x, y):
    return np.add(x, y)


registry = {
    ("add", "cpu", None): add_numpy,  # None: for every dtype
    ("add", "cuda", "float32"): "binary<float>",
    ("exp", "cuda", "float32"): "unary<float>",
}

# %% [markdown]
# To dispatch means to ask it with three names.

# %%
minigrad.dispatch.find_kernel(registry, "add", "cuda", "float32")

# %% [markdown]
# What is not there must be {{=an error|DispatchError: exp has no kernel}}, and a clear
# one. Not a slow way round, and above all no kernel of another device: its addresses
# mean nothing there.

# %%
with trying():
    print(minigrad.dispatch.find_kernel(registry, "exp", "cpu", "float32"))

# %% [markdown]
# minigrad's own registry has many more lines. Each line of
# `minigrad/ops/pointwise.py` writes some: one for each device and each dtype.

# %%
kernels = minigrad.dispatch.KERNELS
operators = {operator for operator, _, _ in kernels}
print(len(operators), "operators,", len(kernels), "kernels")

# %%
for (operator, where, dtype), kernel in kernels.items():
    if operator == "add" and dtype == minigrad.float32:
        print(operator, where, dtype, type(kernel).__name__)

# %% [markdown]
# `x + y` is then four steps: look at the operands, promote, find the kernel, run it.

# %%
x, y = minigrad.ones(3), minigrad.arange(3)
dtype = minigrad.result_type(x, y)
kernel = minigrad.dispatch.find_kernel(kernels, "add", x.device, dtype)
kernel(x, y)

# %% [markdown]
# ### As PyTorch does it
#
# PyTorch's operators live in a library called **ATen**. Each is an entry of a file
# (`aten/src/ATen/native/native_functions.yaml`), which names its kernels for the
# **dispatch keys** CPU, CUDA and others. Many are made by machine: those for Meta,
# which finds shapes without computing, and those for Autograd, from the formulas of
# `tools/autograd/derivatives.yaml`. One can ask which there are.

# %%
for key in "CPU", "CUDA", "Meta", "Autograd":
    has = torch._C._dispatch_has_kernel_for_dispatch_key("aten::add.Tensor", key)
    print(f"{key:9} {has}")

# %% [markdown]
# (CUDA is there if your PyTorch was built with it.) Two things are different from ours.
# The key has no dtype: each of these functions chooses by dtype inside, with a C++
# macro, and so compiles one kernel body for a dozen types. And keys come in layers. A
# tensor has {{=several at once|DispatchKeySet(CPU,}}:

# %%
torch._C._dispatch_keys(torch.ones(3))

# %% [markdown]
# The call goes to the highest that is switched on. (Autocast, for mixed precision, is
# off by default.) That is Autograd, whether or not a gradient is required: its kernel
# looks at `requires_grad`, notes the operation if it is needed, and calls the
# dispatcher again for the next key; at the end the kernel of the **backend** runs, CPU
# or CUDA: the one that really computes. Chapter 08 builds such a layer.
#
# A sparse tensor, one that stores only what is not 0, has a dispatch key of its own,
# and not every operator has a kernel for it. Read the first line of the error:
# operator, backend, and what there is instead.

# %%
try:
    torch.ones(3).to_sparse().exp()
except NotImplementedError as error:
    first, _, others = str(error).partition(". ")
    there = others[others.index("'aten::exp' is only") :][:92].rpartition(",")[0]
    print(first, there, sep="\n... ", end=", ...\n")

# %% [markdown]
# Tensors of two devices in one expression are {{=refused|All tensors must be on one
# device}}, in both libraries. (minigrad looks before it chooses a kernel. PyTorch
# chooses the kernel of CUDA first, and `TensorIterator`, which prepares its loop,
# refuses.) With one exception, again in both: a tensor of the CPU **without
# dimensions** is taken {{=as a number|tensor([3., 3., 3.]}}.

# %%
with trying():
    print(minigrad.tensor(2.0) + minigrad.ones(3, device="sim"))
    print(minigrad.ones(3) + minigrad.ones(3, device="sim"))

# %% [markdown]
# **To the lab**: exercise 5 (`find_kernel`).
#
# ## Which kernels ran?
#
# `minigrad.trace()` lists every kernel that was launched while it was open.
# (`kernel_variant("fastest")` keeps to the library's own kernels. More of that below.)

# %%
x = minigrad.rand(1000, 64).to(device)
y = minigrad.rand(64).to(device)
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    z = (x * y + 1).relu()
launches

# %% [markdown]
# Three operators, three launches. Each line says which kernel of the operator's it was,
# how many blocks of how many threads, how many bytes of tensors it read and wrote, and
# on a GPU how long it took. (The simulator's time says nothing about a GPU, so there is
# none.)
#
# `y` was broadcast, so the first kernel is {{=`strided`|mul strided}}, the one with
# `offset_of`. The others met {{=contiguous|relu contiguous}} tensors and needed no
# division.
#
# The same expression in PyTorch, watched by `torch.profiler`: the operators, and where
# PyTorch has a GPU, the kernels.

# %%
from torch.profiler import ProfilerActivity, profile

where = "cuda" if torch.cuda.is_available() else "cpu"
tx, ty = torch.rand(1000, 64, device=where), torch.rand(64, device=where)
watched = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (where == "cuda")
with profile(activities=watched, acc_events=True) as prof:
    tz = torch.relu(tx * ty + 1)

# %% [markdown]
# Both lists, side by side.

# %%
from itertools import zip_longest

ours = [f"{launch.operator}: {launch.kernel}" for launch in launches]
theirs = [
    event.name
    for event in prof.events()
    if event.name.startswith("aten::") or str(event.device_type).endswith("CUDA")
]
for left, right in zip_longest(["minigrad", *ours], ["PyTorch", *theirs], fillvalue=""):
    print(f"{left:52}{right[:60]}")

# %% [markdown]
# The names with `aten::` are operators: `mul`, `add` and `relu`, as ours. An operator
# may call others, and these are listed, too: `relu` asks
# {{=`clamp_min`|aten::clamp_min}} to do it, and a number beside a tensor may first be
# made a tensor (`aten::to`). Without a GPU there is nothing more to list:
# PyTorch's loops for the CPU have no names there. On a GPU three kernels follow, one
# for each of our launches: `elementwise_kernel` for the one that broadcasts,
# `vectorized_elementwise_kernel` for contiguous tensors, each with its operation in
# `<...>`, a **template argument**: put in by the compiler, as our `OP` is.
#
# **Predict** the list for this expression. Which operators launch a kernel, and which
# only make a view?

# %%
with minigrad.trace() as launches:
    z = x.T[:2].contiguous().view(-1) > 0.5
launches

# %% [markdown]
# `T`, `[:2]` and `view` change three numbers, and launch nothing. `contiguous`
# {{=copies|copy strided}}, and its kernel is exercise 10 of lab 03.
#
# ### Kernel variants
#
# An operator has several kernels, from the plainest to the fastest: its **variants**.
# Which one runs depends on the operands, and on you: if you have written one of them,
# yours runs. In this notebook the reference solutions stand in, and they don't count as
# yours, but you can ask for a variant by its name.

# %%
with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
    z = (x * y).relu()
launches

# %% [markdown]
# {{=`unary_kernel`|relu yours unary_kernel}} and {{=`binary_broadcast`|mul yours
# binary_broadcast}} are the exercises of lab 04. They read tensors of one type, and
# results of the same type; for everything else the library's own kernels run. With
# `"labs"` in the set-up cell this is your code, and it runs by itself. Then
# `kernel_variant("fastest")` brings the library's kernels back, to compare the two.
#
# {{=The values are the same|True}}, from whatever variant: one multiplication is one
# multiplication.

# %%
with minigrad.kernel_variant("yours"):
    mine = (x * y).relu()
(mine == (x * y).relu()).all()

# %% [markdown]
# What does a variant gain? Here they are on one {{relu | PyTorch | GPU}}
# (`docs/benchmarks/kernels.md`): 268 million floats, 1 GB a tensor. GB/s of what must
# move, each float once. PyTorch's copy moves {{machine | PyTorch's copy | GB/s}} there.
# That is about the roof: one operation to eight or twelve bytes is far too little
# arithmetic to matter. (`x + y` comes a little higher than the copy, since it reads two
# floats for each that it writes, and memory is slowed down by changing from reads to
# writes.)
#
# **Predict** which variants gain, and where.

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
# (`strided` takes any layout; `contiguous` reads element i at i; `vectors` loads 16
# bytes at a time.)
#
# The first surprise: without divisions by the sizes almost nothing is gained, since a
# contiguous tensor is joined to one dimension anyway. Two dimensions that cannot be
# joined, as in the last column, leave {{mat | binary_s}} GB/s of {{a + b | binary_s}}.
# The second: with four floats a load the same loop reaches {{relu | unary_v}} instead
# of {{relu | unary<float>}}. A warp that waits for memory does nothing else; with 16
# bytes a thread each wait brings four times as much, and only then are enough bytes
# under way to keep this memory busy.
#
# ## Fusing by hand
#
# Look at the bytes of `(x * y + 1).relu()` once more. Each launch reads what the one
# before it has written.

# %%
with minigrad.trace() as launches:
    z = (x * y + 1).relu()
print(sum(launch.bytes for launch in launches), "bytes in", len(launches), "launches")

# %% [markdown]
# An elementwise kernel is limited by the memory and not by arithmetic: that GPU moves
# {{machine | PyTorch's copy | GB/s}} · 10⁹ bytes a second and multiplies matrices at
# {{a @ b, 4,096 | PyTorch}} · 10¹² operations, some dozens for each float that it
# moves. So the way to make this faster is to move less. One kernel that does all three
# reads x and y once and writes z once.

# %%
fused = r"""
__device__ float fused(float a, float b) {
    float v = a * b + 1;
    return v < 0 ? 0 : v;
}
"""
together = run_binary("fused", x, y, fused + binary_source, "--fmad=true")
4 * (x.numel() + y.numel() + together.numel()), "bytes"

# %% [markdown]
# {{=A third|(512256, 'bytes')}}, in one launch. Is the result the same?

# %%
(together - z).abs().amax(), bool((together == z).all())

# %% [markdown]
# {{=Nearly|False}}: on a GPU `a * b + 1` in one expression is one instruction that
# rounds once, a **fused multiply-add**, where two kernels round twice. (The simulator
# does so, too, if given `--fmad=true`.) Both are right; the fused one is a little
# nearer to the truth.
#
# This is what `torch.compile` does for a living: it watches an expression, writes one
# kernel for what can stand in one, and compiles it. And it is why a library like this
# one has more than single operators: `gelu`, `layer_norm` and `softmax` are kernels of
# their own.
#
# ## What PyTorch does
#
# The source of what you have seen, if you want to read on (`ATen` lies in `aten/src`):
#
# | here | PyTorch |
# |---|---|
# | `offset_of`, `Strides` | `ATen/cuda/detail/OffsetCalculator.cuh` |
# | a kernel with `OP` | `gpu_kernel(iter, lambda)`, `ATen/native/cuda/Loops.cuh` |
# | `expand`, shape, dtype | `TensorIterator`, `ATen/TensorIterator.cpp` |
# | dimensions that are joined | `TensorIterator::coalesce_dimensions` |
# | `result_type` | `ATen/native/TypeProperties.cpp`, `c10/core/ScalarType.cpp` |
# | the registry | `native_functions.yaml`, `ATen/core/dispatch/Dispatcher.h` |
#
# PyTorch's loops pass the operation as a C++ lambda where we pass a name; the compiler
# puts it into the body in the same way. Its `OffsetCalculator` divides by multiplying
# with a number that was computed beforehand, since a GPU has no instruction that
# divides whole numbers.
#
# **Joining dimensions** is worth a look. A contiguous tensor of shape `(2, 3, 4)` is
# one run of 24 elements, so {{=a single dimension|-> (24,) (1,)}} will do, and two
# divisions fewer.

# %%
from minigrad.launch import coalesce_dims

cube = minigrad.ones(2, 3, 4)
for v in cube, cube[:, :, ::2], cube[0].T:
    print(v.shape, v.strides, "->", *coalesce_dims(v.shape, v.strides))

# %% [markdown]
# ## What to take with you
#
# - One kernel body, any layout: offsets follow from shape and strides; a broadcast
#   dimension has stride 0.
# - NaN is not below, not above and not equal to anything: mind the order of operands.
# - The result's dtype follows from kinds first, then sizes; numbers and tensors without
#   dimensions only count by their kind.
# - (operator, device, dtype) → kernel: a table, and an error that says what is missing.
# - Memory bounds all of this: what is left to gain is fewer passes over it, by fusing.
#
# ## Before you go: five questions
#
# 1. `x` has shape `(1000, 1)`, `y` has `(1, 1000)`. How many cells does `x + y` read,
#    and how many does it write?
# 2. A kernel has `y[i] = x[i] >= 0 ? x[i] : 0`. What does it make of NaN?
# 3. Which dtype has `x * 0.5` for an int64 tensor? For a bfloat16 tensor?
# 4. Why may a dispatcher never take a kernel of "cpu" for a tensor on "cuda", "just to
#    get the result"?
# 5. `((x + 1) * 2).exp()`: how often is memory of x's size read or written, with three
#    kernels, and with one?
#
# <details><summary>Answers</summary>
#
# 1. It reads 2000 cells, each a thousand times, and writes a million.
# 2. 0: the comparison is false. The other way round, `x[i] < 0 ? 0 : x[i]`, keeps it.
# 3. {{=float32}}; {{=bfloat16}}.
# 4. The kernel would take the address of GPU memory for one of its own. (Copying to the
#    CPU and back would be right, and so slow that it should never happen unseen.)
# 5. Six times, and twice.
#
# </details>

# %%
dtypes = minigrad.int64, minigrad.bfloat16
[minigrad.result_type(minigrad.ones(1, dtype=dtype), 0.5) for dtype in dtypes]

# %% [markdown]
# Now **lab 04**: its last exercise is a test. When all are done, every operator of this
# lesson runs on your code: in the set-up cell, write `"labs"` for `"solutions"`,
# restart the kernel, and run everything again.
#
# To read on, beside the files named above: E. Yang, *Let's talk about the PyTorch
# dispatcher* (2020); J. Ansel and others, *PyTorch 2* (2024), for fusion by a compiler.
