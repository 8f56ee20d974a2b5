"""Answers from notebooks: whole, partly done, broken, run again."""

import importlib
import json
import signal
import threading
import time

import pytest

from minigrad import Tensor, answers_from, layout, solves
from minigrad import answers as running_answers
from minigrad.answers import cells_of, load_references
from minigrad.cells import answered_in, python

ex = importlib.import_module("minigrad.exercise")  # minigrad.exercise is a function
offset_of, index_of = layout.offset_of, layout.index_of

SETUP = "# Set-up: run me.\nfrom minigrad import Tensor, answers_from, layout, solves"
HEAD = "@solves(layout.offset_of)\ndef offset_of(index, strides, offset=0):\n"
ONE = HEAD + "    return 1"
STUB = HEAD + "    # YOUR CODE HERE\n    raise NotImplementedError"
SHAPES = (
    "@solves(layout.broadcast_shapes)\ndef broadcast_shapes(*shapes):\n    return 7"
)
SOLUTION = """\
# %% [markdown]
# Text.

# %% setup=true
# Set-up
from minigrad import answers_from, layout, solves
print(answers_from("labs", before="03"))

# %% exercise="offset_of"
@solves(layout.offset_of)
def offset_of(index, strides, offset=0):
    return 100

# %% exercise="index_of"
@solves(layout.index_of)
def index_of(position, shape):
    return 200

# %% exercise="broadcast_shapes"
@solves(layout.broadcast_shapes)
def broadcast_shapes(*shapes):
    return 300

# %%
raise SystemExit("a cell that is neither set-up nor answer")
"""


@pytest.fixture
def home(course_home, monkeypatch):
    """A course of three exercises, with their solutions and no lab."""
    holes = [layout.offset_of, layout.index_of, layout.broadcast_shapes]
    before = {hole: dict(vars(hole)) for hole in holes}
    for hole in holes:
        hole.answer = hole.reference = hole._run = None
    monkeypatch.setattr(ex, "_holes", {hole.number: hole for hole in holes})
    monkeypatch.setattr(running_answers, "_filled", {})
    (course_home / "solutions/03_strides.py").write_text(SOLUTION)
    (course_home / "work").mkdir()
    yield course_home
    for hole, state in before.items():
        vars(hole).clear()
        vars(hole).update(state)


@pytest.fixture
def lab(home, write_notebook):
    """lab(*texts): let the learner's lab have these cells, `a0`, `a1` and so on."""

    def write(*texts):
        cells = [(f"a{n}", "code", text) for n, text in enumerate(texts)]
        write_notebook(home / "work/03_strides.ipynb", *cells)

    return write


# ------------------------------------------------------------ which chapters


@pytest.mark.parametrize("before", ["03_strides", "03", 3, "strides", "01_threads", 0])
def test_nothing_comes_before(home, capsys, before):
    assert answers_from("labs", before=before) == 0
    assert capsys.readouterr().out == "" and offset_of.answer is None


@pytest.mark.parametrize("before", ["05", 5, "05_reductions", "reductions", None])
def test_earlier_chapters_are_filled(home, capsys, before):
    assert answers_from("solutions", before=before) == 3
    assert offset_of((), ()) == 100
    assert capsys.readouterr().out == (
        "03_strides: the course's solution stands in, and earns no points, "
        "for every exercise\n"
    )


def test_unknown_names():
    with pytest.raises(
        ValueError, match="no chapter is called '5_red'; the chapters are"
    ):
        answers_from("labs", before="5_red")
    with pytest.raises(ValueError, match="'labs' or 'solutions', not 'lab'|not 'lab'"):
        answers_from("lab")


# ------------------------------------------------------------ whole and partly done


def test_whole_lab(lab, capsys):
    lab(SETUP, ONE, SHAPES, ONE.replace("offset_of", "index_of").replace(
        "index, strides, offset=0", "position, shape"))  # fmt: skip
    assert answers_from("labs") == 3
    assert capsys.readouterr().out == ""
    assert (offset_of((), ()), index_of(0, ()), layout.broadcast_shapes()) == (1, 1, 7)
    source = offset_of.answer.source
    assert (source.notebook, source.cell) == ("work/03_strides.ipynb", "a1")
    assert source.text == ONE and not offset_of.answer.from_solutions


def test_partly_answered_lab(lab, capsys):
    lab(SETUP, STUB, SHAPES)
    assert answers_from("labs") == 3
    assert capsys.readouterr().out == (
        "03_strides: the course's solution stands in, and earns no points, "
        "for offset_of, index_of\n"
    )
    assert (offset_of((), ()), layout.broadcast_shapes()) == (100, 7)
    assert offset_of.answer.source.notebook == "solutions/03_strides.py"
    assert offset_of.answer.source.cell == "offset_of"
    assert offset_of.answer.from_solutions


def test_no_notebook_at_all(home, capsys):
    assert answers_from("labs") == 3
    assert capsys.readouterr().out.endswith("for every exercise\n")


def test_lab_without_a_working_copy(home, write_notebook):
    write_notebook(
        home / "labs/03_strides.ipynb", ("a", "code", SETUP), ("b", "code", ONE)
    )
    answers_from("labs")
    assert offset_of.answer.source.notebook == "labs/03_strides.ipynb"


def test_no_solution_either(home, capsys):
    (home / "solutions/03_strides.py").unlink()
    assert answers_from("labs") == 0
    assert "solutions/03_strides.py is not here" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cells": 3}', '{"worksheets": []}', "\xff"]
)
def test_not_a_notebook(home, capsys, text):
    path = home / "work/03_strides.ipynb"
    path.write_text(text, encoding="latin-1")
    assert answers_from("labs") == 3
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "03_strides: 03_strides.ipynb is not a notebook, or a damaged"
    )
    assert "stands in" in second
    assert path.read_text(encoding="latin-1") == text


# ------------------------------------------------------------ cells that fail


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            HEAD + "    return 1\n\nprint(1 / 0)",
            "line 5: ZeroDivisionError: division by",
        ),
        (HEAD + "    retrun 1", "line 3: SyntaxError: invalid syntax"),
        (HEAD.replace(", offset=0", ""), "line 2: "),
        (
            ONE.replace("strides", "stride"),
            "line 1: WrongAnswerType: offset_of is called",
        ),
        (ONE + "\nraise SystemExit", "line 4: SystemExit"),
        (ONE + "\noffset_of(1)", "line 4: TypeError"),
        ("assert False, 'no'\n" + ONE, "line 1: AssertionError: no"),
        ("nothing.there\n" + ONE, "line 1: NameError: name 'nothing' is not defined"),
        (
            ONE + "\nwhile True:\n    try:\n        pass\n    except: pass",
            "never ends?",
        ),
        (ONE + "\nwhile True: pass", "was not done after 0.5 s: is there a loop that"),
    ],
)
def test_cell_that_fails(lab, capsys, monkeypatch, text, problem):
    monkeypatch.setattr(running_answers, "SECONDS", 0.5)
    lab(SETUP, text, SHAPES)
    assert answers_from("labs") == 3
    first = capsys.readouterr().out.splitlines()[0]
    place = "03_strides: work/03_strides.ipynb, the cell that answers offset_of, "
    assert first.startswith(place) and problem in first
    assert layout.broadcast_shapes() == 7


def test_setup_cell_that_fails(lab, capsys):
    lab(SETUP + "\nimport nothing_of_that_name", ONE)
    answers_from("labs")
    out = capsys.readouterr().out
    assert "the set-up cell, line 3: ModuleNotFoundError: No module named" in out
    assert offset_of((), ()) == 1


def test_failing_solution_is_said_to_be_the_course_s(home):
    path = home / "solutions/03_strides.py"
    path.write_text(path.read_text().replace("return 200", "retrun 200"))
    with pytest.raises(
        RuntimeError, match="the course's own solution fails: .*index_of"
    ):
        answers_from("solutions")


def test_interrupt_loses_no_answer(lab, monkeypatch):
    lab(SETUP, ONE + "\nraise KeyboardInterrupt")
    solves(offset_of)(lambda index, strides, offset=0: 5)
    with pytest.raises(KeyboardInterrupt):
        answers_from("labs")
    assert offset_of((), ()) == 5
    lab(SETUP, ONE)
    assert answers_from("labs") == 3  # and it can be run again


def test_time_limit_gives_back_an_older_alarm(lab, monkeypatch):
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *args: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        lab(SETUP, ONE)
        answers_from("labs")
        time.sleep(0.6)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_in_a_thread_there_is_no_alarm_but_it_works(lab):
    lab(SETUP, ONE)
    thread = threading.Thread(target=answers_from, args=("labs",))
    thread.start()
    thread.join()
    assert offset_of((), ()) == 1


# ------------------------------------------------------------ what cells look like


def test_magics_and_shell_lines(lab, capsys):
    text = "%%time\n!echo hello\nfiles = !ls\n%matplotlib inline\nlayout?\n?layout\n"
    lab(
        SETUP + "\n%load_ext autoreload",
        text + ONE.replace("return 1", 'return """\n%d\n"""'),
    )
    answers_from("labs")
    assert capsys.readouterr().out.count("\n") == 1
    assert offset_of((), ()) == "\n%d\n"


def test_percent_as_an_operator_stays():
    text = 'x = (7\n% 4)\ny = "%d"\nif x:\n    %time\n'
    assert python(text) == text.replace("%time", "pass")


def test_metadata_and_ids_are_not_needed(home, capsys):
    cells = [{"cell_type": "markdown", "source": "solves(x)"}]
    cells += [{"cell_type": "code", "source": [SETUP]}]
    cells += [{"cell_type": "code", "source": ONE.splitlines(keepends=True)}]
    (home / "work/03_strides.ipynb").write_text(json.dumps({"cells": cells}))
    answers_from("labs")
    assert offset_of((), ()) == 1
    assert offset_of.answer.source.cell == "2"  # the third of all cells


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("@solves(Tensor.permute)\ndef f(): ...", "permute"),
        ("# a comment\n\n@solves( contiguous_strides )", "contiguous_strides"),
        ("@minigrad.solves(minigrad.layout.offset_of)", "offset_of"),
        ('solves(scale)(r"""\n__global__', "scale"),
        ("scale = solves(scale)(lambda: 0)", "scale"),
        ("# @solves(offset_of)", None),
        ('print("solves(offset_of)")', None),
        ("check(offset_of)", None),
    ],
)
def test_answered_in(text, name):
    assert answered_in(text) == name


def test_cells_of_a_solution(home):
    ids = [cell.id for cell in cells_of(home / "solutions/03_strides.py")]
    assert ids == ["cell-0", "offset_of", "index_of", "broadcast_shapes"]


# ------------------------------------------------------------ names from elsewhere


@pytest.mark.parametrize(
    "cells",
    [
        [SETUP, "def help(): return 1\n" + HEAD + "    return help()"],
        [SETUP + "\ndef help(): return 1", HEAD + "    return help()"],
        [SETUP, HEAD + "    return help()", "def help(): return 1"],
        [SETUP, "import math as m", "def help(): return m.floor(ONE)", "ONE = 1.5",
         HEAD + "    return help()"],
        [SETUP, "N = [1, 2]", HEAD.replace("=0", "=0, n=N") + "    return n[0]"],
        [SETUP, "1 / 0\ndef help(n): return help(n - 1) if n else 1",
         HEAD + "    return help(3)"],
    ],
)  # fmt: skip
def test_helpers(lab, capsys, cells):
    lab(*cells)
    answers_from("labs")
    assert offset_of((), ()) == 1
    assert "offset_of" not in capsys.readouterr().out


def test_other_cells_are_not_run(lab, home, capsys):
    lab(SETUP, f"open({str(home / 'made')!r}, 'w')", ONE)
    answers_from("labs")
    assert not (home / "made").exists()


@pytest.mark.parametrize(
    ("other", "where"), [("table = sorted([1])", "cell a1"), ("pass", "no cell")]
)
def test_name_that_is_not_to_be_had(lab, capsys, other, where):
    lab(SETUP, other, HEAD + "    return table[0]")
    answers_from("labs")
    assert capsys.readouterr().out.splitlines()[0] == (
        "03_strides: work/03_strides.ipynb, the cell that answers offset_of, uses "
        f"table, which {where} makes: put it into the answer's own cell"
    )
    assert not offset_of.answer.from_solutions  # it is the learner's, all the same


# ------------------------------------------------------------ run again


def test_setup_cell_that_asks_for_answers_itself(lab, capsys):
    lab(SETUP + '\nanswers_from("labs")\nanswers_from("solutions")', ONE)
    answers_from("labs")
    assert capsys.readouterr().out.count("stands in") == 1
    assert offset_of((), ()) == 1


def test_run_twice(lab, capsys):
    lab(SETUP, ONE)
    answers_from("labs")
    first = capsys.readouterr().out
    answers_from("labs")
    assert capsys.readouterr().out == first
    assert offset_of((), ()) == 1


def test_file_that_changed_is_read_again(lab):
    lab(SETUP, ONE)
    answers_from("labs")
    lab(SETUP, ONE.replace("1", "2"))
    answers_from("labs")
    assert offset_of((), ()) == 2
    lab(SETUP, STUB)
    answers_from("labs")
    assert offset_of((), ()) == 100 and offset_of.answer.from_solutions
    lab(SETUP, ONE)
    answers_from("labs")
    assert offset_of((), ()) == 1


@pytest.mark.parametrize("text", [STUB, ONE, HEAD + "    retrun 1"])
def test_answer_given_in_this_kernel_stays(lab, text):
    lab(SETUP, text)
    answers_from("labs")
    solves(offset_of)(lambda index, strides, offset=0: 5)
    for _ in range(2):
        answers_from("labs")
        assert offset_of((), ()) == 5 and not offset_of.answer.from_solutions


def test_solutions_replace_everything_and_labs_take_it_back(lab):
    lab(SETUP, ONE)
    solves(offset_of)(lambda index, strides, offset=0: 5)
    answers_from("solutions")
    assert offset_of((), ()) == 100
    answers_from("labs")
    assert offset_of((), ()) == 1


# ------------------------------------------------------------ references


def test_references_do_not_run_the_learner_s_labs(lab):
    lab(SETUP, "raise SystemExit\n" + ONE)
    load_references("03_strides")
    assert offset_of.reference((), ()) == 100 and offset_of.answer is None


def test_references_are_loaded_once(home):
    load_references("03_strides")
    (home / "solutions/03_strides.py").unlink()
    load_references("03_strides")
    assert index_of.reference(0, ()) == 200


def test_the_course_s_own_solutions():
    holes = [entry.hole for entry in ex.exercises()]
    before = [dict(vars(hole)) for hole in holes]
    try:
        assert answers_from("solutions") == len(holes) > 8
        assert Tensor.permute.answer.from_solutions
    finally:
        for hole, state in zip(holes, before, strict=True):
            vars(hole).update(state)
