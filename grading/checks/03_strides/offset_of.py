"""offset_of: the cell of an element."""

import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, call
from minigrad.layout import offset_of

from .layouts import random_view, without_memory

INDICES = 0, 1, 5, 300


def of_view(random):
    """(index, strides) of an element of some view."""
    shape, strides, _ = random_view(random, (1, 4))
    return tuple(random.randrange(1, n) for n in shape), strides


def cases(random):
    yield "index and strides", call((1, 2), (3, 1))
    yield "index and strides", call((1, 0, 3), (12, 4, 1))
    yield "index and strides", call((5,), (2,))
    for _ in range(3):
        yield "index and strides", call(*of_view(random))
    yield "offset", call((1, 2), (3, 1), 10)
    yield "offset", call((0, 0), (3, 1), 7)
    for _ in range(2):
        yield "offset", call(*of_view(random), random.randint(1, 30))
    for strides in [(1, 4), (0, 1)]:
        yield "stride 0 and transposed", call((2, 3), strides, random.randint(0, 9))
    yield "any strides", call((2, 1), (-3, 1), 9)
    yield "any strides", call((4, 2, 1), (2**40, -7, 0))
    yield "any strides", call((2**22, 1, 3), (2**40, 2**40 + 1, 7), 5)
    steps = -(2**40), -7, 0, 1, 2**53 + 1
    for i, j, *some in drawn(
        random, i=INDICES, j=INDICES, one=steps, other=steps, offset=(0, 5, 2**53 + 1)
    ):
        *strides, offset = some
        lowest = i * strides[0] + j * strides[1] + offset
        yield "any strides", call((i, j), tuple(strides), offset - min(lowest, 0))
    many = [random.randint(0, 9) for _ in range(100)], [random.randint(0, 99)] * 100
    yield "any strides", call(*map(tuple, many), 3)
    yield "no dimensions", call((), ())
    yield "no dimensions", call((), (), random.randint(1, 9))


def reference(index, strides, offset=0):
    small = all(0 <= s < 2**20 for s in strides) and len(strides) < 9
    if not small:  # no tensor of PyTorch's has such strides
        return offset + int(torch.tensor(index) @ torch.tensor(strides))
    shape = tuple(i + 1 for i in index)
    return without_memory(shape, strides, offset)[index].storage_offset()


check = Check(
    offset_of,
    cases=cases,
    reference=reference,
    not_tested="cells below 0 and beyond 64 bits: the contract has neither",
)
