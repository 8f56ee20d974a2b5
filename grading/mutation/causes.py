"""Whether the causes that checks name are true.

A wrong answer is judged by the cases of one seed. What is then said of it is true if
it holds in the cases of another seed, too: there, again, the mistake gives just what
the answer gives, or what was found is found.
"""

import collections
import concurrent.futures
import os
import random
from typing import NamedTuple

from minigrad.exercises.registry import find

from ..blame import holds
from ..checking import find_check, judge
from ..mistakes import Specimen, load, specimens
from ..subject import LocalSubject
from . import audit
from .edits import edits

TRUE, NONE, FALSE, LEFT_OUT = "true", "none", "false", "not rejected"
SEEDS = 5  # of which one must show again that the answer is wrong


class Named(NamedTuple):
    """What was said of a wrong answer."""

    hole: str
    title: str
    cause: str
    state: str


def draw(names, seed=0, sample=None):
    """[(exercise, number of an edit or title of a specimen, seed)] to be judged.

    sample: how many edits of each exercise at most, and as many specimens.
    """
    work = audit.draw(names, seed, sample)
    for name in names:
        titles = [s.title for s in specimens() if s.hole.name == name and s.cause]
        if sample is not None and sample < len(titles):
            titles = random.Random(f"{name} {seed}").sample(titles, sample)
        work += [(name, title, seed) for title in titles]
    return work


def causes(work):
    """Yield the Named of each wrong answer that was drawn."""
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(_named, *zip(*work, strict=True), chunksize=4)


def _named(name, which, seed):
    hole = find(name)
    load(hole)
    if isinstance(which, str):
        (specimen,) = (s for s in specimens() if (s.hole, s.title) == (hole, which))
    else:
        edit = edits(hole)[which]
        try:
            specimen = Specimen(hole, edit.made(hole), None, edit.title)
            hole.fits(specimen.given)
        except Exception:  # the cell does not run, or is no answer
            return Named(name, edit.title, "", LEFT_OUT)
    with specimen.in_place():
        cause = state_of(hole, seed)
    return Named(name, specimen.title, *cause)


def state_of(hole, seed):
    """(cause, state) of what is said of the hole's answer."""
    failures = judge(hole, LocalSubject(), seed).failures
    cause = failures[0].cause if failures else ""
    if cause in ("", "unknown"):
        return cause, NONE if failures else LEFT_OUT
    check = find_check(hole)
    for other in range(seed + 1, seed + 1 + SEEDS):
        tried = check.all_tried(LocalSubject(), other)
        if not all(case.right for case in tried):
            return cause, TRUE if holds(check, cause, tried) else FALSE
    return cause, TRUE  # it seldom shows, and was seen once


def totals(found):
    """{state: how many}, of each exercise."""
    rows = collections.defaultdict(collections.Counter)
    for one in found:
        rows[one.hole][one.state] += 1
    return rows
