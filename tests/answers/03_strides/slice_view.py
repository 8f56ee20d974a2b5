"""Answers of slice_view by other algorithms."""

from minigrad.layout import slice_view
from tools.audit.specimens import answer


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


@answer(slice_view, right="by recursion")
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


@answer(slice_view, right="by ranges, which Python slices itself")
def _(shape, strides, offset, index):
    rest = len(shape) - sum(item not in (None, ...) for item in index)
    whole, at = [slice(None)] * rest, index.index(...) if ... in index else len(index)
    if rest < 0:
        raise IndexError("too many indices")
    sizes, steps, d = [], [], 0
    for item in [*index[:at], *whole, *index[at + 1 :]]:
        if item is None:
            sizes, steps = [*sizes, 1], [*steps, 0]
            continue
        if isinstance(item, slice) and item.step is not None and item.step < 1:
            raise ValueError("a step must be at least 1")
        found = range(shape[d])[item]
        if isinstance(item, slice):
            sizes.append(len(found))
            steps.append(found.step * strides[d])
        offset += (found.start if isinstance(item, slice) else found) * strides[d]
        d += 1
    return tuple(sizes), tuple(steps), offset
