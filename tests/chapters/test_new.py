"""`python -m grading new`: an exercise begun, with every place to fill in."""

import random
import shutil

import pytest
from typer.testing import CliRunner

import grading.exercise
from grading.checking.cases import given
from grading.cli import app
from grading.isolation import codec
from grading.notebooks.build import TASK
from minigrad import course

HOME = course.home()
TEXTS = (
    "minigrad/layout.py", "minigrad/tensor.py", "minigrad/kernels/memory.py",
    "solutions/02_memory.py", "solutions/03_strides.py", "solutions/12_graphs.py",
    "minigrad/graph.py", "pyproject.toml",
)  # fmt: skip


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The texts of a course that an exercise is added to."""
    for name in TEXTS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOME / name, tmp_path / name)
    for folder in ("grading/checks/03_strides", "tests/answers/03_strides"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("grading/checks", "tests/answers"):
        for chapter in ("02_memory", "12_graphs"):
            (tmp_path / folder / chapter).mkdir()
    monkeypatch.setattr(course, "home", lambda: tmp_path)
    return tmp_path


def begun(*words):
    return CliRunner().invoke(app, ["new", *words])


@pytest.mark.parametrize(
    ("words", "chapter", "before", "module"),
    [
        (("03", "turned"), "03_strides", "test_permute", "minigrad/layout.py"),
        (("03", "Tensor.turned"), "03_strides", "test_permute", "minigrad/tensor.py"),
        (("02", "turned", "--kernel"), "02_memory", "test_block_sum",
         "minigrad/kernels/memory.py"),
        (("12", "turned"), "12_graphs", None, "minigrad/graph.py"),
    ],
)  # fmt: skip
def test_what_is_written(home, words, chapter, before, module):
    done = begun(*words)
    assert done.exit_code == 0, done.output
    lab = (home / f"solutions/{chapter}.py").read_text()
    tasks = TASK.findall(lab)
    place = tasks.index("turned")
    assert tasks[place + 1 :] == ([before] if before else [])
    texts = [home / module, *(home / "grading/checks").rglob("turned.*"),
             *(home / "tests/answers").rglob("turned.*")]  # fmt: skip
    assert len(texts) == 4 and all(str(path) in done.output for path in texts)
    for path in [*texts, home / f"solutions/{chapter}.py"]:
        if path.suffix == ".py":
            assert "turned" in path.read_text()
            compile(path.read_text(), path.name, "exec")
    if "." not in words[1]:
        assert "turned" in lab.partition("# %% [markdown] task=")[0]


@pytest.mark.parametrize("name", ["turned", "Tensor.turned"])
def test_the_cases_of_a_draft_reach_an_answer_in_another_process(home, name):
    torch = pytest.importorskip("torch", reason="not run: drafts (PyTorch is missing)")
    begun("03", name)
    text = (home / "grading/checks/03_strides/turned.py").read_text()
    space = {"torch": torch, **vars(grading.exercise)}
    exec(text[text.index("def cases") : text.index("check = Check")], space)
    for _, case in space["cases"](random.Random(0)):
        codec.encode([*map(given, case.args)])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("03", "permute"), "permute is there already"),
        (("03", "2x"), "'2x' is no name"),
        (("77", "turned"), "no chapter is called '77'"),
        (("03", "Nothing.turned"), "no methods of Nothing"),
    ],
)
def test_what_is_refused(home, words, said):
    before = {name: (home / name).read_text() for name in TEXTS}
    assert said in str(begun(*words).exception)
    assert before == {name: (home / name).read_text() for name in TEXTS}
    assert not [*home.rglob("turned*")]
