"""What tests of checks share: subjects, and a verdict on an answer that is given."""

import pytest

from grading.checking.answers import Rewritten, Specimen
from grading.checking.check import judge
from grading.checking.runner import LocalSubject, serve
from grading.isolation.replies import WireSubject
from minigrad.exercises.registry import exercises


def by_bytes():
    """A subject behind bytes, as one in another process is."""
    local = LocalSubject()

    def reply(request):
        local.outside = subject.outside
        return serve(local, request)

    subject = WireSubject(reply)
    return subject


SUBJECTS = {"local": LocalSubject, "bytes": by_bytes}


@pytest.fixture(name="subject", params=SUBJECTS)
def a_subject(request):
    return SUBJECTS[request.param]()


@pytest.fixture(autouse=True)
def unanswered():
    """Every test starts, and leaves, with no exercise answered."""
    before = [(e.exercise, e.exercise.answer, e.exercise._run) for e in exercises()]
    put((exercise, None, None) for exercise, _, _ in before)
    yield
    put(before)


def put(answers):
    """Give exercises their answers. Where none is new, no plan is lost."""
    for exercise, answer, run in answers:
        if exercise.answer is not answer or exercise._run is not run:
            exercise.answer, exercise._run = answer, run


def strides_of(shape):
    """A right answer of contiguous_strides."""
    steps = [1]
    for size in shape[:0:-1]:
        steps.append(steps[-1] * max(size, 1))
    return tuple(reversed(steps))[-len(shape) :] if shape else ()


def verdict_on(exercise, answer, subject=None, seed=0, exam=None):
    with Specimen(exercise, answer, None, "test").in_place():
        return judge(exercise, subject or LocalSubject(), seed, exam)


def replaced(*pairs):
    """The course's solution with words replaced: (old, new), one after the other."""

    def change(text):
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        return text

    return Rewritten(change, str(pairs))


def of_shape(body):
    """A function of `shape`, as contiguous_strides needs it."""

    def answer(shape):
        return body(shape)

    return answer
