"""Drivers: calls of an answer that take more than plain values.

Modules, nodes of graphs, and optimizers never cross between processes. A driver makes
them where the answer is, calls it, and returns plain values, best a dict of facts. A
check names it, or a case does, `drive(nodes, ...)`. Its arguments cross as plain
values, and tensors are made of what describes them. A driver doesn't know what is
right.

    @driver
    def with_gradients(library, answer, *tensors): ...

is written once for both libraries: it is played with minigrad and the answer, and with
PyTorch and the reference. What needs minigrad itself is a `@scene`, without `library`:
it is played with the answer alone, and the reference gets the case's arguments, and of
its options those that it names.

What an answer may reach by message alone, and the check looks at afterwards (a GPU
whose kernels take known times), is a case's `outside`: see stand_ins.py.
"""

import functools
import inspect

import numpy as np

import minigrad
from minigrad.exercises.registry import kind

from ..isolation.codec import NotPlain
from .guards import Watched

SCENES = {}
PLAYED_BY = {}  # driver of both libraries -> how it is played with PyTorch


def driver(function=None, *, changes=()):
    """Register driver(library, answer, *args, **options) under its name.

    changes: the arguments that the answer may change.
    """
    if function is None:
        return functools.partial(driver, changes=changes)

    @functools.wraps(function)
    def play(exercise, *args, **options):
        from .graphs import Minigrad

        return function(Minigrad, exercise, *args, **options)

    def with_pytorch(reference, *args, **options):
        return function(pytorch(), reference, *args, **options)

    scene(play, changes=changes)
    PLAYED_BY[function] = with_pytorch
    return function


@functools.cache
def pytorch():
    """What drivers need of PyTorch; only the process that judges calls this."""
    import torch

    from . import scenarios

    return scenarios.library_of(torch, lambda x: np.array(x.detach().numpy()))


def scene(function=None, *, changes=()):
    """Register a scene under its function's name. ValueError: another one has it.

    changes: the arguments that the exercise may change.
    The same text again, as in a module that is reloaded, takes the place of the first.
    """
    if function is None:
        return functools.partial(scene, changes=changes)
    function.changes = changes
    name = function.__name__
    before = SCENES.setdefault(name, function)
    if place(before) != place(function):
        raise ValueError(
            f"two scenes are called {name}: {place(before)} and {place(function)}. A "
            "check asks for a scene by its name alone: give one of them another name."
        )
    SCENES[name] = function
    return function


def wanted(value, type_, what):
    """A value, if it has this type; NotPlain for any other."""
    if not isinstance(value, type_):
        said = f"{what[0].upper()}{what[1:]} is wanted, not {kind(value)}."
        if value is None:
            said += " Does every path end in `return`?"
            if issubclass(list, type_):
                said += (
                    " `reverse()`, `sort()`, and `append()` return None, because they "
                    "change the list itself."
                )
        raise NotPlain(said)
    return value


def place(function):
    """Where a function is written: file and line."""
    code = inspect.unwrap(function).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def played(exercise, arguments, earlier):
    """Call an exercise; or play the scene that the first argument describes.

    earlier: the memory of earlier results, see Watched. Operators are recorded,
    whatever an answer before has left behind.
    """
    first = arguments[0] if arguments else None
    with minigrad.enable_grad():
        if not isinstance(first, dict) or "scene" not in first:
            return Watched(exercise, earlier)(*arguments)
        described = {k: v for k, v in first.items() if k != "scene"}
        play = SCENES[first["scene"]]
        watched = Watched(exercise, earlier, play.changes)
        return play(watched, *arguments[1:], **described)


@scene
def plain_call(exercise, *arguments, **options):
    """A call with options by name."""
    return exercise(*arguments, **options)
