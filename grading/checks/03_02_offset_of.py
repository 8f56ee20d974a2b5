"""The cell of an element."""

import inspect

import torch

from grading.exercise import Check, checks, mistakes, right
from minigrad.layout import offset_of

from .layouts import random_view, without_memory


@checks(offset_of)
class OffsetOf(Check):
    """Leaves out large shapes and many dimensions: the function is given no shape."""

    def cases(self, random):
        yield "index and strides", (1, 2), (3, 1)
        yield "index and strides", (1, 0, 3), (12, 4, 1)
        yield "index and strides", (5,), (2,)
        for _ in range(6):
            yield "index and strides", *self.drawn(random)
        yield "offset", (1, 2), (3, 1), 10
        yield "offset", (0, 0), (3, 1), 7
        for _ in range(4):
            yield "offset", *self.drawn(random), random.randint(1, 30)
        for strides in [(1, 4), (0, 1), (5, 0), (0, 0)]:
            yield "stride 0 and transposed", (2, 3), strides, random.randint(0, 9)
        yield "any strides", (2, 1), (-3, 1), 9
        yield "any strides", (4, 2, 1), (2**40, -7, 0)
        for strides in [(-7, 5), (5, -7)]:  # on the way it is below 0
            yield "any strides", (3, 3), strides, 8
        yield "any strides", (2**22, 1, 3), (2**40, 2**40 + 1, 7), 5
        yield "no dimensions", (), ()
        yield "no dimensions", (), (), random.randint(1, 9)

    def drawn(self, random):
        shape, strides, _ = random_view(random, (1, 4))
        return tuple(random.randrange(1, n) for n in shape), strides

    def expected(self, index, strides, offset=0):
        if not all(0 <= s < 2**20 for s in strides):  # as no tensor of PyTorch's has
            return offset + int(torch.tensor(index) @ torch.tensor(strides))
        shape = tuple(i + 1 for i in index)
        return without_memory(shape, strides, offset)[index].storage_offset()


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
