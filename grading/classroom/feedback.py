"""Feedback: a page for each graded submission, safe to open and hand out.

A page is one file and needs no network. Nothing in it can run: what a student wrote is
cleaned, and the page forbids the browser every script, besides.
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment
from markupsafe import Markup
from nbconvert.exporters import Exporter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from minigrad import course

from ..isolation import render
from ..isolation.safe_text import visible
from .course_dir import open_course, penalties_of, submissions
from .grades import COUNTS, standing
from .lock import alone
from .nbgrader_patches import gradebook
from .preprocessors import Record
from .submission_page import OWN_LOOKS, POLICY, Shown, is_check, without_paths

PAGE = Environment(autoescape=True).from_string("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ lab }}: {{ total }}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
       max-width: 56em; margin: 0 auto; padding: 1em }
table { border-collapse: collapse; display: block; overflow-x: auto }
td, th { padding: .25em 1em .25em 0; text-align: left; vertical-align: top;
         border-bottom: 1px solid #ccc }
pre { overflow: auto; padding: .6em; background: #fafafa; font-size: 13px;
      line-height: 1.4 }
td:nth-child(2), td:nth-child(3) { white-space: nowrap }
section.text h1 { font-size: 1.4em }
section.text h2 { font-size: 1.2em }
code, pre { font-family: ui-monospace, monospace }
img { max-width: 100% }
section.check, section.answer { border-left: 4px solid #0072b2; padding-left: .8em;
                                margin: 1em 0 }
section.answer { border-color: #777 }
section.text { overflow: hidden; contain: content }
.points, .comment { font-weight: bold; margin-bottom: 0 }
.points + pre { white-space: pre-wrap }
{{ looks }}
{{ colors }}
</style>
</head>
<body>
<header><p>{{ lab }}, {{ student }}</p></header>
<main>
{{ result }}
<h2>The notebook, as it was graded</h2>
{% for kind, id, html, comment in cells %}\
<section class="{{ kind }}"{% if id %} id="{{ id }}"{% endif %}>
{{ html }}
{% if comment %}<p class="comment">Comment</p><p>{{ comment }}</p>{% endif %}
</section>
{% endfor %}
</main>
</body>
</html>
""")


class Page(Exporter):
    """What nbgrader is given to write feedback: a page by the gradebook as it is."""

    file_extension = ".html"

    def from_filename(self, filename, resources=None, **kwargs):
        names, root = resources["nbgrader"], self.parent.coursedir.root
        resources["output_extension"] = self.file_extension
        text = page(root, names["db_url"], names["assignment"], names["student"])
        return text, resources


class Done(NamedTuple):
    """What became of one page. state: "written", "not graded" or "failed"."""

    student: str
    lab: str
    state: str
    why: str = ""


def page(root, db_url, lab, student):
    """The page of a graded submission."""
    with gradebook(db_url) as book:
        shown = Shown(root, book, penalties_of(root), lab, student)
        comments = _comments(book, lab, student)
    text = PAGE.render(
        policy=POLICY,
        lab=lab,
        student=student,
        total=shown.total,
        result=shown.result,
        cells=[_cell(cell, html, comments) for cell, html in shown.cells],
        looks=Markup(OWN_LOOKS),
        colors=render.CODE.get_style_defs(".highlight"),
    )
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/minigrad-\w+", "…", text)
    places = str(course.home()), str(Path.cwd()), sys.prefix, str(Path.home())
    return without_paths(text, set(places))


def feedback(directory, lab=None, students=None):
    """Write feedback/STUDENT/LAB/LAB.html where there is a grade; return the Dones."""
    root = Path(directory).resolve()
    api = open_course(root)
    api.config.GenerateFeedback.exporter_class = Page
    pairs = submissions(root, lab, students or ())
    console, done = Console(), []
    columns = TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn()
    with alone(root), Progress(*columns, console=console) as progress:
        task = progress.add_task("feedback", total=len(pairs))
        for student, name in pairs:
            progress.update(task, description=student)
            done.append(_one(api, root, student, name))
            progress.advance(task)
    _tell(console, root, done)
    return done


def _one(api, root, student, lab):
    """Make one page; whatever goes wrong with it, the next one follows."""
    state, why, _ = standing(root, lab, student)
    try:
        if state not in COUNTS:
            # The page of an earlier submission would pass for one of this.
            shutil.rmtree(root / "feedback" / student / lab, ignore_errors=True)
            return Done(student, lab, "not graded", why)
        if not Record(root, lab, student).is_written():
            why = "what was graded is gone from autograded/: grade it again"
            return Done(student, lab, "failed", why)
        result = api.generate_feedback(lab, student, force=True)
        if result["success"]:
            return Done(student, lab, "written")
        log = result.get("log", "")
        errors = re.findall(r"^ *[\w.]+(?:Error|Entry): .*", log, re.M)
        why = errors[-1].strip() if errors else "nbgrader gave no reason"
        return Done(student, lab, "failed", why)
    except Exception as error:  # one page never stops the others
        return Done(student, lab, "failed", f"{type(error).__name__}: {error}")


def _tell(console, root, done):
    written = sum(one.state == "written" for one in done)
    text = f"{written} of {len(done)} pages written below {root / 'feedback'}"
    console.print(text, markup=False, soft_wrap=True)
    for one in done:
        if one.state != "written":
            text = f"{one.student}, {one.lab}: {one.state}: {one.why}"
            console.print(visible(text), markup=False, soft_wrap=True)


def _comments(book, lab, student):
    """{grade id: comment}; in a course of ours a lab has one notebook."""
    notebooks = book.find_submission(lab, student).notebooks
    return {c.name: c.comment for n in notebooks for c in n.comments if c.comment}


def _cell(cell, html, comments):
    """(kind, id, HTML, comment) of a cell."""
    if cell["cell_type"] != "code":
        return "text", "", html, ""
    name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
    kind = "check" if is_check(cell) else "answer" if name else "code"
    return kind, name, html, comments.get(name, "")
