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
# Memory is one long row of numbers, but a tensor has rows and columns, and often more
# dimensions than that. This lesson is about the three things that connect the two:
# **shape**, **strides**, and **offset**. They explain why transposing a hundred million
# elements takes no longer than transposing four, how a single number can fill a whole
# matrix, and when you can reshape a tensor without copying it.
#
# This lesson takes about {{duration}}, builds on Python and NumPy only, and needs no
# GPU. Run each code cell as you reach it. If the text asks you to predict something,
# write your guess down first. The **puzzles** ask you to change a single line, and the
# code cell below tells you whether you solved it. In lab 03, you'll write all of this
# yourself, and the lesson tells you when to switch to it.

# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
import io

import numpy as np
import torch

import minigrad
from grading import trying
from minigrad import answers_from
from minigrad.viz import broadcast, storage_order, strides, strides_explorer

# You'll write these functions in lab 03. Here, the reference solutions stand in.
answers_from("solutions", before="04_elementwise")

# %% [markdown]
# ## The picture
#
# **minigrad** is the small tensor library that you build in this course. It uses
# PyTorch's names, so we'll often show both. Here are twelve numbers as a tensor with
# three rows and four columns.

# %%
x = minigrad.arange(12).reshape(3, 4)
x

# %% [markdown]
# The computer doesn't store it that way. A tensor has a **storage**, which is a row of
# cells (twelve here), and a rule that says which cell holds which element. The next
# picture shows both.

# %%
strides(x)

# %% [markdown]
# Start at the bottom, where each box of the grid `x` is an element. The large number is
# its value, and the small number below is the cell that the value is read from. Lines
# connect the elements of the first row to their cells. We filled the storage with 0, 1,
# 2, and so on, so every value here is equal to the number of its cell.
#
# The title lists shape `(3, 4)`, strides `(4, 1)`, and offset `0`, which the next two
# sections explain.
#
# ## Memory is flat
#
# Let's build such a tensor ourselves, from a plain Python list. The list has twelve
# cells and knows nothing about rows or columns.

# %%
storage = list("abcdefghijkl")
storage[6]

# %% [markdown]
# Suppose we want to read it as 3 rows of 4. Each row takes up 4 cells, so moving down
# by one row means moving ahead by 4 cells. Moving right by one column means moving
# ahead by 1 cell. So row 1, column 2 is in cell 1 · 4 + 2 · 1 = 6, which holds {{=`g`,
# as we just saw|'g'}}.


# %%
def read(row, col):
    return storage[row * 4 + col * 1]


# %% [markdown]
# Reading every row and column this way gives us a matrix.

# %%
[[read(row, col) for col in range(4)] for row in range(3)]

# %% [markdown]
# The two numbers in `read` are the **strides**. They say how many cells to move ahead
# for one step in each dimension, and here they're `(4, 1)`. Nothing in the list depends
# on them, so we can also choose others.
#
# **Puzzle 1: turn it.** `turned` reads 4 rows of 3. Change its line so that these rows
# are the columns of the matrix above: a e i, then b f j, c g k, and d h l.


# %%
def turned(row, col):
    return storage[row * 3 + col]  # your line


# %%
matrix = ["".join(turned(row, col) for col in range(3)) for row in range(4)]
print(matrix, "solved:", matrix == ["aei", "bfj", "cgk", "dhl"])

# %% [markdown]
# <details><summary>Answer</summary>
#
# Moving down now means moving ahead by 1 cell, and moving right means moving ahead by
# 4.
#
# ```python
# return storage[row * 1 + col * 4]
# ```
#
# That's the transpose, and not a single letter has moved.
#
# </details>

# %% [markdown]
# `read` and `turned` read the same storage with different strides, and that's the idea
# of the whole lesson.
#
# ## Shape, strides, and offset
#
# The rule is the same for any number of dimensions. The element at index (i, j, k) is
# in the cell with the number
#
# > offset + i · strides[0] + j · strides[1] + k · strides[2]
#
# The **offset** is the cell of the first element. So far, it's been 0. PyTorch and
# minigrad use the same names for all three, and minigrad also has `x.strides` and
# `x.offset`.

# %%
t = torch.arange(12).reshape(3, 4)
print("torch   ", tuple(t.shape), t.stride(), t.storage_offset())
print("minigrad", x.shape, x.stride(), x.storage_offset())

# %% [markdown]
# With an `index`, here row 1, column 2, the picture also shows the calculation.

# %%
strides(x, index=(1, 2))

# %% [markdown]
# Strides count **elements**, not bytes. The tensor's `dtype` says how many bytes each
# cell has and what they mean, and its `device` says where the storage is, for example
# in a GPU's memory.

# %%
print(t.dtype, t.itemsize, "bytes per cell,", t.device)

# %% [markdown]
# ### Where strides come from
#
# A new tensor is stored row by row, which is called **row-major** order. The last
# dimension has stride 1. A step in the dimension before it skips a whole row, a step in
# the dimension before that skips a whole plane, and so on.
#
# **Predict** the strides of a new tensor of shape `(2, 3, 4)`.
#
# <details><summary>Answer</summary>
#
# They're `{{=(12, 4, 1)}}`. A row has 4 elements, and a plane has 3 rows of 4, which is
# {{=12}}.
#
# </details>

# %%
torch.empty(2, 3, 4).stride(), minigrad.empty(2, 3, 4).stride()

# %% [markdown]
# What if a size is 0? The strides don't matter then, but PyTorch has to return some. It
# counts a size of 0 {{=as 1|((3, 3, 1), (3, 3, 1))}}, and so do we.

# %%
torch.empty(2, 0, 3).stride(), minigrad.empty(2, 0, 3).stride()

# %% [markdown]
# With three dimensions, the picture shows one grid per plane. Here we mark an element
# of the second plane.

# %%
strides(minigrad.arange(24).reshape(2, 3, 4), index=(1, 0, 2))

# %% [markdown]
# ### From a nested list
#
# `tensor` gets its shape from the lengths of the nested lists and fills its cells with
# their numbers, row by row.


# %%
def shape_of(x):
    return (len(x), *shape_of(x[0])) if isinstance(x, list) else ()


def cells_of(x):
    return [cell for row in x for cell in cells_of(row)] if shape_of(x) else [x]


nested = [[1, 2, 3], [4, 5, 6]]
print(shape_of(nested), cells_of(nested), minigrad.tensor(nested).shape)

# %% [markdown]
# **Predict** what our functions and `tensor` do if the last row is `[4, 5]`.

# %%
ragged = [[1, 2, 3], [4, 5]]
print(shape_of(ragged), cells_of(ragged))
with trying():
    minigrad.tensor(ragged)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Our functions claim shape {{=(2, 3)}} for five cells, but `tensor` {{=raises an
# error|ValueError: expected sequence of length 3}}, because no strides describe rows of
# different lengths.
#
# </details>
#
# ### From position to index
#
# The rule turns an index into a cell, but often you have only a number. If you count
# the elements of a tensor row by row, the number of an element is its **position**. In
# `x`, position 7 comes after one whole row of 4 and 3 more elements.

# %%
divmod(7, 4)

# %% [markdown]
# So it's in row {{=1}}, column {{=3}}. On a GPU, thousands of threads run the same
# function (chapter 01 explains how), and each knows only its own number. If the strides
# can be anything, a thread first has to turn that number into an index.
#
# **To the lab**: in exercise 1 (`contiguous_strides`), exercise 2 (`offset_of`), and
# exercise 3 (`index_of`), you implement these three rules for any number of dimensions.
#
# ### Choose your own
#
# Shape, strides, and offset are only numbers, so you may choose any. `as_strided` reads
# a tensor's storage with whatever shape, strides, and offset you pass. You may leave
# out the offset here, because `x` starts at cell 0. The line below reads the 2 × 2
# block in the upper left of `x`.
#
# **Puzzle 2: corners.** Change the strides so that `corners` holds the four corners of
# `x`, which are 0, 3, 8, and 11.

# %%
corners = x.as_strided((2, 2), (4, 1))  # your line

# %%
print(corners.tolist(), "solved:", corners.tolist() == [[0, 3], [8, 11]])
strides(corners, base=x, name="corners", base_name="x")

# %% [markdown]
# <details><summary>Answer</summary>
#
# 0 and 8 are two rows apart, or 8 cells, and 0 and 3 are three columns apart, or 3
# cells.
#
# ```python
# corners = x.as_strided((2, 2), (8, 3))
# ```
#
# </details>

# %% [markdown]
# ### Break it
#
# You can also choose badly. Let's claim that the rows of `x` are 3 cells apart, but
# still read 4 elements from each.

# %%
strides(x.as_strided((3, 4), (3, 1)), name="bad")

# %% [markdown]
# Every row after the first begins with the last element of the row before. There's no
# error, because all of these cells exist. The ×2 marks the cells that two elements
# read.
#
# If we claim that the rows are 5 cells apart, the last row ends {{=outside the
# storage|they need 14 cells, the storage has 12}}. `as_strided` {{=raises an
# error|RuntimeError: sizes}}, because otherwise we'd read memory that isn't ours.

# %%
with trying():
    print(x.as_strided((3, 4), (5, 1)))

# %% [markdown]
# The next cell has sliders that change shape, strides, and offset, but never the
# storage.

# %%
strides_explorer(3, 4)

# %% [markdown]
# 1. Set the stride of `j` to 0. What does every row show?
# 2. Make the transpose, with sizes 4 and 3. Which strides does it need?
# 3. Read only the last column, as a matrix with 3 rows and 1 column. You'll need the
#    offset.
# 4. Run the cell again to start over, and then read outside the storage. What's the
#    smallest change that does it?
#
# <details><summary>Answers</summary>
#
# 1. It shows its first element four times, because a step to the right goes nowhere.
# 2. It needs strides 1 and 4.
# 3. Use sizes 3 and 1, strides 4 and anything, and offset 3. A dimension of size 1
#    never uses its stride, because its only index is 0.
# 4. Increase any size, any stride, or the offset by 1. The tensor fills its storage
#    exactly, so anything more is outside.
#
# </details>

# %% [markdown]
# ## Transpose: swap two numbers
#
# Now let's transpose a tensor. In the first row of `x.T`, neighboring elements are {{=4
# cells apart|reads cells 0, 4, 8}}.

# %%
strides(x.T, name="x.T")

# %% [markdown]
# Shape and strides are {{=reversed|(3, 4) (4, 1) -> (4, 3) (1, 4)}}. The offset is the
# same, and the storage is {{=the very same object|the same storage: True}}.

# %%
print(x.shape, x.strides, "->", x.T.shape, x.T.strides)
print("the same storage:", x.T.storage is x.storage)

# %% [markdown]
# If nothing moves, then size shouldn't matter. To check, we time five rounds of a
# thousand transposes and keep the fastest, because other programs on this machine can
# only slow a round down.

# %%
from timeit import repeat


def microseconds(work, number=1000):
    return min(repeat(work, number=number, repeat=5)) / number * 1e6


# %% [markdown]
# We compare a matrix of four elements with one of a hundred million, or 400 MB of
# float32.

# %%
for size in 2, 10_000:
    a = torch.empty(size, size)
    time = microseconds(a.t)  # a.t() returns the same view as a.T
    print(f"{a.numel():>11,} elements: {time:.2f} microseconds")

# %% [markdown]
# Apart from noise, the times are the same. Moving the elements is another matter, and
# that's what `contiguous()` does: it makes a copy whose elements are stored in the
# order of the transpose. Here, copying only 16 million elements, about a sixth of the
# large matrix, takes more than 100,000 times as long.

# %%
part = torch.zeros(4000, 4000)
print(f"{microseconds(lambda: part.T.contiguous(), number=1):,.0f} microseconds")

# %% [markdown]
# ### More dimensions: permute
#
# `transpose` swaps two dimensions, and `permute` puts all of them into any order you
# like. Its arguments say, for each dimension of the result, which dimension of the
# original it comes from. For example, image libraries usually return an image as height
# × width × color, but PyTorch's convolution (chapter 07) expects color × height ×
# width. `image.permute(2, 0, 1)` does that, because dimension 0 of the result is
# dimension 2 of the image.
#
# **Predict** the shape and the strides of the result if the image has shape `(2, 4, 3)`
# and strides `(12, 3, 1)`.
#
# <details><summary>Answer</summary>
#
# The shape is `{{=(3, 2, 4)}}`, and the strides are `{{=(1, 12, 3)}}`. Both take
# dimension 2 first, then 0, then 1.
#
# </details>

# %%
image = minigrad.arange(24).reshape(2, 4, 3)  # height, width, color
colors = image.permute(2, 0, 1)
colors.shape, colors.strides

# %% [markdown]
# Each color's plane reads {{=every third cell|reads cells 0, 3, 6, 9}}.

# %%
strides(colors, index=0, name="colors")

# %% [markdown]
# **Puzzle 3: and back.** Permute `colors` so that you get the image again, height ×
# width × color.

# %%
again = colors.permute(2, 0, 1)  # your line

# %%
print(again.shape, again.strides, "solved:", again.strides == image.strides)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The height is dimension 1 of `colors`, the width is dimension 2, and the color is
# dimension 0. A second `permute(2, 0, 1)` doesn't undo the first.
#
# ```python
# again = colors.permute(1, 2, 0)
# ```
#
# </details>

# %% [markdown]
# **To the lab**: exercise 4 (`permute`) and exercise 5 (`transpose`).
#
# ## Slices: an offset and a step
#
# For slices, we take a larger tensor with four rows of six. The row `y[1]` has only one
# dimension, and it begins at cell 6, so its offset is {{=6|(6,) (1,) 6}}. The cells of
# the column `y[:, 2]` aren't side by side, but they don't have to be, because the
# column has stride {{=6|(4,) (6,) 2}}.

# %%
y = minigrad.arange(24).reshape(4, 6)
for v in y[1], y[:, 2]:
    print(v.shape, v.strides, v.offset, v)

# %% [markdown]
# A step in a slice multiplies the stride. With `base=y`, the picture hatches all cells
# of `y` that the slice doesn't read.

# %%
strides(y[1:, 1::2], base=y, name="y[1:, 1::2]", base_name="y")

# %% [markdown]
# The offset is {{=7}}, because the slice skips one row of 6 and one column. The row
# stride is still {{=6}}, and the column stride is 2 · 1. In general, a slice
# `start:stop:step` adds start · stride to the offset and multiplies the stride by step.
# The new size is the number of indices that it selects. Every dimension works this way,
# independently of the others.
#
# **Predict** the shape, strides, and offset of `y[2:, ::3]`.
#
# <details><summary>Answer</summary>
#
# The shape is `{{=(2, 2)}}`, the strides are `{{=(6, 3)}}`, and the offset is
# `{{=12}}`.
#
# </details>

# %%
z = y[2:, ::3]
z.shape, z.strides, z.offset

# %% [markdown]
# **Puzzle 4: from numbers to a slice.** Now go the other way. Which slice of `y` has
# shape `(2, 3)`, strides `(12, 2)`, and offset 1?

# %%
z = y[1:3, :3]  # your line

# %%
numbers = z.shape, z.strides, z.offset
print(*numbers, "solved:", numbers == ((2, 3), (12, 2), 1))

# %% [markdown]
# <details><summary>Answer</summary>
#
# A stride of 12 is two rows, and a stride of 2 is two columns. Offset 1 is row 0,
# column 1.
#
# ```python
# z = y[::2, 1::2]
# ```
#
# </details>

# %% [markdown]
# If you slice a slice, the offsets {{=add up|(12, 12, True)}}. The second slice doesn't
# refer to the first. It has its own shape, strides, and offset for the same storage.

# %%
y[1:][1:].offset, y[2:].offset, y[1:][1:].storage is y.storage

# %% [markdown]
# An int {{=drops its dimension|(6,) (1,) 6}}, a slice of length 1 {{=keeps it|(1, 6)
# (6, 1) 6}}, and `None` inserts a new dimension of size 1.

# %%
for v in y[1], y[1:2], y[1, None], y[1, :, None]:
    print(f"{v.shape!s:8} {v.strides!s:8} {v.offset}  {v.tolist()}")

# %% [markdown]
# `squeeze()` {{=removes|((6,), (6,))}} all dimensions of size 1, and `squeeze(0)`
# removes dimension 0 if its size is 1.

# %%
y[1, :, None].squeeze().shape, y[1:2].squeeze(0).shape

# %% [markdown]
# Finally, `...` stands for as many `:` as are missing, so `y[..., 0]` is `y[:, 0]`.
#
# **To the lab**: exercise 6 (`slice_view`). It has the most cases, so take it in steps.
# Start with ints, and then add slices, `None`, and `...`.
#
# ## One storage, many readers
#
# A tensor that reads another tensor's storage is called a **view**. Every transpose,
# permute, and slice so far returned a view and copied nothing. Below, we keep the first
# row of `weights` to compare with later, and then set all of `weights` to zero.
# **Predict** what `before` holds.

# %%
weights = minigrad.tensor([[0.5, 0.25], [1.0, 2.0]])
before = weights[0]
weights[:] = 0
before

# %% [markdown]
# <details><summary>Answer</summary>
#
# Our old values are {{=gone|tensor([0., 0.]}}, because `before` shares the storage,
# which has changed.
#
# </details>

# %% [markdown]
# Writing through a view changes the tensor that it came from.

# %%
before[1] = 7
strides(before, base=weights, name="before", base_name="weights")

# %% [markdown]
# If you need the old values, copy them with `clone()`, because a clone has {{=its own
# storage|tensor([0.5000, 0.2500])}}.

# %%
w = torch.tensor([[0.5, 0.25], [1.0, 2.0]])
view, copy = w[0], w[0].clone()
w.zero_()
print(view, copy)

# %% [markdown]
# Views also have a hidden cost, because they keep the whole storage alive, no matter
# how little of it they read.

# %%
million = torch.zeros(1000, 1000)
first = million[0]
print(first.numel(), "elements;", first.untyped_storage().nbytes(), "bytes of storage")
print("after clone:", first.clone().untyped_storage().nbytes(), "bytes")
file = io.BytesIO()
torch.save(first, file)
print(f"saved: {file.tell() / 1e6:.1f} million bytes")

# %% [markdown]
# Even if you delete `million`, its {{=4,000,000}} bytes stay in memory, although
# `first` needs only {{=4,000}} of them. `torch.save` writes {{=the whole storage|saved:
# 4.0 million bytes}} too.
#
# ## Broadcasting: stride 0
#
# You can add a column of 3 and a row of 4. The result has 3 rows and 4 columns, as if
# the column were repeated four times to the right and the row three times downward.
# This is called **broadcasting**.

# %%
column, row = torch.tensor([[0], [10], [20]]), torch.tensor([0, 1, 2, 3])
print(column + row)
broadcast(column, row)

# %% [markdown]
# Storing all the repetitions would waste memory. We only need a step to the right that
# goes nowhere, and that's {{=a stride of 0|strides (1, 0)}}. `expand` returns such a
# view.

# %%
column = minigrad.tensor([[0], [10], [20]])
wide = column.expand(3, 4)
strides(wide, name="wide")

# %% [markdown]
# It has twelve elements in three cells. The ×{{=4}} means that four elements read the
# same cell. A row of 4 has to repeat downward instead, so `expand` gives it a new first
# dimension {{=with stride 0|strides (0, 1)}}.

# %%
strides(minigrad.arange(4).expand(3, 4), name="row.expand(3, 4)")

# %% [markdown]
# The next tensor has 16,384 × 16,384 elements of 4 bytes, so it looks like 1 GiB. But
# all of it is a single number, stored in {{=4}} bytes.

# %%
giant = torch.tensor(7.0).expand(16384, 16384)
print(f"{giant.nbytes:,} bytes? {giant.untyped_storage().nbytes()} in the storage")
strides(giant, name="giant")

# %% [markdown]
# ### Which shapes fit
#
# To see whether two shapes fit, write one below the other and line them up **on the
# right**. In each column, the sizes must be equal, or one of them must be 1 or missing.
# The result takes the size that isn't 1.
#
# ```
#   8  1  6  1
#      7  1  5
#   ----------
#   8  7  6  5
# ```
#
# **Predict** the result for each pair: `(4, 1, 3)` and `(2, 1)`; `(5, 3)` and `(3,)`;
# `(5, 3)` and `(5,)`.
#
# <details><summary>Answer</summary>
#
# The first gives `{{=(4, 2, 3)|torch.Size([4, 2, 3])}}`, and the second gives `{{=(5,
# 3)|torch.Size([5, 3])}}`. The third is an error, because the last sizes are 3 and 5.
#
# </details>

# %%
print(torch.broadcast_shapes((4, 1, 3), (2, 1)), torch.broadcast_shapes((5, 3), (3,)))
broadcast(torch.arange(15).reshape(5, 3), torch.tensor([100, 200, 300]))

# %% [markdown]
# For the third pair, PyTorch {{=raises an error|must match the size of tensor b (5)}}
# instead of guessing what you meant. If the five numbers are meant as a column, say so:
# for a tensor `b` of shape `(5,)`, `b[:, None]` has shape `(5, 1)`, which fits.

# %%
with trying():
    print(torch.zeros(5, 3) + torch.zeros(5))

# %% [markdown]
# **Puzzle 5: all differences.** From the four numbers in `p`, compute the 4 × 4 table
# whose element (i, j) is `p[i] - p[j]`, without a loop.

# %%
p = torch.tensor([0, 1, 3, 7])
table = p - p  # your line

# %%
print(table)
pairs = [[a - b for b in p.tolist()] for a in p.tolist()]
print("solved:", table.tolist() == pairs)

# %% [markdown]
# <details><summary>Answer</summary>
#
# i counts rows, so the first `p` has to be a column. The second is a row already.
#
# ```python
# table = p[:, None] - p
# ```
#
# </details>

# %% [markdown]
# ### Break it: write where many read
#
# Four elements of `wide` share each cell. Let's set just one of the twelve.

# %%
wide[0, 0] = 99
print(column.tolist())
wide

# %% [markdown]
# {{=The whole row|[99, 99, 99, 99]}} has changed, and so has {{=`column`|[[99], [10],
# [20]]}}. PyTorch does the same, but it {{=raises an error|RuntimeError: unsupported
# operation}} for operations like `+=`, where several threads would read and write the
# same cell.

# %%
with trying():
    expanded = torch.tensor([[0], [10], [20]]).expand(3, 4)
    expanded += 1

# %% [markdown]
# `+= 1` would update each cell four times, which would add 4 in total if the updates
# ran one after the other. On a GPU, though, they run at the same time and may overwrite
# each other, so the result isn't defined. As the message says, call {{=`clone()`|Please
# clone()}} first.
#
# **To the lab**: exercise 7 (`broadcast_shapes`) and exercise 8 (`expand`).
#
# ## Contiguous or not
#
# A tensor is **contiguous** if its elements are stored in row-major order without gaps.
# Many functions on a GPU are faster for contiguous tensors, and some accept nothing
# else.

# %%
[v.is_contiguous() for v in (x, x.T, y[1:3], y[:, 1:3])]

# %% [markdown]
# `x.T` has no gaps, but its elements aren't in row-major order. Two whole rows are
# {{=contiguous, but two columns aren't|[True, False, True, False]}}, because there's a
# gap after each pair. In the next picture, arcs lead from each element to the next, row
# by row.

# %%
storage_order({"y[1:3]": y[1:3], "y[:, 1:3]": y[:, 1:3]})

# %% [markdown]
# The method `view` returns a view with another shape and the same number of elements.
# For a contiguous tensor, it always works.

# %%
x.view(2, 6).strides, x.view(12).strides

# %% [markdown]
# Does that work for the transpose too?

# %%
with trying():
    print(x.T.view(12))

# %% [markdown]
# It doesn't. To see why, let's follow the transpose row by row.

# %%
storage_order({"x.T": x.T})

# %% [markdown]
# A tensor with one dimension has one stride, but here some steps are {{=4}} and others
# are {{=−7}}. So the view that we asked for doesn't exist.
#
# ### reshape: a view if possible, otherwise a copy
#
# `reshape` returns a view too, if there is one. If there isn't, it {{=makes a
# copy|(True, False)}} instead of raising an error.

# %%
x.reshape(12).storage is x.storage, x.T.reshape(12).storage is x.storage

# %% [markdown]
# That's convenient, but it's also a trap. Below are two 2 × 3 tensors of zeros, and the
# second is a transpose. We set the first element of each to 1 through `reshape`.
# **Predict** which of them changes.

# %%
for a in torch.zeros(2, 3), torch.zeros(3, 2).T:
    a.reshape(6)[0] = 1
    print(a.tolist())

# %% [markdown]
# <details><summary>Answer</summary>
#
# Only {{=the first|[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]}} has changed, because `reshape`
# had to copy the second, although the line that writes is the same for both.
#
# </details>

# %% [markdown]
# Use `view` if you rely on sharing, because it raises an error if it can't share. Use
# `clone` if you rely on a copy, and `reshape` if you don't care. `contiguous()` also
# copies only if it has to.
#
# ### When exactly does a view exist?
#
# `view` also works for some tensors that aren't contiguous. The first four columns of
# `y` {{=aren't contiguous|(False, (6, 2, 1))}}, but you can still view each row of 4 as
# 2 × 2, because splitting a dimension in two always works. If neighbors are s cells
# apart, groups of two neighbors begin 2 · s cells apart.

# %%
left = y[:, :4]
left.is_contiguous(), left.view(4, 2, 2).strides

# %% [markdown]
# Merging dimensions d and d + 1 is harder, because the step from the end of one row to
# the beginning of the next must be as long as every other step. If we take shape[d + 1]
# steps of strides[d + 1] cells from the beginning of a row, we must arrive at the
# beginning of the next row, which is strides[d] cells away. So these two can be merged
# if
#
# > strides[d] == strides[d + 1] · shape[d + 1]
#
# **Predict** which of these four you can view with shape `(12,)`: `y[1:3]`, `y[::2]`,
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
# The third is {{=not contiguous, but all its steps are equal|False (2,)}}.
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
# **Puzzle 6: windows.** Some views can't be made by slicing. Read the six samples of
# `signal` as a matrix with a row for every three neighbors: 0 1 2, then 1 2 3, 2 3 4,
# and 3 4 5. Nothing may be copied.

# %%
signal = minigrad.arange(6)
windows = signal.as_strided((2, 3), (3, 1))  # your line

# %%
print(windows.tolist())
rows = [[i, i + 1, i + 2] for i in range(4)]
print("solved:", windows.tolist() == rows and windows.storage is signal.storage)

# %% [markdown]
# <details><summary>Answer</summary>
#
# A step to the right and a step down both move ahead by one cell. Chapter 07 builds
# convolution from this view.
#
# ```python
# windows = signal.as_strided((4, 3), (1, 1))
# ```
#
# </details>

# %% [markdown]
# **To the lab**: in exercise 9 (`view_or_copy`), you decide whether a tensor with any
# shape and strides has a view of another shape.
#
# ### The copy
#
# If there's no view, `reshape` and `contiguous` copy. They go through the tensor's
# elements row by row and write element i to cell i of a new storage. This is called a
# **gather**, because it collects the elements from wherever the strides point. Here's
# the plan in Python. `index_of` turns the position i into an index, and `offset_of`
# turns the index into a cell.

# %%
from minigrad.layout import index_of, offset_of

v = y[:2, :4].T
cells = [offset_of(index_of(i, v.shape), v.strides, v.offset) for i in range(8)]
print(cells)
strides(v, index=index_of(5, v.shape), base=y, name="v", base_name="y")

# %% [markdown]
# On a GPU, there's one thread for each i, and the kernel gets shape and strides as a
# **struct**, which holds several values under one name. If you know chapter 01, you can
# write this kernel now.
#
# **To the lab**: exercise 10 (`contiguous_kernel`).
#
# ## No dimensions, no elements
#
# A scalar is a tensor without dimensions. There's no direction to step in, so it has
# {{=no strides|((), (), 23, 23)}}, and its one element is in the cell at the offset.

# %%
corner = y[3, 5]
corner.shape, corner.strides, corner.offset, corner.item()

# %% [markdown]
# A size can also be 0. Such a tensor has a shape but no elements, and it {{=reads no
# cells|so no cell is read}}. You'll meet one if you select all elements that pass some
# test and none do. Code that works for n rows should also work for 0.

# %%
none = y[:, 2:2]
print(none.numel(), none.tolist())
strides(none, name="none")

# %% [markdown]
# ## NumPy is almost the same
#
# NumPy uses the same idea, but it counts strides in {{=**bytes**|(32, 8) bytes}}.

# %%
a = np.arange(12).reshape(3, 4)
print(a.strides, "bytes, with", a.itemsize, "bytes per element")
print(t.stride(), "elements")

# %% [markdown]
# It also allows {{=negative strides|strides (-1,)}}, which PyTorch doesn't. A reversed
# array reads the same memory from the end.

# %%
b = np.arange(6)
strides(b[::-1], name="b[::-1]")

# %% [markdown]
# PyTorch {{=refuses such arrays|At least one stride in the given numpy array is
# negative}}, so its functions can rely on strides of at least 0.

# %%
with trying():
    print(torch.from_numpy(a[::-1]))

# %% [markdown]
# For the same reason, it {{=has no backward slices|step must be greater than zero}}.
# `flip` reverses a tensor instead, and it copies.

# %%
with trying():
    print(t[::-1])

# %% [markdown]
# If all strides are at least 0 and PyTorch supports the array's dtype,
# `torch.from_numpy` {{=shares the array's memory|tensor([100, 1, 2, 3])}}. That's how
# data gets from NumPy to PyTorch without a copy.

# %%
shared = torch.from_numpy(a)
a[0, 0] = 100
shared[0]

# %% [markdown]
# ## Where PyTorch keeps all this
#
# In C++, each `torch.Tensor` points to a `TensorImpl` (`c10/core/TensorImpl.h`). You
# already know its most important fields:
#
# | PyTorch, C++ | PyTorch, Python | minigrad |
# |---|---|---|
# | `sizes_and_strides_` | `t.shape`, `t.stride()` | `x.shape`, `x.strides` |
# | `storage_offset_` | `t.storage_offset()` | `x.offset` |
# | `storage_` | `t.untyped_storage()` | `x.storage` |
# | `data_type_` | `t.dtype` | `x.dtype` |
# | `device_opt_` | `t.device` | `x.device` |
#
# The storage is a separate, reference-counted object (`StorageImpl`) with an address
# and a size in bytes. `t.data_ptr()` is the address of the first element. **Predict**:
# if an int64 takes up 8 bytes, how many bytes after the beginning of the storage is the
# first element of `t[1:, 2:]`?
#
# <details><summary>Answer</summary>
#
# It's {{=48 bytes|(48, 48)}}, because the offset is 1 · 4 + 2 = 6 elements.
#
# </details>

# %%
view = t[1:, 2:]
begin = view.untyped_storage().data_ptr()
view.data_ptr() - begin, view.storage_offset() * view.itemsize

# %% [markdown]
# ## What each operation changes
#
# **Predict** which of these ten operations can return a tensor with a new storage:
# `permute`, `x[i]`, `x[a:b:step]`, `x[None]`, `squeeze`, `expand`, `view`, `reshape`,
# `contiguous`, `clone`. Then run the next two code cells, which try most of them, and
# unfold the table.

# %%
base = y[1:]  # shape (3, 6), strides (6, 1), offset 6
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
# <details><summary>Answer</summary>
#
# Only `reshape`, `contiguous`, and `clone` can. A dash means "unchanged".
#
# | operation | shape | strides | offset | storage |
# |---|---|---|---|---|
# | `permute`, `transpose`, `T` | reordered | reordered | – | {{=same|(1, 6) 6 same}} |
# | `x[i]` | one size fewer | one fewer | + i · stride | {{=same|(1,) 12 same}} |
# | `x[a:b:step]` | shorter | × step | + a · stride | {{=same|(6, 2) 7 same}} |
# | `x[None]`, `unsqueeze` | another 1 | one more | – | {{=same|(18, 6, 1) 6 same}} |
# | `squeeze` | sizes of 1 removed | their strides too | – | same |
# | `expand` | sizes of 1 grow, more in front | 0 there | – | {{=same|(0, 1) 6 same}} |
# | `view` | new | computed, or an error | – | {{=same|(2, 1) 6 same}} |
# | `reshape`, `flatten` | new | computed | – or 0 | as `view`, or {{=new|1) 0 new}} |
# | `contiguous` | – | row-major | – or 0 | {{=same|(6, 1) 6 same}}, or new |
# | `clone` | – | row-major in minigrad | 0 | {{=always new|(6, 1) 0 new}} |
#
# PyTorch's `clone` may return other strides, because by default it keeps the order of a
# transposed tensor's dimensions (`memory_format=torch.preserve_format`).
#
# </details>

# %% [markdown]
# ## Before you go: four questions
#
# 1. `a` has shape `(100, 100)` and is contiguous. How many bytes does `a.T[::2, 5]`
#    copy?
# 2. A tensor has shape `(3, 3)` and strides `(1, 1)`. How many cells does it read?
# 3. Which shape and strides read every other element of the diagonal of a contiguous
#    matrix of shape `(8, 8)`?
# 4. `a` has two dimensions, and `a.view(-1)` works. (PyTorch replaces -1 by the size
#    that fits, here the number of elements.) Can `a.T.view(-1)` ever work too?
#
# <details><summary>Answers</summary>
#
# 1. It copies none, because both operations return views.
# 2. It reads five, because i + j takes the values 0 to 4.
# 3. Use shape `(4,)` and strides `(18,)`.
# 4. It can if `a` has only one row or one column, if it has no elements, or if all its
#    strides are 0.
#
# </details>

# %% [markdown]
# **Puzzle 7: the other diagonal.** `diagonal` reads 0, 5, 10, 15 from `square`. Change
# the line so that it reads the other diagonal, which is 3, 6, 9, 12. The third argument
# of `as_strided` is the offset.

# %%
square = minigrad.arange(16).reshape(4, 4)
diagonal = square.as_strided((4,), (5,), 0)  # your line

# %%
print("solved:", diagonal.tolist() == [3, 6, 9, 12])
strides(diagonal, base=square, name="diagonal", base_name="square")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It starts in the last column of row 0, and every step goes down one row and left one
# column: 4 − 1 = 3 cells.
#
# ```python
# diagonal = square.as_strided((4,), (3,), 3)
# ```
#
# </details>

# %% [markdown]
# Now go to **lab 03**. Its last exercise is a test that you write for other people's
# code. When you've finished the lab, you can run this lesson on your own code. In the
# set-up cell, replace `"solutions"` with `"labs"`, and then choose **Kernel > Restart
# Kernel and Run All Cells**.
#
# Further reading: S. van der Walt et al., *The NumPy Array* (2011); E. Yang, *PyTorch
# internals* (2019); and, in PyTorch's source, `c10/core/TensorImpl.h`
# (`set_sizes_and_strides`), `aten/src/ATen/native/TensorShape.cpp` (`permute`,
# `expand`, `reshape`), and `aten/src/ATen/TensorUtils.cpp` (`computeStride`, which
# decides whether a view exists).
