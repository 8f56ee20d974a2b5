"""Checks of functions of tensors, whose results have gradients of their own."""

import numpy as np
import torch

from grading.checking.describe import Filled
from grading.checking.pairwise import pairwise
from grading.drivers.graphs import with_gradients
from grading.exercise import Check, call, close

from ..gradients import diagnose, quarters
from .inputs import drawn, vjp


def filled(random, *shape):
    """A tensor of numbers that are drawn."""
    return Filled(drawn(random, *shape))


def of_shape(function, dy, shape):
    """The gradient of function(x), for an x of a shape where it does not matter."""
    return vjp(function, dy, torch.zeros(shape, dtype=dy.dtype))[0]


def changed(change, case, most=None):
    """A case with change(array) for the array of each tensor, or of the first ones."""
    few, rest = case.args[:most], case.args[len(case.args[:most]) :]
    few = [Filled(np.asarray(change(x.values))) if isinstance(x, Filled) else x
           for x in few]  # fmt: skip
    return call(*few, *rest)


def strided(x):
    """The same numbers, not contiguous, from the middle of a larger memory."""
    room = np.full([2 * n + 1 for n in x.shape[::-1]], np.nan, x.dtype)
    view = room.T[(..., *[slice(1, None, 2)] * x.ndim)]
    view[...] = x
    return view


def special(x):
    """The same numbers, but for NaN and both infinities in front."""
    x = np.array(x)
    x.flat[:4] = [np.nan, np.inf, -np.inf, -np.nan][: x.size]
    return x


def with_specials(case):
    return changed(special, case)


def tensor_check(exercise, doubles, *, specials=with_specials, **how):
    """The check of a function of tensors. doubles(random): cases in double.

    They come in float32 and float16, too, and not contiguous; the first of them with
    NaN and infinities by specials(case), and once more with other numbers, for nothing
    is kept between calls. how: the rest of what a Check gets.
    """

    def cases(random):
        known = [*doubles(random)]
        yield from known
        part, first = known[0]
        some = [first, *(case for _, case in random.sample(known, min(len(known), 8)))]
        dtypes = {"any strides": np.array, "float32": np.float32, "float16": quarters}
        laid_out = {"row by row": 0, "strided": None, "dy strided": 1}
        for row in pairwise(random, case=some, dtype=[*dtypes], strides=[*laid_out]):
            if row["dtype"] == "any strides" and row["strides"] == "row by row":
                row["strides"] = "strided"
            case = changed(dtypes[row["dtype"]], row["case"])
            yield row["dtype"], changed(strided, case, laid_out[row["strides"]])
        yield "NaN and infinity", specials(first)
        yield next(doubles(random))

    how = {"compare": close(), "driver": with_gradients, "diagnose": diagnose} | how
    return Check(exercise, cases=cases, **how)
