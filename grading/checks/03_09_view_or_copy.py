"""Other shapes of the same elements: as a view where that can be."""

from grading.exercise import mistake, mistakes, right
from minigrad.layout import contiguous_strides, index_of, offset_of, view_or_copy

mistakes(view_or_copy)(r"""
size_one: a dimension of size 1 is never stepped along: its stride must not count
> size != 1 and stride == -> stride ==
& elif size != 1: -> else:
no_elements: with no elements a view always exists
> if 0 in shape: -> if 0 in shape:\n        return None
wrong_view: row-major strides, whatever strides x has: they read the wrong cells
> = contiguous_strides(new_shape)
last_stride: the last stride alone does not tell: every group must be evenly spaced
> = tuple(((*strides, 1)[len(strides) - 1] * s for s in contiguous_strides(new_shape)))
always_copies: None says that it must be copied; here PyTorch makes a view
> = None
contiguous_only: x need not be contiguous: dimensions can be cut anew where evenly
    spaced
> = contiguous_strides(new_shape) if layout.is_contiguous(shape, strides)
    else None
> = contiguous_strides(new_shape) if strides == contiguous_strides(shape) else None
equivalent: with no elements any strides do
> branch dropped: -> return (contiguous_strides(new_shape))
equivalent: the first group is then empty, or begins with a dimension that it belongs
    to: whatever its stride is, only a dimension of size 1 gets it
> branch dropped: -> groups = [[1, (1)]]
> off by one: -> groups = [[1, strides[-(0)]
> off by one: -> groups = [[1, strides[-1] if strides else (
equivalent: a size of 1 changes no group, and there is no size of 0 here
> term dropped: -> if ((stride == groups[-1][0] * groups[-1][1])):
> off by one: -> if size != (0) and
""")


@mistake(view_or_copy)
def always_copies(shape, strides, new_shape):  # but where sizes stay as they are
    steps = {n: s for n, s in zip(shape, strides)}
    return tuple(steps[n] for n in new_shape) if set(new_shape) <= set(shape) else None


@right(view_or_copy, "merged first, then cut")
def _(shape, strides, new_shape):
    if 0 in shape:
        return (0,) * len(new_shape)
    runs, new, d = [], [0] * len(new_shape), len(new_shape)
    for size, stride in zip(shape, strides):
        if size == 1:
            continue
        if runs and runs[-1][1] == size * stride:
            size *= runs.pop()[0]
        runs.append((size, stride))
    for left, step in reversed(runs):
        while left > 1:
            d -= 1
            if left % new_shape[d]:
                return None
            new[d] = step
            left, step = left // new_shape[d], step * new_shape[d]
    return tuple(new)


def merged(shape, strides):
    """The fewest (size, stride) that read the same cells in the same order."""
    found = []
    for size, stride in zip(shape, strides):
        if found and found[-1][1] == size * stride:
            size *= found.pop()[0]
        found += [(size, stride)] if size > 1 else []
    return found


@right(view_or_copy, "by the cells of single elements, compared when merged")
def _(shape, strides, new_shape):
    if 0 in shape:
        return contiguous_strides(new_shape)
    new = []
    for size, step in zip(new_shape, contiguous_strides(new_shape)):
        place = index_of(step, shape) if size > 1 else ()
        new.append(offset_of(place, strides[: len(place)]))
    return tuple(new) if merged(shape, strides) == merged(new_shape, new) else None


@right(view_or_copy, "from the front, as NumPy does it")
def _(shape, strides, new_shape):
    old = [(n, s) for n, s in zip(shape, strides) if n != 1]
    sizes, new = [n for n in new_shape if n != 1], []
    if 0 in sizes:
        return (1,) * len(new_shape)
    while sizes:
        group, cut = [old.pop(0)], [sizes.pop(0)]
        have, want = group[0][0], cut[0]
        while have != want:
            if have < want:
                group.append(old.pop(0))
                have *= group[-1][0]
            else:
                cut.append(sizes.pop(0))
                want *= cut[-1]
        if any(a[1] != b[0] * b[1] for a, b in zip(group, group[1:])):
            return None
        new += [s * group[-1][1] for s in contiguous_strides(tuple(cut))]
    return tuple(0 if n == 1 else new.pop(0) for n in new_shape)
