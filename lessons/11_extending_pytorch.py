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
# # 11 · Your kernel inside PyTorch
#
# So far, you've launched your kernels from a library of your own. In this lesson, you
# put them into **PyTorch**, so that its autograd and `torch.compile` treat them like
# any other operator. You'll build an extension, follow a call down to the kernel, and
# learn which test inputs expose an operator's bugs.
#
# This lesson takes about {{duration}}, plus a minute or two of compiling, and
# builds on chapters 04 and 08. A cell that needs a C++ compiler or a GPU says so if
# there's none, and you can continue. Part 2 measures how fast the operators are, and
# part 3 builds one of them in TensorFlow.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os

os.environ["KINETO_LOG_LEVEL"] = "6"  # hide torch.profiler's own messages
import contextlib
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from IPython.display import Code

import minigrad
from grading import trying
from minigrad import Kernel, answers_from, course, viz
from minigrad.testing import extension

# In lab 11, you'll write an operator of your own. Here, the solutions stand in.
answers_from("solutions", before="12_graphs")
EXAMPLES = course.home() / "examples"
gpu = torch.cuda.is_available()
where = "cuda" if gpu else "cpu"

# %% [markdown]
# ## Four files, from Python down to the kernel
#
# Our example, `examples/extension`, has three operators: a sum, gelu(x + bias) (the
# lab's topic), and a batched outer product, y[i, m, n] = a[i, m] · b[i, n]. We'll use
# the sum and the product, and each call passes through four files, from top to bottom.

# %%
viz.extension()

# %% [markdown]
# Let's read these files from the bottom up, in pieces that `part` displays.


# %%
def part(file, first, last, language="cpp"):
    """Display a file from the line with `first` to one that starts with `last`."""
    lines = (EXAMPLES / file).read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(
        i for i, line in enumerate(lines[begin:], begin) if line.startswith(last)
    )
    return Code("\n".join(lines[begin : end + 1]), language=language)


part("extension/csrc/kernels.cuh", "// y[i, m, n]", "}")

# %% [markdown]
# `template <typename scalar_t, int V>` means that the compiler makes one kernel for
# each type and each V that's used. `__restrict__` promises that no other pointer writes
# to the same memory, so the compiler may keep values in registers. `move<V>` copies V
# neighboring elements, in one access if they take up 16 bytes.
#
# Nothing in this file mentions PyTorch, so the simulator can run it too. Here `y` has 2
# · 16 · 64 = 2,048 elements, of which each thread computes V.

# %%
KERNELS = (EXAMPLES / "extension/csrc/kernels.cuh").read_text()
a, b = np.ones((2, 16), "f"), np.arange(128, dtype="f").reshape(2, 64)
y = np.zeros((2, 16, 64), "f")

# %% [markdown]
# **Puzzle 1: no idle threads.** Each block has 64 threads, and V is 4, but the line
# below launches enough blocks for V = 1. Change it so that no thread is idle.

# %%
blocks = 2048 // 64  # your line

# %%
outer4 = Kernel(KERNELS, "outer_kernel<float, 4>")
outer4(blocks, 64, (a, b, y, 16, 64, y.size))
complete = np.array_equal(y, a[:, :, None] * b[:, None])
print("complete:", complete, "solved:", complete and blocks * 64 * 4 == y.size)

# %% [markdown]
# <details><summary>Answer</summary>
#
# You need 2,048 / 4 = 512 threads, which is 8 blocks of 64. With 32 blocks, the result
# is correct too, because the guard stops the extra threads.
#
# ```python
# blocks = 2048 // 4 // 64
# ```
#
# </details>

# %% [markdown]
# Each warp makes three requests, because it reads `a`, reads `b`, and writes `y`. With
# V = 1, that's 64 warps · 3 = 192 requests. **Predict** the number of requests with V =
# 4.

# %%
for V in 1, 4:
    outer = Kernel(KERNELS, f"outer_kernel<float, {V}>")
    counts = outer.check(y.size // V // 64, 64, (a, b, y, 16, 64, y.size)).counts
    print(f"V = {V}:", counts["requests"], "requests,", counts["sectors"], "sectors")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's a quarter, {{=48}}. The sectors also go down, from {{=576}} to {{=400}}, because
# a warp now covers two rows of `y`. It reads the part of `b` that they share only once,
# and gets both elements of `a` from one sector.
#
# </details>
#
# ### The launch
#
# In C++, a tensor is an `at::Tensor`, from PyTorch's library ATen. Here's the shortest
# function that launches a kernel, followed by the struct and the macros that it uses.

# %%
part("extension/csrc/cuda.cu", "Tensor add_cuda(", "}")

# %%
part("extension/csrc/cuda.cu", "struct Place {", "};")

# %%
part("extension/csrc/cuda.cu", "#define DISPATCH", "    }")

# %% [markdown]
# Four things in this code may be new to you:
#
# - `[&] { … }` is a lambda. `AT_DISPATCH_FLOATING_TYPES_AND_HALF` compiles it once each
#   for double, float, and half, with `scalar_t` as the type's name, and runs the
#   version that matches the tensor's dtype.
# - `a.const_data_ptr<scalar_t>()` returns the address of the first element, or raises
#   an error if the tensor has another dtype.
# - `LAUNCH(kernel, threads, …)` is replaced by the text of its `#define`, and launches
#   nothing if there are no threads, because a grid of 0 blocks is an error.
# - `Place place(a)` creates an object whose `guard` makes the tensor's GPU the current
#   one. When the function ends, even with an error, C++ destroys the object, which
#   restores the previous GPU. `place.stream` is PyTorch's current stream, so the kernel
#   runs after whatever computes `a`.
#
# **Predict**: `C10_CUDA_KERNEL_LAUNCH_CHECK()` asks whether the launch was accepted.
# Instead, you could wait for the kernel with `cudaDeviceSynchronize()`, which also
# finds errors inside it. What would that cost in a model of a hundred such operators?
#
# <details><summary>Answer</summary>
#
# The results would be the same, but the GPU would sit idle a hundred times, because the
# host couldn't prepare a launch until the previous kernel had finished.
#
# </details>

# %% [markdown]
# An operator waits only if the host needs a value from the GPU, as for `item`, or for
# `nonzero`, whose result's size depends on values. So an error inside its kernel
# usually shows up later, at the next call that waits.
#
# ### The checks
#
# A kernel trusts the address that it's given, so the function that Python calls begins
# by checking its arguments, once for all devices.

# %%
part("extension/csrc/bindings.cpp", "Tensor add(", "}")

# %% [markdown]
# `TORCH_CHECK(condition, …)` raises a RuntimeError if the condition is false, and joins
# its other arguments to make the message. The `CHECK_…` macros contain such checks
# (`CHECK_SAME` compares devices and dtypes), and `RUN` calls `add_cuda` or `add_cpu`.
#
# The next cell builds the whole extension, or only its CPU half if you have no GPU.

# %%
try:
    ops = extension.minigrad_ops()
    print([name for name in dir(ops._C) if name[0] != "_"])
except (extension.NoCompiler, extension.BuildFailed) as problem:
    ops = print(problem)

# %% [markdown]
# **Predict** which of these five calls are refused, and by which check. (A tensor on
# PyTorch's device "meta" has a shape but no memory, so you don't need a GPU.)

# %%
a, b = torch.rand(2, 3), torch.rand(2, 3)
pairs = {
    "float and double": (a, b.double()),
    "two of int": (a.int(), b.int()),
    "two sizes": (a, b[:1]),
    "transposed": (a.T, b.T),
    "two devices": (a, b.to("meta")),
}
for name, pair in pairs.items() if ops else ():
    try:
        print(f"{name:17}", ops._C.add(*pair).dtype)
    except RuntimeError as error:
        print(f"{name:17}", str(error).splitlines()[0])

# %% [markdown]
# <details><summary>Answer</summary>
#
# All of them are. `CHECK_SAME` refuses {{=the first|a is Float, b is Double}} and
# {{=the last|b on meta}}, `CHECK_FLOAT` {{=the second|must be floating, is Int}}, the
# comparison of sizes {{=the third|a is [2, 3], b is [1, 3]}}, and `CHECK_CONTIGUOUS`
# {{=the fourth|must be contiguous}}.
#
# </details>

# %% [markdown]
# Instead of refusing strided tensors, you can support them, as in the function below.
# It returns the sum of i · x[i], and PyTorch's `load_inline` (here in a small wrapper)
# compiles it from a string.
#
# **Puzzle 2: every second element.** The function reads the wrong elements if `x` is a
# slice with a step, so fix the line in the loop. (As in Python, `x.stride(0)` is the
# stride of the first dimension.)

# %%
ramp_source = """
double ramp(at::Tensor x) {
    TORCH_CHECK(x.dim() == 1, "x must have one dimension, has ", x.dim());
    const double* p = x.const_data_ptr<double>();
    double sum = 0;
    for (int64_t i = 0; i < x.size(0); i++)
        sum += i * p[i];  // your line
    return sum;
}
"""

# %%
try:
    ramp = extension.load_inline("lesson11_ramp", ramp_source, ["ramp"]).ramp
    x = torch.arange(6.0, dtype=torch.double)
    print(ramp(x), ramp(x[::2]), "solved:", ramp(x[::2]) == 0 * 0 + 1 * 2 + 2 * 4)
except (extension.NoCompiler, extension.BuildFailed) as problem:
    print(problem)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Element i is i strides away from the first. You needn't add the storage offset,
# because `const_data_ptr` already points to the first element.
#
# ```c
# sum += i * p[i * x.stride(0)];
# ```
#
# </details>

# %% [markdown]
# ### Who frees the memory?
#
# **Predict** what happens if you give C's `free` the address of memory that Python
# allocated.

# %%
code = """
import ctypes
numbers = (ctypes.c_float * 4)(1, 2, 3, 4)
ctypes.CDLL(None).free(ctypes.byref(numbers))
"""
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
print(done.returncode, done.stderr.strip())

# %% [markdown]
# <details><summary>Answer</summary>
#
# The process {{=dies|-6}}, because `free` takes only what `malloc` returned.
#
# </details>

# %% [markdown]
# An `at::Tensor` counts its references, and when none is left, it returns the memory to
# the allocator that it came from.
#
# <details><summary>More mistakes at the boundary to C</summary>
#
# Some tutorials write a tensor library in C and call it with `ctypes`, which checks
# almost nothing.
#
# - A struct in C keeps the address of a buffer that Python made. When Python drops the
#   buffer, the pointer **dangles**, and C reads whatever is there now.
# - Nobody frees the struct that C returned, which is a **leak**. Wrap it in a class
#   whose `__del__` calls the C function that frees it.
# - A function returns a pointer, but its `restype` isn't set, so ctypes expects a
#   32-bit int, and half of the address is lost.
# - Without `argtypes`, nobody notices that an argument is missing or has the wrong
#   type.
# - In C, `device == "cuda"` compares two addresses and is usually false, so use
#   `strcmp`.
# - `exit(1)` in C ends Python without an exception, so return an error code instead.
#
# </details>

# %% [markdown]
# ### A package
#
# `load_inline` and `load` (for files) compile when the program runs. To let others
# install your operator, you need a **setup script**, `setup.py`. Let's write a small
# package with one function, the hinge loss max(0, 1 − x).

# %%
folder = Path(tempfile.mkdtemp())
_ = (folder / "hinge.cpp").write_text("""\
#include <torch/types.h>
#include <torch/csrc/utils/pybind.h>
at::Tensor hinge(at::Tensor x) {
    TORCH_CHECK(x.is_floating_point(), "x must be floating, is ", x.scalar_type());
    return (1 - x).clamp_min(0);
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("hinge", &hinge); }
""")

# %% [markdown]
# `PYBIND11_MODULE` makes the compiled library a Python module, and `m.def` adds a
# function to it. **pybind11** is a C++ library that converts Python's arguments to C++,
# and C++ exceptions to Python's.

# %%
_ = (folder / "setup.py").write_text("""\
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

setup(name="hinge", ext_modules=[CppExtension("hinge", ["hinge.cpp"])],
      cmdclass={"build_ext": BuildExtension})
""")


def python(*arguments):
    """Run Python in the package's folder and return the last line that it prints."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True
    )
    return (done.stdout + done.stderr).strip().rpartition("\n")[2]


# %% [markdown]
# If the package has `.cu` files, use `CUDAExtension` instead of `CppExtension`. We only
# build the package here. You'd install it with `pip install --no-build-isolation .`,
# because pip otherwise builds in a fresh environment without your PyTorch.

# %%
if extension.has_compiler():
    python("setup.py", "-q", "build_ext", "--inplace")
    call = "print(hinge.hinge(torch.tensor([-1, 0.5, 3])))"
    print(python("-c", f"import torch, hinge; {call}"))
    print(python("-c", "import hinge"))
else:
    print(f"not run: {extension.NEEDS}")

# %% [markdown]
# The last line fails with an {{=ImportError|ImportError: libc10.so}}, because the
# module needs PyTorch's shared libraries, which `import torch` loads. So a package's
# `__init__.py` imports torch first. This table lists other errors:
#
# | message | cause and fix |
# |---|---|
# | CUDA_HOME is not set | there's no nvcc (the driver doesn't include the toolkit) |
# | detected CUDA version mismatches | nvcc's major version must match PyTorch's CUDA |
# | undefined symbol: _ZN3c10… | it was built for another PyTorch, so build it again |
# | no kernel image is available | set TORCH_CUDA_ARCH_LIST for your GPU, e.g. "9.0" |
#
# <details><summary>Names in older tutorials</summary>
#
# | old | now |
# |---|---|
# | `AT_ASSERTM` | `TORCH_CHECK`. The old macro's message blames PyTorch |
# | `x.type()` in `AT_DISPATCH_…` | `x.scalar_type()` |
# | `x.data<float>()` | `x.data_ptr<float>()` |
# | `ctx.saved_variables` | `ctx.saved_tensors` |
#
# </details>

# %% [markdown]
# **To the lab**: exercise 1 (`check_bias_gelu`), exercise 2 (`bias_gelu_cpu`), exercise
# 3 (`bias_gelu_backward`), and exercise 4 (`bias_backward`). All four are about one
# operator, gelu(x + bias).
#
# ## A gradient
#
# Each a[m] is multiplied by every b[n], and each b[n] by every a[m], so the gradients
# are sums.
#
# > da[m] = sum over n of dy[m, n] · b[n]
# >
# > db[n] = sum over m of dy[m, n] · a[m]
#
# `torch.autograd.Function` works like the class that you built in chapter 08. `forward`
# saves in `ctx` what `backward` needs, and `backward` returns one gradient per
# argument.
#
# **Puzzle 3: the other gradient.** In `einsum`'s string, each letter names a dimension,
# and those missing after the arrow are summed. `da` is correct, so fix `db`.


# %%
class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.einsum("bm,bn->bmn", a, b) if ops is None else ops._C.outer(a, b)

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensors
        da = torch.einsum("bmn,bn->bm", dy, b)
        db = torch.einsum("bmn,bn->bn", dy, b)  # your line
        return da, db


# %%
how = {"dtype": torch.double, "device": where, "requires_grad": True}
a, b = torch.rand(2, 3, **how), torch.rand(2, 4, **how)
agree = torch.autograd.gradcheck(Outer.apply, (a, b), raise_exception=False)
print("solved:", agree)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `m` must be summed, so it's missing from the result, and the other factor is `a`.
#
# ```python
# db = torch.einsum("bmn,bm->bn", dy, a)
# ```
#
# </details>

# %% [markdown]
# In `examples/extension`, `backward` calls compiled kernels, which take only contiguous
# tensors. `dy` often isn't contiguous (the gradient of a sum, for example, is a single
# number that's expanded), so `backward` first calls `dy.contiguous()`. It also looks at
# `ctx.needs_input_grad`, so that a gradient nobody needs costs nothing.
#
# **Predict**: `torch.compile` turns a model into a graph before running it, and with
# `fullgraph=True`, it raises an error if it can't follow a call. What does it do with
# our extension's function?


# %%
def model(a, b):
    return ops._C.outer(a, b).sin()


if ops:
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled(a.detach(), b.detach())
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It {{=raises an error|Unsupported}}, because a pybind11 function tells the compiler
# nothing about its arguments and its result.
#
# </details>

# %% [markdown]
# A compiler needs an operator's **schema**, which lists the names and types of its
# arguments and results, and a rule for the shape of its result. If they're missing and
# `fullgraph` isn't set, the result is correct, but the graph is cut in two at this
# call, which is called a **graph break**.
#
# ## Register an operator
#
# PyTorch's docs recommend registering an operator with `torch.library`, for which you
# provide a function, a name with a schema, a shape rule, and a gradient.
#
# Any function will do, and ours launches the same kernel through `minigrad.Kernel`,
# which uses CuPy on a GPU, so two libraries have to agree on memory and on streams.
#
# **Memory.** CuPy, NumPy, and PyTorch exchange arrays through **DLPack**, a C struct
# with an address, a shape, strides, and a dtype, so nothing is copied.


# %%
def memory(x):
    """Return a CuPy or NumPy array that shares a tensor's memory."""
    if not x.is_cuda:
        return np.from_dlpack(x.detach())
    import cupy

    return cupy.from_dlpack(x.detach())


# %% [markdown]
# **Predict** what the next cell prints. Before it prints the array, it deletes the
# tensor that allocated the memory.

# %%
x = torch.zeros(3)
shared = memory(x)
x[1] = 7
del x
print(shared)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The array {{=sees the 7|[0. 7. 0.]}}, and it's still valid. The struct also contains a
# function that the receiver calls when it no longer needs the memory, and PyTorch keeps
# the memory until then. A bare address, such as `x.data_ptr()`, comes without such a
# function, so it's valid only as long as the tensor exists.
#
# </details>

# %% [markdown]
# **Streams.** CuPy has its own current stream, and kernels in different streams don't
# wait for each other. Here's what can happen, with a bar for each kernel and time
# running to the right.

# %%
viz.spans(
    {
        "PyTorch's stream": [("fill a", 0, 3), ("read y", 3, 5)],
        "CuPy's stream": [("outer", 1, 4)],
    },
    unit="µs",
)

# %% [markdown]
# `outer` reads `a` before it's filled, and PyTorch reads `y` before it's written. So
# CuPy has to launch in PyTorch's stream, which the first function below arranges. The
# second one allocates the result, and it will also be our shape rule.


# %%
def pytorchs_stream(x):
    """Return a context in which CuPy launches in PyTorch's current stream."""
    if not x.is_cuda:
        return contextlib.nullcontext()
    import cupy

    return cupy.cuda.Stream.from_external(torch.cuda.current_stream(x.device))


def new_outer(a, b):
    """Return a tensor for the result, without its values."""
    torch._check(a.shape[0] == b.shape[0], lambda: "a and b have different batches")
    return a.new_empty(*a.shape, b.shape[1])


# %% [markdown]
# `custom_op` makes the function an operator, whose schema comes from the type
# annotations. `mutates_args=()` says that it changes none of its arguments.

# %%
C = {torch.float32: "float", torch.float64: "double"}


@torch.library.custom_op("lesson11::outer", mutates_args=())
def outer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.dtype == b.dtype and a.dtype in C
    torch._check(same, lambda: f"need float or double, got {a.dtype} and {b.dtype}")
    y, kernel = new_outer(a, b), Kernel(KERNELS, f"outer_kernel<{C[a.dtype]}, 1>")
    with pytorchs_stream(a):
        args = *(memory(x.contiguous()) for x in (a, b)), memory(y)
        if y.numel():
            blocks = -(-y.numel() // 256)
            kernel(blocks, 256, (*args, a.shape[1], b.shape[1], y.numel()))
    return y


# %%
print(outer._opoverload._schema)
print(torch.ops.aten.conv2d.default._schema)

# %% [markdown]
# The second schema is that of PyTorch's convolution. A `Tensor?` may be None, and
# `SymInt[2]` is a list of two integers that a compiler may not know yet.
#
# The **shape rule** is called *fake*, because a compiler calls it with fake tensors,
# which have a shape but no memory, and it returns a fake result.

# %%
outer.register_fake(new_outer)
torch.ops.lesson11.outer(a.to("meta"), b.to("meta")).shape

# %% [markdown]
# The **gradient** consists of two functions. The first saves what the second needs to
# compute the gradient. A compiler traces the second function too, so that function may
# call only operators that have shape rules.


# %%
def save(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradients(ctx, dy):
    a, b = ctx.saved_tensors
    return torch.einsum("bmn,bn->bm", dy, b), torch.einsum("bmn,bm->bn", dy, a)


outer.register_autograd(gradients, setup_context=save)
torch.autograd.gradcheck(outer, (a, b))

# %% [markdown]
# Does a compiled model have a graph break now?

# %%
model = torch.compile(
    lambda a, b: outer(a, b).sin().sum(), fullgraph=True, backend="aot_eager"
)
model(a, b).backward()
print(model(a, b).item(), outer(a, b).sin().sum().item())

# %% [markdown]
# It doesn't, because otherwise `fullgraph=True` would have raised an error.
# `torch.library.opcheck` tests {{=all of this|'test_aot_dispatch_dynamic': 'SUCCESS'}}:
# the schema, how the gradient is registered, the shape rule, and `torch.compile` with
# unknown sizes.

# %%
torch.library.opcheck(outer, (a, b))

# %% [markdown]
# **Puzzle 4: tell the truth.** This operator writes its result into `out` and returns
# nothing, but its schema claims that it changes no argument. Fix `mutates_args`, which
# may be a set of names.


# %%
def write_outer(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    out.copy_(torch.einsum("bm,bn->bmn", a, b))


name = "lesson11::outer_out"
op = torch.library.custom_op(name, write_outer, mutates_args=())  # your line

# %%
op.register_fake(lambda a, b, out: None)
sample = a.detach(), b.detach(), torch.zeros(2, 3, 4, dtype=torch.double, device=where)
found = torch.library.opcheck(op, sample, raise_exception=False)
for test, result in found.items():
    print(f"{test:28}", str(result).strip().splitlines()[0][:60])
print("solved:", set(found.values()) == {"SUCCESS"})

# %% [markdown]
# <details><summary>Answer</summary>
#
# The schema now has `Tensor(a2!) out`, where the exclamation mark means that it's
# written to. With a false schema, a compiler might reorder the call with others that
# read `out`.
#
# ```python
# op = torch.library.custom_op(name, write_outer, mutates_args={"out"})
# ```
#
# </details>

# %% [markdown]
# In C++, `TORCH_LIBRARY` does the same without Python.
#
# **To the lab**: exercise 5 (`bias_gelu_autograd`) and exercise 6 (`outer_shape`).
#
# ## The same in minigrad
#
# In minigrad, you register an elementwise operator with one call (chapter 04). Here's
# √(a² + b²), the length of the hypotenuse, with NumPy's function, an expression in CUDA
# C, and a gradient for each operand. The length's slope with respect to a is a divided
# by the length.
#
# **Puzzle 5: by symmetry.** Fix the gradient of b.

# %%
from minigrad.ops.pointwise_kernels import pointwise

length = pointwise(
    "lesson11_length",
    np.hypot,  # on "cpu"
    "hypot(a, b)",  # on "sim" and "cuda"
    lambda dy, a, b: dy * a / (a * a + b * b).sqrt(),
    lambda dy, a, b: dy,  # your line
    dtypes=[minigrad.float32, minigrad.float64],
)

# %%
draw = [minigrad.rand(n, dtype=minigrad.float64) + 1 for n in ((3, 4), (4,))]
x, row = (t.requires_grad_() for t in draw)
try:
    agree = minigrad.autograd.gradcheck(length, (x, row))
except Exception:
    agree = False
print("solved:", agree)

# %% [markdown]
# <details><summary>Answer</summary>
#
# a and b play the same role.
#
# ```python
# lambda dy, a, b: dy * b / (a * a + b * b).sqrt(),
# ```
#
# </details>

# %% [markdown]
# The library does the rest, and also sums the gradient of `row`, because that operand
# was broadcast. The next table compares the three ways to add an operator.
# (`register_kernel` gives an operator a second function for another device.)
#
# | | extension | `torch.library` | minigrad |
# |---|---|---|---|
# | kernel | `.cu` | any function | an expression |
# | name | `m.def` | `custom_op` | `pointwise("name", …)` |
# | dtypes | `AT_DISPATCH_…` | the function checks | `dtypes=` |
# | devices | `x.is_cuda()` | `register_kernel` | the registry |
# | shape | what it allocates | `register_fake` | broadcasting |
# | gradient | `autograd.Function` | `register_autograd` | one per operand |
#
# ## The path of a call
#
# PyTorch's own operators are registered in the same way. A tensor carries **dispatch
# keys** (chapter 04), and the dispatcher calls the kernel of the highest key that has
# one.

# %%
every = torch._C._dispatch_get_all_op_names()
aten = [name for name in every if name.startswith("aten::")]
print(len(aten), "operators, with", len({n.partition(".")[0] for n in aten}), "names")
a, b = torch.rand(64, 32, requires_grad=True), torch.rand(32, 48)
torch._C._dispatch_keys(a)

# %% [markdown]
# (A name may have several overloads.) The keys are listed from low to high, so read
# them from the right. {{=Autocast|AutocastCPU}} would change dtypes if it were on.
# {{=AutogradCPU}} records the operation for the gradient and calls the dispatcher
# again, without its own key. {{=ADInplaceOrView}} counts the versions of tensors that
# are written in place, and finally {{=CPU|DispatchKeySet(CPU}} computes the result.
#
# Let's follow `a @ b`, which is `torch.matmul`, through the tables of kernels that
# PyTorch can print.

# %%
for operator in "aten::matmul", "aten::mm":
    for line in torch._C._dispatch_dump_table(operator).splitlines():
        key, _, place = line.partition(": registered at ")
        if key in ("AutogradCPU", "CPU"):
            print(f"{operator:14} {key:12} {place.rpartition('/')[2]}")

# %% [markdown]
# `matmul` {{=only calls other operators|[math kernel]}}, whose gradients are all it
# needs. PyTorch calls this *CompositeImplicitAutograd*. `mm` has {{=a kernel for the
# CPU|[kernel]}} and {{=one for autograd|[autograd kernel]}}.
#
# A `TorchDispatchMode` sits below autograd and is called for every operator that gets
# there. Here it lists them for two matrices, and for two batches of matrices.
# **Predict** which of the two needs more than one operator.

# %%
from torch.utils._python_dispatch import TorchDispatchMode


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        names.append(str(function))
        return function(*args, **(kwargs or {}))


# %%
for pair in (a, b), (torch.rand(2, 3, 4), torch.rand(2, 4, 5)):
    names = []
    with Seen():
        pair[0] @ pair[1]
    print(names)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The batches do. They become {{=one `bmm`|aten.bmm.default}} between reshapes that copy
# nothing, while two matrices become {{=one `mm`|aten.mm.default}}.
#
# </details>

# %% [markdown]
# `mm` is a **structured kernel**, which has two halves. The *meta* half checks the
# arguments and computes the shape, like our `register_fake`, and the other half
# computes the result, on a GPU with cuBLAS. Here are all levels of the call.

# %%
viz.dispatch()

# %% [markdown]
# **Puzzle 6: one operator.** Written as `c + a @ b`, a linear layer takes two
# operators, and on a GPU two launches. Use PyTorch's single operator for it, whose name
# begins with `add`. (Type `torch.add` and press Tab.)

# %%
c, names = torch.rand(48), []
with Seen():
    y = torch.add(c, a @ b)  # your line

# %%
print(names)
print("solved:", len(names) == 1 and torch.allclose(y, c + a @ b))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `torch.nn.Linear` ends up calling it too.
#
# ```python
# y = torch.addmm(c, a, b)
# ```
#
# </details>

# %% [markdown]
# `torch.profiler` shows which operators call which, with their times. Each bar is a
# call, and the bars below it are the calls that it made.

# %%
from torch.profiler import ProfilerActivity
from torch.profiler import profile as profiler

torch.set_num_threads(1)  # with more, the picture would show them waiting
a, b = torch.rand(256, 128, device=where), torch.rand(128, 128, device=where)
for _ in range(3):  # warm-up: the first call loads libraries
    torch.relu(a @ b + 1)
watched = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * gpu
with profiler(activities=watched, acc_events=True) as prof:
    y = torch.relu(a @ b + 1)
viz.profile(prof)

# %% [markdown]
# ## Is it correct?
#
# A matrix of random numbers exposes few faults. Let's see which ones it misses for y =
# 3x, with one correct version and seven faulty ones. Two of the faulty ones use `flat`,
# which ignores strides and reads the storage in order, as `ramp` did.


# %%
def flat(x):
    return torch.as_strided(x, x.shape, torch.empty(x.shape).stride(), 0)


def triple(backward_of):
    """Return y = 3x as an operator whose gradient is backward_of(dy)."""

    class Triple(torch.autograd.Function):
        forward = staticmethod(lambda ctx, x: 3 * x)
        backward = staticmethod(lambda ctx, dy: backward_of(dy))

    return Triple.apply


# %% [markdown]
# Two more faults are `changes_x`, which overwrites its argument, and `reuses_y`, which
# writes every result into the same memory.

# %%
buffers = {}


def changes_x(x):
    y = 3 * x
    x.data.zero_()
    return y


def reuses_y(x):
    y = buffers.setdefault(x.shape, torch.empty(x.shape))
    return torch.mul(x.detach(), 3, out=y)


# %%
OPERATORS = {
    "correct": lambda x: 3 * x,
    "ignores x's strides": lambda x: 3 * flat(x),
    "loses NaN": lambda x: torch.where(x == x, 3 * x, 0),
    "in half precision": lambda x: (3 * x.half()).float(),
    "changes x": changes_x,
    "reuses y": reuses_y,
    "gradient of ones": triple(lambda dy: torch.full(dy.shape, 3.0)),
    "ignores dy's strides": triple(lambda dy: 3 * flat(dy)),
}

# %% [markdown]
# `passing` returns the names of the operators that pass a test.


# %%
def passing(test):
    names = []
    for name, op in OPERATORS.items():
        with contextlib.suppress(Exception):
            test(op)
            names.append(name)
    return names


# %% [markdown]
# `torch.testing.assert_close` compares shape, dtype, device, and values, with a
# tolerance that depends on the dtype (chapter 05), and raises an error if they differ.
#
# **Puzzle 7: other strides.** With this x, the test fails {{=only for the operator in
# half precision|{'in half precision'} solved}}. Choose another x of shape (2, 3), so
# that the test also fails for the operator that ignores strides.


# %%
def values(op):
    x = torch.rand(2, 3)  # your line
    kept = x.clone()
    torch.testing.assert_close(op(x), 3 * kept)


# %%
found = {*OPERATORS} - {*passing(values)}
print(found, "solved:", "ignores x's strides" in found and "correct" not in found)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A transposed tensor isn't stored row by row.
#
# ```python
# x = torch.rand(3, 2).T
# ```
#
# </details>

# %% [markdown]
# In the same way, it takes an x with a NaN and `assert_close(…, equal_nan=True)` to
# find the operator that loses NaN.
#
# For a gradient, the choice of `dy` matters too.
#
# **Puzzle 8: a better dy.** Choose a `dy` for which the test fails for both faulty
# gradients. (It always fails for `reuses_y`, which detaches x and so has no gradient at
# all.)


# %%
def gradient(op):
    x = torch.rand(2, 3, requires_grad=True)
    dy = torch.ones(2, 3)  # your line
    (got,) = torch.autograd.grad(op(x), x, dy)
    torch.testing.assert_close(got, 3 * dy)


# %%
found = {*OPERATORS} - {*passing(gradient)}
print(found, "solved:", {"gradient of ones", "ignores dy's strides"} <= found)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Its elements must not all be 1, and they mustn't be stored row by row.
#
# ```python
# dy = torch.rand(3, 2).T
# ```
#
# </details>

# %% [markdown]
# The two faults that are left show only after the call. `changes_x` returns the correct
# result, and so does `reuses_y`, until the next call.
#
# **Puzzle 9: call it twice.** This test calls the operator a second time, but finds
# only one of the two faults, so change that line.


# %%
def afterward(op):
    x = torch.rand(2, 3)
    kept = x.clone()
    y = op(x)
    op(kept)  # your line
    torch.testing.assert_close(x, kept)
    torch.testing.assert_close(y, 3 * kept)


# %%
found = {*OPERATORS} - {*passing(afterward)}
print(found, "solved:", {"changes x", "reuses y"} <= found)

# %% [markdown]
# <details><summary>Answer</summary>
#
# With the same numbers, the second call writes the same result again, so pass different
# ones.
#
# ```python
# op(-kept)
# ```
#
# </details>

# %% [markdown]
# This table lists inputs and the faults that they expose.
#
# | input | fault |
# |---|---|
# | a different size in each dimension | M and N swapped |
# | a count above the block size, and not a multiple of it | the guard, the grid |
# | sizes of 0 and 1 | a grid of 0 blocks |
# | transposed, expanded, `x[1:]` | strides and offsets ignored |
# | NaN, ±∞ | comparisons, `0 * x` |
# | half, double | lost digits, a missing type |
# | another device, another dtype | a missing check |
# | a random dy | a gradient that's correct only for ones |
#
# **To the lab**: exercise 7 (`verify`).
#
# ## Before you go: three questions
#
# 1. A kernel passes every test, but in a training run with two streams, it's wrong once
#    in a hundred steps. Which line do you look at first?
# 2. Why does PyTorch need `register_fake`? It could run the operator and look at the
#    shape of the result.
# 3. A test consists of the line `torch.allclose(y, expected)`, and the operator returns
#    zeros. What does the test say?
#
# <details><summary>Answers</summary>
#
# 1. Look at the launch, because if it isn't in the current stream, the kernel may run
#    before its input has been written.
# 2. A compiler asks for the shape before there are any values, when some sizes may not
#    be known yet. The compiler's machine may not even have the GPU that the kernel
#    needs.
# 3. It says {{=nothing|line 5: torch.testing.assert_close(y, expected)}}, because
#    nobody reads the False. Use `assert_close`, or write `assert torch.allclose(…)`.
#
# </details>

# %%
# The third answer: this line only returns False, and the one below raises an error.
y, expected = torch.zeros(3), torch.ones(3)
torch.allclose(y, expected)
with trying():
    torch.testing.assert_close(y, expected)

# %% [markdown]
# Further reading: PyTorch's tutorials on custom operators, and these places in its
# source.
#
# | what | where |
# |---|---|
# | looking up a kernel | `aten/src/ATen/core/dispatch/Dispatcher.h`: `call` |
# | matmul | `aten/src/ATen/native/LinearAlgebra.cpp`: `_matmul_impl` |
# | mm on a GPU | `aten/src/ATen/native/cuda/Blas.cpp`: `addmm_out_cuda_impl` |
# | the call of cuBLAS | `aten/src/ATen/cuda/CUDABlas.cpp`: `gemm` |
