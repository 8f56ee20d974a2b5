"""Chapter 03, arithmetic: PyTorch's own shapes, strides and offsets are the oracle."""

import math

import torch

from grading.checking import Check, cause, checks
from grading.picture import cells, compared
from minigrad import layout

from .layouts import random_shape, random_view, tensor


@checks(layout.contiguous_strides)
class ContiguousStrides(Check):
    def cases(self, random):
        for shape in [(2, 3), (2, 3, 4), (7,), (5, 2, 4, 3)]:
            yield "any shape", shape
        for _ in range(8):
            yield "any shape", random_shape(random, (1, 5))
        for shape in [(3, 1), (1, 3), (2, 1, 3), (1, 1), (1,)]:
            yield "sizes of 1", shape
        for shape in [(2, 0, 3), (0, 4), (3, 0), (2, 3, 0, 5), (0,)]:
            yield "sizes of 0", shape
        yield "no dimensions", ()

    def expected(self, shape):
        return torch.empty(shape).stride()

    def picture(self, shape, expected, got):
        return compared(None, cells(shape, expected), cells(shape, got))

    @cause("column-major: the first dimension moves fastest here; in PyTorch the last")
    def column_major(self, shape):
        return tuple(math.prod(max(n, 1) for n in shape[:d]) for d in range(len(shape)))

    @cause("the right numbers in reverse order: the last dimension has stride 1")
    def reverse(self, shape):
        return self.expected(shape)[::-1]

    @cause("each stride has its own size as a factor: only the sizes after it count")
    def own_size(self, shape):
        return tuple(math.prod(shape[d:]) for d in range(len(shape)))

    @cause("a stride is the product of the sizes after it, not their sum")
    def sums(self, shape):
        return tuple(sum(shape[d + 1 :]) or 1 for d in range(len(shape)))

    @cause("strides in bytes, as in NumPy: PyTorch counts elements")
    def in_bytes(self, shape):
        return tuple(8 * s for s in self.expected(shape))

    @cause("a size of 0 makes the strides before it 0: count it as 1")
    def zero_size(self, shape):
        return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))

    @cause("no dimensions, no strides: the answer for () is ()")
    def no_dims(self, shape):
        return self.expected(shape) or (1,)


@checks(layout.offset_of)
class OffsetOf(Check):
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
        yield "no dimensions", (), ()
        yield "no dimensions", (), (), random.randint(1, 9)

    def drawn(self, random):
        shape, strides, _ = random_view(random, (1, 4))
        return tuple(random.randrange(1, n) for n in shape), strides

    def expected(self, index, strides, offset=0):
        return tensor(tuple(i + 1 for i in index), strides, offset)[index].item()

    @cause("the offset is left out: the first element lies in cell `offset`, not in 0")
    def ignores_offset(self, index, strides, offset=0):
        return self.expected(index, strides)

    @cause("the offset is added once for each dimension: it counts once")
    def offset_each(self, index, strides, offset=0):
        return sum(i * s + offset for i, s in zip(index, strides, strict=True))

    @cause(
        "each index goes with the stride of its own dimension: here one runs backwards"
    )
    def reverse(self, index, strides, offset=0):
        return self.expected(index, strides[::-1], offset)

    @cause("the last index is added as it is: it too has a stride, which need not be 1")
    def last_stride(self, index, strides, offset=0):
        return self.expected(index, (*strides[:-1], 1)[: len(index)], offset)

    @cause("only the first two dimensions count here: there may be any number")
    def two_dims(self, index, strides, offset=0):
        return self.expected(index[:2], strides[:2], offset)

    @cause("indices count from 0: index 0 moves by nothing")
    def from_one(self, index, strides, offset=0):
        back = sum(strides)
        return self.expected(index, strides, offset) - back


@checks(layout.index_of)
class IndexOf(Check):
    def cases(self, random):
        for position in [4, 5, 1, 3, 0]:
            yield "any shape", position, (2, 3)
        yield "any shape", 5, (7,)
        for _ in range(8):
            shape = random_shape(random, (2, 5))
            yield "any shape", random.randrange(1, math.prod(shape)), shape
        for shape in [(3, 1), (1, 3), (2, 1, 4), (1,)]:
            yield "sizes of 1", random.randrange(math.prod(shape)), shape
        yield "no dimensions", 0, ()

    def expected(self, position, shape):
        where = torch.arange(math.prod(shape)).view(shape) == position
        return tuple(where.nonzero()[0].tolist())

    @cause("column-major: the last index moves fastest, and this moves the first")
    def column_major(self, position, shape):
        return self.expected(position, shape[::-1])[::-1]

    @cause("the right numbers in reverse order")
    def reverse(self, position, shape):
        return self.expected(position, shape)[::-1]

    @cause("no remainder is taken: each index stays below its size, by % size")
    def no_remainder(self, position, shape):
        strides = torch.empty(shape).stride()
        return tuple(position // s for s in strides)

    @cause("the position is not divided on the way: each index is the rest of the same")
    def no_division(self, position, shape):
        return tuple(position % n for n in shape)

    @cause("positions count from 0: this is the index of the one before")
    def from_one(self, position, shape):
        return self.expected((position - 1) % math.prod(shape), shape)

    @cause("divided by the size of the wrong dimension: i = position // size[1] in 2-D")
    def own_size(self, position, shape):
        index = []
        for size in shape:
            index.append(position // size)
            position %= size
        return tuple(index)

    @cause("a shape without dimensions has one position, whose index is ()")
    def no_dims(self, position, shape):
        return self.expected(position, shape) or (0,)
