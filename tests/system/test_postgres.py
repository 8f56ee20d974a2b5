"""A gradebook in PostgreSQL, a real server that is started here, beside SQLite."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip(
    "psycopg", reason='not run: PostgreSQL (pip install "minigrad[cluster]")'
)

import stand_in  # noqa: E402
from lab_server import free_port  # noqa: E402
from stand_in import hand_in, lab  # noqa: E402

from grading.classroom import course_dir  # noqa: E402
from grading.classroom.grades import grades  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]


@pytest.fixture
def server():
    """The address of an empty database."""
    results = [shutil.which("postgres"), *Path("/usr/lib/postgresql").glob("*/bin")]
    if not results[-1]:
        pytest.skip("not run: PostgreSQL is not installed (apt install postgresql)")
    tools = Path(results[-1]).resolve()
    tools = tools if tools.is_dir() else tools.parent
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    who = {}
    if os.getuid() == 0:  # which the server refuses to run as
        who = {"user": pwd.getpwnam("postgres").pw_uid}
        os.chown(folder, who["user"], -1)
    port, data = free_port(), str(folder / "data")
    quiet = {"check": True, "capture_output": True, "cwd": folder} | who
    make = ["initdb", "-D", data, "-U", "teacher", "--auth", "trust", "-N"]
    subprocess.run([tools / make[0], *make[1:]], **quiet)
    options = f"-p {port} -h 127.0.0.1 -k {folder}"
    control = [tools / "pg_ctl", "-D", data, "-w"]
    log = ["-l", str(folder / "log"), "-o", options]
    subprocess.run([*control, *log, "start"], **quiet)
    yield f"postgresql+psycopg://teacher@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
    shutil.rmtree(folder)


def points(root):
    with course_dir.open_course(root).gradebook as gradebook:
        result = grades(root, gradebook)
        assert {g.state for g in result} == {"graded"}
        return {(g.student, e.name): e.points for g in result for e in g.exercises}


def test_the_gradebook_may_be_in_postgresql(tmp_path, server):
    results = []
    for name, address in (("plain", ""), ("server", server)):
        root = tmp_path / name
        root.mkdir()
        setting = f'c.CourseDirectory.db_url = "{address}"\n' if address else ""
        (root / "nbgrader_config.py").write_text(course_dir.CONFIG + setting)
        course_dir.release(root, ["03"])
        for n, word in enumerate(("right", "half", "wrong", "exit")):
            hand_in(root, f"s{n}", lab(word, permute="right"))
        with stand_in.judging_words():
            assert [one.state for one in course_dir.grade(root)] == 4 * ["graded"]
        results.append(points(root))
    assert results[0] == results[1] and len(results[0]) == 44
    assert not (tmp_path / "server" / "gradebook.db").exists()
