"""Judging the answers of a submission: its cells go in, verdicts come out."""

import functools
import secrets
from dataclasses import replace
from pathlib import Path

from minigrad import course
from minigrad.exercises.answers import exercises_of
from minigrad.exercises.cells import answered_in, cells_of, is_setup

from ..checking.check import find_check, judge
from ..checking.verdict import NOT_GRADED, Failure, Verdict, plural
from ..isolation.sandbox import NoIsolation
from ..processes.process import TRIES, Gone, ProcessSubject
from . import repair, submission
from .files import digest, fingerprint

CHECKS = Path(__file__).parent.parent / "checks"
BROKEN = "crashed", "timed out"
EXAMS = 32  # that are kept; one of kernels that add millions of numbers has 40 MB
UNSAFE = "graded with --unsafe: without a box, so the submission could do anything"

seed_of_all = None  # by which this process judges: None for one of each submission


class GraderError(RuntimeError):
    """The grader would not give a right answer its points: nothing may be graded."""


def judged(lab, cells, names=None, files=(), unsafe=False, examined=False):
    """(verdicts on a lab's exercises, warnings), where the grader is found in order.

    cells: (id, text) of those to run. names: of some exercises only. files: (name,
    text) of the modules beside the notebook. unsafe: without a box. examined: whoever
    asks examines the grader, and takes no verdict before that went well.
    """
    if not examined:
        in_order(lab, unsafe)
    verdicts, warnings = run(lab, cells, names, files, unsafe)
    if any(verdict.state in BROKEN for verdict in verdicts):
        examine(lab, unsafe)  # or was it the grader?
    return verdicts, warnings + [UNSAFE] * unsafe


def known(cells, result):
    """A `judged` that has the result of these cells, which were judged elsewhere."""
    return lambda lab, own, **how: result if own == cells else judged(lab, own, **how)


def submitted(root, student, lab):
    """The cells to run of a submission, as they are when nbgrader grades it."""
    nb = submission.taken(root, student, lab).nb
    return students_cells(nb, repair.released(root, lab))


def run(lab, cells, names=None, files=(), unsafe=False):
    """(verdicts, warnings) of a process that runs the cells."""
    exercises = [h for h in exercises_of(lab) if names is None or h.name in names]
    with ProcessSubject("submission.ipynb", cells, lab, files, unsafe) as subject:
        verdicts = [verdict_on(exercise, subject) for exercise in exercises]
        circles = circular(subject)
    texts, warnings, failing = dict(cells), [], {}
    for id, problem in subject.problems.items():
        begin = texts[id].strip().partition("\n")[0]
        warnings.append(f'the cell that begins "{begin[:60]}": {problem}')
        failing[id] = problem  # that of an answer is its exercise's name
    verdicts = [_in_circle(v, circles.get(v.name)) for v in verdicts]
    return [_with_reason(v, failing.get(v.name)) for v in verdicts], warnings


def circular(subject):
    """{name: names} of answers that are right only while references end their circle.

    Each needs the others, and with the student's own ones it isn't right any more.
    """
    subject.note_uses()
    return {
        name: sorted(n for n in needed(name, subject.uses)
                     if name in needed(n, subject.uses))
        for name in subject.wrong_with_own
        if name in needed(name, subject.uses)
    }  # fmt: skip


def needed(name, uses):
    """The names that an answer calls, and those that these call, and so on."""
    names, waiting = set(), {*uses[name]}
    while waiting:
        names |= waiting
        waiting = set().union(*(uses[n] for n in waiting)) - names
    return names


def _in_circle(verdict, names):
    """The verdict; 0 points for an answer of a circle."""
    if not names:
        return verdict
    said = f"{' and '.join(names)} only call each other"
    points = plural(verdict.max_points)
    summary = f"{verdict.name}: 0 of {points} · wrong: {said}"
    text = "  cause     " + said + ". Write one of them without the others."
    failures = [Failure("circular", text)]
    return replace(verdict, points=0, state="wrong", summary=summary, failures=failures)


def examine(lab, unsafe=False):
    """Raise GraderError unless the course's own solution earns everything just now."""
    for verdict in run(lab, cells_of(course.solution(lab)), unsafe=unsafe)[0]:
        if verdict.points != verdict.max_points and verdict.state not in NOT_GRADED:
            raise GraderError(
                f"the course's own solution is not found right, so nothing can be "
                f"graded now: {verdict.summary}"
            )


in_order = functools.cache(examine)  # once for each lab, before the first submission


@functools.cache
def checks_here():
    """A fingerprint of the checks that this program runs, and of their mistakes."""
    files = [p for kind in ("*.py", "*.toml") for p in CHECKS.rglob(kind)]
    return digest("".join(map(fingerprint, sorted(files))).encode())


def students_cells(nb, released):
    """(id, text) of the cells to run: the set-up, the answers, the student's own.

    Not the checks, nor what the repair has put in, nor the lab's own examples.
    """
    examples = {
        cell.source for cell in released.cells
        if not is_setup(cell.source) and not answered_in(cell.source)
    }  # fmt: skip
    return [
        (cell["id"], cell.source)
        for cell in nb.cells
        if cell.cell_type == "code"
        and cell.source not in examples
        and not cell.metadata.get("nbgrader", {}).get("grade")
        and not cell.metadata.get("minigrad", {}).get("added")
    ]


def draw_once():
    """Judge all by the same cases from now on, in a process that ends with a class.

    No answer reaches a case itself, and nothing that judges may change one.
    """
    global seed_of_all
    seed_of_all = secrets.randbits(64)


@functools.lru_cache(EXAMS)
def drawn(exercise, seed):
    """The Exam of a seed."""
    return find_check(exercise).judgment(None, seed).exam


def verdict_on(exercise, subject, seed=None):
    """The verdict. Where its process ends, it is tried again, with the same cases."""
    if seed is None:
        seed = secrets.randbits(64) if seed_of_all is None else seed_of_all
    for _ in range(TRIES):
        verdict = _verdict_on(exercise, subject, seed)
        if not subject.ended:
            break
    return verdict


def _verdict_on(exercise, subject, seed):
    """The verdict; 0 points where the process, or what it sent, cannot be judged."""
    try:
        exam = drawn(exercise, seed).anew() if seed == seed_of_all else None
        return judge(exercise, subject, seed, exam)
    except Gone as error:
        state, why = "timed out" if error.kind == "time" else "crashed", error
    except NoIsolation:
        raise
    except Exception as error:  # of the check, on values that it did not expect
        state = "crashed"
        why = f"what it gives cannot be compared ({type(error).__name__}: {error})"
    summary = f"{exercise.name}: 0 of {plural(exercise.points)} · {state}: {why}"
    return Verdict(exercise.name, 0, exercise.points, state, summary)


def _with_reason(verdict, problem):
    """The verdict; where there is no answer because its cell fails, it says so."""
    if verdict.state != "not answered" or not problem:
        return verdict
    said = f"not answered: its cell fails: {' '.join(problem.split())[:200]}"
    begin = verdict.summary.partition(" · ")[0]
    return replace(verdict, summary=f"{begin} · {said}", failures=[])
