"""Which machine-made wrong answers the checks reject."""

import functools
import random
from typing import NamedTuple

from cudasim import nvrtc
from grading.checking.check import find_check
from grading.checking.mistakes import read
from grading.checking.runner import LocalSubject
from minigrad import course
from minigrad.exercises.exercise import KernelExercise
from minigrad.exercises.registry import find
from tools.audit import cuda_edits, damage
from tools.audit.edits import edits, solution
from tools.audit.soundness import processes

REJECTED, SURVIVED, EQUIVALENT, STALE = "killed", "survived", "equivalent", "stale"
SAME = "NVIDIA's compiler makes the same program of it"
AS_GOOD = "a test that is changed, and still tells right from wrong, is a right answer"
IDLE = "no result or argument is there to be changed in this way"


EDITS = course.home() / "tools" / "audit" / "equivalents"


class Found(NamedTuple):
    """What came of an edit. reason: why it is no mistake.

    STALE: it is listed as no mistake, but the check rejects it.
    """

    exercise: str
    edit: str
    state: str
    reason: str = ""


def draw(names, seed=0, sample=None):
    """[(exercise, number of an edit, seed)]; sample: how many of each at most."""
    work = []
    for name in names:
        numbers = range(len(_edits(name)))
        work += [(name, n, seed) for n in sampled(name, numbers, seed, sample)]
    return work


def sampled(name, things, seed, sample):
    """So many of an exercise's things, drawn by the seed; None: all."""
    if sample is None or sample >= len(things):
        return things
    return random.Random(f"{name} {seed}").sample(things, sample)


def audit(work):
    """Yield what comes of each edit that was drawn."""
    yield from spread(_tried, work)


def spread(function, work, together=4):
    """Yield function(*one) of all work, (exercise, ...), done by several processes."""
    for name, *_ in work:
        find_check(find(name))  # what it imports, each process then has
    with processes() as pool:
        yield from pool.map(function, *zip(*work, strict=True), chunksize=together)


def equivalents(exercise):
    """[(edit, reason)] of those that are listed as no mistakes."""
    tables = read(EDITS / exercise.chapter / f"{exercise.name}.toml")
    return [(edit, one["reason"]) for one in tables.get("equivalent", ())
            for edit in one["edits"]]  # fmt: skip


def gone(names):
    """["exercise: edit"] of those that are listed as no mistakes and do not exist."""
    return [
        f"{name}: {listed}"
        for name in names
        for listed, _ in equivalents(find(name))
        if not any(edit.is_named(listed) for edit in _edits(name))
    ]


def _tried(name, number, seed):
    exercise, edit = find(name), _edits(name)[number]
    listed = [why for known, why in equivalents(exercise) if edit.is_named(known)]
    state, reason = state_of(exercise, edit, seed)
    if listed and state == REJECTED:  # once more: is it that the machine was busy?
        state, reason = state_of(exercise, edit, seed)
    if listed:
        state = STALE if state == REJECTED else EQUIVALENT
        reason = reason or listed[0]
    return Found(name, f"{edit.kind}: {edit.title}", state, reason)


@functools.cache
def _edits(name):
    return edits(find(name))


def state_of(exercise, edit, seed=0):
    """(REJECTED, SURVIVED or EQUIVALENT, why it is no mistake)"""
    damage.touched = False
    specimen = edit.specimen(exercise)
    if specimen is None:
        return REJECTED, ""
    with specimen.in_place():
        if not find_check(exercise).passes(LocalSubject(), seed):
            return REJECTED, ""
    if exercise.__module__.endswith("own_tests"):
        return EQUIVALENT, AS_GOOD
    if edit.is_idle_if_untouched and not damage.touched:
        return EQUIVALENT, IDLE
    if isinstance(exercise, KernelExercise):
        reason = SAME if is_same(exercise, edit) else cuda_edits.too_large(edit)
        return (EQUIVALENT, reason) if reason else (SURVIVED, "")
    return SURVIVED, ""


def is_same(exercise, edit):
    """Does NVRTC make the same program of the edited kernel?"""
    if nvrtc.missing():
        return False
    before, after = solution(exercise), edit.answer(exercise)
    try:
        return nvrtc.ptx(before) == nvrtc.ptx(after)
    except ValueError:  # the text waits for a macro
        return False
