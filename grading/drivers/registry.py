"""Scenes: calls of an answer that take more than plain values.

Modules, nodes of graphs and optimisers never cross the wire. A check describes a scene
in plain values, {"scene": "linear", ...}, as the first argument of a call. It is played
on the learner's side, with minigrad's own objects, and what came of it goes back as
plain values. A scene knows nothing of what is right.
"""

import functools

import minigrad
from minigrad.exercises.registry import kind

from ..isolation.codec import NotPlain
from .guards import Watched

SCENES = {}


def scene(function=None, *, changes=()):
    """Register a scene under its function's name. ValueError: another one has it.

    changes: the arguments that the hole may change.
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
        raise NotPlain(f"{what} is wanted, not {kind(value)}")
    return value


def place(function):
    """Where a function is written: file and line."""
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def played(hole, arguments, earlier):
    """Call a hole; or play the scene that the first argument describes.

    earlier: the memory of earlier results, see Watched. Operators are recorded,
    whatever an answer before has left behind.
    """
    first = arguments[0] if arguments else None
    with minigrad.enable_grad():
        if not isinstance(first, dict) or "scene" not in first:
            return Watched(hole, earlier)(*arguments)
        described = {k: v for k, v in first.items() if k != "scene"}
        play = SCENES[first["scene"]]
        watched = Watched(hole, earlier, play.changes)
        return play(watched, *arguments[1:], **described)
