"""Chapter 03, view_or_copy: wrong answers that learners write, and right ones."""

import itertools
import math

import numpy as np

from grading.specimens import mutant, right
from minigrad.layout import (
    contiguous_strides,
    is_contiguous,
    offsets,
    view_or_copy,
)


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
