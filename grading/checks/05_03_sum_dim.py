"""Sums over any dimensions of a view of any strides."""

import itertools
import math

import numpy as np
import torch

from grading.exercise import Launch, blank, checks
from minigrad.kernels.reductions import sum_dim

from .layouts import contiguous
from .reductions import ReductionCheck, U, scaled
from .strided import cover, layouts


@checks(sum_dim)
class SumDim(ReductionCheck):
    """Leaves out NaN and inf, which the contract does not name, and negative strides,
    which no tensor has.
    """

    atol = U  # see reductions.py: n additions

    def cases(self, random):
        for shape, *dims in ((5, 7), 1), ((3, 4, 6), 1, 2), ((40, 9), 1):
            part = "the last dimensions, contiguous"
            yield part, self.launch(random, *contiguous(shape), dims)
        several = ((5, 7), 0), ((3, 4, 6), 0, 2), ((3, 4, 6), 1), ((2, 3, 4, 5), 0, 3)
        for shape, *dims in several:
            yield "other dimensions", self.launch(random, *contiguous(shape), dims)
        for _, shape, strides in layouts(random):
            dims = random.sample(range(len(shape)), random.randint(0, len(shape)))
            if math.prod(shape) < 300:
                launch = self.launch(random, shape, strides, 5, dims)
                yield "views of any strides", launch
        for still, kept in itertools.permutations(range(3), 2):
            strides = [(20, 5, 1)[d] * (d != still) for d in range(3)]
            dims = [d for d in range(3) if d not in (still, kept)]
            for of in dims, [still, *dims], [still]:
                launch = self.launch(random, (3, 4, 5), strides, 1, of)
                yield "views of any strides", launch
        for shape in (36_000, 2), (1100, 3):
            launch = self.launch(random, shape, (1, shape[0]), 0, [1])
            yield "views of any strides", launch
        for shape, *dims in (
            ((6, 7), 0, 1),
            ((6, 7),),
            ((1, 2, 1, 2, 1, 3, 1, 2), 1, 4, 6),
            ((2, 3, 2, 1, 2, 1, 2, 3), *range(8)),
            ((2, 3, 2, 1, 2, 1, 2, 3),),
        ):
            part = "all dimensions, none, and eight"
            yield part, self.launch(random, *contiguous(shape), dims)
        for shape, strides, dims in [((3, 0), (1, 1), [1]), ((0, 3), (3, 1), [0])]:
            yield "no elements: 0", self.launch(random, shape, strides, 0, dims)
        yield "no elements: 0", self.launch(random, (0, 3), (3, 1), 0, [1])

    def launch(self, random, shape, strides, first, dims):
        kept = [d for d in range(len(shape)) if d not in dims]
        order = [*kept, *sorted(dims)]
        shape, strides = [shape[d] for d in order], [strides[d] for d in order]
        m, n = math.prod(shape[: len(kept)]), math.prod(shape[len(kept) :])
        cells = 1 + sum(s * max(k - 1, 0) for k, s in zip(shape, strides, strict=True))
        x = scaled(random, (first + cells,), n, n)[first:]
        arrays = (np.array(a or [0], np.int32) for a in (shape, strides))
        sizes = (np.int32(k) for k in (len(shape), len(kept), m, n))
        args = x, *arrays, blank(max(m, 1)), *sizes
        return Launch(*cover(m), args)

    def expected(self, launch, x, shape, stride, y, dims, kept, m, n):
        x = torch.from_numpy(x.astype(np.float64))
        view = x.as_strided(tuple(shape[:dims]), tuple(stride[:dims]))
        if kept < dims:
            view = view.sum(tuple(range(kept, dims)))
        y[:m] = view.reshape(-1)
        return y
