"""Formgrader's Autograde button: the road of `grading grade`, and its lock."""

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from altered import EXERCISES, LAB, beginning, edited, solved  # noqa: E402
from lab_server import Server  # noqa: E402
from stand_in import hand_in  # noqa: E402

from grading.classroom.course_dir import grade, open_course, release  # noqa: E402
from grading.classroom.grades import grades  # noqa: E402
from grading.classroom.lock import alone  # noqa: E402
from grading.classroom.preprocessors import Record  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.cli.start import JUPYTERLAB  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("browser"),  # no second JupyterLab at the same time
]
MOST = sum(exercise.points for exercise in EXERCISES.values())
FORGED = "class V:\n    __repr__ = lambda self: '1.0'\nV()"
SECONDS = 600


@pytest.fixture(scope="module")
def class_server(tmp_path_factory):
    """(the course directory, a JupyterLab that a teacher has started there)"""
    folder = tmp_path_factory.mktemp("formgrader")
    root = folder / "class"
    release(root, ["03"])
    lab = [*JUPYTERLAB, "--no-browser", "--allow-root"]
    server = Server(root, folder / "jupyter")
    server.command = [*lab, f"--port={server.port}"]
    server.environment["PYTHONPATH"] = str(course.home())
    with server:
        yield root, server


def pressed(server, student):
    """What the button's request answers."""
    path = f"/formgrader/api/submission/{LAB}/{student}/autograde"
    return server.get(path, data=b"", seconds=SECONDS)


def points(root):
    with open_course(root).gradebook as book:
        return {g.student: g.points for g in grades(root, book)}


def test_the_button_grades_as_the_command_does(class_server):
    root, server = class_server
    hand_in(root, "ada", edited(solved(), "permute-check", FORGED))
    hand_in(root, "bob", beginning(solved(), "offset_of", "import os; os._exit(0)"))
    for student in ("ada", "bob"):
        reply = pressed(server, student)
        assert reply["success"], reply.get("error", "")[-3000:] + reply.get("log", "")
    result = points(root)
    assert result == {"ada": MOST, "bob": MOST - EXERCISES["offset_of"].points}
    known = Record(root, LAB, "ada").read()
    assert known["state"] == "graded" and "was edited" in known["warnings"][0]
    assert not [one for one in grade(root) if one.fresh]


def test_the_button_waits_for_no_other_command_and_disturbs_none(class_server):
    root, server = class_server
    path = hand_in(root, "cy", solved())
    with alone(root):
        reply = pressed(server, "cy")
    assert not reply["success"] and "another command is at work" in reply["log"]
    assert not Record(root, LAB, "cy").read() and points(root)["cy"] is None
    assert path.is_file()
    assert pressed(server, "cy")["success"]
    assert points(root)["cy"] == MOST
