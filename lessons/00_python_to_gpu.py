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
# # 00 · Where Python ends and the GPU begins
#
# Python cannot run on a GPU. Yet `x + y` in PyTorch does, in CuPy and in TensorFlow,
# too. Who does what, between your line and the GPU? After this lesson you can
#
# - say what kernel, host, device, launch, stream, driver and toolkit are, and who calls
#   whom;
# - add two arrays on a GPU in six ways, from Numba to TensorFlow, and choose;
# - read what `minigrad doctor` says of your machine, and the errors that CUDA gives.
#
# It takes about {{duration}}. It builds on Python and NumPy alone. Run each cell as you
# come to it; where you are asked to predict, write your guess down first.
#
# You need no GPU. Whatever can run here runs for real: NVIDIA's compiler where it is
# installed, Numba in its own simulator, PyTorch and TensorFlow on the CPU, CUDA C in
# minigrad's simulator. Whatever cannot says `not run:`, and what it would take.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import ctypes
import inspect
import re
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import torch

from grading import trying
from minigrad import Kernel, device_empty, to_device, to_host, viz
from minigrad.testing import Ways, bench, toolkit
from minigrad.testing.frameworks import gpu_count

# %% [markdown]
# How many GPUs does NVIDIA's driver know on this machine?

# %%
gpu_count()

# %% [markdown]
# ## Two computers
#
# A machine with a GPU is two computers in one case. The **host** is the CPU and its
# memory: there Python runs, and there every NumPy array lies. The **device** is the GPU
# with a memory of its own. A function that the GPU runs is a **kernel**; to start it is
# to **launch** it. The CPU launches, and the GPU works.

# %%
viz.machine()

# %% [markdown]
# A kernel reads the device's memory and no other. So an array must be copied to the
# device first, and the result copied back. The line between the two computers is the
# narrowest place of all.
#
# **Predict**: how long does it take to copy 100 MB within your host memory, over PCIe
# (the bus between the two) to a GPU, and within a large GPU's own memory?

# %%
x = np.ones(25_000_000, np.float32)
y = np.empty_like(x)
here = bench(np.copyto, y, x, warmup=1, repeat=3, device="cpu").median
print(f"host memory, measured here     {1e3 * here:6.2f} ms")
for way, rate in {"PCIe 4, 25 GB/s": 25e9, "an H200's, 4.8 TB/s": 4.8e12 / 2}.items():
    print(f"{way:30} {1e3 * x.nbytes / rate:6.2f} ms, computed")
del x, y

# %% [markdown]
# (A copy within a memory reads and writes, so it has half of the rate.) The way to the
# GPU takes {{=a hundred times|0.04 ms, computed}} as long as a copy there. **What is
# copied, and how often**, decides more than any kernel. Lab 00 has two exercises about
# it.
#
# ## A whole program in CUDA C
#
# **CUDA** is two things: a programming model, of which kernels, threads and the two
# memories are parts, and a platform, NVIDIA's software that makes it run: a driver, a
# runtime, compilers, libraries. Before Python comes in, here is all of it in the
# language that CUDA was made for. CUDA C is C++ with a few words more. First the
# kernel: `__global__` says that the host launches it and the device runs it, and
# `extern "C"` that its name stays as it is written. Many **threads** run it at once, in
# **blocks** of equal size, each for one element, which it finds from its own numbers:
# chapter 01 is about nothing else.

# %%
kernel_text = r"""
extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
"""

# %% [markdown]
# And the host's part. Its functions belong to the **CUDA runtime**: their names begin
# with `cuda`. `cudaMalloc` takes memory of the device, `cudaMemcpy` copies, `cudaFree`
# gives the memory back. `<<<grid, block>>>` is the launch: how many blocks there are,
# and how many threads in each. Both are a **`dim3`**, three numbers, of which those
# that are missing are 1.

# %%
host_text = r"""
#include <cstdio>
int main() {
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, *dx, *dy;
    cudaMalloc(&dx, sizeof x), cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    dim3 grid(1), block(32);
    add<<<grid, block>>>(dx, dy, 4);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
    cudaFree(dx), cudaFree(dy);
}
"""

# %% [markdown]
# 32 threads for 4 elements: the `if`, a guard, stops {{=28}} of them. minigrad's
# simulator runs the same kernel, and draws which thread wrote which element.

# %%
kernel = Kernel(kernel_text, "add")
x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
viz.launch(kernel, 1, 32, (to_device(x), to_device(y), 4))

# %% [markdown]
# **nvcc** is NVIDIA's compiler. It takes the file apart: what is for the device it
# compiles itself, what is for the host it gives to the C++ compiler of the machine.
#
# **Predict**: the next cell compiles the program and runs it. What does it print on a
# machine with a GPU? And on one without: an error, a crash, four numbers?

# %%
toolkit.program(kernel_text + host_text)

# %% [markdown]
# With a GPU: 11 22 33 44. Without one: 10 20 30 40, and not a word. The compiler needs
# no GPU, and the program runs to its end. Each of its calls has failed, and C throws no
# exceptions: a function of the runtime **returns** its error, and a program that does
# not look at it goes on with what was in y before.
#
# ### Look at the error
#
# A launch returns nothing. What went wrong in it is found by `cudaGetLastError`.

# %%
look = r"""    cudaError_t error = cudaGetLastError();
    printf("%d %s: %s\n", error, cudaGetErrorName(error), cudaGetErrorString(error));
"""
checked = host_text.replace("    cudaMemcpy(y, dy", look + "    cudaMemcpy(y, dy")
toolkit.program(kernel_text + checked)

# %% [markdown]
# Number 0 is `cudaSuccess`. Number 35 means that the driver is older than the program
# needs; where there is no driver at all, it is number 35 as well.
#
# **Predict**: blocks have at most 1024 threads. What does the same program say with a
# block of 2048, and which numbers does it print? (Without a GPU: does it come so far?)

# %%
toolkit.program(kernel_text + checked.replace("block(32)", "block(2048)"))

# %% [markdown]
# On a GPU: `9 cudaErrorInvalidConfiguration: invalid configuration argument`, and 10 20
# 30 40. The launch was refused, and nothing else of the program has failed. So
# careful programs wrap every call in a macro that looks at what it returns; that of
# PyTorch is `C10_CUDA_CHECK`. In Python the libraries do it for you, and raise.
#
# ## Who calls whom
#
# Between a line of Python and the kernel lie three layers.

# %%
viz.calls()

# %% [markdown]
# The **driver** comes with the GPU, from NVIDIA, and is part of the operating system.
# The **toolkit** is what developers install: nvcc, headers, libraries. Libraries of
# Python mostly bring their own runtime in the wheel, and need the driver alone.
#
# Where does Python end? Ask for the source of `torch.add`.

# %%
with trying():
    print(inspect.getsource(torch.add))

# %% [markdown]
# {{=There is none|TypeError}}: one step in, and you are in C++. On Linux the process
# says which files it has loaded for that. Which of the layers can you find?

# %%
maps = Path("/proc/self/maps")
if maps.exists():
    files = {Path(word).name for word in maps.read_text().split() if ".so" in word}
    print(*sorted(f for f in files if re.match("lib(torch|c10|cuda|nv)", f)), sep="\n")
else:
    print("not run: only Linux has this list")

# %% [markdown]
# The last layer can be called from Python directly: `ctypes` opens the driver's library
# and calls a function of it. 13000 means that the driver runs programs up to CUDA 13.0.

# %%
try:
    driver, version = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    print(driver.cuDriverGetVersion(ctypes.byref(version)), version.value)
except OSError as error:
    print(f"not run: there is no driver here ({error})")

# %% [markdown]
# ## From text to machine code
#
# GPUs differ in their machine code, from one generation to the next. The generation is
# the **compute capability**: 7.5 is a T4, 8.0 an A100, 9.0 an H100 or H200; compilers
# write `sm_75`. So the way has two steps. **PTX** is an assembly language, from
# which machine code for one generation and all later ones can be made. A **cubin** is
# the machine code of one generation.

# %%
viz.toolchain()

# %% [markdown]
# **NVRTC** is nvcc's compiler as a library, for kernels alone: CuPy calls it while your
# program runs. Here is real PTX, the second half of the kernel `add`.

# %%
try:
    text = toolkit.ptx(kernel_text)
    print("\n".join(text[text.index(".target") :].splitlines()[:2]), "...")
    print(text[text.index("ld.global") - 1 :].rstrip())
except toolkit.NoCompiler as why:
    print(why)

# %% [markdown]
# `ld.global.f32` loads a float from global memory, `st.global.f32` stores one, and
# `%f1` is a **register**, a cell of the thread itself. (The `if` is `@%p1 bra`, in the
# half that is left out.) `.target {{=sm_75}}` says for which GPUs this is: 7.5 and
# newer.
#
# ### Four memories
#
# A kernel knows more than one memory. Which thread sees which?

# %%
viz.memories()

# %% [markdown]
# **Global** memory is large and far away. **Shared** memory belongs to a block and lies
# in the multiprocessor (SM) that runs it. **Constant** memory is 64 KB which kernels
# only read. **Registers** hold each thread's own variables. Here is a kernel with all
# four.

# %%
spaces = r"""
__constant__ float weights[4] = {1, 2, 3, 4};
extern "C" __global__ void spaces(const float* x, float* y) {
    __shared__ float tile[32];
    int t = threadIdx.x;
    float own = x[t];
    tile[t] = own;
    __syncthreads();
    y[t] = tile[31 - t] * weights[t % 4] + own;
}
"""

# %% [markdown]
# **Predict**: which lines of it load and store, and where? Then let the compiler say.

# %%
try:
    for line in toolkit.ptx(spaces).splitlines():
        if re.search(r"(ld|st)\.(global|shared|const)", line):
            print(line.strip())
except toolkit.NoCompiler as why:
    print(why)

# %% [markdown]
# `own` has no load or store of its own: it is a register. How many registers a thread
# needs in all is decided with the machine code. All threads of a block share one store
# of registers, most often 65 536, so **a kernel that needs many gets smaller blocks**.
# A launch that asks for more is refused: `too many resources requested for launch`.

# %%
try:
    said = toolkit.nvcc(spaces, "-cubin", "-arch=sm_75", "--resource-usage")
    print(re.search("Used .*", said)[0])
except toolkit.NoCompiler as why:
    print(why)

# %% [markdown]
# (`smem` is shared memory, {{=128}} bytes: 32 floats. `cmem` is constant memory, in
# which the arguments of a kernel lie, too.) And the simulator runs it.

# %%
x, y = to_device(np.arange(32, dtype=np.float32)), device_empty(32)
Kernel(spaces, "spaces")(1, 32, (x, y))
to_host(y)[:4]

# %% [markdown]
# {{=31}} · 1 + 0, {{=30 · 2 + 1|61}}, {{=29 · 3 + 2|89}}, ... Chapter 02 is about these
# memories.
#
# **To the lab**: exercise 1 (`pick_launch`): grid, block and registers.
#
# ## The queue: streams
#
# A launch puts the kernel into a queue and returns at once. The queue is a **stream**:
# what is in one stream runs in order, one after the other. A `ThreadPoolExecutor` with
# one worker is just that. Let a kernel be something that takes 0.1 s.

# %%
from concurrent.futures import ThreadPoolExecutor


def kernel_of(seconds, name, log):
    begin = perf_counter()
    sleep(seconds)
    log.append((name, begin, perf_counter()))


# %% [markdown]
# **Predict**: the CPU launches two kernels of 0.1 s, then does 0.05 s of work of its
# own, then waits for both. How long does all of it take?

# %%
done, stream = [], ThreadPoolExecutor(max_workers=1)
begin = perf_counter()
both = [stream.submit(kernel_of, 0.1, name, done) for name in ("add", "mul")]
launched = perf_counter()
sleep(0.05)
worked = perf_counter()
both[-1].result()  # cudaStreamSynchronize
cpu = [("launches", begin, launched), ("own work", launched, worked)]
cpu += [("synchronize", worked, perf_counter())]
viz.spans({"CPU": cpu, "stream": done}, "one stream")

# %% [markdown]
# 0.2 s: the CPU's own work costs nothing. To wait is `cudaDeviceSynchronize` for all
# streams, `cudaStreamSynchronize` for one. `torch.cuda.synchronize()`,
# `cupy.cuda.Device().synchronize()`, `numba.cuda.synchronize()` are the same.
# **A clock that does not wait for the GPU measures the launch.**
#
# Two streams may run at the same time: a copy in one, a kernel in the other.

# %%
streams = {"stream 1": [], "stream 2": []}
waits = [
    ThreadPoolExecutor(max_workers=1).submit(kernel_of, 0.1, name, log)
    for name, log in zip(("copy", "add"), streams.values(), strict=True)
]
[wait.result() for wait in waits]
viz.spans(streams, "two streams")

# %% [markdown]
# ### An error comes late
#
# **Predict**: the kernel fails while it runs. Which of the three lines raises?

# %%
with trying():
    failing = stream.submit(int, "five")
    print("launched, no error")
    failing.result()

# %% [markdown]
# {{=The one that waits|line 4: failing.result()}}. So it is on a GPU. Here a kernel
# writes four terabytes past its array. **Predict** both lines, with a GPU; without one
# the driver is missing, in both.

# %%
late = r"""
#include <cstdio>
__global__ void past(float* x) { x[1ll << 40] = 1; }
int main() {
    float* x;
    cudaMalloc(&x, 4);
    past<<<1, 1>>>(x);
    printf("launched: %s\n", cudaGetErrorString(cudaGetLastError()));
    printf("waited: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""
toolkit.program(late)

# %% [markdown]
# On a GPU: "no error", then "an illegal memory access was encountered". In Python it
# shows at the next call that waits, perhaps far away. PyTorch's message says so: "CUDA
# kernel errors might be asynchronously reported at some other API call". With
# `CUDA_LAUNCH_BLOCKING=1` in the environment every launch waits, and the right line
# raises. After such an error the process can use the GPU no more: every later call
# gives the same error. Start it anew.
#
# ## One addition, six ways
#
# z = x + y, in float32, by six libraries. Each cell does it once to compile and warm
# up, then five times more; `ways` compares with NumPy and notes the times. On a GPU
# there are a million elements; a simulator is slow, and gets a thousand.

# %%
n = 1_000_000 if gpu_count() else 1000
blocks = -(-n // 256)  # rounded up
x = np.arange(n, dtype=np.float32)
y = np.full(n, 10, np.float32)
ways = Ways(np.add, x, y)

# %% [markdown]
# **1 · NumPy.** The loop is compiled C, on the CPU, over memory of the host.

# %%
with ways("numpy") as run:
    run(np.add)

# %% [markdown]
# **2 · Numba** compiles Python. A **JIT**, a just-in-time compiler, looks at the types
# of the arguments at the first call, and makes machine code for just these. The kernel
# is written in Python's grammar, but it is no Python any more: no lists, no
# dicts, each variable with one type. `cuda.grid(1)` is the thread's number among all,
# `add[blocks, threads](...)` the launch.
#
# First its simulator, which must be chosen before `cuda` is imported.

# %%
with ways("numba"):
    import numba

    numba.config.ENABLE_CUDASIM = not gpu_count()
    numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # few threads, and we know it
    numba.config.CUDA_WARN_ON_IMPLICIT_COPY = 0  # more of this below

# %% [markdown]
# `to_device` copies there, `copy_to_host` back.

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
# A kernel of Numba takes NumPy arrays, too: `add[blocks, 256](x, y, z)`. **Predict**:
# how many arrays are copied then, in both directions together? What is needed is three.

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
# Six. Numba cannot know which arrays the kernel changes: it copies all three there and
# all three back, **at every call**. That is easy to write, and the commonest reason why
# a first kernel is slower than NumPy. (On a GPU Numba warns of it; we have turned the
# warning off.)
#
# **3 · PyCUDA** is CUDA's driver interface, in Python. The kernel is CUDA C in a
# string. `SourceModule` calls nvcc while the program runs; you take memory, copy and
# launch by hand. Its kernel, which CuPy shares:

# %%
text = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}
"""

# %% [markdown]
# `autoprimaryctx` prepares the GPU, in the same **context** (the process's state on the
# GPU) as other libraries.

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
# `gpuarray` makes arrays of that, with operators whose kernels PyCUDA writes itself.

# %%
with ways("pycuda", "PyCUDA gpuarray") as run:
    from pycuda import gpuarray

    def gpuarray_add(x, y):
        return gpuarray.to_gpu(x) + gpuarray.to_gpu(y)

    run(gpuarray_add, lambda z: z.get())

# %% [markdown]
# PyCUDA compiles on your machine when it is installed, and nvcc runs at each first
# call. So it takes the toolkit, twice. Without a GPU both cells above say `not run`,
# and nothing of PyCUDA has run here: no nvcc, no copy, no launch. Its *text* alone can:
# it is CUDA C, and minigrad's simulator takes it. With a GPU this cell runs on it, by
# CuPy.

# %%
with ways("minigrad") as run:
    kernel = Kernel(text, "add")

    def minigrad_add(x, y):
        dz = device_empty(n)
        kernel(blocks, 256, (to_device(x), to_device(y), dz, n))
        return dz

    run(minigrad_add, to_host)

# %% [markdown]
# **4 · CuPy** is NumPy on the GPU: the same names, another memory.

# %%
with ways("cupy", "CuPy operators") as run:
    import cupy as cp

    run(lambda x, y: cp.asarray(x) + cp.asarray(y), cp.asnumpy)

# %% [markdown]
# Where an operator is missing, `RawKernel` takes CUDA C. NVRTC compiles it at the first
# call; the cubin is kept on disk for the next process.

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
# `ElementwiseKernel` wants the line for one element alone, and writes the kernel around
# it: the index, the guard, broadcasting.

# %%
with ways("cupy", "CuPy ElementwiseKernel") as run:
    import cupy as cp

    each = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x + y", "add")
    run(lambda x, y: each(cp.asarray(x), cp.asarray(y)), cp.asnumpy)

# %% [markdown]
# How one writes a kernel around a line can be shown anywhere. Here it is for two
# inputs; minigrad, CuPy and PyTorch all do it, for any number and any layout.
# (`allclose`, because a GPU may round `x * x + y` once and NumPy rounds twice: chapter
# 04 has more of it.)

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
# **5 · PyTorch** has its kernels ready, compiled by those who built the wheel. A tensor
# says where it lies: `.device`. `.to(device)` copies, `.cpu()` copies back, and
# `.numpy()` works for tensors of the CPU alone. By `torch.cuda.is_available()` one
# script runs everywhere.

# %%
with ways("torch") as run:
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

    def torch_add(x, y):
        return torch.from_numpy(x).to(device) + torch.from_numpy(y).to(device)

    run(torch_add, lambda z: z.cpu().numpy())

# %% [markdown]
# A tensor is best made where it is needed: `device=` saves the copy. `"cuda"` is the
# current GPU, `"cuda:1"` the second; the number is the **device index**, and there are
# `torch.cuda.device_count()` of them.

# %%
a = torch.tensor([1.0, 2.0, 3.0], device=device)
b = torch.randn(3, device=device)
print((a + b).cpu().numpy().dtype, (a + b).device, torch.device("cuda:1").index)

# %% [markdown]
# **Predict**: there is no hundredth GPU. Does `.to("cuda:99")` raise, or stay where it
# is?

# %%
with trying():
    torch.ones(3).to("cuda:99")

# %% [markdown]
# PyTorch {{=never|line 2: torch.ones(3).to("cuda:99")}} chooses another device than the
# one you name. And two devices in one expression are refused (chapter 04).
#
# **6 · TensorFlow** places operators by itself: on the GPU if there is one. `tf.device`
# says where instead, `.numpy()` copies back.

# %%
with ways("tensorflow") as run:
    import tensorflow as tf

    there = "/GPU:0" if tf.config.list_physical_devices("GPU") else "/CPU:0"

    def tensorflow_add(x, y):
        with tf.device(there):
            return tf.constant(x) + tf.constant(y)

    run(tensorflow_add, lambda z: z.numpy())

# %% [markdown]
# **Predict**: the same with a device that is not there, "/GPU:99". Does it raise, as
# PyTorch does?

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
# By default {{=it does not|no error}}: TensorFlow takes a device that is there, and
# says nothing (`tf.debugging.set_log_device_placement(True)` makes it speak). So look
# at `.device` before you believe that a GPU has worked. Another habit of it: on a GPU
# it takes nearly all of the memory at the first call, unless
# `tf.config.experimental.set_memory_growth` is set.
#
# ## In one table
#
# What was run on this machine, and what was measured. Lines are those of the cell;
# `text`, the kernel in CUDA C, has four more.

# %%
ways.table()

# %% [markdown]
# **Predict** before you look: in which of them is the first call much longer than the
# later ones, and why? The first and the later calls, side by side:

# %%
viz.bars(ways.times(), ["first call", "later calls"])

# %% [markdown]
# What compiles at the first call takes its time then: Numba for its types, CuPy for
# each new kernel and once for the GPU's context; PyTorch and TensorFlow load theirs.
# All later calls pay for the copies and for Python's way down. (The times of simulators
# say nothing about GPUs.) Who does what:

# %%
ways.who()

# %% [markdown]
# ## Which one, when?
#
# | | kernels are written as | take it for |
# |---|---|---|
# | CUDA C++ | C++, for nvcc | libraries; all that a GPU can do |
# | CuPy | NumPy's names, CUDA C | NumPy code on the GPU, own kernels beside it |
# | Numba | Python functions | own kernels without C, for GPU and CPU |
# | PyCUDA | CUDA C in strings | older code; the driver's interface from Python |
# | Triton | Python on blocks of elements | fused kernels in PyTorch |
# | PyTorch, TensorFlow, JAX | operators, ready or generated | models, gradients |
# | ROCm (HIP) | C++ with `hip` for `cuda` | AMD's GPUs |
# | OpenCL | C in strings | GPUs of any maker, CPUs, FPGAs |
#
# In Triton one program works on a whole block of elements, and the compiler shares it
# out among threads; `torch.compile` writes Triton. PyTorch for ROCm calls an AMD GPU
# "cuda", so that scripts run as they are. A tool, `hipify`, turns `cudaMalloc` into
# `hipMalloc`; kernels mostly stay as they are.
#
# So a kernel hardly changes from one to the next, and porting is a matter of small
# differences. **Predict** what this prints, in C and in Python.

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
# C's remainder has the sign of the left side. As an index, {{=-3}} is three cells
# before the array.
#
# **To the lab**: exercise 2 (`roll`), 3 (`costliest_copy`) and 4 (`needless_copies`).
#
# ## Does my machine do?
#
# `minigrad doctor` in a terminal, or as here, says what is installed, and what each
# library sees. Each is asked in a process of its own; it takes some seconds.

# %%
from minigrad.cli.doctor import doctor

status = doctor()

# %% [markdown]
# Read it from the bottom up:
#
# - **PyTorch** and the others: the version, the CUDA that its wheel is built with, and
#   how many GPUs it sees. "without CUDA" is a wheel for the CPU, whatever GPU there is.
# - **kernels**: where this course runs yours. In the simulator all labs work.
# - **toolkit**: the CUDA of nvcc. It is needed only where something is compiled on this
#   machine: PyCUDA, chapter 11.
# - **driver**: the newest CUDA that it runs. Without it (the line is then called
#   **GPU**) no library sees any GPU.
#
# Three numbers, all called "CUDA version": of the **driver**, of the **toolkit**, of
# each **wheel**. They may differ. What must fit are wheel and driver; the toolkit has
# no say in it. `nvidia-smi` shows the first of the three.

# %%
import shutil
import subprocess

if shutil.which("nvidia-smi"):
    shown = subprocess.run("nvidia-smi", capture_output=True, text=True).stdout
    print("\n".join(shown.splitlines()[:16]))
else:
    print("not run: nvidia-smi is not here. It comes with NVIDIA's driver")

# %% [markdown]
# "CUDA Version" in its head is **the newest CUDA that this driver runs**. It does not
# mean that a toolkit is installed, nor that your PyTorch uses it; it is there on
# machines that have never seen nvcc.
#
# ### Which wheel fits?
#
# `cu126` in a wheel's name means CUDA 12.6. A driver runs older programs without limit.
# Newer ones it runs within its own major number, if there is a cubin for the GPU; what
# it cannot do is compile a newer PTX. **Predict** the row of cu130 with a driver of
# 12.8.

# %%
viz.versions([(12, 4), (12, 8), (13, 0)], [(11, 8), (12, 6), (12, 8), (13, 0)])

# %% [markdown]
# {{=Refused|of CUDA 13.0 with a driver of 12.8: refused}}: 13 is more than 12. And
# there must be code for the GPU inside: a **cubin** of the same major capability, with
# a minor number that is not above the GPU's (8.0 runs on 8.6, not on 9.0), or **PTX**
# of any capability up to the GPU's. A wheel for CUDA 13 has none for a GPU of 7.0 and
# older. What was your PyTorch built for?

# %%
print("CUDA", torch.version.cuda, "| code for", torch.cuda.get_arch_list() or "no GPU")
print("cuDNN", torch.backends.cudnn.version())

# %% [markdown]
# **cuDNN** is NVIDIA's library of layers: convolutions, norms, attention. PyTorch's
# wheel brings the one it was built with. TensorFlow installs it beside itself by
# `tensorflow[and-cuda]`; one from elsewhere on the path, of another major version, is
# the classical reason for "Cannot dlopen some GPU libraries".
#
# How much memory is there, and how much is free?

# %%
if torch.cuda.is_available():
    free, total = torch.cuda.mem_get_info()
    print(f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB are free")
else:
    print("not run: PyTorch sees no GPU here")

# %% [markdown]
# ### What goes wrong, and its message
#
# The runtime has a text for each of its errors. These are the ones that you will meet.

# %%
messages = r"""
#include <cstdio>
int main() {
    for (int code : {35, 222, 100, 209, 9, 701, 700, 716, 719, 2})
        printf("%3d %s\n", code, cudaGetErrorString(cudaError_t(code)));
}
"""
toolkit.program(messages)

# %% [markdown]
# | message | means | mend |
# |---|---|---|
# | {{=CUDA driver version is insufficient}} ... | driver too old, or missing | 1 |
# | {{=the provided PTX was compiled with an unsupported toolchain}} | PTX too new | 1 |
# | {{=no CUDA-capable device is detected}} | the driver sees no GPU | 2 |
# | {{=no kernel image is available for execution on the device}} | no code for it | 3 |
# | {{=invalid configuration argument}} | grid or block out of bounds, or 0 | 4 |
# | {{=too many resources requested for launch}} | registers, shared memory | 4 |
# | {{=an illegal memory access was encountered}} | a kernel went past an array | 5 |
# | {{=misaligned address}}; {{=unspecified launch failure}} | a kernel went wrong | 5 |
# | {{=out of memory}} | the device's is full | 6 |
#
# 1. Renew the driver, or take a wheel of an older CUDA.
# 2. What does `nvidia-smi` show? Is `CUDA_VISIBLE_DEVICES` set?
# 3. Take another wheel, or build with the GPU's `sm_` number.
# 4. Mend the launch: smaller blocks, or more of them.
# 5. Mend the kernel, and start a new process.
# 6. Take smaller batches; see who else is on the GPU.
#
# The driver's interface, which CuPy and PyCUDA use, has names of its own:
# `CUDA_ERROR_NO_BINARY_FOR_GPU` is "no kernel image". Which error does a program get
# here that only wants 16 bytes?

# %%
sixteen = r"""
#include <cstdio>
int main() {
    void* p;
    printf("%s\n", cudaGetErrorString(cudaMalloc(&p, 16)));
}
"""
toolkit.program(sixteen)

# %% [markdown]
# "An illegal memory access" does not say where. A simulator can: here a kernel adds 8
# elements of arrays that have 6.

# %%
short = np.zeros(6, np.float32)
print(Kernel(text, "add").check(1, 8, (short, short.copy(), short.copy(), 8)))

# %% [markdown]
# **To the lab**: exercises 5 (`read_error`) and 6 (`wheel_for`).
#
# ## Summary
#
# - The host launches, the device runs kernels, each on its own memory; copies between
#   them cost most.
# - Python → C++ → CUDA runtime → driver → GPU. A launch returns at once; results and
#   errors come when one waits.
# - CUDA C or Python → PTX → cubin: at build time, at the first call, or in the driver.
# - One kernel, many libraries: they differ in who compiles, who copies, and what comes
#   back.
# - Wheel and driver must fit: the major number of CUDA, and code for the GPU.
#
# ## Before you go: three questions
#
# 1. `nvidia-smi` says CUDA Version 12.8, `nvcc --version` says 12.4, PyTorch's wheel is
#    cu126. Does PyTorch run on the GPU?
# 2. A kernel is launched, and the next line reads the clock: 8 microseconds for 100
#    million elements. What was measured?
# 3. Numba's kernel is called a thousand times with the same three NumPy arrays of 4 MB.
#    How many bytes go over PCIe, and how many had to?
#
# <details><summary>Answers</summary>
#
# 1. Yes, if the wheel has code for the GPU: 12.6 is no newer than the driver's 12.8.
#    nvcc's version has no part in it.
# 2. The launch. Wait first: `torch.cuda.synchronize()`.
# 3. 6 · 4 MB · 1000 = {{=24000}} MB. With `to_device` once and `copy_to_host` at the
#    end, {{=12}} MB.
#
# </details>

# %%
6 * 4 * 1000, (2 + 1) * 4

# %% [markdown]
# Now **lab 00**, and then lesson 01, which opens the kernel: which thread does which
# element?
#
# To read on: NVIDIA's *CUDA C++ Programming Guide*, chapters 1 to 3, is the reference
# for what was said here; *CUDA Compatibility* for drivers and wheels; J. Nickolls and
# others, *Scalable Parallel Programming with CUDA* (2008); and in PyTorch
# `torch/cuda/__init__.py` (`_lazy_init`), where the first use of a GPU begins.
