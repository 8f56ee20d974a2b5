"""Kernels that are compiled for a type T and an operation OP: their launches."""

import math

import numpy as np

from grading.exercise import Launch, arrays, distinct

from .. import strided

DTYPES = {"float": "float32", "double": "float64", "int": "int32",
          "long": "int64"}  # fmt: skip
INT, LONG = 2**31, 2**63
INFINITE = [np.nan, np.inf, -np.inf, 0, -0.0, 1, -1]
NUMBERS = {  # T: numbers that another type, or their difference, does not tell apart
    "float": [*INFINITE, -1.6e38, 1.6e38, 1 + 2**-23, 2**24],
    "double": [*INFINITE, -8e307, 8e307, 1 + 2**-52, 2**53],
    "int": [-INT, 1 - INT, INT - 1, INT - 2, 0, 1, -1, 2**24, 2**24 + 1],
    "long": [-LONG, 1 - LONG, LONG - 1, LONG - 2, 0, INT, -1 - INT, 2**53, 2**53 + 1],
}
APART = {"p": 10_000, "q": 20_000}  # p and q differ everywhere


def launch(random, shape, views, op, T="float", n=None, **known):  # noqa: N803
    """Of inputs with these strides; `known`: their values, by name."""
    n = math.prod(shape) if n is None else n
    args = []
    for name, strides in zip("abpq" if views[1:] else "x", views, strict=False):
        x = distinct(random, strided.cells(shape, strides), dtype=DTYPES[T])
        x += x.dtype.type(APART.get(name, 0))
        args += [known.get(name, x), strided.struct(shape, strides)]
    args += [strided.output(shape, DTYPES[T]), np.int32(n)]
    options = f"-DT={T}", f"-DOP={op}"
    return Launch(*strided.cover(n), tuple(args), options=options)


def all_pairs(random, op, T, count=2):  # noqa: N803
    """Of each of T's numbers with each; those after the first two are counted on."""
    x = np.array(NUMBERS[T], DTYPES[T])
    views = [(1, 0), (0, 1), *[(len(x), 1)] * (count - 2)]
    return launch(random, (len(x), len(x)), views, op, T, a=x, b=x)


def operation(launch):
    return launch.options[1].removeprefix("-DOP=")


def tolerance(y):
    """exp to 2 units, and three more roundings; a GPU may round tiny ones to 0."""
    info = np.finfo(y.dtype if y.dtype.kind == "f" else np.float32)
    return 8 * info.eps, info.tiny


rounded = arrays(tolerance=tolerance)
