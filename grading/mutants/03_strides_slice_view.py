"""Chapter 03, slice_view: wrong answers that learners write, and right ones."""

import numpy as np

from grading.specimens import mutant, right
from minigrad.layout import slice_view


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
            sizes = (*sizes, len(chosen))
            steps = (*steps, chosen.step * bool(strides[d]))
            offset += (chosen.start - offset) * bool(strides[d])
        d += 1
    return sizes, steps, offset
