"""From release to grades, feedback and tables, with a class of every kind."""

import csv
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from bs4 import BeautifulSoup  # noqa: E402
from submissions import CLASS, EXERCISES, FULL, LAB, NONE, PART, write  # noqa: E402

from grading.checking.check import Judgment  # noqa: E402
from grading.classroom.collect import collect  # noqa: E402
from grading.classroom.course_dir import grade, open_course, release  # noqa: E402
from grading.classroom.export import export  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.preprocessors import Record, fingerprint  # noqa: E402
from grading.isolation import render  # noqa: E402
from grading.isolation.safe_text import visible  # noqa: E402
from grading.notebooks.build import dumps, notebook  # noqa: E402
from grading.processes import process  # noqa: E402
from minigrad import course  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("grade"),  # one class, graded once
]
MOST = {name: exercise.points for name, exercise in EXERCISES.items()}


@pytest.fixture(scope="module", autouse=True)
def short_limits():
    """What never ends computes until its limit: here that is soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "CELL_SECONDS", 2)
        patch.setattr(Judgment, "seconds", 1)
        yield


@pytest.fixture(scope="module")
def inbox(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inbox")
    write(folder)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory, inbox):
    """A course in which the class is graded: (its directory, what `grade` said)."""
    root = tmp_path_factory.mktemp("class") / "course"
    assert release(root, ["03"]) == [LAB]
    assert {done.what for done in collect(root, inbox)} == {"taken in"}
    return root, {one.student: one for one in grade(root)}


@pytest.fixture(scope="module")
def pages(graded):
    """{student: feedback page, parsed}"""
    root, _ = graded
    assert {done.state for done in feedback(root)} == {"written"}
    files = {one.student: page(root, one.student) for one in CLASS}
    return {name: BeautifulSoup(path.read_text(), "html.parser")
            for name, path in files.items()}  # fmt: skip


def page(root, student):
    return root / "feedback" / student / LAB / f"{LAB}.html"


def record(root, student):
    return Record(root, LAB, student).read()


def in_book(root, student):
    """{exercise: points} of nbgrader's gradebook."""
    with open_course(root).gradebook as book:
        grades = book.find_submission_notebook(LAB, LAB, student).grades
        return {g.name.removesuffix("-check"): g.score for g in grades}


def test_the_class_is_large_enough():
    assert len(CLASS) >= 30
    assert len({one.student for one in CLASS}) == len(CLASS)


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_points(graded, one):
    known = record(graded[0], one.student)
    points = {e["name"]: e["points"] for e in known["exercises"]}
    expected = one.expected or dict.fromkeys(EXERCISES, NONE)
    assert known["state"] == ("graded" if one.expected else "not gradable"), known[
        "why"
    ]
    assert bool(known["why"]) == (one.expected is None)
    for name, most in MOST.items():
        assert 0 <= points[name] <= most
        kind = FULL if points[name] == most else NONE if points[name] == 0 else PART
        assert kind == expected[name] or (kind, expected[name]) == (NONE, PART), (
            f"{name}: {points[name]} of {most}, expected {expected[name]}: {known}"
        )


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_reasons(graded, one):
    known = record(graded[0], one.student)
    exercises = {e["name"]: e for e in known["exercises"]}
    for name, state in one.states.items():
        assert exercises[name]["state"] == state
    for name, cause in one.causes().items():
        assert exercises[name]["failures"][0]["cause"] == cause
    assert one.warning in " ".join(known["warnings"])
    counting = [e["name"] for e in known["exercises"] if e["points"]]
    false = [f"the answer cell of {name} is missing" for name in counting]
    assert not set(false) & set(known["warnings"])
    assert all(e["summary"] for e in exercises.values())


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_the_book_says_what_the_verdicts_say(graded, one):
    root, said = graded
    known = record(root, one.student)
    points = {e["name"]: e["points"] for e in known["exercises"]}
    assert in_book(root, one.student) == pytest.approx(points)
    assert said[one.student].points == pytest.approx(sum(points.values()))


def test_one_half_is_some_points(graded):
    points = in_book(graded[0], "half_of_one")["contiguous_strides"]
    assert 0 < points < MOST["contiguous_strides"]


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_feedback_shows_points_and_reasons(graded, pages, one):
    known, soup = record(graded[0], one.student), pages[one.student]
    rows = [[cell.get_text() for cell in row("td")] for row in soup.table("tr")[1:]]
    assert [row[0] for row in rows] == list(EXERCISES)
    for row, exercise in zip(rows, known["exercises"], strict=True):
        assert row[1] == f"{exercise['points']:g} / {exercise['max_points']:g}"
        assert row[2] == exercise["state"]
        assert row[3] or row[2] == "not gradable"
    if known["state"] == "not gradable":
        assert soup.get_text().count(visible(known["why"])) == 1
    text = soup.get_text()
    for exercise in known["exercises"]:
        assert exercise["summary"].split(": ")[0] in text
        for failure in exercise["failures"][:1]:
            assert failure["message"].splitlines()[0] in text


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_feedback_is_safe_and_stands_alone(graded, pages, one):
    soup, text = pages[one.student], page(graded[0], one.student).read_text()
    assert not soup(["script", "link", "iframe", "object", "embed", "form"])
    assert "default-src 'none'" in soup.find("meta", {"http-equiv": True})["content"]
    for tag in soup(True):
        assert not [name for name in tag.attrs if name.startswith("on")]
        assert str(tag.get("src", "data:")).startswith("data:")
        assert not str(tag.get("href", "")).lower().startswith(("javascript", "data"))
    assert "@import" not in text and "@font-face" not in text
    secrets = [str(graded[0]), str(course.home()), sys.prefix, str(Path.home()) + "/"]
    assert not [secret for secret in secrets if secret in text]
    others = [other.student for other in CLASS if len(other.student) > 12]
    others = [name for name in others if name != one.student]
    assert not set(others) & set(re.findall(r"\w+", text))


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<a href="javascript:alert(1)">x</a>',
        '<a href="data:text/html,<script>alert(1)</script>">x</a>',
        "<svg onload=alert(1)></svg>",
        "<svg><script>alert(1)</script>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        '<p style="background: url(https://example.org)" onclick="alert(1)">x</p>',
        "<math><mtext><style><img src onerror=alert(1)></style></mtext></math>",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
        "<p id=result class=points style='margin: -9999px; position: fixed'>x</p>",
        "<td style='text-align: url(https://example.org); color: red'>x</td>",
        "![x](https://example.org/x.png) <img src='//example.org/y'>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='><img src=' data:image/png;x'>",
        '<a href="&#x6a;avascript:alert(1)">x</a> <a href=" data:text/html,1">y</a>',
        "<input name=x><button>y</button><select><option>z</select><video src=x>",
    ],
)
def test_clean(text):
    soup = BeautifulSoup(render.markdown(text), "html.parser")
    assert not soup(["script", "iframe", "svg", "style", "math", "noscript"])
    for tag in soup(True):
        assert not {"onerror", "onload", "onclick", "srcdoc"} & set(tag.attrs)
        assert not str(tag.get("href", "")).strip().startswith(("javascript", "data"))
        assert not {"id", "class"} & set(tag.attrs) and not tag.get("src")
        assert "style" not in tag.attrs
    assert not soup(["input", "button", "select", "video"])


def test_again_grades_nothing(graded):
    root, _ = graded
    before = {path: path.stat().st_mtime_ns for path in root.glob("verdicts/*/*")}
    assert not [one.student for one in grade(root) if one.fresh]
    assert before == {
        path: path.stat().st_mtime_ns for path in root.glob("verdicts/*/*")
    }


@pytest.fixture
def changed(graded, tmp_path):
    """A copy of the course in which three students are left."""
    root = shutil.copytree(graded[0], tmp_path / "course")
    for folder in (root / "submitted").iterdir():
        if folder.name not in ("right", "untouched", "picture"):
            shutil.rmtree(folder)
    return root


def hand_in(root, student, data, inbox):
    """A newer submission, by `collect`."""
    (inbox / student).mkdir(parents=True)
    (inbox / student / f"{LAB}.ipynb").write_bytes(data)
    assert [done.what for done in collect(root, inbox)] == ["newer"]


def test_one_change_grades_that_one(changed, tmp_path):
    before = {path.stem: path.read_text() for path in changed.glob("verdicts/*/*")}
    solved = next(one.data() for one in CLASS if one.student == "right") + b"\n"
    hand_in(changed, "untouched", solved, tmp_path / "late")
    rows = table(changed, tmp_path / "g.csv")
    assert [row["points"] for row in rows if row["student"] == "untouched"] == [""]
    assert [d.state for d in feedback(changed) if d.student == "untouched"] == [
        "not graded"
    ]
    assert not page(changed, "untouched").exists()
    list(grade(changed))
    after = {path.stem: path.read_text() for path in changed.glob("verdicts/*/*")}
    assert {name for name in after if after[name] != before[name]} == {"untouched"}
    assert in_book(changed, "untouched") == MOST


def test_a_worse_newer_submission_counts_and_the_better_is_kept(changed, tmp_path):
    hand_in(changed, "right", b"", tmp_path / "late")
    assert {one.student: one.state for one in grade(changed)}["right"] == "not gradable"
    assert set(in_book(changed, "right").values()) == {0}
    assert len(list(changed.glob(f"submitted-earlier/right/{LAB}/*.ipynb"))) == 1


def test_interrupted_grading_is_taken_up_again(changed):
    path = changed / f"submitted/right/{LAB}/{LAB}.ipynb"
    Record(changed, LAB, "right", fingerprint(path)).write("running")
    list(grade(changed))
    shutil.rmtree(changed / "autograded" / "right")
    [page] = feedback(changed, students=["right"])
    assert page.state == "failed" and "grade it again" in page.why
    list(grade(changed))
    assert record(changed, "right")["state"] == "graded"
    assert in_book(changed, "right") == MOST


def table(root, to, form="csv"):
    export(root, to, form, force=True)
    return list(csv.DictReader(io.StringIO(to.read_bytes().decode("utf-8-sig"))))


def test_tables_add_up(graded, tmp_path):
    root, said = graded
    rows = {row["student"]: row for row in table(root, tmp_path / "grades.csv")}
    canvas = {r["Student"]: r for r in table(root, tmp_path / "canvas.csv", "canvas")}
    moodle = {r["useridnumber"]: r for r in table(root, tmp_path / "m.csv", "moodle")}
    assert float(canvas.pop("    Points Possible")[LAB]) == sum(MOST.values())
    assert set(rows) == set(canvas) == set(moodle) == {one.student for one in CLASS}
    for student, row in rows.items():
        total = pytest.approx(said[student].points, abs=0.01)
        assert float(row["points"]) == total
        assert float(canvas[student][LAB]) == float(moodle[student][LAB]) == total
        assert sum(float(row[name]) for name in EXERCISES) == total
        assert moodle[student][f"{LAB} feedback"]
    assert canvas["lovelaceada"]["ID"] == "12345"


def test_stock_nbgrader_accepts_the_course(tmp_path):
    """`generate_assignment` and `autograde` with nothing of ours in the config."""
    solved, root = notebook(course.solution(LAB), solved=True), tmp_path / "stock"
    put(root / "source" / LAB / f"{LAB}.ipynb", solved)
    nbgrader(root, "generate_assignment", LAB)
    released = root / "release" / LAB / f"{LAB}.ipynb"
    assert "BEGIN SOLUTION" not in released.read_text()
    put(root / "submitted" / "ada" / LAB / f"{LAB}.ipynb", solved)
    empty = root / "submitted" / "bob" / LAB / f"{LAB}.ipynb"
    empty.parent.mkdir(parents=True)
    shutil.copy(released, empty)
    nbgrader(root, "autograde", LAB, "--create")
    assert stock_points(root, "ada") == MOST
    assert set(stock_points(root, "bob").values()) == {0}


def put(path, nb):
    path.parent.mkdir(parents=True)
    path.write_text(dumps(nb), encoding="utf-8")


def nbgrader(root, *args):
    """Run nbgrader's own program in a folder with no config of ours."""
    scripts = Path(sys.executable).parent
    places = {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(course.home()),
        "JUPYTER_CONFIG_DIR": str(root / "config"),
        "IPYTHONDIR": str(root / "ipython"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *args],
        cwd=root, env=os.environ | places, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def stock_points(root, student):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        grades = book.find_submission_notebook(LAB, LAB, student).grades
        return {g.name.removesuffix("-check"): g.score for g in grades}
