"""A check is one object, put together from functions; and how it judges an answer."""

import dataclasses
import inspect
import io
import math
import pickle
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from judging import by_bytes, strides_of, unanswered  # noqa: F401
from table import table
from test_codec import VALUES, arrays, equal

torch = pytest.importorskip("torch", reason="not run: grading (no PyTorch)")


import grading  # noqa: E402
import minigrad  # noqa: E402
from grading import checks  # noqa: E402
from grading.checking.answers import Specimen  # noqa: E402
from grading.checking.cases import View  # noqa: E402
from grading.checking.check import (  # noqa: E402
    Call,
    Check,
    call,
    drive,
    find_check,
    fitting,
    judge,
)
from grading.checking.compare import close, same  # noqa: E402
from grading.checking.describe import Filled  # noqa: E402
from grading.checking.runner import Apart, LocalSubject  # noqa: E402
from grading.checking.typed import program, typed  # noqa: E402
from grading.drivers.fake_gpu import FakeGPU  # noqa: E402
from grading.drivers.graphs import with_gradients  # noqa: E402
from grading.drivers.scenarios import again  # noqa: E402
from grading.isolation.codec import decode, encode  # noqa: E402
from minigrad import Tensor, layout  # noqa: E402
from minigrad.exercises.answers import load_references  # noqa: E402
from minigrad.exercises.registry import exercises, solves  # noqa: E402
from minigrad.kernels.memory import bench  # noqa: E402
from minigrad.layout import contiguous_strides, index_of  # noqa: E402
from minigrad.nn import Module  # noqa: E402
from minigrad.nn.unfused import linear  # noqa: E402
from tools.audit.specimens import specimens_of  # noqa: E402

CHECKS = [find_check(entry.exercise) for entry in exercises()]
TYPED = [check for check in CHECKS if check.describe is typed]
OWN = [check for check in CHECKS if check.describe is not typed]  # in words


def verdict_on(check, answer, subject=None, seed=0):
    with Specimen(check.exercise, answer, None, "test").in_place():
        return check.judge(subject or LocalSubject(), seed)


def of_strides(**parts):
    """The check of contiguous_strides, of few cases and with other parts."""

    def cases(random):
        yield "shapes", call((2, 3))
        yield "shapes", call((4, 5, 6))
        yield "none", call(())

    parts = {"cases": cases} | parts
    return dataclasses.replace(find_check(contiguous_strides), **parts)


# ------------------------------------------------------------------- what a check is


def test_a_check_is_plain_and_frozen():
    check = find_check(Tensor.expand)
    assert type(check).__mro__ == (Check, object)
    with pytest.raises(dataclasses.FrozenInstanceError):
        check.compare = None


@table("check", CHECKS, ids=lambda check: check.exercise.name)
def test_the_file_of_a_check_has_the_name_of_its_exercise_and_no_class(check):
    exercise = check.exercise
    file = Path(checks.__file__).parent / exercise.chapter / f"{exercise.name}.py"
    assert check.source() == file.read_text(encoding="utf-8")
    module = sys.modules[f"grading.checks.{exercise.chapter}.{exercise.name}"]
    assert module.check is check
    own = [v for v in vars(module).values() if inspect.isclass(v)]
    assert not [cls for cls in own if cls.__module__ == module.__name__]


@pytest.mark.slow
@table("check", TYPED, ids=lambda check: check.exercise.name)
def test_a_call_that_is_shown_can_be_typed(check):
    """What is shown of a case gives in a notebook what the case gives."""
    exercise = check.exercise
    minigrad.answers_from("solutions")
    names = {"minigrad": minigrad, "np": np, exercise.name: exercise}
    parameters = [*inspect.signature(exercise.__wrapped__).parameters]
    pairs = check.cases(random.Random(0))
    cases = [case for _, case in pairs if type(case) is Call]
    cases = [case for case in cases if not (case.driver or check.driver)]
    for case in cases:
        parts = typed(exercise, case).split("; ")
        number = [f"{exercise.name}(" in part for part in parts].index(True)
        space = {**names}
        for part in parts[number + 1 :]:  # x: float32 (3, 4)
            name = part.partition(":")[0]
            space[name] = case.args[parameters.index(name)]
            assert part == f"{name}: {space[name].dtype} {space[name].shape}"
        subject = LocalSubject(trusted=True)
        plain = dataclasses.replace(check, observe=None)
        got, _ = plain.judgment(subject).got(subject, case)
        try:
            exec("\n".join(parts[:number]), space)
            value = eval(parts[number], space)
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            assert type(error).__name__ in got.types
            continue
        if isinstance(value, Tensor):
            assert (value.shape, value.strides) == (got.shape, got.strides)
            assert np.array_equal(value.numpy(), got.values)
        elif isinstance(got, dict) and got.keys() == {"dtype"}:
            assert str(value) == got["dtype"]
        else:
            assert same(value, got)


@pytest.mark.parametrize("check", OWN, ids=lambda check: check.exercise.name)
def test_a_check_describes_each_of_its_cases(check):
    for _, case in check.cases(random.Random(0)):
        said = check.describe(check.exercise, case)
        assert said and "\n" not in said


def test_options_and_large_arrays_are_typed_too():
    shown = typed(contiguous_strides, call((2, 3)))
    assert shown == "contiguous_strides((2, 3))"
    x = np.arange(7, dtype=np.float32)
    shown = typed(bench, call(x, 3, repeat=5))
    assert shown == "bench(run, device=3, repeat=5); run: float32 (7,)"
    small = Filled(np.ones(2, np.float32))
    shown = typed(linear, call(Filled(x), small, Filled(x)))
    assert shown.split("; ")[0] == (
        "linear(input, weight=minigrad.tensor([1., 1.], dtype=minigrad.float32), "
        "bias=bias)"
    )
    shown = typed(Tensor.expand, call(View((3, 1), (1, 1)), 3, 4))
    assert shown == "x = minigrad.arange(3).reshape(3, 1); x.expand(3, 4)"
    shown = typed(contiguous_strides, call({"n": [math.nan, -math.inf]}))
    assert shown == "contiguous_strides({'n': [float('nan'), float('-inf')]})"


def test_what_a_driver_gets_is_shown_by_its_names():
    shown = typed(contiguous_strides, call(edges={1: [0]}, fetches=[1]))
    assert shown == "edges = {1: [0]}; fetches = [1]"
    shown = typed(contiguous_strides, call(edges=[*range(999)]))
    assert shown == "edges = [0, 1, 2, 3, 4, 5] and 993 more"
    assert len(typed(contiguous_strides, call(edges="x " * 999))) < 410
    shown = program(contiguous_strides, drive(again, [1.0], keep=True))
    assert shown == "y.backward(retain_graph=keep), then y.backward(); keep = True"


def test_a_check_that_does_not_fit_its_exercise_is_refused():
    check = find_check(Tensor.expand)
    assert fitting(check, Tensor.expand) is check
    with pytest.raises(ValueError, match="permute.py has the check of expand"):
        fitting(check, Tensor.permute)
    misspelt = dataclasses.replace(check, models={"one_tupel": print})
    with pytest.raises(ValueError, match="expand.toml has no mistake called one_tupel"):
        fitting(misspelt, Tensor.expand)


def test_a_function_that_nobody_registered_is_no_driver():
    def unknown(library, answer):
        """Not one of grading/drivers."""

    with pytest.raises(ValueError, match="unknown is no driver: write @driver"):
        drive(unknown)
    with pytest.raises(ValueError, match="unknown is no driver: write @driver"):
        dataclasses.replace(find_check(Tensor.expand), driver=unknown)


# ------------------------------------------------------------ how an answer is judged


def test_a_right_answer_passes_few_functions_in_few_files():
    solves(contiguous_strides)(strides_of)
    judge(contiguous_strides, LocalSubject(), 1)  # what is loaded once
    home, seen = str(Path(grading.__file__).parent), set()

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(home):
            seen.add((code.co_filename, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        grading.check(contiguous_strides, 1)
    finally:
        sys.setprofile(before)
    assert len(seen) <= 25 and len({file for file, _ in seen}) <= 6


def test_what_is_observed_is_compared_and_shown():
    check = of_strides(observe=lambda strides, case: {"how many": len(strides)})
    assert verdict_on(check, lambda shape: (9,) * len(shape)).state == "right"
    verdict = verdict_on(check, lambda shape: ())
    assert "expected  how many: 2" in str(verdict) and "got       how many: 0" in str(
        verdict)  # fmt: skip
    verdict = verdict_on(check, lambda shape: 7)  # of which nothing can be observed
    assert verdict.points == 0 and "not an int" in str(verdict)
    verdict = verdict_on(check, lambda shape: None)
    assert verdict.failures[0].cause == "none"


def test_who_returns_what_the_check_would_have_observed_earns_nothing():
    check = of_strides(observe=lambda strides, case: {"the first": strides[:1]})
    assert verdict_on(check, strides_of).state == "right"
    forged = verdict_on(check, lambda shape: {"the first": strides_of(shape)[:1]})
    assert forged.points == 0


def test_what_cannot_be_compared_is_wrong():
    check = of_strides(compare=lambda got, expected, case: got[0] == expected[0])
    for odd in None, {}, 7, "", [[]]:
        verdict = verdict_on(check, lambda shape, odd=odd: odd)
        assert verdict.points == 0 and verdict.failures


def test_a_cause_that_is_seen_goes_before_what_is_said_of_any_exercise():
    def diagnose(got, expected, case):
        return ("empty", "it is empty") if got == () else None

    check = of_strides(diagnose=diagnose)
    assert verdict_on(check, lambda shape: ()).failures[0].cause == "empty"
    assert verdict_on(check, lambda shape: None).failures[0].cause == "none"
    facts = of_strides(diagnose=lambda got, expected, case: got["an index"])
    assert verdict_on(facts, lambda shape: None).failures[0].cause == "none"
    silent = of_strides(diagnose=lambda got, expected, case: ())
    assert verdict_on(silent, lambda shape: None).failures[0].cause == "unknown"


def test_a_model_explains_what_it_gives():
    known = {"reverse": lambda shape: strides_of(shape)[::-1]}
    check = of_strides(models=known)
    verdict = verdict_on(check, lambda shape: strides_of(shape)[::-1])
    assert verdict.failures[0].cause == "reverse"


def test_what_a_seed_gives_serves_several_answers():
    check = find_check(index_of)
    exam = check.judgment(None, 3).exam
    for specimen in specimens_of(index_of):
        with specimen.in_place():
            alone = judge(index_of, LocalSubject(), 3)
            assert str(judge(index_of, LocalSubject(), 3, exam)) == str(alone)
    assert exam.expected and exam.mistaken
    another = exam.anew()
    assert another.cases is exam.cases and another.expected is exam.expected
    assert not another.mistaken


def test_answers_that_only_call_each_other_earn_nothing():
    with (
        Specimen(contiguous_strides, lambda shape: layout.index_of(0, shape), None, "a")
        .in_place(),
        Specimen(index_of, lambda position, shape: contiguous_strides(shape), None, "b")
        .in_place(),
    ):  # fmt: skip
        verdict = judge(contiguous_strides, LocalSubject(), 0)
    assert verdict.points == 0


@pytest.mark.parametrize("subject", [LocalSubject, by_bytes])
def test_an_option_goes_by_its_name_and_the_drivers_own_goes_to_it(subject):
    def cases(random):
        yield "by name", call((1, 2), (3, 1), offset=4)

    check = dataclasses.replace(find_check(layout.offset_of), cases=cases)
    right = lambda index, strides, offset=0: offset + 5  # noqa: E731
    assert verdict_on(check, right, subject()).state == "right"
    verdict = verdict_on(check, lambda index, strides, offset=0: 5, subject())
    assert "offset_of(index=(1, 2), strides=(3, 1), offset=4)" in str(verdict)


@pytest.mark.parametrize("subject", [LocalSubject, by_bytes])
def test_a_driver_of_both_libraries_has_pytorchs_own_as_its_reference(subject):
    def cases(random):
        yield "views", call(View((2, 3), (3, 1)), 1, 0)

    check = Check(
        Tensor.transpose,
        cases=cases,
        reference=torch.Tensor.transpose,
        driver=doubled,
        compare=close(),
        not_tested="all but one view",
    )
    load_references("03_strides")
    assert verdict_on(check, Tensor.transpose.reference, subject()).state == "right"
    verdict = verdict_on(check, lambda self, dim0, dim1: self, subject())
    assert "expected  its shape: [0] 3" in str(verdict)


@grading.drivers.registry.driver
def doubled(library, answer, x, *dims):
    """A result's shape, and its elements times 2."""
    y = answer(x, *dims)
    return {"its shape": tuple(y.shape), "twice": 2.0 * library.array(y)}


def test_of_a_long_list_from_a_driver_the_first_difference_is_shown():
    saved = find_check(Module.state_dict)
    hidden = next(s for s in specimens_of(saved.exercise) if s.cause == "hidden")
    with hidden.in_place():
        said = str(saved.judge(LocalSubject(), 0))
    assert re.search(r"expected  \[\d\]\[0\] '\w+'\n", said), said
    nothing = next(s for s in specimens_of(linear) if s.cause == "type")
    with nothing.in_place():
        said = " ".join(str(judge(linear, LocalSubject(), 0)).split())
    assert "A tensor is wanted, not None. Does every path end in `return`?" in said


@pytest.mark.parametrize("subject", [LocalSubject, by_bytes])
def test_what_is_outside_is_made_anew_for_each_call(subject):
    """And never crosses: what an answer did is read in it."""

    def cases(random):
        for _ in range(2):
            gpu = lambda: FakeGPU([1.0, 2.0])  # noqa: E731
            yield "calls", drive(timed, {"fake gpu": None}, 1, outside=gpu)

    def observe(result, case, outside):
        return len(outside.left_over) if outside else result

    check = Check(
        bench,
        cases=cases,
        reference=lambda *args: 1,
        observe=observe,
        describe=lambda exercise, case: "bench(run, device)",
        not_tested="what it gives",
    )
    once = lambda run, device, warmup=3, repeat=20: run() or 1.0  # noqa: E731
    assert verdict_on(check, once, subject()).state == "right"
    never = lambda run, device, warmup=3, repeat=20: 1.0  # noqa: E731
    assert verdict_on(check, never, subject()).points == 0


@grading.drivers.registry.scene
def timed(exercise, run, device, repeat):
    return exercise(run, device, 0, repeat)


# ------------------------------------------------------------ what is compared


def test_dicts_are_compared_by_types_too():
    assert same({"n": 1}, {"n": 1}) and not same({"n": 1.0}, {"n": 1})
    a, b = np.zeros(3), np.ones(3)
    assert same({"x": a}, {"x": a.copy()}) and not same({"x": a}, {"x": b})


def copied(value):
    page = io.BytesIO()
    copier = Apart(page, 4)
    copier.fast = True
    copier.dump(value)
    return pickle.loads(page.getvalue())


@given(VALUES)
def test_arguments_are_copied_here_as_they_come_out_of_bytes(value):
    assert equal(copied(value), decode(encode(value)))


@given(arrays.arrays(arrays.floating_dtypes(), arrays.array_shapes(min_dims=0)))
def test_arrays_are_copied_as_they_come_out_of_bytes(array):
    pair = [array.T, array.T]
    for mine, other in zip(copied(pair), decode(encode(pair)), strict=True):
        assert mine.tobytes() == other.tobytes() and mine.strides == other.strides
        assert (mine.dtype, mine.flags.owndata) == (other.dtype, other.flags.owndata)
    assert copied(pair)[0] is not copied(pair)[1]


def test_what_is_given_twice_is_two_values():
    number, pair = 10**30, (1, 2)
    a, b = copied([number, number])
    assert a == b and a is not b
    a, b = copied([pair, pair])
    assert a == b and a is not b


def test_gradients_of_both_libraries_are_found_alike():
    assert with_gradients in grading.drivers.registry.PLAYED_BY
