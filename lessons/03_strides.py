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
# # 03 · A tensor is a storage and a way to read it
#
# Memory is one long row of cells. A tensor has rows and columns, perhaps many
# dimensions. This lesson is about the few numbers that lead from the one to the other:
# **shape**, **strides** and **offset**. With them, a transpose of a hundred million
# elements takes no longer than one of four, a number fills a matrix without taking up
# its room, and you can say before you run it whether `view` will work.
#
# It takes about {{duration}}, and builds on Python and NumPy; one section, on a kernel,
# on chapter 01. Run each cell as you come to it; where you are asked to predict, write
# your guess down first. Lab 03 is where you write all this yourself: the lesson says
# when to go there. It needs no GPU.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import io

import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import answers_from
from minigrad.viz import broadcast, storage_order, strides, strides_explorer

# Lab 03 has exercises for you. In this lesson the course's solutions answer them.
answers_from("solutions", before="04_elementwise")

# %% [markdown]
# ## The picture
#
# Here are twelve numbers as a tensor of three rows and four columns.

# %%
x = minigrad.arange(12).reshape(3, 4)
x

# %% [markdown]
# And this is what the computer has: a **storage**, a row of twelve cells, and a rule
# for finding each element in it.

# %%
strides(x)

# %% [markdown]
# Read the picture from the bottom. Each box of the grid `x` is an element: its value is
# large, and under it stands the number of the cell that it is read from. The lines do
# it for the first row. The storage counts up from 0, so here every value is its own
# cell's number. That is on purpose: it shows at a glance which cells a tensor reads.
#
# The title holds all that this lesson is about: shape `(3, 4)`, strides `(4, 1)`,
# offset `0`.
#
# ## Memory is flat
#
# Let us forget tensors and build one from a list. It has twelve cells and nothing else:
# no rows, no columns.

# %%
storage = list("abcdefghijkl")
storage[6]

# %% [markdown]
# To read it as 3 rows of 4, walk: each row is 4 cells long, so to go down one row is to
# go 4 cells on, and to go right one column is to go 1 cell on. Row 1, column 2 is cell
# 1 · 4 + 2 · 1 = 6: {{=the letter above|'g'}}.


# %%
def read(row, col):
    return storage[row * 4 + col * 1]


# %% [markdown]
# All rows and all columns, then, show the list as a matrix.

# %%
[[read(row, col) for col in range(4)] for row in range(3)]

# %% [markdown]
# The two numbers in `read` are the **strides**: how many cells to go on for one step in
# each dimension, here `(4, 1)`. We wrote them; nothing in the list knows them. So what
# happens if we swap them?


# %%
def read_swapped(row, col):
    return storage[row * 1 + col * 4]


# %% [markdown]
# **Predict**: 4 rows of 3 now. What does the first row hold?

# %%
[[read_swapped(row, col) for col in range(3)] for row in range(4)]

# %% [markdown]
# {{=The rows have become columns|['a', 'e', 'i']}}. That is the transpose, and not one
# letter has moved. All of this chapter is in those two functions: the same storage,
# other numbers.
#
# ## Shape, strides, offset
#
# For any number of dimensions the rule is the same. The element at index (i, j, k) lies
# in cell
#
# > offset + i · strides[0] + j · strides[1] + k · strides[2]
#
# The offset is the cell of the first element; so far it was 0. PyTorch and minigrad
# have the same names for the three.

# %%
t = torch.arange(12).reshape(3, 4)
print("torch   ", tuple(t.shape), t.stride(), t.storage_offset())
print("minigrad", x.shape, x.stride(), x.storage_offset())

# %% [markdown]
# With an `index`, the picture writes the calculation out. This is row 1, column 2
# again.

# %%
strides(x, index=(1, 2))

# %% [markdown]
# Strides count **elements**, not bytes. A tensor has two more properties: its `dtype`
# says how many bytes a cell has and what they mean, its `device` says whose memory the
# storage lies in.

# %%
print(x.storage)
print(t.dtype, t.itemsize, "bytes a cell,", t.device)

# %% [markdown]
# ### Where strides come from
#
# A new tensor is **row-major**: the last dimension is packed most densely, and its
# stride is 1: a step in the dimension before it skips a row, a step in the dimension
# before that skips a plane, and so on.
#
# **Predict** the strides of shape `(2, 3, 4)`.
#
# <details><summary>Answer</summary>
#
# `{{=(12, 4, 1)}}`. A row has 4 elements; a plane has 3 rows of 4, that is {{=12}}.
#
# </details>

# %%
torch.empty(2, 3, 4).stride(), minigrad.empty(2, 3, 4).stride()

# %% [markdown]
# With three dimensions the picture shows one grid for each plane. We mark one element
# of the second plane.

# %%
strides(minigrad.arange(24).reshape(2, 3, 4), index=(1, 0, 2))

# %% [markdown]
# ### From cell to index, and back
#
# The rule leads from index to cell. For a row-major tensor one can go back, too: cell 7
# of shape `(3, 4)` is one whole row of 4, and 3 more.

# %%
divmod(7, 4)

# %% [markdown]
# Row {{=1}}, column {{=3}}. On a GPU this is what every thread does first: it knows its
# own number, one of many in a row, and has to find out which element that is.
#
# **To the lab**: exercise 1 (`contiguous_strides`), exercise 2 (`offset_of`) and
# exercise 3 (`index_of`) are these three rules, for any number of dimensions.
#
# ### Break it
#
# Strides are only numbers, so one can choose them badly. `as_strided` reads a tensor's
# storage with any shape and strides that you like. Let us say that a row is 3 cells
# long, but read 4.

# %%
strides(x.as_strided((3, 4), (3, 1)), name="bad")

# %% [markdown]
# Every row begins with the last element of the row before. No error: each cell exists.
# ×2 marks the cells that two elements read.
#
# If a row is said to be 5 cells long, the last row lies {{=outside the storage|they
# need 14 cells, the storage has 12}}. That must be {{=refused|RuntimeError: sizes}}, or
# we would read memory that is not ours.

# %%
with trying():
    print(x.as_strided((3, 4), (5, 1)))

# %% [markdown]
# Now you. The sliders change nothing but the numbers; the storage stays as it is.
#
# 1. Make the stride of `j` 0. What does every row show?
# 2. Make the transpose: sizes 4 and 3, and which strides?
# 3. Read only the last column, as a matrix of 3 rows and 1 column. You need the offset.
# 4. Read outside the storage. Which is the smallest change that does it?
#
# <details><summary>Answers</summary>
#
# 1. Its first element, four times: a step to the right goes nowhere.
# 2. Strides 1 and 4.
# 3. Sizes 3 and 1, strides 4 and anything, offset 3. The stride of a dimension of size
#    1 is never used: its only index is 0.
# 4. Any size, any stride or the offset, made larger by 1: the tensor just fills its
#    storage.
#
# </details>

# %%
strides_explorer(3, 4)

# %% [markdown]
# ## Transpose: swap two numbers
#
# Our `read_swapped` in minigrad. The elements of the first row now lie
# {{=4 cells apart|reads cells 0, 4, 8}}.

# %%
strides(x.T, name="x.T")

# %% [markdown]
# Shape and strides are {{=reversed|(3, 4) (4, 1) -> (4, 3) (1, 4)}}, the offset stays,
# and the storage is {{=the very same|the same storage: True}}.

# %%
print(x.shape, x.strides, "->", x.T.shape, x.T.strides)
print("the same storage:", x.T.storage is x.storage)

# %% [markdown]
# PyTorch can say where in memory a storage begins: twice {{=the same|True}} address.

# %%
first, second = (v.untyped_storage().data_ptr() for v in (t, t.T))
first, second, first == second

# %% [markdown]
# If nothing moves, size should not matter. We measure it: the best of five runs of a
# thousand transposes each. (The best, since we ask what is possible: other programs can
# only make such a short piece of work slower.)

# %%
from timeit import repeat


def microseconds(work, number=1000):
    return min(repeat(work, number=number, repeat=5)) / number * 1e6


# %% [markdown]
# Four elements, and a hundred million (400 MB of float32).

# %%
for size in 2, 10_000:
    a = torch.empty(size, size)
    time = microseconds(a.t)  # a.t() is a.T
    print(f"{a.numel():>11,} elements: {time:.2f} microseconds")

# %% [markdown]
# The same, up to the noise of the clock. To move the elements is another matter: here a
# sixth of them, 16 million, are copied into transposed order.

# %%
part = torch.zeros(4000, 4000)
print(f"{microseconds(lambda: part.T.contiguous(), number=1):,.0f} microseconds")

# %% [markdown]
# ### More dimensions: permute
#
# `permute` puts the dimensions into any order, and `transpose` swaps two of them.
# Images come as height × width × color from a camera's file and are wanted as color ×
# height × width by a convolution (chapter 07).
#
# **Predict** shape and strides of the result. The image has shape `(2, 4, 3)` and
# strides `(12, 3, 1)`.
#
# <details><summary>Answer</summary>
#
# Shape `{{=(3, 2, 4)}}`, strides `{{=(1, 12, 3)}}`: dimension 2 first, then 0, then 1,
# in both.
#
# </details>

# %%
image = minigrad.arange(24).reshape(2, 4, 3)  # height, width, color
colors = image.permute(2, 0, 1)
colors.shape, colors.strides

# %% [markdown]
# Each color's plane is gathered from {{=every third cell|reads cells 0, 3, 6, 9}}.

# %%
strides(colors, index=0, name="colors")

# %% [markdown]
# **To the lab**: exercise 4 (`permute`) and exercise 5 (`transpose`).
#
# ## Slices: an offset and a step
#
# A larger tensor: four rows of six. Row 1 is six cells that begin at cell 6, so the
# offset {{=becomes 6|(6,) (1,) 6}} and one dimension goes away. A column is not in one
# piece, and does not need to be: its stride is {{=6|(4,) (6,) 2}}.

# %%
y = minigrad.arange(24).reshape(4, 6)
for v in y[1], y[:, 2]:
    print(v.shape, v.strides, v.offset, v)

# %% [markdown]
# A step makes a stride longer. With `base`, the picture shows which part of `y` the
# slice reads; hatched cells are not read at all.

# %%
strides(y[1:, 1::2], base=y, name="y[1:, 1::2]", base_name="y")

# %% [markdown]
# The offset {{=7}} is one row of 6 and one column. The stride of `i` is still {{=6}},
# that of `j` is 2 · 1. So for every dimension: `start` goes into the offset, `step`
# into the stride, and the length into the shape.
#
# **Predict** shape, strides and offset of `y[2:, ::3]`.
#
# <details><summary>Answer</summary>
#
# Shape `{{=(2, 2)}}`, strides `{{=(6, 3)}}`, offset `{{=12}}`.
#
# </details>

# %%
z = y[2:, ::3]
z.shape, z.strides, z.offset

# %% [markdown]
# A slice of a slice {{=adds up|(12, 12, True)}}. There is no chain of views: each has
# its own three numbers for the one storage.

# %%
y[1:][1:].offset, y[2:].offset, y[1:][1:].storage is y.storage

# %% [markdown]
# An int {{=drops its dimension|(6,) (1,) 6}}, a slice of length 1
# {{=keeps it|(1, 6) (6, 1) 6}}, and `None` makes a new one.

# %%
for v in y[1], y[1:2], y[1, None], y[1, :, None]:
    print(f"{v.shape!s:8} {v.strides!s:8} {v.offset}  {v.tolist()}")

# %% [markdown]
# The new dimension has size 1, so its index is always 0 and its stride is never used:
# any number will do. `squeeze` takes such dimensions {{=out again|((6,), (6,))}}.

# %%
y[1, :, None].squeeze().shape, y[1:2].squeeze(0).shape

# %% [markdown]
# **To the lab**: exercise 6 (`slice_view`). It is the longest; take it in steps: ints
# first, then slices, then `None`, then `...`.
#
# ## One storage, many readers
#
# Nothing is copied: a tensor that reads the storage of another is a **view**. We keep
# the first row, to compare with later, and set the whole tensor to zero. **Predict**
# `before`.

# %%
weights = minigrad.tensor([[0.5, 0.25], [1.0, 2.0]])
before = weights[0]
weights[:] = 0
before

# %% [markdown]
# {{=Gone|tensor([0., 0.]}}. `before` was a way to read the storage, and the storage has
# changed. It works in the other direction as well: to write through a view changes the
# tensor it came from.

# %%
before[1] = 7
strides(before, base=weights, name="before", base_name="weights")

# %% [markdown]
# Everyone makes this mistake once, in PyTorch too. To keep values, make a copy, and say
# so: `clone()` has {{=a storage of its own|tensor([0.5000, 0.2500])}}.

# %%
w = torch.tensor([[0.5, 0.25], [1.0, 2.0]])
view, copy = w[0], w[0].clone()
w.zero_()
print(view, copy)

# %% [markdown]
# There is a quieter cost. A view keeps its whole storage alive, however little it
# reads.

# %%
million = torch.zeros(1000, 1000)
first = million[0]
print(first.numel(), "elements;", first.untyped_storage().nbytes(), "bytes of storage")
print("after clone:", first.clone().untyped_storage().nbytes(), "bytes")
torch.save(first, file := io.BytesIO())
print(f"saved: {file.tell() / 1e6:.1f} million bytes")

# %% [markdown]
# Delete `million`, and its {{=4 000 000}} bytes stay, because `first` needs {{=4000}}
# of them. Even `torch.save` writes {{=all of them|saved: 4.0 million bytes}}.
#
# ## Broadcasting: stride 0
#
# A column of 3 and a row of 4 can be added: the result has 3 rows and 4 columns. As if
# the column were repeated four times to the right, and the row three times downwards:
# that is **broadcasting**.

# %%
column, row = torch.tensor([[0], [10], [20]]), torch.tensor([0, 1, 2, 3])
print(column + row)
broadcast(column, row)

# %% [markdown]
# To repeat them in memory would be a waste. It is enough that a step to the right goes
# nowhere: {{=a stride of 0|strides (1, 0)}}. `expand` makes such a view.

# %%
column = minigrad.tensor([[0], [10], [20]])
wide = column.expand(3, 4)
strides(wide, name="wide")

# %% [markdown]
# Twelve elements, three cells; ×{{=4}} says that each cell is read by four elements.
# The row gets a new first dimension, {{=of stride 0|strides (0, 1)}}.

# %%
strides(minigrad.arange(4).expand(3, 4), name="row.expand(3, 4)")

# %% [markdown]
# How far does it go? This tensor has 16384 × 16384 elements of 4 bytes each: 1 GiB, to
# the eye. All of it is one number, {{=4}} bytes.

# %%
giant = torch.tensor(7.0).expand(16384, 16384)
print(f"{giant.nbytes:,} bytes? {giant.untyped_storage().nbytes()} in the storage")
strides(giant, name="giant")

# %% [markdown]
# ### Which shapes fit
#
# Write the shapes under each other, lined up **at the right**. In each place the sizes
# must be equal, or one of them 1 or missing.
#
# ```
#   8  1  6  1
#      7  1  5
#   ----------
#   8  7  6  5
# ```
#
# **Predict** for each pair: `(3, 1)` and `(4,)`; `(5, 3)` and `(3,)`; `(5, 3)` and
# `(5,)`.
#
# <details><summary>Answer</summary>
#
# `{{=(3, 4)|torch.Size([3, 4])}}`; `{{=(5, 3)|torch.Size([5, 3])}}`; an error: at the
# right stand 3 and 5. For the last one say what you mean, `b[:, None]`, which has shape
# `(5, 1)`.
#
# </details>

# %%
print(torch.broadcast_shapes((3, 1), (4,)), torch.broadcast_shapes((5, 3), (3,)))
broadcast(torch.arange(15).reshape(5, 3), torch.tensor([100, 200, 300]))

# %% [markdown]
# The third pair {{=does not fit|must match the size of tensor b (5)}}, and that is
# good: NumPy and PyTorch never guess.

# %%
with trying():
    print(torch.zeros(5, 3) + torch.zeros(5))

# %% [markdown]
# ### Break it: write where many read
#
# `wide` reads each cell four times. We set one element of twelve.

# %%
wide[0, 0] = 99
print(column.tolist())
wide

# %% [markdown]
# {{=The whole row|[99, 99, 99, 99]}} has changed, and
# {{=`column` with it|[[99], [10], [20]]}}; in PyTorch as well. But where an
# operation writes to an expanded tensor as a whole, PyTorch sees the danger and
# {{=refuses|RuntimeError: unsupported operation}}.

# %%
with trying():
    expanded = torch.tensor([[0], [10], [20]]).expand(3, 4)
    expanded += 1

# %% [markdown]
# Four elements would add 1 to the same cell. One after the other they would add 4; on a
# GPU they run at once, and the result is not defined. The message names the remedy:
# {{=`clone()`|Please clone()}} first.
#
# **To the lab**: exercise 7 (`broadcast_shapes`) and exercise 8 (`expand`).
#
# ## Contiguous, or not
#
# A tensor is **contiguous** if its elements lie in row-major order without gaps. Many
# kernels are faster for those, and some accept nothing else.

# %%
[v.is_contiguous() for v in (x, x.T, y[1:3], y[:, 1:3])]

# %% [markdown]
# Two whole rows are {{=one piece. Two columns are not|[True, False, True, False]}}:
# after each pair there is a gap. The arcs lead from each element to the next, row by
# row.

# %%
storage_order({"y[1:3]": y[1:3], "y[:, 1:3]": y[:, 1:3]})

# %% [markdown]
# For a contiguous tensor, `view` gives another shape to the same storage.

# %%
x.view(2, 6).strides, x.view(12).strides

# %% [markdown]
# And for the transpose? Try it.

# %%
with trying():
    print(x.T.view(12))

# %% [markdown]
# To see why, walk through the transpose, row by row.

# %%
storage_order({"x.T": x.T})

# %% [markdown]
# A tensor of one dimension has one stride, and no number is both {{=4}} and {{=−7}}. So
# `view` does not fail out of caution. It fails because there is no such view.
#
# ### reshape: a view if it can, a copy if it must
#
# `reshape` asks the same question and {{=copies|(True, False)}} where `view` gives up.

# %%
x.reshape(12).storage is x.storage, x.T.reshape(12).storage is x.storage

# %% [markdown]
# Convenient, and a trap: whether a later write is seen elsewhere
# {{=depends on strides|[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}}
# that are not visible in the code. The same write to two tensors of 2 × 3 zeros, one of
# them a transpose:

# %%
for a in torch.zeros(2, 3), torch.zeros(3, 2).T:
    a.reshape(6)[0] = 1
    print(a.tolist())

# %% [markdown]
# So: `view` when you rely on sharing, because it says no. `clone` when you rely on a
# copy. `reshape` when you do not care. `contiguous()` copies only where it must, too.
#
# ### When exactly does a view exist?
#
# Not only for contiguous tensors. The first four columns of `y` are
# {{=not contiguous|(False, (6, 2, 1))}}, and
# yet a dimension can always be split in two.

# %%
left = y[:, :4]
left.is_contiguous(), left.view(4, 2, 2).strides

# %% [markdown]
# To merge two dimensions is what needs a condition: the step from the end of one row to
# the beginning of the next must be like any other step. In numbers, for dimensions d
# and d + 1:
#
# > strides[d] == strides[d + 1] · shape[d + 1]
#
# **Predict** which of these four can be viewed with shape `(12,)`: `y[1:3]`, `y[::2]`,
# `y[:, ::2]`, `y[:, :3]`.
#
# <details><summary>Answer</summary>
#
# | | shape | strides | condition | |
# |---|---|---|---|---|
# | `y[1:3]` | (2, 6) | (6, 1) | 6 = 1 · 6 | {{=view|y[1:3]: every step is 1}} |
# | `y[::2]` | (2, 6) | (12, 1) | 12 ≠ 1 · 6 | {{=no view|steps 1, 1, 1, 1, 1, 7}} |
# | `y[:, ::2]` | (4, 3) | (6, 2) | 6 = 2 · 3 | {{=view|y[:, ::2]: every step is 2}} |
# | `y[:, :3]` | (4, 3) | (6, 1) | 6 ≠ 1 · 3 | {{=no view|y[:, :3]: steps 1, 1, 4}} |
#
# The third is the interesting one: {{=not contiguous, and yet evenly spaced|False
# (2,)}} all the way.
#
# </details>

# %%
print(y[:, ::2].is_contiguous(), y[:, ::2].view(12).strides)
four = {
    "y[1:3]": y[1:3],
    "y[::2]": y[::2],
    "y[:, ::2]": y[:, ::2],
    "y[:, :3]": y[:, :3],
}
storage_order(four)

# %% [markdown]
# **To the lab**: exercise 9 (`view_or_copy`) decides it for any two shapes.
#
# ### The copy, as a kernel
#
# Where there is no view, `reshape` and `contiguous` copy: element i of the view,
# counted row by row, goes to cell i of a new storage. That is a **gather**: the threads
# write side by side, and fetch from wherever the strides say. First in Python:
# `index_of` says which index element i has, and `offset_of` in which cell it lies.

# %%
from minigrad.layout import index_of, offset_of

v = y[:2, :4].T
cells = [offset_of(index_of(i, v.shape), v.strides, v.offset) for i in range(8)]
print(cells)
strides(v, index=index_of(5, v.shape), base=y, name="v", base_name="y")

# %% [markdown]
# On a GPU each i is a thread, as in chapter 01. (Skip this section if you have not read
# it.) Shape and strides come to the kernel as a **struct**, a few values under one
# name, with room for eight dimensions:
#
# ```
# struct Strides { int dims; long long shape[8]; long long stride[8]; };
# ```
#
# The kernel makes no list of indices. It takes i apart, the last dimension first, and
# adds up the offset as it goes: the remainder of i divided by the size is the index,
# and the quotient goes on to the next dimension. In Python that is `divmod`:

# %%
i, offset = 5, v.offset
for size, stride in zip(reversed(v.shape), reversed(v.strides), strict=True):
    i, index = divmod(i, size)
    offset += index * stride
offset, cells[5]

# %% [markdown]
# Here is the library's, which stands in for yours, at work on a view whose elements lie
# far apart.

# %%
from minigrad.kernels.copy import Strides, contiguous_kernel

kernel = minigrad.Kernel(contiguous_kernel.text, "contiguous_kernel")
x32 = minigrad.to_device(np.arange(24, dtype=np.float32))
out = minigrad.to_device(np.zeros((4, 2), np.float32))
kernel(1, 32, (x32, Strides(v.shape, v.strides), out, 8))
minigrad.to_host(out)

# %% [markdown]
# **To the lab**: exercise 10 (`contiguous_kernel`).
#
# ## No dimensions, no elements
#
# A number is a tensor without dimensions. There is nothing to step over, so there are
# {{=no strides|((), (), 23, 23)}}; the one element lies at the offset.

# %%
corner = y[3, 5]
corner.shape, corner.strides, corner.offset, corner.item()

# %% [markdown]
# A size may be 0. Such a tensor has no elements, but it has a shape, and code that
# works for n rows should work for none: the last batch, a filter that nothing passes.
# No element, {{=no cell that is read|so no cell is read}}.

# %%
none = y[:, 2:2]
print(none.numel(), none.tolist())
strides(none, name="none")

# %% [markdown]
# One convention to know for the lab: a new tensor counts a size of 0 {{=as 1|((3, 3,
# 1), (3, 3, 1))}} in its strides.

# %%
torch.empty(2, 0, 3).stride(), minigrad.empty(2, 0, 3).stride()

# %% [markdown]
# ## NumPy is almost the same
#
# NumPy has the same idea, and counts its strides in {{=**bytes**|(32, 8) bytes}}.

# %%
a = np.arange(12).reshape(3, 4)
print(a.strides, "bytes, with", a.itemsize, "bytes an element")
print(t.stride(), "elements")

# %% [markdown]
# It also allows what PyTorch does not: {{=negative strides|strides (-1,)}}. The array
# backwards is the same memory, read from the end.

# %%
strides(np.arange(6)[::-1], name="a[::-1]")

# %% [markdown]
# PyTorch {{=does not have them|At least one stride in the given numpy array is
# negative}}: its kernels may rely on strides that are 0 or more.

# %%
with trying():
    print(torch.from_numpy(a[::-1]))

# %% [markdown]
# {{=Nor does it slice backwards|step must be greater than zero}}. `flip` does it, and
# copies.

# %%
with trying():
    print(t[::-1])

# %% [markdown]
# Otherwise the two {{=share memory|tensor([100, 1, 2, 3])}}, as views do. This is how
# data comes from NumPy without a copy, and it is again one storage with two readers.

# %%
shared = torch.from_numpy(a)
a[0, 0] = 100
shared[0]

# %% [markdown]
# ## Where PyTorch keeps all this
#
# In C++, each `torch.Tensor` is a handle of a `TensorImpl` (`c10/core/TensorImpl.h`).
# Its fields are the ones you know:
#
# | PyTorch, C++ | PyTorch, Python | minigrad |
# |---|---|---|
# | `sizes_and_strides_` | `t.shape`, `t.stride()` | `x.shape`, `x.strides` |
# | `storage_offset_` | `t.storage_offset()` | `x.offset` |
# | `storage_` | `t.untyped_storage()` | `x.storage` |
# | `data_type_` | `t.dtype` | `x.dtype` |
# | `device_opt_` | `t.device` | `x.device` |
#
# The storage is an object of its own (`StorageImpl`) with the address and the number of
# bytes, and it is counted: it lives as long as one tensor reads it. `t.data_ptr()` is
# the address of the first element, and there is no magic in it:

# %%
view = t[1:, 2:]
begin = view.untyped_storage().data_ptr()
view.data_ptr() - begin, view.storage_offset() * view.itemsize

# %% [markdown]
# {{=Both in bytes|(48, 48)}}. A kernel on a GPU gets exactly this: an address, a shape,
# and strides. There, neighboring threads should read neighboring cells, that is,
# along the dimension of stride 1, because the memory delivers a whole piece at a time;
# chapter 02 measures what it costs if they do not.
#
# ## In one table: what each operation changes
#
# **Predict** the last column before you read it: which of these may make a new storage?
#
# | operation | shape | strides | offset | storage |
# |---|---|---|---|---|
# | `permute`, `transpose`, `T` | reordered | reordered | – | {{=same|(1, 6) 6 same}} |
# | `x[i]` | one dimension less | one less | + i · stride | {{=same|(1,) 12 same}} |
# | `x[a:b:step]` | shorter | × step | + a · stride | {{=same|(6, 2) 7 same}} |
# | `x[None]`, `unsqueeze` | a 1 more | one more | – | {{=same|(18, 6, 1) 6 same}} |
# | `squeeze` | sizes 1 taken out | taken out | – | same |
# | `expand` | sizes 1 grow | 0 there | – | {{=same|(0, 1) 6 same}} |
# | `view` | new | computed, or an error | – | {{=same|(2, 1) 6 same}} |
# | `reshape`, `flatten` | new | computed | – or 0 | as `view`, or {{=new|1) 0 new}} |
# | `contiguous` | – | row-major | – or 0 | {{=same|(6, 1) 6 same}}, or new |
# | `clone` | – | row-major in minigrad | 0 | {{=always new|(6, 1) 0 new}} |
#
# One line about the last row: PyTorch's `clone` keeps the order of dimensions of a
# transposed tensor (its default is `memory_format=torch.preserve_format`).
#
# Do not believe a table; run it. `base` has shape `(3, 6)`, strides `(6, 1)`, offset 6.

# %%
base = y[1:]
results = {
    "T": base.T,
    "[1]": base[1],
    "[:, 1::2]": base[:, 1::2],
    "[None]": base[None],
    "[:1].expand(5, 6)": base[:1].expand(5, 6),
    "view(9, 2)": base.view(9, 2),
    "T.reshape(9, 2)": base.T.reshape(9, 2),
    "contiguous()": base.contiguous(),
    "clone()": base.clone(),
}

# %%
for name, v in results.items():
    same = "same" if v.storage is base.storage else "new"
    print(f"{name:18} {v.shape!s:10} {v.strides!s:10} {v.offset:3} {same}")

# %% [markdown]
# ## Before you go: four questions
#
# 1. `a` has shape `(100, 100)` and is contiguous. How many bytes does `a.T[::2, 5]`
#    copy?
# 2. A tensor has shape `(3, 3)` and strides `(1, 1)`. How many cells does it read?
# 3. Which strides read the diagonal of a contiguous matrix of shape `(n, n)`?
# 4. `a` has two dimensions and `a.view(-1)` works. Can `a.T.view(-1)` ever work, too?
#
# <details><summary>Answers</summary>
#
# 1. None: two views.
# 2. Five, 0 to 4 from its offset on: i + j takes the values 0 to 4.
# 3. Shape `(n,)`, strides {{=`(n + 1,)`|strides (5,)}}.
# 4. Yes: if `a` has only one row or one column, or no elements, or all strides 0.
#
# </details>

# %%
# The third, drawn. Change it: how do you get the other diagonal? (It needs an offset.)
square = minigrad.arange(16).reshape(4, 4)
diagonal = square.as_strided((4,), (5,))
strides(diagonal, base=square, name="diagonal", base_name="square")

# %% [markdown]
# Now **lab 03**: its last exercise is a test that you write for others' answers. When
# all are done, the `minigrad` of this lesson is yours: in the set-up cell, write
# `"labs"` for `"solutions"`, restart the kernel, and run everything again on your own
# code.
#
# To read on: S. van der Walt and others, *The NumPy Array* (2011); E. Yang, *PyTorch
# internals* (2019); and in PyTorch `c10/core/TensorImpl.h` (`set_sizes_and_strides`),
# `aten/src/ATen/native/TensorShape.cpp` (`permute`, `expand`, `reshape`) and
# `aten/src/ATen/TensorUtils.cpp` (`computeStride`: when does a view exist?).
