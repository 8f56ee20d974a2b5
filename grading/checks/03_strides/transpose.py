"""Tensor.transpose: two dimensions exchanged."""

import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, View, call
from minigrad import Tensor

from .layouts import (
    CUBE,
    EMPTY,
    EQUAL,
    REPEATED,
    SCALAR,
    SINGLE,
    STEPPED,
    TRANSPOSED,
    fresh,
    views,
)


def cases(random):
    for dims in [(0, 1), (2, 0), (1, 2)]:
        yield "two dims", call(CUBE, *dims)
    for _ in range(4):
        x = fresh(random, (3, 5))
        yield "two dims", call(x, *random.sample(range(len(x.shape)), 2))
    for x in views(random):
        yield "views", call(x, *random.sample(range(len(x.shape)), 2))
    for dims in [(-1, 0), (1, -1), (-3, -2)]:
        yield "negative dims", call(CUBE, *dims)
    for x, dims in [(CUBE, (1, 1)), (STEPPED, (0, -2)), (SCALAR, (0, -1))]:
        yield "equal dims", call(x, *dims)
        yield "equal dims", call(x, *dims[::-1])
    for x, one, other in drawn(
        random,
        x=(CUBE, STEPPED, REPEATED, EMPTY, SINGLE, SCALAR, EQUAL, View((4,), (2,))),
        one=range(-3, 3),
        other=range(-3, 3),
    ):
        n = max(len(x.shape), 1)
        there = -n <= one < n and -n <= other < n
        yield "views" if there else "errors", call(x, one, other)
    for x in EMPTY, SINGLE:
        yield "sizes of 0 and 1", call(x, 1, 2)
    for dims in [(0, 3), (-4, 1), (7, 7)]:
        yield "errors", call(CUBE, *dims)
    yield "errors", call(TRANSPOSED, 2, 0)
    for dims in [(0, 1), (5, 0), (-2, 0)]:
        yield "errors", call(SCALAR, *dims)


check = Check(
    Tensor.transpose,
    cases=cases,
    reference=torch.Tensor.transpose,
    not_tested="other dtypes than int64: a view copies nothing, so all are alike",
)
