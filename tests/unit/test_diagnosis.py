"""What is said of a wrong answer: only what is proved on every case."""

import random

import numpy as np
import pytest
from judging import of_shape, replaced, strides_of, unanswered, verdict_on  # noqa: F401

from grading.checking import describe, diagnosis
from grading.checking.answers import Specimen
from grading.checking.cases import Raises, Tried, View
from grading.checking.check import Check, Judgment, call, find_check, judge
from grading.checking.features import common
from grading.checking.mistakes import Mistake
from grading.checking.runner import LocalSubject
from grading.isolation.replies import Outcome, Problem
from grading.kernels import gpu
from grading.kernels.barriers import cured
from grading.kernels.runs import Fault, Launch, blank
from grading.kernels.simulation import Simulator, Text
from minigrad.exercises.registry import exercises, find
from minigrad.kernels import memory, threads
from minigrad.kernels.transfers import needless_copies
from minigrad.layout import contiguous_strides
from minigrad.ops.vjp import sum_backward
from tools.audit import causes

BEGIN = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    "
REVERSE = """__global__ void shared_reverse(const float* x, float* y, int n) {
    __shared__ float tile[256];
    int tid = threadIdx.x, begin = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - begin);
    if (tid < count) tile[tid] = x[begin + tid];
    if (tid < count) y[begin + tid] = tile[count - 1 - tid];
}"""


def judged(exercise, body, seed=0):
    text = body if "__global__" in body else f"{exercise.form()} {{\n{body}\n}}"
    return verdict_on(exercise, text, seed=seed)


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: False)


def named(answer, **ways):
    """The verdict on what shall be twice a number, with mistakes that give this."""

    class Doubled(Judgment):
        def causes(self):
            return [Mistake(name, name) for name in ways]

        def ways(self, mistake):
            return [ways[mistake.name]]

        def gives(self, way, case):
            return way(*case.args)

    check = Check(
        contiguous_strides,
        cases=lambda random: (("numbers", call(n)) for n in (5, 3, -2, -3, -4, 0)),
        reference=lambda n: 2 * n,
        judged_by=Doubled,
        not_tested="all but six numbers",
    )
    with Specimen(contiguous_strides, answer, None, "test").in_place():
        return check.judge(LocalSubject(), 0)


def of_kernel(exercise):
    """A Judgment of a kernel's answer, of which nothing is run."""

    def nothing(random):
        return ()

    return Check(exercise, cases=nothing, not_tested="all").judgment(LocalSubject(), 0)


def test_a_mistake_is_named_if_it_gives_the_same_in_every_case():
    verdict = named(
        lambda shape: abs(2 * shape), without_sign=lambda shape: 2 * abs(shape)
    )
    assert verdict.failures[0].cause == "without_sign"


def test_no_mistake_is_named_that_misses_one_case():
    verdict = named(
        lambda shape: abs(2 * shape), nearly=lambda shape: max(2 * shape, 4, -2 * shape)
    )
    assert verdict.failures[0].cause == "factor"


def test_a_mistake_that_is_wrong_where_the_answer_is_right_is_not_named():
    verdict = named(lambda shape: abs(2 * shape), other=lambda shape: -2 * shape)
    assert verdict.failures[0].cause == "factor"


def test_an_error_is_explained_by_the_same_error_alone():
    """A mistake that raises in every case explains no other error of that type."""

    def raises(said):
        return Raises("TypeError", said)

    def wrong(shape):
        raise TypeError("one thing")

    assert named(wrong, same=lambda _: raises("one thing")).failures[0].cause == "same"
    verdict = named(wrong, other=lambda _: raises("another thing"))
    assert verdict.failures[0].cause == "raised"


def test_arguments_are_copies_in_a_notebook_as_in_the_box():
    sign = "".join(["to ", "device"])  # no literal of a program
    answer = Specimen(needless_copies, lambda events: events[0][0] is sign, None, "is")
    with answer.in_place():
        outcome = LocalSubject().call("needless_copies", [[(sign, "x")]], 5)
    assert outcome.value is False


def test_beside_an_error_no_facts_are_expected():
    answer = Specimen(sum_backward, lambda dy, shape, dims, keepdim: dims[9], None, "")
    with answer.in_place():
        message = str(judge(sum_backward, LocalSubject(), 0))
    assert "IndexError" in message and "expected  " not in message


def test_a_fault_is_not_seen_in_launches_that_no_tool_has_watched(monkeypatch):
    judgment, one = of_kernel(threads.tail_guard), launch(1, 32, blank(4))
    wrong = tried(False, one)._replace(case=one)
    monkeypatch.setattr(type(judgment), "is_watched", lambda self, launch: False)
    assert not judgment.shows(Fault("race"), [wrong])


def test_of_two_mistakes_that_explain_all_none_is_singled_out():
    ways = {
        "a": lambda shape: 2 * abs(shape),
        "b": lambda shape: abs(shape) + abs(shape),
    }
    assert named(lambda shape: abs(2 * shape), **ways).failures[0].cause == "factor"


@pytest.mark.parametrize("pairs", [
    (("reversed(strides)", "strides"), ("max(size, 1)", "size")),
    (("tuple(reversed(strides))", "tuple(strides) or (1,)"),),
])  # fmt: skip
def test_two_mistakes_in_one_answer_are_named(pairs):
    """Each is known, and only both give what the answer gives; in other cases, too."""
    with Specimen(contiguous_strides, replaced(*pairs), None, "two").in_place():
        cause, state = causes.state_of(contiguous_strides, 0)
        text = str(judge(contiguous_strides, LocalSubject(), 0))
    assert state == causes.TRUE and cause.count("+") == 1
    assert "There are two mistakes. The first: " in " ".join(text.split())


@pytest.mark.slow
def test_of_two_mistakes_that_are_no_kernel_together_nothing_is_said(monkeypatch):
    monkeypatch.setattr(diagnosis, "SECONDS", 60)  # all pairs
    exercise = find("matmul_batched")
    with Specimen(
        exercise, replaced(("= sum;", "= sum + 1;")), None, "test"
    ).in_place():
        assert judge(exercise, LocalSubject(), 0).failures[0].cause == "unknown"


def test_without_a_proof_the_smallest_wrong_case_and_the_rule_are_shown():
    text = str(named(lambda shape: abs(2 * shape)))
    assert "call      contiguous_strides(-2)" in text
    assert "only      where shape is negative" in text


def test_the_heart_is_shown_before_an_edge():
    verdict = verdict_on(contiguous_strides, of_shape(lambda s: strides_of(s)[::-1]))
    assert "contiguous_strides((2, 3))" in str(verdict)


# ---------------------------------------------------------------- what is common


def tried(right, *args):
    return Tried(right, "part", args, None, None, Outcome(None, None, ""))


def launch(grid, block, *args):
    return Launch(grid, block, (*args, blank(8), np.int32(8)))


X = np.ones(8, np.float32)
WITH = {
    "where a size is 0": ([View((0, 3), (3, 1))], [View((2, 3), (3, 1))]),
    "where the view is not contiguous": (
        [View((2, 3), (1, 2)), View((3, 2), (1, 3))],
        [View((2, 3), (3, 1)), View((3, 2), (2, 1))],
    ),
    "with more than one block": (
        [launch(2, 32, X), launch(3, 64, X)],
        [launch(1, 32, X), launch(1, 64, X)],
    ),
    "with negative numbers": ([launch(1, 32, -X)], [launch(1, 32, X)]),
    "in float64": ([launch(1, 32, np.float64(X))], [launch(1, 32, X)]),
    "where shape is empty": ([(), ()], [(1,), (2, 3)]),
}


@pytest.mark.parametrize("rule", WITH)
def test_what_wrong_cases_have_in_common(rule):
    wrong, right = WITH[rule]
    exercise = (
        threads.tail_guard if isinstance(wrong[0], Launch) else contiguous_strides
    )
    cases = [tried(False, a) for a in 3 * wrong] + [tried(True, a) for a in 3 * right]
    assert common(exercise, cases, True) == rule


def test_what_is_common_to_scenes_fits_what_their_parts_are():
    exercise, of = (
        find("pruned"),
        {"scene": "prune", "order": [0, 1, 2], "fetches": [2]},
    )
    cases = [tried(bool(fed), {**of, "fed": fed}) for fed in 3 * ([], [1])]
    assert common(exercise, cases, False) == "where fed is empty"


def test_a_rule_speaks_of_arguments_alone():
    exercise, scene = find("state_dict"), {"scene": "state_dict", "options": {}}
    several = [{**scene, "spec": {"parameters": {"gain": n}}} for n in (10, 11, 1)]
    cases = [tried(n == 2, one) for n, one in enumerate(several)]
    assert common(exercise, cases, False) == ""


def test_no_rule_where_a_right_case_is_like_the_wrong_ones():
    cases = [tried(r, View((2, 3), (3, 1))) for r in 3 * (False, True)]
    assert common(contiguous_strides, cases, True) == ""


@pytest.mark.parametrize("wrong, right", [(2, 9), (9, 2)])
def test_few_cases_make_no_rule(wrong, right):
    cases = [tried(False, (0,))] * wrong + [tried(True, (1,))] * right
    assert common(contiguous_strides, cases, True) == ""


# ---------------------------------------------------------------- what differs


def test_of_long_values_that_begin_alike_the_first_difference_is_shown():
    right = np.arange(40.0).reshape(5, 8) / 7
    wrong = right.copy()
    wrong[4, 6] = 0
    assert describe.beside((1, wrong), (1, right))[1] == "[1][4, 6] = 0.0"
    assert describe.beside(1, 2) == ("2", "1")


# ---------------------------------------------------------------- kernels


def test_a_missing_barrier_is_said_where_adding_it_mends_the_kernel():
    verdict = judged(memory.shared_reverse, REVERSE)
    assert verdict.failures[0].cause == "no_barrier"
    assert "with __syncthreads() after line 5 every case is right" in str(verdict)


def test_a_wrong_place_is_not_blamed_on_a_barrier():
    text = REVERSE.replace("tile[count - 1 - tid]", "tile[tid ? tid - 1 : 0]")
    verdict = judged(memory.shared_reverse, text)
    assert verdict.failures[0].cause == "race-warp"
    assert "__syncthreads" not in str(verdict)


@pytest.mark.parametrize(
    "index, cure",
    [
        ("i", "with if (i < n) before line 3 every case is right"),
        ("i + 1", ""),  # inside by a guard, and yet wrong
        ("i * n", ""),
    ],
)
def test_a_guard_is_advised_only_where_it_mends_the_kernel(index, cure):
    verdict = judged(threads.tail_guard, f"{BEGIN}y[i] = 2 * x[{index}];")
    assert cure in str(verdict) and ("before line" in str(verdict)) == bool(cure)
    assert "guard it with" not in str(verdict)


def test_a_cure_is_none_if_something_else_is_wrong():
    text = Text("a;\nb;\nc;\n", Simulator())
    assert cured("bar;", text, lambda t: 1, {2}, 9) == (text, [])
    left = lambda t: "b; bar;" not in t.code  # noqa: E731
    assert cured("bar;", text, left, {3}, 9)[1] == ["after line 2"]


def test_no_mistake_explains_what_a_gpu_has_measured():
    find_check(memory.shared_reverse)  # its mistakes are known now
    judgment = of_kernel(memory.shared_reverse)
    measured = Problem("measured", "0.3 of a copy's")
    slow = [Tried(False, "bandwidth", (), None, measured, Outcome(None, None, ""))]
    assert diagnosis.computed(judgment, slow) == diagnosis.shown(judgment, slow) == {}
    assert diagnosis.diagnose(judgment, slow).cause == "measured"


@pytest.mark.slow
def test_that_values_are_right_is_said_only_where_they_are():
    body = f"{BEGIN}for (int k = 0; k < n; k++) if (i < n) y[i] = 3 * x[k];"
    assert "the values are right" not in str(judged(threads.tail_guard, body))


# ---------------------------------------------------------------- whole answers

COL = "int col = blockIdx.x * blockDim.x + threadIdx.x"
SQUARE = "y[i] = x[i] * x[i];\n    }"
RELEASE = "        if not retain_graph:\n            node.release()\n"
ADDED = "arrived[edge] = arrived[edge] + g if edge in arrived else g"
POINTS = "(before + 2 * eps, before + eps, before - eps, before - 2 * eps)"
SLOPE = "(8 * (ends[1] - ends[2]) - (ends[0] - ends[3])) / (12 * eps)"
SAID = [  # exercise, patch of its solution, what is said of it
    ("map_2d", [(COL, f"{COL}; col = min(col, cols - 1)")], "out-of-bounds"),
    ("grid_stride", [(SQUARE, f"{SQUARE} if (n) y[n - 1] = x[n - 1] * x[n - 1];")],
     "writes"),
    ("outer_product", [("k = blockIdx.z", "k = min((int)blockIdx.z, b - 1)")], "race"),
    ("coalesced_copy", [("for (int i", "for (int k = 0; k < 2; k++) for (int i")],
     "sectors"),
    ("backward", [(RELEASE, ""), (ADDED, f"{ADDED}\n    if not retain_graph:\n"
                  "        for node in order:\n            node.release()")], "late"),
    ("numerical_jacobian", [("(before + eps, before - eps)", POINTS),
                            ("(ends[0] - ends[1]) / (2 * eps)", SLOPE)], "unknown"),
    ("sum_all", [("sum += x[i]", "sum += x[i] + 0.0f * x[i]")], "reads"),
    ("warp_reduce", [("float sum = i < n", "if (i >= n) return;\n float sum = i < n")],
     "returned"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pairs", "cause"), SAID, ids=[s[0] for s in SAID])
def test_what_looks_like_a_mistake_is_not_taken_for_it(name, pairs, cause):
    exercise = find(name)
    with Specimen(exercise, replaced(*pairs), None, "test").in_place():
        verdict = judge(exercise, LocalSubject(), 0)
    assert verdict.failures[0].cause == cause, str(verdict)


@pytest.mark.slow
def test_no_cause_of_a_sample_is_false(nightly):
    names, size = [e.exercise.name for e in exercises()], 120 if nightly else 15
    work = random.Random(0).sample(causes.draw(names, sample=1), size)
    results = [*causes.causes(work)]
    assert [one for one in results if one.state == causes.FALSE] == []
    assert sum(one.state == causes.TRUE for one in results) >= size // 2
