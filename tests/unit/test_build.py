"""Notebooks are built from text: the same bytes each time, and nobody's work lost."""

import functools
import itertools
import json
import re
from pathlib import Path

import nbformat
import pytest

from grading.notebooks import build
from grading.notebooks.duration import duration
from minigrad import course
from minigrad.exercises import order

TEXTS = [text for text, _ in build.sources()]
LABS = [text for text in TEXTS if text.parent.name == "solutions"]
LESSONS = [text for text in TEXTS if text.parent.name == "lessons"]
TO_DO = re.compile(r"<details>.*?</details>|\*\*predict\*\*|\bPredict\b", re.S)


def ids(path):
    return f"{path.parent.name}/{path.stem}"


@functools.cache
def built(text):
    """The notebook as it is handed out; tests only read it."""
    return build.notebook(text, solved=False)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS, ids=ids)
def test_built_twice_it_has_the_same_bytes(text):
    again = build.notebook(text, solved=False)
    assert build.dumps(built(text)) == build.dumps(again)


def test_every_built_notebook_is_what_its_text_says():
    stale = [path.name for path in build.build(check=True)]
    assert not stale, "run `python -m grading build`"


@pytest.mark.parametrize("text", TEXTS, ids=ids)
def test_a_notebook_says_how_long_it_takes(text):
    first = built(text).cells[0].source
    assert re.search(r"bout\s\d+(\.5)? (minutes|hours)\b", first)


@pytest.mark.parametrize("text", TEXTS, ids=ids)
def test_a_learner_reads_no_words_for_tools(text):
    for cell in built(text).cells:
        assert "# fmt:" not in cell.source and "# noqa" not in cell.source


def test_a_lesson_takes_what_it_asks_for():
    cell = nbformat.v4.new_markdown_cell
    cells = [cell("word " * 2300), cell("**Predict**: a line of 1, 2. **Puzzle 1**")]
    cells += [nbformat.v4.new_code_cell("x = 1\n\ny = 2\n" * 10)]
    assert duration(cells, []) == "20 minutes (an estimate)"  # 10 + 2 + 1 + 5
    cells += [cell("## Before you go\n\n1. Why?\n2. When?\n\n<details>\n\n1. So")]
    assert duration(cells * 5, []).startswith("1.5 hours ")  # 5 · 18, 2 questions


@pytest.mark.parametrize("text", LESSONS, ids=ids)
def test_a_lesson_comes_in_small_pieces(text):
    """After 250 words at most something to run, to predict or to unfold."""
    for kind, cells in itertools.groupby(built(text).cells, lambda c: c.cell_type):
        sources = [cell.source for cell in cells if cell.id != "setup"]
        for source in sources if kind == "code" else ():
            assert len(re.findall(r"^[ \t]*(?!#|//)\S", source, re.M)) <= 13, source
        for piece in TO_DO.split("\n".join(sources)) if kind == "markdown" else ():
            assert len(re.findall(r"\S*\w\S*", piece)) <= 250, piece


@pytest.mark.parametrize("text", LESSONS, ids=ids)
def test_what_is_to_be_predicted_is_told_by_a_cell_or_folded(text):
    cells = built(text).cells
    for n, cell in enumerate(cells):
        if parts := re.split(r"\*\*[Pp]redict\*\*", cell.source)[1:]:
            after = (c.source for c in cells[n + 1 :] if c.cell_type == "markdown")
            begins = next(after, "").startswith(("<details>", "#"))
            assert "<details>" in parts[-1] or begins, cell.source


@pytest.mark.parametrize("text", LESSONS, ids=ids)
def test_a_lesson_calls_exercises_by_their_numbers(text):
    exercises = [
        exercise.name.rpartition(".")[2]
        for exercise in build.exercises_of(course.chapter(text.stem).name)
    ]
    text = "\n".join(cell.source for cell in built(text).cells)
    listed = re.findall(r"(\d+)(?: to \d+)?\s\(((?:`\w+`(?:,\s)?)+)\)", text)
    for first, names in listed:
        names = re.findall(r"\w+", names)
        assert exercises[int(first) - 1 :][: len(names)] == names
    numbers = re.findall(r"\b[Ee]xercises? (\d+)(?: (?:to|and) (\d+))?\b(?! of)", text)
    assert all(int(n or 0) <= len(exercises) for pair in numbers for n in pair)


@pytest.mark.parametrize("text", TEXTS, ids=ids)
def test_no_text_is_glued_to_what_is_folded(text):
    """JupyterLab leaves no room there: it gets a cell of its own."""
    for cell in built(text).cells:
        assert not re.search(r"</details>\s+[^#<\s]", cell.source), cell.source


@pytest.mark.parametrize("text", TEXTS, ids=ids)
def test_ids_are_fixed_and_fit_every_front_end(text):
    cells = built(text).cells
    names = [cell["id"] for cell in cells]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)


@pytest.mark.parametrize("text", LABS, ids=ids)
def test_no_solution_is_left_in_a_lab(text):
    solved = build.notebook(text, solved=True)
    empty = build.dumps(built(text))
    assert "BEGIN SOLUTION" not in empty and "END SOLUTION" not in empty
    for cell in solved.cells:
        hidden = re.findall(
            r"BEGIN SOLUTION\n(.*?)### END SOLUTION", cell.source, flags=re.S
        )
        for line in "".join(hidden).splitlines():
            if len(line.strip()) > 30:
                assert json.dumps(line.strip())[1:-1] not in empty


@pytest.mark.parametrize("text", LABS, ids=ids)
def test_an_exercise_is_six_cells(text):
    """Task, example, hints, answer, trial, check."""
    cells = build.jupytext.reads(text.read_text(), fmt="py:percent").cells
    marks = [
        next((f"{m} {c.metadata[m]}" for m in MARKS if m in c.metadata), c.cell_type)
        for c in cells
    ]
    for exercise in build.exercises_of(text.stem):
        at = marks.index(f"task {exercise.name}")
        assert marks[at : at + 6] == [
            f"task {exercise.name}",
            "code",
            f"hints {exercise.name}",
            f"exercise {exercise.name}",
            "code",
            f"check {exercise.name}",
        ]
        assert cells[at + 2].source.count("<details>") >= 2, "two folded hints"


MARKS = ("task", "hints", "exercise", "check")


def test_a_stub_is_in_the_language_of_its_region():
    python = "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
    assert build.clear(python) == (
        "def f():\n    # YOUR CODE HERE\n    raise NotImplementedError"
    )
    cuda = 'r"""\nvoid f() {\n    // BEGIN SOLUTION\n    g();\n    // END SOLUTION\n}'
    assert build.clear(cuda) == 'r"""\nvoid f() {\n    // YOUR CODE HERE\n}'


@pytest.mark.parametrize(
    "text", ["### BEGIN SOLUTION", "### END SOLUTION", "# BEGIN SOLUTION\n" * 2]
)
def test_marks_that_do_not_pair_up_are_an_error(text):
    with pytest.raises(build.BuildError, match="SOLUTION"):
        build.clear(text)


def test_a_notebook_that_somebody_edited_is_kept(tmp_path):
    target = tmp_path / "lab.ipynb"
    nb = build.notebook(LABS[0], solved=False)
    build.write(nb, target)
    edited = nbformat.read(target, as_version=4)
    edited.cells[3].source += "\nmy own work"
    nbformat.write(edited, target)
    mine = target.read_text()
    with pytest.raises(build.Edited, match="has been edited"):
        build.write(nb, target)
    assert target.read_text() == mine
    build.write(nb, target, force=True)
    assert (tmp_path / "lab.edited-1.ipynb").read_text() == mine
    assert target.read_text() == build.dumps(nb)


def test_a_notebook_that_was_only_run_is_built_anew(tmp_path):
    """Outputs are no work: an older build with outputs is replaced."""
    target = tmp_path / "lab.ipynb"
    nb = build.notebook(LABS[0], solved=False)
    build.write(nb, target)
    old = nbformat.read(target, as_version=4)
    old.cells[1].outputs = [nbformat.v4.new_output("stream", text="hello")]
    nbformat.write(old, target)
    build.write(nb, target)
    assert target.read_text() == build.dumps(nb)


def test_no_list_begins_within_a_paragraph():
    """ "..., as in exercise", and "1. What ..." on the next line, would be a list."""
    begins = re.compile(r"(?m)^(?![-*+>|#` ]|\d+\. ).+\n(?:[-*+]|1\.) .*")
    for text in TEXTS:
        for cell in built(text).cells:
            if cell.cell_type == "markdown":
                plain = re.sub(r"(?s)```.*?```", "", cell.source)
                assert not begins.findall(plain), text


def test_badges_and_set_up_cells_come_from_one_setting():
    settings = build.settings()
    for text in TEXTS:
        nb = built(text)
        badge, setup = nb.cells[0].source, next(c for c in nb.cells if c.id == "setup")
        assert f"blob/{settings['tag']}/" in badge
        assert settings["repository"].removeprefix("https://github.com/") in badge
        assert settings["repository"] in setup.source
        assert settings["tag"] in setup.source


def test_lessons_and_labs_do_not_ask_for_a_kernel():
    for text in TEXTS:
        metadata = built(text).metadata
        assert metadata["kernelspec"]["name"] == "python3"
        assert metadata["minigrad"]["chapter"] in {c.name for c in course.CHAPTERS}


def test_a_chapter_may_have_two_lessons(tmp_path, monkeypatch):
    """A lesson leads to its next part, then to the lab, which leads back to both."""
    monkeypatch.setattr(course, "PARTS", {0: ("more",)})
    (folder := tmp_path / "lessons").mkdir()
    first, second, *_ = (folder / f"{name}.py" for name in course.CHAPTERS[0].lessons)
    for text in first, second:
        text.write_text("# %% [markdown]\n# About {{duration}}.\n#\n# **To the lab**")
    one, two = (build.notebook(text, solved=False) for text in (first, second))
    lab = build.notebook(course.solution("00_python_to_gpu"), solved=False)
    to_lab = "[lab 00](../labs/00_python_to_gpu.ipynb)"
    part = "[lesson 00, part 2](00_python_to_gpu_more.ipynb)"
    assert one.cells[-1].source.startswith(f"**Next**: {part}, then {to_lab}, then ")
    assert two.cells[-1].source.startswith(f"**Next**: {to_lab}, then [lesson 01")
    back = "../lessons/00_python_to_gpu"
    assert f"[Lesson 00]({back}.ipynb), [part 2]({back}_more.ipynb)" in (
        lab.cells[0].source
    )
    assert "/lessons/00_python_to_gpu_more.ipynb)" in two.cells[0].source  # Colab
    for nb in one, two:
        assert "**[To the lab](../labs/00_python_to_gpu.ipynb)**" in nb.cells[0].source
        assert nb.metadata["minigrad"]["chapter"] == "00_python_to_gpu"


def test_a_chapter_is_built_with_all_its_lessons(monkeypatch, tmp_path):
    monkeypatch.setattr(course, "PARTS", {3: ("more",)})
    texts = [tmp_path / f"{name}.py" for name in ("03_strides_more", "04_elementwise")]
    monkeypatch.setattr(build, "sources", lambda: [(t, t) for t in texts])
    monkeypatch.setattr(build, "ordered", lambda check: [])
    monkeypatch.setattr(build, "notebook", lambda text, solved: text)
    monkeypatch.setattr(build, "is_stale", lambda nb, target: True)
    assert build.build(["03"], check=True) == texts[:1]
    with pytest.raises(ValueError, match="03_strides_other"):
        course.chapter("03_strides_other")


def test_a_stated_number_is_a_number_and_known(tmp_path):
    cells = ["# %% [markdown]\n# {{=1,024}}, {{=no|False}}, {{x | y}}.", "# %%\n1"]
    text = tmp_path / "00_stated.py"
    text.write_text("\n\n".join(cells))
    assert build.stated(text) == {"intro-1": ["1,024", "False"]}
    assert build.STATED.sub(r"\1", cells[0]).endswith("# 1,024, no, {{x | y}}.")


def test_words_are_counted_as_they_are_read(tmp_path):
    text = tmp_path / "lessons" / "00_python_to_gpu.py"
    text.parent.mkdir()
    text.write_text("# %% [markdown]\n# {{duration}}, {{=one|" + "two " * 9999 + "}}")
    assert "0 minutes" in build.notebook(text, solved=False).cells[0].source


def test_a_mark_that_nothing_fills_in_is_an_error(tmp_path):
    text = tmp_path / "lessons" / "00_python_to_gpu.py"
    text.parent.mkdir()
    text.write_text("# %% [markdown]\n# It takes {{sum of\n# | PyTorch | time}}.")
    with pytest.raises(build.BuildError, match="sum of"):
        build.notebook(text, solved=False)


def test_numbers_come_from_the_order_of_tasks(monkeypatch, tmp_path):
    listing, lab = tmp_path / "order.py", tmp_path / "03_strides.py"
    listing.write_text(Path(order.__file__).read_text())
    lab.write_text('# %% [markdown] task="transpose"\n# %% [markdown] task="permute"\n')
    monkeypatch.setattr(order, "__file__", str(listing))
    monkeypatch.setattr(order, "ORDER", {**order.ORDER})
    monkeypatch.setattr(build, "sources", lambda: [(lab, tmp_path / "labs/03.ipynb")])
    assert build.ordered(check=True) == [listing] == build.ordered()
    assert order.place("permute") == ("03_strides", 2)
    assert build.ordered() == []
