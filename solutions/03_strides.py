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
# # Lab 03 · Strides
#
# Here you write the part of minigrad that turns a row of cells into a tensor. There
# are eleven exercises, about {{duration}} of work. What you write is not a copy of
# minigrad: it becomes minigrad. As soon as you have run the cell of an answer, the
# library works with your code, in this notebook and in all later labs. One is a
# kernel, and takes chapter 01; the last is a test.
#
# How each exercise goes:
#
# 1. Read the task, and look at the example under it: it shows what PyTorch does.
# 2. Fill in the cell that says `# YOUR CODE HERE`: put your code in the place of that
#    comment and of the `raise` under it. Above the cell stands the contract: it says
#    all that is tested. An answer leaves what it is given as it was, unless that says
#    otherwise. Then run the cell.
# 3. Run the cell below it, to see your function at work.
# 4. Run the `check` cell. It tries your answer on many inputs and compares with
#    PyTorch. Each part of the task that is right earns its share of the points. If
#    something is wrong, you see the first input that went wrong, and often why. Check
#    as often as you like.
#
# If you are stuck, open a hint: they go from vague to precise. Work in order if you
# can. You may also skip: no check needs your answer to another exercise.
#
# When something is odd:
#
# - `NameError: name 'check' is not defined`, or `'solves'`, means that the set-up cell
#   has not run in this session. Run it, then your answers, and go on.
# - After each change of an answer, run its cell: a check tries what you ran last.
# - To begin afresh, choose **Kernel > Restart Kernel and Run All Cells**. Exercises
#   without an answer say so, and nothing stops.
# - To start one exercise again, empty its function and write `raise
#   NotImplementedError`.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import numpy as np

import minigrad
from grading import check, show_check, trying
from minigrad import Tensor, answers_from, layout, solves
from minigrad.exercises.own_tests import test_permute
from minigrad.kernels.copy import Strides, contiguous_kernel
from minigrad.layout import (
    broadcast_shapes,
    contiguous_strides,
    index_of,
    offset_of,
    slice_view,
    view_or_copy,
)
from minigrad.viz import strides

answers_from("labs", before="03_strides")

# %% [markdown] task="contiguous_strides"
# ## Strides of a row-major tensor
#
# A stride says how many storage cells to go on for one step along its dimension. In a
# new tensor the elements lie row by row: the last dimension moves fastest, so its
# stride is 1.
#
# Take shape `(2, 3, 4)`. One step along the last dimension is 1 cell. One step along
# the middle one jumps over a whole row, 4 cells. One step along the first jumps over 3
# rows of 4, 12 cells. So the strides are `(12, 4, 1)`.
#
# Write `contiguous_strides`. What is the stride where a size is 0? The next cell shows
# what PyTorch says.

# %%
import torch

for shape in [(2, 3, 4), (5,), (2, 0, 3), ()]:
    print(shape, "->", torch.empty(shape).stride())

# %% [markdown] hints="contiguous_strides"
# <details><summary>Hint 1</summary>
#
# Begin with the last stride, which is always 1. How do you get from each stride to the
# one before it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through the sizes from the last to the first. Keep the number of cells that one
# step jumps over; note it down, then multiply it by the size, or by 1 where the size
# is 0. At the end, turn the list round and make it a tuple.
#
# </details>


# %% exercise="contiguous_strides"
@solves(contiguous_strides)
def contiguous_strides(shape):
    ### BEGIN SOLUTION
    strides, step = [], 1
    for size in reversed(shape):  #: each_size
        strides.append(step)
        step *= max(size, 1)  #: multiply_step
    return tuple(reversed(strides))  #: result
    ### END SOLUTION


# %%
with trying():
    print(contiguous_strides((2, 3, 4)))

# %% check="contiguous_strides"
check(contiguous_strides)

# %% [markdown] task="offset_of"
# ## From index to storage cell
#
# The element at multi-index `(i, j, k)` lies in storage cell
#
# > offset + i · strides[0] + j · strides[1] + k · strides[2]
#
# With strides `(3, 1)`, index `(1, 2)` lies in cell 1 · 3 + 2 · 1 = 5. If the tensor
# begins at cell 10 of its storage, its offset is 10 and the element lies in cell 15.
#
# Write `offset_of`, for any number of dimensions.

# %%
x = torch.arange(20).as_strided((2, 3), (3, 1), 10)
strides(x, index=(1, 2))

# %% [markdown] hints="offset_of"
# <details><summary>Hint 1</summary>
#
# Each index goes with the stride of its own dimension. `zip` walks along two tuples at
# once.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start from `offset`. For each pair of index and stride, add their product. A tensor
# without dimensions has nothing to add.
#
# </details>


# %% exercise="offset_of"
@solves(offset_of)
def offset_of(index, strides, offset=0):
    ### BEGIN SOLUTION
    return offset + sum(i * s for i, s in zip(index, strides, strict=True))  #: result
    ### END SOLUTION


# %%
with trying():
    print(offset_of((1, 2), (3, 1)), offset_of((1, 2), (3, 1), offset=10))

# %% check="offset_of"
check(offset_of)

# %% [markdown] task="index_of"
# ## From position to index
#
# Now the other way. Count the elements of a tensor row by row; which multi-index does
# the element at `position` have? In shape `(2, 3)` the positions 0 to 5 are
#
# > (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)
#
# Position 5 is one row of 3 and 2 more: `(1, 2)`.
#
# Write `index_of`. Every kernel that takes tensors of any layout does this: a thread
# knows its number, and must find its element.

# %%
for position in range(6):
    print(
        position, [int(i) for i in torch.unravel_index(torch.tensor(position), (2, 3))]
    )

# %% [markdown] hints="index_of"
# <details><summary>Hint 1</summary>
#
# Clocks do this. 200 seconds are 3 minutes and 20 seconds: which two operations give
# the 3 and the 20?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Begin with the last dimension. The remainder of the position by its size is the last
# index; the whole quotient is the position among what is left. `divmod` gives both.
#
# </details>


# %% exercise="index_of"
@solves(index_of)
def index_of(position, shape):
    ### BEGIN SOLUTION
    index = []
    for size in reversed(shape):  #: each_size
        position, i = divmod(position, size)  #: position
        index.append(i)
    return tuple(reversed(index))  #: result
    ### END SOLUTION


# %%
with trying():
    print([index_of(position, (2, 3)) for position in range(6)])

# %% check="index_of"
check(index_of)

# %% [markdown] task="permute"
# ## Permute: another order of dimensions
#
# `x.permute(2, 0, 1)` puts the dimensions into another order: dimension 0 of the
# result is dimension 2 of `x`, and so on. If `x` has shape `(2, 3, 4)`, the result has
# shape `(4, 2, 3)`. Its strides change places in the same way, from `(12, 4, 1)` to
# `(1, 12, 4)`. No element moves: the result reads the same storage.
#
# Write the method `permute`. `layout.as_ints(dims)` takes `permute(2, 0, 1)` and
# `permute((2, 0, 1))` alike; `layout.wrap_dim(dim, self.ndim)` turns -1 into the last
# dimension, and raises the IndexError.

# %%
x = torch.arange(24).view(2, 3, 4)
strides(x.permute(2, 0, 1), base=x)

# %% [markdown] hints="permute"
# <details><summary>Hint 1</summary>
#
# You need two lists: the new sizes and the new strides. Both follow from `dims` in the
# same way.
#
# </details>
# <details><summary>Hint 2</summary>
#
# After `as_ints` and `wrap_dim`, take `self.shape[d]` and `self.strides[d]` for each
# `d` in dims. The dims are fine if, sorted, they are 0, 1, 2, ... up to `self.ndim -
# 1`.
#
# </details>


# %% exercise="permute"
@solves(Tensor.permute)
def permute(self, *dims):
    ### BEGIN SOLUTION
    dims = layout.as_ints(dims)  #: dims
    if len(dims) != self.ndim:
        raise RuntimeError(  #: error
            f"permute() of a tensor with {self.ndim} dimensions needs as many, got "
            f"{len(dims)}: {dims}"
        )
    dims = [layout.wrap_dim(d, self.ndim) for d in dims]  #: next_dims
    if len(set(dims)) < self.ndim:  #: refuse_dims
        #: error_dims
        raise RuntimeError(f"permute(): duplicate dims are not allowed, got {dims}")
    return self.as_strided(  #: result
        [self.shape[d] for d in dims], [self.strides[d] for d in dims], self.offset
    )
    ### END SOLUTION


# %%
with trying() as show:
    y = minigrad.arange(6).as_strided((2, 3), (3, 1))
    show(strides(y.permute(1, 0), name="y.permute(1, 0)"))

# %% check="permute"
check(Tensor.permute)

# %% [markdown] task="transpose"
# ## Transpose: two dimensions change places
#
# `x.transpose(0, 2)` swaps two dimensions and leaves the others where they are: shape
# `(2, 3, 4)` becomes `(4, 3, 2)`. Like permute, it copies nothing.
#
# Write the method `transpose`.

# %%
x = torch.arange(24).view(2, 3, 4)
x.transpose(0, -1).shape, x.transpose(0, -1).stride()

# %% [markdown] hints="transpose"
# <details><summary>Hint 1</summary>
#
# A transpose is a permute with a certain order.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Begin with the order 0, 1, 2, ... as a list, and swap two of its items; `wrap_dim`
# first, so that the dims are not negative. A tensor without dimensions has an empty
# list: there is nothing to swap.
#
# </details>


# %% exercise="transpose"
@solves(Tensor.transpose)
def transpose(self, dim0, dim1):
    ### BEGIN SOLUTION
    dim0 = layout.wrap_dim(dim0, self.ndim)  #: dim0
    dim1 = layout.wrap_dim(dim1, self.ndim)  #: dim1
    if dim0 == dim1:  #: if_dim0
        return self
    shape, strides = list(self.shape), list(self.strides)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return self.as_strided(shape, strides, self.offset)  #: result
    ### END SOLUTION


# %%
with trying() as show:
    y = minigrad.arange(6).as_strided((2, 3), (3, 1))
    show(strides(y.transpose(0, -1), name="y.transpose(0, -1)"))

# %% check="transpose"
check(Tensor.transpose)

# %% [markdown] task="slice_view"
# ## Slices are views
#
# `x[1, 0:6:2]` copies nothing either. Say `x` has shape `(4, 6)` and strides `(6, 1)`.
# The `1` chooses a row: the result begins 1 · 6 cells later, and the row dimension is
# gone. The `0:6:2` takes every second column: 3 are left, and one step is now 2 cells.
# So the result has shape `(3,)`, strides `(2,)` and offset 6.
#
# Write `slice_view`, which does this for any index. `x[...]` then works for every
# tensor: minigrad makes a tuple of what is in the brackets.

# %%
x = torch.arange(24).view(4, 6)
strides(x[1, 0:6:2], base=x)

# %% [markdown] hints="slice_view"
# <details><summary>Hint 1</summary>
#
# Treat one kind of item after the other: first ints, then slices, then None, and `...`
# at the end. Keep a counter of the dimension that the next item deals with. What does
# each kind do to the offset, the size and the stride?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `item.indices(size)` of a slice gives start, stop and step as plain numbers, with
# None and negatives dealt with; `len(range(start, stop, step))` is the new size. An
# int and a start move the offset by that many strides. Write `...` as whole slices
# before you begin, as many as there are dimensions left, and put one at the end where
# there is none.
#
# </details>


# %% exercise="slice_view"
@solves(slice_view)
def slice_view(shape, strides, offset, index):  #: head
    ### BEGIN SOLUTION
    left = list(zip(shape, strides, strict=True))  # the dimensions of x still to come
    rest = len(shape) - sum(item is not None and item is not ... for item in index)
    if rest < 0:
        #: error
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    view = []  #: view
    for item in index if ... in index else (*index, ...):  #: each_item
        if item is ...:
            view, left = view + left[:rest], left[rest:]
            continue
        size, stride = left[0] if left else (1, 1)
        if item is None:
            view.append((1, size * stride))
            continue
        dim = len(shape) - len(left)
        del left[0]
        if isinstance(item, slice):
            start, stop, step = item.indices(size)  #: start
            if step < 1:
                raise ValueError("step must be greater than zero")
            view.append((len(range(start, stop, step)), step * stride))  #: append
            offset += start * stride  #: add_offset
        elif -size <= item < size:  #: elif_size
            offset += item % size * stride  #: offset
        else:
            raise IndexError(  #: error_size
                f"index {item} is out of bounds for dimension {dim} with size {size}"
            )
    return tuple(n for n, _ in view), tuple(s for _, s in view), offset
    ### END SOLUTION


# %%
with trying():
    print(slice_view((4, 6), (6, 1), 0, (1, slice(0, 6, 2))))
    print(minigrad.arange(24).as_strided((4, 6), (6, 1))[1:3, ::2].shape)

# %% check="slice_view"
check(slice_view)

# %% [markdown] task="broadcast_shapes"
# ## Which shapes fit together?
#
# A column of shape `(3, 1)` and a row of shape `(4,)` can be added: the column is
# repeated along the row, the row along the column, and the sum has shape `(3, 4)`. The
# rule:
#
# > Line up the shapes at their **last** dimension. In each place the sizes must be
# > equal, or 1, or missing. The size that is not 1 wins.
#
#     (3, 1)       (2, 1, 4)       (2, 3)
#        (4,)         (3, 1)          (2,)
#     (3, 4)       (2, 3, 4)       do not fit: 3 and 2
#
# Write `broadcast_shapes`. A size of 0 is a size like any other.

# %%
print(torch.broadcast_shapes((3, 1), (4,)), torch.broadcast_shapes((2, 1, 4), (3, 1)))
with trying():
    torch.broadcast_shapes((2, 3), (2,))

# %% [markdown] hints="broadcast_shapes"
# <details><summary>Hint 1</summary>
#
# Where a shape is too short, you may think of sizes 1 before it. How many dimensions
# does the result have?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Begin with a result of ones, as long as the longest shape. Go through each shape from
# the back, with `shape[-1]`, `shape[-2]` and so on. Skip sizes of 1. Any other size
# may replace a 1 in the result, and otherwise must be equal to what is there.
#
# </details>


# %% exercise="broadcast_shapes"
@solves(broadcast_shapes)
def broadcast_shapes(*shapes):
    ### BEGIN SOLUTION
    ndim = max((len(shape) for shape in shapes), default=0)  #: ndim
    result = [1] * ndim
    for shape in shapes:
        for back in range(1, len(shape) + 1):  #: each_back
            size = shape[-back]  #: size
            if size == 1:  #: if_size
                continue
            if result[-back] not in (1, size):  #: refuse_result
                raise RuntimeError(  #: error
                    f"sizes {result[-back]} and {size} do not fit at dimension {-back} "
                    f"of the shapes {shapes}"
                )
            result[-back] = size  #: result
    return tuple(result)
    ### END SOLUTION


# %%
with trying():
    print(broadcast_shapes((3, 1), (4,)), broadcast_shapes((2, 1, 4), (3, 1)))

# %% check="broadcast_shapes"
check(broadcast_shapes)

# %% [markdown] task="expand"
# ## Expand: repeat without copying
#
# How does a column of 3 elements become a matrix of 3 × 4? By a stride of 0: each step
# to the right stays in the same cell. If `x` has shape `(3, 1)` and strides `(1, 1)`,
# then `x.expand(3, 4)` has strides `(1, 0)`, and `x.expand(2, 3, 4)` has strides `(0,
# 1, 0)`.
#
# Write the method `expand`.

# %%
x = torch.arange(3).view(3, 1)
strides(x.expand(3, 4), base=x)

# %% [markdown] hints="expand"
# <details><summary>Hint 1</summary>
#
# For each dimension of the result there are three cases: it is new, its size stays, or
# its size was 1 and becomes another. What is the stride in each?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `new = len(sizes) - self.ndim` dimensions come first, with stride 0. After those,
# dimension `d` of the result is dimension `d - new` of `self`: the same size or -1
# keeps its stride, a size that differs needs an old size of 1 and gets stride 0.
#
# </details>


# %% exercise="expand"
@solves(Tensor.expand)
def expand(self, *sizes):
    ### BEGIN SOLUTION
    sizes = layout.as_ints(sizes)  #: sizes
    new = len(sizes) - self.ndim  # dimensions that come first
    if new < 0:  #: refuse_new
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(sizes)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({self.ndim})"
        )
    shape, strides = [], []
    for d in reversed(range(len(sizes))):
        if d >= new:  #: if_d
            old, stride = self.shape[d - new], self.strides[d - new]  #: old
        else:
            old, stride = 1, shape[-1] * strides[-1] if shape else 0
        size = old if sizes[d] == -1 and d >= new else sizes[d]  #: size
        if size < 0 or old not in (1, size):  #: refuse_size
            raise RuntimeError(  #: error
                f"The expanded size of the tensor ({size}) must match the existing "
                f"size ({old if d >= new else 'none'}) at non-singleton dimension {d}."
                f"  Target sizes: {list(sizes)}.  Tensor sizes: {list(self.shape)}"
            )
        shape.append(size)
        strides.append(stride if size == old else 0)  #: append
    return self.as_strided(shape[::-1], strides[::-1], self.offset)  #: result
    ### END SOLUTION


# %%
with trying() as show:
    y = minigrad.arange(3).as_strided((3, 1), (1, 1))
    show(strides(y.expand(3, 4), name="y.expand(3, 4)"))

# %% check="expand"
check(Tensor.expand)

# %% [markdown] task="view_or_copy"
# ## When is a reshape a view?
#
# `x.view(6)` of a row-major `x` of shape `(2, 3)` reads the same cells in a row:
# strides `(1,)`. Of its transpose, no such view exists. Row by row, the transpose
# reads cells 0, 3, 1, 4, 2, 5, and no single stride does that: the elements must be
# copied first.
#
# Write `view_or_copy`, which finds the strides of the view, or None.
#
# Neighboring dimensions are **evenly spaced** if a step of the outer one is a whole
# run of the inner one. Only such dimensions can be merged, or cut anew together. A
# dimension of size 1 is never stepped along, so its stride does not count.

# %%
x = torch.arange(6).view(2, 3)
print(x.view(6).stride())
with trying():
    x.T.view(6)

# %% [markdown] hints="view_or_copy"
# <details><summary>Hint 1</summary>
#
# Do it in two steps. First forget the old shape: which groups of old dimensions are
# evenly spaced, so that each is one long dimension? Then cut these into the new sizes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go from the last dimension to the first, without sizes of 1. Keep for each group the
# number of its elements and the stride of its last dimension. Then go through the new
# sizes from the last to the first, too. Each takes its part of the group; the stride
# grows by the size that was taken. If a size does not divide what is left of the
# group, the answer is None; if nothing is left, the next group begins.
#
# </details>


# %% exercise="view_or_copy"
@solves(view_or_copy)
def view_or_copy(shape, strides, new_shape):
    ### BEGIN SOLUTION
    if 0 in shape:  #: if_shape
        return tuple(strides) if shape == new_shape else contiguous_strides(new_shape)
    # Groups of old dimensions that are evenly spaced, from the last to the first:
    # [number of elements, stride of its last dimension].
    groups = [[1, strides[-1] if strides else 1]]
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride == groups[-1][0] * groups[-1][1]:  #: if_size
            groups[-1][0] *= size
        elif size != 1:  #: elif_size
            groups.append([size, stride])
    new_strides, (left, step) = [], groups.pop(0)
    for size in reversed(new_shape):
        if left == 1 and size != 1:
            left, step = groups.pop(0)
        if left % size:
            return None
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(reversed(new_strides))
    ### END SOLUTION


# %%
with trying():
    print(view_or_copy((2, 3), (3, 1), (6,)), view_or_copy((3, 2), (1, 3), (6,)))

# %% check="view_or_copy"
check(view_or_copy)

# %% [markdown] task="contiguous_kernel"
# ## The same on a GPU: a kernel that gathers
#
# A view that has no evenly spaced reading must be copied, and on a GPU a kernel does
# it: element i of the view, counted row by row, goes to `y[i]`. Here your `index_of`
# and `offset_of` come together in CUDA C. (It takes chapter 01. If you have not read
# it, come back to this exercise later: no other one needs it.)
#
# A kernel cannot see a Python tuple. The shape and the strides come as a **struct**, a
# few values under one name, which is passed like a number:
#
# | in C | is |
# |---|---|
# | `view.dims` | how many dimensions there are, 0 to 8 |
# | `view.shape[d]` | the size of dimension d |
# | `view.stride[d]` | how many cells one step along it takes |
#
# `x[0]` is the first element of the view. Places from `view.dims` on say nothing.
# (`long long` is a whole number of 64 bits.)
#
# Write the kernel `contiguous_kernel`. It needs no list of indices, and no array at
# all: take i apart, dimension by dimension, and add up the offset as you go.

# %%
shape, stride, i = (2, 3, 4), (1, 8, 2), 17
offset, rest = 0, i
for d in reversed(range(3)):
    rest, index = divmod(rest, shape[d])
    offset += index * stride[d]
    print(f"dimension {d}: index {index}, {rest} left, offset {offset}")

# %% [markdown] hints="contiguous_kernel"
# <details><summary>Hint 1</summary>
#
# The example above is the whole algorithm. What is `divmod` in C, and how does one
# count from `view.dims - 1` down to 0?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `if (i >= n) return;` first. Then `for (int d = view.dims - 1; d >= 0; d--)`: add
# `rest % view.shape[d] * view.stride[d]` to the offset, which begins at 0, and divide
# `rest`, which begins as i, by `view.shape[d]`. At the end, `y[i] = x[offset]`.
#
# </details>


# %% exercise="contiguous_kernel"
solves(contiguous_kernel)(r"""
struct Strides { int dims; long long shape[8]; long long stride[8]; };

__global__ void contiguous_kernel(const float* x, Strides view, float* y, int n) {
    // BEGIN SOLUTION
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  //: guard
    long long offset = 0, rest = i;
    for (int d = view.dims - 1; d >= 0; d--) {  //: each_d
        offset += rest % view.shape[d] * view.stride[d];  //: add_offset
        rest /= view.shape[d];  //: divide_rest
    }
    y[i] = x[offset];  //: store
    // END SOLUTION
}
""")

# %%
with trying():
    kernel = minigrad.Kernel(contiguous_kernel.text, "contiguous_kernel")
    x = minigrad.to_device(np.arange(12, dtype=np.float32))
    y = minigrad.to_device(np.zeros((4, 3), np.float32))
    kernel(1, 32, (x, Strides((4, 3), (1, 4)), y, 12))
    print(minigrad.to_host(y))

# %% check="contiguous_kernel"
check(contiguous_kernel)

# %% [markdown] task="test_permute"
# ## A test for views
#
# Your `permute` was tried on shapes, strides and offsets that you had not thought of.
# Now it is your turn: write the **test**. A test calls what it is given, compares, and
# raises an AssertionError, by `assert`, where something is wrong.
#
# The check gives your test right versions of `permute`, which it must let pass, and
# wrong ones, which it must not: mistakes that learners of this lab really make.

# %%
try:
    assert (3, 4, 2) == (4, 2, 3), "expected shape (4, 2, 3), got (3, 4, 2)"
except AssertionError as error:
    print("AssertionError:", error)

# %% [markdown] hints="test_permute"
# <details><summary>Hint 1</summary>
#
# `x.numpy().transpose(dims)` is what NumPy says. With which x and dims do these go
# unnoticed: the inverse order, strides of a new tensor, an offset that is forgotten?
# Choose others. And how does one see that nothing was copied?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take an x of shape (2, 3, 4) with an offset and strides that are not row-major, and
# dims (2, 0, 1), whose inverse is another order. Compare `y.shape` and `y.numpy()`;
# `np.shares_memory(y.numpy(), x.numpy())` says whether it is the same memory. Then
# once more with a tuple, and with negative dims.
#
# </details>


# %% exercise="test_permute"
@solves(test_permute)
def test_permute(permute):
    ### BEGIN SOLUTION
    x = minigrad.arange(100).as_strided((2, 3, 4), (1, 2, 6), 5)  #: x
    #: each_dims
    for dims in [(2, 0, 1), (0, 2, 1), ((1, 2, 0),), (-1, 0, -2), (0, 1, 2)]:
        y = permute(x, *dims)
        order = dims[0] if len(dims) == 1 else dims
        expected = x.numpy().transpose(order)
        assert y.shape == expected.shape, f"dims {dims}: shape {y.shape}"
        assert np.array_equal(y.numpy(), expected), f"dims {dims}: other elements"
        assert np.shares_memory(y.numpy(), x.numpy()), "it copies"  #: assert_y_numpy
        assert x.shape == (2, 3, 4), "x has changed"
    ### END SOLUTION


# %%
with trying():
    test_permute(Tensor.permute)
    print("your permute passes")

# %% check="test_permute"
check(test_permute)

# %% [markdown]
# ## What you have built
#
# These functions are what a tensor is before it computes anything. The rest of
# minigrad's `Tensor` stands on them: `view`, `reshape`, `flatten`, `T`, `x[...]` and
# `tolist` are a few lines each, and call what you wrote. Here they all work together.

# %%
with trying() as show:
    x = minigrad.arange(24).view(2, 3, 4)
    y = x.permute(2, 0, 1)[1:, :, ::2]
    show(strides(y, name="y"))
    print(y.tolist())
    print(y.reshape(-1).shape, y[:1].expand(5, -1, -1).strides)

# %% [markdown]
# ## How you were checked
#
# `show_check` shows the check of an exercise: its cases, where the expected values
# come from, and the mistakes that it can name.

# %%
show_check(contiguous_strides)

# %% [markdown]
# ## Take it home
#
# In a terminal, in the course's folder, this writes a plain Python package with your
# own answers in it. It runs without any notebook.
#
#     .venv/bin/minigrad export my_minigrad
#
# ## Where to go next
#
# So far nothing has been computed: tensors were only read in other ways. In chapter
# 04, one kernel adds and multiplies tensors of any layout, and finds each element as
# your last kernel does.
