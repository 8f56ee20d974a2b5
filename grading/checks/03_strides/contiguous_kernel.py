"""contiguous_kernel: PyTorch reads the same storage by the same strides."""

import math

import numpy as np

from grading.exercise import Check, Launch, arrays, distinct
from minigrad.kernels.copy import contiguous_kernel

from .. import strided
from ..launches import ODD, SUBNORMAL, specials


def launch(random, shape, strides, x=None, n=None):
    n = math.prod(shape) if n is None else n
    x = distinct(random, strided.cells(shape, strides)) if x is None else x
    args = x, strided.struct(shape, strides), strided.output(shape), np.int32(n)
    return Launch(*strided.cover(n), args)


def cases(random):
    for part, shape, strides in strided.layouts(random):
        yield part, launch(random, shape, strides)
    yield "no elements", launch(random, (3, 2), (1, 3), n=0)
    yield ODD, launch(random, (4, 8), (1, 4), specials(random, more=SUBNORMAL))


def reference(x, view, y, n):
    y.view(-1)[:n] = strided.read(x, view).reshape(-1)[:n]


check = Check(
    contiguous_kernel,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    not_tested="sizes of 0, by contract",
)
