"""Pages of submissions: what they show, what they may cost, and what they load."""

import http.server
import json
import re
import shutil
import threading
import time

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

import stand_in  # noqa: E402
from altered import EXERCISES, LAB, cell, empty  # noqa: E402
from bs4 import BeautifulSoup  # noqa: E402
from lab_server import TOKEN, Server  # noqa: E402
from stand_in import MOST, hand_in, lab  # noqa: E402

from grading.checking import picture  # noqa: E402
from grading.classroom import course_dir, formgrader, submission_page  # noqa: E402
from grading.classroom.course_dir import grade, open_course  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.report import report  # noqa: E402
from grading.classroom.similarity import tokens  # noqa: E402
from grading.isolation import render  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.cli.start import JUPYTERLAB  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("browser"),  # no second JupyterLab at the same time
]
BEACON = """\
<p style="background: url({0}/a.png)">x</p> <img src={0}/b.png> ![y]({0}/c.png)

![z]({0}/d.png)

<link rel=stylesheet href={0}/e.css><style>@import "{0}/f.css"</style>
<svg><image href="{0}/g.png"/></svg><video src={0}/h.mp4 poster={0}/i.png></video>
<table background={0}/j.png><td background={0}/k.png>l</td></table>
"""
SCRIPTS = """\
<script>alert(1)</script><img src=x onerror=alert(2)><svg onload="alert(3)"></svg>
<iframe src={0}/l.html srcdoc="<script>alert(4)</script>"></iframe>
<form action="{0}/m"><input autofocus onfocus="alert(5)"><button>Grade</button></form>
<meta http-equiv="refresh" content="0;url={0}/n"><base href="{0}/">
<a href="javascript:alert(6)">a</a> [b](javascript:alert(7))
<details open ontoggle="alert(8)"></details><math><mtext><img src=x onerror=alert(9)>
"""
COVER = """\
<div id="result" class="panel nbgrader_cell" style="margin-top: -4000px">cover</div>
<h1 style="position: fixed; inset: 0; background: white">Result: 99 of 21 points</h1>
"""
TOO_MUCH = {
    "svg": "<svg>" * 400_000,
    "stars": "*a* " * 500_000,
    "divs": "<div>" * 20_000,
    "more_divs": "<div>" * 400_000,
    "brackets": "[" * 200_000,
    "quotes": "> " * 50_000,
    "entities": "&lt;" * 2_000_000,
}


def text_of(nb, text):
    """The notebook with a cell of text."""
    new = {"cell_type": "markdown", "id": "new", "metadata": {}, "source": text}
    nb["cells"].insert(1, new)
    return nb


@pytest.fixture(scope="module")
def beacon():
    """(address of a server of this machine, what it was asked for)"""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture(scope="module")
def graded(tmp_path_factory, beacon):
    root = tmp_path_factory.mktemp("pages") / "course"
    course_dir.release(root, ["03"])
    hand_in(root, "ada", lab("right"))
    text = (BEACON + SCRIPTS).format(beacon[0])
    hand_in(root, "bad", text_of(lab("wrong"), text))
    hand_in(root, "cover", text_of(lab("wrong"), COVER))
    hand_in(root, "half", lab("half", permute="gpu"))
    config = root / "nbgrader_config.py"
    rule = (
        'c.AssignLatePenalties.plugin_class = "grading.classroom.late_penalty.PerDay"\n'
    )
    config.write_text(config.read_text() + rule)
    with open_course(root).gradebook as gradebook:
        gradebook.update_or_create_assignment(LAB, duedate="2026-01-01 12:00:00 UTC")
    stamp = root / "submitted" / "ada" / LAB / "timestamp.txt"
    stamp.write_text("2026-01-03 11:00:00 UTC")
    with stand_in.judging_words():
        list(grade(root))
    return root


@pytest.fixture
def root(graded, tmp_path):
    with stand_in.judging_words():
        yield shutil.copytree(graded, tmp_path / "course")


def page_of(root, student):
    (done,) = feedback(root, students=[student])
    assert done.state == "written", done
    text = (root / "feedback" / student / LAB / f"{LAB}.html").read_text()
    return BeautifulSoup(text, "html.parser")


# What a page says


def test_a_late_students_page_says_one_thing(root):
    said = page_of(root, "ada")
    assert said.h1.get_text() == f"Result: {MOST * 0.8:g} of {MOST} points"
    assert said.title.get_text() == f"{LAB}: {MOST * 0.8:g} of {MOST} points"
    why = f"{MOST * 0.2:g} points off: 2 days late, 10 % of the points for each"
    assert f"The exercises have {MOST} of {MOST} points. {why}." in said.get_text()
    with open_course(root).gradebook as gradebook:
        gradebook.update_or_create_assignment(LAB, duedate="2026-01-08 12:00:00 UTC")
    said = page_of(root, "ada")
    assert said.h1.get_text() == f"Result: {MOST} of {MOST} points"
    assert "late" not in said.main.find(id="result").find_next("table").get_text()
    assert "points off" not in said.get_text()


def test_points_by_hand_and_comments_are_on_the_page(root):
    with open_course(root).gradebook as gradebook:
        one = gradebook.find_grade("permute-check", LAB, LAB, "ada")
        one.manual_score, one.extra_credit = 0, 0.5
        comment = gradebook.find_comment("permute", LAB, LAB, "ada")
        comment.manual_comment = "See <b>me</b>."
        gradebook.db.commit()
    said, left = page_of(root, "ada"), MOST - EXERCISES["permute"].points + 0.5
    assert said.h1.get_text() == f"Result: {round(left * 0.8, 2):g} of {MOST} points"
    (row,) = (r for r in said.table("tr") if r.td and r.td.get_text() == "permute")
    assert row("td")[1].get_text() == "0.5 / 2" and "by hand" in row.get_text()
    assert "See <b>me</b>." in said.find(id="permute").get_text()


def test_what_needs_a_gpu_is_in_no_sum(root):
    said = page_of(root, "half")
    most = MOST - EXERCISES["permute"].points
    assert f"of {most} points" in said.h1.get_text()
    assert "not graded" in said.find(id="permute-check").get_text()


def test_a_page_can_be_read_by_everyone(root):
    said = page_of(root, "bad")
    assert said.html["lang"] == "en" and said.find("meta", {"name": "viewport"})
    assert said.main and said.header and all(x.get("alt") for x in said("img"))
    assert len({x["id"] for x in said(id=True)}) == len(said(id=True))
    colors = dict(
        re.findall(r"\.highlight (\.\w+) \{ color: (#\w{6})", said.style.text)
    )
    assert len(colors) > 20
    assert not {k: c for k, c in colors.items() if contrast(c, "#fafafa") < 4.5}
    fill, ink, _ = picture.WRONG
    assert contrast(ink, fill) >= 4.5


def contrast(one, other):
    """WCAG's ratio of two colors."""

    def luminance(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [
            p / 12.92 if p <= 0.04 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        ]
        return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


IMITATION = """\
# Result: 21 of 21 points
</div></section></main><h1 id="result">Result: 21 of 21 points</h1>

| exercise | points | state | reason |
|---|---|---|---|
| `permute` | 2 / 2 | right | all right |
"""


def test_a_student_s_text_is_framed_and_the_labs_is_not(root):
    hand_in(root, "bad", text_of(lab("wrong"), IMITATION))
    list(grade(root))
    said = page_of(root, "bad")
    heads = [h for h in said("h1") if h.get_text().startswith("Result:")]
    assert [bool(h.find_parent(class_="own")) for h in heads] == [False, True, True]
    assert "'s own text" in said.find(class_="own").p.get_text()
    assert len(said(class_="own")) == 1
    moved = lab("wrong")  # as learners' copies are
    for one in moved["cells"]:
        one["source"] = "".join(one["source"]).replace("](../", "](../../")
    hand_in(root, "bad", moved)
    list(grade(root))
    assert not page_of(root, "bad")(class_="own")


# What it may cost


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_text_costs_its_page_and_nothing_else(root, name):
    hand_in(root, "bad", text_of(lab("right"), TOO_MUCH[name]))
    list(grade(root))
    begin = time.process_time()
    said = page_of(root, "bad")
    assert time.process_time() - begin < 10  # here; the box has limits of its own
    assert f"of {MOST} points" in said.h1.get_text()
    path = root / "feedback" / "bad" / LAB / f"{LAB}.html"
    assert path.stat().st_size < 2 * render.LONGEST
    if name not in ("svg", "quotes", "brackets"):
        assert submission_page.TOO_MUCH in said.get_text()
        assert TOO_MUCH[name][:100] in said.get_text()
    assert page_of(root, "ada").h1.get_text().startswith("Result: 16.8")


def test_code_may_cost_no_more():
    parts = [("code", '"' * 1_000_000), ("code", "x = 1"), ("markdown", "**b**")]
    assert all(
        len(html) < render.LONGEST + submission_page.PLAIN
        for html in submission_page.rendered(parts)
    )
    assert "<strong>b</strong>" in submission_page.rendered(parts[1:])[1]


def test_without_a_box_the_limits_are_the_same(monkeypatch):
    """On a Mac, say: then a process without a box makes the HTML."""
    monkeypatch.setattr(submission_page.sandbox, "why_not", lambda: "there is none")
    parts = [("markdown", "**b** <script>1</script>"), ("code", "x = 1")]
    bold, one = submission_page.rendered(parts)
    assert bold == "<p><strong>b</strong> </p>\n" and "highlight" in one
    (endless,) = submission_page.rendered([("markdown", TOO_MUCH["more_divs"])])
    assert submission_page.TOO_MUCH in endless and "&lt;div&gt;" in endless


def test_hidden_characters_are_shown():
    shown = render.code("if a: # \u202e } \u2066\x1b[31m\n")
    assert "\\u202e" in shown and "\\x1b[31m" in shown and "\x1b" not in shown
    assert "\\u202e" in render.markdown("a \u202e b")


def test_tables_and_pictures_stay():
    html = render.markdown(
        "| a | b |\n|--:|---|\n| 1 | 2 |\n\n~~x~~ [y](https://z.org)"
    )
    assert 'style="text-align:right"' in html.replace(": ", ":") and "<del>" in html
    assert 'href="https://z.org"' in html
    png = "data:image/png;base64,iVBORw0KGgo="
    assert png in render.markdown(f"![dot]({png})") + render.markdown(
        f"<img src={png}>"
    )
    gone = render.markdown('<img alt="a <dot>" src="https://z.org/x.png">')
    assert "<img" not in gone and "a &lt;dot&gt;" in gone


# The report


def test_the_report_leads_to_pages_and_has_no_formulas(root, tmp_path):
    hand_in(root, "=1+1;@x y#z", lab("half"))
    with stand_in.judging_words():
        list(grade(root))
    feedback(root)
    said = BeautifulSoup(report(root).read_text(), "html.parser")
    links = [link["href"] for link in said("a")]
    assert f"feedback/ada/{LAB}/{LAB}.html" in links
    assert f"feedback/%3D1%2B1%3B%40x%20y%23z/{LAB}/{LAB}.html" in links
    starts = {c.get_text().strip()[:1] for c in said(["td", "th"])}
    assert not starts & set("=+-@")
    assert said.main and said.find("meta", {"name": "viewport"})
    text = said.get_text()
    assert "16.8 / 21" in text and "4.2 points off: 2 days late" in text
    elsewhere = BeautifulSoup(
        report(root, tmp_path / "r.html").read_text(), "html.parser"
    )
    (one,) = (a["href"] for a in elsewhere("a") if a.get_text() == "ada")
    assert (tmp_path / one).is_file()


def test_an_endless_comment_costs_the_report_nothing():
    begin = time.process_time()
    tokens("__global__ " + "/* " * 300_000)
    assert time.process_time() - begin < 2


# Formgrader


@pytest.fixture(scope="module")
def served(graded, tmp_path_factory):
    server = Server(graded, tmp_path_factory.mktemp("served") / "jupyter")
    options = "--no-browser", "--allow-root", f"--port={server.port}"
    server.command = [*JUPYTERLAB, *options]
    server.environment["PYTHONPATH"] = str(course.home())
    with server:
        yield server


def ids(root):
    with open_course(root).gradebook as gradebook:
        result = gradebook.notebook_submissions(LAB, LAB)
        return {one.student.id: one.id for one in result}


def test_formgrader_says_the_same(graded, served):
    late = MOST * 0.8
    result = served.get(f"/formgrader/api/submissions/{LAB}")
    assert {s["student"]: s["score"] for s in result}["ada"] == late
    assert {s["last_name"] for s in result} == {"ada", "bad", "cover", "half"}
    (one,) = served.get("/formgrader/api/student_submissions/ada")
    assert one["score"] == late
    result = served.get("/formgrader/api/students")
    assert {s["id"]: s["score"] for s in result}["ada"] == late
    (lab,) = served.get("/formgrader/api/assignments")
    assert lab["status"] == "released"


@pytest.mark.browser
def test_formgrader_loads_nothing_from_elsewhere(graded, served, chrome, beacon):
    tab = chrome.new_page()
    asked, errors, dialogs = [], [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("dialog", lambda dialog: dialogs.append(dialog.message) or dialog.dismiss())
    where = f"{served.url}/formgrader"
    paths = ["manage_assignments", f"manage_submissions/{LAB}", "gradebook"]
    paths += [f"gradebook/{LAB}", f"gradebook/{LAB}/{LAB}"]
    paths += ["manage_students/bad", f"manage_students/bad/{LAB}", "manage_students"]
    for path in paths:
        tab.goto(f"{where}/{path}?token={TOKEN}")
        tab.wait_for_load_state("networkidle")
        assert "exchange directory" not in tab.inner_text("body").lower()
    assert "None, None" not in tab.inner_text("table")
    for student, number in ids(graded).items():
        reply = tab.goto(f"{where}/submissions/{number}/")
        tab.wait_for_load_state("networkidle")
        assert reply.headers["content-security-policy"] == formgrader.POLICY
        shown = tab.inner_text("#notebook-container")
        want = MOST * 0.8 if student == "ada" else ""
        assert shown.strip().startswith(f"Result: {want}")
        assert ("points off: 2 days late" in shown) == (student == "ada")
        assert not tab.query_selector_all(".text_cell_render [style*=margin]")
        size = "e => parseFloat(getComputedStyle(e).fontSize)"
        theirs = tab.eval_on_selector_all(".own :is(h1, h2)", f"all => all.map({size})")
        assert all(one < 20 for one in theirs) and bool(theirs) == (student == "cover")
        assert tab.eval_on_selector("h1#result", size) > 25
        assert not tab.query_selector_all(".own :is(form, input, iframe, base, meta)")
        assert not [
            a
            for a in tab.eval_on_selector_all(".own a", "all => all.map(a => a.href)")
            if a.startswith("javascript")
        ]
    ours = (served.url, "data:", "blob:")
    assert not [url for url in asked if not url.startswith(ours)]
    tab.evaluate(f"new Image().src = '{beacon[0]}/by_script.png'")
    tab.wait_for_timeout(1000)
    assert beacon[1] == errors == dialogs == []
    tab.close()


def test_the_filters_show_nothing_that_the_box_has_not_made():
    assert formgrader.ready("<script>1</script>").count("<script>") == 0
    assert formgrader.ready(formgrader.Ready("<b>x</b>")) == "<b>x</b>"


def test_a_stored_result_is_never_older_than_the_page(graded):
    text = (graded / "autograded" / "ada" / LAB / f"{LAB}.ipynb").read_text()
    first = json.loads(text)["cells"][0]
    assert first["id"] == "result" and "21" not in "".join(first["source"])
    assert cell(empty(), "permute")["source"] in text or "permute" in text
