"""Chapter 03, the first two: wrong answers that learners write, and right ones."""

import itertools
import math

import numpy as np

import minigrad
from grading.specimens import mutant, right
from minigrad.layout import contiguous_strides, offset_of, slice_view


@mutant(contiguous_strides, "column_major")
def _(shape):
    strides, step = [], 1
    for size in shape:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)


@mutant(contiguous_strides, "reverse")
def _(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)


@mutant(contiguous_strides, "own_size")
def _(shape):
    strides, step = [], 1
    for size in reversed(shape):
        step *= size
        strides.append(step)
    return tuple(reversed(strides))


@mutant(contiguous_strides, "sums")
def _(shape):
    strides = [1] * len(shape)
    for d in range(len(shape) - 1):
        strides[d] = sum(shape[d + 1 :])
    return tuple(strides)


@mutant(contiguous_strides, "in_bytes")
def _(shape):
    return np.empty([max(n, 1) for n in shape]).strides


@mutant(contiguous_strides, "zero_size")
def _(shape):
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))


@mutant(contiguous_strides, "no_dims")
def _(shape):
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return tuple(strides)


@mutant(contiguous_strides, "list", "a list")
def _(shape):
    strides = [1] * len(shape)
    for d in reversed(range(len(shape) - 1)):
        strides[d] = strides[d + 1] * max(shape[d + 1], 1)
    return strides


@mutant(contiguous_strides, "list", "reversed in place")
def _(shape):
    strides = []
    step = 1
    for size in shape:
        strides.append(step)
        step = step * size
    strides.reverse()
    return strides


@mutant(contiguous_strides, "float", "floats from numpy.prod")
def _(shape):
    return tuple(
        np.prod([max(n, 1) for n in shape[d + 1 :]]) for d in range(len(shape))
    )


@mutant(contiguous_strides, "none", "prints")
def _(shape):
    print(tuple(math.prod(shape[d + 1 :]) for d in range(len(shape))))


@mutant(contiguous_strides, "wrong_type", "a numpy array")
def _(shape):
    return np.cumprod([1, *[max(n, 1) for n in shape[:0:-1]]])[::-1]


@mutant(contiguous_strides, "raised", "two dimensions only")
def _(shape):
    rows, cols = shape
    return (max(cols, 1), 1)


@mutant(contiguous_strides, "recursion", "asks a tensor that asks it")
def _(shape):
    return minigrad.empty(shape).strides


@mutant(contiguous_strides, "unknown", "the examples alone")
def _(shape):
    return {(): (), (2, 3, 4): (12, 4, 1), (2, 0, 3): (3, 3, 1)}.get(shape, (3, 1))


@right(contiguous_strides, "by recursion")
def _(shape):
    if len(shape) < 2:
        return (1,) * len(shape)
    rest = contiguous_strides(shape[1:])
    return (rest[0] * max(shape[1], 1), *rest)


@right(contiguous_strides, "by accumulate")
def _(shape):
    sizes = (max(n, 1) for n in shape[:0:-1])
    steps = itertools.accumulate(sizes, lambda a, b: a * b, initial=1)
    return tuple(steps)[::-1] if shape else ()


@right(contiguous_strides, "by products")
def _(shape):
    return tuple(
        math.prod(max(n, 1) for n in shape[d + 1 :]) for d in range(len(shape))
    )


@right(contiguous_strides, "by numpy")
def _(shape):
    sizes = np.maximum(np.array(shape, dtype=np.int64), 1)
    return tuple(np.cumprod([1, *sizes[::-1]])[::-1][1:])


@right(contiguous_strides, "from numpy's own strides")
def _(shape):
    array = np.empty([max(n, 1) for n in shape], dtype=np.int8)
    return array.strides


@mutant(offset_of, "ignores_offset")
def _(index, strides, offset=0):
    return sum(i * s for i, s in zip(index, strides))


@mutant(offset_of, "offset_each")
def _(index, strides, offset=0):
    total = 0
    for i, s in zip(index, strides):
        total += offset + i * s
    return total


@mutant(offset_of, "reverse")
def _(index, strides, offset=0):
    for i, s in zip(index, reversed(strides)):
        offset += i * s
    return offset


@mutant(offset_of, "last_stride")
def _(index, strides, offset=0):
    if not index:
        return offset
    return offset + sum(i * s for i, s in zip(index[:-1], strides)) + index[-1]


@mutant(offset_of, "two_dims")
def _(index, strides, offset=0):
    for i in range(len(index)):
        if i < 2:
            offset = offset + index[i] * strides[i]
    return offset


@mutant(offset_of, "from_one")
def _(index, strides, offset=0):
    return offset + sum((i - 1) * s for i, s in zip(index, strides))


@mutant(offset_of, "raised", "two dimensions only")
def _(index, strides, offset=0):
    row, col = index
    return offset + row * strides[0] + col * strides[1]


@mutant(offset_of, "wrong_type", "a tuple of terms")
def _(index, strides, offset=0):
    return tuple(offset + i * s for i, s in zip(index, strides))


@mutant(offset_of, "float", "numpy's floats")
def _(index, strides, offset=0):
    return offset + float(np.dot(index, strides))


@mutant(offset_of, "float", "an empty dot is 0.0")
def _(index, strides, offset=0):
    return offset + np.dot(index, strides).item()


@mutant(offset_of, "none", "prints")
def _(index, strides, offset=0):
    print(offset + sum(i * s for i, s in zip(index, strides)))


@mutant(offset_of, "unknown", "sums before it multiplies")
def _(index, strides, offset=0):
    return offset + sum(index) * sum(strides)


@right(offset_of, "by a loop")
def _(index, strides, offset=0):
    cell = offset
    for d in range(len(index)):
        cell += strides[d] * index[d]
    return cell


@right(offset_of, "by numpy")
def _(index, strides, offset=0):
    return offset + int(np.dot(index, strides))


@right(offset_of, "by recursion")
def _(index, strides, offset=0):
    if not index:
        return offset
    return offset_of(index[1:], strides[1:], offset + index[0] * strides[0])


@right(offset_of, "by slice_view")
def _(index, strides, offset=0):
    return slice_view(tuple(i + 1 for i in index), strides, offset, index)[2]
