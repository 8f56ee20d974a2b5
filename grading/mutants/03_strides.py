"""Chapter 03: wrong answers that learners write, and right ones in other styles."""

from grading.specimens import mutant, right
from minigrad.layout import contiguous_strides


@mutant(contiguous_strides, "column_major")
def _(shape):
    strides, step = [], 1
    for size in shape:
        strides.append(step)
        step *= max(size, 1)
    return tuple(strides)


@right(contiguous_strides, "by recursion")
def _(shape):
    if not shape:
        return ()
    if len(shape) == 1:
        return (1,)
    rest = contiguous_strides(shape[1:])
    return (rest[0] * max(shape[1], 1), *rest)
