"""The shape of tensors that are broadcast together."""

import itertools

from grading.exercise import mistakes, right
from minigrad.layout import broadcast_shapes

mistakes(broadcast_shapes)("""
wrong_alignment: the shapes are lined up at the first dimension: they belong at the last
> shape[-back] -> shape[back - 1]
& result[-back] -> result[back - 1]
cut_off: dimensions that only the longer shape has are left out: zip stops early
> max((len( -> min((len(
& range(1, len(shape) + 1) -> range(1, ndim + 1)
greatest: the greater size is not always right: 3 and 4 do not fit, 1 and 0 give 0
> if size == 1 -> if size <= result[-back]
& result[-back] not in (1, size) -> False
zero_refused: size 0 is a size like any other: 1 and 0 fit, and give 0
> result[-back] not in (1, size) -> size < 1 or result[-back] not in (1, size)
wrong_error:
> RuntimeError -> ValueError
equivalent: [1] * -1 is [], as [1] * 0 is
> off by one: ndim = max((len(shape) for shape in shapes), default=0) -> ndim =
    max((len(shape) for shape in shapes), default=(-1))
equivalent: which of the sizes comes first does not matter: all that are not 1 must be
    equal
> order: for
""")


@right(broadcast_shapes, "by zip_longest and sets")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        kinds = set(sizes) - {1} or {1}
        if len(kinds) > 1:
            raise RuntimeError(f"{kinds} do not fit")
        result = [*kinds, *result]
    return tuple(result)


@right(broadcast_shapes, "two shapes at a time, filled up with 1")
def _(*shapes):
    result = ()
    for shape in shapes:
        ndim = max(len(result), len(shape))
        a, b = ((1,) * (ndim - len(s)) + tuple(s) for s in (result, shape))
        if any(m != n and 1 not in (m, n) for m, n in zip(a, b)):
            raise RuntimeError(f"{a} and {b} do not fit")
        result = tuple(n if m == 1 else m for m, n in zip(a, b))
    return result
