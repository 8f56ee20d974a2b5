"""How kernels are judged: values, tools, counts, memory beside arrays, GPU parts."""

from dataclasses import replace

import numpy as np
import pytest
from judging import unanswered  # noqa: F401

from grading.checking import kernel_messages
from grading.checking.answers import Specimen
from grading.checking.check import Check, find_check
from grading.checking.compare import arrays
from grading.checking.kernel_judgment import KernelJudgment, NotRun
from grading.checking.kernel_messages import pattern
from grading.checking.mistakes import Mistake
from grading.checking.runner import LocalSubject
from grading.isolation.codec import encode
from grading.isolation.replies import WireSubject
from grading.kernels import gpu
from grading.kernels.runs import (
    Guarded,
    Launch,
    Ran,
    Report,
    blank,
    distinct,
    with_body,
)
from minigrad.exercises.registry import find
from minigrad.kernels import threads

EXERCISE = threads.tail_guard
I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"  # noqa: E741
COPY = f"{I} if (i < n) y[i] = 2 * x[i];"
WIDE = f"""{I}
    for (int k = 4 * i; k < min(4 * i + 4, n); k++) y[k] = 2 * x[k];"""


class Unexplained(KernelJudgment):
    """Without the exercise's mistakes."""

    def causes(self):
        return []


def values(random):
    args = distinct(random, 1000), blank(1000), np.int32(1000)
    yield "values", Launch(4, 256, args)


def cheaply(random):
    """The same twice, and the second time cheaply."""
    ((part, launch),) = values(random)
    yield part, launch
    yield "cheaply", replace(launch, limits={"sectors": 260})


def reference(x, y, n):
    y[:] = 2 * x


TWICE = Check(
    EXERCISE,
    cases=values,
    reference=reference,
    judged_by=Unexplained,
    not_tested="all but one size",
)
CHEAPLY = replace(TWICE, cases=cheaply)
WITH_GPU = replace(TWICE, on_gpu={"bandwidth": lambda exercise, text: ()})


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: False)


def verdict_on(body, check=TWICE):
    with Specimen(EXERCISE, with_body(EXERCISE, body), None, "test").in_place():
        return check.judge(LocalSubject(), 0)


def test_a_right_kernel_is_right_and_says_where_it_ran():
    verdict = verdict_on(COPY)
    assert (verdict.points, verdict.state) == (1, "right")
    assert "on a GPU: not run" in verdict.summary


@pytest.mark.parametrize(
    ("body", "cause", "words"),
    [
        (f"{I} y[i] = 2 * x[i];", "out-of-bounds", "y[1000] is written"),
        (f"{I} if (i < 9) y[i] = 2 * x[i];", "end", "y[9] was not written"),
        (f"{I} if (i < n) y[i] += 2 * x[i];", "added", "added to what y held"),
        (f"{I} if (i < 999) y[i] = 2 * x[i];", "tail", "thread 231 of block 3 writes"),
        (f"{I} if (i) return; for (; i < n; i++) y[i] = 2 * x[n - 1 - i];", "reversed",
         "1000 of 1000 elements of y"),
        (f"{COPY} if (i == 0) ((float*)x)[0] = 0;", "changed", "const"),
        (f"__shared__ float t; {I} t = i; if (i < n) y[i] = 2 * x[i] + 0 * t;", "race",
         "the right values, and yet"),
        (f"{I} y[i] = ;", "compile", "^"),
        pytest.param(
            f"{I} while (n > 0) y[i % n] = 0;", "endless", "did not end",
            marks=pytest.mark.slow,
        ),  # fmt: skip
        (f"{I} float s[100000000]; s[i % n] = 1; y[i] = s[i];", "raised",
         "the variables of one block take about"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_wrong_kernel(body, cause, words):
    verdict = verdict_on(body)
    assert verdict.points == 0
    assert verdict.failures[0].cause == cause
    assert words in str(verdict)


FOR_SHOW = """__shared__ float own[256];
    int first = blockIdx.x * blockDim.x, count = min(blockDim.x, n - first);
    if (threadIdx.x < count) {
        own[threadIdx.x] = x[first + count - 1 - threadIdx.x];
        y[first + threadIdx.x] = own[threadIdx.x];
    }"""


def test_shared_memory_for_show_is_found_beside_another_mistake():
    exercise = find(
        "shared_reverse"
    )  # unsigned: n - first is not negative past the end
    with Specimen(exercise, with_body(exercise, FOR_SHOW), None, "test").in_place():
        said = str(find_check(exercise).judge(LocalSubject(), 0))
    assert "Nothing goes through shared memory: without it, the results are the" in said
    assert "the right values\n" in f"{said}\n" and "and yet" not in said


def test_where_a_kernel_is_wrong_is_said_by_the_checks_own_comparison():
    exactly = replace(TWICE, compare=arrays(rtol=1e-3, signs=True))
    verdict = verdict_on(f"{COPY} if (i == 7) y[i] *= -1;", exactly)
    assert verdict.points == 0
    assert "expected  y[7] = " in str(verdict)
    assert "1 of 1000 elements of y" in str(verdict)


@pytest.mark.parametrize(
    ("grid", "block", "n", "right", "cause", "words"),
    [
        (4, 256, 1000, 999, "tail", "the last one is wrong, and grid * block is 4 * "
         "256 = 1024 for 1000 elements. Is there a guard, and is it right?"),
        (4, 250, 1000, 997, "tail", "the last 3 are wrong, and grid * block is 4 * "
         "250 = 1000 for 1000 elements. Each has a thread"),
        (3, 256, 1000, 998, "tail", "grid * block is 3 * 256 = 768 for 1000 elements. "
         "Does each thread go on until no element is left?"),
        (3, 256, 1000, 768, "first_pass", "Only the first 768 are right, and grid * "
         "block is 3 * 256 = 768 for 1000 elements, so each thread must do more"),
        ((2, 2), (16, 16), 1000, 990, "tail", "4 * 256 = 1024 for 1000 elements"),
        (4, 256, 1000, 256, "first_block", "Does the index use blockIdx?"),
        (4, 256, 1000, 300, "end", "The first 300 are right"),
        (4, 256, 4, 2, "end", "The first 2 are right"),  # a block for each element
    ],
)  # fmt: skip
def test_why_the_end_of_an_array_is_wrong(grid, block, n, right, cause, words):
    before, expected = blank(n), np.arange(n, dtype=np.float32)
    got = np.where(np.arange(n) < right, expected, before)
    launch = Launch(grid, block, (got,))
    wrong = np.arange(n) >= right
    name, text = pattern(launch, "int i", "y", before, got, expected, wrong)
    assert name == cause
    assert words in text


@pytest.mark.parametrize(
    ("shape", "right", "seen"),
    [
        ((96,), 95, None),  # one element proves no pattern
        ((96,), 93, ("end", "The first 93 are right, and none after them.")),
        ((2, 3, 16), 48, ("end", "Only y[0] is right, and nothing after that.")),
    ],
)
def test_no_guard_is_suspected_where_wrong_values_were_written(shape, right, seen):
    before, expected = blank(*shape), np.arange(96, dtype=np.float32).reshape(shape)
    wrong = expected >= right
    got, launch = expected + wrong, Launch(3, 32, (before,))
    assert pattern(launch, "blockIdx", "y", before, got, expected, wrong) == seen


def test_a_count_is_no_cause_where_values_are_wrong():
    at_once = replace(TWICE, cases=lambda random: [*cheaply(random)][1:])
    said = str(verdict_on(f"{COPY} if (i < n) y[i] = y[i] + 1;", at_once))
    assert "It takes" not in said and "counted" in said


def test_an_index_that_uses_blocks_is_not_said_to_lack_them():
    before, expected = blank(512), np.arange(512, dtype=np.float32)
    wrong = expected >= 256
    arrays = before, np.where(wrong, before, expected), expected, wrong
    launch = Launch(2, 256, (before,))
    text = "if (blockIdx.x * blockDim.x + threadIdx.x < 256)"
    assert pattern(launch, text, "y", *arrays)[0] == "tail"
    assert pattern(launch, f"// {text}", "y", *arrays)[0] == "first_block"


def test_a_long_hint_is_wrapped_and_not_cut():
    text = kernel_messages._indented("  " + "word " * 30)
    assert text.split() == ["word"] * 30
    assert max(map(len, text.split("\n"))) <= 100


def test_a_count_above_its_limit_loses_its_part_alone():
    assert verdict_on(COPY, CHEAPLY).state == "right"
    wide = verdict_on(WIDE, CHEAPLY)
    assert (wide.points, wide.state) == (0.5, "partly right")
    assert wide.failures[0].cause == "sectors"


def test_parts_that_need_a_gpu_neither_give_nor_take():
    verdict = verdict_on(COPY, WITH_GPU)
    assert (verdict.points, verdict.state) == (1, "right")
    assert "not graded: bandwidth (needs a GPU)" in verdict.summary


def test_an_exercise_for_a_gpu_alone_is_not_graded():
    verdict = verdict_on(COPY, replace(WITH_GPU, cases=lambda random: ()))
    assert (verdict.points, verdict.state) == (0, "needs a GPU")
    assert "not graded" in verdict.summary


def test_what_a_gpu_measures_counts_like_any_part(monkeypatch):
    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "run", lambda h, t, launches: [*map(_by_hand, launches)])
    for right, points in [(True, 1), (False, 0.5)]:
        shown = [(right, "0.3 of a copy's; 0.7 are enough")]
        on_gpu = {"bandwidth": lambda exercise, text, shown=shown: shown}
        verdict = verdict_on(COPY, replace(TWICE, on_gpu=on_gpu))
        assert verdict.points == points
        assert "0.3 of a copy's" in str(verdict)


def test_what_a_gpu_cannot_measure_is_said_and_costs_nothing(monkeypatch):
    def measured(exercise, text):
        raise NotRun("it needs nvcc")

    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "run", lambda h, t, launches: [*map(_by_hand, launches)])
    verdict = verdict_on(COPY, replace(TWICE, on_gpu={"as built": measured}))
    assert (verdict.points, verdict.state) == (1, "right")
    assert "as built: not run, it needs nvcc" in verdict.summary


def test_a_model_explains_a_kernel_unless_it_says_that_it_does_not_show():
    def names(*models):
        """What a kernel that writes 3 * x is said to have, of these mistakes."""
        known = dict(zip("ab", models, strict=False))
        causes = [Mistake(name, name) for name in known]
        kind = type("Known", (KernelJudgment,), {"causes": lambda self: causes})
        body = f"{I} if (i < n) y[i] = 3 * x[i];"
        return (
            verdict_on(body, replace(TWICE, judged_by=kind, models=known))
            .failures[0]
            .cause
        )

    def tripled(x, y, n):
        y[:] = 3 * x

    assert names(lambda x, y, n: 4 * x, tripled) == "b"
    assert names(lambda x, y, n: 3 * x, lambda x, y, n: False) == "a"
    assert names(lambda x, y, n: False) == "unknown"


def test_a_reference_may_depend_on_the_launch():
    def by_launch(x, y, n, launch):
        assert launch.block == (256,)
        return 2 * x

    assert verdict_on(COPY, replace(TWICE, reference=by_launch)).state == "right"


def test_shared_memory_that_is_needed_is_missed_in_the_first_case():
    def cases(random):
        ((part, launch),) = values(random)
        yield part, replace(launch, shared_mem=1024, needs_shared=True)

    verdict = verdict_on(COPY, replace(TWICE, cases=cases))
    assert "Nothing goes through shared memory" in str(verdict)


def test_a_long_launch_is_left_out_where_the_core_is_wrong():
    def cases(random):
        ((part, launch),) = values(random)
        yield part, launch
        yield "long", replace(launch, long=True)

    check = replace(TWICE, cases=cases)
    assert "long" not in verdict_on(f"{I} if (i < 9) y[i] = 0;", check).summary
    assert verdict_on(COPY, check).state == "right"


def _by_hand(launch):
    x, _, n = launch.args
    args = [x, 2 * x, n]
    return Ran({"y": args[1]}, Report([], [], {}, ""))


def test_memory_beside_an_array_is_watched():
    place = Guarded(np.zeros((2, 3), np.float32))
    assert not place.is_torn()
    place.cells[-1] = 0
    assert place.is_torn()


def test_a_kernel_comes_over_the_wire_as_text_of_some_length_alone():
    for reply in (["not", "text"], "x" * 2**17, 7):
        subject = WireSubject(lambda request, reply=reply: encode(reply))
        with pytest.raises(ValueError, match="a kernel's answer is a text"):
            subject.text("tail_guard")
