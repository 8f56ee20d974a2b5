"""Grading one exercise anew after its check was mended; the others stay as they are."""

from pathlib import Path
from typing import NamedTuple

import nbformat

from minigrad.exercises.registry import find

from ..checking.verdict import Failure, Verdict
from . import judging
from .course_dir import (
    grade_one,
    how_of,
    open_course,
    record_of,
    released_name,
    submissions,
)
from .lock import alone
from .repair import graded


class Change(NamedTuple):
    """What became of the exercise in a submission. "failed": it has no grade now."""

    student: str
    before: float
    after: float
    state: str
    why: str


def regrade(directory, exercise, students=(), dry_run=False):
    """Judge an exercise, such as "03.4", in all that is graded; yield the Changes.

    dry_run: write nothing.
    """
    root, exercise = Path(directory).resolve(), find(exercise)
    released_name(root, exercise.chapter)
    api = open_course(root)
    with alone(root):
        for student, lab in submissions(root, exercise.chapter, students):
            record = record_of(root, student, lab)
            if record.current().get("state") != "graded":
                continue  # `grade` will take it up, or no one can
            cells = judging.submitted(root, student, lab)
            (new,), warnings = judging.judged(
                lab, cells, [exercise.name], **how_of(api, record)
            )
            (old,) = (v for v in kept(root, record) if v.name == exercise.name)
            state, why = new.state, new.summary.partition(" · ")[2]
            if not dry_run:
                result = replaced(root, record, [new]), warnings
                done = grade_one(api, root, record, judging.known(cells, result))
                state, why = (done.state, done.why) if done.why else (state, why)
            yield Change(student, old.points, new.points, state, why)


def replaced(root, record, new):
    """The Verdicts of a submission, with these in the place of those of their names."""
    by = {verdict.name: verdict for verdict in new}
    return [by.get(verdict.name, verdict) for verdict in kept(root, record)]


def kept(root, record):
    """The Verdicts that a submission has, with their pictures."""
    where = root / "autograded" / record.student / record.lab / f"{record.lab}.ipynb"
    checks = graded(nbformat.read(where, as_version=4)) if where.is_file() else {}
    return [
        Verdict(**one | {
            "failures": [Failure(**f) for f in one["failures"]],
            "picture": _picture(checks.get(one["name"])),
        })
        for one in record.read()["exercises"]
    ]  # fmt: skip


def _picture(check):
    """The SVG under a graded check, or ""."""
    for output in check.outputs if check else ():
        html = output.get("data", {}).get("text/html", "")
        if "<svg" in html:
            return html[html.index("<svg") :]
    return ""
