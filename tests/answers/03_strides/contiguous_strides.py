"""Answers of contiguous_strides by other algorithms."""

import math

import numpy as np

from minigrad.layout import contiguous_strides
from tools.audit.specimens import answer


@answer(contiguous_strides, right="by numpy")
def _(shape):
    sizes = np.maximum(np.array(shape, dtype=np.int64), 1)
    return tuple(np.cumprod([1, *sizes[::-1]])[::-1][1:])


@answer(contiguous_strides, right="with a table of numbers, and much to print")
def _(shape):
    print("-" * 2_000_000, [n * n for n in range(20_000)][-1])
    strides = [1]
    for n in shape[:0:-1]:
        strides.append(strides[-1] * (n or 1))
    return tuple(reversed(strides))[-len(shape) :] if shape else ()


@answer(contiguous_strides, right="each by a product of its own")
def _(shape):
    return tuple(math.prod(n or 1 for n in shape[d + 1 :]) for d in range(len(shape)))


@answer(contiguous_strides, wrong="unknown")
def _(shape):
    strides, step, seen = [], 1, False
    for size in reversed(shape):
        strides.append(step)
        step *= size if size or seen else 1
        seen = seen or size == 0
    return tuple(reversed(strides))
