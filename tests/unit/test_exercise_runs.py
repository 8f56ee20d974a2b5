"""Exercises in use: cells run again, answers that call each other, isolation."""

import contextlib
import importlib
import os
import sys
import traceback

import pytest
from empty_exercises import ex, fits, nothing_answered, written  # noqa: F401

from minigrad import Tensor, arange, layout, solves
from minigrad.exercises.registry import NotAnswered

offset_of, index_of = layout.offset_of, layout.index_of


# ------------------------------------------------------------ cells, run again


def test_new_answer_replaces_the_old_one():
    names = {"offset_of": offset_of, "solves": solves}
    text = "@solves(offset_of)\ndef offset_of(index, strides, offset=0): return {}"
    for value in (1, 2):
        exec(text.format(value), names)  # the name is bound anew, to the exercise
        assert layout.offset_of((), ()) == names["offset_of"]((), ()) == value


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "raise NotImplementedError('to do')",
        "...",
        "pass",
        "'only a docstring'",
        "'docstring'; ...",
        "half = 1; raise NotImplementedError",
    ],
)
def test_stub_is_no_answer_and_takes_one_back(body, tmp_path):
    solves(offset_of)(lambda index, strides, offset=0: 1)
    solves(offset_of)(written(tmp_path, f"    {body}\n"))
    assert offset_of.answer is None
    with pytest.raises(NotAnswered):
        offset_of((), ())


@pytest.mark.parametrize(
    "body",
    [
        "    return 1\n    raise NotImplementedError\n",
        "    if index is None:\n        raise NotImplementedError\n    return 1\n",
        "    return None\n",
        "    raise ValueError('this is all I know')\n",
        "    print(index)\n",
    ],
)
def test_more_than_a_stub_is_an_answer(body, tmp_path):
    solves(offset_of)(written(tmp_path, body))
    assert offset_of.answer is not None


# ---------------------------------------------------------- answers that call exercises


def test_cell_run_out_of_order():
    @solves(layout.view_or_copy)
    def view_or_copy(shape, strides, new_shape):
        return layout.contiguous_strides(new_shape)

    with pytest.raises(NotAnswered, match="^contiguous_strides has no answer yet"):
        layout.view_or_copy((), (), (2,))
    solves(layout.contiguous_strides)(lambda shape: (1,))
    assert layout.view_or_copy((), (), (2,)) == (1,)


def test_answer_that_calls_itself():
    @solves(layout.contiguous_strides)
    def contiguous_strides(shape):
        if not shape:
            return ()
        rest = contiguous_strides(shape[1:])
        return (rest[0] * shape[1] if rest else 1, *rest)

    assert contiguous_strides((2, 3, 4)) == (12, 4, 1)


def test_answer_that_calls_itself_too_deep_is_an_ordinary_recursion_error():
    solves(offset_of)(lambda index, strides, offset=0: sum(index))

    @solves(index_of)
    def index_of_(position, shape):
        offset_of((position,), ())  # a helper that does its work
        return index_of(position + 1, shape)

    with pytest.raises(RecursionError) as caught:
        index_of(0, ())
    assert type(caught.value) is RecursionError


@pytest.mark.parametrize("start", ["transpose", "permute"])
def test_answers_in_a_circle(start):
    @solves(Tensor.permute)
    def permute(self, *dims):
        return self.transpose(0, 1)

    @solves(Tensor.transpose)
    def transpose(self, dim0, dim1):
        return self.T  # which calls permute

    solves(layout.contiguous_strides)(lambda shape: (1,) * len(shape))
    with pytest.raises(
        ex.CircularAnswers, match="^permute and transpose call"
    ) as caught:
        getattr(arange(3), start)(0, 0)
    assert isinstance(caught.value, RecursionError)
    assert caught.value.circle == ["permute", "transpose"]
    shown = "".join(traceback.format_exception(caught.value))
    assert len(shown.splitlines()) < 20 and "During handling" not in shown


def test_circle_of_three_that_ends_in_a_fourth():
    solves(index_of)(lambda position, shape: offset_of(position, shape))
    solves(layout.contiguous_strides)(lambda shape: index_of(0, shape))

    @solves(offset_of)
    def offset_of_(index, strides, offset=0):
        layout.broadcast_shapes(index)
        return layout.contiguous_strides(strides)

    solves(layout.broadcast_shapes)(lambda *shapes: len(shapes))
    with pytest.raises(ex.CircularAnswers) as caught:
        offset_of((), ())
    assert caught.value.circle == ["contiguous_strides", "index_of", "offset_of"]


# ------------------------------------------------------------ reload, isolation


def test_reloaded_module_keeps_exercise_and_answer(tmp_path, monkeypatch):
    path = tmp_path / "reloaded_exercises.py"
    head = "from minigrad import exercise\n@exercise(points={})\n"
    text = f"{head}def held(x): ...\n"
    path.write_text(text.format(1))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_exercises")
    exercise = module.held
    solves(exercise)(lambda x: x + 1)
    path.write_text(text.format(20))
    os.utime(path, (1, 1))
    importlib.reload(module)
    assert module.held is exercise and exercise(1) == 2 and exercise.points == 20
    del sys.modules["reloaded_exercises"]


def test_isolated_runs_references_everywhere_else():
    answers = {offset_of: 1, index_of: 2}
    for exercise, value in answers.items():
        exercise.reference = fits(exercise, value + 100)
        solves(exercise)(fits(exercise, value))
    with ex.isolated(offset_of):
        assert (offset_of(0, 0), index_of(0, 0)) == (1, 102)
        with ex.isolated(index_of):
            assert (offset_of(0, 0), index_of(0, 0)) == (101, 2)
        assert (offset_of(0, 0), index_of(0, 0)) == (1, 102)
        solves(index_of)(fits(index_of, 3))
        assert index_of(0, 0) == 102
    assert (offset_of(0, 0), index_of(0, 0)) == (1, 3)


def test_isolated_ends_with_an_exception():
    index_of.reference = fits(index_of, 1)
    with contextlib.suppress(KeyboardInterrupt), ex.isolated(offset_of):
        assert index_of(0, 0) == 1
        raise KeyboardInterrupt
    with pytest.raises(NotAnswered):
        index_of(0, 0)


def test_isolated_exercise_without_answer_does_not_run_its_reference():
    offset_of.reference = fits(offset_of, 1)
    with ex.isolated(offset_of), pytest.raises(NotAnswered):
        offset_of((), ())


def test_isolated_without_reference_runs_the_answer():
    solves(index_of)(fits(index_of, 5))
    with ex.isolated(offset_of):
        assert index_of(0, 0) == 5


def test_collecting_fills_nothing():
    with ex.collecting() as answers:
        solves(offset_of)(len)
    assert answers == {offset_of: len} and offset_of.answer is None
    solves(offset_of)(fits(offset_of, 1))
    assert offset_of.answer
