"""Checks of formulas, functions of arrays: PyTorch's gradients are the reference."""

import numpy as np
import torch

from grading.drivers.graphs import arrays
from grading.exercise import Check, call, close

from .inputs import drawn, vjp

NAN, INF = float("nan"), float("inf")
BROADCAST, SPECIAL = "shapes that are broadcast", "NaN and infinity"
TURNED = "arrays in any layout"


def of(random, *args):
    """A call with arrays in double: a tuple is a shape, whose numbers are drawn."""
    arrays = (drawn(random, *x) if isinstance(x, tuple) else x for x in args)
    return call(
        *(x if isinstance(x, float) else np.array(x, np.float64) for x in arrays)
    )


def gradient(function, dy, *inputs, of=0):
    """The gradient of function(*inputs) by one of them, in dy's shape and dtype."""
    inputs = [np.broadcast_to(x, dy.shape) for x in inputs]
    dy64, *tensors = (torch.tensor(np.array(x, np.float64)) for x in (dy, *inputs))
    return vjp(function, dy64, *tensors)[of].detach().numpy().astype(dy.dtype)


def of_dtype(x, dtype):
    """An array in a dtype; a number as it is."""
    with np.errstate(over="ignore"):
        return x.astype(dtype) if isinstance(x, np.ndarray) else x


def turned(random, args):
    """The same arrays, of which all, one, or all but one lie column by column."""
    columns = [np.asfortranarray(x) if np.ndim(x) else x for x in args]
    one = random.randrange(len(args))
    yield columns
    yield [*args[:one], columns[one], *args[one + 1 :]]
    yield [*columns[:one], args[one], *columns[one + 1 :]]


def signed(x):
    """The same, but each NaN has the other sign, and each 0."""
    return np.where(np.isnan(x) | (x == 0), np.negative(x), x)


def diagnose(got, expected, case):
    if not isinstance(got, np.ndarray | float):
        return None
    if np.shape(got) != expected.shape:
        return "shape", "The result has another shape than dy."
    if isinstance(got, float):  # an array without dimensions
        return ()
    if got.dtype != expected.dtype:
        return "dtype", f"The result is {got.dtype}. It must have the dtype of dy."
    return None


def formula_check(exercise, doubles, *, specials=(), **how):
    """The check of a function of arrays.

    doubles(random): cases in double. They come in float32 and float16, too; the first
    of them without elements, without dimensions, and with numbers that are nearly 0;
    matrices come column by column.
    specials: arguments with NaN and infinity, where all ways to write the formula
    agree; NaN comes with either sign. how: the rest of what a Check gets.
    """

    def cases(random):
        known = [*doubles(random)]
        yield from known
        dy, *inputs = first = known[0][1].args
        for dtype in np.float32, np.float16:
            for _, case in known:
                yield dtype.__name__, call(*(of_dtype(x, dtype) for x in case.args))
        for _, case in known:
            if case.args[0].ndim > 1:
                for args in turned(random, case.args):
                    yield TURNED, call(*args)
        yield "no elements", call(*(x[:0] for x in first))
        yield "no dimensions", call(*(np.array(x[1]) for x in first))
        yield "numbers that are nearly 0", call(dy, *(1e-9 * x for x in inputs))
        for special in specials:
            for dtype in np.float64, np.float32, np.float16:
                few = [of_dtype(x, dtype) for x in of(random, *special).args]
                yield SPECIAL, call(*few)
                yield SPECIAL, call(*map(signed, few))

    near = close(atol=1e-30, dtype=True)
    how = {"compare": near, "driver": arrays, "diagnose": diagnose} | how
    return Check(exercise, cases=cases, **how)
