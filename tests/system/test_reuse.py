"""A run leaves out what passed before only if nothing of it changed, and says so."""

import os
import subprocess
import sys

import pytest

from minigrad import course

pytestmark = pytest.mark.slow
PLUGINS = "running", "nvrtc_answers", "reuse"
FILES = {
    "pytest.ini": "[pytest]\ntestpaths = tests cudasim/tests",
    "conftest.py": f"""
def pytest_addoption(parser, pluginmanager):
    parser.addoption("--seeds", type=int, default=1)
    for name in {PLUGINS}:
        pluginmanager.import_plugin(name)
""",
    "tests/test_verdicts.py": """
import types
import pytest
from pathlib import Path

HOLES = [types.SimpleNamespace(chapter=name) for name in ("03_strides", "04_ops")]

@pytest.mark.verdict
@pytest.mark.parametrize("hole", HOLES, ids=lambda hole: hole.chapter)
def test_verdict(hole):
    assert not (Path(__file__).parent / hole.chapter).exists()

def test_other():
    pass
""",
    "cudasim/tests/test_sim.py": """
import pytest
from pathlib import Path

def test_sim():
    assert not Path("it fails").exists()

@pytest.mark.slow
def test_slow_one():
    pass

def test_gpu():
    pytest.skip("not run: a kernel (no GPU)")
""",
    "grading/checks/03_01_offset_of.py": "cases = 1",
    "grading/checks/04_01_unary.py": "cases = 1",
    "grading/checks/tiles.py": "size = 4",
}
VERDICTS = "2 verdicts reused, unchanged since they were judged"
SIMULATOR = "cudasim: not run, unchanged since its 2 tests passed on"


@pytest.fixture
def project(tmp_path):
    """A course of five tests: two verdicts, one other, and cudasim's."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project, *words):
    """(the closing line, all that is said)"""
    home = course.home()
    places = home, home / "tests/support", home / "cudasim/tests"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:anyio", *words],
        cwd=project,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()[-1], done.stdout + done.stderr


@pytest.mark.parametrize("workers", [(), ("-n", "2", "--dist", "loadgroup")], ids=str)
def test_what_has_not_changed_is_not_run_and_not_passed(project, workers):
    assert " 5 passed, 1 skipped" in run(project, *workers)[0]
    closing, said = run(project, *workers)
    assert " 1 passed" in closing and "skipped" not in closing
    assert VERDICTS in said and SIMULATOR in said
    assert "cudasim: not run on that day, either: not run: a kernel (no GPU)" in said
    for fresh in (["--fresh"], ["--nightly"]):
        closing, said = run(project, *workers, *fresh)
        assert " 5 passed, 1 skipped" in closing and "reused" not in said


def test_what_is_named_is_run(project):
    run(project)
    for words, passed in ((["tests"], 3), (["-k", "verdict or sim"], 5),
                          (["cudasim/tests"], 2)):  # fmt: skip
        closing, said = run(project, *words)
        assert f" {passed} passed" in closing and "reused" not in said


@pytest.mark.parametrize(
    ("changed", "passed", "said"),
    [
        ("grading/checks/03_01_offset_of.py", 2, ["1 verdicts reused", SIMULATOR]),
        ("grading/checks/03_02_new.toml", 2, ["1 verdicts reused", SIMULATOR]),
        ("grading/checks/tiles.py", 3, [SIMULATOR]),
        ("minigrad/layout.py", 3, [SIMULATOR]),
        ("tests/test_checks.py", 3, [SIMULATOR]),
        ("cudasim/front.py", 5, []),
        ("cudasim/tests/test_sim.py", 3, ["2 verdicts reused"]),
        ("docs/page.md", 1, [VERDICTS, SIMULATOR]),
    ],
)
def test_what_has_changed_is_run(project, changed, passed, said):
    run(project)
    path = project / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + "\n# changed\n")
    closing, text = run(project)
    assert f" {passed} passed" in closing, text
    assert all(words in text for words in said), text
    assert ("reused" in text) == any("reused" in words for words in said)


def test_what_failed_is_run_again(project):
    run(project)
    (project / "tests/03_strides").touch()
    (project / "it fails").touch()
    assert "2 failed, 3 passed" in run(project, "--fresh")[0]
    closing, said = run(project)
    assert "2 failed, 2 passed" in closing and "1 verdicts reused" in said
    (project / "it fails").unlink()
    (project / "tests/03_strides").unlink()
    assert " 4 passed, 1 skipped" in run(project)[0]
    assert " 1 passed" in run(project)[0]


def test_a_file_that_cannot_be_read_changes_nothing(project):
    run(project)
    (project / "tests/test_broken.py").write_text("import nothing_of_this_name")
    closing, said = run(project)
    assert "1 error" in closing and "INTERNALERROR" not in said
    (project / "tests/test_broken.py").unlink()
    closing, said = run(project)
    assert " 1 passed" in closing and VERDICTS in said and SIMULATOR in said


def test_a_few_tests_of_cudasim_do_not_stand_for_all(project):
    run(project, "-m", "not slow")
    assert "its 1 tests passed" in run(project, "-m", "not slow")[1]
    assert " 3 passed, 1 skipped" in run(project)[0]
    for words in ([], ["-m", "not slow"]):
        assert SIMULATOR in run(project, *words)[1]
