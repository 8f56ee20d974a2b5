"""What the checks of kernels for any layout share: views, and launches."""

from itertools import product

import numpy as np
import torch

from grading.checking.pairwise import drawn
from grading.exercise import blank
from minigrad.kernels.copy import Strides

from .layouts import shuffled

SIZES = 64, 96, 1024, 33, 1  # of blocks
EIGHT = 2, 1, 3, 2, 2, 1, 2, 3  # sizes of as many dimensions as there may be


def permuted(random, shape):
    """The strides of a row-major tensor whose dimensions were put in another order."""
    order, strides = shuffled(random, shape), [0] * len(shape)
    steps = torch.empty([shape[d] for d in order]).stride()
    for d, step in zip(order, steps, strict=True):
        strides[d] = step
    return tuple(strides)


def broadcast(random, shape):
    """The strides of a tensor of which some dimensions are repeated."""
    sizes = [random.choice([1, n]) for n in shape]
    strides = permuted(random, sizes) if shape[1:] else (1,) * len(shape)
    return tuple(s * (n > 1) for s, n in zip(strides, sizes, strict=True))


def layouts(random):
    """(part, shape, strides) of views of every kind."""
    yield "any order of dimensions", (4, 3), (1, 4)
    yield "any order of dimensions", (5, 5), (1, 5)
    yield "any order of dimensions", (2, 3, 4), permuted(random, (2, 3, 4))
    yield "any order of dimensions", (2, 4, 3, 5), (60, 5, 20, 1)  # only in the middle
    yield "steps and gaps", (5, 3), (16, 2)
    for n in (31, 33, 257):
        yield "steps and gaps", (n,), (2,)
    yield "repeated elements", (3, 4), (1, 0)
    yield "repeated elements", (2, 5, 3), (0, 1, 0)
    yield "repeated elements", (2, 3, 4), (12, 0, 1)
    yield "repeated elements", (33,), (0,)
    yield "plain rows", (20, 13), (13, 1)
    for n in (1, 32, 256, 1000):
        yield "plain rows", (n,), (1,)
    yield "several blocks", (37, 29), (1, 37)
    yield "several blocks", (263, 250), permuted(random, (263, 250))
    yield "up to eight dimensions", EIGHT, permuted(random, EIGHT)
    yield "up to eight dimensions", (3, 2, 2, 3, 2), (1, 0, 3, 6, 18)
    yield "no dimensions", (), ()
    yield from mixed(random)


def mixed(random):
    """Layouts in which every two peculiarities meet, as layouts() yields them."""
    orders, gaps = ("row-major", "reversed", "shuffled"), (None, "inner", "outer")
    dims, ends = (2, 3, 8), (("repeated", 0), ("single", 0), ("repeated", -1))
    plain = [(random.choice(dims), *how, None) for how in product(orders, gaps)]
    odd = drawn(random, dims=dims, order=orders, gap=gaps, odd=(*ends, ("single", -1)))
    for count, order, gap, peculiar in [*plain, *odd]:
        shape = [random.randint(2, 6 if count < 4 else 3) for _ in range(count)]
        shape[4:] = [random.choice([1, 2]) for _ in shape[4:]]
        what, where = peculiar or ("", 0)
        shape[where] = 1 if what == "single" else shape[where]
        walk = [*range(count)] if order == "reversed" else [*reversed(range(count))]
        if order == "shuffled":
            random.shuffle(walk)
        strides, step = [0] * count, 1 + (gap == "inner")
        for n, d in enumerate(walk):
            strides[d] = step if shape[d] > 1 else random.randint(0, 99)
            step = step * shape[d] + 3 * (gap == "outer" and n == 0)
        strides[where] = 0 if what == "repeated" else strides[where]
        part = "steps and gaps" if gap else "any order of dimensions"
        part = "repeated elements" if what == "repeated" else part
        yield part, tuple(shape), tuple(strides)


def struct(shape, strides):
    """A struct Strides in which places past the last dimension hold anything."""
    view, dims = np.array(Strides(shape, strides)), len(shape)
    view["shape"][dims:], view["stride"][dims:] = 3, 1
    return view[()]


def cells(shape, strides):
    """How many cells it takes to read a view."""
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def cover(n):
    """One block too many, so that it always takes a guard."""
    size = SIZES[n % len(SIZES)]
    return n // size + 2, size


def read(x, view):
    """The tensor that an array, or a flat tensor, and a struct Strides mean."""
    dims = int(view["dims"])
    shape, strides = (view[key][:dims].tolist() for key in ("shape", "stride"))
    return torch.as_tensor(x).as_strided(shape, strides)


def output(shape, dtype="float32"):
    return blank(*(shape or (1,)), dtype=dtype)
