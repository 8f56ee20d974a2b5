"""What a check says: points, messages, pictures; and `check` itself."""

import gc
import linecache
import random
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from judging import (  # noqa: F401
    a_subject,
    of_shape,
    strides_of,
    unanswered,
    verdict_on,
)

import minigrad
from grading import check, show_check, trying
from grading.checking import check as checks
from grading.checking.cases import View
from grading.checking.check import Limits, find_check, judge
from grading.checking.picture import cells, compared
from grading.checking.runner import LocalSubject
from grading.checking.verdict import Verdict
from minigrad import Kernel, Tensor
from minigrad.exercises.registry import WrongAnswerType, find, solves
from minigrad.kernels.threads import global_index
from minigrad.layout import contiguous_strides, index_of, offset_of
from tools.audit.specimens import specimens_of

# ---------------------------------------------------------------- points and messages


def test_a_right_answer_is_one_line(subject):
    verdict = verdict_on(contiguous_strides, strides_of, subject)
    assert str(verdict) == "contiguous_strides: 1 of 1 point · all right"
    assert (verdict.points, verdict.failures, verdict.picture) == (1, [], "")
    assert repr(verdict) == "1.0" and float(verdict) == 1.0


def test_while_a_notebook_checks_no_garbage_is_looked_for_among_old_objects():
    before, seen = gc.get_freeze_count(), []

    def answer(shape):
        seen or seen.append(gc.get_freeze_count())  # which counts them, each time
        return strides_of(shape)

    solves(contiguous_strides)(answer)
    assert check(contiguous_strides).points == 1
    assert seen[0] > before and gc.get_freeze_count() == 0


def test_a_wrong_answer_shows_the_smallest_case():
    verdict = verdict_on(contiguous_strides, of_shape(lambda s: strides_of(s)[::-1]))
    assert verdict.state == "wrong" and verdict.points == 0
    lines = str(verdict).splitlines()
    assert "  cause     These are the correct numbers in reverse order" in lines[1]
    assert lines[2:] == [
        "  call      contiguous_strides((2, 3))",
        "  expected  (3, 1)",
        "  got       (1, 3)",
    ]


def test_partial_credit_goes_by_parts():
    verdict = verdict_on(contiguous_strides, of_shape(lambda s: strides_of(s) or (1,)))
    assert (verdict.points, verdict.state) == (0.8, "partly right")
    assert verdict.failures[0].part == "no dimensions"
    assert verdict.failures[0].count == 1


def test_without_the_heart_nothing_is_earned():
    assert verdict_on(contiguous_strides, of_shape(lambda s: ())).points == 0


def test_an_unanswered_exercise_says_so(subject):
    verdict = judge(index_of, subject)
    assert (verdict.points, verdict.state) == (0, "not answered")
    assert "not answered yet" in str(verdict)


def test_a_solution_that_stands_in_earns_nothing(subject):
    minigrad.answers_from("solutions", before="04_elementwise")
    verdict = judge(index_of, subject)
    assert (verdict.points, verdict.state) == (0, "solution")
    assert "earns nothing" in verdict.summary


def test_the_same_seed_draws_the_same_cases():
    drawn = [list(find_check(offset_of).cases(random.Random(7)))
             for _ in range(2)]  # fmt: skip
    other = list(find_check(offset_of).cases(random.Random(8)))
    assert drawn[0] == drawn[1] != other


def test_what_was_printed_is_shown_and_kept_short(capsys):
    def noisy(shape):
        for line in range(700):
            print("line", line)

    verdict = verdict_on(contiguous_strides, noisy)
    assert "printed   line 0 | line 1 | line 2 | ..." in str(verdict)
    assert verdict.failures[0].cause == "none"
    assert capsys.readouterr().out == ""


def test_printing_costs_nothing():
    def noisy(shape):
        print(shape, file=sys.stderr)
        return strides_of(shape)

    assert verdict_on(contiguous_strides, noisy).state == "right"


def test_the_own_line_of_an_error_is_shown():
    def broken(shape):
        return shape[100]

    lines = str(verdict_on(contiguous_strides, broken)).splitlines()
    assert "  got       IndexError: tuple index out of range" in lines
    assert any(
        re.fullmatch(r"  where     line \d+: return shape\[100\]", x) for x in lines
    )


# ---------------------------------------------------------------- check and its friends


def test_check_prints_and_returns_the_verdict(capsys):
    solves(contiguous_strides)(strides_of)
    verdict = check(contiguous_strides, seed=1)
    assert isinstance(verdict, Verdict)
    assert capsys.readouterr().out.startswith(f"✓ {verdict}\n  Next: ")


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ("permute", "not its name as text.*Did you mean Tensor.permute"),
        ((3, 1), r"as in check\(\w+\), not a tuple"),
        (len, "not the function len"),
        (None, "not None"),
        (Tensor, "not the class Tensor"),
    ],
)
def test_check_of_no_exercise_says_what_is_expected(thing, words):
    with pytest.raises(WrongAnswerType, match=f"check takes.*{words}"):
        check(thing)


def test_check_of_a_method_takes_the_method():
    assert find_check(Tensor.permute).exercise is Tensor.permute


def test_show_check_shows_the_source_and_the_mistakes(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    show_check(contiguous_strides)
    shown = capsys.readouterr().out
    assert "check = Check(\n    contiguous_strides,\n" in shown
    assert "\n# column_major: " in shown
    show_check(find("test_permute"))
    assert '"copies": "a permute that copies",' in capsys.readouterr().out


MISSPELT = {  # what an answer does: what the message suggests
    "it names": (lambda shape: shap, "shape"),  # noqa: F821
    "it asks for": (lambda shape: shape.cont(0), "count"),
    "it looks up": (lambda shape, of={"strides": 1}: of["stride"], "strides"),
}  # fmt: skip


@pytest.mark.parametrize("what", MISSPELT)
def test_a_misspelt_name_is_shown_the_nearest(what):
    answer, meant = MISSPELT[what]
    assert f"Did you mean: '{meant}'?" in str(verdict_on(contiguous_strides, answer))


def test_without_pytorch_a_check_is_not_run(monkeypatch):
    def missing(exercise):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(checks, "find_check", missing)
    verdict = judge(contiguous_strides, LocalSubject())
    assert (verdict.points, verdict.state) == (0, "not run")


def test_trying_says_what_is_missing_or_wrong_and_goes_on(capsys):
    with trying():
        contiguous_strides((2, 3))
    assert capsys.readouterr().out == (
        "contiguous_strides has no answer yet, and this cell needs one.\n"
    )
    with trying():
        1 / 0  # noqa: B018
    assert capsys.readouterr().out == "ZeroDivisionError: division by zero\n"
    cell = compile("def f():\n    return 1 / 0", "<a cell>", "exec")
    linecache.cache["<a cell>"] = (
        1,
        None,
        ["def f():\n", "    return 1 / 0"],
        "<a cell>",
    )
    names = {}
    exec(cell, names)
    with trying():
        names["f"]()
    assert capsys.readouterr().out.endswith("\n  line 2: return 1 / 0\n")
    for file, said in (
        ("<08_x.ipynb, the cell that answers f, id 1>",
         "\n  08_x.ipynb, the cell that answers f, line 2: return 1 / 0\n"),
        ("<08_x.py, the cell that answers f, id 1>", "by zero\n"),
    ):  # fmt: skip
        linecache.cache[file] = (*linecache.cache["<a cell>"][:3], file)
        exec(compile("def f():\n    return 1 / 0", file, "exec"), names)
        with trying():
            names["f"]()
        assert capsys.readouterr().out.endswith(said)
    with trying():
        exec(compile("never_set + 1", "<another cell>", "exec"), {})
    assert "is there a cell above that was not run" in capsys.readouterr().out
    with trying():
        exec("def f():\n    return never_set\nf()", {})
    assert "cell above" not in capsys.readouterr().out
    with pytest.raises(KeyboardInterrupt, match="you stopped this cell"), trying():
        raise KeyboardInterrupt


def test_trying_ends_what_has_no_end(capsys, monkeypatch):
    monkeypatch.setattr(checks.Judgment, "seconds", 0.4)
    with trying():
        while True:
            pass
    assert capsys.readouterr().out.startswith("not done after 0.4 s: does a loop go on")
    kernel = Kernel("__global__ void f(int* x) {\n  while (x[0] == 0) {}\n}", "f")
    with trying():
        kernel(1, 1, (np.zeros(1, np.int32),))
    said = capsys.readouterr().out
    assert "did not end within 0.2 seconds" in said and "while (x[0] == 0)" in said


def test_a_trial_has_the_limits_of_the_check_of_what_it_calls(capsys, monkeypatch):
    short = replace(find_check(Tensor.permute), limits=Limits(seconds=0.3))
    monkeypatch.setattr(checks, "_check", lambda exercise: short)

    with trying():
        (lambda x: x.permute).__name__  # noqa: B018
        while True:
            pass
    assert capsys.readouterr().out.startswith("not done after 0.3 s")


def test_a_trial_has_the_limits_of_a_kernels_check(capsys):
    kernel = Kernel("__global__ void f(int* x) { while (x[0] == 0) {} }", "f")
    with trying():
        assert global_index
        kernel(1, 1, (np.zeros(1, np.int32),))
    assert "10,000 rounds of loops" in capsys.readouterr().out


@pytest.mark.parametrize("points", [-1, 3])
def test_a_verdict_outside_its_points_cannot_be_made(points):
    with pytest.raises(ValueError, match="points"):
        Verdict("permute", points, 2, "partly right", "")


def test_only_right_states_have_points():
    with pytest.raises(ValueError, match="timed out"):
        Verdict("permute", 1, 2, "timed out", "")


def test_a_verdict_is_plain_for_json_and_html():
    verdict = verdict_on(contiguous_strides, of_shape(lambda s: "<b>"))
    assert set(verdict.to_dict()) >= {
        "name",
        "points",
        "max_points",
        "state",
        "failures",
    }
    html = verdict._repr_html_()
    assert 'aria-label="0 of 1 point"' in html
    assert "0 of 1 point" in str(verdict) and ">0 of" not in html  # it is read once


# ---------------------------------------------------------------- pictures


def test_wrong_layouts_have_pictures():
    wrong = [s for s in specimens_of(Tensor.permute) if s.cause]
    drawn = 0
    for specimen in wrong:
        with specimen.in_place():
            drawn += bool(judge(specimen.exercise, LocalSubject(), 1).picture)
    assert drawn > 2


def test_a_picture_marks_the_cells_that_differ():
    right, wrong = cells((2, 3), (3, 1)), cells((2, 3), (1, 2))
    drawn = compared(None, right, wrong)
    assert drawn.count('font-weight="bold">') - 2 == np.sum(right != wrong)  # 2 labels
    assert compared(None, right, right) == ""
    assert compared(None, cells((2, 0), (1, 1)), cells((2, 0), (1, 1))) == ""


def test_a_large_tensor_has_no_picture():
    assert compared(None, cells((99, 99), (99, 1)), cells((99, 99), (1, 99))) == ""


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 3, 2, 3)])
def test_cells_are_what_pytorch_reads(shape):
    import torch

    strides = tuple(range(1, len(shape) + 1))
    view = View(shape, strides, 2)
    expected = torch.arange(view.cells).as_strided(shape, strides, 2).numpy()
    assert np.array_equal(cells(*view), expected)
