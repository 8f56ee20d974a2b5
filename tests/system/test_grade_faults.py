"""What goes wrong around a class: interruptions, a broken grader, odd directories."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import psutil  # noqa: E402
from altered import EXERCISES, LAB, added, empty, solved  # noqa: E402

from grading.classroom import judging  # noqa: E402
from grading.classroom.collect import collect  # noqa: E402
from grading.classroom.course_dir import (
    CourseError,
    Graded,
    grade,
    open_course,
    release,
    strays,
    submissions,
)
from grading.classroom.export import export  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.files import fingerprint  # noqa: E402
from grading.classroom.grades import grades  # noqa: E402
from grading.classroom.lock import Busy, alone  # noqa: E402
from grading.classroom.preprocessors import Record  # noqa: E402
from grading.cli import _graded, console, main  # noqa: E402
from grading.isolation import forks  # noqa: E402
from grading.notebooks.build import dumps  # noqa: E402
from minigrad import course  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("faults"),
]
MOST = sum(exercise.points for exercise in EXERCISES.values())
NO_ANSWERS = """
from grading.processes import zygote
zygote.KINDS["answers"] = None
zygote.serve({fd}, {boxed})
"""
WAITS = "import time\ntime.sleep(600)"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    root = tmp_path_factory.mktemp("template") / "course"
    release(root, ["03"])
    return root


@pytest.fixture
def root(template, tmp_path):
    """A course with the lab released."""
    return shutil.copytree(template, tmp_path / "course")


def hand_in(root, student, nb=None, name=f"{LAB}.ipynb"):
    path = root / "submitted" / student / LAB / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dumps(nb or solved()), encoding="utf-8")
    return path


def standing(root):
    with open_course(root).gradebook as book:
        return {g.student: g for g in grades(root, book)}


def points(root):
    return {student: g.points for student, g in standing(root).items()}


def stopped_while_grading(root, how):
    """Grade in a process, stop it in the middle of bob; (its status, what it said)."""
    hand_in(root, "ada")
    hand_in(root, "bob", added(solved(), WAITS))
    bob = Record(root, LAB, "bob")
    command = [sys.executable, "-m", "grading", "grade", str(root)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # nohup's
    run = subprocess.Popen(
        command, cwd=course.home(), text=True, preexec_fn=heed, **pipes
    )
    until(lambda: bob.read().get("state") == "running" or run.poll() is not None)
    result = psutil.Process(run.pid).children(recursive=True)
    os.kill(run.pid, how)
    said, _ = run.communicate()
    until(lambda: not any(one.is_running() for one in result))
    return run.returncode, said


def until(condition):
    """Wait, however busy the machine is, but not for ever."""
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_killed_in_the_middle(root):
    stopped_while_grading(root, signal.SIGKILL)
    assert points(root) == {"ada": MOST, "bob": None}
    hand_in(root, "bob")
    assert [(one.student, one.fresh) for one in grade(root)] == [
        ("ada", False),
        ("bob", True),
    ]
    assert points(root) == {"ada": MOST, "bob": MOST}


def test_ctrl_c_ends_the_run_and_not_one_submission(root):
    hand_in(root, "cy")
    code, said = stopped_while_grading(root, signal.SIGINT)
    assert code == 130 and "interrupted" in said and "failed" not in said
    assert points(root) == {"ada": MOST, "bob": None, "cy": None}


def test_one_command_at_a_time(root, tmp_path):
    hand_in(root, "ada")
    with alone(root):
        for command in (
            lambda: list(grade(root)),
            lambda: release(root, ["03"]),
            lambda: feedback(root),
            lambda: collect(root, root / "submitted"),
        ):
            with pytest.raises(Busy, match="another command is at work"):
                command()
    assert [one.state for one in grade(root)] == ["graded"]


@pytest.mark.parametrize("when", ["from the start", "later"])
def test_a_broken_grader_grades_nobody(root, monkeypatch, when):
    hand_in(root, "ada")
    if when == "later":
        assert points_of(grade(root)) == {"ada": MOST}
    else:
        judging.in_order.cache_clear()
    hand_in(root, "bob")
    with monkeypatch.context() as patch:
        patch.setattr(forks, "CODE", NO_ANSWERS)
        patch.setattr(forks, "_zygotes", {})
        (failed,) = (one for one in grade(root) if one.student == "bob")
    assert failed.state == "failed" and "own solution is not found right" in failed.why
    assert points(root)["bob"] is None
    assert points_of(grade(root)) == {"ada": MOST, "bob": MOST}


def points_of(done):
    return {one.student: one.points for one in done}


def test_a_changed_number_survives_and_is_named(root):
    hand_in(root, "ada", empty())
    list(grade(root))
    name = next(iter(EXERCISES))
    with open_course(root).gradebook as book:
        cell = book.find_grade(f"{name}-check", LAB, LAB, "ada")
        cell.manual_score, cell.needs_manual_grade = 0.5, False
        book.db.commit()
    assert (points(root)["ada"], standing(root)["ada"].why) == (0.5, "")
    hand_in(root, "ada")
    list(grade(root))
    again = standing(root)["ada"]
    assert again.points == MOST - EXERCISES[name].points + 0.5
    assert name in again.why and "by hand before" in again.why


def test_odd_directories(root):
    hand_in(root, "Jörg Müller-o'Neil, 1.")
    hand_in(root, "extra", name="second.ipynb")
    hand_in(root, "extra")
    hand_in(root, "other", name="Untitled.ipynb")
    hand_in(root, "a*")
    stamp = hand_in(root, "late").with_name("timestamp.txt")
    stamp.write_text("yesterday, I think")
    done = {one.student: one for one in grade(root)}
    assert done["Jörg Müller-o'Neil, 1."].points == done["extra"].points == MOST
    assert done["a*"].state == done["late"].state == "failed"
    assert "timestamp.txt holds no time" in done["late"].why
    for one in (done["other"], standing(root)["other"]):
        assert (one.state, one.points) == ("not gradable", 0)
        assert "only Untitled.ipynb" in one.why
    assert {d.state for d in feedback(root) if d.student == "other"} == {"written"}


def test_what_is_no_submission_is_named(root):
    hand_in(root, "ada")
    (root / "submitted" / "bob" / "03_stride").mkdir(parents=True)
    (root / "submitted" / "loose.ipynb").write_text("{}")
    assert strays(root) == [["bob/03_stride"], ["loose.ipynb"]]
    assert submissions(root) == [("ada", LAB)]


def test_the_nearest_student_is_named(root):
    hand_in(root, "ada")
    with pytest.raises(CourseError, match="of adda, ben.* Did you mean 'ada'?"):
        submissions(root, students=["ben", "adda"])


def test_no_command_prints_what_a_terminal_obeys(root, tmp_path, capsys):
    why = "\x1b[2J\u202eevil\x07\x9b31m"
    record = Record(root, LAB, "ada", fingerprint(hand_in(root, "ada")))
    record.write("failed", why=why)
    feedback(root)
    export(root, tmp_path / "grades.csv")
    console.print(_graded([Graded(why, LAB, "failed", why=why)]))
    said = capsys.readouterr().out
    assert said.count("\\u202eevil") >= 3
    assert all(c.isprintable() for c in said.replace("\n", ""))


def test_release_leaves_nothing_of_a_lab_that_is_not_there(tmp_path):
    for lab in ("99", "15"):
        with pytest.raises(ValueError, match="is called|no lab 15_many_gpus yet"):
            release(tmp_path / "new", [lab])
    assert not (tmp_path / "new").exists()


def test_release_keeps_an_edited_source(root):
    path = root / "source" / LAB / f"{LAB}.ipynb"
    path.write_text(path.read_text().replace("Lab", "My lab", 1))
    before = path.read_text()
    with pytest.raises(CourseError, match="move the edited file away"):
        release(root, ["03"])
    assert path.read_text() == before


@pytest.mark.parametrize(
    "command, said",
    [
        ("grade {0}/nowhere", "no course directory"),
        ("grade {0}/course --lab 15", "15_many_gpus is not released"),
        ("grade {0}/course --lab strids", "Did you mean 'strides'?"),
        ("grade {0}/course --student adda", "no submission of adda"),
        ("export {0}/course {0}/x.csv --form cvs", "There are csv, canvas, moodle."),
        ("export {0}/course {0}/x.csv --form convas", "Did you mean 'canvas'?"),
        ("regrade {0}/course permut", "Did you mean permute?"),
        ("regrade {0}/course Tensor.permut", "Did you mean permute?"),
        ("regrade {0}/course 03.44", "Did you mean 03.4?"),
        ("feedback {0}/course --lab 15", "15_many_gpus is not released"),
        ("export {0}/course {0}/x.csv --lab 15", "15_many_gpus is not released"),
        ("export {0}/course {0}/course --force", "is a folder"),
        ("release {0}/course/gradebook.db/x 03", "Not a directory"),
        ("collect {0}/course {0}/nothing", "there is no"),
    ],
)
def test_an_ordinary_mistake_is_said_in_one_line(
    root, tmp_path, monkeypatch, capsys, command, said
):
    words = command.format(tmp_path).split()
    monkeypatch.setattr(sys, "argv", ["grading", *words])
    with pytest.raises(SystemExit) as end:
        main()
    error = capsys.readouterr().err
    assert end.value.code == 1 and said in error
    assert error.startswith("error: ") and error.count("\n") == 1
    assert not Path(tmp_path, "x.csv").exists()
