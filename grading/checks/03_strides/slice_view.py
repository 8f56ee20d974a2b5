"""slice_view: indexing by ints, slices, None and `...`, as a view."""

import numpy as np

from grading.checking.compare import same_strides
from grading.checking.pairwise import drawn
from grading.checking.picture import cells, compared
from grading.exercise import Check, call, same
from minigrad.layout import slice_view

from .layouts import (
    HUGE,
    LARGE,
    contiguous,
    many,
    numbers_only,
    views,
    without_memory,
)

ROWS, CUBE = ((4, 6), (6, 1), 0), ((2, 3, 4), (12, 4, 1), 0)
MOVED, NONE = ((3, 5), (1, 8), 7), ((), (), 3)
LEAST = (1,), (1,), 0, ()
PLACES = (  # where a slice may be in an index of three dimensions
    lambda s: (1, s), lambda s: (..., s, -1), lambda s: (slice(None), s, None, 1),
    lambda s: (2, None, s, ...), lambda s: (slice(2), s, slice(1, 0)),
)  # fmt: skip


def some_index(random, shape):
    """An index of ints and slices."""
    index = [random.randrange(n) for n in shape]
    slices = random.sample(range(len(shape)), random.randint(1, len(shape) - 1))
    for d in slices:
        index[d] = slice(random.randint(0, 1), shape[d] - random.randint(0, 1))
    return tuple(index)


def cases(random):
    for x, index in [(ROWS, np.s_[1, 0:6]), (ROWS, np.s_[1:3, 2:5]),
                     (CUBE, (1, 2, 3)), (CUBE, np.s_[0:2, 1, 1:4])]:  # fmt: skip
        yield "ints and slices", call(*x, index)
    for x in views(random):
        yield "ints and slices", call(*x, some_index(random, x.shape))
    for index in np.s_[0:4:2, 1], np.s_[2, 1:6:2], np.s_[1:4:3, 0]:
        yield "steps", call(*ROWS, index)
    yield "steps", call(*MOVED, np.s_[0:3:2, 0:5:3])
    for index in np.s_[-1, -4:-1], np.s_[1:-1, -6], np.s_[-4, -5::2]:
        yield "negative", call(*ROWS, index)
    for item in np.s_[:, 2:, :2, 1:99, -99:2]:
        yield "open ends", call(*ROWS, (item, 2))
    for item in np.s_[3:1, 2:2, 99:100, 5:-99]:
        yield "nothing left", call(*ROWS, (item, slice(1, 3)))
    yield "nothing left", call((0, 3), (3, 1), 2, np.s_[:, 1])
    edges = None, 0, 1, 4, 5, -1, -4, -5
    for size, *bounds, stride, offset, place in drawn(
        random,
        size=(0, 1, 2, 5),
        start=(*edges, -(2**40)),
        stop=(*edges, 2**40),
        step=(None, 1, 2, 3, 7, 2**40),
        stride=(0, 1, 6, 99),
        offset=(0, 3),
        place=range(5),
    ):
        index = PLACES[place](slice(*bounds))
        x = (3, size, 2), (1, stride, 600), offset
        yield "any start and stop", call(*x, index)
    for index in [(), (1,), np.s_[1:2,]]:
        yield "fewer items", call(*CUBE, index)
    yield "fewer items", call(*NONE, ())
    for index in np.s_[None, 1], np.s_[1, None, 1:4], np.s_[None, :, 2, None]:
        yield "None", call(*ROWS, index)
    yield "None", call(*NONE, (None,))
    for index in [(..., 1), (1, ..., 2), (0, ...), (0, 1, ..., 2), (...,)]:
        yield "...", call(*CUBE, index)
    yield "...", call(*CUBE, np.s_[..., None, 1:3])
    for index in [(4, 0), (0, -7), (0, 0, 0), (0, ..., 0, 0), (6,)]:
        yield "errors", call(*ROWS, index)
    yield "errors", call(*NONE, (0,))
    for step in [0, -1]:
        yield "errors", call(*ROWS, np.s_[0:4:step, 1])
    shape = many(random)
    for shape, strides, offset, index in [
        (*contiguous(shape)[:2], 0, np.s_[0, ..., None, -1:]),
        (LARGE, (3, 1), 3, np.s_[7:-7:3, -1]),
        (*contiguous(HUGE)[:2], 3, np.s_[7:-7:3, 9:-9:2, -1]),
    ]:
        yield "any sizes", numbers_only(shape, strides, offset, index, least=LEAST)
    for size, start, stop, step in drawn(
        random,
        size=(2**53 + 1, 2**62 - 1),
        start=(None, 1, -(2**53), 2**52 + 1),
        stop=(None, -1, 2**53, 2**63),
        step=(1, 3, 7, 2**26 + 1, 2**53, 2**62),
    ):
        one = (size,), (1,), 5, (slice(start, stop, step),)
        yield "any sizes", numbers_only(*one, least=LEAST)


def reference(shape, strides, offset, index):
    y = without_memory(shape, strides, offset)[index]
    return tuple(y.shape), y.stride(), y.storage_offset()


def compare(got, expected, case):
    """Without elements no cell is read: the offset has no meaning."""
    return (
        isinstance(got, tuple)
        and len(got) == 3
        and same(got[0], expected[0])
        and same_strides(got[1], expected[1], expected[0])
        and type(got[2]) is int
        and (0 in expected[0] or got[2] == expected[2])
    )


def picture(case, expected, got):
    return compared(cells(*case.args[:3]), cells(*expected), cells(*got))


check = Check(
    slice_view,
    cases=cases,
    reference=reference,
    compare=compare,
    picture=picture,
    not_tested="two `...`, and masks and arrays as items: the contract has none",
)
