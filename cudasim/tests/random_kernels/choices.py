"""Choices from a seed, and what is made of them: expressions, variables, a program."""

import dataclasses
import random
from typing import NamedTuple

import numpy as np

from .types import PRIMARY, THREAD, Type


class Choices:
    """Numbers from a seed, or from a list and then zeros; `made` lists them.

    parts: (begin, end, simplest) of what can be taken out of the list and replaced.
    """

    def __init__(self, seed=0, replay=None):
        self.random, self.replay = random.Random(seed), replay
        self.made, self.parts = [], []

    def below(self, n):
        if self.replay is None:
            value = self.random.randrange(n)
        else:
            at = len(self.made)
            value = self.replay[at] % n if at < len(self.replay) else 0
        self.made.append(value)
        return value

    def part(self, begin, simplest=()):
        """What was made since `begin` is a part."""
        self.parts.append((begin, len(self.made), list(simplest)))

    def chance(self, percent):
        return self.below(100) >= 100 - percent

    def pick(self, options):
        return options[self.below(len(options))]


class Expr(NamedTuple):
    text: str
    type: Type
    level: int = PRIMARY

    def at(self, level):
        """The text, in brackets where it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


@dataclasses.dataclass(eq=False)
class Var:
    """A variable, element or member in scope.

    base: the object that it is part of. level: the threads for which it is the same.
    dims: of an array. solid: it has a second name. mode: of a shared array, what the
    threads do with it since the last barrier: "own", "read", or an atomic operation.
    """

    name: str
    type: Type
    base: str
    level: int = THREAD
    writable: bool = True
    dims: tuple = ()
    solid: bool = False
    shared: bool = False
    mode: str = ""


@dataclasses.dataclass
class Function:
    name: str
    result: Type
    parameters: list  # of (type, is it a reference)


@dataclasses.dataclass
class Program:
    """A kernel and how to launch it."""

    source: str
    grid: tuple
    block: tuple
    shared_mem: int
    parameters: list  # of (name, dtype, count or None for a scalar)
    seed: int
    choices: list
    parts: list
    name: str = "kernel"

    def arguments(self):
        """Fresh arguments, always the same."""
        chance = np.random.default_rng(self.seed)
        return tuple(data(chance, dtype, n) for _, dtype, n in self.parameters)


def data(chance, dtype, count):
    """Numbers of all sizes, and those at the edges."""
    dtype = np.dtype(dtype)
    if dtype.names:
        out = np.zeros(count or 1, dtype)
        for name in dtype.names:
            field = out[name]
            field[...] = data(chance, field.dtype, field.size).reshape(field.shape)
    else:
        out = numbers(chance, dtype, count or 1)
    return out if count else out[0]


def numbers(chance, dtype, count):
    small = chance.integers(0, 2 if dtype.kind == "b" else 10, count)
    if dtype.kind == "b":
        return small.astype(dtype)
    if dtype.kind == "f":
        edges = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40, 0.1, 3e9, -1e20]
        wide = chance.standard_normal(count) * 10.0 ** chance.integers(-3, 4, count)
        signed = -small
    else:
        limits = np.iinfo(dtype)
        edges = [limits.min, limits.max, 0, 1, limits.max - 1, limits.max // 2]
        wide = chance.integers(limits.min, limits.max, count, dtype, endpoint=True)
        signed = -small if limits.min else small
    kinds = [small, signed, wide, chance.choice(np.array(edges, dtype), count)]
    which = chance.choice(4, count, p=[0.3, 0.2, 0.4, 0.1])
    return np.choose(which, [k.astype(dtype) for k in kinds])
