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
# Now tensors learn to compute. In this lesson, we write a single kernel that applies
# `-`, `sqrt`, or any other function of one number to a tensor of any layout. A second
# one broadcasts two tensors without any code for broadcasting. We'll also see how NaN
# gets lost, and how a formula that's correct on paper loses all its digits.
#
# The lesson takes about {{duration}}, and builds on chapters 01 and 03. Run each code
# cell as you reach it, but if the text asks you to predict something, write your guess
# down first. The **puzzles** ask you to change a single line, and the code cell below
# tells you whether you solved it. Part 2 is about dtypes, and about how minigrad and
# PyTorch find the kernel for `x + y`. You'll write most of this yourself in lab 04, and
# both parts say when to go there.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import Kernel, answers_from
from minigrad.kernels.copy import Strides
from minigrad.layout import index_of, offset_of
from minigrad.viz import strides

# You'll write some of minigrad's kernels in lab 04. Here, the reference solutions
# stand in.
answers_from("solutions", before="05_reductions")

# %% [markdown]
# Kernels run on your GPU if this machine has one, and otherwise in the simulator.

# %%
device = "cuda" if minigrad.gpu_available() else "sim"
device

# %% [markdown]
# ## Where is element i?
#
# An operation is **elementwise** if element i of the result depends only on element i
# of the operands, as with `exp`, `relu`, `+`, `<`, and `where`. No thread needs to know
# what another thread does, so these are the simplest kernels there are, and the
# interesting part is finding element i. Here's a transpose from chapter 03.

# %%
x = minigrad.arange(6, dtype=minigrad.float32).view(2, 3)
strides(x.T, name="x.T")

# %% [markdown]
# Thread i of a kernel handles element i, counted row by row. **Predict** the storage
# cells that threads 0 to 5 use for `x.T`.
#
# <details><summary>Answer</summary>
#
# They use cells {{=0, 3, 1, 4, 2, and 5|[0, 3, 1, 4, 2, 5]}}, because each row of `x.T`
# has two elements that are 3 cells apart.
#
# </details>

# %%
[offset_of(index_of(i, (3, 2)), (1, 3)) for i in range(6)]

# %% [markdown]
# ## A kernel that follows strides
#
# You wrote `index_of` and `offset_of` in lab 03. In CUDA C, a single loop does the work
# of both. It splits i into indices, starting with the last, and adds up each index
# times its stride.

# %%
find_cell = r"""
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
# If you skipped exercise 10 of lab 03, four things are new here.
#
# - A **struct** groups several values under one name. Its size is fixed, so we allow at
#   most eight dimensions.
# - `__device__` marks a function that kernels can call.
# - `const Strides& view` is a **reference**. The function reads the caller's struct,
#   and nothing is copied.
# - `long long` is an integer of 64 bits.
#
# Our kernel changes a tensor **in place**, so it writes each result to the cell that it
# has read. In PyTorch, such operations end in an underscore, as in `x.neg_()`.

# %%
change = (
    find_cell
    + r"""
__global__ void change(T* x, Strides view, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long cell = offset_of(i, view);
    x[cell] = OP(x[cell]);
}
"""
)

# %% [markdown]
# `T` and `OP` aren't CUDA C. They're names that the **preprocessor** replaces before
# the compiler sees the source code. The compiler option `-DOP=sqrt` tells it to write
# `sqrt` wherever the source says `OP`, so one source makes many kernels.

# %%
square_root = Kernel(change, "change", ("-DT=float", "-DOP=sqrt"))
square_root

# %% [markdown]
# To launch the kernel, we pass the tensor's memory from its first element on, and a
# struct with its shape and strides.


# %%
def memory(x):
    return x.storage.data[x.offset :]


def run(op, x, source=change):
    kernel = Kernel(source, "change", ("-DT=float", f"-DOP={op}"))
    n = x.numel()
    kernel(-(-n // 256), 256, (memory(x), Strides(x.shape, x.strides), n))


# %% [markdown]
# Now the layout is only an argument, so we can negate every second column of a matrix,
# and then take the square roots of the other elements in row 1.

# %%
x = minigrad.arange(12, dtype=minigrad.float32).view(3, 4).to(device)
run("-", x[:, ::2])
run("sqrt", x[1, 1::2])
x

# %% [markdown]
# **Puzzle 1: chessboard.** On this 4 × 4 board, cells 0 and 2 are black, and so are 5
# and 7, 8 and 10, and 13 and 15. Change the view so that a single launch negates the
# black squares and no others. (`as_strided` takes a shape and strides, and the offset
# is 0.)

# %%
board = minigrad.ones(4, 4).to(device)
black = board.as_strided((4, 2), (4, 2))  # your line

# %%
run("-", black)
print(board)
colors = [[(-1) ** (row + col + 1) for col in range(4)] for row in range(4)]
print("solved:", board.tolist() == colors)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Every black cell's number is a sum of some of the steps 2, 5, and 8 (10 is 2 + 8, for
# example), so three dimensions of size 2 will do.
#
# ```python
# black = board.as_strided((2, 2, 2), (8, 5, 2))
# ```
#
# </details>

# %% [markdown]
# ### Break it: ignore the strides
#
# Now we replace `x[cell]` with `x[i]`, which ignores the strides. **Predict** which of
# these three views reveal the mistake: the whole matrix, its transpose, or every second
# column.

# %%
flat = change.replace("x[cell] = OP(x[cell])", "x[i] = OP(x[i])")
for name in "x", "x.T", "x[:, ::2]":
    x = minigrad.arange(6, dtype=minigrad.float32).view(2, 3).to(device)
    views = {"x": x, "x.T": x.T, "x[:, ::2]": x[:, ::2]}
    run("-", views[name], flat)
    print(f"{name:9}", x.tolist())

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only {{=the last one|x[:, ::2] [[-0.0, -1.0, -2.0], [-3.0, 4.0, 5.0]]}} does. You may
# have expected the transpose to fail too, but this kernel reads and writes the same
# cell, so every element of the transpose still gets negated, only by another thread. If
# such a kernel wrote its results to a *new* tensor instead, they'd be in the wrong
# order.
#
# </details>

# %% [markdown]
# Always test with views that skip cells, and also with transposed ones.
#
# ### What the layout costs
#
# A GPU's memory delivers data in pieces of 32 bytes, called **sectors** (chapter 02).
# Take a contiguous matrix of 32 × 128 floats of 4 bytes each. The 32 threads of a warp
# read 128 neighboring bytes, or 4 sectors, and write 4. There are 128 warps, so we
# expect 1,024 sectors.
#
# **Predict** the number for the transpose, where neighboring elements are 512 bytes
# apart.
#
# <details><summary>Answer</summary>
#
# It's {{=8,192|8192}}, or eight times as many, because each of a warp's 32 threads
# reads and writes a separate sector, and uses 4 of its 32 bytes.
#
# </details>

# %%
big = minigrad.rand(32, 128).to("sim")
for view in big, big.T:
    args = memory(view), Strides(view.shape, view.strides), view.numel()
    print(square_root.check(16, 256, args).counts["sectors"], "sectors")

# %% [markdown]
# `offset_of` costs something too. It takes a remainder and a division of 64-bit
# integers per dimension, and a GPU has no instruction for either, so each becomes a
# long series of instructions. PyTorch's version is faster because it uses 32-bit
# integers wherever they suffice, and replaces each division with a multiplication.
#
# Before a launch, two dimensions can also be merged if a single stride can serve both
# (as in `view`, chapter 03). **Predict** how many dimensions each view below has left.

# %%
from minigrad.launch import coalesce_dims

cube = minigrad.ones(2, 3, 4)
for v in cube, cube[:, :, ::2], cube[:, :2]:
    print(v.shape, v.strides, "->", *coalesce_dims(v.shape, v.strides))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The contiguous cube becomes {{=a single row|-> (24,) (1,)}}, and so does {{=the view
# with a step of 2|-> (12,) (2,)}}. In the last view, a plane has only 2 rows of 4, but
# the next plane begins 12 cells later, so {{=two dimensions|-> (2, 8) (12, 1)}} remain.
#
# </details>
#
# ## NaN
#
# **NaN** ("not a number") is the result of 0 / 0 or ∞ − ∞. Arithmetic with a NaN
# usually returns NaN again, so you can still see at the end that something went wrong.
# An operation that replaces NaN with a number hides the mistake.
#
# A NaN often gets lost in a comparison, which can only return true or false.
# **Predict** the five results below.

# %%
nan = torch.tensor(float("nan"))
print((nan + 1).item(), (nan < 6).item(), (nan > 6).item())
print((nan == nan).item(), (nan != nan).item())

# %% [markdown]
# <details><summary>Answer</summary>
#
# Adding 1 gives {{=NaN|nan False False}}. NaN isn't less than, greater than, or equal
# to anything, not even to itself, so only {{=`!=` is true|False True}}.
#
# </details>

# %% [markdown]
# To test for NaN, use `x != x`, which is false for every number.
#
# In C, `condition ? p : q` is p if the condition is true and q if it's false.
#
# **Puzzle 2: keep the NaN.** `cap` should limit x to at most 6, but it also returns 6
# for NaN. Change its line so that NaN stays NaN.

# %%
cap = """
__device__ float cap(float x) {
    return x < 6 ? x : 6;  // your line
}
"""

# %%
odd = minigrad.tensor([-2.0, 6.0, 9.0, float("nan")]).to(device)
run("cap", odd, cap + change)
print(odd, "solved:", str(odd.tolist()) == "[-2.0, 6.0, 6.0, nan]")

# %% [markdown]
# <details><summary>Answer</summary>
#
# For NaN, the condition is false, so C always picks the value after the colon, and x
# has to go there.
#
# ```c
# return x > 6 ? 6 : x;
# ```
#
# </details>

# %% [markdown]
# CUDA's `fmin(x, 6.0f)` doesn't help, because it's defined to return the number if the
# other operand is NaN.
#
# ## Accuracy
#
# `softplus(x)` is log(1 + eˣ), a smooth version of relu. On paper, that formula is all
# you need, but in float32, it {{=fails at both ends|inf]}}.

# %%
softplus = """
__device__ float softplus(float x) {
    return log(1 + exp(x));
}
"""
far = minigrad.tensor([-20.0, 0.0, 20.0, 100.0]).to(device)
run("softplus", far, softplus + change)
print(far)
print(torch.nn.functional.softplus(torch.tensor([-20.0, 0.0, 20.0, 100.0])))

# %% [markdown]
# - At 100, eˣ is larger than 3.4 · 10³⁸, the largest float32, so it **overflows** to ∞,
#   although the result, 100, would easily fit.
# - At −20, eˣ is 2 · 10⁻⁹. A float32 has about 7 decimal digits, so 1 + 2 · 10⁻⁹ is
#   rounded to 1, and log(1) is 0. All digits are lost.
#
# For the second problem, there's `log1p(v)`, which is log(1 + v) without the rounded
# sum. The first problem needs some algebra: 1 + eˣ = eˣ · (1 + e⁻ˣ), so its logarithm
# is x + log(1 + e⁻ˣ).
#
# **Puzzle 3: accurate at both ends.** The line below uses both, so it's accurate for
# large x. At −20, though, it adds −20 and about 20, which cancel, and at −100, e⁻ˣ
# overflows. Write one line that's accurate for all x. `fabs(x)` is |x|, and `fmax(x,
# 0.0f)` is the larger of x and 0.

# %%
softplus = """
__device__ float softplus(float x) {
    return x + log1p(exp(-x));  // your line
}
"""

# %%
points = torch.tensor([-100.0, -20.0, -1.0, 0.0, 1.0, 20.0, 100.0, torch.nan])
far = minigrad.tensor(points.tolist()).to(device)
run("softplus", far, softplus + change)
print(far)
exact = torch.nn.functional.softplus(points.double()).float().numpy()
print("solved:", np.allclose(far.cpu().numpy(), exact, 1e-5, 0, equal_nan=True))

# %% [markdown]
# <details><summary>Answer</summary>
#
# For x < 0, log1p(eˣ) is accurate, and for x ≥ 0, x + log1p(e⁻ˣ) is. A single formula
# covers both.
#
# ```c
# return fmax(x, 0.0f) + log1p(exp(-fabs(x)));
# ```
#
# `fmax` turns NaN into 0, but the second term is still NaN, and so is the sum.
#
# </details>

# %% [markdown]
# So test a function with numbers near 0 and far from it, of both signs.
#
# **To the lab**: exercise 1 (`unary_kernel`).
#
# ## Two tensors
#
# Suppose we want to subtract a row from each row of a matrix. In chapter 03, `expand`
# gave the row the matrix's shape, with a stride of 0.

# %%
row = minigrad.tensor([1.0, 2.0, 3.0, 4.0])
strides(row.expand(3, 4), base=row, name="row.expand(3, 4)", base_name="row")

# %% [markdown]
# A kernel for two operands gets two views, and reads element i of each. Ours works in
# place again, so it computes `a -= b`, `a *= b`, and so on.

# %%
update = (
    find_cell
    + r"""
__device__ float sub(float a, float b) { return a - b; }

__global__ void update(float* a, Strides a_view,
                       const float* b, Strides b_view, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long cell = offset_of(i, a_view);
    a[cell] = OP(a[cell], b[offset_of(i, b_view)]);
}
"""
)


# %%
def run_update(op, a, b, source=update):
    n, kernel = a.numel(), Kernel(source, "update", (f"-DOP={op}",))
    views = [(memory(x), Strides(x.shape, x.strides)) for x in (a, b)]
    kernel(-(-n // 256), 256, (*views[0], *views[1], n))


# %%
matrix = minigrad.full((3, 4), 10.0).to(device)
run_update("sub", matrix, row.to(device).expand(3, 4))
matrix

# %% [markdown]
# The kernel knows nothing about broadcasting. It follows strides, and a stride of 0
# leads back to the same cell, so a broadcast operand isn't copied. A scalar is a view
# whose strides are all 0. Let's have the threads print which cells they read.

# %%
talking = update.replace(
    "a[cell] =",
    r'printf("thread %d: a[%d], b[%d]\n", i, (int)cell, (int)offset_of(i, b_view));'
    "\n    a[cell] =",
)
run_update("sub", matrix[:2, :2], row.to(device)[:2].expand(2, 2), talking)
minigrad.synchronize()

# %% [markdown]
# **Puzzle 4: a column.** `means` holds the mean of each row of `scores`. Change its
# view so that the kernel subtracts 2 from the first row and 20 from the second.

# %%
scores = minigrad.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]).to(device)
means = minigrad.tensor([2.0, 20.0]).to(device)
view = means.as_strided((2, 3), (0, 0))  # your line

# %%
run_update("sub", scores, view)
print(scores, "solved:", scores.tolist() == [[-1, 0, 1], [-10, 0, 10]])

# %% [markdown]
# <details><summary>Answer</summary>
#
# A step down leads to the next mean, but a step to the right stays at the same one.
#
# ```python
# view = means.as_strided((2, 3), (1, 0))
# ```
#
# `means[:, None].expand(2, 3)` is the same view.
#
# </details>

# %% [markdown]
# ### Break it: ignore a stride of 0
#
# The expanded row has twelve elements, but only four cells. **Predict** what the
# simulator finds if the kernel reads `b[i]`.

# %%
source = update.replace("b[offset_of(i, b_view)]", "b[i]")
broken = Kernel(source, "update", ("-DOP=sub",))
a, b = np.zeros(12, np.float32), np.arange(4, dtype=np.float32)
same, repeated = Strides((3, 4), (4, 1)), Strides((3, 4), (0, 1))
print(broken.check(1, 32, (a, same, b, repeated, 12)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The kernel {{=reads past the end|out-of-bounds}} of `b`, because it trusts the shape
# and ignores the strides.
#
# </details>
#
# ### Break it: write to a stride of 0
#
# Reading a cell many times is harmless. **Predict** what happens if we swap the
# operands, so that twelve threads subtract from the four cells of the row.

# %%
kernel = Kernel(update, "update", ("-DOP=sub",))
report = kernel.check(1, 32, (b, repeated, a, same, 12))
print(*str(report).splitlines()[:7], sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=a race|race}}, because three threads read and write each cell of the row
# (which is `a` in this report), and nothing decides which comes first.
#
# </details>

# %% [markdown]
# PyTorch {{=refuses|more than one element of the written-to tensor}} to write to an
# expanded tensor.

# %%
with trying():
    torch.ones(4).expand(3, 4).sub_(1)

# %% [markdown]
# ### NaN in either operand
#
# PyTorch has two functions for the larger of two numbers, which differ if one of them
# is NaN.

# %%
p, q = torch.tensor([1.0, torch.nan, 5.0]), torch.tensor([2.0, 2.0, torch.nan])
print(torch.maximum(p, q), torch.fmax(p, q))

# %% [markdown]
# `maximum` {{=keeps a NaN|tensor([2., nan, nan])}} in either operand, and `fmax`
# {{=drops it|tensor([2., 2., 5.])}}. In the lab, you'll write the one that keeps it.
#
# **To the lab**: exercise 2 (`binary_broadcast`).
#
# ## Comparing and choosing
#
# A comparison is also elementwise, and its result is a bool tensor. `where(condition,
# p, q)` takes p's element where the condition is true and q's elsewhere, after
# broadcasting all three together.

# %%
x = minigrad.tensor([1.0, 5.0, float("nan")])
print(x > 2)
minigrad.where(x > 2, x, 0.0)

# %% [markdown]
# **Puzzle 5: replace NaN.** The line below turns NaN into 0, but also every number up
# to 2. Change it so that only NaN becomes 0. Use `where` and a single comparison.

# %%
clean = minigrad.where(x > 2, x, 0.0)  # your line

# %%
print(clean, "solved:", clean.tolist() == [1, 5, 0])

# %% [markdown]
# <details><summary>Answer</summary>
#
# NaN is the only value that isn't equal to itself.
#
# ```python
# clean = minigrad.where(x == x, x, 0.0)
# ```
#
# </details>

# %% [markdown]
# ### Break it: choose by arithmetic
#
# `c * p + (1 - c) * q` looks like a `where` without a branch. **Predict** what it
# returns if c is 1, p is 7, and q is infinite.

# %%
c, p, q = torch.tensor(1.0), torch.tensor(7.0), torch.tensor(torch.inf)
print(c * p + (1 - c) * q, torch.where(c == 1, p, q))

# %% [markdown]
# <details><summary>Answer</summary>
#
# It's {{=NaN|tensor(nan)}}, because 0 · ∞ is NaN.
#
# </details>

# %% [markdown]
# In a `where`, the value that isn't chosen must not take part in the computation.
#
# **To the lab**: exercise 3 (`where_compare`).
#
# ## Where PyTorch keeps this
#
# | here | PyTorch (below `aten/src/ATen`) |
# |---|---|
# | `Strides`, `offset_of` | `cuda/detail/OffsetCalculator.cuh` |
# | a kernel with `OP` | `gpu_kernel(iter, function)`, `native/cuda/Loops.cuh` |
# | the common shape, `expand` | `TensorIterator.cpp` |
# | `coalesce_dims` | `TensorIteratorBase::coalesce_dimensions` |
#
# PyTorch's kernel gets its operation as a **template argument**, which the C++ compiler
# inserts, whereas in our source, the preprocessor replaces `OP`.
#
# ## Before you go: three questions
#
# 1. `x` has shape `(1000, 1)`, and `y` has shape `(1, 1000)`. How many storage cells
#    does `x + y` read, and how many does it write?
# 2. A kernel writes to a new tensor, and you've tested it on contiguous tensors and on
#    `x[:, ::2]`. Which mistake could you still have missed?
# 3. For which x does 1 − cos(x) lose all its digits?
#
# <details><summary>Answers</summary>
#
# 1. It reads 2,000 cells, each a thousand times, and writes a million.
# 2. It could visit the cells in the order of storage instead of row by row. For those
#    tensors, both orders are the same, so only a view whose dimensions are permuted,
#    such as a transpose, shows the difference.
# 3. For x near 0 and near other multiples of 2π, where cos(x) is rounded to 1, so the
#    difference is 0. The formula 2 · sin²(x / 2) keeps the digits.
#
# </details>
