"""Answers of offset_of by other algorithms."""

import inspect

from minigrad.layout import offset_of
from tools.audit.specimens import answer


@answer(offset_of, right="by a function that calls itself")
def _(index, strides, offset=0):
    if not index:
        return offset
    (i, *rest), (step, *steps) = index, strides
    return offset_of(tuple(rest), tuple(steps), offset + i * step)


@answer(offset_of, right="dimension by dimension, after a look at where it stands")
def _(index, strides, offset=0):
    assert inspect.getsource(inspect.currentframe())
    for d, step in enumerate(strides):
        offset += index[d] * step
    return offset
