"""A disk that is full: it is said, nothing is half written, and a re-run mends it.

The course lies in a small file system of its own, which a child of this process mounts.
"""

import contextlib
import errno
import os
import shutil
import traceback

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

from stand_in import hand_in, lab  # noqa: E402
from test_class_faults import anew, mended, root, template  # noqa: E402, F401

from grading.classroom.collect import collect  # noqa: E402
from grading.classroom.course_dir import grade  # noqa: E402
from grading.classroom.export import export  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.classroom.remote_gpu import pack  # noqa: E402
from grading.classroom.report import report  # noqa: E402
from grading.isolation import locks  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
    pytest.mark.xdist_group("class faults"),
]
SAID = os.strerror(errno.ENOSPC), "database or disk is full", "disk I/O error"
KINDS = "export", "report", "pack", "collect", "feedback"


@contextlib.contextmanager
def full(disk, left=0):
    """The disk has so many KiB left, while this is open."""
    filler = disk / "filler"
    room = os.statvfs(disk)
    filler.write_bytes(bytes(room.f_bavail * room.f_bsize - 1024 * left))
    try:
        yield
    finally:
        filler.unlink()


def on_a_small_disk(course, test):
    """test(the disk, the course there) in a child that mounts the disk."""
    child = os.fork()
    if child == 0:
        try:
            locks.private_namespaces(locks.NEWUSER | locks.NEWNS)
            disk = course.parent / "disk"
            disk.mkdir()
            locks._mount(b"tmpfs", str(disk).encode(), 0, b"size=16m")
        except OSError:
            os._exit(77)
        try:
            test(disk, shutil.copytree(course, disk / "course"))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 77:
        pytest.skip("not run: a full disk (no file system may be mounted here)")
    assert status == 0


@pytest.mark.parametrize("left", [0, 4, 16, 48, 80, 120, 160])
def test_grading_on_a_full_disk(root, left):  # noqa: F811
    note = {"cell_type": "markdown", "id": "note", "metadata": {}, "source": "x" * 8192}
    expected = anew(root, 5, note)  # it takes more room than what is there

    def test(disk, course):
        with full(disk, left):
            try:
                whys = [one.why for one in grade(course) if one.state == "failed"]
            except OSError as error:
                whys = [str(error)]
        assert whys if left < 16 else left < 160 or not whys
        for why in whys:
            assert any(said in why for said in SAID), why
        mended(course, expected)

    on_a_small_disk(root, test)


@pytest.mark.parametrize("kind", KINDS)
def test_other_commands_on_a_full_disk(root, tmp_path, kind):  # noqa: F811
    hand_in(tmp_path / "inbox", "cy", lab("right"))

    def run(disk, course):
        """What it says; where it writes a file, the file."""
        to = disk / "new"
        if kind == "export":
            return export(course, to)
        if kind == "report":
            return report(course, to)
        if kind == "pack":
            return pack(course, to)
        if kind == "collect":
            return collect(course, tmp_path / "inbox" / "submitted")
        return feedback(course)

    def test(disk, course):
        before = sorted(disk.rglob("*"))
        with full(disk):
            try:
                said = str(run(disk, course))
            except OSError as error:
                said = str(error)
        assert any(one in said for one in SAID), said
        new = [p for p in disk.rglob("*") if p not in before and p.is_file()]
        assert not [p for p in new if p.suffix == ".tmp" or p.name == "new"]
        said = str(run(disk, course))
        assert not any(one in said for one in SAID), said

    on_a_small_disk(root, test)
