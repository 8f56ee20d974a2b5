"""Hostile files: a class of them is graded; none gains, reads or breaks anything."""

import hashlib
import json
import logging
import random
import resource
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from altered import LAB  # noqa: E402
from bs4 import BeautifulSoup  # noqa: E402
from nbconvert.exporters import HTMLExporter  # noqa: E402
from nbgrader.server_extensions.formgrader import handlers  # noqa: E402
from notebook_attacks import ATTACKS, MOST, honest  # noqa: E402
from test_grade import nbgrader  # noqa: E402

from grading.classroom.course_dir import open_course, release  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.preprocessors import Record  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from minigrad import course  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("notebook attacks"),
]
SECRET = "SECRET-4711"
HANDFUL = random.Random(16).sample(sorted(ATTACKS), 6)


def handed_in(root, names):
    """A course with an honest student and these attacks."""
    release(root, ["03"])
    secret = root.parent / "secret"
    secret.write_text(SECRET)
    other = root / "submitted" / "ada" / LAB
    honest(other)
    for name in names:
        places = {"root": root, "secret": secret, "other": other}
        ATTACKS[name][1](root / "submitted" / name / LAB, **places)
    return root


def small_files():
    """A disk that is filled is noticed, and does no harm."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**30, 2**30))


def grading(*words):
    return subprocess.run(
        [sys.executable, "-m", "grading", *map(str, words)],
        cwd=course.home(), preexec_fn=small_files, capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """(the course's folder, what `python -m grading grade` printed)."""
    root = handed_in(tmp_path_factory.mktemp("class") / "course", ATTACKS)
    before = state(root)
    done = grading("grade", root)
    assert state(root) == before
    assert "Traceback" not in done.stdout + done.stderr, done
    return root, done.stdout


@pytest.fixture(scope="module")
def pages(graded):
    root, _ = graded
    logging.disable()  # it names files whose names are no text, which xdist cannot send
    try:
        return {done.student: done for done in feedback(root)}
    finally:
        logging.disable(logging.NOTSET)


def state(root):
    """The bytes of what is no business of a submission."""
    files = [root / "nbgrader_config.py", root.parent / "secret", *root.glob("r*/*/*")]
    files += sorted((root / "submitted" / "ada").rglob("*.ipynb"))
    assert not (root.parent / "owned").exists()
    return [hashlib.sha256(path.read_bytes()).digest() for path in files]


def result(root, student):
    return Record(root, LAB, student).read()


def in_book(root, student):
    with open_course(root).gradebook as book:
        return book.find_submission(LAB, student).score


def all_below(root, folder, student):
    """The texts of the files that grading or feedback have made for a student."""
    paths = [p for p in (root / folder / student).rglob("*") if p.is_file()]
    return "".join(path.read_text(errors="replace") for path in paths)


def test_there_are_many():
    assert len(ATTACKS) >= 40 and len({kind for kind, _ in ATTACKS.values()}) == 6


def test_the_honest_student_has_all_points(graded):
    assert in_book(graded[0], "ada") == MOST and "ada" in graded[1]


@pytest.mark.parametrize("name", ATTACKS)
def test_no_points_no_secret_and_no_failure(graded, name):
    root, said = graded
    known = result(root, name)
    assert known["state"] in ("graded", "not gradable"), known["why"]
    assert sum(e["points"] for e in known["exercises"]) == in_book(root, name) == 0
    assert all(e["state"] not in ("right", "partly right") for e in known["exercises"])
    texts = json.dumps(known) + all_below(root, "autograded", name) + said
    assert SECRET not in texts and str(course.home()) not in json.dumps(known)
    assert not [p for p in (root / "autograded" / name).rglob("*") if p.is_symlink()]
    assert "\x1b]" not in said


@pytest.mark.parametrize("name", ATTACKS)
def test_the_page_cannot_run_or_load_and_has_one_result(graded, pages, name):
    root, _ = graded
    assert pages[name].state == "written", pages[name]
    text = (root / "feedback" / name / LAB / f"{LAB}.html").read_text()
    soup = BeautifulSoup(text, "html.parser")
    assert SECRET not in all_below(root, "feedback", name) and "\x1b" not in text
    inert(soup)
    table = soup.table.get_text()  # the first is the grader's
    assert f"0 of {MOST:g}" in soup.h1.get_text() and "9 / 9" not in table


def inert(soup):
    """Nothing in it runs, hides what stands beside it, or loads from elsewhere."""
    assert not soup(["script", "link", "iframe", "object", "embed", "form", "base"])
    assert len(soup("meta", {"http-equiv": True})) == 1
    for tag in soup(True):
        assert not [name for name in tag.attrs if name.startswith("on")], tag
        assert str(tag.get("src", "data:")).startswith("data:"), tag
        assert not str(tag.get("href", "")).lower().startswith(("javascript", "data"))
        assert "position" not in tag.get("style", ""), tag
    assert not soup.body(["style", "svg"])


@pytest.fixture(scope="module")
def formgrader(graded):
    """What makes the page of a submission as nbgrader's formgrader does."""
    config = open_course(graded[0]).config.copy()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return HTMLExporter(config=config)


@pytest.mark.parametrize("name", ATTACKS)
def test_formgrader_shows_nothing_that_runs(graded, formgrader, name):
    path = graded[0] / "autograded" / name / LAB / f"{LAB}.ipynb"
    names = {"assignment_id": LAB, "notebook_id": LAB, "submission_id": "1",
             "base_url": "", "mathjax_url": "", "index": 0, "total": 1,
             "last_name": "", "first_name": name, "notebook_path": "",
             "keyword_argument": {}, "my_mathjax_url": ""}  # fmt: skip
    page, _ = formgrader.from_filename(path, resources=names)
    soup = BeautifulSoup(page, "html.parser")
    shown = soup.find(id="notebook-container") or soup.body
    assert not [s for s in shown("script") if "alert" in s.get_text()]
    assert not shown(["iframe", "object", "embed", "base"])
    for tag in shown(True):
        assert "alert" not in str(tag.attrs), tag


def test_the_same_by_nbgrader_and_by_formgrader(tmp_path):
    root = handed_in(tmp_path / "course", HANDFUL)
    before = state(root)
    nbgrader(root, "autograde", LAB, "--create")
    for name in HANDFUL[::2]:
        open_course(root).autograde(LAB, name, force=True, create=True)
    assert state(root) == before
    assert in_book(root, "ada") == MOST
    for name in HANDFUL:
        known = result(root, name)
        assert sum(e["points"] for e in known["exercises"]) == 0
        assert in_book(root, name) == 0
        assert SECRET not in json.dumps(known) + all_below(root, "autograded", name)


HOLDS = """
import sys, time
from grading.classroom.lock import alone
with alone(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


def test_every_road_takes_the_lock(tmp_path):
    root = handed_in(tmp_path / "course", [])
    assert grading("grade", root).returncode == 0 and in_book(root, "ada") == MOST
    known, graded = result(root, "ada"), all_below(root, "autograded", "ada")
    command = [sys.executable, "-c", HOLDS, str(root)]
    with subprocess.Popen(command, cwd=course.home(), stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        by_command = grading("grade", root, "--all")
        by_formgrader = open_course(root).autograde(LAB, "ada", create=True)
        with pytest.raises(AssertionError, match="another command is at work"):
            nbgrader(root, "autograde", LAB, "--create", "--force")
        holder.kill()
    assert by_command.returncode == 1 and "another command" in by_command.stderr
    assert not by_formgrader["success"]
    assert "another command is at work" in by_formgrader["log"]
    assert result(root, "ada") == known and in_book(root, "ada") == MOST
    assert all_below(root, "autograded", "ada") == graded != ""
    shutil.rmtree(root)
