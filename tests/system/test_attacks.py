"""Hostile submissions forge no point, read no secret, touch and leave nothing."""

import hashlib
import os
import time

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import psutil  # noqa: E402
from attacks import ATTACKS, CUDA, NETWORK, READ, SECRETS  # noqa: E402

from grading.checking.check import Judgment  # noqa: E402
from grading.classroom import judging  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.isolation.forks import zygote  # noqa: E402
from grading.processes import process  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import cells_of  # noqa: E402
from minigrad.kernels.copy import contiguous_kernel  # noqa: E402
from minigrad.layout import contiguous_strides  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

pytestmark = pytest.mark.slow  # it waits for what hangs
LAB, SECRET = "03_strides", "SECRET-4711"
SHORT = {"PATIENCE": 1, "GRACE": 2, "CELL_SECONDS": 3, "EXERCISE_SECONDS": 15}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A class's folder, all of it secret, and the file beside it."""
    room = tmp_path_factory.mktemp("course") / "class"
    names = ("gradebook.db", "nbgrader_config.py", "verdicts/03_strides/eve.json",
             "submitted/ada/03_strides/03_strides.ipynb", "../secret")  # fmt: skip
    for name in names:
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    return room


@pytest.fixture(scope="module")
def grader(room):
    """The zygote, and what it may read of the grader: a file that stays open."""
    os.environ["MINIGRAD_TEST"] = SECRET
    with (room / "gradebook.db").open() as file:
        os.set_inheritable(file.fileno(), True)
        yield zygote()
    del os.environ["MINIGRAD_TEST"]


@pytest.fixture(autouse=True)
def short_limits(monkeypatch):
    for name, value in SHORT.items():
        monkeypatch.setattr(process, name, value)
    monkeypatch.setattr(Judgment, "seconds", 1)
    for tries in process, judging:  # each try is as hostile as the one before
        monkeypatch.setattr(tries, "TRIES", 1)


def state(room):
    """The bytes and permissions of every file."""
    files = sorted(p for p in room.parent.rglob("*") if p.is_file())
    return [(p, p.stat().st_mode, hashlib.sha256(p.read_bytes()).digest())
            for p in files]  # fmt: skip


def of_students(zygote):
    """The processes below the zygote: bwrap has two, and it is one itself."""
    return psutil.Process(zygote._process.pid).children(recursive=True)[2:]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: f"{a.kind}: {a.name}")
def test_attack(attack, room, grader):
    before, worked = state(room), time.process_time()
    readers = set(of_students(grader))  # that wait for the next file
    places = {"home": course.home(), "room": room, "secret": room.parent / "secret"}
    exercise = contiguous_kernel if attack.how == CUDA else contiguous_strides
    with ProcessSubject("x.ipynb", attack.cells(**places), LAB) as subject:
        verdict = verdict_on(exercise, subject)
    assert time.process_time() - worked < 8  # the grader's own work
    said = f"{verdict} {verdict.failures} {subject.problems}"
    assert verdict.points == 0 and verdict.counts, said
    assert verdict.state in ("wrong", "crashed", "timed out", "not answered", "raised")
    assert SECRET not in said and "BEGIN SOLUTION" not in said
    assert state(room) == before
    if attack.how == READ:
        assert [one.cause for one in verdict.failures] == ["raised"], said
    late = time.monotonic() + 60
    while grader.lives() and (left := set(of_students(grader)) - readers):
        assert time.monotonic() < late, left
        time.sleep(0.05)


def test_after_all_of_them_a_right_answer_is_right(grader):
    assert len(ATTACKS) >= 120 and len(SECRETS) > 20 and len(NETWORK) > 5
    cells = cells_of(course.solution(LAB))
    with ProcessSubject("x.ipynb", cells, LAB) as subject:
        assert verdict_on(contiguous_strides, subject).state == "right"
