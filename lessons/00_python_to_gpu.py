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
# Python can't run on a GPU, and yet `x + y` in PyTorch or CuPy does run there. What
# happens between your line and the GPU? This lesson is a short tour. You'll learn what
# kernels, hosts, devices, streams, and drivers are, run a whole CUDA program, and find
# out why a program can fail without saying a word.
#
# This lesson takes about {{duration}}, builds on Python and NumPy only, and needs no
# GPU. Run each code cell as you reach it. If you're asked to predict something, write
# your guess down first. The **puzzles** ask you to change a single line, and the code
# cell below tells you whether you solved it.
#
# Whatever can run on your machine runs for real, and if something can't, the cell says
# `not run:` and why. Kernels also run in the simulator that comes with minigrad, the
# library that you build in this course. The chapter has two more lessons, for
# reference: [part 2](00_python_to_gpu_libraries.ipynb) compares six libraries, and
# [part 3](00_python_to_gpu_machine.ipynb) is about your own machine.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import ctypes
import inspect
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
import torch

from grading import trying
from minigrad import Kernel, to_device, to_host, viz
from minigrad.testing import bench, toolkit
from minigrad.testing.frameworks import gpu_count

# %% [markdown]
# How many GPUs does NVIDIA's driver find on this machine?

# %%
gpu_count()

# %% [markdown]
# ## Two computers
#
# A machine with a GPU is really two computers. The **host** is the CPU with its memory.
# Python runs there, and every NumPy array is stored there. The **device** is the GPU,
# which has its own memory. A function that runs on the GPU is called a **kernel**, and
# starting it is called a **launch**. So the CPU launches kernels, and the GPU runs
# them.

# %%
viz.machine()

# %% [markdown]
# In this course, kernels use only the device's memory. (CUDA also lets them use the
# host's memory over the bus, but slowly.) So before a launch, we copy the arrays to the
# device, and afterward we copy the result back. These copies go over PCIe, the bus
# between the two computers.
#
# An H200's own memory moves 4,800 GB per second. A copy within this memory both reads
# and writes each byte, so copying 100 MB moves 200 MB. Over PCIe 4, a NumPy array is
# copied at about 10 GB per second. **Predict** how long it takes to copy 100 MB within
# the GPU's memory, and how long over PCIe.

# %%
x = np.ones(25_000_000, np.float32)
y = np.empty_like(x)
here = bench(np.copyto, y, x, warmup=1, repeat=3, device="cpu").median
print(f"host memory, measured here     {1e3 * here:6.2f} ms")
for way, rate in {"PCIe 4, 10 GB/s": 10e9, "an H200's, 4.8 TB/s": 4.8e12 / 2}.items():
    print(f"{way:30} {1e3 * x.nbytes / rate:6.2f} ms, computed")
del x, y

# %% [markdown]
# <details><summary>Answer</summary>
#
# The copy over PCIe takes {{=10 ms|10.00 ms, computed}} instead of {{=0.04}}, which is
# more than two hundred times as long.
#
# </details>

# %% [markdown]
# What you copy, and how often, can matter more than how fast your kernels are.
#
# **Puzzle 1: fewest bytes.** Three NumPy arrays of `n` float32 numbers are on the host,
# and we want `(x + y) * z` as a NumPy array. Someone copies two arrays to the device
# and one back for each of the two operations. What's the smallest number of bytes that
# has to cross the bus?

# %%
n = 1_000_000
crossing = 2 * (2 + 1) * 4 * n  # your line

# %%
print(f"{crossing / 1e6:g} MB", "solved:", crossing % 7919 == 3620)  # no spoiler

# %% [markdown]
# <details><summary>Answer</summary>
#
# All three inputs have to cross once, and so does the result, but the sum x + y stays
# on the device, because only the next kernel needs it.
#
# ```python
# crossing = (3 + 1) * 4 * n
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 3 (`needless_copies`).
#
# ## A whole program in CUDA C++
#
# **CUDA** is NVIDIA's name for a way to write programs for a GPU, with kernels,
# threads, and two memories, and also for the software that runs them: a driver, a
# runtime, compilers, and libraries. Before we use it from Python, let's see a whole
# program in CUDA C++, which is C++ with a few additions. Here's its kernel.

# %%
kernel_source = r"""
extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
"""

# %% [markdown]
# `__global__` says that the host launches this function and the device runs it. A C++
# compiler normally adds the parameter types to a function's name, but `extern "C"`
# turns that off, so that CuPy can find the kernel as `add`. (minigrad finds it anyway.)
# `const float* x` is an array of float32 that's only read, `float* y` may also be
# written, and `int n` is an integer. Many **threads** run the kernel at once, in
# **blocks** of equal size, and all blocks of a launch together are the **grid**. Each
# thread computes its own `i`, as chapter 01 explains, and works on that element.
#
# In minigrad's simulator, we launch 1 block of 32 threads for 4 elements, and the `if`
# stops the other {{=28}} threads. The picture shows which thread wrote which element.

# %%
add = Kernel(kernel_source, "add")
x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
viz.launch(add, 1, 32, (to_device(x), to_device(y), 4))

# %% [markdown]
# **Puzzle 2: squares.** Change the line so that y gets the square of each element of x.

# %%
square = Kernel(
    r"""
extern "C" __global__ void square(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];  // your line
}
""",
    "square",
)

# %%
x, y = to_device(np.arange(5, dtype=np.float32)), to_device(np.ones(5, np.float32))
square(1, 32, (x, y, 5))
print(to_host(y), "solved:", to_host(y).tolist() == [0, 1, 4, 9, 16])

# %% [markdown]
# <details><summary>Answer</summary>
#
# `=` stores a value, and `+=` would add it to what's there. C++ has no `**`.
#
# ```c
# if (i < n) y[i] = x[i] * x[i];
# ```
#
# </details>

# %% [markdown]
# Next comes the host's part of the program, which starts in `main`. `float *dx`
# declares a **pointer**, a variable that holds an address. `cudaMalloc(&dx, size)`
# allocates memory on the device and stores its address in dx. (We pass `&dx`, the
# address of dx itself, so that the function can change dx.) The pointer itself is in
# the host's memory, but the array is on the device, so code on the host must not use
# `dx[0]`. `sizeof x` is the size of x in bytes, and `%g` prints a number.

# %%
host_source = r"""
#include <cstdio>
int main() {
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}; float *dx, *dy;
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dy, sizeof y);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(dx, dy, 4);
    cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
    cudaFree(dx), cudaFree(dy);
}
"""

# %% [markdown]
# `add<<<1, 32>>>(…)` is the launch, with the number of blocks and the number of threads
# per block. **nvcc**, NVIDIA's compiler, compiles the kernel itself and passes the
# host's part on to the machine's C++ compiler.
#
# **Predict** what the program prints on a machine with a GPU, and what it prints
# without one. Is it an error, a crash, or four numbers?

# %%
toolkit.program(kernel_source + host_source)

# %% [markdown]
# <details><summary>Answer</summary>
#
# With a GPU, it prints 11 22 33 44. Without one, it prints 10 20 30 40, and nothing
# else. Compiling doesn't need a GPU, and the program runs to its end although all of
# its CUDA calls fail, so it prints what was in y before.
#
# </details>

# %% [markdown]
# ### Look at the error
#
# CUDA functions don't raise exceptions, but **return** an error number, which our
# program ignores. A launch doesn't return anything, but `cudaGetLastError` says whether
# it was refused. (An error while the kernel runs shows up later, as we'll see.) We
# insert the two lines below right after the launch.

# %%
look = r"""    cudaError_t error = cudaGetLastError();
    printf("%d %s: %s\n", error, cudaGetErrorName(error), cudaGetErrorString(error));
"""
checked = host_source.replace("    cudaMemcpy(y, dy", look + "    cudaMemcpy(y, dy")
toolkit.program(kernel_source + checked)

# %% [markdown]
# 0 is `cudaSuccess`, and 35 means that the driver is missing or too old. The next cell
# asks for a block of 2,048 threads, but a block has at most 1,024. **Predict** which
# four numbers the program prints then, with a GPU.

# %%
toolkit.program(kernel_source + checked.replace("<<<1, 32>>>", "<<<1, 2048>>>"))

# %% [markdown]
# <details><summary>Answer</summary>
#
# With a GPU, it prints `9 cudaErrorInvalidConfiguration: invalid configuration
# argument` and 10 20 30 40. The launch was refused, so nothing was added, but all the
# copies worked.
#
# </details>

# %% [markdown]
# Careful programs check every call, and Python's libraries do it for you and raise an
# exception.
#
# There's a second limit on the size of a block. Threads keep their variables in
# **registers**, of which a block usually gets at most 65,536 for all of its threads. If
# a kernel needs 100 registers per thread, 1,024 threads need 102,400, so you have to
# launch smaller blocks.
#
# **Puzzle 3: enough threads.** We launch `blocks` blocks with 256 threads each, and
# they should work on 1,000 elements. Change the line so that every element gets a
# thread, with as few blocks as possible, for any n.

# %%
n = 1000
blocks = n // 256  # your line

# %%
x, y = to_device(np.ones(n, np.float32)), to_device(np.zeros(n, np.float32))
add(blocks, 256, (x, y, n))
print(int(to_host(y).sum()), "of", n, "solved:", to_host(y).all() and blocks == 4)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `//` rounds down, and 3 blocks have only 768 threads. (`n // 256 + 1` launches a block
# too many if n is 1,024.) This expression rounds up:
#
# ```python
# blocks = (n + 255) // 256
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercises 1 (`pick_launch`) and 2 (`roll`).
#
# ## Who calls whom
#
# There are three layers between a line of Python and the kernel: the library (such as
# PyTorch), the CUDA runtime, and the driver.

# %%
viz.calls()

# %% [markdown]
# The **runtime** is the library whose functions start with `cuda`, such as
# `cudaMalloc`. It calls the **driver**, which is NVIDIA's software in the operating
# system. On a machine with an NVIDIA GPU, including Colab's, it's probably installed
# already. The **toolkit** is what developers install: nvcc, headers, and libraries.
# PyTorch's CUDA **wheels** bring their own runtime, so they need only the driver.
#
# Where does Python end? Let's ask for the source code of `torch.add`. (`with trying():`
# prints an error's message and lets the notebook continue.)

# %%
with trying():
    print(inspect.getsource(torch.add))

# %% [markdown]
# There's {{=no Python source|TypeError}}, because `torch.add` is compiled C++. On
# Linux, a process can list the files that it has loaded. With PyTorch's wheel for the
# CPU, it shows only the first layer.

# %%
maps = Path("/proc/self/maps")
if maps.exists():
    files = {Path(word).name for word in maps.read_text().split() if ".so" in word}
    print(*sorted(f for f in files if re.match("lib(torch|c10|cuda|nv)", f)), sep="\n")
else:
    print("not run: only Linux has this list")

# %% [markdown]
# You can even call the driver from Python, because `ctypes` can open its library and
# call a function. The cell prints 0 for success and then a version, where 13000 means
# CUDA 13.0, the newest that the driver runs.

# %%
try:
    driver, version = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
    print(driver.cuDriverGetVersion(ctypes.byref(version)), version.value)
except OSError as error:
    print(f"not run: there is no driver here ({error})")

# %% [markdown]
# ## The queue: streams
#
# A launch puts the kernel into a queue and returns at once. The queue is called a
# **stream**, and everything in one stream runs in order. A `ThreadPoolExecutor` with
# one worker does the same in Python, so let's use one. Our "kernel" is a function that
# takes 0.1 s.


# %%
def kernel_of(seconds, name, log):
    begin = perf_counter()
    sleep(seconds)
    log.append((name, begin, perf_counter()))


# %% [markdown]
# **Predict**: the CPU launches two kernels of 0.1 s, then does 0.05 s of its own work,
# and then waits for both. How long does it all take?

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
# <details><summary>Answer</summary>
#
# It takes 0.2 s, because the CPU's own work happens while the kernels run.
#
# </details>

# %% [markdown]
# In PyTorch, `torch.cuda.synchronize()` waits for the whole GPU, as
# `cudaDeviceSynchronize()` does in CUDA C++. `cudaStreamSynchronize` waits for one
# stream.
#
# **Puzzle 4: an honest clock.** The code below reads the clock right after the launch.
# Replace the line so that `seconds` is the time that the kernel takes.

# %%
log = []
begin = perf_counter()
job = stream.submit(kernel_of, 0.1, "add", log)
pass  # your line
seconds = perf_counter() - begin

# %%
print(f"{seconds:.3f} s", "solved:", seconds >= 0.1)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Wait first, with `result()`, which stands for `torch.cuda.synchronize()` here. If you
# don't wait, you measure only the launch.
#
# ```python
# job.result()
# ```
#
# </details>

# %% [markdown]
# Kernels in **two** streams may run at the same time. So may a kernel and a copy, if
# the copy is asynchronous and the host's memory is pinned, which chapter 02 explains.
#
# **Puzzle 5: side by side.** Both kernels below go into the same stream. Change the
# line so that they overlap.

# %%
a = ThreadPoolExecutor(max_workers=1)
b = a  # your line

# %%
logs = [], []
jobs = [
    s.submit(kernel_of, 0.2, "add", log) for s, log in zip((a, b), logs, strict=True)
]
[job.result() for job in jobs]
print("solved:", logs[1][0][1] < logs[0][0][2])
viz.spans({"stream a": logs[0], "stream b": logs[1]}, "two kernels")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `b` needs its own queue. In PyTorch, you'd write `torch.cuda.Stream()`.
#
# ```python
# b = ThreadPoolExecutor(max_workers=1)
# ```
#
# </details>

# %% [markdown]
# ### When does the error appear?
#
# **Predict**: the kernel below fails while it runs. Does `submit` raise the error, or
# `result`?

# %%
with trying():
    failing = stream.submit(int, "five")
    print("after submit")
    failing.result()

# %% [markdown]
# <details><summary>Answer</summary>
#
# The error comes from the line that {{=waits|line 4: failing.result()}}, because
# `submit` returns before the kernel fails.
#
# </details>

# %% [markdown]
# On a GPU, an error appears in the same place. Here's a kernel that writes a number to
# an address four terabytes beyond its array. (`1ll << 40` is 2⁴⁰ as a 64-bit integer.)
# **Predict** what the two `printf` lines print on a GPU. (Without a GPU, both print the
# error of the missing driver or device.)

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
# <details><summary>Answer</summary>
#
# The first line says "no error", and the second says "an illegal memory access was
# encountered".
#
# </details>

# %% [markdown]
# If a kernel fails in PyTorch, the exception appears at a later CUDA call, perhaps far
# away. But if you set `CUDA_LAUNCH_BLOCKING=1` before you start Python, every launch
# waits for its kernel, so the line that launched the faulty kernel raises the
# exception. After such an error, the process can't use the GPU any longer, so you have
# to start a new one.
#
# The message doesn't say where the kernel went wrong, but a simulator can. `check` runs
# a launch in the simulator and reports mistakes. Here, `add` is launched for 8
# elements, but the arrays have only 6.

# %%
short = np.zeros(6, np.float32)
print(add.check(1, 8, (short, short.copy(), 8)))

# %% [markdown]
# ## From Python: CuPy and PyTorch
#
# Let's go back to Python. **CuPy** is NumPy on the GPU, with the same names, and if it
# has no function for what you need, you can give it a kernel in CUDA C++.

# %%
try:
    import cupy as cp

    raw, z = cp.RawKernel(kernel_source, "add"), cp.ones(4, cp.float32)
    raw((1,), (32,), (cp.arange(4, dtype=cp.float32), z, np.int32(4)))
    print(cp.asnumpy(z), cp.asnumpy(z + z))
except Exception as error:
    print(f"not run: {type(error).__name__}: {str(error)[:60]}")

# %% [markdown]
# **PyTorch** comes with its kernels already compiled. A tensor's `.device` says where
# it is, `.to(device)` copies it to a device, and `.cpu()` copies it back. If you choose
# the device as in the first line below, your script runs on any machine.

# %%
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
a = torch.tensor([1.0, 2.0, 3.0]).to(device)
b = torch.ones(3, device=device)  # made on the device: nothing is copied
print(a + b, (a + b).cpu().numpy())

# %% [markdown]
# **Predict**: there's no hundredth GPU on this machine. Does `.to("cuda:99")` raise an
# error, or does the tensor stay where it is?

# %%
with trying():
    torch.ones(3).to("cuda:99")

# %% [markdown]
# <details><summary>Answer</summary>
#
# PyTorch {{=raises an error|line 2: torch.ones(3).to("cuda:99")}}, because it never
# falls back to a device that you didn't name.
#
# </details>

# %% [markdown]
# [Part 2](00_python_to_gpu_libraries.ipynb) shows what six libraries do for you.
#
# ## Before you go: three questions
#
# 1. You launch a kernel on 100 million elements and read the clock in the next line. 8
#    microseconds have passed. What did you measure?
# 2. A CUDA program prints plausible but wrong results and no error. What do you look at
#    first?
# 3. Which parts of CUDA do you need in order to run PyTorch on a GPU, and which in
#    order to compile a CUDA C++ program?
#
# <details><summary>Answers</summary>
#
# 1. You measured only the launch. Wait for the GPU before you read the clock.
# 2. Look at the error numbers that its calls return, and at `cudaGetLastError()` after
#    each launch.
# 3. PyTorch needs only the driver, because its wheel brings the rest. To compile, you
#    need the toolkit with nvcc and a C++ compiler, and to run the result, also the
#    driver.
#
# </details>

# %% [markdown]
# Now do **lab 00** and then lesson 01, which looks inside the kernel. Read [part
# 3](00_python_to_gpu_machine.ipynb) before exercise 4, or when something on your
# machine doesn't work.
#
# Further reading: NVIDIA's *CUDA Programming Guide*; J. Nickolls et al., *Scalable
# Parallel Programming with CUDA* (2008); and, in PyTorch's source,
# `torch/cuda/__init__.py` (`_lazy_init`), which runs when you first use a GPU.
