"""A page on the class, for its teacher: what went well, what did not, who needs help.

One HTML file that needs no network. It names students: it is not for them.
"""

import collections
import contextlib
import os
import re
import statistics
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import nbformat
from jinja2 import Environment

from minigrad import course
from minigrad.exercises.answers import exercises_of
from minigrad.exercises.cells import answered_in, cells_of
from minigrad.viz.draw.canvas import Canvas
from minigrad.viz.draw.picture import style

from ..checking.verdict import NOT_GRADED
from ..isolation import safe_text
from . import reading, time_spent
from .course_dir import open_course, released_name
from .files import write
from .grades import COUNTS, grades, said
from .preprocessors import Record
from .similarity import alike, groups
from .submission_page import POLICY

STATES = {
    "right": "read",
    "partly right": "touched",
    "wrong": "wrong",
    "no result": "outside",  # crashed, timed out, not gradable
    "not answered": "free",
    "not graded": "unused",  # needs a GPU, for example
}
ODD = {"crashed": "no result", "timed out": "no result", "not gradable": "no result",
       "solution": "not answered"}  # fmt: skip
NO_ANSWER = "not answered", "solution", "not gradable", *NOT_GRADED
HALF = 0.5  # of the points: whoever has less needs help
SHOWN = 5  # mistakes of an exercise; exercises of a student
_environment = Environment(autoescape=True)
_environment.filters.update(cell=safe_text.cell, visible=safe_text.visible)
PAGE = _environment.from_string("""\
{% macro table(head, rows) %}<table>
<tr>{% for h in head %}<th scope="col">{{ h }}</th>{% endfor %}</tr>
{% for row in rows %}<tr>{% for c in row %}<td>{{ c | cell }}</td>{% endfor %}</tr>
{% endfor %}</table>{% endmacro %}
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Class report</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
td, th { padding: .2em 1em .2em 0; text-align: left; vertical-align: top;
         border-bottom: 1px solid #ddd }
pre { display: inline-block; vertical-align: top; max-width: 48%; overflow: auto;
      font-size: 12px; margin: 0 1% 0 0 }
table { display: block; overflow-x: auto }
img { max-width: 100% }
</style></head>
<body><main>
<h1>Class report</h1>
<p>For teachers: it names students.</p>
<h2>Who needs help</h2>
{% if help %}{{ table(["student", "points", "why"], help) }}
{% else %}<p>All have half of the points or more, and have handed in every lab.</p>
{% endif %}
{% for lab in labs %}
<h2>{{ lab.name }}</h2>
<p>{{ lab.numbers }}</p>
{% if lab.points %}{{ lab.points | safe }}
{{ lab.exercises | safe }}
<h3>Mistakes</h3>
{% if lab.mistakes %}{{ table(["exercise", "share", "mistake"], lab.mistakes) }}
<p>The share is of those who have answered the exercise. A mistake is named only where
the answer has been proved to have it.</p>
{% else %}<p>No answer is wrong.</p>{% endif %}
<h3>Time</h3>
{% if lab.times %}
{{ table(["exercise", "minutes, median", "foreseen", "notebooks"], lab.times) }}
<p>Between the last runs of cells, without breaks of more than half an hour: less than
the true time.</p>
{% else %}<p>Not known: no notebook says when its cells ran. Colab's do, and those of
JupyterLab with "Record Cell Timing" in its settings.</p>{% endif %}
<h3>Near-identical answers</h3>
{% for pair in lab.alike %}
<details><summary>{{ pair.students | join(" and ") }}: {{ pair.exercises }}</summary>
{% for text in pair.texts %}<pre>{{ text | visible }}</pre>{% endfor %}</details>
{% else %}<p>None.</p>{% endfor %}
{% if lab.alike %}<p>Names and comments do not matter, and what many have, or the
course's own texts, does not count. It is a reason to read both, and no proof.</p>
{% endif %}
<h3>Students</h3>
<table>
<tr>{% for h in ("student", "points", "state", "why") %}<th scope="col">{{ h }}</th>\
{% endfor %}</tr>
{% for url, row in lab.students %}<tr><td>{% if url %}<a href="{{ url }}">\
{{ row[0] | cell }}</a>{% else %}{{ row[0] | cell }}{% endif %}</td>\
{% for c in row[1:] %}<td>{{ c | cell }}</td>{% endfor %}</tr>
{% endfor %}</table>
<p>A name leads to the student's page, if <code>feedback</code> has written one.</p>
{% endif %}{% endfor %}
</main></body></html>
""")


class Mistake(NamedTuple):
    exercise: str
    share: str
    text: str


class Help(NamedTuple):
    student: str
    points: str
    why: str


def report(directory, to=None, lab=None):
    """Write the page on a course directory; return its path."""
    root = Path(directory).resolve()
    to = Path(to) if to else root / "report.html"
    labs = [released_name(root, lab)] if lab else []
    with open_course(root).gradebook as book:
        all_grades = grades(root, book, labs)
    with style():
        names = sorted({g.lab for g in all_grades if g.state != "no submission"})
        labs = [_lab(root, to, n, [g for g in all_grades if g.lab == n]) for n in names]
    page = PAGE.render(labs=labs, help=needing_help(all_grades, names), policy=POLICY)
    write(to, page.encode("utf-8", "replace"))
    return to


def needing_help(all_grades, labs):
    """[Help] of those who have less than half of the points, or lack a lab."""
    by = collections.defaultdict(list)
    for g in all_grades:
        if g.lab in labs:
            by[g.student].append(g)
    rows = []
    for student, mine in by.items():
        counted = [g for g in mine if g.points is not None]
        most = sum(g.max_points for g in counted)
        share = sum(g.points for g in counted) / most if most else None
        missing = [f"no {g.lab}" for g in mine if g.state == "no submission"]
        missing += [f"{g.lab}: {g.why}" for g in mine if g.state == "not gradable"]
        low = share is not None and share < HALF
        if low or missing:
            lost = [name for g in counted for name in _lost(g)] if low else []
            more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            missing += [", ".join(lost[:SHOWN]) + more] if lost else []
            why = "; ".join(missing)
            shown = "none" if share is None else f"{share:.0%}"
            rows.append((share or 0, Help(mine[0].name or student, shown, why)))
    return [row for _, row in sorted(rows)]


def _lost(grade):
    """The exercises of which less than half was reached."""
    for e in grade.exercises if grade.state == "graded" else ():
        if e.points is not None and e.points < HALF * e.max_points:
            yield e.name


def mistakes(records):
    """[Mistake] of a lab's records, those of each exercise by how many made it."""
    answered, counts, texts = collections.Counter(), {}, {}
    for record in records:
        for one in record["exercises"]:
            if one["state"] in NO_ANSWER:
                continue
            answered[one["name"]] += 1
            for failure in one["failures"][:1]:
                counts.setdefault(one["name"], collections.Counter())[
                    failure["cause"]
                ] += 1
                texts.setdefault((one["name"], failure["cause"]), _text(failure))
    return [
        Mistake(name, f"{count / answered[name]:.0%}", texts[name, cause])
        for name, causes in counts.items()
        for cause, count in causes.most_common(SHOWN)
    ]


def _text(failure):
    """What a failure's message names as the cause."""
    cause = re.search(r"^ +cause +(.*(?:\n {11,}.*)*)", failure["message"], re.M)
    if failure["cause"] == "unknown" or not cause:
        return "a mistake that has no name here"
    return " ".join(cause[1].split())


def _student(root, to, grade):
    """(address of the student's page from the file `to`, what the table says)."""
    page = root / "feedback" / grade.student / grade.lab / f"{grade.lab}.html"
    url = quote(Path(os.path.relpath(page, to.resolve().parent)).as_posix())
    points = "" if grade.points is None else f"{grade.points:g} / {grade.max_points:g}"
    why = "; ".join(filter(None, [grade.why, said(grade.penalty)]))
    row = grade.name or grade.student, points, grade.state, why
    return url if page.is_file() else "", row


def _lab(root, to, name, all_grades):
    """What the page says of a lab."""
    records = [
        Record(root, name, g.student).read() for g in all_grades if g.state in COUNTS
    ]
    handed_in = [g for g in all_grades if g.state != "no submission"]
    points = [g.points for g in all_grades if g.points is not None]
    counts = collections.Counter(g.state for g in handed_in)
    numbers = [f"{len(handed_in)} handed in", *(f"{n} {s}" for s, n in counts.items())]
    if not points:
        return {"name": name, "numbers": ", ".join(numbers) + "."}
    most = max(g.max_points for g in all_grades)
    numbers.append(f"median {statistics.median(points):.4g} of {most:g} points")
    names = {g.student: g.name or g.student for g in handed_in}
    return {
        "name": name,
        "numbers": ", ".join(numbers) + ".",
        "points": histogram(points, most).img(),
        "exercises": by_exercise(records).img(),
        "mistakes": mistakes(records),
        "times": _times(root, name, [r["student"] for r in records]),
        "alike": _groups(root, name, names),
        "students": [_student(root, to, g) for g in all_grades],
    }


def histogram(points, most):
    """How many have how much, in ten steps."""
    counts = [0] * 10
    for p in points:
        counts[min(int(10 * p / most), 9) if most else 9] += 1
    canvas, scale = Canvas(8.5, 2.0), 1.3 / max(counts)
    for i, count in enumerate(counts):
        x = 0.5 + 0.75 * i
        canvas.box(x, 1.55 - scale * count, "read", 0.7, scale * count)
        if count:
            canvas.write(x + 0.35, 1.45 - scale * count, str(count), 9)
        canvas.write(x, 1.7, f"{most * i / 10:g}", 8)
    canvas.write(8.0, 1.7, f"{most:g} points", 8)
    steps = (f"{most * i / 10:g} to {most * (i + 1) / 10:g} points: {n}"
             for i, n in enumerate(counts) if n)  # fmt: skip
    return canvas.picture("Students by points. " + "; ".join(steps))


def by_exercise(records):
    """A bar for each exercise: how many have it right, partly right, and so on."""
    rows = collections.defaultdict(collections.Counter)
    for record in records:
        for one in record["exercises"]:
            state = ODD.get(one["state"], one["state"])
            rows[one["name"]][state if state in STATES else "not graded"] += 1
    used = [s for s in STATES if any(row[s] for row in rows.values())]
    canvas = Canvas(8.5, 0.6 + 0.3 * len(rows))
    for i, state in enumerate(used):
        canvas.box(2.6 + 1.0 * i, 0.08, STATES[state], 0.2, 0.16)
        canvas.write(2.85 + 1.0 * i, 0.17, state, 8, ha="left")
    for n, (name, row) in enumerate(rows.items()):
        x, y, scale = 2.6, 0.4 + 0.3 * n, 5.8 / row.total()
        canvas.write(2.5, y + 0.11, name, 9, ha="right")
        for state in used:
            if row[state]:
                canvas.box(x, y, STATES[state], scale * row[state], 0.22)
                canvas.write(x + scale * row[state] / 2, y + 0.11, str(row[state]), 8)
                x += scale * row[state]
    said = (f"{name}: " + ", ".join(f"{n} {s}" for s, n in row.items())
            for name, row in rows.items())  # fmt: skip
    return canvas.picture("Students by exercise. " + "; ".join(said))


def _times(root, name, students):
    """The times of each exercise, where notebooks tell."""
    spent = collections.defaultdict(list)
    for student in students:
        path = root / "submitted" / student / name / f"{name}.ipynb"
        with contextlib.suppress(OSError):
            cells = reading.notebook(path).cells
            for exercise, minutes in time_spent.minutes(cells).items():
                spent[exercise].append(minutes)
    return [
        (exercise.name, f"{statistics.median(took):.0f}", exercise.minutes, len(took))
        for exercise in exercises_of(name)
        if (took := spent[exercise.name])
    ]


def _groups(root, name, names):
    """Groups of students with near-identical answers, those with most of it first."""
    answers = collections.defaultdict(dict)
    for student in names:
        path = root / "autograded" / student / name / f"{name}.ipynb"
        nb = nbformat.read(path, as_version=4) if path.is_file() else None
        for cell in nb.cells if nb else ():
            marks = cell.metadata.get("nbgrader", {})
            own = not cell.metadata.get("minigrad", {}).get("added")
            if own and marks.get("solution"):  # it has the name of its exercise
                answers[marks["grade_id"]][student] = cell.source
    own_texts = collections.defaultdict(list)
    released = root / "release" / name / f"{name}.ipynb"
    for path in (course.solution(name), released):
        for cell in cells_of(path):
            own_texts[answered_in(cell.text)].append(cell.text)
    answers = [
        one
        for exercise, texts in answers.items()
        for one in alike(exercise, texts, own_texts[exercise])
    ]
    return [
        {"students": [names[s] for s in students],
         "texts": max(group, key=lambda one: one.share).texts,
         "exercises": ", ".join(_shares(group))}
        for students, group in sorted(groups(answers), key=lambda g: -len(g[1]))
    ]  # fmt: skip


def _shares(group):
    """The exercises in which the students of a group are alike, and how much."""
    shares = collections.defaultdict(float)
    for one in group:
        shares[one.exercise] = max(shares[one.exercise], one.share)
    return [f"{exercise} {share:.0%}" for exercise, share in shares.items()]
