"""A specimen as the cell in which a learner would have written it."""

import builtins
import inspect
import textwrap
import types

import minigrad
from grading.checking.answers import solved_by
from grading.checking.candidate_texts import text_of
from grading.checking.runner import names_in
from minigrad import course
from minigrad.exercises.cells import (
    answered_in,
    bound_by,
    cells_of,
    is_setup,
    statements,
)
from minigrad.exercises.exercise import Exercise, KernelExercise

EXERCISE = "from minigrad.exercises.registry import find as _find; {} = _find({!r})"


class NoText(ValueError):
    """It needs what no cell can have, such as PyTorch."""


def as_cell(specimen):
    """The text of its cell; NoText."""
    exercise, given = specimen.exercise, specimen.given
    text = text_of(exercise, given)
    if not isinstance(given, types.FunctionType):
        if isinstance(exercise, KernelExercise) and answered_in(text) is None:
            return f'{solved_by(exercise)}(r"""{text}""")'
        return text
    known = {*vars(builtins), *_set_up(exercise.chapter)}
    lines = [*_needed(given, known), text]
    name = "answer" if given.__name__ == "<lambda>" else given.__name__
    if hasattr(given, "__signature__"):  # which is not that of its text
        called = ", ".join(inspect.signature(given).parameters)
        lines.append(f"def signed({called}):\n    return {name}({called})")
        name = "signed"
    if given.__closure__:  # its names are its own, among many cells
        inner = textwrap.indent("\n\n".join([*lines, f"return {name}"]), "    ")
        lines, name = [f"def made():\n{inner}"], "made()"
    return "\n\n".join([*lines, f"{solved_by(exercise).removeprefix('@')}({name})"])


def _set_up(chapter):
    """The names that a lab's set-up gives."""
    (setup,) = (c for c in cells_of(course.solution(chapter)) if is_setup(c.text))
    return {name for node in statements(setup) for name in bound_by(node)}


def _needed(function, known):
    """What defines the names that a function uses and a lab does not have."""
    closure = inspect.getclosurevars(function).nonlocals
    names = names_in(function.__code__, "LOAD_GLOBAL")
    values = {n: function.__globals__.get(n) for n in names}
    lines = []
    for name, value in {**values, **closure}.items():
        if name not in closure and name in known or value is function:
            continue
        lines += [line for line in _definition(name, value, known) if line not in lines]
    return lines


def _is_exercise(value):
    return isinstance(value, Exercise)


def _definition(name, value, known):
    module = getattr(value, "__module__", None) or ""
    if _is_exercise(value):
        return [EXERCISE.format(name, value.name)]
    if isinstance(value, types.ModuleType):
        module = value.__name__
    if module.partition(".")[0] == "torch" or value is None:
        raise NoText(f"{name} is PyTorch's, or not there")
    if isinstance(value, types.ModuleType):
        return [f"import {module}" + (f" as {name}" if name != module else "")]
    of_the_course = module.startswith(("grading.", "answers."))
    if isinstance(value, types.FunctionType) and of_the_course:
        called = "answer" if value.__name__ == "<lambda>" else value.__name__
        renamed = [f"{name} = {called}"] if called != name else []
        return [*_needed(value, known), text_of(None, value), *renamed]
    if getattr(minigrad, name, None) is value:
        return [f"from minigrad import {name}"]
    if module and hasattr(value, "__qualname__"):
        return [f"from {module} import {value.__qualname__} as {name}"]
    return [f"{name} = {value!r}"]
