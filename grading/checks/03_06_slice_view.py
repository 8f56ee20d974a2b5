"""Indexing by ints, slices, None and `...`, as a view."""

from grading.exercise import mistakes, right
from minigrad.layout import slice_view

FIRST = "left = list("
mistakes(slice_view)(rf"""
offset_lost: the offset that x has is lost: the new offset starts from it
> view = [] -> view, offset = [], 0
start_lost: the offset does not move: an int, or a start, moves it by that many strides
> offset += -> _ =
step_ignored: the step is ignored: the size is divided by it, the stride multiplied
> range(start, stop, step) -> range(start, stop)
& , step * stride -> , stride
rounded_down: the size is rounded down: 0:5:2 has three elements; len(range(0, 5, 2))
> len(range(start, stop, step)) -> max(stop - start, 0) // step
negative_int: a negative int counts from the end: add the size
> item % size * stride -> item * stride
raw_ends: slice.indices(size) fills in None, counts from the end and stops at the end
> item.indices(size) -> item.start or 0, size if item.stop is None else item.stop, 1 if
    item.step is None else item.step
zero_is_none: 0 is a stop like any other: only None stands for the end
> item.indices(size) -> slice(item.start, item.stop or None, item.step).indices(size)
rest_lost: dimensions that the index does not reach are kept whole: here they are lost
> if ... in index else (*index, ...) ->
int_stays: an int takes its dimension away: here it stays, with size 1
> item % size * stride -> item % size * stride\n            view.append((1, stride))
none_consumes: None puts in a new dimension, and deals with none of x's own
> {FIRST} -> index = tuple(slice(0, 1) if item is None else item for item in
    index)\n    {FIRST}
one_dimension: ... stands for as many dimensions as are left, none or several
> {FIRST} -> index = tuple(slice(None) if item is ... else item for item in
    index)\n    {FIRST}
no_error:
> elif -size <= item < size -> elif True
wrong_error:
> IndexError -> AssertionError
equivalent: where dimensions are missing, `del left[0]` raises an IndexError, too
> branch dropped: if rest < 0: -> if False:
> off by one: if rest < 0: -> if rest < (-1):
> exception swallowed: too many indices
equivalent: a second `...` at the end stands for no dimension
> branch dropped: -> for item in ((*index, ...))
equivalent: the stride of a dimension of size 1 is never used
> off by one: -> size, stride = left[0] if left else (
> term dropped: view.append((1, size * stride)) ->
equivalent: item.indices raises a ValueError for a step of 0
> off by one: if step < 1: -> if step < (0):
equivalent: only the error's message says which dimension it is
> operator: dim =
> term dropped: dim =
> operands swapped: dim =
""")


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


@right(slice_view, "by ranges, which Python slices itself")
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
