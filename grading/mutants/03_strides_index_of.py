"""Chapter 03, index_of: wrong answers that learners write, and right ones."""

import itertools
import math

import numpy as np

from grading.specimens import mutant, right
from minigrad.layout import contiguous_strides, index_of


@mutant(index_of, "column_major")
def _(position, shape):
    index = []
    for size in shape:
        position, i = divmod(position, size)
        index.append(i)
    return tuple(index)


@mutant(index_of, "reverse")
def _(position, shape):
    index = []
    for size in reversed(shape):
        index.append(position % size)
        position //= size
    return tuple(index)


@mutant(index_of, "no_remainder")
def _(position, shape):
    return tuple(position // s for s in contiguous_strides(shape))


@mutant(index_of, "no_division")
def _(position, shape):
    return tuple(position % size for size in shape)


@mutant(index_of, "from_one")
def _(position, shape):
    return tuple(
        (position - 1) // s % n for s, n in zip(contiguous_strides(shape), shape)
    )


@mutant(index_of, "own_size")
def _(position, shape):
    index = ()
    for size in shape:
        index += (position // size,)
        position = position % size
    return index


@mutant(index_of, "no_dims")
def _(position, shape):
    index = []
    for stride in contiguous_strides(shape):
        index.append(position // stride)
        position %= stride
    return tuple(index) or (0,)


@mutant(index_of, "float", "divides with /")
def _(position, shape):
    index = []
    for size in reversed(shape):
        i = position % size
        index.append(i)
        position = (position - i) / size
    return tuple(reversed(index))


@mutant(index_of, "list", "a list")
def _(position, shape):
    return [position // s % n for s, n in zip(contiguous_strides(shape), shape)]


@mutant(index_of, "raised", "two dimensions only")
def _(position, shape):
    rows, cols = shape
    return position // cols, position % cols


@mutant(index_of, "type", "an iterator")
def _(position, shape):
    return reversed([position])


@mutant(index_of, "none", "no return at the end")
def _(position, shape):
    for size in reversed(shape):
        position, i = divmod(position, size)
        if size < 0:
            return (i,)


@mutant(index_of, "raised", "searches one too few")
def _(position, shape):
    everything = list(itertools.product(*[range(n) for n in shape]))[:-1]
    return everything[position]


@right(index_of, "by strides")
def _(position, shape):
    return tuple(position // s % n for s, n in zip(contiguous_strides(shape), shape))


@right(index_of, "by numpy")
def _(position, shape):
    return np.unravel_index(position, shape)


@right(index_of, "by counting")
def _(position, shape):
    return list(itertools.product(*[range(n) for n in shape]))[position]


@right(index_of, "by recursion")
def _(position, shape):
    if not shape:
        return ()
    return (*index_of(position // shape[-1], shape[:-1]), position % shape[-1])


@right(index_of, "from the first dimension on")
def _(position, shape):
    index = []
    for d in range(len(shape)):
        step = math.prod(shape[d + 1 :])
        index.append(position // step)
        position -= index[-1] * step
    return tuple(index)
