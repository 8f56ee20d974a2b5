"""Feedback: nbgrader's page for each graded submission, safe to open and hand out.

A page is one file and needs no network. Nothing in it can run: what a student wrote is
cleaned, and the page forbids the browser every script, besides.
"""

import base64
import functools
import html
import re
import secrets
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import bleach
import nbformat
from bleach.css_sanitizer import CSSSanitizer
from bs4 import BeautifulSoup
from nbconvert.exporters import HTMLExporter
from nbconvert.filters import Highlight2HTML, markdown2html
from nbgrader.api import Gradebook
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from traitlets import default

from minigrad import course

from ..verdict import NEEDS_GPU
from .book import open_course, submissions
from .grades import COUNTS, standing
from .lock import alone
from .preprocessors import Record

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")  # a terminal obeys them
LOOKS = """
td, th { padding: .2em .8em .2em 0; vertical-align: top; border-bottom: 1px solid #ddd }
.rendered_html code { white-space: nowrap }
.prompt { display: none }
summary { display: list-item }
"""
TAGS = {
    *bleach.ALLOWED_TAGS, "br", "caption", "dd", "del", "details", "div", "dl", "dt",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "p", "pre", "s", "span", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
}  # fmt: skip
NAMED = {"aria-label", "class", "colspan", "id", "role", "rowspan", "style", "title"}
STYLES = CSSSanitizer(
    ["background", "border", "border-radius", "color", "display", "font", "font-size",
     "font-weight", "height", "margin", "padding", "text-align", "width"]
)  # fmt: skip
SHOWN = "text/plain", "text/html", "image/png"
_environments = {}  # where templates lie -> Jinja's environment


class Page(HTMLExporter):
    """nbconvert's HTML without anything that could run, load or tell on the grader."""

    @default("sanitize_html")
    def _sanitize_html_default(self):
        return True

    @default("exclude_anchor_links")
    def _exclude_anchor_links_default(self):
        return True

    def default_filters(self):
        yield from super().default_filters()
        yield "clean_html", clean
        yield "markdown2html", markdown

    def _create_environment(self):
        """Of templates that are compiled for the first page; each sets its filters."""
        places = tuple(self.template_paths)
        if places not in _environments:
            _environments[places] = super()._create_environment()
        return _environments[places]

    def from_notebook_node(self, nb, resources=None, **kwargs):
        """As HTMLExporter does it, but the page is parsed once, without its code."""
        for cell in nb.cells:
            _strip(cell)
        resources = self._init_resources(resources)
        mark, codes = secrets.token_hex(), []

        def noted(source, **_):
            codes.append(highlighted(source))
            return f"{mark}-{len(codes) - 1}-"

        self.register_filter("highlight_code", noted)
        make = super(HTMLExporter, self).from_notebook_node
        text, resources = make(nb, resources, **kwargs)
        text = re.sub(f"{mark}-(\\d+)-", lambda m: codes[int(m[1])], _inert(text))
        return CONTROL.sub("", _without_paths(text)), resources

    def _preprocess(self, nb, resources):
        nb, resources = super()._preprocess(nb, resources)  # nbgrader's sums, too
        _leave_out(nb, resources.get("nbgrader"))
        return nb, resources


class Done(NamedTuple):
    """What became of one page. state: "written", "not graded" or "failed"."""

    student: str
    lab: str
    state: str
    why: str = ""


def feedback(directory, lab=None, students=None):
    """Write feedback/STUDENT/LAB/LAB.html where there is a grade; return the Dones."""
    root = Path(directory).resolve()
    api = open_course(root)
    api.config.GenerateFeedback.exporter_class = Page
    found = submissions(root, lab, students or ())
    console, done = Console(), []
    columns = TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn()
    with alone(root), Progress(*columns, console=console) as progress:
        task = progress.add_task("feedback", total=len(found))
        for student, name in found:
            progress.update(task, description=student)
            done.append(_one(api, root, student, name))
            progress.advance(task)
    _tell(console, root, done)
    return done


@functools.lru_cache(128)  # a class has the lab's own texts in common
def highlighted(code):
    """Code as HTML: spans of colours around what is escaped."""
    return Highlight2HTML()(code)


@functools.lru_cache(512)
def markdown(text):
    """Markdown as HTML in which nothing can run; attachments are left out."""
    return clean(markdown2html(text.replace("attachment:", "")))


def clean(text):
    """HTML without scripts, forms, frames, other files; an SVG becomes an image."""
    text = re.sub(r"(?is)<svg\b.*?</svg>", _as_image, str(text))
    allowed = {"*": _is_allowed}
    return bleach.clean(text, tags=TAGS, attributes=allowed, css_sanitizer=STYLES,
                        protocols={"http", "https", "mailto", "data"})  # fmt: skip


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
            console.print(text, markup=False, soft_wrap=True)


def _leave_out(nb, names):
    """Take what needs a GPU, and nobody has given points for, out of the sum."""
    cells = [c for c in nb.cells if c.metadata.get("minigrad", {}).get(NEEDS_GPU)]
    if not cells or "max_score" not in (names or ()):
        return
    where = names["notebook"], names["assignment"], names["student"]
    with Gradebook(names["db_url"]) as book:
        for cell in cells:
            marks = cell.metadata.nbgrader
            if book.find_grade(marks.grade_id, *where).manual_score is None:
                names["max_score"] -= marks.points
                marks.points = 0


def _strip(cell):
    """Leave of a cell what a page shows: text, results, nbgrader's marks."""
    marks = cell.metadata.get("nbgrader", {})
    known = re.fullmatch(r"[\w-]+", str(marks.get("grade_id", "")))
    waits = bool(cell.metadata.get("minigrad", {}).get(NEEDS_GPU))
    kept = {"nbgrader": marks, "minigrad": {NEEDS_GPU: waits}}
    cell.metadata = nbformat.from_dict(kept if known else {})
    cell.pop("attachments", None)
    if cell.cell_type != "code":
        return
    cell.execution_count = None
    for output in cell.outputs:
        for key in {"metadata", "execution_count"}.intersection(output):
            output[key] = None if key == "execution_count" else type(cell.metadata)()
        if "data" in output:
            kept = {kind: output.data[kind] for kind in SHOWN if kind in output.data}
            output.data = type(cell.metadata)(kept)


def _as_image(found):
    """An SVG as an image, in which no script runs; its title is the text instead."""
    title = re.search(r"(?is)<title[^>]*>(.*?)</title>", found[0])
    alt = html.escape(
        html.unescape(title[1]).strip() if title else "picture", quote=True
    )
    svg = found[0]
    if "xmlns=" not in svg.split(">")[0]:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{alt}" src="data:image/svg+xml;base64,{data}">'


def _is_allowed(tag, name, value):
    data = value.strip().lower().startswith("data:")
    if tag == "a" and name == "href":
        return not data
    if tag == "img" and name in ("src", "alt", "width", "height"):
        return name != "src" or value.startswith("data:image/")
    return name in NAMED


def _inert(text):
    """The page without scripts and links to other files, and with its policy."""
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(["script", "link", "iframe", "object", "embed", "base"]):
        tag.decompose()
    for image in soup("img"):
        alt = image.attrs.setdefault("alt", "picture")
        if not image.get("src"):
            image.replace_with(alt)
    for style in soup("style"):  # icon fonts lie in files beside the style sheet
        style.string = re.sub(r"@font-face\s*\{[^}]*\}", "", style.string or "")
    for link in soup.select("#toc a[href$='-check']"):
        link.string = link["href"][1:].removesuffix("-check")
    looks = soup.new_tag("style")
    looks.string = LOOKS
    soup.head.append(looks)
    policy = soup.new_tag("meta", content=POLICY)
    policy["http-equiv"] = "Content-Security-Policy"
    soup.head.insert(0, policy)
    return str(soup)


def _without_paths(text):
    """The page without the grader's folders, which are nobody else's business."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"/minigrad-\w+", "…", text)
    places = {str(course.home()), str(Path.cwd()), sys.prefix, str(Path.home())}
    for place in sorted(places, key=len, reverse=True):
        text = text.replace(place + "/", "…/") if len(place) > 1 else text
    return text
