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
# # 00 · Part 3: your machine
#
# Is your machine ready, which wheel fits your driver, and what do CUDA's error messages
# mean? Read this lesson when you need it, for example for exercise 4 of the lab.
#
# This lesson takes about {{duration}} and builds on Python and NumPy only.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import os
import re
import shutil
import subprocess

import torch

from minigrad import viz
from minigrad.cli.doctor import doctor
from minigrad.testing import toolkit

# %% [markdown]
# ## minigrad doctor
#
# `minigrad doctor` in a terminal, or the cell below, says what's installed and what
# each library finds. Each is asked in a separate process, which takes a few seconds.

# %%
status = doctor()

# %% [markdown]
# Read it from the bottom up.
#
# - **PyTorch** and the other libraries: the version, the CUDA version that the wheel
#   was built for, and how many GPUs it finds. "Without CUDA" means a wheel for the CPU.
# - **kernels**: where this course runs your kernels. All labs work in the simulator.
# - **toolkit**: nvcc's CUDA version. You only need it to compile something on this
#   machine, as chapter 11 does.
# - **driver**: the newest CUDA version that it runs. Without a driver (the line is then
#   called **GPU**), no library finds a GPU.
#
# So three numbers are called "CUDA version". They belong to the **driver**, the
# **toolkit**, and each **wheel**, and they may differ. The wheel has to fit the driver,
# but the toolkit doesn't matter for that. `nvidia-smi` shows the first of the three.

# %%
if shutil.which("nvidia-smi"):
    shown = subprocess.run("nvidia-smi", capture_output=True, text=True).stdout
    print("\n".join(shown.splitlines()[:16]))
else:
    print("not run: nvidia-smi is not here. It comes with NVIDIA's driver")

# %% [markdown]
# "CUDA Version" at its top is **the newest CUDA that this driver runs**. It doesn't
# mean that a toolkit is installed or that your PyTorch uses this version. (On Windows,
# GPU-Z also names the GPU, and `clinfo` lists what OpenCL can use.)
#
# Environment variables say where programs look for nvcc and for libraries.

# %%
for name in "PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES":
    print(f"{name:20}", os.environ.get(name, "not set")[:60])

# %% [markdown]
# <details><summary>Who reads which?</summary>
#
# | variable | who reads it, and for what |
# |---|---|
# | `PATH` | the shell and `minigrad doctor`, to find nvcc |
# | `CUDA_HOME` | PyTorch, to find the toolkit if you build an extension |
# | `LD_LIBRARY_PATH` | Linux, to find shared libraries |
# | `CUDA_VISIBLE_DEVICES` | CUDA, which hides all GPUs that aren't listed |
#
# If CUDA_HOME isn't set, PyTorch uses the toolkit of the nvcc in PATH. A common mistake
# is an old CUDA library in LD_LIBRARY_PATH, because Linux may load it instead of your
# wheel's. So if a library reports the wrong version or an undefined symbol, unset the
# variable first.
#
# </details>

# %% [markdown]
# ## From source code to machine code
#
# Different generations of GPUs have different machine code, and each has a number, its
# **compute capability**:
#
# | GPU | capability | | GPU | capability |
# |---|---|---|---|---|
# | T4 | 7.5 | | H100, H200 | 9.0 |
# | A100 | 8.0 | | B200 | 10.0 |
# | RTX 30 | 8.6 | | RTX 50 | 12.0 |
# | RTX 40 | 8.9 | | | |
#
# Compilers write `sm_75` for 7.5, and they work in two steps. First, they generate
# **PTX**, an assembly language for one capability, which a driver can turn into machine
# code for that one and all later ones. Then they generate a **cubin**, which is machine
# code. It runs on GPUs with the same major number and the same or a higher minor
# number, so 8.0 runs on 8.6, but not on 9.0.

# %%
viz.toolchain()

# %% [markdown]
# Here's a small kernel's PTX, without its first half.

# %%
source = r"""
extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}
"""
try:
    ptx = toolkit.ptx(source)
    print("\n".join(ptx[ptx.index(".target") :].splitlines()[:2]), "...")
    print(ptx[ptx.index("ld.global") - 1 :].rstrip())
except toolkit.NoCompiler as why:
    print(why)

# %% [markdown]
# `.target {{=sm_75}}` says that this PTX is for GPUs from 7.5 on. `ld.global.f32` loads
# a float from the device's memory, and `st.global.f32` stores one. `%f1` is a virtual
# register. How many real registers a thread needs is decided only when the machine code
# is generated, and nvcc can report it.

# %%
try:
    report = toolkit.nvcc(source, "-cubin", "-arch=sm_75", "--resource-usage")
    print(re.search("Used [0-9]+ registers", report)[0])
except toolkit.NoCompiler as why:
    print(why)

# %% [markdown]
# ## Which wheel fits?
#
# `cu126` in a wheel's name means CUDA 12.6. A driver runs programs for its own CUDA
# version and for older ones, as long as it still supports your GPU. It also runs
# programs for a newer version with the same major number, but only if they contain a
# cubin for the GPU, because it can't compile newer PTX. **Predict** what a driver for
# 12.8 does with cu130.

# %%
viz.versions([(12, 4), (12, 8), (13, 0)], [(11, 8), (12, 6), (12, 8), (13, 0)])

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=refused|of CUDA 13.0 with a driver of 12.8: refused}}, because the wheel's
# major number is higher. (On data-center GPUs, NVIDIA's cuda-compat package can help.)
#
# </details>

# %% [markdown]
# A wheel also needs a cubin that your GPU runs, or PTX for your GPU's capability or an
# older one. Wheels for CUDA 13 have nothing for GPUs older than 7.5. What was your
# PyTorch built for?

# %%
print("CUDA", torch.version.cuda, "| code for", torch.cuda.get_arch_list() or "no GPU")
print("cuDNN", torch.backends.cudnn.version())

# %% [markdown]
# **Puzzle 1: it fits.** A GPU has capability 8.9, its driver is for CUDA 12.4, and a
# wheel for 12.8 has cubins for these capabilities. Which one runs on the GPU?

# %%
cubins = 7.5, 8.6, 9.0
runs = 9.0  # your line

# %%
print("solved:", runs in cubins and int(runs) == 8 and runs <= 8.9)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The cubin's major number is the GPU's, and its minor number isn't higher. The driver
# accepts the wheel, because both are for CUDA 12 and there's no PTX to compile.
#
# ```python
# runs = 8.6
# ```
#
# </details>

# %% [markdown]
# **cuDNN** is NVIDIA's library of layers, such as convolutions and attention. PyTorch's
# wheel brings the version that it was built with. For TensorFlow, install
# `tensorflow[and-cuda]`, because otherwise it says "Cannot dlopen some GPU libraries".

# %% [markdown]
# **To the lab**: exercise 4 (`wheel_for`).
#
# ## What goes wrong, and its message
#
# Each error of CUDA's runtime has a message, and these are the ones you'll meet.

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
# | message | meaning | fix |
# |---|---|---|
# | {{=CUDA driver version is insufficient}} … | driver too old or missing | 1 |
# | {{=the provided PTX was compiled with an unsupported toolchain}} | PTX too new | 1 |
# | {{=no CUDA-capable device is detected}} | the driver finds no GPU | 2 |
# | {{=no kernel image is available for execution on the device}} | no code for it | 3 |
# | {{=invalid configuration argument}} | grid or block too large, or empty | 4 |
# | {{=too many resources requested for launch}} | block needs too many registers | 4 |
# | {{=an illegal memory access was encountered}} | access outside an array | 5 |
# | {{=misaligned address}}; {{=unspecified launch failure}} | a kernel failed | 5 |
# | {{=out of memory}} | the GPU's memory is full | 6 |
#
# 1. Update the driver, or install a wheel for an older CUDA version.
# 2. Look at what `nvidia-smi` shows, and whether `CUDA_VISIBLE_DEVICES` is set.
# 3. Install another wheel, or build with your GPU's `sm_` number.
# 4. Change the launch to smaller blocks, or fewer of them.
# 5. Fix the kernel, and start a new process.
# 6. Use smaller batches, and see who else uses the GPU.
#
# How much of the GPU's memory is free?

# %%
if torch.cuda.is_available():
    free, total = torch.cuda.mem_get_info()
    print(f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB are free")
else:
    print("not run: PyTorch sees no GPU here")

# %% [markdown]
# CuPy and PyCUDA use the driver's own names, such as `CUDA_ERROR_NO_BINARY_FOR_GPU` for
# "no kernel image". **Predict** which error a program gets on this machine if all it
# does is allocate 16 bytes.

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
# <details><summary>Answer</summary>
#
# With a working GPU, there's none. Without a driver, it's the first message of the
# table.
#
# </details>
#
# ## Before you go: two questions
#
# 1. `nvidia-smi` says CUDA Version 12.8, `nvcc --version` says 12.4, and PyTorch's
#    wheel is cu126. Does PyTorch run on the GPU?
# 2. A wheel has cubins for 8.0 and 9.0 and PTX for 9.0. On which of RTX 40, H100, and
#    RTX 50 does it run?
#
# <details><summary>Answers</summary>
#
# 1. It does, if the wheel has code for the GPU, because 12.6 isn't newer than the
#    driver's 12.8. The version of nvcc doesn't matter.
# 2. It runs on all three. RTX 40 (8.9) takes the cubin for 8.0, H100 takes its own, and
#    for RTX 50 (12.0) the driver compiles the PTX, if it isn't too new for the driver.
#
# </details>

# %% [markdown]
# Further reading: NVIDIA's *CUDA Compatibility* explains drivers and wheels.
