"""The inputs that this chapter's checks share: layouts, listed and drawn at random.

Shapes, strides and offsets are numbers: no answer needs memory for the elements, and
none may ask NumPy, which knows 64 dimensions at most.
"""

import torch

from grading.drivers.sizes import numbers_alone
from grading.exercise import Raises, View, drive

from ..layouts import contiguous, equal_sizes, random_shape, random_view, shuffled

__all__ = ["contiguous", "equal_sizes", "random_shape", "random_view", "shuffled"]

CUBE = View((2, 3, 4), (12, 4, 1))
TRANSPOSED = View((4, 3), (1, 4))
STEPPED = View((2, 3), (16, 2), 5)  # every second column, from cell 5 on
REPEATED = View((3, 4), (1, 0), 2)  # every element of a row is the same cell
EMPTY = View((2, 0, 3), (3, 3, 1))
SINGLE = View((3, 1, 2), (2, 2, 1), 1)
SCALAR = View((), (), 3)
BIG = View((60, 100), (100, 1))
EQUAL = View((3, 3, 3), (9, 3, 1))
LARGE = (200_000, 3)  # elements that take more memory than numbers do
HUGE = (31, 2**35 - 1, 2**20 + 1)  # even its strides no float or int32 counts
SMALL = [1] * 56 + [2] * 6 + [3] * 6  # sizes of more dimensions than arrays have


def numbers_only(*args, least):
    """A call with sizes of LARGE, HUGE or SMALL, which may not list the elements.

    least: the arguments for one element. After an answer that lists them, nothing more
    is run: these cases come last.
    """
    return drive(numbers_alone, *args, least=least)


def one_by_one(reference):
    """A model of a method that takes its numbers one by one, and no tuple."""

    def model(x, *numbers):
        if isinstance(numbers[0], tuple):
            return Raises("TypeError", "")
        return reference(x, *numbers)

    return model


def many(random):
    """A shape of more dimensions than arrays have."""
    return 2, *random.sample(SMALL, len(SMALL)), 3


def without_memory(shape, strides, offset=0):
    """PyTorch's tensor of these numbers, which holds no elements."""
    sides = zip(shape, strides, strict=True)
    cells = offset + 1 + sum(max(n - 1, 0) * stride for n, stride in sides)
    return torch.empty(cells, dtype=torch.int8, device="meta").as_strided(
        shape, strides, offset
    )


def fresh(random, dims):
    """A tensor as it is made."""
    return contiguous(random_shape(random, dims))


def views(random, dims=(2, 4)):
    """Views with an offset; sizes are all different in three, and all equal in two."""
    for sizes in [random_shape] * 3 + [equal_sizes] * 2:
        yield random_view(random, dims, sizes)
