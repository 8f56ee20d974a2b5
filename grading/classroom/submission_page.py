"""What a page shows of a submission: its result, and the cells of its notebook.

The student's feedback and formgrader show the same. What the student wrote becomes HTML
in the box; here it's only put together.
"""

import base64
import functools
import html
import json
import re
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from minigrad import course
from minigrad.exercises.sandbox import PATIENCE

from ..checking.verdict import number, plural
from ..isolation import codec, render, sandbox
from ..isolation.forks import Fork
from ..isolation.safe_text import visible
from . import repair
from .grades import grade_of, said
from .preprocessors import Record, reason

SECONDS = PATIENCE * render.LIMITS["RLIMIT_CPU"]
LAB_TEXT = 20_000  # characters, above which a text is no lab's
LINK = re.compile(r"\]\([^()]{0,300}\)")
PLAIN = 200_000  # characters that are shown of a text as it is
LONGEST = 400  # characters of a reason in the table
TOO_MUCH = "This text takes too long, or is too long, to show, so here is its source."
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# A student's text could look like the result, but not in a frame and with small heads.
OWN = Markup('<div class="own"><p class="by">The student\'s own text</p>{}</div>')
OWN_LOOKS = """\
.own { border: 1px dashed #777; padding: 0 .8em; margin: 1em 0 }
.own > .by { margin: 0; font-size: 12px; color: #555 }
.own h1, .own h2, .own h3 { font-size: 1em !important; margin: .5em 0 !important }
"""
RESULT = Environment(autoescape=True).from_string("""\
<h1 id="result">Result: {{ total }}</h1>
{% if penalty %}<p>The exercises have {{ before }}. {{ penalty }}.</p>{% endif %}
{% if why %}<p>This submission could not be graded: {{ why }}</p>{% endif %}
<table>
<thead><tr><th scope="col">exercise</th><th scope="col">points</th>\
<th scope="col">state</th><th scope="col">reason</th></tr></thead>
<tbody>{% for row in rows %}<tr>\
<td><a href="#{{ row[0] }}-check"><code>{{ row[0] }}</code></a></td>\
{% for text in row[1:] %}<td>{{ text }}</td>{% endfor %}</tr>
{% endfor %}</tbody>
</table>
{% if notes %}<p>Noted while grading:</p>
<ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
""")
VERDICT = Environment(autoescape=True).from_string("""\
<p class="points">{{ name }}: {{ points }}</p>
<pre>{{ text }}</pre>
{% for url, alt in pictures %}<img src="{{ url }}" alt="{{ alt }}">{% endfor %}
""")


class Shown:
    """What is shown of a submission now, by the gradebook and the verdicts.

    result: HTML. cells: (cell, HTML) of the notebook; a check's HTML is its verdict.
    """

    def __init__(self, root, book, penalties, lab, student):
        root = Path(root)
        self.grade = grade_of(root, book, penalties, lab, student)
        self._record = Record(root, lab, student).read()
        self._verdicts = {e["name"]: e for e in self._record.get("exercises", [])}
        self._points = {e.name: e for e in self.grade.exercises}
        self.total = _of(self.grade.points, self.grade.max_points)
        self.result = self._result()
        path = root / "autograded" / student / lab / f"{lab}.ipynb"
        cells = json.loads(path.read_text("utf-8"))["cells"]
        cells = [cell for cell in cells if cell.get("id") != "result"]
        released = (root / "release" / lab / f"{lab}.ipynb").read_bytes()
        texts = course_texts(released)
        self._lines = course_lines(released, lab)
        self.cells = [*zip(cells, self._shown(cells, texts), strict=True)]

    def _result(self):
        grade, rows = self.grade, []
        for name, verdict in self._verdicts.items():
            one = self._points.get(name)
            shown = "not graded"
            if one and one.points is not None:
                shown = f"{number(one.points)} / {number(one.max_points)}"
            why = reason(verdict)
            why = "" if why == verdict["state"] else why
            if one and one.reason == "changed by hand":
                why = f"changed by hand; the check said: {why}"
            why = visible(" ".join(why.split())[:LONGEST])
            rows.append((name, shown, verdict["state"], why))
        before = sum(e.points for e in grade.exercises if e.points is not None)
        return Markup(RESULT.render(
            total=self.total,
            before=_of(before, grade.max_points),
            penalty=said(grade.penalty),
            why=visible(grade.why) if grade.state == "not gradable" else "",
            rows=rows,
            notes=[*map(visible, self._record.get("warnings", ()))],
        ))  # fmt: skip

    def _shown(self, cells, known):
        parts = [(_kind(cell), "".join(cell["source"])) for cell in cells]
        new = [part for part in parts if part not in known]
        pages = {**known, **dict(zip(new, rendered(new), strict=True))}
        for kind, text in new:
            if kind == "markdown" and not self._is_the_labs(text):
                pages[kind, text] = OWN.format(pages[kind, text])
        for cell, part in zip(cells, parts, strict=True):
            name = is_check(cell) and repair.CHECK.search(part[1])[1]
            yield self._verdict(name, cell) if name in self._verdicts else pages[part]

    def _is_the_labs(self, text):
        """Is each line of a text the lab's own, with whatever links?"""
        lines = text.splitlines() if len(text) < LAB_TEXT else [text]
        return all(_without_links(line) in self._lines for line in lines)

    def _verdict(self, name, cell):
        verdict, one = self._verdicts[name], self._points.get(name)
        message = [f["message"] for f in verdict["failures"][:1]]
        points = _of(one.points, one.max_points) if one else "not graded"
        text = visible("\n".join([verdict["summary"], *message]))
        pictures = [*map(_picture, _svgs(cell))]
        return Markup(VERDICT.render(
            name=name, points=points, text=text, pictures=pictures))  # fmt: skip


@functools.lru_cache(16)
def course_texts(released):
    """{(kind, text): HTML} of a lab as it was handed out, of which pages have most."""
    cells = json.loads(released)["cells"]
    parts = [(_kind(cell), "".join(cell["source"])) for cell in cells]
    return dict(zip(parts, rendered(parts), strict=True))


@functools.lru_cache(16)
def course_lines(released, lab):
    """The lines of a lab's texts, as it was released and as learners find it."""
    beside = course.home() / "labs" / f"{lab}.ipynb"
    books = [released, beside.read_bytes()] if beside.is_file() else [released]
    cells = [cell for book in books for cell in json.loads(book)["cells"]]
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    return {_without_links(line) for text in texts for line in text.splitlines()}


def rendered(parts):
    """The HTML of each (kind, text); the source of what is too much for a page."""
    if not parts:
        return []
    try:
        pages = _in_the_box(parts)
    except (OSError, EOFError, ValueError):  # it was too slow, or too large
        pages = [None] * len(parts)
    return [
        source(text) if page is None else Markup(page)
        for (_, text), page in zip(parts, pages, strict=True)
    ]


def source(text):
    """A text as it is, for want of anything better."""
    note = Markup("<p>{}</p>").format(TOO_MUCH)
    return note + Markup("<pre>{}</pre>").format(visible(text[:PLAIN]))


def is_check(cell):
    """Is this cell of a graded notebook a check? Its marks are the grader's."""
    return bool(cell["metadata"].get("nbgrader", {}).get("grade"))


def without_paths(text, places):
    """The text without the grader's folders, which are nobody else's business."""
    for place in sorted(places, key=len, reverse=True):
        text = text.replace(place + "/", "…/") if len(place) > 1 else text
    return text


def _in_the_box(parts):
    fork = Fork(bool(sandbox.why_not()))
    try:
        fork.line.send(codec.encode(["pages", [list(part) for part in parts]]), SECONDS)
        most = 2 * render.LONGEST
        pages = codec.decode(fork.line.receive(SECONDS, most), most=most)
    finally:
        fork.end()
    if not isinstance(pages, list) or len(pages) != len(parts):
        raise ValueError("not the texts of a page")
    if not all(page is None or isinstance(page, str) for page in pages):
        raise ValueError("not the texts of a page")
    return pages


def _without_links(line):
    return LINK.sub("]()", line).strip()


def _kind(cell):
    return "code" if cell["cell_type"] == "code" else "markdown"


def _of(points, most):
    if points is None:
        return "not graded"
    return f"{number(round(points, 2))} of {plural(round(most, 2))}"


def _svgs(cell):
    """The pictures of a verdict, which the grader has drawn."""
    for output in cell.get("outputs", ()):
        text = "".join(output.get("data", {}).get("text/html", ""))
        yield from re.findall(r"(?s)<svg\b.*?</svg>", text)


def _picture(svg):
    """(URL, alternative text) of an SVG, in which nothing runs."""
    title = re.search(r"(?s)<title[^>]*>(.*?)</title>", svg)
    alt = html.unescape(title[1]).strip() if title else "picture"
    if "xmlns=" not in svg.split(">")[0]:
        svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}", alt
