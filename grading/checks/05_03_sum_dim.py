"""Sums over any dimensions of a view of any strides."""

import itertools
import math

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, mistakes
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


BEGIN = "begin + offset_of(k, shape, stride, kept, dims)"
mistakes(sum_dim)(f"""
kept_contiguous: the strides of the summed dimensions are used, but i * n is taken for
    the place where the elements of y[i] begin: i must be taken apart, too, with the
    kept dimensions
> x[begin -> x[i * n
first_fastest: an index is taken apart from the first dimension on: the last one runs
    fastest, so begin with it
> d = end - 1; d >= first; d-- -> d = first; d < end; d++
empty: where there is nothing to add, y is not written: the sum of no elements is 0
> i >= m -> i >= m || n == 0
kept_is_all: i is taken apart with all dimensions: those of y are the first `kept`, and
    the elements of y[i] begin where all other indices are 0
> 0, kept) -> 0, dims)
contiguous_only: x is read as if it were contiguous, row after row: the place of an
    element is what its indices times the strides give
> {BEGIN} -> i * n + k
one_step: the elements are taken to lie in steps of one stride: with several dimensions
    to sum over, k must be taken apart into an index for each
> {BEGIN} -> begin + k * stride[dims - 1]
still_left_out: a dimension of stride 0 is passed over: an index is divided by its size,
    too, or the dimensions before it get a wrong one
> offset += -> if (stride[d] == 0) continue; offset +=
outside: a thread goes outside the arrays: there may be more threads than the m elements
    of y, and an index is never above its size
! out-of-bounds
> if (i >= m) return; ->
right: grid-stride, backwards
> if (i >= m) return; -> for (; i < m; i += gridDim.x * blockDim.x) {{
& k = 0; k < n; k++ -> k = n; k-- > 0;
& = sum; -> = sum; }}
equivalent: a view has at most 8 dimensions
> loop capped: rounds_++ < 64 && (d >= first)
> type: for (short d =
right: an index that counts on, and two sums
> float sum = 0.0f; -> float sum = 0.0f, small = 0.0f; int index[8] = {{}};
& sum += x[{BEGIN}]; ->
    {{
        float term = x[begin] - small, next = sum + term;
        small = next - sum - term;
        sum = next;
        for (int d = dims - 1; d >= kept; begin -= stride[d] * shape[d], d--) {{
            begin += stride[d];
            if (++index[d] < shape[d]) break;
            index[d] = 0;
        }}
    }}
""")
