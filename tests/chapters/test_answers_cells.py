"""Answers from notebooks: what cells look like, and what happens the second time."""
# ruff: noqa: F811  (fixtures are imported)

import contextlib
import json
import time

import pytest
from empty_exercises import ex, filled, nothing_answered  # noqa: F401
from small_course import HEAD, ONE, SETUP, SHAPES, STUB, home, lab  # noqa: F401

from minigrad import Tensor, answers_from, layout, solves
from minigrad.exercises.answers import cells_of, load_references
from minigrad.exercises.cells import answered_in, python

offset_of, index_of = layout.offset_of, layout.index_of


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
        [SETUP, "t = [i for i in 'x']\n" + HEAD + "    return len(t)"],
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
    assert capsys.readouterr().out.count("stand in") == 1
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
    exercises = [entry.exercise for entry in ex.exercises()]
    assert filled("solutions") == len(exercises) > 8
    assert Tensor.permute.answer.from_solutions


@pytest.mark.parametrize(
    "text",
    ["solves\nx=1\n" + " " * 100_000 + "z=1", "solves\n" + "a .\n" * 50_000 + '"""'],
    ids=["spaces", "dots"],
)
def test_a_long_cell_is_read_in_time_in_proportion_to_its_length(text):
    begun = time.process_time()
    assert answered_in(text) is None
    with contextlib.suppress(SyntaxError):
        python(text)
    assert time.process_time() - begun < 10  # 25 and 160 s, were it quadratic
