"""Empties every exercise for each test of a file, and undoes what the test did."""

import pytest

from minigrad import plan_cache, solves
from minigrad.exercises import answers
from minigrad.exercises import registry as ex
from minigrad.exercises.registry import WrongAnswerType


@pytest.fixture(autouse=True)
def nothing_answered(monkeypatch):
    ex.exercises()  # loads what has exercises and is not loaded yet
    monkeypatch.setattr(ex, "_exercises", dict(ex._exercises))
    monkeypatch.setattr(answers, "_filled", {})
    before = {exercise: dict(vars(exercise)) for *_, exercise in ex.exercises()}
    for exercise in before:
        exercise.answer = exercise.reference = exercise._run = None
    yield
    for exercise, state in before.items():
        vars(exercise).clear()
        vars(exercise).update(state)
    plan_cache.clear()


def filled(where, before=None):
    """Call answers_from; return how many exercises have an answer then."""
    answers.answers_from(where, before)
    return sum(entry.exercise.answer is not None for entry in ex.exercises())


def refusal(exercise, answer):
    """What is said about an answer that does not fit."""
    with pytest.raises(WrongAnswerType) as caught:
        solves(exercise)(answer)
    assert exercise.answer is None
    return str(caught.value)


def written(folder, body):
    """A function in a file, so that its text can be found."""
    path = folder / "cell.py"
    text = f"def offset_of(index, strides, offset=0):\n    # YOUR CODE HERE\n{body}"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return names["offset_of"]


def fits(exercise, value):
    """An answer of offset_of, or else of index_of, that returns `value`."""
    if exercise.name == "offset_of":
        return lambda index, strides, offset=0: value
    return lambda position, shape: value
