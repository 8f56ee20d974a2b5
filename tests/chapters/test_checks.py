"""Both ways: solved labs earn every point, empty ones none, every mistake is named.

Another process sees an answer through bytes: a sixth of what is in Python goes through
them here, and by `--nightly` all of it. Of the styles in which a program writes each
solution an exercise has one here, and by `--nightly` all. Its specimens run one after
the other in one process, a seed at a time: what its mistakes give in the cases of a
seed is then worked out once. Those in C++ are built as one text.
"""

import builtins
import collections
import functools
import gc
import random
import xml.etree.ElementTree as xml

import pytest
from built_together import built_together  # noqa: F401
from judging import SUBJECTS, unanswered  # noqa: F401
from styles import rights
from table import table

from grading.checking.answers import Rewritten
from grading.checking.check import find_check, judge
from grading.checking.runner import names_in
from grading.isolation import codec
from minigrad.exercises.answers import load_references
from minigrad.exercises.exercise import KernelExercise
from minigrad.exercises.registry import exercises, solves
from tools.audit import prove
from tools.audit.specimens import specimens_of

EXERCISES = [entry.exercise for entry in exercises()]
of_every_exercise = pytest.mark.parametrize(
    "exercise",
    [pytest.param(h, marks=pytest.mark.xdist_group(h.chapter)) for h in EXERCISES],
    ids=lambda h: h.name,
)


@pytest.fixture(scope="module", autouse=True)
def little_to_collect():
    """What stays until the end is no garbage: one scene collects, again and again."""
    for exercise in EXERCISES:
        load_references(exercise.chapter)
    gc.freeze()


def pytest_generate_tests(metafunc):
    if "specimens" in metafunc.fixturenames:
        options = metafunc.config.option
        few = 1 if options.nightly else 6
        runs = [
            run
            for exercise in EXERCISES
            for run in runs_of(exercise, options.seeds, few)
        ]
        metafunc.parametrize(("exercise", "specimens", "by", "seed"), runs)


def runs_of(exercise, seeds, few):
    """All specimens by each seed; of those in Python one of a few by bytes, too."""
    mine = specimens_of(exercise)
    ways = [("local", seed, mine) for seed in range(seeds)]
    if not isinstance(exercise, KernelExercise):
        ways += [("bytes", 3, mine[::few])]
    group = pytest.mark.xdist_group(exercise.chapter)
    for by, seed, some in ways:
        name = f"{by}-{seed}-{exercise.name}"
        yield pytest.param(exercise, some, by, seed, id=name, marks=group)


@pytest.mark.slow
@pytest.mark.kept("verdicts")
@pytest.mark.filterwarnings("error")  # a warning in a graded cell costs its points
@of_every_exercise
def test_the_solution_earns_every_point(exercise, nightly):
    load_references(exercise.chapter)
    solves(exercise)(exercise.reference)
    for seed in range(20 if nightly else 1):
        verdict = judge(exercise, SUBJECTS["local" if seed % 2 else "bytes"](), seed)
        assert (verdict.points, verdict.state) == (exercise.points, "right"), str(
            verdict
        )


@of_every_exercise
def test_no_answer_earns_nothing(exercise):
    for subject in SUBJECTS.values():
        verdict = judge(exercise, subject())
        assert (verdict.points, verdict.state) == (0, "not answered")


@pytest.mark.slow
@pytest.mark.kept("verdicts")
@of_every_exercise
def test_the_solution_in_other_styles(exercise, nightly, request):
    answers = rights(exercise)
    few = len(answers) if nightly else min(1, len(answers))
    for specimen in random.Random(exercise.name).sample(answers, few):
        for seed in range(request.config.option.seeds):
            expect_its_cause(specimen, "local", seed)
        if nightly and not isinstance(exercise, KernelExercise):
            expect_its_cause(specimen, "bytes", 3)


@functools.lru_cache(maxsize=1)
def exam_of(exercise, seed):
    return find_check(exercise).judgment(None, seed).exam


@pytest.mark.slow
@pytest.mark.kept("verdicts")
def test_specimens(exercise, specimens, by, seed):
    @table("specimen", specimens)
    def each(specimen):
        expect_its_cause(specimen, by, seed)

    each()
    if not isinstance(exercise, KernelExercise):  # of whose arguments all get copies
        assert asked(exam_of(exercise, seed)) == asked(
            exam_of.__wrapped__(exercise, seed)
        )


def asked(exam):
    """The calls of an exam, as bytes."""
    judgment = exam.check.judgment(None, exam=exam)
    calls = [getattr(case, "call", case) for _, case in exam.cases]  # or a Candidate
    return [codec.encode(judgment.asked(call)) for call in calls]


def expect_its_cause(specimen, by, seed):
    with specimen.in_place():
        exam = exam_of(specimen.exercise, seed)
        verdict = judge(specimen.exercise, SUBJECTS[by](), seed, exam)
    if specimen.cause is None:
        assert verdict.state == "right", str(verdict)
        assert verdict.points == specimen.exercise.points
        assert verdict.picture == ""
        return
    assert verdict.points < specimen.exercise.points, "a wrong answer passes"
    assert verdict.failures[0].cause == specimen.cause, str(verdict)
    assert max(map(len, str(verdict).splitlines())) <= 110
    if verdict.picture:
        assert len(verdict.picture) < 60_000
        assert xml.fromstring(verdict.picture).tag.endswith("svg")


@table("exercise", EXERCISES, ids=lambda h: h.name)
def test_every_exercise_has_its_specimens(exercise):
    mine = specimens_of(exercise)
    wrong = [s.cause for s in mine if s.cause]
    right = len(mine) - len(wrong)
    assert right + len(rights(exercise)) >= 4, "four right answers in other styles"
    assert right > 0, "and another algorithm"
    assert len(wrong) >= 4, "the curriculum's mutants and three more"
    names = collections.Counter(map(str, [*mine, *rights(exercise)]))
    assert not [name for name, n in names.items() if n > 1]


@table("exercise", EXERCISES, ids=lambda h: h.name)
def test_every_cause_is_some_mutants(exercise):
    """A cause that no mutant brings out is a message that nobody has read."""
    causes = {mistake.name for mistake in find_check(exercise).causes()}
    assert causes <= {s.cause for s in specimens_of(exercise)}


@table("exercise", EXERCISES, ids=lambda h: h.name)
def test_a_patch_uses_names_that_are_there(exercise):
    """Else a NameError is all that it gives, and it proves nothing."""
    for specimen in specimens_of(exercise):
        code = getattr(specimen.answer, "__code__", None)
        if code and isinstance(specimen.given, Rewritten):
            known = vars(builtins) | specimen.answer.__globals__
            assert {*names_in(code, "LOAD_GLOBAL")} <= known.keys(), specimen


@table("exercise", EXERCISES, ids=lambda h: h.name)
def test_every_mark_of_a_solution_is_used(exercise):
    assert prove.unused(exercise) == []


@table("exercise", EXERCISES, ids=lambda h: h.name)
def test_every_check_says_what_it_leaves_out(exercise):
    said = find_check(exercise).not_tested
    assert not said[0].isupper() and said[-1] != "."
