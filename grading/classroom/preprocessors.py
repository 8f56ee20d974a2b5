"""What nbgrader's autograding is given here: an exporter, and two steps.

The `nbgrader_config.py` of a course has them: RunAnswers, nbgrader's own penalties, and
Finish. All else is nbgrader's.
"""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_markdown_cell, new_notebook
from nbgrader import utils
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool, Callable

from minigrad.exercises.answers import exercises_of

from ..checking.verdict import NEEDS_GPU, Verdict, plural
from . import repair, submission
from .files import fingerprint, is_ordinary, write
from .judging import checks_here, judged, students_cells
from .nbgrader_patches import gradebook
from .notes import fewer

DONE = "minigrad verdicts"
RESULT = "The result is in formgrader, and on the student's page."
MODULE = re.compile(r"[A-Za-z_]\w*\.py", re.A)
MODULES, LONGEST = 32, 2**18  # how many, and bytes of each


class Once(NotebookExporter):
    """nbgrader converts a notebook twice, once to clean it: here that does nothing.

    Nor is a submission read here: RunAnswers does, which expects anything.
    """

    def from_filename(self, filename, resources=None, **kw):
        resources["output_extension"], nb = self.file_extension, new_notebook()
        for step in self._preprocessors:
            nb, resources = step(nb, resources)
        nbformat.validate(nb)
        return nbformat.v4.writes(nb, indent=None) + "\n", resources


class RunAnswers(NbGraderPreprocessor):
    """Run the student's cells in a process of their own; check them from here."""

    unsafe = Bool(False, help="without a box: a submission can do anything").tag(
        config=True
    )
    judge = Callable(judged, help="(lab, cells) -> (verdicts, warnings)").tag(
        config=True
    )

    def preprocess(self, nb, resources):
        record = Record.of(self, resources)
        record.write("running")
        root, student, lab = record.root, record.student, record.lab
        nb, warnings, why = submission.taken(root, student, lab)
        if why:
            verdicts = [*map(_not_gradable, exercises_of(lab))]
        else:
            cells = students_cells(nb, repair.released(root, lab))
            how = {"files": record.modules(), "unsafe": self.unsafe}
            verdicts, more = self.judge(lab, cells, **how)
            warnings = fewer([*repair.holding(warnings, verdicts), *more])
        _enter(nb, verdicts, resources["nbgrader"])
        _show(nb, verdicts)
        resources[DONE] = verdicts, warnings, why
        return nb, resources


class Finish(NbGraderPreprocessor):
    """Say that the grades are in the book: it runs only if all steps went well."""

    def preprocess(self, nb, resources):
        *outcome, why = resources[DONE]
        state = "not gradable" if why else "graded"
        Record.of(self, resources).write(state, *outcome, why or None)
        return nb, resources


class Record:
    """verdicts/LAB/STUDENT.json: what is known of a submission beside its points."""

    def __init__(self, root, lab, student, submission=None):
        self.root = Path(root)
        self.path = self.root / "verdicts" / lab / f"{student}.json"
        self.lab, self.student, self.submission = lab, student, submission

    @classmethod
    def of(cls, preprocessor, resources):
        root = Path(preprocessor.parent.parent.coursedir.root)  # exporter, converter
        names = resources["nbgrader"]
        lab, student = names["assignment"], names["student"]
        path = root / "submitted" / student / lab / f"{lab}.ipynb"
        return cls(root, lab, student, fingerprint(path))

    def modules(self):
        """(name, text) of the Python modules that were handed in with the notebook."""
        folder = self.root / "submitted" / self.student / self.lab
        paths = [p for p in sorted(folder.glob("*.py")) if MODULE.fullmatch(p.name)]
        paths = [p for p in paths if is_ordinary(p, LONGEST)][:MODULES]
        paths = [p for p in paths if os.access(p, os.R_OK)]
        return [(p.name, p.read_text("utf-8", "replace")) for p in paths]

    @staticmethod
    def checks(root, lab):
        """A fingerprint of what the lab is checked by."""
        released = Path(root) / "release" / lab / f"{lab}.ipynb"
        return [fingerprint(released), checks_here()]

    def write(self, state, verdicts=(), warnings=(), why=None):
        values = {
            "student": self.student,
            "lab": self.lab,
            "state": state,
            "why": why,
            "graded": datetime.now(UTC).isoformat(timespec="seconds"),
            "submission": self.submission,
            "checks": self.checks(self.root, self.lab),
            "warnings": list(warnings),
            "exercises": [verdict.to_dict() for verdict in verdicts],
        }
        text = json.dumps(values, indent=1, ensure_ascii=False)
        write(self.path, text.encode("utf-8", "backslashreplace"))

    def read(self):
        """What is recorded, or {} where nothing, or nothing readable, is."""
        try:
            return json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def current(self):
        """What is recorded of this very file; else {}."""
        record = self.read()
        return record if record.get("submission") == self.submission else {}

    def is_written(self):
        """Does the graded notebook show the result? It is written last."""
        path = self.root / "autograded" / self.student / self.lab / f"{self.lab}.ipynb"
        try:
            with path.open(encoding="utf-8") as file:
                return '"id": "result"' in file.read(200)
        except OSError:
            return False


def _not_gradable(exercise):
    summary = f"{exercise.name}: 0 of {plural(exercise.points)} · not gradable"
    return Verdict(exercise.name, 0, exercise.points, "not gradable", summary)


def _enter(nb, verdicts, names):
    """Enter the points; formgrader shall ask a person where nothing was graded."""
    lab, answers = names["assignment"], [c for c in nb.cells if utils.is_solution(c)]
    with gradebook(names["db_url"]) as book:
        entry = book.find_submission_notebook(names["notebook"], lab, names["student"])
        cells = [*entry.notebook.grade_cells, *entry.notebook.solution_cells]
        name_of = {cell.id: cell.name for cell in cells}
        grades = {name_of[grade.cell_id]: grade for grade in entry.grades}
        comments = {name_of[comment.cell_id]: comment for comment in entry.comments}
        for verdict in verdicts:
            grade = grades[f"{verdict.name}-check"]
            grade.auto_score = verdict.points if verdict.counts else None
            by_hand = grade.manual_score is not None
            grade.needs_manual_grade = by_hand or not verdict.counts
        for cell in answers:
            marks = cell.metadata.nbgrader
            same = marks.get("checksum") == utils.compute_checksum(cell)
            comments[marks["grade_id"]].auto_comment = "No response." if same else None
        book.db.commit()


def _show(nb, verdicts):
    """Put each verdict under its check. Pages add the result as it is by then."""
    checks = repair.graded(nb)
    for verdict in verdicts:
        cell = checks[verdict.name]
        cell.execution_count = None
        cell.outputs = _outputs(verdict)
        if not verdict.counts:
            cell.metadata["minigrad"] = {NEEDS_GPU: True}
    nb.cells.insert(0, new_markdown_cell(RESULT, id="result"))


def _outputs(verdict):
    data = {"text/plain": repr(verdict), "text/html": verdict._repr_html_()}
    printed = {"output_type": "stream", "name": "stdout", "text": f"{verdict}\n"}
    shown = {"output_type": "execute_result", "data": data, "execution_count": None}
    return nbformat.from_dict([printed, shown | {"metadata": {}}])


def reason(verdict):
    """A recorded verdict's cause, else what its one line says after the points."""
    for failure in verdict["failures"]:
        cause = re.search(r"^ +cause +(.*(?:\n {11,}.*)*)", failure["message"], re.M)
        if cause:
            return " ".join(cause[1].split())
    return verdict["summary"].partition(" · ")[2]
