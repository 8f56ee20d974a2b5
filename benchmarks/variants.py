"""Variants of a kernel to launch, and what that takes: arrays and views."""

import dataclasses
import functools
import itertools

import numpy as np

from minigrad.kernel import Kernel
from minigrad.launch import file_text

FIELDS = [("dims", "i4"), ("shape", "i8", 8), ("stride", "i8", 8)]
STRIDES = np.dtype(FIELDS, align=True)
FAMILIES, SEEDS = {}, itertools.count()


@dataclasses.dataclass
class Variant:
    """One row: a kernel, and how to launch it. `scale` is its share of the work."""

    name: str
    launch: object
    scale: float = 1


@dataclasses.dataclass
class Family:
    """A table: `torch()` does what the variants do; `result()` is what they write."""

    title: str
    torch: object
    result: object
    variants: list
    nbytes: float = 0
    flops: float = 0
    near: float = 0  # of the difference, over the largest expected number
    after: str = ""


def family(make):
    FAMILIES[make.__name__] = make
    return make


# ---------------------------------------------------------------- launching


@functools.cache
def kernel(stem, name, prelude=""):
    return Kernel(prelude + file_text(f"{stem}.cu"), name)


def variant(stem, name, grid, block, *args, prelude="", how=""):
    """A Variant of one launch; `how` tells it from others of the same kernel."""
    one = kernel(stem, name, prelude)
    return Variant(name + how, lambda: one(grid, block, args))


def two_stages(stem, name, first, second):
    """A Variant of two launches, each (grid, block, args); the second joins blocks."""
    one = kernel(stem, name)

    def launch():
        one(*first)
        one(*second)

    return Variant(f"{name}, two launches", launch)


def view(shape, stride):
    """The struct Strides."""
    struct = np.zeros((), STRIDES)
    struct["dims"] = len(shape)
    struct["shape"][: len(shape)], struct["stride"][: len(shape)] = shape, stride
    return struct[()]


def blocks(n, size):
    return -(-n // size)


def numbers(*shape):
    import cupy

    state = cupy.random.RandomState(next(SEEDS))
    return state.standard_normal(shape, dtype=np.float32)


def empty(*shape, dtype=np.float32):
    import cupy

    return cupy.empty(shape, dtype)


def tickets(count):
    """What a kernel counts with whose last block adds up the parts of all."""
    import cupy

    return cupy.zeros(count, np.uint32)


def of_torch(array):
    """The same memory as a torch tensor."""
    import torch

    return torch.as_tensor(array, device="cuda")


def empty_of_torch(*shape):
    import torch

    return torch.empty(shape, device="cuda")
