"""Which machine-made wrong answers the checks reject."""

import collections
import concurrent.futures
import functools
import os
import random
from typing import NamedTuple

from minigrad.exercises.hole import KernelExercise
from minigrad.exercises.registry import find

from ..checking import find_check
from ..mistakes import Specimen
from ..subject import LocalSubject
from . import damage, nvrtc
from .edits import edits, solution

REJECTED, SURVIVED = "rejected", "survived"
SAME, IDLE = "same program", "nothing to change"  # what is not counted


class Found(NamedTuple):
    """What came of an edit."""

    hole: str
    kind: str
    title: str
    state: str


def draw(names, seed=0, sample=None):
    """[(exercise, number of an edit, seed)]; sample: how many of each at most."""
    work = []
    for name in names:
        numbers = range(len(edits(find(name))))
        if sample is not None and sample < len(numbers):
            numbers = random.Random(f"{name} {seed}").sample(numbers, sample)
        work += [(name, number, seed) for number in numbers]
    return work


def audit(work):
    """Yield what comes of each edit that was drawn."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(_tried, *zip(*work, strict=True), chunksize=4)


def _tried(name, number, seed):
    hole = find(name)
    edit = _edits(name)[number]
    return Found(name, edit.kind, edit.title, state_of(hole, edit, seed))


@functools.cache
def _edits(name):
    return edits(find(name))


def state_of(hole, edit, seed=0):
    """REJECTED, SURVIVED, or why an edit does not count."""
    damage.touched = False
    try:
        specimen = Specimen(hole, edit.made(hole), None, "")
        hole.fits(specimen.given)
    except Exception:  # the cell does not run, or is no answer
        return REJECTED
    with specimen.in_place():
        if not find_check(hole).passes(LocalSubject(), seed):
            return REJECTED
    if edit.is_idle_if_untouched and not damage.touched:
        return IDLE
    if isinstance(hole, KernelExercise) and is_same(hole, edit):
        return SAME
    return SURVIVED


def is_same(hole, edit):
    """Does NVRTC make the same program of the edited kernel?"""
    if nvrtc.missing():
        return False
    before, after = solution(hole), edit.made(hole)
    try:
        return nvrtc.ptx(before) == nvrtc.ptx(after)
    except ValueError:  # the text waits for a macro
        return False


def table(found):
    """{exercise: (mutants, killed, not counted, survivors)}"""
    rows = collections.defaultdict(collections.Counter)
    for one in found:
        rows[one.hole][one.state] += 1
    return {
        name: (row.total(), row[REJECTED], row[SAME] + row[IDLE], row[SURVIVED])
        for name, row in rows.items()
    }
