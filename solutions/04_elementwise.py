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
# # Lab 04 · Elementwise
#
# Here minigrad's tensors learn to compute: three kernels that do many operations on
# tensors of any layout, and the two functions that decide which kernel runs, and in
# which dtype, and a test. Six exercises, about {{duration}} of work. They run on your
# GPU if the machine has one, and else in minigrad's simulator.
#
# How each exercise goes:
#
# 1. Read the task, and look at the example under it: PyTorch, or plain Python.
# 2. Fill in the cell: put CUDA C in the place of each `// YOUR CODE HERE` (there are
#    several in a cell), or Python in the place of `# YOUR CODE HERE` and the `raise`
#    under it. Above the cell stands the contract: it says all that is tested. An answer
#    leaves what it is given as it was, unless that says otherwise. Then run the cell.
# 3. Run the cell below it, to see your code at work.
# 4. Run the `check` cell. It compares with PyTorch. Each part of the task that is right
#    earns its share of the points. Check as often as you like.
#
# If you are stuck, open a hint: they go from vague to precise. You may also skip: no
# check needs your answer to another exercise.
#
# When something is odd:
#
# - `NameError: name 'check' is not defined`, or `'solves'`, means that the set-up cell
#   has not run in this session. Run it, then your answers, and go on.
# - "not answered yet" for a kernel that you have written: one `// YOUR CODE HERE` still
#   stands in it.
# - After each change of an answer, run its cell: a check tries what you ran last.
# - To begin afresh, choose **Kernel > Restart Kernel and Run All Cells**. Exercises
#   without an answer say so, and nothing stops.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import math

import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import answers_from, solves
from minigrad.dispatch import DispatchError, find_kernel, missing
from minigrad.dtypes import kind, of_number, promote_types, result_type
from minigrad.exercises.own_tests import test_broadcast
from minigrad.kernels.copy import Strides
from minigrad.kernels.elementwise import binary_broadcast, unary_kernel, where_compare

answers_from("labs", before="04_elementwise")

# %% [markdown] task="unary_kernel"
# ## One kernel for many operations
#
# `relu`, `sigmoid`, `exp`, `neg`: the kernels of these differ in one place. So one
# writes the kernel once, with a name in that place, and tells the compiler what the
# name stands for. There are two such names here: `OP`, the operation, and `T`, the type
# of an element. `Kernel(text, name, ("-DT=float", "-DOP=relu"))` compiles the text with
# `relu` wherever it says `OP`.
#
# The tensor may be a view of any kind, so element i is not `x[i]`. The function
# `offset_of`, which stands in the cell, says in which cell it lies: it is the loop of
# exercise 10 of lab 03.
#
# Write the two functions `relu` and `sigmoid`, and the kernel `unary_kernel`. NaN stays
# NaN: hiding it hides the mistake that it comes from. All of it for any floating type
# T: do not write `float`.

# %%
import torch

x = torch.tensor([-torch.inf, -2, 0, 2, torch.inf, torch.nan])
print(torch.relu(x))
print(torch.sigmoid(x))

# %% [markdown] hints="unary_kernel"
# <details><summary>Hint 1</summary>
#
# Which comparison is false for NaN? All of them. So in `condition ? one : other` NaN
# always takes the second way: which of the two must that be? And how does the kernel of
# exercise 2 of lab 01 look with another index and another operation?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `return x < 0 ? 0 : x;` sends NaN the right way, and `x > 0 ? x : 0` the wrong one.
# For the sigmoid, `exp(-x)` is infinite for very negative x, and 1 / ∞ is 0, as it
# should be. The kernel: find i, guard it, then `y[i] = OP(x[offset_of(i, view)]);`.
#
# </details>


# %% exercise="unary_kernel"
solves(unary_kernel)(r"""
struct Strides { int dims; long long shape[8]; long long stride[8]; };

__device__ long long offset_of(int i, const Strides& view) {
    long long offset = 0, rest = i;
    for (int d = view.dims - 1; d >= 0; d--) {  //: each_d
        offset += rest % view.shape[d] * view.stride[d];  //: each_d
        rest /= view.shape[d];  //: each_d
    }  //: each_d
    return offset;
}

__device__ T relu(T x) {
    // BEGIN SOLUTION
    return x < 0 ? 0 : x;  //: result
    // END SOLUTION
}

__device__ T sigmoid(T x) {
    // BEGIN SOLUTION
    return 1 / (1 + exp(-x));  //: sigmoid
    // END SOLUTION
}

__global__ void unary_kernel(const T* x, Strides view, T* y, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = OP(x[offset_of(i, view)]);  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    x = minigrad.to_device(np.array([[-2, np.inf, 5], [3, np.nan, 7]], np.float32))
    y = minigrad.to_device(np.zeros((3, 2), np.float32))
    for op in "relu", "sigmoid", "sqrt":
        options = "-DT=float", f"-DOP={op}"
        kernel = minigrad.Kernel(unary_kernel.text, "unary_kernel", options)
        kernel(1, 32, (x, Strides((3, 2), (1, 3)), y, 6))
        print(op, *minigrad.to_host(y))

# %% check="unary_kernel"
check(unary_kernel)

# %% [markdown] task="binary_broadcast"
# ## Two tensors, broadcast
#
# To add a column of shape `(3, 1)` and a row of shape `(4,)`, both are expanded to `(3,
# 4)`: views with strides `(1, 0)` and `(0, 1)`. Nothing is copied, and the kernel need
# not know about broadcasting. It reads element i of either view, and a stride of 0 does
# the rest. A number is a view, too: one cell, and all strides 0.
#
# Write the two functions `sub` and `maximum`, and the kernel `binary_broadcast`. CUDA's
# own `max` and `fmax` lose a NaN.

# %%
a, b = torch.tensor([[10.0], [20.0], [30.0]]), torch.tensor([1.0, 2.0, 3.0, 4.0])
for x in torch.broadcast_tensors(a, b):
    print(tuple(x.shape), x.stride())
print(a - b)
torch.maximum(torch.tensor([1, torch.nan, 1]), torch.tensor([2, 2, torch.nan]))

# %% [markdown] hints="binary_broadcast"
# <details><summary>Hint 1</summary>
#
# The kernel is that of exercise 1 with two views. Which of the two goes with which
# array? And for the maximum: only NaN is not equal to itself.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Each view has an offset of its own for the same i: `a[offset_of(i, a_view)]` and
# `b[offset_of(i, b_view)]`. The result is row-major, so it goes to `y[i]`. In `a > b ||
# a != a ? a : b`, a NaN in a takes the first way, and one in b the second.
#
# </details>


# %% exercise="binary_broadcast"
solves(binary_broadcast)(r"""
struct Strides { int dims; long long shape[8]; long long stride[8]; };

__device__ long long offset_of(int i, const Strides& view) {
    long long offset = 0, rest = i;  //: offset
    for (int d = view.dims - 1; d >= 0; d--) {
        offset += rest % view.shape[d] * view.stride[d];  //: add_offset
        rest /= view.shape[d];  //: divide_rest
    }
    return offset;
}

// BEGIN SOLUTION
__device__ T sub(T a, T b) { return a - b; }  //: sub
__device__ T maximum(T a, T b) { return a > b || a != a ? a : b; }  //: maximum
// END SOLUTION

__global__ void binary_broadcast(const T* a, Strides a_view,
                                 const T* b, Strides b_view, T* y, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = OP(a[offset_of(i, a_view)], b[offset_of(i, b_view)]);  //: store
    // END SOLUTION
}  //: end
""")

# %%
with trying():
    options = "-DT=float", "-DOP=sub"
    kernel = minigrad.Kernel(binary_broadcast.text, "binary_broadcast", options)
    a = minigrad.to_device(np.array([10, 20, 30], np.float32))
    b = minigrad.to_device(np.array([1, 2, 3, 4], np.float32))
    y = minigrad.to_device(np.zeros((3, 4), np.float32))
    column, row = Strides((3, 4), (1, 0)), Strides((3, 4), (0, 1))
    kernel(1, 32, (a, column, b, row, y, 12))
    print(minigrad.to_host(y))

# %% check="binary_broadcast"
check(binary_broadcast)

# %% [markdown] task="where_compare"
# ## Comparing and choosing
#
# `torch.where(a < b, p, q)` takes p's element where the condition holds, and q's where
# it does not. PyTorch runs two kernels for it, one for the comparison and one for the
# choice. Write both as one: the condition never goes to memory.
#
# Write the six functions and the kernel `where_compare`. For NaN they must say what
# PyTorch says.
#
# What is chosen arrives unchanged, be it an infinity or a NaN; what is not chosen has
# no effect, whatever it is.

# %%
a, b = torch.tensor([1.0, 2.0, torch.nan]), torch.tensor([2.0, 2.0, torch.nan])
for compare in torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge:
    print(compare.__name__, compare(a, b).tolist())

# %% [markdown] hints="where_compare"
# <details><summary>Hint 1</summary>
#
# C compares as PyTorch does: each of the six is one operator. Do not build one out of
# another: `not less` is `greater or equal` only where there is no NaN.
#
# </details>
# <details><summary>Hint 2</summary>
#
# `return a <= b;` and so on. In the kernel, read the two numbers by their views, then
# `y[i] = OP(left, right) ? p[offset_of(i, p_view)] : q[offset_of(i, q_view)];`.
#
# </details>


# %% exercise="where_compare"
solves(where_compare)(r"""
struct Strides { int dims; long long shape[8]; long long stride[8]; };

__device__ long long offset_of(int i, const Strides& view) {
    long long offset = 0, rest = i;
    for (int d = view.dims - 1; d >= 0; d--) {  //: each_d
        offset += rest % view.shape[d] * view.stride[d];
        rest /= view.shape[d];
    }
    return offset;
}

// BEGIN SOLUTION
__device__ bool equal(T a, T b) { return a == b; }  //: equal
__device__ bool not_equal(T a, T b) { return a != b; }  //: not_equal
__device__ bool less(T a, T b) { return a < b; }  //: less
__device__ bool less_equal(T a, T b) { return a <= b; }  //: less_equal
__device__ bool greater(T a, T b) { return a > b; }  //: greater
__device__ bool greater_equal(T a, T b) { return a >= b; }  //: greater_equal
// END SOLUTION

__global__ void where_compare(const T* a, Strides a_view, const T* b, Strides b_view,
                              const T* p, Strides p_view, const T* q, Strides q_view,
                              T* y, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  //: guard
    T left = a[offset_of(i, a_view)], right = b[offset_of(i, b_view)];  //: left
    //: store
    y[i] = OP(left, right) ? p[offset_of(i, p_view)] : q[offset_of(i, q_view)];
    // END SOLUTION
}
""")

# %%
with trying():
    a = minigrad.to_device(np.array([1, 2, np.nan], np.float32))
    b = minigrad.to_device(np.array([2, 2, np.nan], np.float32))
    yes, no = (minigrad.to_device(np.array([v], np.float32)) for v in (1, 0))
    y, each, same = minigrad.to_device(np.zeros(3, np.float32)), (1,), (0,)
    rows, number = Strides((3,), each), Strides((3,), same)
    for op in "equal", "not_equal", "less", "less_equal":
        options = "-DT=float", f"-DOP={op}"
        kernel = minigrad.Kernel(where_compare.text, "where_compare", options)
        kernel(1, 32, (a, rows, b, rows, yes, number, no, number, y, 3))
        print(op, minigrad.to_host(y))

# %% check="where_compare"
check(where_compare)

# %% [markdown] task="result_type"
# ## In which dtype?
#
# `x + y` of int32 and float16 is computed in float16, and `x + 2.5` of an int32 tensor
# in float32; but a float16 tensor plus 2.5 stays float16. There is a rule, and you can
# predict every case with it.
#
# The operands fall into three **groups**: tensors that have dimensions, tensors without
# dimensions, and Python's numbers. There are three **kinds** of dtypes: bool, then
# whole numbers, then floats.
#
# 1. Within a group, the dtypes are promoted together: `promote_types(int32, int64)` is
#    int64, `promote_types(int64, float16)` is float16.
# 2. Of what the groups give, the highest kind wins; of several groups with that kind
#    the first one, in the order above.
#
# So a tensor's dtype is not changed by a number, except to another kind.
#
# Write `result_type`.

# %%
ints = torch.ones(3, dtype=torch.int32)
halves = torch.ones(3, dtype=torch.float16)
double = torch.tensor(1.0, dtype=torch.float64)  # without dimensions
for pair in (ints, halves), (ints, 2), (ints, 2.5), (halves, 2.5), (halves, double):
    print(torch.result_type(*pair))

# %% [markdown] hints="result_type"
# <details><summary>Hint 1</summary>
#
# Begin with three empty lists, one for each group, and sort the dtypes of the operands
# into them. How do you make one dtype of each list that is not empty?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `functools.reduce(promote_types, group)` promotes a whole list. Then you have up to
# three dtypes, in the groups' order, and `max(dtypes, key=kind)` returns the first of
# those of the highest kind.
#
# </details>

# %% exercise="result_type"
import functools


@solves(result_type)
def result_type(*operands):
    ### BEGIN SOLUTION
    groups = [], [], []  # tensors with dimensions, tensors without, numbers
    for x in operands:  #: each_x
        if not hasattr(x, "storage"):  #: if_hasattr
            groups[2].append(of_number(x))  #: append
        else:
            groups[0 if x.shape else 1].append(x.dtype)  #: append_groups
    #: dtypes
    dtypes = [functools.reduce(promote_types, group) for group in groups if group]
    return max(dtypes, key=kind)  #: result
    ### END SOLUTION


# %%
with trying():
    ints, halves = (minigrad.ones(3, dtype=d) for d in (np.int32, np.float16))
    double = minigrad.tensor(1.0, dtype=np.float64)
    for pair in (ints, halves), (ints, 2), (ints, 2.5), (halves, 2.5), (halves, double):
        print(result_type(*pair))

# %% check="result_type"
check(result_type)

# %% [markdown] task="find_kernel"
# ## The dispatcher
#
# `x + y` is the operator "add", and there are many kernels for it: one that calls
# NumPy, one in CUDA C for float32, one for int64, and so on. All of them stand in one
# table, the **registry**: a dict from (operator, device, dtype) to the kernel.
#
# Write `find_kernel`, which looks a kernel up. The device must be the right one,
# always: a kernel for "cpu" could not read the memory of a GPU.

# %%
try:
    torch.ones(3).to_sparse().exp()
except NotImplementedError as error:
    print(str(error).partition(". ")[0])

# %% [markdown] hints="find_kernel"
# <details><summary>Hint 1</summary>
#
# A dict is asked with `in`, or with `get`. Which two keys may it be, and which one
# first?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through two keys with `for`: the one that ends in `dtype`, then the one that ends
# in `None`. Return the kernel of the first that is in the registry. After the loop
# there was none: `raise DispatchError(...)` with the message that `missing` writes.
#
# </details>


# %% exercise="find_kernel"
@solves(find_kernel)
def find_kernel(registry, operator, device, dtype):
    ### BEGIN SOLUTION
    for key in (operator, device, dtype), (operator, device, None):  #: each_key
        if key in registry:
            return registry[key]
    raise DispatchError(missing(registry, operator, device, dtype))  #: error
    ### END SOLUTION


# %%
with trying():
    registry = {
        ("add", "cpu", None): "NumPy's add",
        ("add", "cuda", "float32"): "a kernel",
    }
    print(find_kernel(registry, "add", "cuda", "float32"))
    print(find_kernel(registry, "add", "cuda", "float16"))

# %% check="find_kernel"
check(find_kernel)

# %% [markdown] task="test_broadcast"
# ## A test for broadcasting
#
# Your kernels were tried on views, strides of 0 and NaN. Now write the **test**
# yourself: for kernels such as `binary_broadcast`, compiled with `T=float` and
# `OP=maximum`. A test calls what it is given, compares, and raises an error, an
# AssertionError by `assert`, where something is wrong.
#
# NaN is not equal to NaN, so `==` is of no use where NaN is right. NumPy's
# `np.testing.assert_array_equal` takes two NaN for equal, and raises an AssertionError
# that shows what differs.
#
# The check gives your test right kernels, which it must let pass, and wrong ones, which
# it must not: mistakes that learners of this lab really make.

# %%
x = np.array([1, np.nan], np.float32)
print(np.array_equal(x, x))
np.testing.assert_array_equal(x, x)

# %% [markdown] hints="test_broadcast"
# <details><summary>Hint 1</summary>
#
# What must a and b be like to show each of these: strides that are not looked at, the
# strides of the other operand, a stride of 0 taken for 1, NaN in one of the two alone,
# a number without dimensions?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `np.lib.stride_tricks.as_strided(a, shape, [4 * s for s in strides])` reads an array
# as the kernel does: NumPy counts strides in bytes. `np.maximum` of two such views is
# what y must hold. Take a row beside a matrix, each as a and as b, a transposed matrix,
# a number.
#
# </details>


# %% exercise="test_broadcast"
@solves(test_broadcast)
def test_broadcast(kernel):
    ### BEGIN SOLUTION
    a = np.array([1, np.nan, -3, 4, np.nan, 6], np.float32)
    b = np.array([2, 0, np.nan, -7, np.nan, 1], np.float32)  #: b
    same, row, turned = ((2, 3), (3, 1)), ((2, 3), (0, 1)), ((2, 3), (1, 2))
    #: each_one
    for one, other in [(same, same), (same, row), (row, same), (turned, same),
                       (same, turned), (((), ()), ((), ()))]:  # fmt: skip
        shape, n = one[0], math.prod(one[0])
        y = np.full(n + 9, -9, np.float32)
        kernel(2, 32, (a, Strides(*one), b, Strides(*other), y, n))  #: kernel
        read = np.lib.stride_tricks.as_strided
        views = [read(x, shape, [4 * s for s in strides])
                 for x, (_, strides) in ((a, one), (b, other))]  # fmt: skip
        #: assert_array_equal
        np.testing.assert_array_equal(y[:n].reshape(shape), np.maximum(*views))
        assert np.all(y[n:] == -9), "something was written past the end"
    ### END SOLUTION


# %%
with trying():
    options = "-DT=float", "-DOP=maximum"
    kernel = minigrad.Kernel(binary_broadcast.text, "binary_broadcast", options)
    test_broadcast(kernel)
    print("your binary_broadcast passes")

# %% check="test_broadcast"
check(test_broadcast)

# %% [markdown]
# ## What you have built
#
# `x + y` now goes through your code from end to end: `result_type` says in which dtype,
# `find_kernel` which kernel, and on a device your kernel does the work: the trace calls
# it `yours`. Where it is not made for the operands, or the course's solution stands in,
# a kernel of the library runs. `with minigrad.kernel_variant("fastest")` runs the
# library's always.

# %%
with trying():
    device = "cuda" if minigrad.gpu_available() else "sim"
    x = minigrad.arange(6, dtype=minigrad.float32).view(2, 3).to(device)
    with minigrad.trace() as launches:
        y = (x.T * x.T[:1]).relu()
    print(y)
    print(launches)

# %% [markdown]
# ## How you were checked
#
# `show_check` shows the check of an exercise: its cases, where the expected values come
# from, and the mistakes that it can name.

# %%
show_check(result_type)

# %% [markdown]
# ## Where to go next
#
# These kernels never look at two elements at once. Chapter 05 adds elements up: sums,
# maxima, and softmax, where threads must work together.
