"""Operators that put elements in other places: cat, stack, split, repeat, flip, roll,
and the diagonals and triangles of matrices."""

import functools
import itertools
import math
from numbers import Integral

import numpy as np

from .. import launch, layout
from ..check import check
from ..dispatch import method, number_for, operator
from ..dtypes import DTYPES, int64, promote_types
from ..launch import THREADS, cdiv, strides_of
from ..layout import wrap_dim
from ..numpy_names import accepts_axis
from .pointwise import masked_fill, where

# ------------------------------------------------- tensors put together

TOGETHER = 4  # tensors of one launch
PARTS = " ".join(f"x{i} n{i}:long row{i}:long start{i}:long" for i in range(TOGETHER))
CAT = launch.one("rows", "cat", "cat.cu", args=f"y width:long {PARTS}",
                 grid=lambda f: (cdiv(f.n, THREADS), f.count),
                 types=lambda f: [f.dtype])  # fmt: skip


def check_list(name, tensors):
    """TypeError unless it is a list or a tuple of tensors."""
    check(isinstance(tensors, list | tuple),
          lambda: f"{name}(): argument 'tensors' (position 1) must be tuple of "
          f"Tensors, not {type(tensors).__name__}", TypeError)  # fmt: skip
    for number, x in enumerate(tensors):
        check(hasattr(x, "storage"),
              lambda: f"{name}(): expected Tensor as element {number} in argument 0, "
              f"but got {type(x).__name__}", TypeError)  # fmt: skip


@operator("*tensors", dtypes=DTYPES, vjps=[lambda dy, dim, sizes: split(dy, sizes, dim),
                                           ...])  # fmt: skip
def cat(tensors, dim=0):
    """The tensors concatenated along `dim`; the other sizes are equal."""
    check_list("cat", tensors)
    check(tensors, "cat(): expected a non-empty list of Tensors")
    dtype = functools.reduce(promote_types, (x.dtype for x in tensors))
    kept = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    if len(kept) < len(tensors) or {x.dtype for x in tensors} != {dtype}:
        return lambda: cat([x.to(dtype=dtype) for x in kept], dim)
    first = tensors[0]
    check(first.ndim, "zero-dimensional tensor (at position 0) cannot be concatenated")
    dim = wrap_dim(dim, first.ndim)
    for number, x in enumerate(tensors):
        others = [s[:dim] + s[dim + 1 :] for s in (x.shape, first.shape)]
        check(x.ndim == first.ndim and others[0] == others[1], "cat: sizes of tensors "
              f"must match except in dimension {dim}: number 0 has shape "
              f"{list(first.shape)}, number {number} {list(x.shape)}")  # fmt: skip
    return {"dim": dim, "sizes": tuple(x.shape[dim] for x in tensors)}


@cat.cpu
def _(*arrays, dim, sizes):
    return np.concatenate(arrays, dim)


@cat.device
def _(*tensors, dim, sizes):
    shape = tensors[0].shape
    y = tensors[0].new_empty((*shape[:dim], sum(sizes), *shape[dim + 1 :]))
    start, parts = 0, []
    for x in tensors:
        row = math.prod(x.shape[dim:])
        if x.numel():
            parts.append((x.contiguous(), x.numel(), row, start))
        start += row
    for first in range(0, len(parts), TOGETHER):
        some = parts[first : first + TOGETHER]
        every = some + [(None, 0, 1, 0)] * (TOGETHER - len(some))
        names = "x", "n", "row", "start"
        facts = {f"{name}{i}": value for i, part in enumerate(every)
                 for name, value in zip(names, part, strict=True)}  # fmt: skip
        n = max(part[1] for part in some)
        launch.run(CAT, "cat", y=y, width=start, n=n, count=len(some), **facts)
    return y


@accepts_axis
def stack(tensors, dim=0):
    """The tensors, all of one shape, side by side along a new dimension `dim`."""
    check_list("stack", tensors)
    check(tensors, "stack expects a non-empty TensorList")
    for number, x in enumerate(tensors):
        check(x.shape == tensors[0].shape, lambda: "stack expects each tensor to be "
              f"equal size, but got {list(tensors[0].shape)} at entry 0 and "
              f"{list(x.shape)} at entry {number}")  # fmt: skip
    return cat([x.unsqueeze(dim) for x in tensors], dim)


@method
def repeat(input, *repeats):
    """A copy that repeats the tensor along each dimension; extra ones come first."""
    repeats = layout.as_ints(repeats, least=1)
    check(len(repeats) >= input.ndim, "Number of dimensions of repeat dims can not be "
          "smaller than number of dimensions of tensor")  # fmt: skip
    check(min(repeats, default=0) >= 0, lambda: "Trying to create tensor with negative "
          f"dimension: repeats {list(repeats)}")  # fmt: skip
    x = input[(None,) * (len(repeats) - input.ndim)]
    for dim, count in enumerate(repeats):
        if count != 1:
            sizes = *x.shape[:dim], count, *x.shape[dim:]
            x = x.unsqueeze(dim).expand(sizes).clone().flatten(dim, dim + 1)
    return input.clone().view(x.shape) if x.storage is input.storage else x


@method
def tile(input, *dims):
    """repeat, with 1 for the dimensions that `dims` lacks in front."""
    dims = layout.as_ints(dims, least=1)
    return repeat(input, (1,) * (input.ndim - len(dims)) + dims)


# ------------------------------------------------- parts of a tensor: views


def part(x, dim, item):
    """x[:, ..., item], where `item` stands at `dim`."""
    return x[(slice(None),) * dim + (item,)]


def has_dimensions(name, x):
    check(x.ndim, lambda: f"{name} expects at least a 1-dimensional tensor")


@method
@accepts_axis
def split(input, split_size_or_sections, dim=0):
    """Parts of a size along `dim`, the last perhaps smaller, or of several sizes."""
    has_dimensions("split", input)
    dim, sizes = wrap_dim(dim, input.ndim), split_size_or_sections
    n = input.shape[dim]
    if isinstance(sizes, Integral):
        check(sizes >= 0, lambda: "split expects split_size be non-negative, but got "
              f"split_size={sizes}")  # fmt: skip
        check(not n or sizes, lambda: "split_size can only be 0 if dimension size is "
              f"0, but got dimension size of {n}")  # fmt: skip
        starts = range(0, max(n, 1), sizes or 1)
        sizes = [min(sizes, n - start) for start in starts]
    sizes = layout.as_ints((sizes,))
    check(min(sizes, default=0) >= 0,
          lambda: "split_with_sizes expects split_sizes have only non-negative "
          f"entries, but got split_sizes={list(sizes)}")  # fmt: skip
    check(sum(sizes) == n, lambda: "split_with_sizes expects split_sizes to sum "
          f"exactly to {n} (input tensor's size at dimension {dim}), but got "
          f"split_sizes={list(sizes)}")  # fmt: skip
    ends = itertools.accumulate(sizes)
    parts = zip(sizes, ends, strict=True)
    return tuple(part(input, dim, slice(end - size, end)) for size, end in parts)


@method
@accepts_axis
def chunk(input, chunks, dim=0):
    """At most `chunks` parts along `dim`, of one size but for the last."""
    has_dimensions("chunk", input)
    check(number_for("chunk", "chunks", chunks, Integral) > 0, lambda: "chunk expects "
          f"`chunks` to be greater than 0, got: {chunks}")  # fmt: skip
    n = input.shape[wrap_dim(dim, input.ndim)]
    return split(input, cdiv(n, chunks) if n else [0] * chunks, dim)


@method
@accepts_axis
def unbind(input, dim=0):
    """The slices at each index of `dim`, a dimension that they lack."""
    n = layout.at_dim(input.shape, dim)
    return tuple(part(input, wrap_dim(dim, input.ndim), i) for i in range(n))


# ------------------------------------------------- other orders

ROLL = launch.one("strided", "rolled", "copy.cu", args="x view moves y n:int",
                  types=lambda f: [f.dtype])  # fmt: skip


def rolled(name, x, starts, steps):
    """x where the index along dimension d is starts[d] + steps[d] * that of x[...]."""
    y, device = x.new_empty(x.shape), x.device
    launch.run(ROLL, name, x=x, view=strides_of(x.shape, x.strides, device), y=y,
               moves=strides_of(starts, steps, device), n=y.numel())  # fmt: skip
    return y


@method
@operator(dtypes=DTYPES, vjps=[lambda dy, dims: flip(dy, dims)])
def flip(input, *axes, dims=None):
    """The elements in reverse order along each of the dimensions; a copy."""
    wrapped = layout.distinct(layout.as_ints(axes or (dims,)), input.ndim)
    return {"dims": tuple(wrapped) if input.ndim else ()}


flip.cpu(lambda x, dims: np.flip(x, dims))


@flip.device
def _(x, dims):
    ends = [n - 1 if d in dims else 0 for d, n in enumerate(x.shape)]
    return rolled("flip", x, tuple(ends), tuple(-1 if e else 1 for e in ends))


@method
@operator(dtypes=DTYPES, vjps=[
    lambda dy, shifts, dims: roll(dy, tuple(-s for s in shifts), dims)
])  # fmt: skip
def roll(input, shifts, dims=()):
    """The elements shifted, around the ends, along `dims`, else in row-major order."""
    shifts, dims = layout.as_ints((shifts,)), layout.as_ints((dims,))
    check(shifts, "`shifts` required")
    if not dims and len(shifts) == 1:
        return lambda: roll(input.flatten(), shifts, 0).view(input.shape)
    check(len(shifts) == len(dims), "shifts and dimensions must align. shifts: "
          f"{len(shifts)}, dims:{len(dims)}")  # fmt: skip
    for d in dims:
        layout.at_dim(input.shape, d)
    return {"shifts": shifts, "dims": tuple(d % input.ndim for d in dims)}


roll.cpu(lambda x, shifts, dims: np.roll(x, shifts, dims))


@roll.device
def _(x, shifts, dims):
    starts = [0] * x.ndim
    for shift, d in zip(shifts, dims, strict=True):
        starts[d] = (starts[d] - shift) % max(x.shape[d], 1)
    return rolled("roll", x, tuple(starts), (1,) * x.ndim)


@method
def movedim(input, source, destination):
    """A view with the dimensions `source` at the places `destination`."""
    ends = {"source": source, "destination": destination}
    given = {name: list(layout.as_ints((dims,))) for name, dims in ends.items()}
    wrapped = {n: [wrap_dim(d, input.ndim) for d in dims] for n, dims in given.items()}
    source, destination = wrapped.values()
    check(len(source) == len(destination), lambda: "movedim: Invalid source or "
          f"destination dims: source ({given['source']} dims) should contain the same "
          f"number of dims as destination ({given['destination']} dims)")  # fmt: skip
    for name, dims in wrapped.items():
        if len({*dims}) < len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({given[name]})")
    order = [d for d in range(input.ndim) if d not in source]
    for to, d in sorted(zip(destination, source, strict=True)):
        order.insert(to, d)
    return input.permute(order) if input.ndim else input


# ------------------------------------------------- diagonals and triangles


@method
def diag(input, diagonal=0):
    """A matrix's diagonal as a new vector, or the matrix that has a vector on it."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    if input.ndim == 2:
        return input.diagonal(diagonal).clone()
    n = len(input) + abs(number_for("diag", "diagonal", diagonal, Integral))
    y = input.new_zeros((n, n))
    y.diagonal(diagonal).copy_(input)
    return y


@method
def tril(x, diagonal=0):
    """The lower triangle of the last two dimensions, zeros above it."""
    return where(_below(x, diagonal, "tril"), x, x.new_number(0, x.dtype))


@method
def triu(x, diagonal=0):
    """The upper triangle of the last two dimensions, zeros below it."""
    return masked_fill(x, _below(x, diagonal, "triu", 1), 0)


def _below(x, diagonal, name, less=0):
    """Is the column at most row + diagonal - less? For each element of a matrix."""
    number_for(name, "diagonal", diagonal, Integral)
    check(x.ndim >= 2, lambda: f"{name}: input tensor must have at least 2 dimensions")
    rows, cols = (x.new_tensor(np.arange(n), int64) for n in x.shape[-2:])
    return cols <= rows.unsqueeze(-1) + (diagonal - less)
