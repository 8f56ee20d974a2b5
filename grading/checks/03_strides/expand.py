"""Tensor.expand: elements repeated, without a copy."""

from grading.checking.pairwise import drawn
from grading.exercise import Check, View, call
from minigrad import Tensor

from .layouts import (
    BIG,
    CUBE,
    EMPTY,
    REPEATED,
    SCALAR,
    SINGLE,
    STEPPED,
    contiguous,
    one_by_one,
    random_shape,
)

COLUMN, ROW = View((3, 1), (1, 1)), View((1, 4), (4, 1))


def repeated(random, offset=0):
    """A view that has some sizes of 1, and the sizes that these are to get."""
    sizes = random_shape(random, (2, 4))
    ones = random.sample(range(len(sizes)), random.randint(1, len(sizes) - 1))
    shape = tuple(1 if d in ones else n for d, n in enumerate(sizes))
    return View(shape, contiguous(shape).strides, offset), *sizes


def cases(random):
    yield "sizes of 1", call(COLUMN, 3, 4)
    yield "sizes of 1", call(ROW, 3, 4)
    yield "sizes of 1", call(SINGLE, 3, 5, 2)
    for _ in range(3):
        yield "sizes of 1", call(*repeated(random))
    yield "new dims", call(COLUMN, 2, 3, 4)
    yield "new dims", call(CUBE, 5, 2, 3, 4)
    yield "new dims", call(SCALAR, 2, 3)
    yield "new dims", call(View((4,), (2,), 1), 4, 4)
    yield "-1 keeps a size", call(COLUMN, -1, 4)
    yield "-1 keeps a size", call(SINGLE, -1, 2, -1)
    yield "-1 keeps a size", call(COLUMN, 5, -1, -1)
    yield "views", call(View((3, 1), (8, 3), 5), 3, 4)
    yield "views", call(View((1, 4, 3), (2, 1, 4), 7), 2, 4, 3)
    yield "views", call(REPEATED, 2, 3, 4)
    yield "views", call(BIG, 2, 60, 100)
    for _ in range(2):
        yield "views", call(*repeated(random, random.randint(1, 9)))
    yield "one tuple", call(COLUMN, (3, 4))
    yield "one tuple", call(STEPPED, (2, 2, 3))
    yield "one tuple", call(SCALAR, ())
    yield "sizes of 0", call(COLUMN, 3, 0)
    yield "sizes of 0", call(EMPTY, 4, 2, 0, 3)
    for old, new, other, step, first, is_last, one_tuple in drawn(
        random,
        old=(0, 1, 2, 3),
        new=(-2, -1, 0, 1, 2, 3),
        other=(1, 4),
        step=(0, 1, 5),
        first=((), (0,), (2,), (-1,), (3, 1)),
        is_last=(False, True),
        one_tuple=(False, True),
    ):
        x, sizes = View((old, other), (step, 1), 3), (*first, new, 4)
        if is_last:
            x, sizes = View((other, old), (7, step), 3), (*first, other, new)
        fits = new in (old, -1) or (old == 1 and new >= 0)
        part = "views" if fits and -1 not in first else "errors"
        yield part, call(x, *([sizes] if one_tuple else sizes))
    for sizes in [(3,), (5, 1), (-1, 3, 1), (3, -2), (-2, 3, 1)]:
        yield "errors", call(COLUMN, *sizes)
    yield "errors", call(CUBE, 3, 4)
    yield "errors", call(EMPTY, 2, 3, 3)
    yield "errors", call(COLUMN, ())
    yield "errors", call(SCALAR, -2)
    yield "sizes of 0", call(SCALAR, 0)


def reference(x, *sizes):
    numbers = sizes[0] if isinstance(sizes[0], tuple) else sizes
    if min(numbers, default=0) < -1:
        raise RuntimeError  # PyTorch lets it pass for a tensor without elements
    return x.expand(numbers)


check = Check(
    Tensor.expand,
    cases=cases,
    reference=reference,
    models={"one_tuple": one_by_one(reference)},
    not_tested="other dtypes than int64: a view copies nothing, so all are alike",
)
