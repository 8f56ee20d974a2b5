"""The learner's copies, the start page, the record of progress, and `minigrad lab`."""

import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import nbformat
import pytest
from lab_server import TOKEN, commit, git
from rich.console import Console

from minigrad import course
from minigrad.cli import overview, progress, start, work
from minigrad.exercises.registry import exercises

NAME = "03_strides"
STUB = "def contiguous_strides(shape):\n    # YOUR CODE HERE\n    ..."
OF_LAB, OF_LESSON = work.Copy("labs", NAME), work.Copy("lessons", NAME)
LAB = [
    ("title", "markdown", "# Lab 03"),
    ("setup", "code", "# Set-up\nimport minigrad"),
    ("ask", "markdown", "Write contiguous_strides."),
    ("answer", "code", f"@solves(contiguous_strides)\n{STUB}"),
    ("check", "code", "check(contiguous_strides)"),
]
MINE = "@solves(contiguous_strides)\ndef contiguous_strides(shape):\n    return mine"


@pytest.fixture
def lab(course_home, write_notebook):
    return write_notebook(course_home / "labs" / f"{NAME}.ipynb", *LAB)


@pytest.fixture
def lesson(course_home, write_notebook):
    text = "# Lesson\n[lab](../labs/03_strides.ipynb) [words](../docs/glossary.md#view)"
    (course_home / "docs").mkdir()
    (course_home / "docs/glossary.md").touch()
    cells = ("title", "markdown", text), ("code", "code", "1 + 1")
    return write_notebook(course_home / "lessons" / f"{NAME}.ipynb", *cells)


@pytest.fixture
def newer(lab, write_notebook):
    """newer() puts a newer lab in place: a new text, a new exercise, other ids."""

    def publish():
        extra = ("more", "code", "@solves(offset_of)\ndef offset_of(index): ...")
        changed = ("ask", "markdown", "Write contiguous_strides, better explained.")
        answer = ("answer-2", "code", LAB[3][2].replace("YOUR CODE", "YOUR OWN CODE"))
        write_notebook(lab, *LAB[:2], changed, answer, LAB[4], extra)

    return publish


def copy_of_lab():
    return course.home() / "work" / f"{NAME}.ipynb"


def cells(path):
    return json.loads(path.read_text())["cells"]


def sources(path):
    return ["".join(cell["source"]) for cell in cells(path)]


def edit(change):
    """Apply `change` to the list of cells of the working copy, as JupyterLab would."""
    notebook = nbformat.read(copy_of_lab(), as_version=4)
    change(notebook.cells)
    nbformat.write(notebook, copy_of_lab())


def write_answer(text=MINE):
    edit(lambda cells: cells[3].update(source=text))


# Working copies


def test_a_copy_is_made_once_and_never_written_over(lab):
    assert work.make_copies() == [OF_LAB]
    write_answer()
    before = copy_of_lab().read_bytes()
    assert work.make_copies() == []
    assert copy_of_lab().read_bytes() == before


def test_a_copy_is_a_valid_notebook_with_the_same_cells(lab):
    work.make_copies()
    nbformat.validate(nbformat.read(copy_of_lab(), as_version=4))
    assert cells(copy_of_lab()) == cells(lab)


def test_a_newer_lab_is_noticed_and_an_edit_of_the_learner_is_not(lab, newer):
    work.make_copies()
    write_answer()
    assert work.outdated() == []
    newer()
    assert work.outdated() == [OF_LAB]


def test_every_lesson_of_a_chapter_is_copied_and_shown(
    course_home, lab, lesson, write_notebook, monkeypatch
):
    monkeypatch.setattr(course, "PARTS", {3: ("more",)})
    write_notebook(
        course_home / f"lessons/{NAME}_more.ipynb", ("a", "markdown", "More")
    )
    names = NAME, NAME, f"{NAME}_more"
    assert [one.name for one in work.copies(NAME)] == [*names]
    assert [one.name for one in work.make_copies()] == [*names]
    first, more = f"work/lessons/{NAME}.ipynb", f"work/lessons/{NAME}_more.ipynb"
    shown = start.progress()._repr_markdown_()
    assert f"the [lesson]({first}), [part 2]({more}) and its [lab](" in shown
    assert f"| [lesson]({first}), [part 2]({more}) | [lab](" in shown


def test_a_lesson_is_copied_and_its_links_lead_to_copies(lab, lesson):
    assert work.make_copies() == [OF_LAB, OF_LESSON]
    text = "[lab](../03_strides.ipynb) [words](../../docs/glossary.md#view)"
    assert text in sources(OF_LESSON.path)[0]
    assert work.outdated() == []


def test_a_copy_in_which_nothing_is_written_is_renewed(lab, newer):
    work.make_copies()
    newer()
    assert work.make_copies() == work.outdated() == []
    assert sources(copy_of_lab()) == sources(lab)


def test_a_copy_has_the_metadata_that_the_kernel_would_write(lab):
    from ipykernel.ipkernel import IPythonKernel
    from ipykernel.kernelspec import get_kernel_dict

    work.make_copies()
    metadata = json.loads(copy_of_lab().read_text())["metadata"]
    spec = get_kernel_dict()
    assert metadata["kernelspec"] == {
        "display_name": spec["display_name"],
        "language": spec["language"],
        "name": "python3",
    }
    assert metadata["language_info"] == IPythonKernel.language_info


def test_a_copy_follows_a_newer_python(lab, monkeypatch):
    work.make_copies()
    write_answer()
    monkeypatch.setitem(work.LANGUAGE, "version", "3.99.0")
    assert work.make_copies() == []
    notebook = json.loads(copy_of_lab().read_text())
    assert notebook["metadata"]["language_info"]["version"] == "3.99.0"
    assert MINE in sources(copy_of_lab())


def test_the_links_of_every_copy_lead_somewhere_without_a_network(tmp_path):
    """From copies of the real course, in a folder of its own."""
    there = {one.path for one in work.copies()}
    there.add(course.home() / "docs/glossary.md")
    for one in work.copies():
        for cell in work.published(one)["cells"]:
            for link in work.LINK.findall(work.text(cell)):
                if link.endswith((".ipynb", ".md")):
                    assert (one.path.parent / link).resolve() in there, (one, link)
            assert "![" not in work.text(cell), one


# Updates


def test_update_carries_the_answer_into_the_newer_lab(lab, newer):
    work.make_copies()
    write_answer()
    newer()
    start.update(NAME)
    assert MINE in sources(copy_of_lab())
    assert "Write contiguous_strides, better explained." in sources(copy_of_lab())
    assert not any("YOUR OWN CODE" in text for text in sources(copy_of_lab()))
    assert work.outdated() == []


def test_update_keeps_the_old_copy_each_time(lab, newer):
    work.make_copies()
    write_answer()
    before = copy_of_lab().read_bytes()
    newer()
    start.update(NAME)
    (kept,) = copy_of_lab().parent.glob("*.before-update-*")
    assert kept.read_bytes() == before
    lab.write_text(lab.read_text().replace("better", "much better"))
    start.update(NAME)
    assert kept.read_bytes() == before
    assert len(list(copy_of_lab().parent.glob("*.before-update-*"))) == 2


def test_update_takes_the_new_stub_where_nothing_was_written(lab, newer):
    work.make_copies()
    newer()
    start.update(NAME)
    assert sources(copy_of_lab()) == sources(lab)


def test_update_keeps_added_cells_in_their_place(lab, newer):
    work.make_copies()
    note = nbformat.v4.new_markdown_cell("my note")
    edit(lambda cells: cells.insert(4, note))
    write_answer()
    newer()
    start.update(NAME)
    texts = sources(copy_of_lab())
    assert texts.index("my note") == texts.index(MINE) + 1
    assert work.HEADING not in texts


def test_update_keeps_what_has_no_place_under_a_heading(lab, newer):
    work.make_copies()
    first = nbformat.v4.new_code_cell("my_first = 1")
    edit(lambda cells: cells.insert(0, first))
    newer()
    start.update(NAME)
    assert sources(copy_of_lab())[-2:] == [work.HEADING, "my_first = 1"]


def test_update_keeps_as_text_an_answer_to_what_is_no_exercise_any_more(lab, newer):
    work.make_copies()
    mine = "@solves(cube)\ndef cube(x):\n    return x**3"
    edit(lambda cells: cells.append(nbformat.v4.new_code_cell(mine)))
    newer()
    assert "No exercises any more, and as text at its end: cube." in start.update(NAME)
    *_, heading, last = cells(copy_of_lab())
    assert "".join(heading["source"]) == work.HEADING
    assert last["cell_type"] == "markdown"
    assert f"```python\n{mine}\n```" in "".join(last["source"])
    lab.write_text(lab.read_text().replace("better", "much better"))
    assert "No exercises" not in start.update(NAME)
    assert mine in sources(copy_of_lab())[-1]


def test_update_keeps_a_changed_check_beside_the_new_one(lab, newer):
    work.make_copies()
    edit(lambda cells: cells[4].update(source="check(contiguous_strides)  # mine"))
    newer()
    start.update(NAME)
    texts = sources(copy_of_lab())
    assert "check(contiguous_strides)" in texts
    assert "check(contiguous_strides)  # mine" in texts


def test_update_keeps_both_answers_and_lets_the_last_one_count(lab, newer):
    work.make_copies()
    second = MINE.replace("mine", "second")
    write_answer()
    edit(lambda cells: cells.insert(4, nbformat.v4.new_code_cell(second)))
    newer()
    start.update(NAME)
    texts = sources(copy_of_lab())
    assert texts.index(MINE) + 1 == texts.index(second)
    nbformat.validate(nbformat.read(copy_of_lab(), as_version=4))


def test_update_carries_answers_over_when_all_metadata_was_lost(lab, newer):
    """As after a way through Colab: no ids, no note of the lab it was made from."""
    work.make_copies()
    write_answer()

    def lose(cells):
        for i, cell in enumerate(cells):
            cell.id, cell.metadata = f"lost-{i}", {}

    edit(lose)
    notebook = json.loads(copy_of_lab().read_text())
    copy_of_lab().write_text(json.dumps(notebook | {"metadata": {}}))
    newer()
    start.update(NAME)
    assert MINE in sources(copy_of_lab())


def test_update_says_when_there_is_nothing_to_do(lab):
    assert "`minigrad lab` makes it" in start.update(NAME)
    work.make_copies()
    assert "nothing to do" in start.update(NAME)


def test_a_damaged_copy_is_named_and_not_touched(lab):
    work.make_copies()
    copy_of_lab().write_text("<<<<<<< HEAD")
    with pytest.raises(work.NotANotebook, match="Rename it"):
        work.update(OF_LAB)
    assert work.make_copies() == []
    assert copy_of_lab().read_text() == "<<<<<<< HEAD"


def test_git_pull_of_a_newer_course_keeps_the_learners_copy(lab, newer, monkeypatch):
    teacher = course.home()
    (teacher / ".gitignore").write_text("work/\nSTART.ipynb\n")
    git(teacher, "init", "-q", "-b", "main")
    commit(teacher)
    learner = teacher.with_name("learner")
    git(teacher, "clone", "-q", str(teacher), str(learner))
    newer()
    commit(teacher)

    monkeypatch.setattr(course, "home", lambda: learner)
    work.make_copies()
    start.write_page()
    write_answer()
    assert git(learner, "status", "--porcelain") == ""
    before = copy_of_lab().read_bytes()
    git(learner, "pull", "-q")
    assert copy_of_lab().read_bytes() == before
    assert work.outdated() == [OF_LAB]
    start.write_page()
    assert "minigrad update 03" in (learner / start.PAGE).read_text()
    start.update(NAME)
    assert MINE in sources(copy_of_lab())
    assert git(learner, "status", "--porcelain") == ""


# The record of progress

RIGHT = {"points": 1, "max_points": 1, "state": "right", "failures": []}


@pytest.fixture
def in_work(course_home, monkeypatch):
    """As in a notebook of work/: its kernel runs there."""
    (course_home / "work").mkdir()
    monkeypatch.chdir(course_home / "work")
    return course_home / "work"


def test_a_verdict_is_kept_and_the_latest_one_counts(in_work):
    progress.record("permute", {"points": 0, "max_points": 2, "state": "wrong"})
    progress.record("permute", RIGHT)
    kept = progress.read_progress()["permute"]
    assert kept.pop("time")
    assert kept == {"points": 1, "max_points": 1, "state": "right"}


def test_a_check_outside_of_work_is_not_progress(in_work, monkeypatch):
    monkeypatch.chdir(in_work.parent)
    progress.record("permute", RIGHT)
    assert progress.read_progress() == {}


@pytest.mark.parametrize("broken", ['{"permute"', "[]", "", "\x00"])
def test_a_broken_record_is_kept_aside(in_work, broken, capsys):
    progress.path().write_text(broken)
    progress.record("permute", RIGHT)
    assert "permute" in progress.read_progress()
    (aside,) = in_work.glob("*.bak")
    assert aside.read_text() == broken
    assert aside.name in capsys.readouterr().out


def test_verdicts_of_the_same_moment_are_all_kept(in_work):
    names = [f"exercise_{i}" for i in range(20)]
    threads = [threading.Thread(target=progress.record, args=(n, RIGHT)) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(progress.read_progress()) == set(names)


def test_a_record_that_cannot_be_written_does_not_spoil_the_check(in_work):
    progress.path().mkdir()
    with pytest.warns(UserWarning, match="could not be written"):
        progress.record("permute", RIGHT)


# The start page, and progress in a terminal


def text_of(thing):
    """The lines that a wide terminal shows."""
    console = Console(file=io.StringIO(), width=200)
    console.print(thing)
    return console.file.getvalue().splitlines()


def test_without_copies_there_is_a_next_step_and_no_table(lab):
    assert text_of(start.progress()) == ["`minigrad lab` opens the course."]


def test_what_is_solved_can_be_taken_home(lab, monkeypatch):
    work.make_copies()
    monkeypatch.setattr(start, "is_done", lambda have: True)
    assert "minigrad export FOLDER" in start.progress().hint()


def test_the_page_links_to_what_is_there_and_calls_the_rest_planned(lab):
    work.make_copies()
    table = start.progress()._repr_markdown_().splitlines()[4:]
    assert [int(line.split("|")[1]) for line in table] == list(range(17))
    assert f"[lab](work/{NAME}.ipynb)" in table[3]
    assert "[lesson]" not in table[3]
    assert all("planned" in line for line in table[:3] + table[4:])


def test_the_page_shows_points_and_exercises(lab, monkeypatch):
    work.make_copies()
    monkeypatch.chdir(course.home() / "work")
    entries = [entry for entry in exercises() if entry.chapter == NAME]
    first = entries[0]
    verdict = {"points": first.points, "max_points": first.points, "state": "right"}
    progress.record(first.name, verdict)
    row = start.progress().rows()[3]
    total = sum(entry.points for entry in entries)
    assert row[-2:] == (f"1 of {len(entries)}", f"{first.points:g} of {total:g}")
    progress.record(entries[-1].name, {"state": "needs a GPU"})
    lines = text_of(start.progress())
    whole = f"1 of {len(entries) - 1} (1 not graded: no GPU)"
    shown = [line for line in lines if "\u25b0\u25b1" in line and whole in line]
    assert [line.split()[0] for line in shown] == ["03", "total"]
    assert lines[-1] == start.progress().hint()


def test_the_page_is_a_valid_notebook_whose_cell_runs(lab):
    work.make_copies()
    start.write_page()
    page = nbformat.read(course.home() / start.PAGE, as_version=4)
    nbformat.validate(page)
    *_, last = page.cells
    shown = {}
    exec(last.source.replace("\nprogress()", "\nshown = progress()"), shown)
    assert NAME in shown["shown"]._repr_markdown_()


def test_the_picture_has_a_box_for_each_chapter_below_what_it_builds_on(lab):
    work.make_copies()
    assert (
        start.progress()
        .picture()
        .alt.startswith(
            "03, A tensor is a storage and a way to read it, builds on no other: 0 of"
        )
    )
    there = [chapter for chapter in course.CHAPTERS if chapter.number < 13]
    places = overview.placed(there)
    assert len({*places.values()}) == len(there)
    for chapter in there:
        assert all(places[n][1] < places[chapter.number][1] for n in chapter.needs)


def test_the_core_path_takes_as_long_as_the_start_page_says():
    chapters = [c for c in course.CHAPTERS[:11] if c.number != 7]
    spelled = "chapters 00 to 06 and 08 to 10"
    for text in start.BEGIN, (course.home() / "README.md").read_text():
        assert spelled in " ".join(text.split())
        assert "takes about 22 hours" in " ".join(text.split())
    minutes = sum(
        entry.exercise.minutes
        for entry in exercises()
        if entry.exercise.level == "core"
    )
    for chapter in chapters:
        text = (course.home() / f"lessons/{chapter.name}.ipynb").read_text()
        said = re.search(r"about(?: |\\n)([\d.]+) (minutes|hours) \(an", text)
        minutes += float(said[1]) * (60 if said[2] == "hours" else 1)
    assert abs(minutes / 60 - 22) <= 1
    levels = {
        e.exercise.level for e in exercises() if e.chapter[:2] in ("07", "11", "12")
    }
    assert "core" not in levels


@pytest.mark.parametrize("chapter", course.CHAPTERS[:13], ids=lambda c: c.name)
def test_a_lesson_names_the_chapters_that_it_builds_on(chapter):
    text = (Path(__file__).parents[2] / f"lessons/{chapter.name}.py").read_text()
    first = text.partition("# %% [markdown]")[2].partition("\n# %%")[0]
    said = re.search(r"(?:builds\s+on|have read)([^;.]*)", re.sub(r"\n# ?", " ", first))
    numbers = sorted({*map(int, re.findall(r"\b\d\d\b", said[1]))})
    if " to " in said[1]:
        numbers = range(numbers[0], numbers[-1] + 1)
    assert [*chapter.needs] == [*numbers]


# The command


def test_lab_makes_copies_and_says_how_jupyter_is_started(lab, capsys):
    port = unused_port()
    start.lab(port=port, browser=False, dry_run=True)
    said = capsys.readouterr().out
    assert copy_of_lab().exists()
    assert (course.home() / start.PAGE).exists()
    assert f"--ServerApp.port={port}" in said
    assert "--no-browser" in said
    assert f"Your own copies of labs are new: work/{NAME}.ipynb" in said


def test_a_port_in_use_is_an_error_that_names_a_free_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(start.CannotStart, match=f"Port {port} is in use.*PORT="):
            start.free_port(port)


def test_without_a_wish_the_first_free_port_is_taken(monkeypatch, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(start, "FIRST_PORT", taken.getsockname()[1])
        assert start.free_port(None) > start.FIRST_PORT
    assert "is in use" in capsys.readouterr().out


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(start.CannotStart, match="from 1 to 65535"):
        start.free_port(port)


def test_two_cupy_wheels_stop_the_start(lab, monkeypatch):
    both = ["cupy-cuda12x", "cupy-cuda13x"]
    monkeypatch.setattr(start, "cupy_wheels", lambda: both)
    with pytest.raises(start.CannotStart, match="cupy-cuda12x and cupy-cuda13x"):
        start.lab(dry_run=True)


def test_without_the_course_the_command_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(course, "home", lambda: tmp_path)
    with pytest.raises(start.CannotStart, match="clone the repository"):
        start.lab(dry_run=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["update", "99"], "no chapter is called '99'. The chapters are 00"),
        (["update", "3_stride"], "Did you mean '03_strides'?"),
        (["update", "memry_tiles"], "Did you mean '02_memory_tiles'?"),
        (["lab", "--port", "70000", "--dry-run"], "from 1 to 65535"),
    ],
)
def test_an_ordinary_mistake_gets_one_line(words, message):
    run = subprocess.run(
        [sys.executable, "-m", "minigrad", *words], capture_output=True, text=True
    )
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_the_menus_and_news_of_jupyter_are_set_by_our_folder(monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "mine")
    ours, mine = start.environment()["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert mine == "mine"
    assert os.path.isfile(os.path.join(ours, "jupyter_server_config.json"))


@pytest.mark.slow
@pytest.mark.xdist_group("browser")  # they share the server
def test_jupyter_shows_the_page_without_news_and_menus_for_instructors(jupyter):
    name = "@jupyterlab/apputils-extension:notification"
    about = jupyter.get(f"/lab/api/settings/{name}")["schema"]["properties"]
    assert about["fetchNews"]["default"] == "false"
    assert jupyter.get(f"/api/contents/{start.PAGE}")["type"] == "notebook"
    request = urllib.request.Request(jupyter.url + "/lab")
    request.add_header("Authorization", f"token {TOKEN}")
    with urllib.request.urlopen(request, timeout=30) as reply:
        assert '"@jupyter/nbgrader:formgrader"' in reply.read().decode()
    assert jupyter.get("/formgrader/api/assignments") is None  # not loaded


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_map_says_where_to_go_on_and_how_far_one_is(lab, monkeypatch):
    work.make_copies()
    monkeypatch.chdir(course.home() / "work")
    page = start.progress()
    assert "Continue here: 03 \u00b7 " in page.next()
    assert "[lab](work/03_strides.ipynb)" in page.next()
    there = [e for e in exercises() if e.chapter == NAME]
    for exercise in there:
        whole = {
            "points": exercise.points,
            "max_points": exercise.points,
            "state": "right",
        }
        progress.record(exercise.name, whole)
    assert page.next() == "**All is solved.**"
    assert "\u25b0" * 10 in page._repr_markdown_()
    progress.record(there[0].name, {"points": 0, "max_points": 1, "state": "wrong"})
    assert "Continue here" in page.next() and "\u25b1" in page._repr_markdown_()


@pytest.mark.parametrize("share, full", [(0, 0), (0.01, 1), (0.999, 9), (1, 10)])
def test_a_bar_is_full_only_when_all_is_done_and_empty_when_nothing(share, full):
    assert start.bar(share) == "\u25b0" * full + "\u25b1" * (10 - full)
