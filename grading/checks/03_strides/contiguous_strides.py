"""contiguous_strides: the strides of a row-major tensor."""

import itertools

import torch

from grading.checking.picture import cells, compared
from grading.drivers.sizes import numbers_alone
from grading.exercise import Check, call, drive
from minigrad.layout import contiguous_strides

from .layouts import HUGE, LARGE, SMALL


def cases(random):
    for shape in [(2, 3), (2, 3, 4), (7,)]:
        yield "any shape", call(shape)
    for _ in range(4):
        dims = random.randint(1, 5)
        yield "any shape", call(tuple(random.sample(range(2, 8), dims)))
    for shape in [(3, 1), (1, 3), (1,)]:
        yield "sizes of 1", call(shape)
    for shape in [(2, 0, 3), (0, 4), (0,)]:
        yield "sizes of 0", call(shape)
    for shape in itertools.product((0, 1, 7), repeat=3):
        yield "sizes of 0" if 0 in shape else "sizes of 1", call(shape)
    yield "sizes of 0", call((2**40, 0, 2**23 - 1, 0, 1))
    yield "no dimensions", call(())
    many = 2, *random.sample(SMALL, len(SMALL)), 3
    for shape in many, LARGE, HUGE, HUGE[::-1]:
        yield "any sizes", drive(numbers_alone, shape, least=((1,),))


def reference(shape):
    return torch.empty(shape, device="meta").stride()


def picture(case, expected, got):
    (shape,) = case.args
    return compared(None, cells(shape, expected), cells(shape, got))


check = Check(
    contiguous_strides,
    cases=cases,
    reference=reference,
    picture=picture,
    not_tested="sizes below 0 and shapes as lists: the contract has neither",
)
