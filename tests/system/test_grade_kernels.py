"""Labs of kernels, from release to grades: right, wrong and hostile submissions."""

import csv

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from kernel_class import CLASS, EXERCISES, LABS, write  # noqa: E402

from grading.checking.check import find_check  # noqa: E402
from grading.checking.verdict import Failure, Verdict  # noqa: E402
from grading.classroom.collect import collect  # noqa: E402
from grading.classroom.course_dir import grade, open_course, release  # noqa: E402
from grading.classroom.export import export  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.preprocessors import Record, reason  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("kernels"),  # one class, graded once
]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A course in which the class is graded."""
    inbox, root = (tmp_path_factory.mktemp("class") / name for name in "io")
    write(inbox)
    assert release(root, ["01", "02"]) == list(LABS)
    assert {done.what for done in collect(root, inbox)} == {"taken in"}
    with pytest.MonkeyPatch.context() as patch:
        guard = find_check(EXERCISES["01_threads"]["tail_guard"])
        limits = guard.limits._replace(patience=1)  # "long_to_run" computes until then
        patch.setitem(vars(guard), "limits", limits)
        assert not [one for one in grade(root) if one.state != "graded"]
    return root


def exercises(root, one):
    known = Record(root, one.lab, one.student).read()
    return {e["name"]: e for e in known["exercises"]}


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_only_what_is_wrong_is_lost(graded, one):
    for name, verdict in exercises(graded, one).items():
        full = verdict["points"] == verdict["max_points"]
        assert full == (verdict["state"] == "right") == (name not in one.lost), verdict
        said = one.lost.get(name, "right")
        if isinstance(said, str):
            assert verdict["state"] == said
        elif isinstance(said, tuple) and isinstance(said[0], str):
            assert verdict["state"] in said
        else:
            assert verdict["failures"][0]["cause"] == said.cause
        if name == next(iter(one.lost), None):
            text = verdict["summary"] + str(verdict["failures"])
            assert one.says in text


@pytest.mark.parametrize("one", CLASS, ids=lambda one: one.student)
def test_the_book_says_what_the_verdicts_say(graded, one):
    with open_course(graded).gradebook as book:
        grades = book.find_submission_notebook(one.lab, one.lab, one.student).grades
        scores = {g.name.removesuffix("-check"): g.score for g in grades}
    verdicts = exercises(graded, one)
    assert scores == pytest.approx({n: v["points"] for n, v in verdicts.items()})


def test_a_reason_of_several_lines_is_whole():
    message = "  got       7\n  cause     the first line,\n            and the second"
    failure = Failure("some", message)
    verdict = Verdict("bench", 0, 2, "wrong", "bench: 0 of 2 · wrong", [failure])
    assert reason(verdict.to_dict()) == "the first line, and the second"


def test_nothing_of_a_kernel_runs_as_python(graded):
    assert not list(graded.rglob("pwned"))


def test_tables_and_pages(graded, tmp_path):
    assert {done.state for done in feedback(graded)} == {"written"}
    export(graded, tmp_path / "grades.csv")
    with open(tmp_path / "grades.csv", encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file) if row["points"]}
    assert set(rows) == {one.student for one in CLASS}
    for lab in LABS:
        most = sum(exercise.points for exercise in EXERCISES[lab].values())
        assert float(rows[f"{lab[:2]}_solved"]["points"]) == most
        assert float(rows[f"{lab[:2]}_untouched"]["points"]) == 0
