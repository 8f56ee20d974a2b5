"""Chapter 03, broadcast_shapes: wrong answers that learners write, and right ones."""

import itertools

import numpy as np

from grading.specimens import mutant, right
from minigrad.layout import broadcast_shapes


@mutant(broadcast_shapes, "wrong_alignment")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*shapes, fillvalue=1):
        kinds = {n for n in sizes if n != 1}
        if len(kinds) > 1:
            raise RuntimeError("sizes do not fit")
        result.append(kinds.pop() if kinds else 1)
    return tuple(result)


@mutant(broadcast_shapes, "cut_off")
def _(*shapes):
    result = []
    for sizes in zip(*(shape[::-1] for shape in shapes)):
        kinds = {n for n in sizes if n != 1}
        if len(kinds) > 1:
            raise RuntimeError("sizes do not fit")
        result.append(kinds.pop() if kinds else 1)
    return tuple(result[::-1])


@mutant(broadcast_shapes, "greatest")
def _(*shapes):
    back = itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    return tuple(max(sizes) for sizes in back)[::-1]


@mutant(broadcast_shapes, "first_two")
def _(*shapes):
    try:
        return np.broadcast_shapes(*shapes[:2])
    except ValueError as error:
        raise RuntimeError(str(error)) from error


@mutant(broadcast_shapes, "zero_refused")
def _(*shapes):
    if any(n < 1 for shape in shapes for n in shape):
        raise RuntimeError("sizes are positive")
    return right_one(*shapes)


@mutant(broadcast_shapes, "wrong_error", "numpy's ValueError")
def _(*shapes):
    return np.broadcast_shapes(*shapes)


@mutant(broadcast_shapes, "no_error", "the last size that is not 1")
def _(*shapes):
    back = itertools.zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    return tuple(([1] + [n for n in sizes if n != 1])[-1] for sizes in back)[::-1]


@mutant(broadcast_shapes, "list", "a list")
def _(*shapes):
    return list(right_one(*shapes))


@mutant(broadcast_shapes, "none", "None where they do not fit")
def _(*shapes):
    if len(shapes) > 1:
        print(right_one(*shapes))
    else:
        return right_one(*shapes)


@mutant(broadcast_shapes, "unknown", "reversed")
def _(*shapes):
    return right_one(*shapes)[::-1]


@mutant(broadcast_shapes, "unknown", "the longest shape")
def _(*shapes):
    longest = max(shapes, key=len, default=())
    right_one(*shapes)
    return longest


@mutant(broadcast_shapes, "raised", "none at all")
def _(*shapes):
    first, *rest = shapes
    return right_one(first, *rest)


def right_one(*shapes):
    """The right answer, by NumPy's, with PyTorch's error."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise RuntimeError(str(error)) from error


@right(broadcast_shapes, "by numpy")
def _(*shapes):
    return right_one(*shapes)


@right(broadcast_shapes, "by zip_longest and sets")
def _(*shapes):
    result = []
    for sizes in itertools.zip_longest(*map(reversed, shapes), fillvalue=1):
        kinds = set(sizes) - {1} or {1}
        if len(kinds) > 1:
            raise RuntimeError(f"{kinds} do not fit")
        result = [*kinds, *result]
    return tuple(result)


@right(broadcast_shapes, "two at a time")
def _(*shapes):
    result = ()
    for shape in shapes:
        n = max(len(result), len(shape))
        a = (1,) * (n - len(result)) + result
        b = (1,) * (n - len(shape)) + tuple(shape)
        if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
            raise RuntimeError("do not fit")
        result = tuple(y if x == 1 else x for x, y in zip(a, b))
    return result
