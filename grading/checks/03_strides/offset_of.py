"""offset_of: the cell of an element."""

import torch

from grading.exercise import Check, call
from minigrad.layout import offset_of

from .layouts import random_view, without_memory


def drawn(random):
    """(index, strides) of an element of some view."""
    shape, strides, _ = random_view(random, (1, 4))
    return tuple(random.randrange(1, n) for n in shape), strides


def cases(random):
    yield "index and strides", call((1, 2), (3, 1))
    yield "index and strides", call((1, 0, 3), (12, 4, 1))
    yield "index and strides", call((5,), (2,))
    for _ in range(6):
        yield "index and strides", call(*drawn(random))
    yield "offset", call((1, 2), (3, 1), 10)
    yield "offset", call((0, 0), (3, 1), 7)
    for _ in range(4):
        yield "offset", call(*drawn(random), random.randint(1, 30))
    for strides in [(1, 4), (0, 1), (5, 0), (0, 0)]:
        yield "stride 0 and transposed", call((2, 3), strides, random.randint(0, 9))
    yield "any strides", call((2, 1), (-3, 1), 9)
    yield "any strides", call((4, 2, 1), (2**40, -7, 0))
    for strides in [(-7, 5), (5, -7)]:  # on the way it is below 0
        yield "any strides", call((3, 3), strides, 8)
    yield "any strides", call((2**22, 1, 3), (2**40, 2**40 + 1, 7), 5)
    yield "no dimensions", call((), ())
    yield "no dimensions", call((), (), random.randint(1, 9))


def reference(index, strides, offset=0):
    if not all(0 <= s < 2**20 for s in strides):  # as no tensor of PyTorch's has
        return offset + int(torch.tensor(index) @ torch.tensor(strides))
    shape = tuple(i + 1 for i in index)
    return without_memory(shape, strides, offset)[index].storage_offset()


check = Check(
    offset_of,
    cases=cases,
    reference=reference,
    not_tested="large shapes and many dimensions: the function is given no shape",
)
