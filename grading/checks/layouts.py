"""The inputs that checks share: layouts of every kind, listed and drawn at random.

Shapes, strides and offsets are numbers: no answer needs memory for the elements, and
none may ask NumPy, which knows 64 dimensions at most.
"""

import torch

from grading.exercise import Check, Model, Raises, View

CUBE = View((2, 3, 4), (12, 4, 1))
TRANSPOSED = View((4, 3), (1, 4))
STEPPED = View((2, 3), (16, 2), 5)  # every second column, from cell 5 on
REPEATED = View((3, 4), (1, 0), 2)  # every element of a row is the same cell
EMPTY = View((2, 0, 3), (3, 3, 1))
SINGLE = View((3, 1, 2), (2, 2, 1), 1)
SCALAR = View((), (), 3)
BIG = View((60, 100), (100, 1))
LARGE = (200_000, 3)  # elements that take more memory than numbers do
HUGE = (31, 2**35 - 1, 2**20 + 1)  # even its strides no float or int32 counts


def _no_tuple(check, x, *numbers):
    """What a method gives that takes its numbers one by one alone."""
    if isinstance(numbers[0], tuple):
        return Raises("TypeError", "")
    return check.expected(x, *numbers)


ONE_TUPLE = Model(_no_tuple)


class LayoutCheck(Check):
    """A function of sizes, strides and offsets. least: its arguments for one element.

    Cases of LARGE and HUGE come last: where elements are listed, nothing more is run.
    """

    scene = "numbers_alone"

    def asked(self, args):
        return [{"scene": self.scene, "least": self.least}, *args]


def many(random):
    """A shape of more dimensions than arrays have."""
    few = [1] * 56 + [2] * 6 + [3] * 6
    return 2, *random.sample(few, len(few)), 3


def random_shape(random, dims=(1, 4)):
    """Distinct sizes, so that no order of them looks like another."""
    return tuple(random.sample(range(2, 8), random.randint(*dims)))


def random_view(random, dims=(2, 4)):
    """A view with an offset, its dimensions in any order, some with a step of 2."""
    shape, cells = random_shape(random, dims), 1
    strides = [0] * len(shape)
    for d in random.sample(range(len(shape)), len(shape)):
        step = random.choice([1, 2])
        strides[d] = cells * step
        cells *= shape[d] * step
    return View(shape, tuple(strides), random.randint(1, 9))


def views(random):
    """Views of two dimensions and more, listed ones and some at random."""
    return TRANSPOSED, STEPPED, REPEATED, BIG, *(random_view(random) for _ in range(4))


def without_memory(shape, strides, offset=0):
    """PyTorch's tensor of these numbers, which holds no elements."""
    sides = zip(shape, strides, strict=True)
    cells = offset + 1 + sum(max(n - 1, 0) * stride for n, stride in sides)
    return torch.empty(cells, device="meta").as_strided(shape, strides, offset)


def contiguous(shape):
    return View(shape, torch.empty(shape, device="meta").stride())


def fresh(random, dims):
    """A tensor as it is made."""
    return contiguous(random_shape(random, dims))


def shuffled(random, shape):
    """An order of the dimensions, other than the one they have."""
    order = list(range(len(shape)))
    while order == sorted(order):
        random.shuffle(order)
    return order
