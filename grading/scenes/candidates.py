"""A learner's own test, and the candidates that it is given: answers of an exercise.

They come as text, so that a test on the other side of the wire meets what the check
means. Of a kernel the test gets the launches alone, not the text.
"""

import ast

import minigrad
from minigrad.exercises.answers import load_references
from minigrad.exercises.hole import KernelExercise
from minigrad.exercises.registry import collecting, find
from minigrad.kernel import Kernel

from ..watch import unwatched
from .registry import scene


class Candidate:
    """A kernel to be launched, as minigrad.Kernel is, and to be checked."""

    def __init__(self, *given):
        kernel = Kernel(*given)
        self.check, self._launch = unwatched(kernel.check), unwatched(kernel.__call__)

    def __call__(self, grid, block, args, shared_mem=0):
        self._launch(grid, block, args, shared_mem)


@scene
def own_test(answer, of, text, options):
    """Does a test pass the answer of `of` that has this text? Not by chance."""
    minigrad.manual_seed(0)
    try:
        answer(candidate(find(of), text, options))
    except AssertionError as error:
        return f"fails: {error}"
    return "passes"


@unwatched
def candidate(hole, text, options):
    """The answer that a text is, to be called."""
    if isinstance(hole, KernelExercise):
        return Candidate(text, hole.name, options)
    if hole.course_answer() is None:
        load_references(hole.chapter)
    names = {**hole.course_answer().__globals__}
    with collecting() as found:
        exec(compile(text, f"<{hole.name}>", "exec"), names)
    last = ast.parse(text).body[-1]
    name = last.name if isinstance(last, ast.FunctionDef) else "answer"
    return found.get(hole) or names[name]
