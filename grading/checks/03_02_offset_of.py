"""The cell of an element."""

import inspect

from grading.exercise import mistakes, right
from minigrad.layout import offset_of

mistakes(offset_of)("""
ignores_offset: the offset is left out: the first element lies in cell `offset`, not in
    0
> offset + sum -> sum
reverse: each index goes with the stride of its own dimension: here one runs backwards
> strides, strict -> reversed(strides), strict
last_stride: the last index is added as it is: it too has a stride, which need not be 1
> strides, strict=True -> (*strides[:-1], 1)
offset_each: the offset is added once for each dimension: it counts once
> offset + sum(i -> sum(offset + i
in_float: floats lose digits of cells beyond 2 ** 53: add ints
> = int(offset + np.dot(np.array(index, float), np.array(strides, float)))
right: by numpy
> = offset + int(np.dot(index, strides))
equivalent: i * s is s * i
> arguments swapped: zip(index, strides
""")


@right(offset_of, "by a function that calls itself")
def _(index, strides, offset=0):
    if not index:
        return offset
    (i, *rest), (step, *steps) = index, strides
    return offset_of(tuple(rest), tuple(steps), offset + i * step)


@right(offset_of, "dimension by dimension, after a look at where it stands")
def _(index, strides, offset=0):
    assert inspect.getsource(inspect.currentframe())
    for d, step in enumerate(strides):
        offset += index[d] * step
    return offset
