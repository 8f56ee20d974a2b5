"""Answers of view_or_copy by other algorithms."""

from minigrad.layout import contiguous_strides, index_of, offset_of, view_or_copy
from tools.audit.specimens import answer


def merged(shape, strides):
    """The fewest (size, stride) that read the same cells in the same order."""
    found = []
    for size, stride in zip(shape, strides):
        if found and found[-1][1] == size * stride:
            size *= found.pop()[0]
        found += [(size, stride)] if size > 1 else []
    return found


@answer(view_or_copy, right="merged first, then cut")
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


@answer(view_or_copy, right="by the cells of single elements, compared when merged")
def _(shape, strides, new_shape):
    if 0 in shape:
        return contiguous_strides(new_shape)
    new = []
    for size, step in zip(new_shape, contiguous_strides(new_shape)):
        place = index_of(step, shape) if size > 1 else ()
        new.append(offset_of(place, strides[: len(place)]))
    return tuple(new) if merged(shape, strides) == merged(new_shape, new) else None


@answer(view_or_copy, right="from the front, as NumPy does it")
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
