"""Grades for a spreadsheet, for Canvas and for Moodle, from nbgrader's gradebook.

Each form is an nbgrader export plug-in too:
`nbgrader export --exporter=grading.classroom.export.CanvasExport --to=canvas.csv`.

A submission that is not graded has an empty cell: neither 0 nor an older number.
"""

import csv
import io
import re
from pathlib import Path

from nbgrader.plugins.export import ExportPlugin
from rich.console import Console
from traitlets import Bool, Unicode
from traitlets import List as ListOf

from minigrad import suggest

from ..checking.verdict import number
from ..isolation.safe_text import cell, visible
from .course_dir import open_course, released_name
from .files import write
from .grades import grades, said
from .roster import Person, Roster

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
GRADE, FEEDBACK = ("grade",), ("feedback comments", "feedback")  # Moodle's worksheet


class ExportError(ValueError):
    """The grades cannot be written so: the message says what to do."""


class Export(ExportPlugin):
    """What the forms share. A form says which bytes the file shall have."""

    roster = Unicode("", help="the list that the platform exported").tag(config=True)
    force = Bool(False, help="replace a file that is there").tag(config=True)
    notes = ListOf([], help="what the reader of the file must know")

    def export(self, gradebook):
        """Write `self.to`; whatever is not in it is said in `self.notes`."""
        target = Path(self.to or self.name)
        if target.exists() and not self.force:
            raise ExportError(
                f"{target} is there already: name another, or use --force"
            )
        root = self.parent.coursedir.root
        all_grades = grades(root, gradebook, self.assignment, self.student)
        self.notes = [
            f"{g.student}, {g.lab}: {g.state}" + (f" ({why})" if why else "")
            for g in all_grades
            if (why := "; ".join(filter(None, [g.why, said(g.penalty)])))
            or g.state in ("not graded", "not gradable")
        ]
        people = {
            s.id: Person(s.id, s.lms_user_id, s.email) for s in gradebook.students
        }
        people = {
            g.student: people.get(g.student, Person(g.student)) for g in all_grades
        }
        labs = [a.name for a in gradebook.assignments]
        labs = sorted({g.lab for g in all_grades} if all_grades else labs)
        _write(target, self.content(all_grades, people, labs))
        for note in self.notes:
            self.log.warning(note)

    def content(self, all_grades, people, labs):
        """The file's bytes."""
        raise NotImplementedError

    def lines(self, roster, people):
        """{student: number of their row}; students without one are noted."""
        rows = {student: roster.find(person) for student, person in people.items()}
        taken = [
            row for matches in rows.values() if len(matches) == 1 for row in matches
        ]
        lines = {}
        for student, matches in rows.items():
            if len(matches) == 1 and taken.count(matches[0]) == 1:
                lines[student] = matches[0]
            elif not matches:
                self.notes.append(f"{student} is not in the roster, and is left out")
            else:
                why = "it fits no one line of the roster for sure, and is left out"
                self.notes.append(f"{student}: {why}")
        return lines


class CsvExport(Export):
    """A row for each student and lab, a column for each exercise.

    The exercises' points, less the penalty for late work, are the points. There is a
    byte-order mark, without which Excel misreads names that are not ASCII.
    """

    name = "grades.csv"

    def content(self, all_grades, people, labs):
        names = dict.fromkeys(e.name for g in all_grades for e in g.exercises)
        head = "student", "lab", "points", "max_points", "state", "why"
        rows = [[*head, "penalty", "penalty_reason", "name", *names]]
        for g in all_grades:
            points = {e.name: _number(e.points) for e in g.exercises}
            row = [g.student, g.lab, _number(g.points), _number(g.max_points), g.state]
            row += [g.why, _number(g.penalty.points or None), g.penalty.why, g.name]
            rows.append([*row, *(points.get(name, "") for name in names)])
        return _table(rows).encode("utf-8-sig")


class CanvasExport(Export):
    """Canvas's own table with a column for each lab, or a new one in its form."""

    name = "canvas.csv"

    def content(self, all_grades, people, labs):
        if not self.roster:
            return self._new(all_grades, people, labs)
        roster = Roster(self.roster)
        lines = self.lines(roster, _with_work(people, all_grades))
        for lab in labs:
            column = roster.column_of(lab)
            self._points_possible(roster, column, lab, all_grades)
            for row, g in _handed_in(all_grades, lab, roster, lines):
                _put(row, column, _number(g.points))
        return roster.dumps()

    def _points_possible(self, roster, column, lab, all_grades):
        """Fill in a new column's maximum; an old one that differs is noted."""
        most = _most(all_grades, lab)
        if roster.possible is None or not most:
            return
        row = roster.rows[roster.possible]
        theirs = row[column].strip() if column < len(row) else ""
        if not theirs:
            _put(row, column, most)
        elif re.fullmatch(r"[\d.]+", theirs) and float(theirs) != float(most):
            self.notes.append(f"{lab} has {most} points here, {theirs} in the roster")

    def _new(self, all_grades, people, labs):
        most = [_most(all_grades, lab) for lab in labs]
        rows = [CANVAS + labs, ["    Points Possible", "", "", "", "", *most]]
        points = {(g.student, g.lab): _number(g.points) for g in all_grades}
        for student, person in people.items():
            who = [student, person.canvas_id or "", "", student, ""]
            rows.append(who + [points.get((student, lab), "") for lab in labs])
        return _table(rows).encode()


class MoodleExport(Export):
    """Grade and feedback side by side: imported alone, one makes Moodle lose the other.

    roster: an assignment's grading worksheet, or any table with a column for the ID
    number, the email address or the full name.
    """

    name = "moodle.csv"

    def content(self, all_grades, people, labs):
        if not self.roster:
            return self._new(all_grades, people, labs)
        roster = Roster(self.roster)
        lines = self.lines(roster, _with_work(people, all_grades))
        for lab in labs:
            grade, feedback = self._columns(roster, lab, labs)
            for row, g in _handed_in(all_grades, lab, roster, lines):
                _put(row, grade, _number(g.points))
                _put(row, feedback, cell(_feedback(g)))
        return roster.dumps()

    def _columns(self, roster, lab, labs):
        grade, feedback = roster.column(GRADE), roster.column(FEEDBACK)
        if grade is None or feedback is None:
            return roster.column_of(lab), roster.add(f"{lab} feedback")
        if len(labs) > 1:
            raise ExportError(
                f"{self.roster} is the worksheet of one assignment, and there are "
                f"grades of {', '.join(labs)}: say which one with --lab"
            )
        return grade, feedback

    def _new(self, all_grades, people, labs):
        wide = [name for lab in labs for name in (lab, f"{lab} feedback")]
        rows = [["useridnumber", "useremail", *wide]]
        by = {(g.student, g.lab): g for g in all_grades}
        for student, person in people.items():
            email = person.email or (student if "@" in student else "")
            cells = [by.get((student, lab)) for lab in labs]
            pairs = [
                (_number(g.points), _feedback(g)) if g else ("", "") for g in cells
            ]
            rows.append([student, email, *(text for pair in pairs for text in pair)])
        return _table(rows).encode()


FORMS = {"csv": CsvExport, "canvas": CanvasExport, "moodle": MoodleExport}


def export(directory, to, form="csv", roster=None, force=False, lab=None):
    """Write the grades of a course directory to the file `to`; return what to know.

    form: "csv", "canvas" or "moodle". roster: the list of students, exported there.
    lab: only this one.
    """
    if form not in FORMS:
        there = suggest.hint(form, FORMS) or f" There are {', '.join(FORMS)}."
        raise ExportError(f"no form is called {form!r}.{there}")
    api = open_course(directory)
    plugin = FORMS[form](parent=api, to=str(to), force=force, roster=str(roster or ""))
    plugin.assignment = [released_name(directory, lab)] if lab else []
    with api.gradebook as book:
        plugin.export(book)
    console = Console()
    for line in (f"written: {to}", *plugin.notes):
        console.print(visible(line), markup=False, soft_wrap=True)
    return plugin.notes


def _handed_in(all_grades, lab, roster, lines):
    """(row of the roster, grade) of every student who handed this lab in."""
    for g in all_grades:
        if g.lab == lab and g.student in lines and g.state != "no submission":
            yield roster.rows[lines[g.student]], g


def _with_work(people, all_grades):
    """Those who handed something in: the others need no line in the roster."""
    active = {g.student for g in all_grades if g.state != "no submission"}
    return {student: person for student, person in people.items() if student in active}


def _feedback(grade):
    """What a student reads: a line for each exercise."""
    if grade.state in ("no submission", "not graded"):
        return ""
    lines = [f"Not gradable: {grade.why}"] if grade.state == "not gradable" else [
        f"{e.name}: {_earned(e)} · {e.reason}"
        for e in grade.exercises
    ]  # fmt: skip
    lines += [f"late work: {said(grade.penalty)}"] if grade.penalty.why else []
    return "\n".join(lines).translate({ord("<"): "‹", ord(">"): "›"})


def _earned(exercise):
    if exercise.points is None:
        return "not graded"
    return f"{number(exercise.points)} of {number(exercise.max_points)}"


def _most(all_grades, lab):
    """What can be reached in a lab, by those who are graded, if any are."""
    grades = [g for g in all_grades if g.lab == lab]
    graded = [g.max_points for g in grades if g.points is not None]
    return _number(max(graded or [g.max_points for g in grades], default=None))


def _put(row, column, text):
    row += [""] * (column + 1 - len(row))
    row[column] = text


def _number(points):
    return "" if points is None else number(round(points, 2))


def _table(rows):
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerows([map(cell, row) for row in rows])
    return page.getvalue()


def _write(path, data):
    """Write a file, in a folder that is there."""
    if not path.parent.is_dir():
        raise ExportError(f"there is no folder {path.parent} to write {path.name} to")
    if path.is_dir():
        raise ExportError(f"{path} is a folder: name a file")
    write(path, data)
