"""Whether the course's solutions are right in the cases of every seed."""

import concurrent.futures
import os

from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import find

from .checking import find_check
from .mistakes import Specimen
from .subject import LocalSubject

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
    for name, _ in work:
        find_check(find(name))  # what it imports, each process then has
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(refused, *zip(*work, strict=True))


def refused(name, seeds):
    hole = find(name)
    load_references(hole.chapter)
    with Specimen(hole, hole.reference, None, "the course's solution").in_place():
        return name, find_check(hole).refusing(LocalSubject(), seeds)
