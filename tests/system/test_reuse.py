"""A run leaves out what passed before only if nothing of it changed, and says so."""

import os
import shutil
import subprocess
import sys

import pytest
import reuse

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

EXERCISES = [types.SimpleNamespace(chapter=name) for name in ("03_strides", "04_ops")]

@pytest.mark.kept("verdicts")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.chapter)
def test_verdict(exercise):
    assert not (Path(__file__).parent / exercise.chapter).exists()

@pytest.mark.kept("notebooks")
@pytest.mark.parametrize("text", [Path("lessons/03_strides.py")])
def test_notebook(text):
    pass

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
    "lessons/03_strides.py": "x = 1",
    "lessons/04_ops.py": "x = 1",
    "grading/checks/03_01_offset_of.py": "cases = 1",
    "grading/checks/04_01_unary.py": "cases = 1",
    "grading/checks/tiles.py": "size = 4",
}
VERDICTS = "2 verdicts reused, unchanged since they were judged"
NOTEBOOKS = "1 notebooks not run, unchanged since they ran"
SIMULATOR = "cudasim: not run, unchanged since its 2 tests passed on"


@pytest.fixture(scope="module")
def after_a_run(tmp_path_factory):
    """A course of six tests that have passed: verdicts, others, and cudasim's."""
    folder = tmp_path_factory.mktemp("course")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert " 6 passed, 1 skipped" in run(folder)[0]
    return folder


@pytest.fixture
def project(after_a_run, tmp_path):
    return shutil.copytree(after_a_run, tmp_path / "course")


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
    closing, said = run(project, *workers)
    assert " 1 passed" in closing and "skipped" not in closing
    assert VERDICTS in said and NOTEBOOKS in said and SIMULATOR in said
    assert "cudasim: not run on that day, either: not run: a kernel (no GPU)" in said


@pytest.mark.parametrize("words", [["--fresh"], ["--nightly", "-n", "2"]])
def test_what_is_asked_for_afresh_is_run_and_kept(project, words):
    shutil.rmtree(project / ".pytest_cache")
    for _ in range(2):
        closing, said = run(project, *words)
        assert " 6 passed, 1 skipped" in closing and "unchanged" not in said
    assert VERDICTS in run(project)[1]


def test_what_is_named_is_run(project):
    for words, passed in ((["tests"], 4), (["-k", "verdict or sim"], 6),
                          (["cudasim/tests"], 2)):  # fmt: skip
        closing, said = run(project, *words)
        assert f" {passed} passed" in closing and "unchanged" not in said


def digests(project):
    """{what is kept: a digest of all that it depends on}"""
    kinds = reuse.digests(project).items()
    results = {f"{kind} {n}": d for kind, by in kinds for n, d in by.items() if n}
    return results | {"cudasim": reuse.cudasim(project)}


ALL = {"verdicts 03", "verdicts 04", "notebooks 03", "notebooks 04"}


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        ("grading/checks/03_01_offset_of.py", {"verdicts 03", "notebooks 03"}),
        ("grading/checks/03_02_new.toml", {"verdicts 03", "notebooks 03"}),
        ("tests/answers/04_ops/unary.py", {"verdicts 04"}),
        ("grading/checks/tiles.py", ALL),
        ("grading/isolation/codec.py", ALL),
        ("minigrad/kernels/reduce.cu", ALL),
        ("solutions/03_strides.py", ALL),
        ("cudasim/front/lexer.py", ALL | {"cudasim"}),
        ("cudasim/headers/textures", ALL | {"cudasim"}),
        ("cudasim/tests/test_sim.py", {"cudasim"}),
        ("lessons/03_strides.py", {"notebooks 03"}),
        ("labs/04_ops.ipynb", {"notebooks 04"}),
        ("docs/page.md", {"notebooks 03", "notebooks 04"}),
        ("tests/test_checks.py", {"verdicts 03", "verdicts 04"}),
        ("tests/support/judging.py", {"verdicts 03", "verdicts 04"}),
        ("tests/test_notebooks.py", {"notebooks 03", "notebooks 04"}),
        ("tests/support/other.py", set()),
        ("minigrad/export/copy.py", set()),
        ("grading/classroom/grades.py", set()),
        ("minigrad/__pycache__/layout.pyc", set()),
    ],
)
def test_what_a_change_concerns(project, changed, other):
    (project / "tests/support").mkdir()
    (project / "tests/support/judging.py").touch()
    (project / "tests/test_checks.py").write_text("from judging import put")
    before, path = digests(project), project / changed
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else ""
    path.write_text(f"{text}\nfrom judging import put  # changed\n")
    after = digests(project)
    assert {key for key in after if after[key] != before[key]} == other


def test_another_environment_is_another_digest(project, monkeypatch):
    before = digests(project)
    monkeypatch.setattr(reuse, "environment", lambda: "torch 3")
    assert (
        {key for key in before if digests(project)[key] != before[key]}
        == {*before}
        >= ALL
    )


def test_what_has_changed_is_run(project):
    (project / "grading/checks/03_01_offset_of.py").write_text("cases = 2")
    closing, said = run(project)
    assert " 3 passed" in closing and SIMULATOR in said
    assert "1 verdicts reused" in said and "notebooks" not in said


def test_what_failed_is_run_again(project):
    (project / "tests/03_strides").touch()
    (project / "it fails").touch()
    assert "2 failed, 4 passed" in run(project, "--fresh")[0]
    closing, said = run(project)
    assert "2 failed, 2 passed" in closing and "1 verdicts reused" in said
    (project / "it fails").unlink()
    (project / "tests/03_strides").unlink()
    assert " 4 passed, 1 skipped" in run(project)[0]
    assert " 1 passed" in run(project)[0]


def test_a_file_that_cannot_be_read_changes_nothing(project):
    (project / "tests/test_broken.py").write_text("import nothing_of_this_name")
    closing, said = run(project)
    assert "1 error" in closing and "INTERNALERROR" not in said
    (project / "tests/test_broken.py").unlink()
    closing, said = run(project)
    assert " 1 passed" in closing and VERDICTS in said and SIMULATOR in said


def test_a_few_tests_of_cudasim_do_not_stand_for_all(project):
    shutil.rmtree(project / ".pytest_cache")
    run(project, "-m", "not slow")
    assert "its 1 tests passed" in run(project, "-m", "not slow")[1]
    assert " 3 passed, 1 skipped" in run(project)[0]
    for words in ([], ["-m", "not slow"]):
        assert SIMULATOR in run(project, *words)[1]
