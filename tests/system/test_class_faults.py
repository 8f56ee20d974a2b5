"""Whatever ends or hinders grading: a re-run ends with the grades of a quiet run.

Grading is ended in a child of this process, at a random call of its own, so that a busy
machine makes no difference, or between two writes.
"""

import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

import stand_in  # noqa: E402
from altered import LAB  # noqa: E402
from nbconvert.writers import FilesWriter  # noqa: E402
from sqlalchemy.orm import Session  # noqa: E402
from stand_in import hand_in, lab  # noqa: E402

from grading.classroom import course_dir, files, reading, submission  # noqa: E402
from grading.classroom.course_dir import grade, open_course  # noqa: E402
from grading.classroom.grades import grades  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("class faults"),
]
WORDS = "right", "half", "wrong", "exit"
BETWEEN = 20


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    root = tmp_path_factory.mktemp("faults") / "course"
    course_dir.release(root, ["03"])
    with stand_in.judging_words():
        for student in ("ada", "bob"):
            hand_in(root, student, lab("right"))
        list(grade(root))
    return root


@pytest.fixture
def root(template, tmp_path, monkeypatch):
    """A course of two who are graded; what is temporary goes to a folder of its own."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    with stand_in.judging_words():
        yield shutil.copytree(template, tmp_path / "course")
    assert not list((tmp_path / "tmp").iterdir())


def anew(root, seed, *more):
    """Both hand something else in, with more cells; {student: what it is worth}."""
    words = dict(zip(("ada", "bob"), random.Random(seed).sample(WORDS, 2), strict=True))
    for student, word in words.items():
        nb = lab(word)
        nb["metadata"]["seed"] = seed
        nb["cells"] += more
        hand_in(root, student, nb)
    return {
        student: sum(
            stand_in.verdict(h, word).points for h in stand_in.EXERCISES.values()
        )
        for student, word in words.items()
    }


def standing(root):
    with open_course(root).gradebook as gradebook:
        return {g.student: g.points for g in grades(root, gradebook)}


def in_child(root, prepare):
    """Grade in a child that `prepare` does something to first."""
    child = os.fork()
    if child == 0:
        try:
            prepare()
            list(grade(root))
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def mended(root, expected):
    """Nothing is stale before the re-run; nothing is missing, or left, after it."""
    for student, points in standing(root).items():
        assert points in (None, expected[student])
    assert {one.state for one in grade(root)} == {"graded"}
    assert standing(root) == expected
    assert all(course_dir.record_of(root, s, LAB).is_written() for s in expected)
    assert not [
        p for p in root.rglob("*") if p.name in (".staged",) or ".tmp" in p.name
    ]
    assert not [one for one in grade(root) if one.fresh]


class Calls:
    """Counts this process's calls, and ends it at `last` as kill -9 does."""

    def __init__(self, last=None):
        self.count, self.last = 0, last

    def __call__(self, frame, event, argument):
        self.count += 1
        if self.count == self.last:
            os.kill(os.getpid(), signal.SIGKILL)


def test_killed_at_random_moments(root, nightly):
    times = 45 if nightly else 15
    anew(root, -1)
    whole = Calls()
    sys.setprofile(whole)
    list(grade(root))
    sys.setprofile(None)
    ends = []
    for seed in range(times):
        expected = anew(root, seed)
        last = random.Random(seed).randrange(1, int(0.9 * whole.count))
        ends.append(in_child(root, lambda last=last: sys.setprofile(Calls(last))))
        mended(root, expected)
    assert ends.count(-signal.SIGKILL) > times / 2


def test_the_power_fails_between_two_writes(root):
    """Every place where something is written, and each time another one is the last."""
    left = {"writes": 0}

    def stopping(write):
        def one(*args, **kwargs):
            left["writes"] -= 1
            if left["writes"] < 0:
                os._exit(9)
            return write(*args, **kwargs)

        return one

    def stop_after(n):
        left["writes"] = n
        files.os.replace = stopping(os.replace)
        FilesWriter.write = stopping(FilesWriter.write)
        Session.commit = stopping(Session.commit)

    ends = []
    for seed in range(BETWEEN):
        expected = anew(root, seed)
        ends.append(in_child(root, lambda n=seed: stop_after(n)))
        mended(root, expected)
    assert ends.count(9) > BETWEEN / 3


def test_the_graded_notebook_is_written_last_and_is_not_forgotten(root):
    expected = anew(root, 0)
    write, count = FilesWriter.write, []

    def second_is_lost(self, *args, **kwargs):
        count.append(1)
        if len(count) == 2:
            os._exit(9)
        return write(self, *args, **kwargs)

    assert in_child(root, lambda: setattr(FilesWriter, "write", second_is_lost)) == 9
    mended(root, expected)


@pytest.mark.parametrize("size", [60, 2_000, 30_000])
def test_a_full_disk(root, size):
    expected = anew(root, 1)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
    in_child(root, limit)
    mended(root, expected)


def test_the_gradebook_is_locked_for_a_while(root):
    expected = anew(root, 2)
    other = sqlite3.connect(root / "gradebook.db")
    other.execute("BEGIN EXCLUSIVE")
    done = in_child(root, lambda: None)
    other.rollback()
    other.close()
    assert done == 0
    mended(root, expected)


def test_the_gradebook_is_gone(root):
    expected = standing(root)
    (root / "gradebook.db").unlink()
    assert {one.state for one in grade(root)} == {"failed"}
    assert set(standing(root).values()) <= {None}
    course_dir.release(root, ["03"])
    mended(root, expected)


def test_half_of_a_file_then_all_of_it(root):
    expected = anew(root, 3)
    path = root / "submitted" / "ada" / LAB / f"{LAB}.ipynb"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert {one.student: one.state for one in grade(root)}["ada"] == "not gradable"
    path.write_bytes(whole)
    assert standing(root)["ada"] is None
    mended(root, expected)


def test_a_clock_that_jumps(root):
    expected = anew(root, 4)
    list(grade(root))
    for path in root.rglob("*"):
        os.utime(path, (0, 0) if len(path.name) % 2 else (4e9, 4e9))
    assert not [one for one in grade(root) if one.fresh]
    mended(root, expected)


def test_a_file_that_may_not_be_read_is_named_and_the_others_are_graded(
    root, monkeypatch
):
    expected = anew(root, 5)

    def denied(path, *limits):
        if "ada" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return files.opened(path, *limits)

    with monkeypatch.context() as patch:
        for module in (submission, reading):
            patch.setattr(module, "opened", denied)
        done = {one.student: one for one in grade(root)}
    assert done["ada"].state == "failed" and "Permission denied" in done["ada"].why
    assert done["bob"].state == "graded" and standing(root)["ada"] is None
    mended(root, expected)
