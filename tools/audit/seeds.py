"""Whether the course's solutions are right in the cases of every seed."""

from grading.checking.answers import Specimen
from grading.checking.check import find_check
from grading.checking.runner import LocalSubject
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import find
from tools.audit.mutants import spread

MOST = 25  # that one process tries at a time


def draw(names, count):
    """[(exercise, seeds)] of `count` seeds each, in pieces."""
    return [
        (name, range(first, min(first + MOST, count)))
        for name in names
        for first in range(0, count, MOST)
    ]


def tried(work):
    """Yield (exercise, the seeds that refuse its solution) of each piece."""
    yield from spread(refused, work, together=1)


def refused(name, seeds):
    exercise = find(name)
    load_references(exercise.chapter)
    with Specimen(
        exercise, exercise.reference, None, "the course's solution"
    ).in_place():
        return name, find_check(exercise).refusing(LocalSubject(), seeds)
