"""A learner's own test, and the candidates that it is given: answers of an exercise.

In a notebook they come as text. Where a submission is graded, they are in the process
of the references, so the test calls them by message.
"""

import ast
import contextlib
import functools
import sys
import types

import numpy as np

import minigrad
from minigrad.exercises.answers import load_references
from minigrad.exercises.exercise import KernelExercise
from minigrad.exercises.registry import collecting, find
from minigrad.kernel import Kernel

from ..kernels import remote_launch
from . import reference_calls
from .failures import failed
from .guards import unwatched
from .reference_calls import CANDIDATE
from .registry import scene


class Candidate:
    """A kernel to be launched, as minigrad.Kernel is, and to be checked."""

    def __init__(self, kernel):
        self._check, self._launch = unwatched(kernel.check), unwatched(kernel.__call__)

    def check(self, grid, block, args, shared_mem=0, **how):
        return remote_launch.without_text(
            self._check(grid, block, args, shared_mem, **how)
        )

    def __call__(self, grid, block, args, shared_mem=0):
        with remote_launch.telling_no_text():
            self._launch(grid, block, args, shared_mem)


@scene
def own_test(answer, of, text, options, seed):
    """Does a test pass the answer of `of` that has this text? Not by chance."""
    minigrad.manual_seed(seed)
    try:
        with defined_anew(answer._exercise):
            result = answer(candidate(find(of), text, options))
    except AssertionError as error:
        return failed(error, answer._exercise.answer.value)
    returns = isinstance(result, bool | np.bool_)
    return "passes" + f", and returns {bool(result)}" * returns


@unwatched
def candidate(exercise, text, options):
    """The answer that a text is, to be called."""
    if text is None:
        return elsewhere(exercise, options)
    if isinstance(exercise, KernelExercise):
        return Candidate(Kernel(text, exercise.name, options))
    if exercise.course_answer() is None:
        load_references(exercise.chapter)
    names = {**exercise.course_answer().__globals__}
    with collecting() as answers:
        exec(compiled(text, f"<{exercise.name}>", "exec"), names)
    return answers.get(exercise) or names[defined_last(text)]


def elsewhere(exercise, options):
    """The candidate that the process of the references has."""
    course = reference_calls.connected
    if isinstance(exercise, KernelExercise):
        text = remote_launch.Declared(course, exercise, CANDIDATE)
        return Candidate(Kernel(text, exercise.name, options))
    return reference_calls.candidate()


compiled = functools.lru_cache(64)(compile)  # the same text comes again and again


def defined_last(text):
    """The name of the function at the end of a text; else that of a lambda."""
    last = ast.parse(text).body[-1]
    return last.name if isinstance(last, ast.FunctionDef) else "answer"


@contextlib.contextmanager
def defined_anew(exercise):
    """Let an answer know nothing of its earlier calls, as far as that can be.

    Its own functions and containers are others meanwhile. A process of its own does
    more, where it is graded.
    """
    before = exercise._run
    exercise._run = _anew(before, {})
    try:
        yield
    finally:
        exercise._run = before


def _anew(value, copies):
    """A copy of a notebook's function or container. known: those that there are."""
    if id(value) in copies:
        return copies[id(value)]
    if type(value) in (np.ndarray, bytearray):
        copy = value.copy()
    elif type(value) in (list, set):
        copy = copies[id(value)] = type(value)()
        add = copy.append if type(value) is list else copy.add
        for item in value:
            add(_anew(item, copies))
    elif type(value) is dict:
        copy = copies[id(value)] = {}
        copy.update((key, _anew(item, copies)) for key, item in value.items())
    elif isinstance(value, types.FunctionType) and not _is_installed(value):
        copy = _function_anew(value, copies)
    else:
        return value
    return copies.setdefault(id(value), copy)


def _function_anew(function, copies):
    code, space = function.__code__, function.__globals__
    anew = copies.get(id(space))
    if anew is None:
        anew = copies[id(space)] = {**space}
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    copy = types.FunctionType(code, anew, function.__name__, None, cells)
    copies[id(function)] = copy
    for cell, old in zip(cells, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty one
            cell.cell_contents = _anew(old.cell_contents, copies)
    copy.__defaults__ = _anew_all(function.__defaults__, copies)
    copy.__kwdefaults__ = _anew(function.__kwdefaults__, copies)
    copy.__dict__.update(_anew(function.__dict__, copies))
    for name in _names_in(code):
        if name in space and anew[name] is space[name]:
            anew[name] = _anew(space[name], copies)
    return copy


def _names_in(code):
    """The names that a function's code, or code inside of it, may look up."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names_in(inner)


def _anew_all(values, copies):
    return values and tuple(_anew(value, copies) for value in values)


def _is_installed(function):
    """Is it a library's function, and not a notebook's?"""
    return function.__module__ in sys.modules and function.__module__ != "__main__"
