"""What is known of every submission: nbgrader's points, and whether they hold.

A number counts only beside a finished verdict on the very file that is there now. Where
grading was interrupted, or a file was handed in since, it is "not graded".
"""

from pathlib import Path
from typing import NamedTuple

from nbgrader.api import GradeCell, MissingEntry

from ..checking.verdict import NOT_GRADED, not_graded, plural
from .files import fingerprint
from .late_penalty import Penalty
from .preprocessors import Record

COUNTS = "graded", "not gradable"


class Exercise(NamedTuple):
    """The result of one exercise; points are nbgrader's, with any change by hand.

    None: it needs a GPU, and nobody has given any by hand. Then it does not count.
    """

    name: str
    points: float | None
    max_points: float
    state: str
    reason: str


class Grade(NamedTuple):
    """points: of all exercises, less the penalty for late work.

    state: "graded", "not gradable", "not graded" or "no submission".
    """

    student: str
    lab: str
    state: str
    why: str = ""
    points: float | None = None
    max_points: float = 0.0
    exercises: tuple = ()
    penalty: Penalty = Penalty()
    name: str = ""  # the student's, if it's known


def standing(root, lab, student):
    """(state, why, verdict file's content) of the submission that is there now."""
    path = Path(root) / "submitted" / student / lab / f"{lab}.ipynb"
    record = Record(root, lab, student, fingerprint(path))
    verdicts = record.read()
    state = verdicts.get("state") if isinstance(verdicts, dict) else None
    if state is None and not path.exists():
        return "no submission", "", {}
    if state is None:
        return "not graded", "it has not been graded yet", {}
    if verdicts.get("submission") != record.submission:
        return "not graded", "it was handed in again since it was graded", {}
    if state in COUNTS:
        return state, verdicts.get("why") or "", verdicts
    why = "grading it was interrupted: grade again"
    return "not graded", verdicts.get("why") or why, {}


def grades(root, book, labs=(), students=()):
    """Every Grade in a course, by lab and student. book: nbgrader's Gradebook."""
    from .course_dir import penalties_of, submissions  # which needs `grade_of`

    labs = [a.name for a in book.assignments if not labs or a.name in labs]
    handed_in = set(submissions(root))
    names = {student.id: _name(student) for student in book.students}
    known = {*names} | {student for student, _ in handed_in}
    penalties = penalties_of(root)
    return [
        (
            grade_of(Path(root), book, penalties, lab, student)
            if (student, lab) in handed_in
            else Grade(student, lab, "no submission", max_points=_most(book, lab))
        )._replace(name=names.get(student, ""))
        for lab in sorted(labs)
        for student in sorted(known)
        if not students or student in students
    ]


def grade_of(root, book, penalties, lab, student):
    """The Grade of a submission. penalties: what the course's settings say."""
    state, why, verdict = standing(root, lab, student)
    most = _most(book, lab)
    grade = Grade(student, lab, state, why, max_points=most)
    if state not in COUNTS:
        return grade
    try:
        submission = book.find_submission(lab, student)
    except MissingEntry:
        return grade._replace(
            state="not graded", why="the gradebook has no grade of it"
        )
    exercises, differ, stale = _exercises(book, submission, verdict)
    open_ones = [e for e in exercises if e.points is None]
    if differ:
        why = f"gradebook and verdict differ on {', '.join(differ)}: grade again"
        return grade._replace(state="not graded", why=why)
    penalty = penalties.of(submission)
    shown = [grade.why, not_graded([e._asdict() for e in open_ones])]
    if stale:
        given = "points given by hand before it was graded again"
        shown.append(f"{', '.join(stale)}: {given}")
    grade = grade._replace(
        why="; ".join(filter(None, shown)),
        max_points=most - sum(e.max_points for e in open_ones),
        exercises=exercises,
        penalty=penalty,
    )
    if len(open_ones) == len(exercises):
        return grade
    return grade._replace(points=round(max(0.0, submission.score - penalty.points), 2))


def said(penalty):
    """A Penalty in words, or ""."""
    lost = plural(round(penalty.points, 2))
    return f"{lost} off: {penalty.why}" if penalty.points else penalty.why


def _name(student):
    return " ".join(filter(None, [student.first_name, student.last_name]))


def _most(book, lab):
    return sum(n.max_score for n in book.find_assignment(lab).notebooks)


def _exercises(book, submission, verdict):
    """The Exercises; the names of those on which book and verdict differ; the names
    of those whose points a person gave before the last grading, and has not seen since.
    """
    lab = [notebook.notebook_id for notebook in submission.notebooks]
    query = book.db.query(GradeCell).filter(GradeCell.notebook_id.in_(lab))
    _ = query.all()  # else there's a query for each name, and each number of points
    cells = {g.name: g for notebook in submission.notebooks for g in notebook.grades}
    exercises, differ, stale = [], [], []
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
        counts = one["state"] not in NOT_GRADED or cell.manual_score is not None
        points = round(cell.score, 2) if counts else None
        exercises.append(
            Exercise(one["name"], points, cell.cell.max_score, one["state"], reason)
        )
    return tuple(exercises), differ + sorted(cells), stale
