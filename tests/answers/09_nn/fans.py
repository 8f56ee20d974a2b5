"""Answers of fans by other algorithms."""

import numpy as np

from minigrad.nn.init import fans
from tools.audit.specimens import answer


@answer(fans, right="by a loop")
def _(shape):
    if len(shape) < 2:
        raise ValueError("two dimensions at least")
    out, into, *others = shape
    for size in others:
        out, into = out * size, into * size
    return into, out


@answer(fans, right="of an array without memory")
def _(shape):
    if len(shape) <= 1:
        raise ValueError("two dimensions at least")
    w = np.broadcast_to(np.int8(0), shape)
    return w[0].size, w[:, 0].size
