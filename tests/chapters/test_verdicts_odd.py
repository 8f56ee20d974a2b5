"""Answers of every odd kind: a check names what is wrong, and nothing breaks it."""

import contextlib
import itertools
import threading
import time
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
from grading.checking.answers import Specimen
from grading.checking.cases import View
from grading.checking.check import Judgment, call, find_check
from minigrad import Tensor, layout
from minigrad.exercises import sandbox
from minigrad.exercises.sandbox import TimeUp, time_limit
from minigrad.layout import contiguous_strides

# ---------------------------------------------------------------- wrong types


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        (None, "none"),
        (3, "wrong_type"),
        (True, "wrong_type"),
        ("(3, 1)", "wrong_type"),
        ({3: 1}, "wrong_type"),
        ([3, 1], "list"),
        ((3.0, 1.0), "float"),
        (np.array([3, 1]), "wrong_type"),
        (np.array(["a"]), "type"),
        (np.array([object()]), "type"),
        (minigrad.float32, "wrong_type"),
        ({3, 1}, "type"),
        (object(), "type"),
        (len, "type"),
        (int, "type"),
        (iter(()), "type"),
        (np, "type"),
        (1j, "type"),
        (b"31", "type"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_wrong_type_is_named(value, cause, subject):
    verdict = verdict_on(contiguous_strides, of_shape(lambda shape: value), subject)
    assert (verdict.points, verdict.state) == (0, "wrong")
    assert verdict.failures[0].cause == cause, str(verdict)
    said = " ".join(str(verdict).split())
    assert (cause == "type") == ("with ints inside, not " in said), said


MUCH = {
    "texts": lambda: ("ab" * 50,) * 2000,
    "ints": lambda: (2**60,) * 16_000,
    "text": lambda: "a b" * 50_000,
    "lists": lambda: ([["ab" * 50]] * 2000,),
    "dict": lambda: {f"{n:90}": n for n in range(2000)},
}


@pytest.mark.slow
@pytest.mark.parametrize("value", MUCH.values(), ids=MUCH)
def test_too_much_to_read_is_said(value, subject):
    verdict = verdict_on(contiguous_strides, of_shape(lambda shape: value()), subject)
    assert (verdict.points, verdict.failures[0].cause) == (0, "much")
    assert "it returns too much to read: " in str(verdict)
    assert "at most 131,072" in str(verdict)


@pytest.mark.slow
def test_the_message_of_an_error_may_be_long(subject):
    def answer(shape):
        raise ValueError("ab " * 200_000)

    verdict = verdict_on(contiguous_strides, answer, subject)
    assert verdict.failures[0].cause == "raised" and "ab ab" in str(verdict)


def test_integers_of_numpy_and_named_tuples_are_right(subject):
    def numpys(shape):
        return View(*map(np.int64, strides_of(shape))) if len(shape) == 3 else tuple(
            map(np.int32, strides_of(shape))
        )  # fmt: skip

    assert verdict_on(contiguous_strides, numpys, subject).state == "right"


def test_true_is_no_stride(subject):
    def bools(shape):
        return tuple(True if s == 1 else s for s in strides_of(shape))

    assert verdict_on(contiguous_strides, bools, subject).points == 0


def test_very_deep_and_very_large_values_are_no_trouble(subject):
    def deep(shape):
        value = ()
        for _ in range(500):
            value = (value,)
        return value

    assert verdict_on(contiguous_strides, deep, subject).points == 0
    huge = of_shape(lambda shape: (10**400,) * len(shape))
    assert verdict_on(contiguous_strides, huge, subject).points == 0
    itself = []
    itself.append(itself)
    assert (
        verdict_on(contiguous_strides, of_shape(lambda s: itself), subject).points == 0
    )


# ---------------------------------------------------------------- tensors gone wrong


def spoilt(**numbers):
    """A permute whose result has other numbers than it should."""

    def permute(self, *dims):
        good = {"shape": self.shape, "strides": self.strides, "offset": 0}
        return Tensor(self.storage, *{**good, **numbers}.values())

    return permute


@pytest.mark.parametrize(
    "numbers",
    [
        {"shape": (4, 2, 3), "strides": (1.0, 12.0, 4.0)},
        {"shape": (4, 2, 3), "strides": (1, 12)},
        {"shape": (4, 2, 3), "strides": (1, None, 4)},
        {"shape": ("4", 2, 3)},
        {"strides": (-1, -12, -4)},
        {"strides": (10**9, 1, 1)},
        {"shape": (4, -2, 3)},
        {"offset": -1},
        {"offset": 10**30},
        {"offset": None},
        {"shape": (), "strides": ()},
        {"shape": (10**6, 10**6, 10**6), "strides": (0, 0, 0)},
    ],
    ids=str,
)
def test_a_spoilt_tensor_is_wrong_and_nothing_more(numbers, subject):
    verdict = verdict_on(Tensor.permute, spoilt(**numbers), subject)
    assert (verdict.points, verdict.state) == (0, "wrong")
    assert len(str(verdict).splitlines()) > 3


def test_a_tensor_with_a_storage_of_nonsense_is_wrong(subject):
    def nonsense(self, *dims):
        y = self.as_strided(self.shape, self.strides)
        y.storage = minigrad.tensor([1, 2, 3]).storage
        y.storage.data = "abc"
        return y

    contiguous_strides._run = strides_of
    verdict = verdict_on(Tensor.permute, nonsense, subject)
    assert verdict.failures[0].cause == "type"


def test_writing_into_the_input_is_seen(subject):
    def writes(self, *dims):
        self.storage.data[0] = 99
        return self.as_strided(self.shape, self.strides)

    verdict = verdict_on(Tensor.permute, writes, subject)
    assert verdict.failures[0].cause == "changed"


def test_a_permute_of_another_tensor_is_no_view(subject):
    def other(self, *dims):
        return minigrad.arange(len(self.storage)).as_strided(
            [self.shape[d] for d in dims], [self.strides[d] for d in dims], self.offset
        )

    contiguous_strides._run = strides_of
    verdict = verdict_on(Tensor.permute, other, subject)
    assert (verdict.points, verdict.failures[0].cause) == (0, "copies"), str(verdict)


# ---------------------------------------------------------------- errors and endings


class Unprintable(Exception):
    def __str__(self):
        raise ValueError("no")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x" * 5000),
        ValueError("two\nlines"),
        Unprintable(),
        SystemExit(0),
        GeneratorExit(),
        StopIteration(),
        MemoryError(),
        AssertionError(),
        BaseExceptionGroup("several", [KeyError(1)]),
    ],
    ids=lambda e: type(e).__name__,
)
def test_any_exception_is_reported(error, subject):
    def broken(shape):
        raise error

    verdict = verdict_on(contiguous_strides, broken, subject)
    assert (verdict.points, verdict.failures[0].cause) == (0, "raised")
    assert type(error).__name__ in str(verdict)
    assert all(len(line) < 120 for line in str(verdict).splitlines())


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (lambda self: self.as_strided(shape, (), 0), "does `self.` belong before it?"),  # noqa: F821
        (
            lambda self: setattr(self, "strides", ()),
            "This attribute may only be read.",
        ),
        (lambda self: _assign(self.strides), "A tuple can"),
    ],
    ids=["name", "attribute", "tuple"],
)
def test_a_mistake_of_beginners_comes_with_advice(body, hint, subject):
    def answer(self, *dims):
        return body(self)

    verdict = verdict_on(Tensor.permute, answer, subject)
    assert verdict.failures[0].cause == "raised" and hint in str(verdict)


def _assign(strides):
    strides[0] = 1


def test_an_error_where_none_is_the_answer_is_reported(subject):
    def answer(shape, strides, new_shape):
        raise RuntimeError("no view")

    def cases(random):
        yield "transposed", call((3, 2), (1, 3), (6,))

    check = replace(find_check(layout.view_or_copy), cases=cases)
    with Specimen(check.exercise, answer, None, "test").in_place():
        verdict = check.judge(subject)
    assert "Your `raise RuntimeError` is reached" in str(verdict)


def joined(*shapes):
    """numpy.broadcast_shapes, of any number of dimensions."""
    places = itertools.zip_longest(*(s[::-1] for s in shapes), fillvalue=1)
    sizes = [set(place) - {1} or {1} for place in places]
    if max(map(len, sizes), default=1) > 1:
        raise ValueError
    return tuple(size.pop() for size in reversed(sizes))


def test_a_subclass_of_the_right_error_is_right(subject):
    class Unfit(RuntimeError):
        pass

    def own_error(*shapes):
        try:
            return joined(*shapes)
        except ValueError:
            raise Unfit from None

    verdict = verdict_on(layout.broadcast_shapes, own_error, subject)
    assert verdict.state == "right", str(verdict)


def test_not_implemented_does_not_count_as_the_error(subject):
    """NotImplementedError is a RuntimeError; an unfinished branch is no answer."""

    def unfinished(*shapes):
        try:
            return joined(*shapes)
        except ValueError:
            problem = NotImplementedError
        raise problem()

    verdict = verdict_on(layout.broadcast_shapes, unfinished, subject)
    assert verdict.failures[0].cause == "unfinished", str(verdict)


@pytest.fixture
def hurry(monkeypatch):
    monkeypatch.setattr(Judgment, "seconds", 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bare", "stubborn", "swallowing"])
def test_an_endless_loop_is_stopped(kind, hurry, subject):
    def bare(shape):
        while True:
            pass

    def stubborn(shape):
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.01)

    def swallowing(shape):
        for _ in range(1):
            try:
                while True:
                    pass
            except BaseException:
                continue

    answer = {"bare": bare, "stubborn": stubborn, "swallowing": swallowing}[kind]
    verdict = verdict_on(contiguous_strides, answer, subject)
    assert verdict.points == 0
    if kind != "swallowing":  # that one ends in the end, and has returned None
        assert verdict.failures[0].cause == "endless"
        assert verdict.state == "timed out"
        assert "It doesn't end" in str(verdict)


@pytest.mark.parametrize("in_thread", [False, True])
def test_a_limit_counts_what_is_computed_not_the_clock(in_thread, monkeypatch):
    done = []
    monkeypatch.setattr(sandbox, "PATIENCE", 1000)

    def waits():
        with time_limit(0.1):
            time.sleep(0.3)  # as where another process has the processor
        done.append(1)

    def run(function):
        thread = threading.Thread(target=function)
        (thread.start if in_thread else function)()
        if in_thread:
            thread.join()

    def computes():
        with contextlib.suppress(TimeUp), time_limit(0.1):
            while True:
                pass
        done.append(2)

    run(waits)
    run(computes)
    monkeypatch.setattr(sandbox, "PATIENCE", 1)
    with contextlib.suppress(TimeUp):
        waits()
    assert done == [1, 2]
