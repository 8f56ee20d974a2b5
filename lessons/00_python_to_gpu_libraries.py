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
# # 00 · Part 2: one addition, six libraries
#
# Six Python libraries add two arrays here, and a table shows what each of them does for
# you. This part is a reference, which you don't need for the lab.
#
# This lesson takes about {{duration}} and builds on Python and NumPy only. What can't
# run on your machine says `not run:` and why.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np
import torch

from minigrad import Kernel, device_empty, to_device, to_host, viz
from minigrad.testing import Ways
from minigrad.testing.frameworks import gpu_count

# %% [markdown]
# We add two float32 arrays, z = x + y. Each library adds them once to compile and warm
# up, and then five more times. `ways` compares the results with NumPy's and keeps the
# times. With a GPU, the arrays have a million elements. Without one, they have a
# thousand, because simulators are slow.

# %%
n = 1_000_000 if gpu_count() else 1000
blocks = -(-n // 256)  # rounded up
x = np.arange(n, dtype=np.float32)
y = np.full(n, 10, np.float32)
ways = Ways(np.add, x, y)

# %% [markdown]
# ## 1. NumPy
#
# NumPy's loop is compiled C, which runs on the CPU and uses the host's memory.

# %%
with ways("numpy") as run:
    run(np.add)

# %% [markdown]
# ## 2. Numba
#
# Numba compiles Python. It's a **JIT** (just-in-time compiler), which looks at the
# types of the arguments at the first call and generates machine code for them. A kernel
# has Python's syntax, but it can use only a small part of Python, without lists or
# dicts, and each variable has one type. `cuda.grid(1)` is the thread's number among all
# threads, and `add[blocks, threads](…)` is the launch. For GPUs, install the package
# `numba-cuda`.
#
# Without a GPU, we use Numba's own simulator, which must be chosen before `cuda` is
# imported.

# %%
with ways("numba"):
    import numba

    numba.config.ENABLE_CUDASIM = not gpu_count()
    numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # few threads, and we know it
    numba.config.CUDA_WARN_ON_IMPLICIT_COPY = 0  # more on this below

# %% [markdown]
# `to_device` copies to the device, and `copy_to_host` copies back.

# %%
with ways("numba") as run:
    from numba import cuda

    @cuda.jit
    def add(x, y, z):
        i = cuda.grid(1)
        if i < z.size:
            z[i] = x[i] + y[i]

    def numba_add(x, y):
        dx, dy = cuda.to_device(x), cuda.to_device(y)
        dz = cuda.device_array_like(dx)
        add[blocks, 256](dx, dy, dz)
        return dz

    run(numba_add, lambda z: z.copy_to_host())

# %% [markdown]
# A Numba kernel also accepts NumPy arrays: `add[blocks, 256](x, y, z)`. **Predict** how
# many copies that takes, in both directions. Only three copies are necessary.

# %%
with ways("numba", "Numba, NumPy arrays") as run:
    from numba import cuda

    def implicit_add(x, y):
        z = np.zeros_like(x)
        add[blocks, 256](x, y, z)
        cuda.synchronize()
        return z

    run(implicit_add)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Numba makes six copies. It can't know which arrays the kernel changes, so it copies
# all three to the device and all three back, **at every call**. Such a call is easy to
# write, and it's a common reason why a first kernel is slower than NumPy.
#
# </details>

# %% [markdown]
# `numba.njit` compiles for the CPU, so you can watch it compile on any machine.
# **Predict** how many versions these three calls compile.

# %%
with ways("numba"):
    import numba

    @numba.njit
    def twice(x):
        return 2 * x

    print(twice(1), twice(2.5), twice(3), twice.signatures)

# %% [markdown]
# <details><summary>Answer</summary>
#
# There are {{=two|[(int64,), (float64,)]}}, one for each type.
#
# </details>
#
# ## 3. PyCUDA
#
# PyCUDA gives Python access to CUDA's driver. The kernel is CUDA C++ in a string.
# `SourceModule` calls nvcc when it meets a new kernel, and you allocate, copy, and
# launch by hand. Here's the kernel, which we'll also use for minigrad and CuPy.

# %%
text = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""

# %% [markdown]
# `autoprimaryctx` prepares the GPU. It uses the same **context** (the process's state
# on the GPU) as other libraries. (Older code imports `autoinit`, which creates a
# separate context, so PyTorch can't safely use its arrays.)

# %%
with ways("pycuda") as run:
    from pycuda import autoprimaryctx, compiler  # noqa: F401
    from pycuda import driver as drv

    function = compiler.SourceModule(text).get_function("add")

    def pycuda_add(x, y):
        dx, dy, dz = (drv.mem_alloc(x.nbytes) for _ in range(3))
        drv.memcpy_htod(dx, x)
        drv.memcpy_htod(dy, y)
        function(dx, dy, dz, np.int32(n), grid=(blocks, 1), block=(256, 1, 1))
        return drv.from_device_like(dz, x)

    run(pycuda_add)

# %% [markdown]
# This cell needs a GPU and the toolkit, but minigrad can run its kernel anywhere.

# %%
with ways("minigrad") as run:
    kernel = Kernel(text, "add")

    def minigrad_add(x, y):
        dz = device_empty(n)
        kernel(blocks, 256, (to_device(x), to_device(y), dz, n))
        return dz

    run(minigrad_add, to_host)

# %% [markdown]
# ## 4. CuPy
#
# CuPy uses NumPy's names, but its arrays are on the device.

# %%
with ways("cupy", "CuPy operators") as run:
    import cupy as cp

    run(lambda x, y: cp.asarray(x) + cp.asarray(y), cp.asnumpy)

# %% [markdown]
# If CuPy has no operator for what you need, `RawKernel` accepts CUDA C++. CuPy compiles
# it with **NVRTC**, a library that contains nvcc's compiler for kernels, and keeps the
# result on disk for the next process.

# %%
with ways("cupy", "CuPy RawKernel") as run:
    import cupy as cp

    raw = cp.RawKernel(text, "add")

    def raw_add(x, y):
        dz = cp.empty(n, np.float32)
        raw((blocks,), (256,), (cp.asarray(x), cp.asarray(y), dz, np.int32(n)))
        return dz

    run(raw_add, cp.asnumpy)

# %% [markdown]
# With `ElementwiseKernel`, you write only the line for one element, and CuPy adds the
# index, the guard, and broadcasting.

# %%
with ways("cupy", "CuPy ElementwiseKernel") as run:
    import cupy as cp

    each = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x + y", "add")
    run(lambda x, y: each(cp.asarray(x), cp.asarray(y)), cp.asnumpy)

# %% [markdown]
# You can do that too, with this frame for a kernel with two inputs. minigrad, CuPy, and
# PyTorch generate such kernels for any number of inputs and any layout.

# %%
frame = r"""
extern "C" __global__ void each(const float* X, const float* Y, float* Z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float x = X[i], y = Y[i], z; LINE; Z[i] = z; }
}
"""


def elementwise(line):
    return Kernel(frame.replace("LINE", line), "each")


# %%
dz = device_empty(n)
elementwise("z = x * x + y")(blocks, 256, (to_device(x), to_device(y), dz, n))
np.allclose(to_host(dz), x * x + y)

# %% [markdown]
# **Puzzle 1: your line.** Let z be the larger of x and y. (Python's `a if c else b` is
# `c ? a : b` in C++.)

# %%
line = "z = x + y"  # your line

# %%
dz = device_empty(n)
elementwise(line)(blocks, 256, (to_device(x), to_device(y), dz, n))
print("solved:", np.array_equal(to_host(dz), np.maximum(x, y)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `fmaxf(x, y)` works, too.
#
# ```python
# line = "z = x > y ? x : y"
# ```
#
# </details>

# %% [markdown]
# ## 5. PyTorch
#
# PyTorch's kernels were compiled when its wheel was built. `.to(device)` copies a
# tensor, and `.cpu()` copies it back.

# %%
with ways("torch") as run:
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

    def torch_add(x, y):
        return torch.from_numpy(x).to(device) + torch.from_numpy(y).to(device)

    run(torch_add, lambda z: z.cpu().numpy())

# %% [markdown]
# It's best to make a tensor where you need it, with `device=`, because that saves a
# copy. `"cuda"` is the current GPU, and `"cuda:1"` is the second one. The number is
# called the **device index**, and `torch.cuda.device_count()` says how many there are.

# %%
a = torch.tensor([1.0, 2.0, 3.0], device=device)
b = torch.randn(3, device=device)
print((a + b).cpu().numpy().dtype, (a + b).device, torch.device("cuda:1").index)

# %% [markdown]
# ## 6. TensorFlow
#
# TensorFlow chooses the device itself and takes a GPU if there is one. `tf.device`
# overrides that, and `.numpy()` copies back.

# %%
with ways("tensorflow") as run:
    import tensorflow as tf

    there = "/GPU:0" if tf.config.list_physical_devices("GPU") else "/CPU:0"

    def tensorflow_add(x, y):
        with tf.device(there):
            return tf.constant(x) + tf.constant(y)

    run(tensorflow_add, lambda z: z.numpy())

# %% [markdown]
# PyTorch raises an error if you name a device that doesn't exist. **Predict** whether
# TensorFlow does the same, here with "/GPU:99".

# %%
with ways("tensorflow"):
    import tensorflow as tf

    try:
        with tf.device("/GPU:99"):
            z = tf.constant(x) + tf.constant(y)
        print("no error; it ran on", z.device.rpartition("device:")[2])
    except Exception as error:
        print(type(error).__name__, str(error)[:200])

# %% [markdown]
# <details><summary>Answer</summary>
#
# By default, {{=it runs on another device|no error}} and says nothing.
#
# </details>

# %% [markdown]
# Look at `.device` before you believe that a GPU did the work, or call
# `tf.debugging.set_log_device_placement(True)`. On a GPU, TensorFlow also takes nearly
# all of the memory at its first call, unless you call
# `tf.config.experimental.set_memory_growth`.
#
# `with tf.device` affects only operators that are called inside it. Around `z.numpy()`
# alone, it does nothing, because z exists already.
#
# ## In one table
#
# The table shows what ran on this machine. It counts the lines of each cell, and a
# kernel in CUDA C++ has four more.

# %%
ways.table()

# %% [markdown]
# Some first calls take much longer than the later ones, because libraries compile or
# load something then. On a GPU, later calls still pay for the copies and for the way
# from Python down to the driver. (The times of simulators say nothing about GPUs.)

# %%
viz.bars(ways.times(), ["first call", "later calls"])

# %% [markdown]
# And here's who does what.

# %%
ways.who()

# %% [markdown]
# ## Which one, and when?
#
# | | you write kernels as | use it for |
# |---|---|---|
# | CUDA C++, Fortran | C++ for nvcc, Fortran for nvfortran | everything a GPU can do |
# | CuPy | NumPy's names, CUDA C++ | NumPy code on the GPU, and your own kernels |
# | Numba | Python functions | your own kernels without C++, for GPU and CPU |
# | cuda.core | CUDA C++ in strings | NVIDIA's own Python interface to CUDA |
# | PyCUDA | CUDA C++ in strings | older code of this kind |
# | Triton, cuTile | Python on blocks of elements | several operators in one kernel |
# | PyTorch, TensorFlow, JAX | operators | models and gradients |
# | ROCm (HIP) | C++ with `hip` for `cuda` | AMD's GPUs |
# | OpenCL | C in strings | GPUs of any maker, CPUs, FPGAs |
#
# In Triton, a program works on a whole block of elements, and the compiler distributes
# the block over threads. `torch.compile` generates such programs. On AMD's GPUs,
# PyTorch calls the device "cuda" too, so scripts run without changes.
#
# The tool `hipify` does little more than replace names. **Predict** how many of these
# five lines change.

# %%
nvidia = """\
#include <cuda_runtime.h>
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
cudaMalloc(&x, 128);
twice<<<1, 32>>>(x);
cudaDeviceSynchronize();""".splitlines()
amd = [line.replace("cuda_", "hip/hip_").replace("cuda", "hip") for line in nvidia]
print(*amd, sep="\n")
print(sum(a != b for a, b in zip(amd, nvidia, strict=True)), "changed")

# %% [markdown]
# <details><summary>Answer</summary>
#
# {{=Three|3 changed}} do. The kernel and its launch stay as they are.
#
# </details>

# %% [markdown]
# Between CUDA C++, HIP, CuPy, PyCUDA, and Numba, a kernel hardly changes. The small
# differences matter, though. For example, C++'s remainder has the sign of the left
# operand. **Predict** what C++ and Python print for (i − 3) % 5, with i from 0 to 5.

# %%
cuda_c = Kernel(
    r"""
extern "C" __global__ void modulo(int* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = (i - 3) % 5;
}
""",
    "modulo",
)
y = to_device(np.zeros(6, np.int32))
cuda_c(1, 32, (y, 6))
print("CUDA C", *to_host(y), "\nPython", *[(i - 3) % 5 for i in range(6)])

# %% [markdown]
# <details><summary>Answer</summary>
#
# They differ in the first three, which are negative in C++. As an index, {{=-3}} would
# be three elements before the start of the array.
#
# </details>
