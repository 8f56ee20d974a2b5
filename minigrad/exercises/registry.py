"""Exercises: how one is declared, and how a learner's answer takes its place.

An exercise is a signature and a docstring that is a complete specification; an answer
is an ordinary function (or, for a kernel, a CUDA C text):

    @exercise(points=1)                        # in the library
    def contiguous_strides(shape): '''...'''

    @solves(contiguous_strides)                # in the lab
    def contiguous_strides(shape): return ...

The exercise itself holds the answer, so code that imported it uses the new one at once.
 `solves` returns the exercise: a cell can be run again as often as one likes.
"""

import contextlib
import difflib
import re
import sys
from typing import NamedTuple

from .. import plan_cache
from .errors import CircularAnswers, NotAnswered, WrongAnswerType
from .exercise import (
    LEVELS,
    Answer,
    CppExercise,
    Exercise,
    KernelExercise,
    isolated,
    kind,
)
from .order import ORDER
from .source import Source, running

__all__ = [
    "Answer",
    "CircularAnswers",
    "CppExercise",
    "Entry",
    "Exercise",
    "KernelExercise",
    "NotAnswered",
    "Source",
    "WrongAnswerType",
    "collecting",
    "cpp_exercise",
    "exercise",
    "exercises",
    "find",
    "following",
    "isolated",
    "kernel_exercise",
    "running",
    "solves",
]

_exercises = {}  # name -> Exercise
_collected = None  # {exercise: answer} while `collecting`, else None


class Entry(NamedTuple):
    """One line of the course's list of exercises."""

    name: str
    chapter: str
    points: float
    exercise: Exercise


def exercise(*, points, stars=1, minutes=5, level=LEVELS[0]):
    """Make an exercise of a function, a method, or (under @staticmethod) a static one.

    points: what a correct answer earns. Its lab and number are its task's (order.py).
    stars: how hard it is, 1 to 3. level: how much it matters, one of LEVELS.
    """

    def make(spec):
        if isinstance(spec, staticmethod | classmethod):
            kind = type(spec).__name__
            raise TypeError(f"{spec.__name__}: put @{kind} above @exercise")
        return _register(Exercise(spec, points, stars, minutes, level))

    return make


def kernel_exercise(declaration, *, points, stars=1, minutes=5, level=LEVELS[0]):
    """Make an exercise of a kernel's comment and declaration, as in its `.cu` file."""
    module = sys._getframe(1).f_globals.get("__name__")
    return _register(KernelExercise(declaration, module, points, stars, minutes, level))


def cpp_exercise(declaration, *, points, stars=1, minutes=5, level=LEVELS[0]):
    """Make an exercise of the comment and declaration of a C++ function."""
    module = sys._getframe(1).f_globals.get("__name__")
    return _register(CppExercise(declaration, module, points, stars, minutes, level))


def solves(exercise):
    """Answer `exercise` by the function below (or a kernel's text); return it."""
    while not isinstance(exercise, Exercise) and hasattr(exercise, "__wrapped__"):
        exercise = exercise.__wrapped__  # another decorator stands above @solves
    if not isinstance(exercise, Exercise):
        raise WrongAnswerType(not_an_exercise(exercise, "@solves"))

    def fill(answer):
        if _collected is None:
            exercise.fill(answer)
        else:
            _collected[exercise] = answer
        return exercise

    return fill


def exercises():
    """Every exercise in course order, as (name, chapter, points, exercise)."""
    from .. import data, graph, training  # noqa: F401  with what loads at first use
    from ..jit import compiled  # noqa: F401
    from ..testing import verify  # noqa: F401

    return [
        Entry(name, chapter, _exercises[name].points, _exercises[name])
        for chapter, names in ORDER.items()
        for name in names
        if name in _exercises
    ]


def find(name):
    """The exercise of a name, "permute", or a number, "03.4"."""
    if name in _exercises:  # without loading any
        return _exercises[name]
    every = {e.exercise.number: e.exercise for e in exercises()} | _exercises
    if name in every:
        return every[name]
    names = {name: name for name in every}
    raise LookupError(f"no exercise is called {name!r}.{_meant(name, names)}")


def following(exercise):
    """The next exercise of the same lab; None after the last."""
    names = ORDER[exercise.chapter]
    after = names[names.index(exercise.name) + 1 :]
    return find(after[0]) if after else None


@contextlib.contextmanager
def collecting():
    """Gather what `solves` is given, without filling any exercise."""
    global _collected
    before, _collected = _collected, {}
    try:
        yield _collected
    finally:
        _collected = before


def _register(exercise):
    old = _exercises.get(exercise.name)
    if old and (old.__module__, old.__qualname__) == (
        exercise.__module__,
        exercise.__qualname__,
    ):
        # Its module was reloaded: keep the object that others have imported.
        exercise.answer, exercise.reference, exercise._run = (
            old.answer,
            old.reference,
            old._run,
        )
        exercise.refused = old.refused
        old.__dict__.update(exercise.__dict__)
        plan_cache.clear()
        return old
    if old:
        raise ValueError(
            f"two exercises are called {exercise.name}: in {old.__module__} and in "
            f"{exercise.__module__}: a name is used once only"
        )
    return _exercises.setdefault(exercise.name, exercise)


def not_an_exercise(thing, where):
    """What to say when `where` was given a thing that is no exercise."""
    names = _written()
    if isinstance(thing, str):
        return (
            f'{where} takes the exercise itself, not its name as text: got "{thing}".'
            f"{_meant(thing, names)}"
        )
    name = getattr(thing, "__name__", None)
    if name in names:
        return _uncovered(thing, names[name], where)
    return (
        f"{where} takes an exercise of the course by its name alone, as in "
        f"{where}({next(iter(names.values()))}), not {kind(thing)}."
        f"{_meant(name, names) if name else ''} The exercises are "
        f"{', '.join(names.values())}."
    )


def _uncovered(function, exercise, where):
    """The same of a function that has the exercise's name, but no @solves(...)."""
    bound = getattr(function, "__globals__", {}).get(function.__name__)
    if where == "@solves" and bound is not function:  # it is being defined right now
        return f"@solves must say which exercise it solves: write @solves({exercise})."
    return (
        f"{where}: {function.__name__} is an ordinary function here, no longer the "
        f"exercise: a cell without @solves defined it anew. Write @solves({exercise}) "
        f"above its def, run the set-up cell again, then the cell of the answer."
    )


def _written():
    """{name: how a notebook writes it}: {"permute": "Tensor.permute"}."""
    return {entry.name: entry.exercise.__qualname__ for entry in exercises()}


def _meant(name, names):
    short = re.sub(r".*\.(?=\D)", "", name)  # permute of Tensor.permute
    close = difflib.get_close_matches(short, names, n=1)
    return f" Did you mean {names[close[0]]}?" if close else ""
