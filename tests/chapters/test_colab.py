"""Lessons and labs in an environment like Colab's: its versions, and no nbgrader."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from lab_server import copy_course

from grading.notebooks.build import dumps, notebook, settings
from minigrad import course

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("colab")]
# The lab that has the answers of all before, and a lesson of pictures, and of libraries
# that are not there.
EACH_TIME = {"solutions/10_cnn", "lessons/00_python_to_gpu"}
PINS = Path(__file__).parents[1] / "support/colab.txt"
EXECUTE = """
import sys, nbformat, nbclient
nb = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(nb, timeout=600, kernel_name="python3").execute()
nbformat.write(nb, sys.argv[1])
"""
# What makes a kernel think that it is on Colab.
COLAB = "import sys, types; sys.modules['google.colab'] = types.ModuleType('colab')\n"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of an environment like Colab's."""
    folder = tmp_path_factory.mktemp("colab")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    torch = distribution("torch")
    site = next(folder.glob("lib/python*/site-packages"))
    for name in {path.parts[0] for path in torch.files} - {".."}:
        (site / name).symlink_to(torch.locate_file(name))  # 700 MB, which pip unpacks
    pip = [sys.executable, "-m", "pip", "--python", folder, "install", "--no-compile"]
    pip += ["--quiet", "-r", PINS, f"torch=={torch.version}"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if "Could not find a version" in done.stderr or "connection" in done.stderr.lower():
        pytest.skip("not run: Colab's versions (no package index was reached)")
    assert done.returncode == 0, done.stderr
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A folder that stands for Colab's /content."""
    return tmp_path_factory.mktemp("content")


def put_there(text, content):
    """A notebook's text with its set-up cells fetching the course to `content`."""
    return text.replace("/content/minigrad", str(content / "minigrad"))


@pytest.fixture(scope="module")
def remote(tmp_path_factory, content):
    """The course as the public repository that its set-up cells fetch."""
    home = copy_course(tmp_path_factory.mktemp("remote"))
    for lab in (home / "labs").glob("*.ipynb"):  # later ones run their set-up cells
        lab.write_text(put_there(lab.read_text("utf-8"), content), "utf-8")
    git = ["git", "-C", home, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "-m", "course"],
        ["tag", settings()["tag"]],
    ):
        subprocess.run([*git, *command], check=True)
    return home


@pytest.fixture
def on_colab(python, remote, content, tmp_path):
    """Execute a notebook's text far away from any clone; return its cells."""
    shutil.rmtree(content / "minigrad", ignore_errors=True)

    def execute(nb):
        path = content / "notebook.ipynb"
        path.write_text(put_there(dumps(nb), content))
        environment = dict(os.environ)
        environment.pop("PYTHONPATH", None)
        environment |= {
            "HOME": str(tmp_path),
            "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{remote}.insteadOf",
            "GIT_CONFIG_VALUE_0": settings()["repository"],
        }
        command = [python, "-c", EXECUTE, path]
        done = subprocess.run(
            command, cwd=content, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(path.read_text())["cells"]

    return execute


def texts(folder):
    for path in sorted((course.home() / folder).glob("[0-9]*.py")):
        seldom = f"{folder}/{path.stem}" not in EACH_TIME
        marks = [pytest.mark.nightly] if seldom else []
        yield pytest.param(path, marks=marks, id=path.stem)


@pytest.mark.parametrize("text", list(texts("solutions")))
def test_a_lab_is_solved_on_colab(text, on_colab):
    nb = notebook(text, solved=True)
    setup = next(cell for cell in nb.cells if cell.id == "setup")
    twice = {**setup, "id": "again"}
    setup.source = COLAB + setup.source
    nb.cells.insert(nb.cells.index(setup) + 1, type(setup)(twice))
    cells = on_colab(nb)
    checks = [cell for cell in cells if cell["id"].endswith("-check")]
    assert checks
    for cell in checks:
        points = cell["metadata"]["nbgrader"]["points"]
        shown = [o for o in cell["outputs"] if o["output_type"] == "execute_result"]
        assert float("".join(shown[0]["data"]["text/plain"])) == points


@pytest.mark.parametrize("text", list(texts("lessons")))
def test_a_lesson_runs_on_colab(text, on_colab):
    nb = notebook(text, solved=True)
    setup = next(cell for cell in nb.cells if cell.id == "setup")
    setup.source = COLAB + setup.source
    assert on_colab(nb)
