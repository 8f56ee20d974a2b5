"""Shapes, strides and offsets: how a flat storage is read as a tensor.

Arithmetic on tuples of ints, no arrays. The element at multi-index (i, j, k) lies in
storage cell  offset + i * strides[0] + j * strides[1] + k * strides[2].
Strides and offsets count elements, not bytes. Functions marked @exercise are written by
the learner in lab 03.
"""

import functools
import math
import operator

import numpy as np

from . import plan_cache
from .check import check
from .dtypes import bfloat16
from .exercises.registry import exercise
from .suggest import in_module

MOST = 2**60  # elements: in bytes, more than an address can hold
NO_VIEW = (
    "view size is not compatible with input tensor's size and stride (at least one "
    "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
)


@exercise(points=1, stars=1, minutes=5)
def contiguous_strides(shape):
    """Return the strides of a row-major tensor of `shape` in elements, as a tuple.

    The last dimension has stride 1. Every other stride is the next stride times the
    next size, and a size of 0 counts as 1 there, as in PyTorch. The result is the same
    as tuple(torch.empty(shape, device="meta").stride()).

    shape: a tuple of ints >= 0, which may be empty. There may be up to 100 dimensions
        and fewer than 2 ** 63 elements, even if each size of 0 is replaced by 1.

    (2, 3, 4) -> (12, 4, 1);  () -> ();  (2, 0, 3) -> (3, 3, 1)
    """


@exercise(points=1, stars=1, minutes=5)
def offset_of(index, strides, offset=0):
    """Return the number of the storage cell of the element at `index`, an int.

    index: a tuple of ints >= 0, one per dimension.
    strides: a tuple with one int per dimension, in elements. As in NumPy, they may be
        negative.
    offset: the storage cell of the element at index (0, ..., 0).

    The result is at least 0 and fits into 64 bits.
    offset_of((1, 2), (3, 1)) -> 5;  offset_of((1, 2), (3, 1), offset=10) -> 15
    """


@exercise(points=1, stars=2, minutes=10)
def index_of(position, shape):
    """Return the index of the element at row-major `position`, a tuple of ints.

    In shape (2, 3), position 5 has the index (1, 2).

    position: an int, 0 <= position < number of elements.
    shape: a tuple of ints >= 1. There may be up to 100 dimensions and nearly 2 ** 63
        elements, so you can't list them.

    A tensor without dimensions has only position 0: index_of(0, ()) -> ()
    """


@exercise(points=3, stars=3, minutes=25)
def slice_view(shape, strides, offset, index):
    """Return the shape, strides, and offset of x[index]: two tuples and an int.

    shape, strides, offset: those of x. There may be up to 100 dimensions and nearly
        2 ** 63 elements, so you can't list the elements or the indices of a dimension.
    index: a tuple. Its items refer to the dimensions of x, in order:
      int     selects one index, and the dimension goes away. A negative int counts from
              the end.
      slice   has start, stop, and step as in Python, each of which may be None. The
              dimension stays. Its size is the number of indices that the slice
              selects, and its stride is multiplied by step.
      None    inserts a new dimension of size 1, and refers to no dimension of x.
      ...     (Ellipsis, at most once) keeps all dimensions that the other items don't
              refer to. At the end of `index`, it may be omitted.

    A dimension of size 1 never uses its stride, so that stride may be any int.
    Raises IndexError for an int out of range and for more ints and slices than
    dimensions, and ValueError for a step < 1, as PyTorch does. If several things are
    wrong, either error will do. If no elements are left, the offset may be any int.
    slice_view((4, 6), (6, 1), 0, (1, slice(0, 6, 2))) -> ((3,), (2,), 6)
    """


@exercise(points=2, stars=2, minutes=15)
def broadcast_shapes(*shapes):
    """Return the shape that tensors of these shapes broadcast to, as a tuple.

    The shapes are lined up at their last dimension. In each dimension, all sizes
    other than 1 must be equal, and a missing size counts as 1. The size that isn't 1
    wins, so 1 and 0 give 0.

    shapes: up to 100 tuples of ints >= 0, each with up to 100 dimensions. Without any
        shape, the result is ().

    Raises RuntimeError if two sizes don't fit, as torch.broadcast_shapes does.
    broadcast_shapes((3, 1), (4,)) -> (3, 4)
    """


@exercise(points=3, stars=3, minutes=30, level="good to know")
def view_or_copy(shape, strides, new_shape):
    """Return the strides that read the tensor as `new_shape`, or None if none do.

    Both shapes have the same number of elements, and the elements keep their row-major
    order. Leave out all sizes of 1, and merge neighboring dimensions wherever
    strides[d] == strides[d + 1] * shape[d + 1]. A view exists if you can split
    new_shape into consecutive groups whose products are the merged sizes, in order.
    For example, merged sizes 2 and 12 allow (2, 3, 4) but not (3, 8). If there are no
    elements, a view always exists.

    shape, strides: tuples of ints >= 0, of the tensor. There may be up to 100
        dimensions and nearly 2 ** 63 elements, so you can't list them.
    new_shape: a tuple of ints >= 0, of up to 100 dimensions.

    Returns a tuple. A stride that's never used may be any int: that of a dimension of
    size 1, and all strides if there are no elements.
    view_or_copy((2, 3), (3, 1), (6,)) -> (1,)
    view_or_copy((3, 2), (1, 3), (6,)) -> None, because the transpose must be copied
    """


class Spec:
    """What a tensor is, apart from its numbers: dtype, device, and how it reads memory.

    Equal Specs are one object, hashed by identity: a fast key for a dict.
    """

    __slots__ = ("device", "dtype", "layout", "offset", "shape", "strides")

    def __init__(self, dtype, device, shape, strides, offset):
        self.dtype, self.device = dtype, device
        self.shape, self.strides, self.offset = self.layout = shape, strides, offset

    def __repr__(self):
        return f"Spec({self.dtype}, {self.device!r}, {self.layout})"


class Uncacheable(Exception):
    """An argument that cannot be part of the key of a call."""


PLAIN = {int, float, bool, str, type(None), type(...), type}


def key_of(x, tensors=False):
    """An argument's part of the key of a call: its type and value.

    tensors: take the Specs of those in a list; otherwise they are Uncacheable.
    """
    kind = type(x)
    if kind in PLAIN:
        return kind, x
    if kind is slice:  # not hashable before Python 3.12
        return kind, key_of((x.start, x.stop, x.step))
    if kind in (tuple, list):
        return kind, *[key_of(n, tensors) for n in x]
    if tensors and hasattr(x, "spec"):
        return x.spec
    if hasattr(kind, "_fields") or x is bfloat16 or isinstance(x, np.dtype):
        return x
    raise Uncacheable


_specs = {}


def spec(dtype, device, shape, strides, offset=0):
    """The Spec of these: the same object each time."""
    key = dtype, device, shape, strides, offset
    cached_spec = _specs.get(key)
    if cached_spec is None:
        if len(_specs) >= 10_000:  # new ones are made then; the old ones stay valid
            _specs.clear()
        cached_spec = Spec(*key)
        if all(type(n) is int for n in (*shape, *strides, offset)):  # 1.0 equals 1
            _specs[key] = cached_spec
    return cached_spec


def numel(shape):
    """How many elements a tensor of `shape` has."""
    return math.prod(shape)


def offsets(shape, strides, offset=0):
    """The storage cell of every element, in row-major order."""
    positions = range(numel(shape))
    return [offset_of(index_of(p, shape), strides, offset) for p in positions]


@functools.lru_cache(4096)
def is_contiguous(shape, strides):
    """Do the elements lie in row-major order without gaps? (Not counting size 1.)"""
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return numel(shape) == 0
        expected *= size
    return True


def extent(shape, strides, offset=0):
    """How many storage cells are needed to reach the last element."""
    steps = ((n - 1) * s for n, s in zip(shape, strides, strict=True))
    return offset + sum(steps) + 1 if numel(shape) else 0


@functools.lru_cache(4096)
def check_fits(shape, strides, offset, cells):
    """RuntimeError unless a storage of that many cells can be read by these numbers."""
    check(len(shape) == len(strides),
          f"mismatch in length of strides and shape: {list(shape)} has {len(shape)} "
          f"sizes, {list(strides)} has {len(strides)} strides")  # fmt: skip
    check(min(shape, default=0) >= 0, f"sizes must not be negative, got {list(shape)}")
    check(min(strides, default=0) >= 0,
          f"Negative strides are not supported, got {list(strides)}")  # fmt: skip
    check(offset >= 0, f"invalid storage offset {offset}: it must not be negative")
    needed = extent(shape, strides, offset)
    check(needed <= cells and max(numel(shape), offset, *strides) < MOST, "sizes "
          f"{list(shape)}, strides {list(strides)}, storage offset {offset} are out of "
          f"bounds: they need {needed} cells, the storage has {cells}")  # fmt: skip


def wrap_dim(dim, ndim):
    """A dimension counted from the start: -1 -> ndim - 1. Else IndexError."""
    whole = hasattr(dim, "__index__") and not getattr(dim, "ndim", 0)
    if isinstance(dim, bool) or not whole:
        raise TypeError(f"a dimension is an int, not {type(dim).__name__}")
    bound = max(ndim, 1)
    check(-bound <= dim < bound, lambda: "Dimension out of range (expected to be in "
          f"range of [{-bound}, {bound - 1}], but got {dim})", IndexError)  # fmt: skip
    return operator.index(dim) % bound


def distinct(dims, ndim):
    """The dimensions, counted from the start; RuntimeError where one is named twice."""
    wrapped = []
    for dim in dims:  # one by one: of two mistakes the first is named
        wrapped.append(d := wrap_dim(dim, ndim))
        check(wrapped.count(d) == 1,
              f"dim {d} appears multiple times in the list of dims")  # fmt: skip
    return wrapped


def at_dim(numbers, dim):
    """All the numbers, or the one of dimension `dim`."""
    check(dim is None or numbers, lambda: f"Dimension specified as {dim} but tensor "
          "has no dimensions", IndexError)  # fmt: skip
    return numbers if dim is None else numbers[wrap_dim(dim, len(numbers))]


def as_ints(args, least=0):
    """Sizes given one by one or as one sequence: f(2, 3) and f((2, 3)) -> (2, 3)."""
    if len(args) < least:
        raise TypeError("expected ints or a tuple of ints, got nothing (no size: ())")
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = args[0]
    try:
        if bool not in map(type, args):
            return tuple(map(operator.index, args))
    except TypeError:
        pass
    got = ", ".join(map(repr, args))
    raise TypeError(f"expected ints or one tuple of ints, got ({got})")


def as_shape(args):
    """The sizes of a new tensor, as a tuple."""
    shape = as_ints(args, least=1)
    check(min(shape, default=0) >= 0, f"sizes must not be negative, got {list(shape)}")
    check(numel(shape) < MOST, f"a tensor of shape {list(shape)} fits into no memory",
          MemoryError)  # fmt: skip
    return shape


def as_index(index, ndim):
    """The index in x[index] as a tuple of ints, slices, None and at most one `...`."""
    items = []
    for item in index if type(index) is tuple else (index,):
        kind = type(item).__name__
        plain = item is None or item is ... or isinstance(item, slice)
        whole = hasattr(item, "__index__") and not getattr(item, "ndim", 0)
        if not plain and (not whole or kind == "bool"):
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), None, "
                             f"lists and tensors are valid indices (got {kind})"
                             )  # fmt: skip
        items.append(item if plain else operator.index(item))
    if items.count(...) > 1:
        raise IndexError("an index can only have a single ellipsis (`...`)")
    check(ndim != 0 or all(not isinstance(i, int | slice) for i in items),
          "invalid index of a 0-dim tensor. Use `tensor.item()` to convert a 0-dim "
          "tensor to a number", IndexError)  # fmt: skip
    return tuple(items)


def diagonal(shape, strides, start, offset, dim1, dim2):
    """Shape, strides and offset of the elements i, i + offset of two dimensions.

    They are the last dimension of the view, in place of the two.
    """
    one, two = wrap_dim(dim1, len(shape)), wrap_dim(dim2, len(shape))
    check(one != two, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = max(0, min(shape[one] + min(offset, 0), shape[two] - max(offset, 0)))
    if size:
        start += max(offset, 0) * strides[two] - min(offset, 0) * strides[one]
    kept = [d for d in range(len(shape)) if d not in (one, two)]
    step = strides[one] + strides[two]
    return (*(shape[d] for d in kept), size), (*(strides[d] for d in kept), step), start


def recast(shape, strides, start, old, new):
    """Shape, strides and offset of the same memory as elements of the dtype `new`."""
    names = f"view {old} as {new} (different element sizes)"
    if old.itemsize == new.itemsize:
        return shape, strides, start
    check(shape, f"self.dim() cannot be 0 to {names}")
    check(strides[-1] == 1,
          f"self.stride(-1) must be 1 to {names}, but got {strides[-1]}")  # fmt: skip
    more, less = max(1, old.itemsize // new.itemsize), new.itemsize // old.itemsize
    where = [(f"stride({d})", n) for d, n in enumerate(strides[:-1])]
    for name, n in ("size(-1)", shape[-1]), ("storage_offset()", start), *where:
        check(not less or n % less == 0, f"self.{name} must be divisible by {less} to "
              f"{names}, but got {n}")  # fmt: skip
    scaled = lambda n: n * more // (less or 1)  # noqa: E731
    sizes, steps = (*shape[:-1], scaled(shape[-1])), (*map(scaled, strides[:-1]), 1)
    return sizes, steps, scaled(start)


@plan_cache.cached
def row_spec(dtype, device, shape):
    """The Spec of a row-major tensor with a storage of its own."""
    return spec(dtype, device, shape, tuple(contiguous_strides(shape)))


@plan_cache.cached
def reshaped(shape, strides, sizes):
    """The shape that `sizes` means, and its strides: None where it needs a copy."""
    new = infer_size(sizes, numel(shape))
    return new, view_or_copy(shape, strides, new)


def check_no_overlap(shape, strides):
    """RuntimeError if one storage cell shows up as several elements, by a stride 0."""
    repeated = any(n > 1 and s == 0 for n, s in zip(shape, strides, strict=True))
    check(not repeated or not numel(shape),
          "more than one element of the written-to tensor refers to a single memory "
          "location. Please clone() the tensor before writing to it.")  # fmt: skip


def infer_size(shape, count):
    """`shape` with its one -1 replaced by what makes `count` elements."""
    check(min(shape, default=0) >= -1,
          lambda: f"invalid shape dimension {min(shape)} in {list(shape)}")  # fmt: skip
    check(shape.count(-1) <= 1,
          f"only one dimension can be inferred, got {list(shape)}")  # fmt: skip
    product = math.prod(n for n in shape if n != -1)
    check(-1 not in shape or product != 0 or count != 0, lambda: "cannot reshape "
          f"tensor of 0 elements into shape {list(shape)} because the unspecified "
          "dimension size -1 can be any value and is ambiguous")  # fmt: skip
    fits = count % product == 0 if -1 in shape and product else product == count
    check(fits, lambda: f"shape '{list(shape)}' is invalid for input of size {count}")
    return tuple(count // product if n == -1 else n for n in shape)


__getattr__ = in_module(__name__)
