"""Every wrong and every right answer that is written beside the checks, graded.

They go the way of a student's: as cells, in a process of their own, behind bytes. The
nth answers of all exercises of a chapter are one submission, so that a process serves
many; and an exercise is judged in all of them before the next, so that what its
mistakes give is worked out once.
"""

import collections
import concurrent.futures
import contextlib
import math
import os
from typing import NamedTuple

from grading.checking.check import find_check
from grading.classroom.judging import verdict_on
from grading.isolation import sandbox
from grading.processes.process import ProcessSubject
from minigrad import course
from minigrad.exercises.cells import answered_in, cells_of
from minigrad.exercises.registry import find
from tools.audit import pages
from tools.audit.specimens import specimens_of
from tools.audit.to_cell import NoText, as_cell

WRONG, RIGHT = "wrong", "right"
AT_ONCE = 8  # processes of a chapter
COLUMNS = "exercise", "wrong", "rejected", "cause named", "right", "accepted"
PAGE = course.home() / "docs" / "soundness.md"
ODD = "## Not as they should be"
HEAD = """# Correct and wrong answers, graded

Each check has a list of mistakes that learners make, and of correct answers in other
styles. `python -m tools.audit soundness --write` graded all of them like a student's
cells, in separate processes, and wrote this page. If you name exercises or chapters
before `--write`, it renews only their rows. tests/chapters/test_checks.py also tries
each solution in two to six styles made by machine, with other names, helpers, and
loops.

**{said}**

The people who wrote the checks also wrote these answers. So this page shows that
nothing got worse, but not how good a check is. For that, people who saw only the
contracts wrote others in November 2026, in four rounds, and after each round we fixed
what they had found, and similar cases. Of 730 wrong answers in the first round, 65
(8.9 %) earned every point, then 16 of 219 (7.3 %), 17 of 315 (5.4 %), and in the last
round 2 of 155 (1.3 %). Of their correct answers, 6 of 244, 2 of 77, none of 98, and 1
of 53 lost points.
"""


class Judged(NamedTuple):
    """What became of an answer. well: rejected with its cause named, or accepted."""

    exercise: str
    title: str
    kind: str
    caught: bool  # a wrong answer is rejected, or a right one accepted
    named: bool
    said: str

    @property
    def well(self):
        return self.caught and self.named


def count(names):
    return sum(len(specimens_of(find(name))) for name in names)


def audit(names, seed=0):
    """Yield a Judged for each answer of these exercises, chapter by chapter."""
    chapters = collections.defaultdict(list)
    for name in names:
        find_check(find(name))  # what it imports, each process then has
        chapters[find(name).chapter].append(name)
    with processes() as pool:
        work = [pool.submit(_chapter, *item, seed) for item in chapters.items()]
        for one in concurrent.futures.as_completed(work):
            yield from one.result()


def processes():
    """One for each core. A fork cannot use the threads that PyTorch has begun here."""
    import torch

    one_thread = {"initializer": torch.set_num_threads, "initargs": (1,)}
    return concurrent.futures.ProcessPoolExecutor(os.cpu_count(), **one_thread)


def _chapter(chapter, names, seed):
    """The Judgeds of a chapter's exercises."""
    rows = {name: specimens_of(find(name)) for name in names}
    outcomes, most = [], max(map(len, rows.values()))
    for first in range(0, most, AT_ONCE):
        some = {name: row[first : first + AT_ONCE] for name, row in rows.items()}
        outcomes += _together(chapter, some, seed)
    return outcomes


def _together(chapter, rows, seed):
    """Judge some answers of each exercise, the nth of all in the nth process."""
    unsafe = bool(sandbox.why_not())  # all of it is the course's own
    with contextlib.ExitStack() as stack:
        sent = []
        for n in range(max(map(len, rows.values()))):
            cells, unsent = _cells(chapter, rows, n)
            subject = ProcessSubject("x", cells, chapter, (), unsafe, math.inf)
            sent.append((stack.enter_context(subject), unsent))
        return [
            _judged(specimen, subject, unsent.get(name), seed)
            for name, row in rows.items()
            for specimen, (subject, unsent) in zip(row, sent, strict=False)
        ]


def _cells(chapter, rows, n):
    """(the cells of the nth submission, {exercise: why its answer is no cell})."""
    texts, unsent = {}, {}
    for name, row in rows.items():
        try:
            texts[name] = as_cell(row[n]) if n < len(row) else ""
        except NoText as error:
            unsent[name] = str(error)
    cells = cells_of(course.solution(chapter))
    return [(c.id, texts.get(answered_in(c.text), c.text)) for c in cells], unsent


def _judged(specimen, subject, unsent, seed):
    exercise, kind = specimen.exercise, WRONG if specimen.cause else RIGHT
    if unsent:
        return Judged(exercise.name, specimen.title, kind, False, False, unsent)
    verdict = verdict_on(exercise, subject, seed)
    full = verdict.points == exercise.points
    cause = verdict.failures[0].cause if verdict.failures else None
    said = "\n".join([verdict.summary, *(str(f) for f in verdict.failures)])
    named = cause == specimen.cause
    return Judged(
        exercise.name, specimen.title, kind, full == (kind == RIGHT), named, said
    )


def table(outcomes, before=""):
    """Rows of COLUMNS, the sums first; before: the page, whose other rows are kept."""

    def numbers(of):
        wrong = [one for one in of if one.kind == WRONG]
        right = [one for one in of if one.kind == RIGHT]
        named = sum(one.well for one in wrong)
        caught, accepted = (sum(one.caught for one in some) for some in (wrong, right))
        return len(wrong), caught, named, len(right), accepted

    return pages.table(outcomes, numbers, before)


def summary(rows):
    """What came of it, in a sentence."""
    _, wrong, rejected, named, right, accepted = rows[0]
    return (
        f"Of {wrong} wrong answers, {rejected} are rejected ({rejected / wrong:.1%}), "
        f"and {named} get their true cause. Of {right} correct answers, "
        f"{right - accepted} are rejected."
    )


def page(outcomes, before=""):
    """docs/soundness.md, where the rows of other exercises stay as they were before."""
    rows, anew = table(outcomes, before), {one.exercise for one in outcomes}
    odd = [line for line in before.partition(f"{ODD}\n\n")[2].splitlines()
           if line[2:].split(",")[0] not in anew]  # fmt: skip
    odd += [f"- {one.exercise}, {one.title}: {one.said.splitlines()[0]}"
            for one in outcomes if not one.well]  # fmt: skip
    tail = ["", ODD, "", *odd] if odd else []
    head = HEAD.format(said=summary(rows))
    return "\n".join([head, *pages.lines(COLUMNS, rows), *tail]) + "\n"
