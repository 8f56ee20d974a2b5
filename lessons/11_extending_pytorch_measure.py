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
# # 11 · Part 2: Was it worth it?
#
# Your operator is inside PyTorch, but is it also faster than what was there before? In
# this lesson, you compare the two fairly and read a profiler's report.
#
# This lesson takes about {{duration}} and builds on part 1. It isn't on the core path.
# All GPU times were measured on one {{extension/op | outer_ | GPU}}
# (`docs/benchmarks/extension.md`).

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import cProfile
import pstats
import shutil
from pathlib import Path

import torch
from torch.utils.benchmark import Timer

from minigrad import answers_from, viz
from minigrad.testing import extension, rate

answers_from("solutions", before="12_graphs")
where = "cuda" if torch.cuda.is_available() else "cpu"
try:
    ops = extension.minigrad_ops()
except (extension.NoCompiler, extension.BuildFailed) as problem:
    ops = print(problem)

# %% [markdown]
# ## A fair comparison
#
# Here are chapter 02's rules for timing a kernel, and a fifth.
#
# 1. Warm up, because the first call compiles.
# 2. Wait for the GPU, because a launch returns before the kernel has finished.
# 3. Try several sizes.
# 4. Repeat, and alternate between the candidates.
# 5. Make both do the same work, in the same dtype and gradient mode.
#
# `torch.utils.benchmark.Timer` does the warm-up and the waiting. It reads the host's
# clock, so its times include the launch, and it doesn't alternate.
#
# **Puzzle 1: the same work.** The next cells compare PyTorch's `einsum` with our
# extension, but `einsum` has more work to do. Give it the same work.

# %%
pair = [torch.rand(8, n, device=where) for n in (256, 256)]
theirs = [x.double().requires_grad_() for x in pair]  # your line

# %%
names = {"outer": ops.outer if ops else None, "pair": pair, "theirs": theirs}
texts = {"einsum": "torch.einsum('bm,bn->bmn', *theirs)", "ours": "outer(*pair)"}
for name, text in texts.items() if ops else ():
    timer = Timer(text, globals=names | {"torch": torch})
    print(f"{name:7} {1e6 * timer.blocked_autorange(min_run_time=0.2).median:6.1f} µs")
each = zip(pair, theirs, strict=True)
alike = all(x.dtype == y.dtype and not y.requires_grad for x, y in each)
print("solved:", alike)

# %% [markdown]
# <details><summary>Answer</summary>
#
# In double, `einsum` has to move twice as many bytes, and it also records the operation
# for the gradient.
#
# ```python
# theirs = pair
# ```
#
# </details>

# %% [markdown]
# Now let's compare both at two sizes.

# %%
times = {}
for n in (16, 256) if ops else ():
    pair = [torch.rand(8, n, device=where) for _ in range(2)]
    names = {"torch": torch, "outer": ops.outer, "pair": pair, "theirs": pair}
    timers = [Timer(text, globals=names) for text in texts.values()]
    taken = [timer.blocked_autorange(min_run_time=0.2) for timer in timers]
    times[f"8 × {n} × {n}"] = [measured.median for measured in taken]
viz.bars(times, [*texts]) if ops else print("not run: needs a C++ compiler")

# %% [markdown]
# On a CPU, PyTorch's loops are tuned, but ours are written to be read. Both results are
# small, so on a GPU you mostly see the cost of a call.
#
# ## Python's share
#
# If Python takes 50 µs to launch a 5 µs kernel, you're timing Python. `cProfile` counts
# and times the calls to Python functions, here in a thousand calls to our operator.

# %%
pair = [torch.rand(2, 4) for _ in range(2)]
with cProfile.Profile() as calls:
    for _ in range(1000 if ops else 0):
        ops.outer(*pair)
rows = pstats.Stats(calls).stats.items()  # (file, line, name): calls, ..., own time
for (file, line, name), (_, count, own, *_) in sorted(rows, key=lambda r: -r[1][2])[:5]:
    place = f"{Path(file).name}:{line}" if line else "compiled"
    print(f"{1e3 * own:6.1f} µs  {count:5} calls  {name[:40]:40}  {place}")

# %% [markdown]
# The first column is each function's own time per call. Most of the time goes to the
# dispatcher's Python functions, because `ops.outer` was registered from Python, unlike
# the bare `ops._C.outer`. With `TORCH_LIBRARY` in C++, a call doesn't pass through
# them.
#
# ## The GPU's share
#
# NVIDIA has two profilers. Nsight Systems (`nsys`) draws a timeline of the whole
# program, and Nsight Compute (`ncu`) runs each kernel several times to read the
# hardware's counters.

# %%
for command in "nsys profile python program.py", "ncu --set full python program.py":
    tool = command.partition(" ")[0]
    print(shutil.which(tool) or f"not run: needs {tool}", "|", command)

# %% [markdown]
# Read these lines of ncu's report first. (The last two aren't in `--set basic`.)
#
# | line | meaning |
# |---|---|
# | DRAM Throughput, high | memory is the limit, so move fewer bytes |
# | Compute (SM) Throughput, high | arithmetic is the limit, so compute less |
# | both low | there are too few warps, or each waits for its own earlier results |
# | Achieved Occupancy | active warps, as a share of the most that fit |
# | Sectors/Request | 4 for 32 neighboring floats, 16 for `float4`, 32 if scattered |
# | Bank Conflicts | lanes that wait for shared memory |
#
# Here's what it reported for two kernels of `examples/extension`, with the sectors that
# they write.
#
# | | outer product | bias-GELU |
# |---|---|---|
# | time, µs | {{extension/op | outer_ | us}} | {{extension/op | bias_gelu_ | us}} |
# | memory, % | {{extension/op | outer_ | DR}} | {{extension/op | bias_ | DR}} |
# | arithmetic, % | {{extension/op | outer_ | co}} | {{extension/op | bias_ | co}} |
# | occupancy, % | {{extension/op | outer_ | ac}} | {{extension/op | bias_ | ac}} |
# | sectors | {{extension/op | outer_ | sectors}} | {{extension/op | bias_ | sectors}} |
#
# **Puzzle 2: read the report.** How many GB/s does the outer product write? A sector
# has 32 bytes.

# %%
sectors = rate("extension/op", "outer_", "sectors")
us = rate("extension/op", "outer_", "us")
written = sectors / us  # your line

# %%
print(f"{written:,.0f} GB/s", "solved:", 3000 < written < 3350)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A byte per µs is a million bytes per second, so divide by 1,000 to get GB/s.
#
# ```python
# written = sectors * 32 / us / 1000
# ```
#
# The data sheet promises 3,350 GB/s, so memory is the limit.
#
# </details>

# %% [markdown]
# `torch.cuda.max_memory_allocated` is the most memory that tensors have used at one
# time. `max_memory_reserved` is more, because PyTorch's **caching allocator** keeps
# freed memory, and `nvidia-smi` adds the CUDA context to that.
#
# ## When it's worth it
#
# A kernel of your own wins where it **fuses**. In eager PyTorch, gelu(x + bias) is two
# kernels, which read or write a tensor of x's size four times, while a fused kernel
# does so twice. But `torch.compile` also fuses such chains, so it's the one to compare
# with. You also need one if PyTorch's operators can't express your computation, such as
# a lookup in your own data structure.
#
# `docs/benchmarks/extension.md` has the times of eager PyTorch, `torch.compile`, the
# extension, and minigrad, and `python benchmarks/extension.py` measures them on your
# machine.
