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
# In this lab, you write the part of minigrad that turns a row of cells into a tensor.
# There are eleven exercises, which take about {{duration}}. Once you've run a cell with
# your code, minigrad uses it, and later labs read it from this notebook. One exercise
# is a kernel, which builds on chapter 01 but runs without a GPU, and the last one is a
# test.

# %% [markdown]
# {{how}}

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
# The stride of a dimension says how many storage cells to move ahead for one step along
# it. A new tensor is stored row by row, so its last dimension has stride 1.
#
# Write `contiguous_strides`. As in the lesson, a size of 0 counts as 1.

# %%
import torch

for shape in [(2, 3, 4), (5,), (2, 0, 3), ()]:
    print(shape, "->", torch.empty(shape).stride())

# %% [markdown] hints="contiguous_strides"
# <details><summary>Hint 1</summary>
#
# Start with the last stride, which is always 1. How do you get from each stride to the
# one before it?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go through the sizes from last to first, and keep track of how many cells one step
# skips. Append that number to a list, and then multiply it by the size, or by 1 if the
# size is 0. At the end, reverse the list and turn it into a tuple.
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
# The element at index `(i, j, k)` is in the storage cell with the number
#
# > offset + i · strides[0] + j · strides[1] + k · strides[2]
#
# With strides `(3, 1)`, index `(1, 2)` is in cell 1 · 3 + 2 · 1 = 5. If the tensor
# begins at cell 10 of its storage, its offset is 10, and the element is in cell 15.
#
# Write `offset_of` for any number of dimensions.

# %%
x = torch.arange(20).as_strided((2, 3), (3, 1), 10)
strides(x, index=(1, 2))

# %% [markdown] hints="offset_of"
# <details><summary>Hint 1</summary>
#
# Each index goes with the stride of the same dimension. Which built-in function walks
# along two tuples at once?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start with `offset`. For each pair of an index and a stride, add their product. A
# tensor without dimensions has nothing to add.
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
# If you count the elements of a tensor row by row, which index does the element at
# `position` have? In shape `(2, 3)`, the positions 0 to 5 have the indices
#
# > (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)
#
# Position 5 comes after one row of 3 and 2 more elements, so its index is `(1, 2)`.
#
# Write `index_of`. Every kernel that takes tensors with any strides has to do this,
# because a thread knows only its number and must find its element.

# %%
for position in range(6):
    print(
        position, [int(i) for i in torch.unravel_index(torch.tensor(position), (2, 3))]
    )

# %% [markdown] hints="index_of"
# <details><summary>Hint 1</summary>
#
# It's like turning seconds into minutes: 200 seconds is 3 minutes and 20 seconds. Which
# two operations give you the 3 and the 20?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Divide the position by the last size. The remainder is the last index, and the
# quotient is the position in the remaining dimensions. `divmod` returns both.
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
# ## Permute: reorder the dimensions
#
# `x.permute(2, 0, 1)` puts the dimensions into another order. Dimension 0 of the result
# is dimension 2 of `x`, dimension 1 of the result is dimension 0 of `x`, and so on. If
# `x` has shape `(2, 3, 4)`, the result has shape `(4, 2, 3)`. The strides are reordered
# in the same way, from `(12, 4, 1)` to `(1, 12, 4)`. No element moves, because the
# result reads the same storage.
#
# Write the method `permute`. Two functions help you. `layout.as_ints(dims)` returns
# `(2, 0, 1)` for both `permute(2, 0, 1)` and `permute((2, 0, 1))`.
# `layout.wrap_dim(dim, self.ndim)` turns -1 into the last dimension, and raises an
# IndexError if the dimension doesn't exist.

# %%
x = torch.arange(24).view(2, 3, 4)
strides(x.permute(2, 0, 1), base=x)

# %% [markdown] hints="permute"
# <details><summary>Hint 1</summary>
#
# You need two lists, the new sizes and the new strides. How do they follow from `dims`?
#
# </details>
# <details><summary>Hint 2</summary>
#
# After `as_ints` and `wrap_dim`, take `self.shape[d]` and `self.strides[d]` for each
# `d` in `dims`. Valid dims, once they're sorted, are 0, 1, 2, … up to `self.ndim - 1`.
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
# ## Transpose: swap two dimensions
#
# `x.transpose(0, 2)` swaps two dimensions and leaves the others where they are, so
# shape `(2, 3, 4)` becomes `(4, 3, 2)`. Like permute, it copies nothing.
#
# Write the method `transpose`.

# %%
x = torch.arange(24).view(2, 3, 4)
x.transpose(0, -1).shape, x.transpose(0, -1).stride()

# %% [markdown] hints="transpose"
# <details><summary>Hint 1</summary>
#
# Which order of dimensions would you pass to `permute`? (If you skipped exercise 4,
# minigrad's own `permute` is used.)
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start with a list of 0, 1, 2, … and swap two of its items. Call `wrap_dim` first, so
# that the dims aren't negative. For a tensor without dimensions, the list is empty and
# there's nothing to swap.
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
# `x[1, 0:6:2]` copies nothing either. Suppose `x` has shape `(4, 6)` and strides `(6,
# 1)`. The `1` selects a row, so the result begins 1 · 6 cells later, and the row
# dimension is gone. The `0:6:2` takes every second column, so 3 of them remain, and one
# step is now 2 cells. The result has shape `(3,)`, strides `(2,)`, and offset 6.
#
# Write `slice_view`, which does this for any index. After that, you can index any
# tensor, because minigrad turns whatever is in the brackets into a tuple and calls your
# function.

# %%
x = torch.arange(24).view(4, 6)
strides(x[1, 0:6:2], base=x)

# %% [markdown] hints="slice_view"
# <details><summary>Hint 1</summary>
#
# Handle one kind of item after the other: first ints, then slices, then None, and `...`
# last. Keep a counter for the dimension that the next item refers to. What does each
# kind do to the offset, the size, and the stride?
#
# </details>
# <details><summary>Hint 2</summary>
#
# `item.indices(size)` of a slice returns start, stop, and step as plain numbers, and
# takes care of None and negative numbers. The new size is `len(range(start, stop,
# step))`. For an int, check the range yourself and add the size if it's negative. An
# int adds int · stride to the offset, and a slice adds start · stride. Before you
# begin, replace `...` with as many whole slices as there are dimensions left. If
# there's no `...`, put one at the end.
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
# This is the rule from the lesson:
#
# > Line up the shapes on the right. In each dimension, the sizes must be equal, or one
# > of them must be 1 or missing. The size that isn't 1 wins.
#
#     (3, 1)       (2, 1, 4)       (2, 3)
#        (4,)         (3, 1)          (2,)
#     ------       ---------       ------
#     (3, 4)       (2, 3, 4)       an error: 3 and 2
#
# Write `broadcast_shapes`. A size of 0 is a size like any other.

# %%
print(torch.broadcast_shapes((3, 1), (4,)), torch.broadcast_shapes((2, 1, 4), (3, 1)))
with trying():
    torch.broadcast_shapes((2, 3), (2,))

# %% [markdown] hints="broadcast_shapes"
# <details><summary>Hint 1</summary>
#
# If a shape is too short, imagine sizes of 1 in front of it. How many dimensions does
# the result have?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Start with a result of ones that's as long as the longest shape. Go through each shape
# from the back, with `shape[-1]`, `shape[-2]`, and so on. Skip sizes of 1. Any other
# size may replace a 1 in the result, and otherwise it must be equal to what's there.
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
# How does a column of 3 elements become a 3 × 4 matrix? It needs a stride of 0, so that
# each step to the right stays in the same cell. If `x` has shape `(3, 1)` and strides
# `(1, 1)`, then `x.expand(3, 4)` has strides `(1, 0)`, and `x.expand(2, 3, 4)` has
# strides `(0, 1, 0)`.
#
# Write the method `expand`. The sizes may also contain -1, and some sizes aren't
# allowed. The contract below lists all cases.

# %%
x = torch.arange(3).view(3, 1)
strides(x.expand(3, 4), base=x)

# %% [markdown] hints="expand"
# <details><summary>Hint 1</summary>
#
# There are three cases for each dimension of the result. It may be new, it may keep its
# size, or its size may change from 1 to another. What is the stride in each case?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Call `layout.as_ints(sizes)` first. The first `new = len(sizes) - self.ndim`
# dimensions have stride 0. After those, dimension `d` of the result is dimension `d -
# new` of `self`. If the size is the same or -1, the dimension keeps its stride.
# Otherwise, the old size must be 1, and the stride is 0.
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
# If `x` is row-major and has shape `(2, 3)`, then `x.view(6)` reads the same cells one
# after the other, with strides `(1,)`. The transpose of `x` has no such view. Row by
# row, it reads cells 0, 3, 1, 4, 2, 5, and no single stride does that, so the elements
# must be copied first.
#
# Write `view_or_copy`. It returns the strides of the view, or None if there's no view.
#
# Two neighboring dimensions can be **merged** if the outer stride equals the inner
# stride times the inner size. Merged dimensions act as a single long dimension, which
# you can split in any way. Dimensions that can't be merged can still be split. A
# dimension of size 1 never uses its stride, so that stride doesn't matter.

# %%
x = torch.arange(6).view(2, 3)
print(x.view(6).stride())
with trying():
    x.T.view(6)

# %% [markdown] hints="view_or_copy"
# <details><summary>Hint 1</summary>
#
# Do it in two steps. First forget the new shape. Which groups of old dimensions can be
# merged into one long dimension? Then split these groups into the new sizes.
#
# </details>
# <details><summary>Hint 2</summary>
#
# Go from the last dimension to the first, and skip sizes of 1. For each group, keep its
# number of elements and the stride of its last dimension. Take shape `(2, 3, 4)` with
# strides `(24, 4, 1)`: the last two dimensions form a group of 12 elements with stride
# 1, and the first is a group of 2 with stride 24.
#
# </details>
# <details><summary>Hint 3</summary>
#
# Then go through the new sizes, also from last to first. If a size doesn't divide
# what's left of the current group, return None. Otherwise, the new size gets the
# group's stride. Then multiply the group's stride by that size, and divide what's left
# of the group by it. If 1 is left, the next group begins.
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
# If there's no view, the elements must be copied, and on a GPU, a kernel does that.
# Element i of the view, counted row by row, goes to `y[i]`. So your `index_of` and
# `offset_of` come together here, in CUDA C. (This exercise builds on chapter 01. If you
# haven't read it, come back later. No other exercise needs this one.)
#
# You can't pass a Python tuple to a kernel. The shape and the strides arrive as a
# **struct**, which holds several values under one name. It's passed by value, like an
# int, and has these fields:
#
# | field | meaning |
# |---|---|
# | `view.dims` | the number of dimensions, 0 to 8 |
# | `view.shape[d]` | the size of dimension d |
# | `view.stride[d]` | the number of cells to move ahead for one step along it |
#
# `x[0]` is the first element of the view. `long long` is a 64-bit integer.
#
# Write the kernel `contiguous_kernel`. It doesn't need a list of indices, or any array.
# Find the index one dimension at a time, and add to the offset as you go. Here are the
# numbers for i = 22, shape `(2, 3, 4)`, and strides `(1, 8, 2)`.

# %%
index = [int(i) for i in np.unravel_index(22, (2, 3, 4))]
print("i = 22 has index", index, "and offset", np.dot(index, (1, 8, 2)))

# %% [markdown] hints="contiguous_kernel"
# <details><summary>Hint 1</summary>
#
# In `index_of` you divided with `divmod`. What replaces it in CUDA C, and how do you
# count from `view.dims - 1` down to 0?
#
# </details>
# <details><summary>Hint 2</summary>
#
# First return if i is too large. Then start with an offset of 0 and a position of i,
# and loop over the dimensions from last to first. Divide the position by the size, add
# the remainder times the stride to the offset, and keep the quotient as the new
# position. At the end, copy the element at that offset to `y[i]`.
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
# The check tried your `permute` on many shapes, strides, and offsets, perhaps on some
# that you hadn't thought of. Now it's your turn to write the **test**. A test calls the
# function that it's given, compares the result, and raises an AssertionError (with
# `assert`) if something is wrong.
#
# The check runs your test on several versions of `permute`. Your test must accept the
# correct ones and reject the others, which have mistakes that are easy to make in this
# lab.

# %%
try:
    assert (3, 4, 2) == (4, 2, 3), "expected shape (4, 2, 3), got (3, 4, 2)"
except AssertionError as error:
    print("AssertionError:", error)

# %% [markdown] hints="test_permute"
# <details><summary>Hint 1</summary>
#
# NumPy's answer is `x.numpy().transpose(dims)`. Some mistakes don't show for every `x`,
# such as permuting in the inverse order, returning row-major strides, or forgetting the
# offset. Which `x` and `dims` reveal each of them? How can you tell that nothing was
# copied?
#
# </details>
# <details><summary>Hint 2</summary>
#
# Take an `x` of shape `(2, 3, 4)` with an offset and with strides that aren't
# row-major, and dims `(2, 0, 1)`, whose inverse is another order. Compare `y.shape` and
# `y.numpy()`. `np.shares_memory(y.numpy(), x.numpy())` says whether both read the same
# memory. Then do the same with a tuple and with negative dims.
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
# ## What you've built
#
# You've written everything that lays out a tensor in memory, and the rest of minigrad's
# `Tensor` builds on it. `view`, `reshape`, `flatten`, `T`, indexing, and `tolist` take
# only a few lines each, because they call your code. Here several of them work
# together.

# %%
with trying() as show:
    x = minigrad.arange(24).view(2, 3, 4)
    y = x.permute(2, 0, 1)[1:, :, ::2]
    show(strides(y, name="y"))
    print(y.tolist())
    print(y.reshape(-1).shape, y[:1].expand(5, -1, -1).strides)

# %% [markdown]
# ## How your code is checked
#
# `show_check` prints the check of an exercise. You see its cases, where the expected
# values come from, and the mistakes that it recognizes.

# %%
show_check(contiguous_strides)

# %% [markdown]
# ## Take it home
#
# Run this in a terminal, in the course's folder. (In Colab, run `!python -m minigrad
# export my_minigrad` in a cell.) It writes a Python package with your own code in it,
# which runs without any notebook.
#
#     .venv/bin/minigrad export my_minigrad
#
# ## Where to go next
#
# So far, you've only read tensors in different ways and haven't computed anything. In
# chapter 04, one kernel adds and multiplies tensors of any layout, and it finds each
# element in the same way as your kernel.
