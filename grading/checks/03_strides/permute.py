"""Tensor.permute: the dimensions in another order."""

import torch

from grading.checking.pairwise import drawn
from grading.exercise import Check, View, call
from minigrad import Tensor

from .layouts import (
    BIG,
    CUBE,
    EMPTY,
    EQUAL,
    REPEATED,
    SCALAR,
    SINGLE,
    STEPPED,
    fresh,
    one_by_one,
    shuffled,
    views,
)


def cases(random):
    for dims in [(2, 0, 1), (0, 2, 1)]:
        yield "orders", call(CUBE, *dims)
    for _ in range(3):
        x = fresh(random, (2, 5))
        yield "orders", call(x, *shuffled(random, x.shape))
    for x in views(random):
        yield "views", call(x, *shuffled(random, x.shape))
    for dims in [(-1, 0, 1), (2, -3, -2)]:
        yield "negative dims", call(CUBE, *dims)
    for x, last, *negative, one_tuple in drawn(
        random,
        x=(CUBE, STEPPED, REPEATED, EMPTY, SINGLE, BIG, EQUAL),
        last=range(3),
        **dict.fromkeys("abc", (False, True)),
        one_tuple=(False, True),
    ):
        dims = shuffled(random, x.shape) if last else range(len(x.shape))
        pairs = zip(dims, negative)  # noqa: B905  as many as there are dimensions
        dims = tuple(d - len(x.shape) * below for d, below in pairs)
        yield "views", call(x, *([dims] if one_tuple else dims))
    for x, dims in [(CUBE, (1, 2, 0)), (STEPPED, (1, -2)), (SCALAR, ())]:
        yield "one tuple", call(x, dims)
    yield "sizes of 0 and 1", call(EMPTY, 2, 0, 1)
    yield "sizes of 0 and 1", call(SINGLE, 1, 2, 0)
    yield "sizes of 0 and 1", call(View((4,), (2,)), 0)
    a, b = random.sample(range(3), 2)
    for dims in [(0, 1), (0, 1, 3), (-4, 1, 2), (0, 2, -1), (0, 1, 2, 0),
                 (1, 1, 1), (a, a, b), (a, b, a), (b, a, a), (7, 7, 0),
                 ((),)]:  # fmt: skip
        yield "errors", call(CUBE, *dims)
    row, square = View((4,), (2,)), View((3, 3), (3, 1))
    for x, dims in [(row, (1,)), (row, (-2,)), (row, (0, 0)),
                    (square, (1, 1)), (square, (0, 2)), (square, (1,))]:  # fmt: skip
        yield "errors", call(x, *dims)


check = Check(
    Tensor.permute,
    cases=cases,
    reference=torch.Tensor.permute,
    models={"one_tuple": one_by_one(torch.Tensor.permute)},
    not_tested="other dtypes than int64: a view copies nothing, so all are alike; and "
    "permute() without dimensions, which the contract leaves open",
)
