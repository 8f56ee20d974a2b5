"""Exercises, and answers that do not fit them."""

import functools
import inspect

import pytest
from empty_exercises import ex, nothing_answered, refusal  # noqa: F401

from minigrad import Tensor, arange, course, layout, solves
from minigrad.exercises import registry
from minigrad.exercises.order import ORDER
from minigrad.exercises.registry import NotAnswered, WrongAnswerType, exercise

offset_of, index_of = layout.offset_of, layout.index_of


# ------------------------------------------------------------ the exercise


def test_unanswered_exercise_names_exercise_lab_and_the_way_on():
    with pytest.raises(NotAnswered) as caught:
        layout.offset_of((0,), (1,))
    message = str(caught.value)
    assert message.startswith("offset_of has no answer yet. It is exercise 2 of lab")
    assert "lab 03_strides" in message and 'answers_from("labs")' in message
    with pytest.raises(NotImplementedError, match="permute has no answer yet"):
        Tensor.permute(None, 0)


def test_an_exercise_that_is_there_is_found_without_a_look_at_all_others(monkeypatch):
    monkeypatch.setattr(registry, "exercises", None)
    assert registry.find("offset_of") is offset_of


def test_answer_fills_the_exercise_for_whoever_imported_it():
    @solves(offset_of)
    def offset_of_(index, strides, offset=0):
        return 42

    assert offset_of_ is offset_of is layout.offset_of
    assert layout.offset_of((0,), (1,)) == offset_of((0,), (1,)) == 42
    assert repr(offset_of) == "<exercise 03.2 offset_of: answered>"


def test_a_level_is_one_of_three():
    with pytest.raises(ValueError, match="level 'hard' is none of"):
        registry.exercise(points=1, level="hard")(lambda x: x)


def test_an_exercise_shows_its_specification():
    assert inspect.getdoc(offset_of).startswith("Return the number of the storage cell")
    assert str(inspect.signature(offset_of)) == "(index, strides, offset=0)"
    assert (offset_of.points, offset_of.stars, offset_of.minutes) == (1, 1, 5)
    assert repr(offset_of).endswith(": not answered>")


def test_exercises_come_in_the_order_of_their_tasks(monkeypatch):
    monkeypatch.setitem(ORDER, "03_strides", [*ORDER["03_strides"], "twelfth"])
    monkeypatch.setitem(ORDER, course.chapter("16").name, ["last"])

    @exercise(points=1)
    def twelfth(x): ...

    @exercise(points=1)
    def last(x): ...

    entries = [e for e in ex.exercises() if e.chapter == "03_strides"]
    numbers = [entry.exercise.number for entry in entries]
    assert numbers == [f"03.{n}" for n in range(1, 13)]
    assert entries[-1] == ("twelfth", "03_strides", 1, twelfth)
    assert ex.exercises()[-1].exercise is last


def test_find():
    assert ex.find("permute") is Tensor.permute
    with pytest.raises(LookupError, match="'permut'. Did you mean permute"):
        ex.find("permut")


def test_a_name_is_used_once():
    def offset_of(x): ...

    with pytest.raises(ValueError, match="two exercises are called offset_of"):
        exercise(points=1)(offset_of)


def test_an_exercise_without_a_lab_says_what_to_write():
    @exercise(points=1)
    def of_no_lab(x): ...

    with pytest.raises(LookupError, match='task="of_no_lab", then run `make build`'):
        of_no_lab.number  # noqa: B018
    assert all(entry.exercise is not of_no_lab for entry in ex.exercises())


# ------------------------------------------------------------ misspelt, mistaken


def test_solves_text():
    with pytest.raises(WrongAnswerType, match="not its name as text") as caught:
        solves("contiguos_strides")
    assert str(caught.value).endswith("Did you mean contiguous_strides?")
    with pytest.raises(WrongAnswerType, match="Did you mean Tensor.permute"):
        solves("Tensor.permut")


def test_solves_a_function_that_is_no_exercise():
    with pytest.raises(WrongAnswerType) as caught:
        solves(layout.numel)
    assert "not the function numel" in str(caught.value)
    assert "contiguous_strides, offset_of" in str(caught.value)


def test_solves_below_a_cell_that_forgot_solves():
    cell = "def offset_of(index, strides, offset=0): ..."
    names = {"solves": solves}
    exec(cell, names)
    with pytest.raises(WrongAnswerType) as caught:
        exec(f"@solves(offset_of)\n{cell}", names)
    assert "Write @solves(offset_of) above its def, run the set-up" in str(caught.value)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("offset_of(index, strides, offset=0)", r"write @solves\(offset_of\)"),
        ("permute(self, *dims)", r"write @solves\(Tensor.permute\)"),
        ("answer(index)", "takes an exercise of the course"),
    ],
)
def test_solves_without_brackets(head, words):
    names = {"solves": solves, "offset_of": offset_of}
    with pytest.raises(WrongAnswerType, match=words):
        exec(f"@solves\ndef {head}: ...", names)


def test_jupyter_shows_our_errors_without_lines_of_the_library():
    with pytest.raises(NotAnswered) as caught:
        offset_of((), ())
    (line,) = caught.value._render_traceback_()
    assert line.startswith("NotAnswered: offset_of has no answer yet. It is exercise 2")
    with pytest.raises(WrongAnswerType) as caught:
        solves(offset_of)(lambda x: x)
    first, *_, last = caught.value._render_traceback_()
    assert first == "WrongAnswerType: offset_of is called with other parameters."
    assert last.startswith("Keep names, order and defaults.")


def test_decorator_above_solves_does_not_hide_the_exercise():
    hidden = functools.cache(solves(offset_of)(lambda index, strides, offset=0: 1))
    solves(hidden)(lambda index, strides, offset=0: 2)
    assert offset_of((), ()) == 2


# ------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    "answer",
    [
        lambda index, stride, offset=0: 0,  # renamed
        lambda strides, index, offset=0: 0,  # reordered
        lambda index, strides: 0,  # missing
        lambda index, strides, offset: 0,  # a default is missing
        lambda index, strides, offset=1: 0,  # another default
        lambda index, strides, more=0, offset=0: 0,  # in between
        lambda index, strides, offset=0, *, more: 0,  # without default
        lambda *everything: 0,
        lambda: 0,
        functools.partial(lambda index, strides, offset=0: 0, offset=0),
        sum,
    ],
)
def test_wrong_parameters(answer):
    message = refusal(offset_of, answer)
    assert "  expected  offset_of(index, strides, offset=0)\n  got       " in message


def test_wrong_parameters_are_shown_as_they_are():
    def offset_of_(index: tuple, stride) -> int: ...

    message = refusal(offset_of, offset_of_)
    assert "  got       offset_of_(index, stride)\n" in message
    message = refusal(offset_of, lambda x: x)
    assert "  got       offset_of(x)\n" in message


def test_variable_parameters_stay_first():
    message = refusal(layout.broadcast_shapes, lambda first=(), *shapes: ())
    assert "  got       broadcast_shapes(first=(), *shapes)\n" in message
    solves(layout.broadcast_shapes)(lambda *shapes, more=1: ())


@pytest.mark.parametrize(
    "answer",
    [
        lambda index, strides, offset=0: 7,
        lambda index, strides, offset=0, more=1: 7,
        lambda index, strides, offset=0, *, more=1: 7,
        lambda index, strides, offset=0, *args, **kwargs: 7,
        functools.partial(lambda seven, index, strides, offset=0: seven, 7),
        functools.cache(lambda index, strides, offset=0: 7),
        (
            lambda index, strides, offset=0: 7  # over two lines
        ),
    ],
)
def test_right_parameters(answer):
    solves(offset_of)(answer)
    assert offset_of((0,), (1,)) == 7


def test_annotations_have_no_say():
    @solves(offset_of)
    def annotated(index: tuple[int, ...], strides: tuple, offset: int = 0) -> int:
        return 7

    assert offset_of((0,), (1,)) == 7


def test_self_may_have_any_name():
    solves(Tensor.permute)(lambda x, *dims: (x, dims))
    solves(layout.contiguous_strides)(lambda shape: (1,) * len(shape))
    tensor = arange(3)
    assert tensor.permute(0) == (tensor, (0,))


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (42, "Got an int."),
        (None, "Got None."),
        ("text", "Got a str."),
        (functools.partial(len, more=1), "a partial does not tell its parameters."),
        (dict, "Got the class dict."),
        (offset_of, "Got the exercise offset_of itself."),
        (min, "the function min does not tell its parameters."),
    ],
)
def test_answer_that_is_no_function(answer, got):
    assert refusal(index_of, answer).endswith(got)


def test_answer_that_does_not_fit_leaves_the_last_good_one():
    solves(offset_of)(lambda index, strides, offset=0: 1)
    with pytest.raises(WrongAnswerType):
        solves(offset_of)(lambda index: 2)
    assert offset_of((), ()) == 1


# ------------------------------------------------------------ methods


def test_method_and_static_method():
    class Shape:
        sides = 4

        @exercise(points=1)
        def corners(self, more=0):
            """How many corners."""

        @staticmethod
        @exercise(points=1)
        def area(width, height):
            """Width times height."""

    solves(Shape.corners)(lambda self, more=0: self.sides + more)
    solves(Shape.area)(lambda width, height: width * height)
    assert Shape().corners() == 4 and Shape.corners(Shape(), more=1) == 5
    assert Shape.area(2, 3) == Shape().area(2, 3) == 6


def test_static_method_the_other_way_round():
    with pytest.raises(TypeError, match="^area: put @staticmethod above @exercise"):
        exercise(points=1)(staticmethod(area))


def area(width, height): ...
