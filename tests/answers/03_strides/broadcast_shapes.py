"""Answers of broadcast_shapes by other algorithms."""

import itertools

from minigrad.layout import broadcast_shapes
from tools.audit.specimens import answer


@answer(broadcast_shapes, right="by zip_longest and sets")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        kinds = set(sizes) - {1} or {1}
        if len(kinds) > 1:
            raise RuntimeError(f"{kinds} do not fit")
        result = [*kinds, *result]
    return tuple(result)


@answer(broadcast_shapes, right="two shapes at a time, filled up with 1")
def _(*shapes):
    result = ()
    for shape in shapes:
        ndim = max(len(result), len(shape))
        a, b = ((1,) * (ndim - len(s)) + tuple(s) for s in (result, shape))
        if any(m != n and 1 not in (m, n) for m, n in zip(a, b)):
            raise RuntimeError(f"{a} and {b} do not fit")
        result = tuple(n if m == 1 else m for m, n in zip(a, b))
    return result
