"""Answers every exercise of minigrad by the course's solution, for one file of tests.

In a package whose functions are written out there are no exercises, and nothing to do.
"""

import pytest

import minigrad
from minigrad import plan_cache
from minigrad.exercises import registry


@pytest.fixture(scope="module", autouse=True)
def filled():
    exercises = [entry.exercise for entry in registry.exercises()]
    before = [dict(vars(exercise)) for exercise in exercises]
    minigrad.answers_from("solutions")
    yield
    for exercise, state in zip(exercises, before, strict=True):
        vars(exercise).update(state)
    plan_cache.clear()
