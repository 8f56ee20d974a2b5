"""The exported package: a folder that stands alone, and replaces nothing by mistake."""
# ruff: noqa: F811  (fixtures are imported)

import os
import re
import shutil
import subprocess
import sys

import pytest
from empty_exercises import ex, nothing_answered  # noqa: F401
from export_course import HOME, OFFSET, PERMUTE, STRIDES, TRACES, home, lab  # noqa: F401

from minigrad import course, layout
from minigrad.exercises.cells import answered_in, cells_of
from minigrad.exercises.registry import solves
from minigrad.export import CannotExport, export

pytestmark = pytest.mark.slow

# ------------------------------------------------------------ the folder


def test_exported_package(home, lab, tmp_path, capsys, nightly):
    """Everything at once: written, formatted, and its own tests pass, elsewhere."""
    lab(OFFSET + "    total = offset\n    for i,s in zip(index,strides):\n"
        "        total+=i*s # add\n    return total")  # fmt: skip
    shutil.copytree(HOME / "tests", home / "tests", dirs_exist_ok=True)
    target = export(tmp_path / "taken home" / "mine")
    out = capsys.readouterr().out.splitlines()
    assert out[-1].startswith(
        f"Exported to {target}. 1 of {len(ex.exercises())} exercises are your own "
    )
    assert sorted(path.name for path in target.iterdir()) == [
        "LICENSE", "README.md", "cudasim", "minigrad", "pyproject.toml", "tests",
        "train_mnist.py",
    ]  # fmt: skip
    for path in (target / "minigrad").rglob("*.py"):
        assert not re.search(TRACES, path.read_text(encoding="utf-8")), path
    names = {path.stem for path in (target / "minigrad").rglob("*.py")}
    assert {"layout", "tensor"} < names
    assert not names & {
        "registry",
        "exercise",
        "answers",
        "course",
        "cli",
        "start",
        "export",
    }
    mine = (target / "minigrad/layout.py").read_text()
    assert "        total += i * s  # add\n" in mine
    assert "# The course's solution of exercise 03.1.\ndef contiguous_strides" in mine
    assert '\n\n\ndef offset_of(index, strides, offset=0):\n    """Return the' in mine
    readme = (target / "README.md").read_text()
    assert "| `offset_of(index, strides, offset=0)` | minigrad.layout | own |" in readme
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check"], ["format", "--check"]):
        run([*ruff, *command, "--no-cache", "."], target)
    pytest_there = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    some = [] if nightly else ["-k", "test_layout.py or test_tensor.py"]
    done = run([*pytest_there, *some], target)
    counts = [int(n) for n in re.findall(r"(\d+) (?:passed|skipped|deselected)", done)]
    assert re.search(r"\d\d+ passed", done) and "failed" not in done
    assert sum(counts) > 700
    inside = "viz/svg/calls.svg", "viz/widgets/step.js", "data/digits.npz"
    inside = [f"minigrad/{name}" for name in inside]
    for name in (*inside, "cudasim/headers/textures", "cudasim/native/runtime.h"):
        assert (target / name).is_file()


def test_right_answers_with_other_strides_pass_the_exported_tests(
    lab, tmp_path, nightly
):
    """Any stride is right where a size is 1: the checks say so, and so must these."""
    texts = {
        answered_in(c.text): c.text for c in cells_of(course.solution("03_strides"))
    }
    others = [
        ("slice_view", "view.append((1, size * stride))", "view.append((1, 0))"),
        ("view_or_copy", "append(step)", "append(step if size != 1 else 7)"),
    ]
    answers = [texts[name].replace(old, new) for name, old, new in others]
    assert all(text not in texts.values() for text in answers)
    lab(*answers)
    target = export(tmp_path / "mine")
    every = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    views = ["layout", "tensor", "views", "ops_shape", "ops_indexing", "ops_reduce"]
    run(every if nightly else [*every, "-k", " or ".join(views)], target)


def run(command, folder):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


SMALL_MNIST = """
import gzip, hashlib, pathlib, runpy, struct, sys
import numpy as np
from minigrad.data import mnist

folder, random = pathlib.Path("small"), np.random.default_rng(0)
folder.mkdir(exist_ok=True)
for (train, what), file in mnist.FILES.items():
    shape = (96 if train else 32, *((28, 28) if what == "images" else ()))
    array = random.integers(0, 10, shape, np.uint8)
    head = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    raw = head + array.tobytes()
    (folder / file.name).write_bytes(gzip.compress(raw))
    mnist.FILES[train, what] = file._replace(sha256=hashlib.sha256(raw).hexdigest())
sys.argv[1:] = sys.argv[1:] + ["--data", "small"]
runpy.run_path("train_mnist.py", run_name="__main__")
"""


def epochs(shown):
    """The lines that do not depend on how fast it was."""
    return [line for line in shown.splitlines() if not line.startswith("step ")]


def test_exported_package_trains(lab, tmp_path):
    """On files like MNIST's; stopped after an epoch it goes on, with the same end."""
    lab()
    target = export(tmp_path / "mine")
    train = [sys.executable, "-c", SMALL_MNIST, "--epochs"]
    straight = epochs(run([*train, "2"], target))
    assert straight[0].startswith("421,642 parameters on ")
    assert straight[0].endswith("seed 0; 96 images, 2 steps an epoch")
    assert re.fullmatch(r"epoch 1: loss .*%.* on the test images", straight[1])
    run([*train, "1", "--checkpoint", "kept"], target)
    rest = epochs(run([*train, "2", "--checkpoint", "kept"], target))
    assert rest[1] == "going on after step 2, from kept"
    assert rest[2] == straight[2] and rest[2].startswith("epoch 2: ")
    assert rest[3].split(";")[0] == straight[3].split(";")[0]
    missing = subprocess.run(
        [sys.executable, "train_mnist.py", "--data", "nowhere"],
        cwd=target, capture_output=True, text=True,
        env={**os.environ, "MINIGRAD_DATA": "", "XDG_CACHE_HOME": str(tmp_path),
             "HTTPS_PROXY": "http://127.0.0.1:9"},
    )  # fmt: skip
    assert missing.returncode == 1 and "Traceback" not in missing.stderr
    assert "Three ways to get MNIST" in missing.stderr


def test_exported_again(lab, tmp_path, capsys):
    target = tmp_path / "mine"
    target.mkdir()  # an empty folder will do
    lab(OFFSET + "    return 1")
    export(target)
    run([sys.executable, "-c", "import minigrad"], target)
    lab(OFFSET + "    return 2")
    export(target)
    assert "    return 2\n" in (target / "minigrad/layout.py").read_text()
    (target / "notes.txt").write_text("mine")
    with pytest.raises(
        CannotExport, match="mine was changed since it was exported. Cho"
    ):
        export(target)
    assert (target / "notes.txt").read_text() == "mine"
    capsys.readouterr()
    export(target, force=True)
    assert f"What was there is now in {target}.old." in capsys.readouterr().out
    assert (tmp_path / "mine.old" / "notes.txt").read_text() == "mine"
    (target / "notes.txt").write_text("mine, again")
    export(target, force=True)
    assert (tmp_path / "mine.old-2" / "notes.txt").read_text() == "mine, again"
    assert sorted(p.name for p in tmp_path.iterdir() if "mi" in p.name) == [
        "mine", "mine.old", "mine.old-2",
    ]  # fmt: skip


def test_places_that_are_refused(home, tmp_path, monkeypatch):
    full, file = tmp_path / "full", tmp_path / "file"
    full.mkdir()
    (full / "thesis.txt").write_text("years")
    file.write_text("")
    with pytest.raises(CannotExport, match="full is not empty, and no earlier export"):
        export(full)
    with pytest.raises(CannotExport, match="file is a file"):
        export(file, force=True)
    with pytest.raises(CannotExport, match="holds the course, or you"):
        export(home, force=True)
    monkeypatch.chdir(full)
    with pytest.raises(CannotExport, match="holds the course, or you"):
        export(".", force=True)
    assert (full / "thesis.txt").read_text() == "years"


def test_nothing_is_left_when_it_fails(lab, tmp_path):
    lab(OFFSET.replace("=0", "=0, n=nowhere.there") + "    return 1",
        "import json.decoder as nowhere\nnowhere.there = 1")  # fmt: skip
    before = sorted(tmp_path.iterdir())
    solves(layout.offset_of)(lambda index, strides, offset=0: 1)
    layout.offset_of.answer = layout.offset_of.answer._replace(
        source=layout.offset_of.answer.source._replace(
            text="import json.decoder as nowhere\n"
            + OFFSET.replace("=0", "=0, n=nowhere.there") + "    return 1"
        )
    )  # fmt: skip
    with pytest.raises(
        CannotExport, match="would not work, so nothing was(.|\n)*there"
    ):
        export(tmp_path / "new")
    assert sorted(tmp_path.iterdir()) == before


def test_without_ruff(home, tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CannotExport, match="ruff formats the files.*pip install ruff"):
        export(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_where_nothing_can_be_written(home, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(CannotExport, match=f"{file} cannot be written to .Not a dir"):
        export(file / "below" / "mine")
    assert file.read_text() == "x"


def test_an_export_needs_the_course(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "home", lambda: tmp_path / "installed")
    with pytest.raises(CannotExport, match="installed without its course. Clone"):
        export(tmp_path / "mine")
    assert [*tmp_path.iterdir()] == []
