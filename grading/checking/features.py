"""What can be said of a case's arguments, and which of it goes with being wrong."""

import inspect
import math
from typing import NamedTuple

import numpy as np

from ..kernels.runs import Launch, names, outputs
from .describe import Filled

FEW = 3  # wrong cases, and right ones, that make a rule


class View(NamedTuple):
    """A tensor among a case's arguments: how to read a storage of 0, 1, 2, ..."""

    shape: tuple
    strides: tuple
    offset: int = 0

    @property
    def cells(self):
        """The storage's size: enough for most wrong ways to read it, too."""
        longest = max(self.shape, default=1)
        return self.offset + sum(self.strides) * max(longest - 1, 0) + 5


def common(exercise, tried, plain):
    """What is true of each wrong case and of no right one, in words; "" for nothing.

    That all but the empty or trivial cases are wrong is no rule that helps anyone.
    plain: are the cases plain calls, whose arguments have the exercise's names?
    """
    wrong = [[*_facts(exercise, case.args, plain)] for case in tried if not case.right]
    right = [[*_facts(exercise, case.args, plain)] for case in tried if case.right]
    full = sum("where a size is 0" not in facts for facts in right)
    if min(len(wrong), full) < FEW:
        return ""
    here = set.intersection(*map(set, wrong)).difference(*right)
    return next((fact for fact in wrong[0] if fact in here), "")


def leaves(value, name=""):
    """Yield (name, value) of all that is no collection among arguments."""
    value = getattr(value, "args", value)  # a Launch's
    value = value.values if isinstance(value, Filled) else value
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from leaves(inside, key if isinstance(key, str) else "")
    elif isinstance(value, list | tuple) and not isinstance(value, View):
        for inside in value:  # not each part is what all of it is called
            if type(inside) in (int, float, str):
                yield "", inside
            else:
                yield from leaves(inside)
    else:
        yield name, value


def sizes_of(args):
    """(elements of each tensor, the other numbers) among a case's arguments."""
    elements, numbers = [], []
    for _, value in leaves(args):
        if isinstance(value, View | np.ndarray):
            elements.append(math.prod(value.shape))
        elif isinstance(value, int | float | np.number) and math.isfinite(value):
            numbers.append(float(value))
    return elements, numbers


def _facts(exercise, args, plain):
    """Yield what is true of a case's arguments, as it follows "only"."""
    function = getattr(exercise, "__wrapped__", None)
    known = [*inspect.signature(function).parameters] if function else []
    if args and isinstance(args[0], Launch):
        yield from _of_launch(args[0])
        given = zip(names(exercise), args[0].args, strict=True)
        given = [(n, a) for n, a in given if n not in outputs(exercise)]
        given.sort(key=lambda one: np.ndim(one[1]) > 0)  # sizes say more
    elif plain:
        given = zip(known, args, strict=False)
    else:  # of a scene, what has the name of one of the exercise's parameters
        given = [pair for a in args for pair in
                 (a.items() if isinstance(a, dict) else [("", a)])]  # fmt: skip
        given = [(name if name in known else "", value) for name, value in given]
    for name, value in given:
        if name and isinstance(value, list | tuple) and not isinstance(value, View):
            yield from _of_sequence(name, value, sizes=plain)
        for inner, leaf in leaves(value, name):
            if isinstance(leaf, View | np.ndarray):
                yield from _of_tensor(leaf)
            elif inner and inner in (name, *known):
                yield from _of_value(inner, leaf)


def _of_launch(launch):
    blocks, block = math.prod(launch.grid), math.prod(launch.block)
    yield "with one block" if blocks == 1 else "with more than one block"
    yield f"with {'one warp' if block <= 32 else 'several warps'} in a block"
    yield f"where a block has {'no' if block % 32 else 'a'} multiple of 32 threads"
    yield from (f"with blocks of {n} threads and more" for n in (64, 128, 256, 512)
                if block >= n)  # fmt: skip
    yield from (f"compiled with {option}" for option in launch.options)


def _of_tensor(tensor):
    shape, count = tensor.shape, math.prod(tensor.shape)
    if not count:
        yield "where a size is 0"
    if 1 in shape:
        yield "where a size is 1"
    if not shape:
        yield "without dimensions"
    yield from (f"with {n} dimensions or more" for n in range(2, len(shape) + 1))
    yield from (f"with {n} dimensions or fewer" for n in range(len(shape), 5))
    if isinstance(tensor, View):
        steps = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        same = all(a == b or n == 1 for a, b, n in
                   zip(tensor.strides, steps, shape, strict=True))  # fmt: skip
        yield f"where the view is {'' if same or not count else 'not '}contiguous"
        yield f"where the offset is {'not ' * bool(tensor.offset)}0"
    elif tensor.dtype.kind in "fiub":
        yield f"in {tensor.dtype}"
        yield from _of_numbers(tensor)


def _of_numbers(array):
    if np.isnan(array).any():
        yield "with NaN"
    if np.isinf(array).any():
        yield "with inf"
    finite = array[np.isfinite(array)]
    if (finite < 0).any():
        yield "with negative numbers"
    if (finite == 0).any():
        yield "with zeros"


def _of_sequence(name, items, sizes):
    """sizes: do ints stand for sizes or dimensions, not for whatever a scene has?"""
    if not items:
        yield f"where {name} is empty"
    if sizes and all(type(item) is int for item in items):
        if 0 in items:
            yield f"where {name} has a 0"
        if any(n < 0 for n in items):
            yield f"where {name} has a negative number"
    yield from (f"with {n} or more in {name}" for n in range(2, len(items) + 1))


def _of_value(name, value):
    if value is None or isinstance(value, bool | str):
        yield f"where {name} is {value!r}"
    elif isinstance(value, int | float | np.number):
        if not value:
            yield f"where {name} is 0"
        if value < 0:
            yield f"where {name} is negative"
        yield f"where {name} is {'above' if value > 1 else 'at most'} 1"
