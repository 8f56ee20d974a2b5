"""Chapter 03, rules: wrong and right answers for slices, broadcasting and views."""

import itertools
import math

import numpy as np

from grading.specimens import mutant, right
from minigrad.layout import (
    broadcast_shapes,
    contiguous_strides,
    is_contiguous,
    offsets,
    slice_view,
    view_or_copy,
)

# ---------------------------------------------------------------- slice_view


def filled(shape, index):
    """The index with `...` and what is left out written as whole slices."""
    used = sum(item is not None and item is not ... for item in index)
    if used > len(shape):
        raise IndexError("too many indices")
    if ... not in index:
        index = (*index, ...)
    at = index.index(...)
    return index[:at] + (slice(None),) * (len(shape) - used) + index[at + 1 :]


def cut(item, size):
    """(start, number, step) of a slice, or of an int as a slice of one."""
    if isinstance(item, slice):
        start, stop, step = item.indices(size)
        if step < 1:
            raise ValueError("step must be greater than zero")
        return start, len(range(start, stop, step)), step
    if not -size <= item < size:
        raise IndexError("out of range")
    return item % size, 1, 1


def walk(shape, strides, offset, index, change):
    """A right slice_view, but `change` may spoil each dimension's four numbers.

    change(item, size, (start, number, new stride, move of the offset)) -> the same four
    """
    new_shape, new_strides, d = [], [], 0
    for item in filled(shape, index):
        if item is None:
            new_shape.append(1)
            new_strides.append(0)
            continue
        start, number, step = cut(item, shape[d])
        right = start, number, strides[d] * step, start * strides[d]
        start, number, stride, move = change(item, shape[d], right)
        offset += move
        if isinstance(item, slice):
            new_shape.append(number)
            new_strides.append(stride)
        d += 1
    return tuple(new_shape), tuple(new_strides), offset


@mutant(slice_view, "offset_lost")
def _(shape, strides, offset, index):
    return walk(shape, strides, 0, index, lambda item, size, right: right)


@mutant(slice_view, "start_lost")
def _(shape, strides, offset, index):
    return walk(shape, strides, offset, index, lambda i, n, right: (*right[:3], 0))


@mutant(slice_view, "step_ignored")
def _(shape, strides, offset, index):
    def change(item, size, right):
        if not isinstance(item, slice):
            return right
        start, stop, step = item.indices(size)
        return start, max(stop - start, 0), right[2] // step, right[3]

    return walk(shape, strides, offset, index, change)


@mutant(slice_view, "stride_kept")
def _(shape, strides, offset, index):
    def change(item, size, right):
        step = (item.step or 1) if isinstance(item, slice) else 1
        return *right[:2], right[2] // step, right[3]

    return walk(shape, strides, offset, index, change)


@mutant(slice_view, "rounded_down")
def _(shape, strides, offset, index):
    def change(item, size, right):
        if not isinstance(item, slice):
            return right
        start, stop, step = item.indices(size)
        return start, max(stop - start, 0) // step, *right[2:]

    return walk(shape, strides, offset, index, change)


@mutant(slice_view, "int_stays")
def _(shape, strides, offset, index):
    index = filled(shape, index)
    d = 0
    kept = []
    for item in index:
        if isinstance(item, int):
            start, _, _ = cut(item, shape[d])
            item = slice(start, start + 1)
        d += item is not None
        kept.append(item)
    return walk(shape, strides, offset, tuple(kept), lambda i, n, right: right)


@mutant(slice_view, "negative_int")
def _(shape, strides, offset, index):
    def change(item, size, right):
        if isinstance(item, slice) or item >= 0:
            return right
        return *right[:3], right[3] - size * right[2]

    return walk(shape, strides, offset, index, change)


@mutant(slice_view, "raw_ends")
def _(shape, strides, offset, index):
    new_shape, new_strides, d = [], [], 0
    for item in filled(shape, index):
        if item is None:
            new_shape.append(1)
            new_strides.append(1)
        elif isinstance(item, slice):
            start, step = item.start or 0, item.step if item.step is not None else 1
            stop = shape[d] if item.stop is None else item.stop
            if step < 1:
                raise ValueError("step")
            new_shape.append(max(0, -(-(stop - start) // step)))
            new_strides.append(strides[d] * step)
            offset += start * strides[d]
            d += 1
        else:
            offset += cut(item, shape[d])[0] * strides[d]
            d += 1
    return tuple(new_shape), tuple(new_strides), offset


@mutant(slice_view, "rest_lost")
def _(shape, strides, offset, index):
    used = sum(item is not None and item is not ... for item in index)
    out = walk(shape, strides, offset, index, lambda i, n, right: right)
    keep = len(out[0]) - (0 if ... in index else len(shape) - used)
    return out[0][:keep], out[1][:keep], out[2]


@mutant(slice_view, "none_consumes")
def _(shape, strides, offset, index):
    taken = tuple(slice(0, 1) if item is None else item for item in index)
    return walk(shape, strides, offset, taken, lambda i, n, right: right)


@mutant(slice_view, "one_dimension")
def _(shape, strides, offset, index):
    single = tuple(slice(None) if item is ... else item for item in index)
    return walk(shape, strides, offset, single, lambda i, n, right: right)


@mutant(slice_view, "no_error", "index modulo size")
def _(shape, strides, offset, index):
    bounded, d = [], 0
    for item in filled(shape, index):
        bounded.append(item % shape[d] if isinstance(item, int) else item)
        d += item is not None
    return walk(shape, strides, offset, tuple(bounded), lambda i, n, right: right)


@mutant(slice_view, "wrong_error", "asserts the range")
def _(shape, strides, offset, index):
    try:
        return walk(shape, strides, offset, index, lambda i, n, right: right)
    except IndexError as error:
        raise AssertionError from error


@mutant(slice_view, "list", "lists inside")
def _(shape, strides, offset, index):
    out = walk(shape, strides, offset, index, lambda i, n, right: right)
    return list(out[0]), list(out[1]), out[2]


@mutant(slice_view, "list", "a list")
def _(shape, strides, offset, index):
    return list(walk(shape, strides, offset, index, lambda i, n, right: right))


@mutant(slice_view, "float", "divides with /")
def _(shape, strides, offset, index):
    def change(item, size, right):
        return right[0], right[1] / 1, *right[2:]

    return walk(shape, strides, offset, index, change)


@mutant(slice_view, "raised", "ints and slices only")
def _(shape, strides, offset, index):
    new_shape, new_strides = [], []
    for item, size, stride in zip(index, shape, strides):
        start, number, step = cut(item, size)
        offset += start * stride
        if isinstance(item, slice):
            new_shape.append(number)
            new_strides.append(stride * step)
    used = len(index)
    if used > len(shape):
        raise IndexError("too many")
    return tuple(new_shape) + shape[used:], tuple(new_strides) + strides[used:], offset


@right(slice_view, "by filling in first")
def _(shape, strides, offset, index):
    return walk(shape, strides, offset, index, lambda item, size, right: right)


@right(slice_view, "by numpy")
def _(shape, strides, offset, index):
    if any(isinstance(i, slice) and (i.step or 1) < 1 for i in index):
        raise ValueError("step")
    if any(isinstance(i, slice) and i.step == 0 for i in index):
        raise ValueError("step")
    cells = np.arange(offset + sum(strides) * max(shape, default=0) + 1)
    x = np.lib.stride_tricks.as_strided(
        cells[offset:], shape, [s * cells.itemsize for s in strides]
    )
    y = x[index if ... in index else (*index, ...)]
    start = y.__array_interface__["data"][0] - cells.__array_interface__["data"][0]
    strides = tuple(s // cells.itemsize for s in y.strides)
    return y.shape, strides, start // cells.itemsize


@right(slice_view, "by recursion")
def _(shape, strides, offset, index):
    if not index:
        return shape, strides, offset
    item, rest = index[0], index[1:]
    if item is None:
        sizes, steps, offset = slice_view(shape, strides, offset, rest)
        return (1, *sizes), (7, *steps), offset
    if item is ...:
        whole = len(shape) - sum(i is not None for i in rest)
        if whole < 0:
            raise IndexError("too many indices")
        return slice_view(shape, strides, offset, (slice(None),) * whole + rest)
    if not shape:
        raise IndexError("too many indices")
    start, number, step = cut(item, shape[0])
    moved = offset + start * strides[0]
    sizes, steps, offset = slice_view(shape[1:], strides[1:], moved, rest)
    if isinstance(item, slice):
        return (number, *sizes), (step * strides[0], *steps), offset
    return sizes, steps, offset


@right(slice_view, "by ranges")
def _(shape, strides, offset, index):
    sizes, steps, d = (), (), 0
    for item in filled(shape, index):
        if item is None:
            sizes, steps = (*sizes, 1), (*steps, 1)
            continue
        cells = range(offset, offset + shape[d] * (strides[d] or 1), strides[d] or 1)
        if isinstance(item, int):
            offset += (cells[item] - offset) * bool(strides[d])
        else:
            if (1 if item.step is None else item.step) < 1:
                raise ValueError("slice step must be positive")
            chosen = cells[item]
            sizes, steps = (*sizes, len(chosen)), (*steps, chosen.step * bool(strides[d]))
            offset += (chosen.start - offset) * bool(strides[d])
        d += 1
    return sizes, steps, offset


# ---------------------------------------------------------------- broadcast_shapes


@mutant(broadcast_shapes, "wrong_alignment")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*shapes, fillvalue=1):
        kinds = {n for n in sizes if n != 1}
        if len(kinds) > 1:
            raise RuntimeError("sizes do not fit")
        result.append(kinds.pop() if kinds else 1)
    return tuple(result)


@mutant(broadcast_shapes, "cut_off")
def _(*shapes):
    result = []
    for sizes in zip(*(shape[::-1] for shape in shapes)):
        kinds = {n for n in sizes if n != 1}
        if len(kinds) > 1:
            raise RuntimeError("sizes do not fit")
        result.append(kinds.pop() if kinds else 1)
    return tuple(result[::-1])


@mutant(broadcast_shapes, "greatest")
def _(*shapes):
    back = itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    return tuple(max(sizes) for sizes in back)[::-1]


@mutant(broadcast_shapes, "first_two")
def _(*shapes):
    try:
        return np.broadcast_shapes(*shapes[:2])
    except ValueError as error:
        raise RuntimeError(str(error)) from error


@mutant(broadcast_shapes, "zero_refused")
def _(*shapes):
    if any(n < 1 for shape in shapes for n in shape):
        raise RuntimeError("sizes are positive")
    return right_one(*shapes)


@mutant(broadcast_shapes, "wrong_error", "numpy's ValueError")
def _(*shapes):
    return np.broadcast_shapes(*shapes)


@mutant(broadcast_shapes, "no_error", "the last size that is not 1")
def _(*shapes):
    back = itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    return tuple(([1] + [n for n in sizes if n != 1])[-1] for sizes in back)[::-1]


@mutant(broadcast_shapes, "list", "a list")
def _(*shapes):
    return list(right_one(*shapes))


@mutant(broadcast_shapes, "none", "None where they do not fit")
def _(*shapes):
    if len(shapes) > 1:
        print(right_one(*shapes))
    else:
        return right_one(*shapes)


@mutant(broadcast_shapes, "unknown", "reversed")
def _(*shapes):
    return right_one(*shapes)[::-1]


@mutant(broadcast_shapes, "unknown", "the longest shape")
def _(*shapes):
    longest = max(shapes, key=len, default=())
    right_one(*shapes)
    return longest


@mutant(broadcast_shapes, "raised", "none at all")
def _(*shapes):
    first, *rest = shapes
    return right_one(first, *rest)


def right_one(*shapes):
    """The right answer, by NumPy's, with PyTorch's error."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise RuntimeError(str(error)) from error


@right(broadcast_shapes, "by numpy")
def _(*shapes):
    return right_one(*shapes)


@right(broadcast_shapes, "by zip_longest and sets")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        kinds = set(sizes) - {1} or {1}
        if len(kinds) > 1:
            raise RuntimeError(f"{kinds} do not fit")
        result = [*kinds, *result]
    return tuple(result)


@right(broadcast_shapes, "two at a time")
def _(*shapes):
    result = ()
    for shape in shapes:
        n = max(len(result), len(shape))
        a = (1,) * (n - len(result)) + result
        b = (1,) * (n - len(shape)) + tuple(shape)
        if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
            raise RuntimeError("do not fit")
        result = tuple(y if x == 1 else x for x, y in zip(a, b))
    return result


# ---------------------------------------------------------------- view_or_copy


@mutant(view_or_copy, "always_copies")
def _(shape, strides, new_shape):
    return None


@mutant(view_or_copy, "wrong_view")
def _(shape, strides, new_shape):
    return contiguous_strides(new_shape)


@mutant(view_or_copy, "contiguous_only")
def _(shape, strides, new_shape):
    if is_contiguous(shape, strides):
        return contiguous_strides(new_shape)
    return None


@mutant(view_or_copy, "contiguous_only", "compares the strides")
def _(shape, strides, new_shape):
    if strides == contiguous_strides(shape):
        return contiguous_strides(new_shape)


@mutant(view_or_copy, "last_stride")
def _(shape, strides, new_shape):
    step = strides[-1] if strides else 1
    return tuple(step * s for s in contiguous_strides(new_shape))


@mutant(view_or_copy, "size_one")
def _(shape, strides, new_shape):
    return by_groups(shape, strides, new_shape, skip=())


@mutant(view_or_copy, "no_elements")
def _(shape, strides, new_shape):
    if 0 in shape:
        return None
    return by_groups(shape, strides, new_shape)


@mutant(view_or_copy, "raised", "divides by a size of 0")
def _(shape, strides, new_shape):
    math.prod(shape) // (new_shape[-1] if new_shape else 1)
    return by_groups(shape, strides, new_shape)


@mutant(view_or_copy, "list", "a list")
def _(shape, strides, new_shape):
    out = by_groups(shape, strides, new_shape)
    return out and list(out)


@mutant(view_or_copy, "float", "divides with /")
def _(shape, strides, new_shape):
    out = by_groups(shape, strides, new_shape)
    return out and tuple(s / 1 for s in out)


@mutant(view_or_copy, "wrong_type", "True and False")
def _(shape, strides, new_shape):
    return by_groups(shape, strides, new_shape) is not None


@mutant(view_or_copy, "raised", "raises instead of None")
def _(shape, strides, new_shape):
    out = by_groups(shape, strides, new_shape)
    if out is None:
        raise RuntimeError("a copy is needed")
    return out


@mutant(view_or_copy, "wrong_type", "numbers of cells")
def _(shape, strides, new_shape):
    return math.prod(shape)


@mutant(view_or_copy, "always_copies", "whole dimensions only")
def _(shape, strides, new_shape):
    steps = {n: s for n, s in zip(shape, strides)}
    return tuple(steps[n] for n in new_shape) if set(new_shape) <= set(shape) else None


def by_groups(shape, strides, new_shape, skip=(1,)):
    """The right answer: merge what is evenly spaced, then cut it anew."""
    if 0 in shape:
        return contiguous_strides(new_shape)
    groups = []  # [size, stride] from the last to the first
    for n, s in zip(reversed(shape), reversed(strides)):
        if n in skip:
            continue
        if groups and s == groups[-1][0] * groups[-1][1]:
            groups[-1][0] *= n
        else:
            groups.append([n, s])
    out, left, step = [], 1, 1
    for n in reversed(new_shape):
        while left == 1 and groups and n != 1:
            left, step = groups.pop(0)
        if left % n:
            return None
        out.append(step)
        left, step = left // n, step * n
    return tuple(reversed(out))


@right(view_or_copy, "by groups")
def _(shape, strides, new_shape):
    return by_groups(shape, strides, new_shape)


@right(view_or_copy, "by brute force")
def _(shape, strides, new_shape):
    cells = offsets(shape, strides)
    if not cells:
        return (0,) * len(new_shape)
    new, step = [], 1
    for n in reversed(new_shape):
        new.insert(0, cells[step] - cells[0] if n > 1 else 0)
        step *= n
    return tuple(new) if offsets(new_shape, new) == cells else None


@right(view_or_copy, "by numpy")
def _(shape, strides, new_shape):
    if 0 in shape:
        return (1,) * len(new_shape)
    cells = np.arange(sum((n - 1) * s for n, s in zip(shape, strides)) + 1)
    item = cells.itemsize
    x = np.lib.stride_tricks.as_strided(cells, shape, [s * item for s in strides])
    y = x.reshape(new_shape)
    same = np.shares_memory(x, y)
    return tuple(s // item for s in y.strides) if same else None


@right(view_or_copy, "by dimensions from the first")
def _(shape, strides, new_shape):
    if 0 in shape:
        return contiguous_strides(new_shape)
    old = [(n, s) for n, s in zip(shape, strides) if n > 1]
    new, i = [], 0
    while i < len(new_shape):
        if new_shape[i] == 1:
            new.append(3)
            i += 1
            continue
        chunk, start, want, have = [old.pop(0)], i, new_shape[i], 0
        have = chunk[0][0]
        while want != have:
            if want < have:
                i += 1
                want *= new_shape[i]
            else:
                chunk.append(old.pop(0))
                have *= chunk[-1][0]
        if any(a[1] != b[0] * b[1] for a, b in itertools.pairwise(chunk)):
            return None
        sizes = new_shape[start : i + 1]
        new += [chunk[-1][1] * s for s in contiguous_strides(sizes)]
        i += 1
    return tuple(new)
