"""Layouts that checks of several chapters draw at random."""

import torch

from grading.exercise import View


def random_shape(random, dims=(1, 4)):
    """Distinct sizes, so that no order of them looks like another."""
    return tuple(random.sample(range(2, 8), random.randint(*dims)))


def equal_sizes(random, dims=(2, 4)):
    """Sizes that are all equal, so that exchanged dimensions leave them as they are."""
    return (random.randint(2, 4),) * random.randint(*dims)


def random_view(random, dims=(2, 4), sizes=random_shape):
    """A view with an offset, its dimensions in any order, some with a step of 2."""
    shape, cells = sizes(random, dims), 1
    strides = [0] * len(shape)
    for d in random.sample(range(len(shape)), len(shape)):
        step = random.choice([1, 2])
        strides[d] = cells * step
        cells *= shape[d] * step
    return View(shape, tuple(strides), random.randint(1, 9))


def contiguous(shape):
    return View(shape, torch.empty(shape, device="meta").stride())


def shuffled(random, shape):
    """An order of the dimensions, other than the one they have."""
    order = list(range(len(shape)))
    while order == sorted(order):
        random.shuffle(order)
    return order
