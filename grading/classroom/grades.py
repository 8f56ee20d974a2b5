"""What is known of every submission: nbgrader's points, and whether they hold.

A number counts only beside a finished verdict on the very file that is there now. Where
grading was interrupted, or a file was handed in since, it is "not graded".
"""

from pathlib import Path
from typing import NamedTuple

from nbgrader.api import MissingEntry

from .book import submissions
from .preprocessors import Record, fingerprint

COUNTS = "graded", "not gradable"


class Exercise(NamedTuple):
    """The result of one exercise; points are nbgrader's, with any change by hand."""

    name: str
    points: float
    max_points: float
    state: str
    reason: str


class Grade(NamedTuple):
    """state: "graded", "not gradable", "not graded" or "no submission"."""

    student: str
    lab: str
    state: str
    why: str = ""
    points: float | None = None
    max_points: float = 0.0
    exercises: tuple = ()


def standing(root, lab, student):
    """(state, why, verdict file's content) of the submission that is there now."""
    path = Path(root) / "submitted" / student / lab / f"{lab}.ipynb"
    record = Record(root, lab, student, fingerprint(path))
    known = record.read()
    state = known.get("state") if isinstance(known, dict) else None
    if state is None and not path.exists():
        return "no submission", "", {}
    if state is None:
        return "not graded", "it has not been graded yet", {}
    if known.get("submission") != record.submission:
        return "not graded", "it was handed in again since it was graded", {}
    if state in COUNTS:
        return state, known.get("why") or "", known
    why = "grading it was interrupted: grade again"
    return "not graded", known.get("why") or why, {}


def grades(root, book, labs=(), students=()):
    """Every Grade in a course, by lab and student. book: nbgrader's Gradebook."""
    labs = [a.name for a in book.assignments if not labs or a.name in labs]
    handed_in = set(submissions(root))
    known = {student.id for student in book.students} | {s for s, _ in handed_in}
    return [
        _grade(Path(root), book, lab, student, (student, lab) in handed_in)
        for lab in sorted(labs)
        for student in sorted(known)
        if not students or student in students
    ]


def _grade(root, book, lab, student, handed_in):
    most = sum(n.max_score for n in book.find_assignment(lab).notebooks)
    grade = Grade(student, lab, "no submission", max_points=most)
    if not handed_in:
        return grade
    state, why, verdict = standing(root, lab, student)
    grade = grade._replace(state=state, why=why)
    if state not in COUNTS:
        return grade
    try:
        submission = book.find_submission(lab, student)
    except MissingEntry:
        return grade._replace(
            state="not graded", why="the gradebook has no grade of it"
        )
    exercises, differ, stale = _exercises(submission, verdict)
    if differ:
        why = f"gradebook and verdict differ on {', '.join(differ)}: grade again"
        return grade._replace(state="not graded", why=why)
    if stale:
        why = f"{', '.join(stale)}: points given by hand before it was graded again"
        grade = grade._replace(why=why)
    penalty = submission.late_submission_penalty or 0.0
    points = max(0.0, submission.score - penalty)
    return grade._replace(points=round(points, 2), exercises=exercises)


def _exercises(submission, verdict):
    """The Exercises; the names of those on which book and verdict differ; the names
    of those whose points a person gave before the last grading, and has not seen since.
    """
    cells = {g.name: g for notebook in submission.notebooks for g in notebook.grades}
    found, differ, stale = [], [], []
    for one in verdict.get("exercises", []):
        cell = cells.pop(f"{one['name']}-check", None)
        if cell is None or abs((cell.auto_score or 0.0) - one["points"]) > 1e-6:
            differ.append(one["name"])
            continue
        reason = one["summary"].partition(" · ")[2]
        if cell.manual_score is not None or cell.extra_credit:
            reason = "changed by hand"
        if cell.manual_score is not None and cell.needs_manual_grade:
            stale.append(one["name"])
        found.append(Exercise(one["name"], round(cell.score, 2), cell.max_score,
                              one["state"], reason))  # fmt: skip
    return tuple(found), differ + sorted(cells), stale
