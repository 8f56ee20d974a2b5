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
# You have written kernels and launched them from a library of your own. Here they go
# into other people's: an addition, a batched outer product and gelu(x + bias) become
# part of **PyTorch**, in two ways, of **minigrad**, and of **TensorFlow**. At the end
# you can build an extension, say which part of it does what, find what is wrong with
# one, and measure whether it was worth it.
#
# It takes about {{duration}}, and the compilers two or three more, once.
# You need a C++ compiler and ninja, which runs compilers; a cell that lacks something
# says what, and the lesson goes on. You should have read chapters 04 and 08. No C++ is
# expected beyond that of the kernels. Lab 11 is where you write
# such an operator from end to end: the lesson says when to go there.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os
import warnings

os.environ["KINETO_LOG_LEVEL"] = "6"  # torch.profiler keeps its own messages to itself
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # and so does TensorFlow
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import ctypes
import shutil
import tempfile
from pathlib import Path

import numpy as np
import torch
from IPython.display import Code

import minigrad
from grading import trying
from minigrad import Kernel, answers_from, course, viz
from minigrad.testing import extension

# Lab 11 has exercises for you. In this lesson the course's solutions answer them.
answers_from("solutions", before="12_graphs")
EXAMPLES = course.home() / "examples"

# %% [markdown]
# What is there to build with, and to run on?

# %%
for tool in "c++", "ninja", "nvcc":
    print(f"{tool:6}", shutil.which(tool) or "not here")
gpu = torch.cuda.is_available()
where = "cuda" if gpu else "cpu"
print("GPU   ", torch.cuda.get_device_name() if gpu else "none that PyTorch sees")

# %% [markdown]
# A function that shows a part of a source file of `examples/`, from one line to
# another. What you see is what is compiled.


# %%
def part(file, first, last, language="cpp"):
    """The lines of a file of examples/ from one that has `first` to one with `last`."""
    lines = (EXAMPLES / file).read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(
        i for i, line in enumerate(lines[begin:], begin) if line.startswith(last)
    )
    return Code("\n".join(lines[begin : end + 1]), language=language)


# %% [markdown]
# ## The smallest seam: a function in C
#
# Before frameworks: how does Python call compiled code at all? A compiler makes a
# **shared library** (`.so`), machine code with names in it, and `ctypes` of Python's
# own library loads it and looks a name up.
#
# This one adds. The struct says how Python's side lays out its data; it is the
# `struct Strides` of chapter 03, on the host.

# %%
c_source = """\
typedef struct { long n; const float* data; } Vector;

void add(Vector a, Vector b, float* y) {
    for (long i = 0; i < a.n; i++) y[i] = a.data[i] + b.data[i];
}
double mean(Vector a) {
    double sum = 0;
    for (long i = 0; i < a.n; i++) sum += a.data[i];
    return sum / a.n;
}
"""
folder = Path(tempfile.mkdtemp())
_ = (folder / "vector.c").write_text(c_source)
# %% [markdown]
# The command that a shell would run is `gcc -shared -fPIC vector.c -o libvector.so`
# (with `nvcc -shared -Xcompiler -fPIC` a `.cu` becomes one in the same way). Here
# `shared_library` runs it, and puts the result into your cache under a name with a hash
# of source, flags and compiler: the second time, nothing is compiled.

# %%
try:
    cc = [shutil.which("gcc") or extension.compiler(), "-shared", "-fPIC", "-O2"]
    path = extension.shared_library("vector", folder / "vector.c", command=cc)
    lib = ctypes.CDLL(str(path))
    print(path.name, "holds", lib.add.__name__, "and", lib.mean.__name__)
except extension.NoCompiler as missing:
    lib = print(missing)

# %% [markdown]
# `ctypes` knows no C: it must learn what the arguments are. A `Structure` lists the
# fields in their order, and `argtypes` the parameters. The array stays where it is;
# what crosses is an address.


# %%
class Vector(ctypes.Structure):
    _fields_ = [("n", ctypes.c_long), ("data", ctypes.POINTER(ctypes.c_float))]


def vector(x):
    return Vector(x.size, x.ctypes.data_as(ctypes.POINTER(ctypes.c_float)))


a, b, y = np.arange(4, dtype="f"), np.full(4, 10, "f"), np.zeros(4, "f")
if lib:
    lib.add.argtypes = [Vector, Vector, ctypes.POINTER(ctypes.c_float)]
    lib.add.restype = None
    lib.add(vector(a), vector(b), vector(y).data)
y

# %% [markdown]
# `mean` returns a double. **Predict** what arrives if ctypes does not know that.

# %%
if lib:
    lib.mean.argtypes = [Vector]
    print("as it is:       ", lib.mean(vector(a)))
    lib.mean.restype = ctypes.c_double
    print("with a restype: ", lib.mean(vector(a)))

# %% [markdown]
# {{=1.5}} is right. That result lay in a floating-point register, and ctypes read one
# for whole numbers: some number, and no error. At this seam **nothing is checked**: a
# wrong dtype, a length too large, a view with strides are all just addresses. So a seam
# that others use checks at the door. The rest of this chapter is that, done well.
#
# ### Break it: a mistake in the source
#
# A compiler's complaint is long. What one needs of it: file, {{=line|line 8}}, and the
# line itself.

# %%
(folder / "broken.c").write_text(c_source.replace("a.n; i++) sum", "a.m; i++) sum"))
try:
    extension.shared_library("broken", folder / "broken.c", command=cc)
except extension.BuildFailed as error:
    print(error)
except NameError:
    print("not run: needs a C compiler")

# %% [markdown]
# ## Three parts: .cu, .cpp, .py
#
# An extension of PyTorch is a shared library, too. Its C++ is written against ATen
# (chapter 04), where a tensor is an `at::Tensor`. It has three parts:
#
# | part | holds | knows |
# |---|---|---|
# | `cuda.cu` | functions that launch the kernels of `kernels.cuh` | CUDA, ATen |
# | `bindings.cpp` | the functions that Python sees, and all checks | ATen, Python |
# | `__init__.py` | gradients, and what is registered | PyTorch |
#
# A call goes through all of them, from the top down:

# %%
viz.extension()

# %% [markdown]
# All of it lies in `examples/extension`. The smallest operator, `a + b`, first the
# kernel. `template <typename scalar_t>` is one text for every element type, and
# `const scalar_t* __restrict__` a promise to the compiler that nothing else writes what
# `a` points at, so it may keep values in registers.

# %%
part("extension/csrc/kernels.cuh", "// y[i] = a[i] + b[i]", "}")

# %% [markdown]
# Then the function that launches it, on tensors. Go through it line by line; each is
# explained below.

# %%
part("extension/csrc/cuda.cu", "Tensor add_cuda(", "}")

# %%
part("extension/csrc/cuda.cu", "struct Place {", "};")

# %%
part("extension/csrc/cuda.cu", "#define DISPATCH", "    }")

# %% [markdown]
# - `at::empty_like(a)` takes memory from PyTorch's allocator; `at::zeros(sizes,
#   a.options())` would fill it as well. `options` are dtype, device, layout.
# - `AT_DISPATCH_FLOATING_TYPES_AND_HALF(dtype, name, lambda)` compiles the lambda,
#   which C++ writes `[&] { ... }`, for double, float and half, with `scalar_t` as the
#   type's name in it, and runs the one that fits. For any other dtype it raises, with
#   the name in the message.
# - `a.const_data_ptr<scalar_t>()` is the address, and raises if the dtype is another.
#   (`data_ptr<float>()`, which you meet in older code, does not say whether you will
#   write there.) `numel()` counts elements.
# - The **device guard** makes the tensor's GPU the current one until the function ends.
#   Without it a launch goes to GPU 0, wherever the tensor lies.
# - `getCurrentCUDAStream()` is the stream that the caller works in: after whatever
#   made `a`, before whatever reads `y`.
# - `C10_CUDA_KERNEL_LAUNCH_CHECK()` asks whether the **launch** was accepted: too many
#   threads, no code for this GPU. It does not wait.
# - The grid is counted in 64 bits, and nothing is launched for nothing: a grid of 0
#   blocks is an error.
#
# What is inside `namespace { ... }`, without a name, is seen by this file alone: two
# files may both have a `blocks`.
#
# **Predict**: what would `cudaDeviceSynchronize()` after the launch change, in a model
# of a hundred such operators?

# %%
if gpu:
    x = torch.rand(1024, device="cuda")

    def hundred(wait):
        for _ in range(100):
            x + 1
            if wait:
                torch.cuda.synchronize()

    for wait in False, True:
        timed = minigrad.testing.bench(hundred, wait, device="cpu")
        print("waits after each:" if wait else "never waits:     ", timed)
else:
    print("not run: needs a GPU. Chapter 00 has the picture: launches are queued")

# %% [markdown]
# It would be right, and slow: the host waits for every kernel, so the next launch, its
# Python and its checks begin when the GPU has already nothing to do. It also waits for
# all streams, those of others included, and it may not be recorded in a CUDA graph
# (chapter 12). An operator **never** waits; errors of a kernel show at the next call
# that does.
#
# ### The door
#
# `bindings.cpp` is what Python calls. The checks come first, once for all devices.

# %%
part("extension/csrc/bindings.cpp", "Tensor add(", "}")

# %%
part("extension/csrc/ops.h", "#define CHECK_CONTIGUOUS", "    TORCH_CHECK((x).is_fl")

# %%
part("extension/csrc/bindings.cpp", "PYBIND11_MODULE", "}")

# %% [markdown]
# The header `torch/csrc/utils/pybind.h` brings pybind11, with `at::Tensor` among the
# types that it takes. Most extensions include `torch/extension.h`: all of PyTorch's
# C++, where `at::Tensor` is also `torch::Tensor`, for twice the time of the compiler.
# Many call their macros CHECK_CUDA (is it on a GPU?), CHECK_CONTIGUOUS, and CHECK_INPUT
# for both at once.
#
# `PYBIND11_MODULE` makes the library a module of Python, and `m.def` gives it a
# function. **pybind11**, a C++ library, turns Python's arguments into C++'s, and
# exceptions of C++ into Python's: that of `TORCH_CHECK` arrives as a RuntimeError.
#
# ### Built
#
# There are three ways to build, and one machinery below them, which writes a
# `build.ninja` and has ninja run compilers, for several files at once:
#
# ```python
# # setup.py: for a package that others install (examples/extension/setup.py)
# setup(ext_modules=[CUDAExtension("minigrad_ops._C", sources)],
#       cmdclass={"build_ext": BuildExtension})
#
# # at run time, from files
# native = cpp_extension.load("minigrad_ops", sources, with_cuda=True)
#
# # at run time, from texts
# native = cpp_extension.load_inline("tiny", cpp_sources=text, functions=["f"])
# ```
#
# What may go wrong there, and what it means:
#
# | message | cause, and cure |
# |---|---|
# | Ninja is required | `pip install ninja`, or do without, see below |
# | CUDA_HOME is not set | no nvcc is found: a driver alone is not the toolkit |
# | detected CUDA version mismatches | nvcc's major version must be PyTorch's |
# | undefined symbol: _ZN3c10... | built for another PyTorch: build again |
# | no kernel image is available | built for another GPU: TORCH_CUDA_ARCH_LIST="9.0" |
#
# (`BuildExtension.with_options(use_ninja=False)` in a set-up file does without ninja,
# and compiles one file after the other.)
#
# The third way first. (`extension.load_inline` calls PyTorch's in a folder with the
# text's hash in its name: the second time nothing is compiled.)

# %%
text = """\
at::Tensor hinge(at::Tensor x) {
    TORCH_CHECK(x.is_floating_point(), "x must be floating, is ", x.scalar_type());
    return (1 - x).clamp_min(0);
}
"""
try:
    tiny = extension.load_inline("lesson11_tiny", text, ["hinge"])
    print(tiny.hinge(torch.tensor([-1.0, 0.5, 3.0])))
    with trying():
        tiny.hinge(torch.arange(3))
except (extension.NoCompiler, extension.BuildFailed) as problem:
    print(problem)

# %% [markdown]
# The next cell takes the second way, with the hash of all sources in the folder's name.

# %%
try:
    ops = extension.minigrad_ops()
    native = ops._C
    print([name for name in dir(native) if name[0] != "_"])
except (extension.NoCompiler, extension.BuildFailed) as problem:
    ops = print(problem)

# %% [markdown]
# On a machine without a GPU this is the CPU's half: the same bindings over the loops of
# `cpu.cpp`. **Predict** which of these five calls are refused, and by which check.

# %%
a, b = torch.rand(2, 3), torch.rand(2, 3)
pairs = {
    "float and float": (a, b),
    "float and double": (a, b.double()),
    "two of int": (a.int(), b.int()),
    "two sizes": (a, b[:1]),
    "transposed": (a.T, b.T),
}
for name, pair in pairs.items() if ops else ():
    try:
        print(f"{name:17}", native.add(*pair).dtype)
    except RuntimeError as error:
        print(f"{name:17}", str(error).splitlines()[0])

# %% [markdown]
# The first alone is taken. CHECK_SAME refuses {{=the second|a is Float, b is Double}},
# CHECK_FLOAT {{=the third|must be floating, is Int}}, the comparison of sizes {{=the
# fourth|a is [2, 3], b is [1, 3]}}, and CHECK_CONTIGUOUS {{=the last|must be
# contiguous}}. A sixth: {{=another device|b on meta}}. PyTorch's device "meta" has
# shapes and no memory, so this can be tried anywhere.

# %%
if ops:
    with trying():
        native.add(a, b.to("meta"))

# %% [markdown]
# ### The .cu, compiled
#
# Where there is a GPU, the cell above has built `cuda.cu` as well. Elsewhere nvcc, if
# it is there, at least compiles the kernels: **compiled, not run**. (The course's tests
# compile `cuda.cu` itself against PyTorch's headers.)

# %%
nvcc = shutil.which("nvcc")
if nvcc:
    source = EXAMPLES / "extension/csrc/kernels.cuh"
    command = [nvcc, "-x", "cu", "-std=c++17", "-arch=sm_80", "-cubin"]
    extension.shared_library("kernels", source, command=command, ending="cubin")
    print("compiled", "- run" * gpu or "- not run")
else:
    print("not run: needs nvcc, of NVIDIA's CUDA toolkit (there are packages of it)")

# %% [markdown]
# What nvcc takes, the simulator takes: the kernels are in a file of their own, without
# a word of PyTorch in it. The outer product reads V numbers in one access of 16 bytes
# where it can.

# %%
part("extension/csrc/kernels.cuh", "// y[i, m, n]", "}")

# %% [markdown]
# `y` has a number for each pair of `a` and `b` of a row, and who reads what is chapter
# 03's expanded view: here is b, as the result of shape (2, 3, 4) sees it.

# %%
b = minigrad.arange(8).view(2, 4)
wide = b.unsqueeze(1).expand(2, 3, 4)
viz.strides(wide[0], base=b, name="wide[0]", base_name="b")

# %% [markdown]
# **Predict**: with V = 4 a quarter of the threads runs. How many sectors move, and how
# many requests does it take?

# %%
KERNELS = (EXAMPLES / "extension/csrc/kernels.cuh").read_text()
a, b = np.ones((2, 16), "f"), np.ones((2, 64), "f")
for V in 1, 4:
    outer = Kernel(KERNELS, f"outer_kernel<float, {V}>")
    y = np.zeros((2, 16, 64), "f")
    counts = outer.check(y.size // V // 64, 64, (a, b, y, 16, 64, y.size)).counts
    print(f"V = {V}:", counts["sectors"], "sectors,", counts["requests"], "requests")

# %% [markdown]
# The same bytes for y, in a quarter of the instructions, {{=48}} requests instead of
# {{=192}}: chapter 04's fastest variant. (Fewer sectors are read, too, so that {{=400}}
# move instead of {{=576}}: `a` is asked once for four results.)
#
# **To the lab**: exercises 1 to 5. You write the door, the loop of the CPU and the
# kernels of another operator, gelu(x + bias).
#
# ## A gradient
#
# `y[m, n] = a[m] b[n]`, so a change of `a[m]` moves row m of y by `b`, and one of
# `b[n]` column n by `a`. With the upstream gradient:
#
#     da[m] = sum over n of dy[m, n] b[n]     db[n] = sum over m of dy[m, n] a[m]
#
# or dy @ b and dyᵀ @ a, for each of the batch: chapter 08's gradients of a matrix
# product. Each sum is a kernel of its own, since one adds along the rows of dy and the
# other down its columns. The first has a warp for each row.

# %%
part("extension/csrc/kernels.cuh", "// da[i, m]", "}")

# %% [markdown]
# PyTorch's `autograd.Function` is the one that you have built in chapter 08: `forward`
# leaves what `backward` needs in `ctx`. (In C++ there is `torch::autograd::Function`,
# line for line the same.)

# %%
part("extension/minigrad_ops/__init__.py", "class Outer", "        return da", "python")

# %% [markdown]
# Three things to see. `dy.contiguous()`: the gradient of a sum is one number, expanded.
# `needs_input_grad`: a gradient that is not needed costs nothing.
# `once_differentiable`: backward itself has no gradient here, and says so when one is
# wanted, instead of being silently wrong.

# %%
how = {"dtype": torch.double, "device": where, "requires_grad": True}
a, b = torch.rand(2, 3, **how), torch.rand(2, 4, **how)
if ops:
    ops.Outer.apply(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.sum(1, keepdim=True).expand(2, 3))
    print(torch.autograd.gradcheck(ops.Outer.apply, (a, b)))

# %% [markdown]
# **Predict**: `torch.compile` turns a model into a graph before it runs. What does it
# see, when it comes to a function of ours? (`fullgraph=True` makes it an error to see
# nothing; the backend "aot_eager" makes the graph, and no code of it.)


# %%
def model(a, b):
    return ops.Outer.apply(a, b).sin()


if ops:
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled(a, b)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")

# %% [markdown]
# {{=An error|Unsupported}}. A function of pybind11's has no **schema** (names and types
# of what goes in and comes out), no shape rule, nothing: to the compiler it is a hole
# in the graph, a **graph break**. Right results, in pieces.
#
# ## Two: an operator of the dispatcher
#
# `torch.library` makes a function a citizen: `torch.ops.lesson11.outer`, with a schema
# like aten's own. It wants four things, and the kernel may come from anywhere. Here it
# is the same text once more, launched by **CuPy's RawKernel** on a GPU (this is what
# `minigrad.Kernel` is there), and by the simulator elsewhere.
#
# First the memory. CuPy, NumPy and PyTorch exchange tensors by **DLPack**, a struct
# with an address, a shape, strides and a dtype. {{=Nothing is copied|True}}.


# %%
def memory(x):
    """A tensor's memory as an array of CuPy's or NumPy's."""
    if not x.is_cuda:
        return np.from_dlpack(x.detach())
    import cupy

    return cupy.from_dlpack(x.detach())


x = torch.zeros(3)
memory(x)[1] = 7
x, memory(x).ctypes.data == x.data_ptr() if not x.is_cuda else ""

# %% [markdown]
# Then the **stream**. CuPy has a current stream of its own, and PyTorch another: a
# kernel in the wrong one may run before its input is there. An `ExternalStream` makes
# PyTorch's stream one of CuPy's.

# %%
import contextlib
import warnings


def pytorchs_stream(x):
    """While this is open, CuPy launches where PyTorch does."""
    if not x.is_cuda:
        return contextlib.nullcontext()
    import cupy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of CuPy 14.2, where it has another name, too
        return cupy.cuda.ExternalStream(torch.cuda.current_stream(x.device).cuda_stream)


# %% [markdown]
# The **launch**, for any kernel of `kernels.cuh` that has a thread for each number of
# `y` and takes what is `given`, `y`, sizes, and how many numbers there are.

# %%
C = {torch.float32: "float", torch.float64: "double"}


def launched(name, given, y, *sizes):
    """y, filled by a kernel whose template has C's name of y's dtype for {T}."""
    torch._check(y.dtype in C, lambda: f"float or double, not {y.dtype}")
    kernel, n = Kernel(KERNELS, name.format(T=C[y.dtype])), y.numel()
    with pytorchs_stream(y):
        args = [memory(x.contiguous()) for x in given]
        if n:
            kernel(-(-n // 256), 256, (*args, memory(y), *sizes, n))
    return y


# %% [markdown]
# **The operator.** `mutates_args=()` says that it changes nothing that it is given. The
# annotations become the schema. The check, and the memory of the result, are a function
# of their own: it is needed once more.


# %%
def new_outer(a, b):
    torch._check(a.shape[0] == b.shape[0], lambda: "a and b have other batches")
    return a.new_empty(*a.shape, b.shape[1])


@torch.library.custom_op("lesson11::outer", mutates_args=())
def outer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    M, N = a.shape[1], b.shape[1]
    return launched("outer_kernel<{T}, 1>", (a, b), new_outer(a, b), M, N)


outer._opoverload._schema

# %% [markdown]
# **The shape rule**, called "fake": {{=what comes out|torch.Size([2, 3, 4])}}, without
# computing it. A compiler asks for it, with tensors that have no memory.

# %%
outer.register_fake(new_outer)
torch.ops.lesson11.outer(a.to("meta"), b.to("meta")).shape

# %% [markdown]
# **The gradient**: two functions, one that saves and one that computes. It may be made
# of any operators that have shape rules; here of PyTorch's own.


# %%
def save(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, dy):
    a, b = ctx.saved_tensors
    return torch.einsum("bmn,bn->bm", dy, b), torch.einsum("bmn,bm->bn", dy, a)


outer.register_autograd(backward, setup_context=save)
torch.autograd.gradcheck(outer, (a, b))

# %% [markdown]
# And does a compiled model have a break in it now?

# %%
model = torch.compile(
    lambda a, b: outer(a, b).sin().sum(), fullgraph=True, backend="aot_eager"
)
model(a, b).backward()
print(model(a, b).item(), outer(a, b).sin().sum().item())

# %% [markdown]
# None: `fullgraph=True` has raised nothing. `torch.library.opcheck` tries {{=all of
# this|'test_aot_dispatch_dynamic': 'SUCCESS'}} at once: does the schema tell the truth,
# is the gradient registered in the right place, does the shape rule agree with what
# comes out, does it survive `torch.compile` with sizes that are not known?

# %%
torch.library.opcheck(outer, (a, b))

# %% [markdown]
# **Break it**: a shape rule that exchanges two sizes. **Predict** which of the four
# tests finds it.


# %%
@torch.library.custom_op("lesson11::wrong", mutates_args=())
def wrong(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bm,bn->bmn", a, b)


wrong.register_fake(lambda a, b: a.new_empty(a.shape[0], b.shape[1], a.shape[1]))
found = torch.library.opcheck(wrong, (a.detach(), b.detach()), raise_exception=False)
for test, result in found.items():
    print(f"{test:28}", str(result).strip().splitlines()[0][:70])

# %% [markdown]
# {{=`test_faketensor`|test_faketensor When comparing}}: it compares what the rule says
# with what comes out.
#
# **The other two** differ in a name, a check and a gradient. The addition hands `dy` on
# to both. (`a.new_empty(a.shape)` lies row by row, as the kernel writes;
# `torch.empty_like(a)` would have the strides of a transposed `a`.)


# %%
@torch.library.custom_op("lesson11::add", mutates_args=())
def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    torch._check(a.shape == b.shape, lambda: "a and b have other sizes")
    return launched("add_kernel<{T}>", (a, b), a.new_empty(a.shape))


add.register_fake(lambda a, b: a.new_empty(a.shape))
add.register_autograd(lambda ctx, dy: (dy, dy))

# %% [markdown]
# gelu(x + bias) has a kernel for the gradient of x. It becomes an operator, too: what
# `register_autograd` is given may call only what a compiler can follow.


# %%
@torch.library.custom_op("lesson11::bias_gelu", mutates_args=())
def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[-1:] == bias.shape, lambda: "bias: a number for each column")
    y, N = x.new_empty(x.shape), bias.numel()
    return launched("bias_gelu_kernel<{T}, {T}, 1>", (x, bias), y, N)


@torch.library.custom_op("lesson11::bias_gelu_backward", mutates_args=())
def slope(dy: torch.Tensor, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    name, dx = "bias_gelu_backward_kernel<{T}, {T}, 1>", x.new_empty(x.shape)
    return launched(name, (dy, x, bias), dx, bias.numel())


# %% [markdown]
# Both results have the size of the first operand. The gradient of bias is that of x,
# summed over the rows: bias was added to each.


# %%
def backward(ctx, dy):
    x, bias = ctx.saved_tensors
    dx = slope(dy, x, bias)
    return dx, dx.sum_to_size(bias.shape)


for operator in bias_gelu, slope:
    operator.register_fake(lambda first, *others: first.new_empty(first.shape))
bias_gelu.register_autograd(backward, setup_context=save)

# %% [markdown]
# Verified as the first: more than a block of numbers, transposed; gradients against
# differences; and what opcheck {{=tries|SUCCESS SUCCESS SUCCESS SUCCESS}}.

# %%
tall, row = torch.rand(20, 30, device=where).T, torch.rand(20, device=where)
torch.testing.assert_close(add(tall, 2 * tall), 3 * tall)
right = torch.nn.functional.gelu(tall + row)
torch.testing.assert_close(bias_gelu(tall, row), right)
x, other, bias = (torch.rand(size, **how) for size in ((3, 4), (3, 4), 4))
for operator, given in (add, (x, other)), (bias_gelu, (x, bias)):
    print(operator, torch.autograd.gradcheck(operator, given))
    print("   ", *torch.library.opcheck(operator, given).values())

# %% [markdown]
# `examples/extension/minigrad_ops` registers the compiled kernels in this way, backward
# kernels included, and its `outer` is what one would ship.
#
# **To the lab**: exercises 6 (`bias_gelu_autograd`) and 7 (`outer_shape`).
#
# ## Three: minigrad's own
#
# In minigrad an elementwise operator is one call (chapter 04): a name, its meaning in
# NumPy, its expression in CUDA C, and a gradient for each operand. The addition is this
# line of the library, where `through` is a function that returns `dy`:

# %%
part("../minigrad/ops/pointwise.py", "add = ", "add", "python")

# %% [markdown]
# And gelu(x + bias), with `gelu` from the library's header:

# %%
from minigrad.ops.pointwise import numpy_gelu
from minigrad.ops.pointwise_backward import gelu_backward
from minigrad.ops.pointwise_kernels import pointwise

floats = [minigrad.float32, minigrad.float64]
bias_gelu = pointwise(
    "lesson11_bias_gelu",
    lambda x, bias: numpy_gelu(x + bias),  # on "cpu"
    "gelu(a + b)",  # on "sim" and "cuda"
    lambda dy, a, b: gelu_backward(dy, a + b),  # of x
    lambda dy, a, b: gelu_backward(dy, a + b),  # of bias
    dtypes=floats,
)

# %% [markdown]
# Broadcasting, strides, dtypes and the registry are the library's. The bias's gradient
# is summed over the rows, because its operand was broadcast.

# %%
x = minigrad.rand(3, 4, dtype=minigrad.float64).requires_grad_()
bias = minigrad.rand(4, dtype=minigrad.float64).requires_grad_()
print(minigrad.autograd.gradcheck(bias_gelu, (x, bias)))
small = minigrad.rand(3, 4).to("sim"), minigrad.rand(4).to("sim")
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    bias_gelu(*small)
launches

# %% [markdown]
# {{=One launch|lesson11_bias_gelu strided}}, and no tensor for x + bias. The outer
# product needs {{=no kernel of its own|mul strided}} at all, and no gradient: it is a
# product that is broadcast.

# %%
a, b = minigrad.rand(2, 3).to("sim"), minigrad.rand(2, 4).to("sim")
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    y = a.unsqueeze(2) * b.unsqueeze(1)
launches

# %% [markdown]
# ### Four seams, one thing
#
# | | extension | `torch.library` | minigrad | TensorFlow |
# |---|---|---|---|---|
# | the kernel | `.cu` | any: RawKernel, Triton | an expression | `.cu.cc` |
# | dtypes | `AT_DISPATCH_...` | the function asks | `dtypes=` | `TypeConstraint` |
# | devices | `x.is_cuda()` | `register_kernel` | the registry | `Device(...)` |
# | its name | `m.def` | `custom_op` | `pointwise("name", ...)` | `REGISTER_OP` |
# | shape | what it allocates | `register_fake` | broadcasting | `SetShapeFn` |
# | gradient | `autograd.Function` | `register_autograd` | `vjps` | `RegisterGradient` |
# | what is wrong | `TORCH_CHECK` | an exception | an exception | a Status |
# | the stream | the caller's | the caller's | one | the op's own |
#
# Kernel, registration, shape rule, gradient: whatever the framework, these four.
#
# ## The way of a call: ATen
#
# PyTorch's own operators are such registrations, some 3000 of them. Follow one:
# `a @ b`, which is `torch.matmul`. A tensor carries **dispatch keys**, and the highest
# one that has a kernel for the operator is asked first.

# %%
a, b = torch.rand(64, 32, requires_grad=True), torch.rand(32, 48)
torch._C._dispatch_keys(a)

# %% [markdown]
# Written from the lowest to the highest: {{=Autocast|AutocastCPU}} would change dtypes,
# if it were on; then {{=AutogradCPU}}, which notes the operation and asks again with
# its own key left out; {{=ADInplaceOrView}} counts versions of what is written in
# place; CPU computes. Which kernel each of them has stands in a table that can be
# printed.

# %%
for operator in "aten::matmul", "aten::mm":
    for line in torch._C._dispatch_dump_table(operator).splitlines():
        key, _, place = line.partition(": registered at ")
        if key in ("AutogradCPU", "CPU"):
            print(f"{operator:14} {key:12} {place.rpartition('/')[2]}")

# %% [markdown]
# `matmul` has {{=no kernel of its own|[math kernel]}}: "CompositeImplicit" is written
# in terms of other operators, and its gradient is theirs. `mm` has one for each device
# ({{=`RegisterCPU`|[kernel]}} here) and one for Autograd
# ({{=`VariableType`|[autograd kernel]}}).
#
# A `TorchDispatchMode` stands below autograd and sees each operator that gets there.
# **Predict** what two matrices become, and what two batches of them.

# %%
from torch.utils._python_dispatch import TorchDispatchMode


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        print("  ", function)
        return function(*args, **(kwargs or {}))


# %%
batches = torch.rand(2, 3, 4), torch.rand(2, 4, 5)
with Seen():
    print("two matrices")
    y = a @ b
    print("two batches")
    batches[0] @ batches[1]
y.grad_fn.name()

# %% [markdown]
# The batches were reshaped (views, no copies) and became
# {{=one `bmm`|aten.bmm.default}}. And {{=`mm`|aten.mm.default}} itself: it is a
# **structured kernel**, in two halves. A *meta* half checks and works out the shape,
# the same for all devices, and is what `register_fake` is for ours; an *implementation*
# half computes: on a GPU it calls `at::cuda::blas::gemm`, and that calls cuBLAS, on the
# current stream. All floors of the call:

# %%
viz.dispatch()

# %% [markdown]
# `torch.profiler` shows the levels with times, and on a GPU the kernels' names. (The
# full trace of every key, `TORCH_SHOW_DISPATCH_TRACE=1`, is there in debug builds
# alone.)

# %%
from torch.profiler import ProfilerActivity
from torch.profiler import profile as profiler

torch.set_num_threads(1)  # on a CPU several would wait for each other in the picture
a, b = torch.rand(256, 128, device=where), torch.rand(128, 128, device=where)
for _ in range(3):  # warm-up: the first call loads libraries
    torch.relu(a @ b + 1)
watched = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * gpu
with profiler(activities=watched, acc_events=True) as prof:
    y = torch.relu(a @ b + 1)
viz.profile(prof)

# %%
if gpu:
    print(
        *{e.name for e in prof.events() if str(e.device_type).endswith("CUDA")},
        sep="\n",
    )
else:
    print("not run: names of kernels need a GPU (of cuBLAS: gemm, nvjet, cutlass ...)")

# %% [markdown]
# minigrad's way is the same with fewer floors: check, dtype, `find_kernel`, launch,
# node of the graph. Its trace of the same line:

# %%
a, b = minigrad.rand(32, 16).to("sim"), minigrad.rand(16, 16).to("sim")
with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
    y = (a @ b + 1).relu()
launches

# %% [markdown]
# ## The same in TensorFlow
#
# TensorFlow's seam is stricter, because its graph is older than its values: an operator
# is **declared** before anybody says how it is computed. `examples/tensorflow/ops.cc`
# declares the three operators of this chapter. The first is `a + b`:

# %%
part("tensorflow/ops.cc", 'REGISTER_OP("MinigradAdd")', "    .Doc")

# %% [markdown]
# The **shape function** says what comes out; TensorFlow has this one ready. That of
# `y = scale * outer(a, b)` has to be written:

# %%
part("tensorflow/ops.cc", 'REGISTER_OP("MinigradOuter")', "    .Doc")

# %% [markdown]
# `Attr`s are part of the graph: the type T, which inputs and output share, and a number
# with a default. A shape function gets shapes of which parts may be unknown; `Merge`
# says that two sizes are one, and fails if both are known and differ.
#
# The kernel is a class with one method, `Compute`. It is a template of the **device**
# and of the type: the checks and the memory are written once.

# %%
part("tensorflow/ops.cc", "class OuterOp", "};")

# %% [markdown]
# No exceptions here: `OP_REQUIRES` puts an error **status** into the context and
# returns. `allocate_output` takes memory on the op's device. Then comes the only line
# that differs from device to device, a struct's `run`. The CPU's is a loop; the GPU's,
# in `ops.cu.cc`, launches this chapter's kernel on the stream that TensorFlow has given
# to this op:

# %%
part("tensorflow/ops.cu.cc", "struct Outer<GPU, T>", "};")

# %%
part("tensorflow/ops.cc", "#define KERNEL(", "REGISTER(CPU, tensorflow::DEVICE_CPU, d")

# %% [markdown]
# `REGISTER_KERNEL_BUILDER` is TensorFlow's line in the registry: operator, device, type
# constraint, class. When a graph is placed, the kernel is chosen by the hardware that
# is there.
#
# The compiler needs TensorFlow's headers, which come with the package.

# %%
try:
    import tensorflow as tf

    path = extension.tensorflow_library("minigrad_tf", EXAMPLES / "tensorflow/ops.cc")
    tf_ops = tf.load_op_library(str(path))
    names = [n for n in dir(tf_ops) if n.startswith("minigrad") and "eager" not in n]
    print(*names, sep="\n")
except ImportError:
    tf = print(
        "not run: TensorFlow is not installed. Get it: pip install tensorflow-cpu"
    )
except extension.NoCompiler as problem:
    tf = print(problem)

# %%
if tf:
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[10.0, 20.0, 30.0]])
    print(tf_ops.minigrad_add(a, a).numpy())
    print(tf_ops.minigrad_outer(a, b, scale=0.5).numpy())
    for pair in ((a, tf.zeros((2, 3))), (a, b[0]), (tf.cast(a, tf.int32),) * 2):
        try:
            tf_ops.minigrad_outer(*pair)
        except Exception as error:
            text = str(error).split("}} ")[-1].splitlines()[0]
            print(type(error).__name__, text[:100])

# %% [markdown]
# The GPU's half is compiled by nvcc, if that is here: **compiled, not run**, unless
# your TensorFlow has CUDA.

# %%
if nvcc and tf:
    source = EXAMPLES / "tensorflow/ops.cu.cc"
    command = [nvcc, "-x", "cu", "-std=c++17", "-arch=sm_80", "-c", "-w"]
    command += ["--expt-relaxed-constexpr", "-I", tf.sysconfig.get_include()]
    more = {"versions": [tf.__version__, KERNELS], "ending": "o"}
    extension.shared_library("minigrad_tf_gpu", source, command=command, **more)
    print("compiled, not run")
else:
    print("not run: needs nvcc and TensorFlow's headers")

# %% [markdown]
# ### Its gradient
#
# The gradient of an operator is registered in Python, under the operator's name. It
# gets the operation, with its inputs and attributes, and the gradient of each output;
# it returns one for each input, made of further operators: nodes of the same graph.
#
# **Predict** what happens without it.


# %%
def gradients(a, b, **more):
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf_ops.minigrad_outer(a, b, **more)
    return tape.gradient(y, [a, b])


if tf:
    try:
        print([g.numpy() for g in gradients(a, b)])
    except LookupError as error:
        print("LookupError:", error)

# %%
if tf:
    try:

        @tf.RegisterGradient("MinigradOuter")
        def _(op, dy):
            scale = op.get_attr("scale")
            return tf_ops.minigrad_outer_grad(dy, *op.inputs, scale=scale)

    except KeyError:
        pass  # this cell has run before: a gradient is registered once
    print([g.numpy() for g in gradients(a, b, scale=2.0)])

# %% [markdown]
# gelu(x + bias) has a kernel for the gradient of x, too. That of bias is its sum over
# the rows, and TensorFlow has an operator for that.

# %%
if tf:
    try:

        @tf.RegisterGradient("MinigradBiasGelu")
        def _(op, dy):
            x, bias = op.inputs
            dx = tf_ops.minigrad_bias_gelu_grad(dy, x, bias)
            return dx, tf.reduce_sum(tf.reshape(dx, (-1, tf.size(bias))), 0)

        tf.RegisterGradient("MinigradAdd")(lambda op, dy: (dy, dy))
    except KeyError:
        pass

# %% [markdown]
# Checked against differences, as `gradcheck` does it, all three:

# %%
if tf:
    wide = {n: tf.random.normal(n, dtype=tf.float64) for n in ((2, 3), (2, 4), (4,))}
    three = {
        tf_ops.minigrad_add: [wide[2, 3], 2 * wide[2, 3]],
        tf_ops.minigrad_outer: [wide[2, 3], wide[2, 4]],
        tf_ops.minigrad_bias_gelu: [wide[2, 4], wide[4,]],
    }
    for op, given in three.items():
        for t, n in zip(*tf.test.compute_gradient(op, given), strict=True):
            np.testing.assert_allclose(t, n, atol=1e-6)
        print(op.__name__, "has the gradients that differences give")

# %% [markdown]
# ### In a graph
#
# Under `tf.function` the shape function works before there are numbers: the batch is
# not known, the rest is. And in a graph of TensorFlow 1, with placeholders and a
# session (chapter 12 builds one), it is the same operator.

# %%
if tf:
    unknown = [tf.TensorSpec((None, n), tf.float32) for n in (3, 4)]
    traced = tf.function(tf_ops.minigrad_outer).get_concrete_function(*unknown)
    print("tf.function:", traced.structured_outputs.shape)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, (None, 2))
        y = tf_ops.minigrad_outer(p, p)
        (g,) = tf.compat.v1.gradients(tf.reduce_sum(y), p)
        print("session:    ", *session.run([y, g], {p: [[1.0, 2.0]]}))

# %% [markdown]
# ## Verified
#
# An operator is verified on what breaks operators, not on what one likes to type:
#
# | input | what it finds |
# |---|---|
# | other sizes for each dimension | M and N exchanged |
# | more elements than a block has, no multiple of it | the guard, the grid |
# | empty, 1 | a grid of 0 blocks |
# | transposed, expanded, `x[1:]` | strides and offsets that are ignored |
# | NaN, ±∞ | comparisons, `0 * x` |
# | half, double | digits that are lost, a dispatch that lacks a type |
# | another device, another dtype | a check that is missing |
# | a random upstream gradient | a gradient that is right for ones alone |
#
# `torch.testing.assert_close` compares shape, dtype, device and values, with a
# tolerance by dtype, and **raises**. `torch.allclose` only says False, and a False that
# no line asserts is a test that cannot fail.

# %%
cases = {
    "plain": [torch.rand(3, 5), torch.rand(3, 7)],
    "large": [torch.rand(2, 301), torch.rand(2, 77)],
    "empty": [torch.rand(0, 5), torch.rand(0, 7)],
    "transposed": [torch.rand(5, 3).T, torch.rand(7, 3).T],
    "expanded": [torch.rand(1, 5).expand(3, 5), torch.rand(3, 7)],
    "half": [torch.rand(3, 5).half(), torch.rand(3, 7).half()],
    "odd": [torch.tensor([[torch.nan, torch.inf]]), torch.tensor([[-1.0, 0.0]])],
}
for pair in cases.values() if ops else ():
    expected = torch.einsum("bm,bn->bmn", *pair)
    torch.testing.assert_close(ops.outer(*pair), expected, equal_nan=True)
print("right:" if ops else "not run: needs a C++ compiler", *cases)

# %% [markdown]
# And backward, which is compared in the same way: with a random `dy`, and against a
# reference in double. A gradient here is a sum of up to 301 products, and its rounding
# errors add up: `assert_close` is given more room than the 1e-5 that one product needs.


# %%
def backward_of(f, pair, dy):
    leaves = [x.detach().clone().requires_grad_() for x in pair]
    return torch.autograd.grad(f(*leaves), leaves, dy.to(leaves[0].dtype))


def in_pytorch(a, b):
    return torch.einsum("bm,bn->bmn", a, b)


for name in ("plain", "large", "transposed") if ops else ():
    pair = cases[name]
    dy = torch.randn(*pair[0].shape, pair[1].shape[1])
    reference = backward_of(in_pytorch, [x.double() for x in pair], dy)
    for got, right in zip(backward_of(ops.outer, pair, dy), reference, strict=True):
        torch.testing.assert_close(got, right.float(), rtol=1e-4, atol=1e-4)
    print(name, *torch.library.opcheck(ops.outer, pair).values())

# %% [markdown]
# **To the lab**: exercise 8 (`verify`): you write such a verification, and it is tried
# on wrong operators that it does not show.
#
# ## Measured
#
# Four rules, and what each is against:
#
# 1. **Warm up.** The first call compiles, loads, allocates.
# 2. **Events, not the wall clock.** A launch returns at once; the host's clock times
#    the launch.
# 3. **Several sizes.** What wins on large tensors loses on small ones.
# 4. **Medians of many**, taken in turns: other programs only add.
#
# `torch.utils.benchmark` keeps them: it warms up, waits for the GPU, and repeats. A
# table over shapes, drawn:

# %%
from torch.utils.benchmark import Timer

ways = {"einsum": "einsum('bm,bn->bmn', *pair)", "ours": "outer(*pair)"}
times = {}
for shape in ((8, 16, 16), (8, 256, 256)) if ops else ():
    pair = [torch.rand(shape[0], n, device=where) for n in shape[1:]]
    names = {"einsum": torch.einsum, "outer": ops.outer, "pair": pair}
    timers = [Timer(text, globals=names) for text in ways.values()]
    taken = [timer.blocked_autorange(min_run_time=0.2) for timer in timers]
    times[str(shape)] = [measured.median for measured in taken]
viz.bars(times, [*ways]) if ops else print("not run: needs a C++ compiler")

# %% [markdown]
# A **baseline**: without one a time says nothing. On a CPU PyTorch's loops are tuned
# and ours are written to be read, and an operator that was registered in Python costs
# tens of microseconds a call, which is all that small tensors feel. On a GPU both are
# bound by the memory.
#
# Wall clock against events. **Predict** by how much they differ for a large tensor.

# %%
if gpu and ops:
    pair = [torch.rand(64, 1024, device="cuda") for _ in range(2)]
    for device in "cpu", "cuda":
        timed = minigrad.testing.bench(ops.outer, *pair, device=device, warmup=10)
        print("host's clock" if device == "cpu" else "events      ", timed)
else:
    print("not run: needs a GPU. Chapter 02 says what events are")

# %% [markdown]
# **Memory.** PyTorch keeps what was freed for the next tensor. *Allocated* is what
# tensors hold, *reserved* what was taken from the driver; only the second is what
# `nvidia-smi` shows.

# %%
if gpu and ops:
    torch.cuda.reset_peak_memory_stats()
    ops.outer(*pair)
    for name in "max_memory_allocated", "max_memory_reserved":
        print(f"{name:22}{getattr(torch.cuda, name)() / 2**20:8.0f} MiB")
else:
    print("not run: needs a GPU: torch.cuda.max_memory_allocated, max_memory_reserved")

# %% [markdown]
# **The Python side.** A kernel of 5 µs under 50 µs of Python is a Python program.
# `cProfile` counts calls and times them; here a thousand calls of `ops.outer`.

# %%
import cProfile
import pstats

pair = [torch.rand(2, 4) for _ in range(2)]
with cProfile.Profile() as calls:
    for _ in range(1000 if ops else 0):
        ops.outer(*pair)
rows = pstats.Stats(calls).stats.items()  # (file, line, name): calls, ..., own time
for (file, line, name), (_, count, own, *_) in sorted(rows, key=lambda r: -r[1][2])[:5]:
    where_ = f"{Path(file).name}:{line}" if line else "compiled"
    print(f"{1e3 * own:6.1f} µs  {count:5} calls  {name[:40]:40}  {where_}")

# %% [markdown]
# Most of it is not ours: it is the way through the dispatcher, in Python, for an
# operator that was registered in Python. (`TORCH_LIBRARY` in C++ registers without it,
# and lab 11 is built so.)
#
# **One kernel.** NVIDIA's Nsight Compute runs a kernel several times and reads the
# counters of the hardware: `ncu --set basic python program.py`. (`nvprof` did it until
# the GPUs of 2018; `nsys` draws the timeline of a whole program.) What to read first:
#
# | ncu says | it means |
# |---|---|
# | DRAM Throughput, high | bound by memory: fewer bytes, or be content |
# | Compute (SM) Throughput, high | bound by arithmetic: do less of it |
# | both low | waits: too few threads, or each waits for the one before |
# | Achieved Occupancy | warps that are there, of those that would fit |
# | Sectors/Request | 4: 32 floats side by side; 16: 32 `float4`; scattered: 32 |
# | Bank Conflicts | shared memory served one lane after the other |
#
# For the two kernels of `examples/extension`, on one
# {{extension/op | outer_ | GPU}} (`docs/benchmarks/extension.md`):
#
# | | outer product | bias-GELU |
# |---|---|---|
# | µs | {{extension/op | outer_ | us}} | {{extension/op | bias_gelu_ | us}} |
# | memory, % | {{extension/op | outer_ | DR}} | {{extension/op | bias_ | DR}} |
# | arithmetic, % | {{extension/op | outer_ | co}} | {{extension/op | bias_ | co}} |
# | occupancy, % | {{extension/op | outer_ | ac}} | {{extension/op | bias_ | ac}} |
#
# Both write 16 bytes a thread, and both are bound by memory, as such work should be.

# %%
print(shutil.which("ncu") or "not run: needs a GPU, and Nsight Compute (ncu)")

# %% [markdown]
# Is it worth it? An operator of one's own wins where it **fuses**: gelu(x + bias) in
# PyTorch eager is two kernels, and moves x's size four times (read x, write the sum,
# read it, write y); one kernel moves it twice. `torch.compile` fuses such chains by
# itself, and is what to measure against:
#
#     python benchmarks/extension.py --write
#
# measures outer product and bias-gelu, by minigrad and by this extension, beside
# PyTorch eager and compiled, on the machine where it runs. Where the compiler cannot
# follow, in a sort, a scan, a lookup with a data structure of its own, a kernel by hand
# is the way.
#
# ## What you have seen
#
# - A seam passes addresses; so it checks device, dtype, shape and contiguity.
# - An operator launches on the caller's device and stream, and never waits.
# - Four registrations make an operator: kernel, name, shape rule, gradient. Where the
#   shape rule is missing, a compiler sees a hole.
# - Verification is a list of inputs that break things, and it asserts.
#
# ## Before you go: three questions
#
# 1. A kernel of yours is right in every test, and wrong once in a hundred steps of a
#    training that uses two streams. What is the first line that you look at?
# 2. Why is `register_fake` needed, when the operator itself could be run to see what
#    shape comes out?
# 3. `torch.allclose(y, expected)` stands in a test, and the operator returns zeros.
#    What does the test say?
#
# <details><summary>Answers</summary>
#
# 1. The launch: does it name the current stream? In the default stream it may run
#    before its input has been written by another one.
# 2. A compiler asks before there are numbers, for sizes that are not known yet, and
#    perhaps on a machine without that GPU.
# 3. {{=Nothing|line 5: torch.testing.assert_close(y, expected)}}: False is thrown away.
#    `assert` it, or use `assert_close`.
#
# </details>

# %%
# Check the third answer: which of the two lines stops?
y, expected = torch.zeros(3), torch.ones(3)
torch.allclose(y, expected)
with trying():
    torch.testing.assert_close(y, expected)

# %% [markdown]
# ## To read on
#
# | what | where in PyTorch's source |
# |---|---|
# | build.ninja, compilers, flags | `torch/utils/cpp_extension.py`: `load` |
# | the checks | `c10/util/Exception.h`: `TORCH_CHECK` |
# | one kernel, many dtypes | `aten/src/ATen/Dispatch.h`: `AT_DISPATCH_SWITCH` |
# | the look-up of a kernel | `aten/src/ATen/core/dispatch/Dispatcher.h`: `call` |
# | matmul, mm | `aten/src/ATen/native/LinearAlgebra.cpp`: `matmul`, `_matmul_impl` |
# | mm on a GPU | `aten/src/ATen/native/cuda/Blas.cpp`: `addmm_out_cuda_impl` |
# | and to cuBLAS | `aten/src/ATen/cuda/CUDABlas.cpp`: `gemm` |
# | custom_op | `torch/_library/custom_ops.py`: `CustomOpDef` |
# | opcheck | `torch/testing/_internal/optests/generate_tests.py`: `opcheck` |
#
# And the guide "Create an op" of TensorFlow, and PyTorch's tutorials on custom
# operators.
#
# Now **lab 11**: the same, by you, for another operator.
