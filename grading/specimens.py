"""Wrong answers that the checks must reject, and right ones that they must accept.

In `mutants/NN_name.py`:

    @mutant(contiguous_strides, "column_major")    # the cause that the check must name
    def _(shape): ...

    @right(contiguous_strides, "by recursion")     # another style, all points
    def _(shape): ...
"""

import contextlib
from typing import NamedTuple

from minigrad.exercises.registry import Exercise, exercises, solves

from .checking import load


class Specimen(NamedTuple):
    hole: Exercise
    answer: object
    cause: str | None  # None: a right answer
    title: str

    def __str__(self):
        return f"{self.hole.name}-{self.title}".replace(" ", "_")

    @contextlib.contextmanager
    def in_place(self):
        """Let this be the answer, for as long as it lasts."""
        hole = self.hole
        before = hole.answer, hole._run
        try:
            solves(hole)(self.answer)
            yield self
        finally:
            hole.answer, hole._run = before


_specimens = []


def mutant(hole, cause, title=None):
    """Say that the function below is a wrong answer; the check must say `cause`."""
    return _specimen(hole, cause, title or cause)


def right(hole, style):
    """Say that the function below is a right answer in another style."""
    return _specimen(hole, None, f"right {style}")


def specimens(chapter=None):
    """Every specimen of a chapter, or of the course."""
    names = {e.chapter for e in exercises()} if chapter is None else {chapter}
    for name in sorted(names):
        load("mutants", name)
    return [s for s in _specimens if s.hole.chapter in names]


def _specimen(hole, cause, title):
    def keep(answer):
        _specimens.append(Specimen(hole, answer, cause, title))
        return answer

    return keep
