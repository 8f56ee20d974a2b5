"""Answers that call others, or PyTorch, or try to look right without being so."""

import cProfile
import math
import sys

import numpy as np
import pytest
from judging import (  # noqa: F401
    a_subject,
    of_shape,
    strides_of,
    unanswered,
    verdict_on,
)

from grading.checking.check import judge
from minigrad import Tensor, layout
from minigrad.exercises.registry import solves
from minigrad.layout import contiguous_strides


def test_recursion_without_end_is_named(subject):
    def again(shape):
        return contiguous_strides(shape)

    verdict = verdict_on(contiguous_strides, again, subject)
    assert verdict.failures[0].cause == "recursion"


def by_transpose(self, *dims):
    dims = [layout.wrap_dim(d, self.ndim) for d in layout.as_ints(dims)]
    if sorted(dims) != list(range(self.ndim)):
        raise RuntimeError("each dimension once")
    have, x = list(range(self.ndim)), self
    for d in range(self.ndim):
        other = have.index(dims[d])
        x = x.transpose(d, other)
        have[d], have[other] = have[other], have[d]
    return x if self.ndim else x.transpose(0, 0)


def by_permute(self, dim0, dim1):
    dims = list(range(self.ndim)) or [0]
    dims[dim0], dims[dim1] = dims[dim1], dims[dim0]
    return self.permute(*dims[: self.ndim])


@pytest.mark.parametrize(
    "exercise", [Tensor.permute, Tensor.transpose], ids=lambda h: h.name
)
def test_answers_that_only_call_each_other_are_rejected(exercise, subject):
    solves(Tensor.permute)(by_transpose)
    solves(Tensor.transpose)(by_permute)
    verdict = judge(exercise, subject)
    assert (verdict.points, verdict.state) == (0, "wrong")
    assert verdict.failures[0].cause == "circular"
    assert "permute and transpose call each other" in str(verdict)


def test_one_answer_may_call_another(subject):
    solves(Tensor.permute)(by_transpose)
    assert judge(Tensor.permute, subject).state == "right"


def test_a_mistake_elsewhere_costs_nothing_here(subject):
    solves(Tensor.transpose)(lambda self, dim0, dim1: self)
    solves(Tensor.permute)(by_transpose)
    assert judge(Tensor.permute, subject).state == "right"


# ---------------------------------------------------------------- PyTorch, and traps


def test_an_answer_by_pytorch_earns_nothing(subject):
    import torch

    def by_torch(shape):
        return torch.empty(shape).stride()

    def by_import(shape):
        import torch as t

        return t.empty(shape).stride()

    def helper(shape):
        return torch.empty(shape).stride()

    helpers = {"helper": helper, "torch": torch}
    exec("def by_helper(shape): return helper(shape)", helpers)
    helpers["helper"] = type(helper)(compile_of("torch.empty(shape).stride()"), helpers)
    for answer in (by_import, helpers["by_helper"], globals_of(by_torch, torch=torch)):
        verdict = verdict_on(contiguous_strides, answer, subject)
        assert (verdict.points, verdict.failures[0].cause) == (0, "uses_torch")


def compile_of(expression):
    names = {}
    exec(f"def helper(shape): return {expression}", names)
    return names["helper"].__code__


def globals_of(function, **names):
    return type(function)(compile_of("torch.empty(shape).stride()"), names)


def in_a_closure(module):
    return lambda shape: module.empty(shape).stride()


class Callable:
    def __init__(self, module):
        self.module = module

    def __call__(self, shape):
        return self.module.empty(shape).stride()


def silent(shape, module=None):
    try:
        return (module or sys.modules["to" + "rch"]).empty(shape).stride()
    except BaseException:
        return ()


def test_pytorch_is_seen_by_whatever_way_it_is_called(subject):
    import torch

    by_default = lambda shape, t=torch: t.empty(shape).stride()  # noqa: E731
    by_parts = lambda shape, f=torch.empty: f(shape).stride()  # noqa: E731
    for answer in (by_default, by_parts, in_a_closure(torch), Callable(torch), silent):
        verdict = verdict_on(contiguous_strides, answer, subject)
        assert (verdict.points, verdict.failures[0].cause) == (0, "uses_torch")


def test_what_an_earlier_cell_left_may_end_during_a_call(subject):
    """As torch.library's operators, of a cell that is run twice."""
    import torch

    def answer(shape):
        library = torch_library.pop() if torch_library else None
        del library
        return strides_of(shape)

    torch_library = [torch.library.Library("ended_in_a_call", "DEF")]
    assert verdict_on(contiguous_strides, answer, subject).state == "right"
    assert not torch_library


def test_a_profiled_check_judges_and_is_profiled_to_its_end(subject):
    """%prun check(...): what was measuring the calls goes on after each."""
    with cProfile.Profile() as profile:
        assert verdict_on(contiguous_strides, strides_of, subject).state == "right"
        by_torch = in_a_closure(sys.modules["torch"])
        assert verdict_on(contiguous_strides, by_torch, subject).points == 0
        math.hypot(3, 4)
    called = {str(entry.code) for entry in profile.getstats()}
    assert "<built-in method math.hypot>" in called


def test_a_name_that_holds_a_value_of_pytorch_elsewhere_is_no_use_of_it(subject):
    """`self.shape` in an answer is not the notebook's own variable `shape`."""
    import torch

    names = {
        "shape": torch.empty(2, 3).shape,
        "Tensor": Tensor,
        "strides_of": strides_of,
    }
    exec("def answer(shape):\n    return strides_of(shape)", names)
    assert verdict_on(contiguous_strides, names["answer"], subject).state == "right"


def test_a_value_that_equals_everything_earns_nothing(subject):
    class Yes(int):
        def __eq__(self, other):
            return True

        __hash__ = int.__hash__

    assert (
        verdict_on(contiguous_strides, of_shape(lambda s: Yes()), subject).points == 0
    )
    yes = of_shape(lambda shape: tuple(Yes() for _ in shape))
    assert verdict_on(contiguous_strides, yes, subject).points == 0


def test_a_random_answer_earns_nothing():
    rng = np.random.default_rng(0)
    guess = of_shape(
        lambda shape: tuple(int(n) for n in rng.integers(0, 9, len(shape)))
    )
    assert verdict_on(contiguous_strides, guess).points == 0
