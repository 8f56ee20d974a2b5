"""Answers from notebooks: whole, partly done, broken."""
# ruff: noqa: F811  (fixtures are imported)

import signal
import threading
import time

import pytest
from empty_exercises import ex, filled, nothing_answered  # noqa: F401
from small_course import HEAD, ONE, SETUP, SHAPES, STUB, home, lab  # noqa: F401

from minigrad import answers_from, course, layout, solves
from minigrad.exercises import answers as running_answers

offset_of, index_of = layout.offset_of, layout.index_of


# ------------------------------------------------------------ which chapters


@pytest.mark.parametrize("given", [3, "3", "03", "strides", "03_strides"])
def test_a_chapter_has_several_names(given):
    assert course.chapter(given).name == "03_strides"


@pytest.mark.parametrize("given", [17, "17", "tensors", "", None])
def test_of_a_chapter_that_is_not_there_the_names_are_reported(given):
    with pytest.raises(ValueError, match="The chapters are 00_python_to_gpu, 01_"):
        course.chapter(given)


@pytest.mark.parametrize("before", ["03_strides", "03", 3, "strides", "01_threads", 0])
def test_nothing_comes_before(home, capsys, before):
    assert filled("labs", before=before) == 0
    assert capsys.readouterr().out == "" and offset_of.answer is None


@pytest.mark.parametrize("before", ["05", 5, "05_reductions", "reductions", None])
def test_earlier_chapters_are_filled(home, capsys, before):
    assert filled("solutions", before=before) == 3
    assert offset_of((), ()) == 100
    assert capsys.readouterr().out == (
        "03_strides: the course's solutions stand in for every exercise, "
        "and they earn no points\n"
    )


def test_unknown_names():
    with pytest.raises(
        ValueError, match="no chapter is called '5_red'. The chapters are"
    ):
        answers_from("labs", before="5_red")
    with pytest.raises(ValueError, match="'labs' or 'solutions', not 'lab'|not 'lab'"):
        answers_from("lab")


# ------------------------------------------------------------ whole and partly done


def test_whole_lab(lab, capsys):
    lab(SETUP, ONE, SHAPES, ONE.replace("offset_of", "index_of").replace(
        "index, strides, offset=0", "position, shape"))  # fmt: skip
    assert filled("labs") == 3
    assert capsys.readouterr().out == ""
    assert (offset_of((), ()), index_of(0, ()), layout.broadcast_shapes()) == (1, 1, 7)
    source = offset_of.answer.source
    assert (source.notebook, source.cell) == ("work/03_strides.ipynb", "a1")
    assert source.text == ONE and not offset_of.answer.from_solutions


def test_partly_answered_lab(lab, capsys):
    lab(SETUP, STUB, SHAPES)
    assert filled("labs") == 3
    assert capsys.readouterr().out == (
        "03_strides: the course's solutions stand in for offset_of, index_of, "
        "and they earn no points\n"
    )
    assert (offset_of((), ()), layout.broadcast_shapes()) == (100, 7)
    assert offset_of.answer.source.notebook == "solutions/03_strides.py"
    assert offset_of.answer.source.cell == "offset_of"
    assert offset_of.answer.from_solutions


def test_no_notebook_at_all(home, capsys):
    assert filled("labs") == 3
    assert capsys.readouterr().out.endswith(
        "for every exercise, and they earn no points\n"
    )


def test_lab_without_a_working_copy(home, write_notebook):
    write_notebook(
        home / "labs/03_strides.ipynb", ("a", "code", SETUP), ("b", "code", ONE)
    )
    answers_from("labs")
    assert offset_of.answer.source.notebook == "labs/03_strides.ipynb"


def test_no_solution_either(home, capsys):
    (home / "solutions/03_strides.py").unlink()
    assert filled("labs") == 0
    assert "solutions/03_strides.py is not here" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"cells": 3}', '{"worksheets": []}', "\xff"]
)
def test_not_a_notebook(home, capsys, text):
    path = home / "work/03_strides.ipynb"
    path.write_text(text, encoding="latin-1")
    assert filled("labs") == 3
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "03_strides: 03_strides.ipynb is not a notebook, or a damaged"
    )
    assert "stand in" in second
    assert path.read_text(encoding="latin-1") == text


# ------------------------------------------------------------ cells that fail


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            HEAD + "    return 1\n\nprint(1 / 0)",
            "line 5: ZeroDivisionError: division by",
        ),
        (
            HEAD + "    retrun 1",
            "line 3: SyntaxError: invalid syntax. Did you mean 'return'?",
        ),
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
    assert filled("labs") == 3
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
    assert filled("labs") == 3  # and it can be run again


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
