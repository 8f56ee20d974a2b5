"""sum_dim: sums over any dimensions of a view of any strides."""

import itertools
import math

import numpy as np

from grading.exercise import Check, Launch, arrays, blank
from minigrad.kernels.reductions import sum_dim

from ..layouts import contiguous
from ..reductions import U, coarse, scaled
from ..strided import cells, cover, layouts


def launch(random, shape, strides, first, dims):
    others = [d for d in range(len(shape)) if d not in dims]
    order = [*others, *sorted(dims)]
    shape, strides = [shape[d] for d in order], [strides[d] for d in order]
    m, n = math.prod(shape[: len(others)]), math.prod(shape[len(others) :])
    size = cells([max(k, 1) for k in shape], strides)
    x = scaled(random, (first + size,), n, n)[first:]
    layout = (np.array(a or [0], np.int32) for a in (shape, strides))
    sizes = np.int32([len(shape), len(others), m, n])
    return Launch(*cover(m), (x, *layout, blank(max(m, 1)), *sizes))


def cases(random):
    for shape, *dims in ((5, 7), 1), ((3, 4, 6), 1, 2), ((40, 9), 1):
        part = "the last dimensions, contiguous"
        yield part, launch(random, *contiguous(shape), dims)
    several = ((5, 7), 0), ((3, 4, 6), 0, 2), ((3, 4, 6), 1), ((2, 3, 4, 5), 0, 3)
    for shape, *dims in several:
        yield "other dimensions", launch(random, *contiguous(shape), dims)
    part = "views of any strides"
    for _, shape, strides in layouts(random):
        dims = random.sample(range(len(shape)), random.randint(0, len(shape)))
        if math.prod(shape) < 300:
            yield part, launch(random, shape, strides, 5, dims)
    for still, other in itertools.permutations(range(3), 2):
        strides = [(20, 5, 1)[d] * (d != still) for d in range(3)]
        dims = [d for d in range(3) if d not in (still, other)]
        for summed in dims, [still, *dims], [still]:
            yield part, launch(random, (3, 4, 5), strides, 1, summed)
    for shape in (36_000, 2), (1100, 3):
        yield part, launch(random, shape, (1, shape[0]), 0, [1])
    for shape, *dims in (
        ((6, 7), 0, 1),
        ((6, 7),),
        ((1, 2, 1, 2, 1, 3, 1, 2), 1, 4, 6),
        ((2, 3, 2, 1, 2, 1, 2, 3), *range(8)),
        ((2, 3, 2, 1, 2, 1, 2, 3),),
    ):
        part = "all dimensions, none, and eight"
        yield part, launch(random, *contiguous(shape), dims)
    for shape, strides, dim in [((3, 0), (1, 1), 1), ((0, 3), (3, 1), 0),
                                ((0, 3), (3, 1), 1)]:  # fmt: skip
        yield "no elements: 0", launch(random, shape, strides, 0, [dim])


def reference(x, shape, stride, y, dims, kept, m, n):
    x = x.double().as_strided(shape[:dims].tolist(), stride[:dims].tolist())
    if kept < dims:
        x = x.sum([*range(kept, dims)])
    y[:m] = x.reshape(-1)


check = Check(
    sum_dim,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),  # see reductions.py: n additions
    diagnose=coarse,
    not_tested="inf, NaN, and negative strides: the contract has none",
)
