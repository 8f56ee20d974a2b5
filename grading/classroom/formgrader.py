"""nbgrader's formgrader on a class: what it shows, and what its pages may load.

`nbgrader_config.py` imports this, so it's there wherever formgrader is.
"""

from pathlib import Path

from jinja2 import DictLoader
from markupsafe import Markup
from nbconvert.preprocessors import Preprocessor
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.abc import ExchangeList
from nbgrader.server_extensions.formgrader import base, handlers

from .course_dir import penalties_of
from .nbgrader_patches import gradebook
from .submission_page import OWN_LOOKS, Shown, is_check, source

# Its pages have scripts in their text, and make functions of templates.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
)
# In place of nbconvert's, which loads MathJax from another server. Formgrader waits for
# it, and selects the first field then.
MATHJAX = {
    "mathjax.html.j2": """{% macro mathjax(url="") %}<script>
var MathJax = {Hub: {Startup: {signal: {
    Interest: tell => $(() => setTimeout(() => tell("End")))
}}}};
</script>{% endmacro %}"""
}
FILE_POLICY = "default-src 'none'; sandbox"  # of what was handed in with a notebook
LOOKS = Markup(
    "<style>.rendered_html td, .rendered_html th { padding: .2em 1em .2em 0 !important;"
    " text-align: left !important; vertical-align: top } "
    ".text_cell_render { overflow: hidden; contain: content } "
    f"{OWN_LOOKS}</style>"
)


class Ready(str):
    """HTML that was made in the box: filters leave it as it is."""


def ready(text, *args, **kwargs):
    """A filter's result: what is Ready; of anything else its plain text."""
    return text if isinstance(text, Ready) else str(source(str(text)))


class Show(Preprocessor):
    """Puts in place of a graded notebook what is shown of it now."""

    enabled = True

    def __init__(self, parent, **more):
        super().__init__(parent=parent, **more)
        parent.extra_loaders = [DictLoader(MATHJAX)]

    def preprocess(self, nb, resources):
        folder, courses = Path(resources["metadata"]["path"]), self.parent.config
        where = CourseDirectory(config=courses)
        student, lab = folder.parent.name, folder.name
        with gradebook(where.db_url) as book:
            penalties = penalties_of(where.root)
            shown = Shown(where.root, book, penalties, lab, student)
        result = new_markdown_cell(Ready(LOOKS + shown.result))
        nb.cells = [result, *(_cell(*parts) for parts in shown.cells)]
        return nb, resources


class Released(ExchangeList):
    """The labs in release/. They are handed out by a platform, so there's no exchange.

    nbgrader asks for this list, and shows an alarm where it gets none.
    """

    def start(self):
        if self.remove:
            self.fail("a lab is released by its folder in release/: move that away")
        folders = Path(self.coursedir.root, "release").glob("*/*.ipynb")
        return [{"assignment_id": path.stem} for path in sorted(folders)]


class Api(NbGraderAPI):
    """nbgrader's, with points less the penalty for late work."""

    def get_submissions(self, assignment_id):
        return self._less(super().get_submissions(assignment_id))

    def get_notebook_submissions(self, assignment_id, notebook_id):
        rows = super().get_notebook_submissions(assignment_id, notebook_id)
        return self._less(rows, assignment_id)

    def get_student_submissions(self, student_id):
        return self._less(super().get_student_submissions(student_id))

    def get_student_notebook_submissions(self, student_id, assignment_id):
        rows = super().get_student_notebook_submissions(student_id, assignment_id)
        return self._less(rows, assignment_id)

    def get_student(self, *args, **kwargs):
        return self._totals([super().get_student(*args, **kwargs)])[0]

    def get_students(self):
        return self._totals(super().get_students())

    def _less(self, rows, lab=None):
        lost = self._penalties()
        for one in rows:
            less = lost.get((one["student"], lab or one["name"]), 0.0)
            one["score"] = round(max(0.0, one["score"] - less), 2)
            _named(one, one["student"])
        return rows

    def _totals(self, students):
        lost = self._penalties()
        for one in filter(None, students):
            mine = (n for (student, _), n in lost.items() if student == one["id"])
            one["score"] = round(one["score"] - sum(mine), 2)
            _named(one, one["id"])
        return students

    def _penalties(self):
        """{(student, lab): points} of whoever is late."""
        with gradebook(self.coursedir.db_url) as book:
            penalties = penalties_of(self.coursedir.root)
            late = [s for a in book.assignments if a.duedate for s in a.submissions]
            return {(s.student.id, s.assignment.name): penalties.of(s).points
                    for s in late}  # fmt: skip


def _named(one, student):
    """Give a student without a name their id, which is shown as "None, None" else."""
    if one.get("last_name") is None and one.get("first_name") is None:
        one |= {"last_name": student, "first_name": ""}


def _cell(cell, html):
    if cell["cell_type"] != "code":
        return new_markdown_cell(Ready(html))
    marks = {"nbgrader": cell["metadata"].get("nbgrader", {})}
    marks = marks if marks["nbgrader"] else {}
    if not is_check(cell):
        return new_code_cell(Ready(html), metadata=marks)
    verdict = new_output("display_data", {"text/html": Ready(html)})
    return new_code_cell(Ready(), metadata=marks, outputs=[verdict])


base.NbGraderAPI = Api
base.BaseHandler.content_security_policy = POLICY
handlers.SubmissionFilesHandler.content_security_policy = FILE_POLICY
