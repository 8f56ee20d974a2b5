"""A check is one object, built from functions. This file also judges answers with it.

    check = Check(
        Tensor.expand,                   # the exercise
        cases=cases,                     # yields (part, call(...)), the core first
        reference=torch.Tensor.expand,   # PyTorch's function, called in the same way
        not_tested="other dtypes than int64: a view copies nothing",
    )

This one is in `checks/03_strides/expand.py`. A Judgment tries an answer in each case,
and compares its result with the reference's. Then it explains what went wrong
(diagnosis.py). The cause is one of the exercise's mistakes (mistakes.py), or something
that can go wrong in any exercise (describe.general_cause).

The parts of the task have equal shares of the points. A part earns its share if all its
cases are right. The first part is the core: if it's wrong, the answer earns nothing.
"""

import functools
import importlib
import inspect
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

from minigrad.exercises.errors import WrongAnswerType
from minigrad.exercises.registry import (
    CppExercise,
    Exercise,
    KernelExercise,
    not_an_exercise,
)

from ..drivers.registry import PLAYED_BY, SCENES
from ..isolation import codec
from ..isolation.replies import Problem
from . import describe, picture
from .cases import LAID_OUT, TENSORS, Raises, Tried, failed_as, given, tensor_of
from .compare import UNLIKE, same
from .explanation import Explanation
from .mistakes import mistakes_of
from .typed import typed
from .verdict import NEEDS_GPU, Failure, Verdict, earned_of

NO_DRIVER = "{} is no driver: write @driver, or @scene, above it in grading/drivers"
AT_ONCE = 64  # cases of which a subject hears before the first is done


class Limits(NamedTuple):
    """What a call, or a launch, may take."""

    seconds: float | None = None  # None: 5 for a call, 10 for a launch
    steps: int = 10_000  # rounds of a kernel's loops
    watched: int = 2**17  # threads, and elements of arrays: above, fewer tools watch
    tries: int = 10  # places where a barrier is added, to see whether it is missing
    patience: float = 20  # seconds for all that is done with a kernel's text


@dataclass(frozen=True)
class Call:
    """A case: a call of the answer, by itself or by a driver."""

    args: tuple
    options: dict
    driver: Callable | None = None
    outside: Callable | None = None


def call(*args, **options):
    """A call of the answer, as a learner types it."""
    return Call(args, options)


def drive(driver, /, *args, outside=None, **options):
    """A call by another driver than the check's.

    outside: makes what the answer reaches by message alone, anew for each call.
    """
    if driver.__name__ not in SCENES:
        raise ValueError(NO_DRIVER.format(driver.__name__))
    return Call(args, options, driver, outside)


@dataclass(frozen=True, eq=False)
class Check:
    """How an exercise is checked. Every argument is a function or a plain value.

    cases(random): yields (part, case), in the order of the task.
    reference: returns what the answer must return. It gets PyTorch's tensors. If it
        raises IndexError, RuntimeError, TypeError, or ValueError, the answer must, too.
    not_tested: what the contract leaves open, so that nobody looks for it.
    compare(got, expected, case): are they equal? See compare.py.
    driver: calls the answer when a plain call isn't enough. See drivers/registry.py.
    observe(result, case): what is compared instead of a result, the answer's or the
        reference's. It may name `simulator`, which runs CUDA C, and `outside`, the
        case's.
    describe(exercise, case): the case as the learner would type it.
    diagnose(got, expected, case): (name, message) of the cause, () if it's unknown, or
        None to look for one that any exercise may have.
    models: {mistake: a reference that has it}.
    allowed: kinds of findings about a kernel that cost nothing.
    on_gpu: {part: function(exercise, text)}: see kernel_judgment.py.
    picture(case, expected, got): an SVG of the difference, or "".
    judged_by: another kind of Judgment than the exercise's usual one.
    """

    exercise: Exercise
    _: KW_ONLY
    cases: Callable
    not_tested: str
    reference: Callable | None = None
    compare: Callable = same
    driver: Callable | None = None
    observe: Callable | None = None
    describe: Callable = typed
    diagnose: Callable | None = None
    models: dict = field(default_factory=dict)
    limits: Limits = Limits()
    allowed: tuple = ()
    on_gpu: dict = field(default_factory=dict)
    picture: Callable = picture.of_tensors
    judged_by: type | None = None

    def __post_init__(self):
        if self.driver and self.driver.__name__ not in SCENES:
            raise ValueError(NO_DRIVER.format(self.driver.__name__))
        if self.judged_by is None:
            object.__setattr__(self, "judged_by", judged_by(self.exercise))

    @property
    def seconds(self):
        """How long a call, or a launch, may take."""
        return self.limits.seconds or self.judged_by.seconds

    @property
    def steps(self):
        """How many rounds the loops of a launch may take."""
        return self.limits.steps if "__global__" in self.exercise.form() else math.inf

    def judgment(self, subject, seed=None, exam=None):
        """The Judgment of a subject's answer. exam: what is known of these cases."""
        return self.judged_by(self, subject, exam or Exam(self, Random(seed)))

    def judge(self, subject, seed=None, exam=None):
        return self.judgment(subject, seed, exam).verdict()

    def passes(self, subject, seed=None):
        """Is the answer right in every case?"""
        return self.judgment(subject, seed).passes()

    def refusing(self, subject, seeds):
        """Those of the seeds in whose cases the answer is wrong."""
        return self.judged_by.refusing(self, subject, seeds)

    def causes(self):
        """Every Mistake that this check knows."""
        mistakes = mistakes_of(self.exercise)
        return [mistakes[name] for name in sorted(mistakes)]

    def source(self):
        """Its text, for those who want to know how they are checked."""
        return file_of(self.exercise).read_text(encoding="utf-8")


@dataclass(eq=False)
class Exam:
    """The cases of a seed, and what was worked out about them, by their numbers.

    It serves every answer that is judged by the same cases: none of it is the answer's.
    """

    check: Check
    random: Random  # draws them
    expected: dict = field(default_factory=dict)  # number -> the reference's
    mistaken: dict = field(default_factory=dict)  # (way, number) -> what it gives
    kept: dict = field(default_factory=dict)  # what a kind of Judgment keeps
    sent: dict = field(default_factory=dict)  # number -> calls from it on, as bytes

    @functools.cached_property
    def cases(self):
        """[(part, case)]: drawn when first needed, so never for a missing answer."""
        return [*self.check.cases(self.random)]

    def anew(self):
        """Another of the same cases. What mistakes give isn't kept: it takes memory."""
        exam = Exam(self.check, self.random, self.expected, sent=self.sent)
        exam.cases = self.cases
        return exam


@dataclass(eq=False)
class Judgment(Explanation):
    """An answer is judged: of a function, by calls."""

    check: Check
    subject: object
    exam: Exam

    seconds = 5  # for one call
    all_right = "all right"  # what is said of an answer that is right
    missing = ""  # parts that cannot be judged here, in words

    @property
    def exercise(self):
        return self.check.exercise

    @property
    def plain(self):
        """Have the cases' arguments the names of the exercise's?"""
        return self.check.driver is None

    def verdict(self):
        """The verdict on the subject's answer."""
        exercise = self.check.exercise
        about = self.subject.about(exercise.name)
        if about.state == "not answered":
            said = f"not answered yet: its cell begins with {exercise.solved_by()}"
            return self.nothing("not answered", said)
        if about.uses_torch:
            text = "  cause     PyTorch is the judge here: write it without PyTorch"
            failure = Failure("uses_torch", text)
            return self.nothing("wrong", "the answer uses PyTorch", failure)
        tried, parts = [*self.tried()], {}
        for case in tried:
            parts[case.part] = parts.get(case.part, True) and case.right
        if tried and "CircularAnswers" in getattr(tried[-1].got, "types", ()):
            tried, parts = tried[-1:], dict.fromkeys(parts, False)
        wrong, missing = [], self.missing
        for part, right in parts.items():
            wrong += [] if right else [part]
        share = 1 - len(wrong) / len(parts) if parts and [*parts][0] not in wrong else 0
        points = round(exercise.points * share, 2)
        state, said = "right", self.all_right
        if wrong:
            state = "partly right" if points else failed_as(tried[-1])
            said = f"{'partly right; ' * (points > 0)}wrong: {describe.listed(wrong)}"
        if missing and not parts:
            state, said = NEEDS_GPU, missing
        elif missing and points:
            said += f"; not graded: {missing}"
        if about.state == "solution":
            points, state = 0, "solution"
            said += "; but the course's solution stands in, and earns nothing"
        earned = earned_of(points, exercise.points)
        said = f"{'not graded' if state == NEEDS_GPU else earned} · {said}"
        summary = f"{exercise.name}: {said}"
        verdict = Verdict(exercise.name, points, exercise.points, state, summary)
        return self.explained(verdict, tried) if wrong else verdict

    def nothing(self, state, said, *failures):
        name, points = self.exercise.name, self.exercise.points
        summary = f"{name}: {earned_of(0, points)} · {said}"
        return Verdict(name, 0, points, state, summary, [*failures])

    def tried(self, own=()):
        """Yield what comes of every case; after one that never ends nothing is run.

        own: the numbers of those that are right. The first one of each part is done
        again, now with the learner's other answers. That shows whether they only call
        each other. If they do so endlessly, the last case says it; where one is wrong
        now, the subject is told.
        """
        last, parts, right = None, set(), set()
        for n, (part, case) in enumerate(self.exam.cases):
            if own and (part in parts or n not in own):
                continue
            parts.add(part)
            if last and isinstance(last.got, Problem) and last.got.is_last:
                last = last._replace(part=part)
            else:
                if self.subject.ahead and not own and n % AT_ONCE == 0:
                    self.say_ahead(n)
                last = self.attempt(n, part, case, bool(own))
            right |= {n} if last.right else set()
            if not own or "CircularAnswers" in getattr(last.got, "types", ()):
                yield last
            if own and not last.right:
                self.subject.wrong_with_own.add(self.exercise.name)
        if right and not own:
            yield from self.tried(own=right)

    def say_ahead(self, first):
        """Let the subject hear the next calls, which it may make at once."""
        some = [case for _, case in self.exam.cases[first : first + AT_ONCE]]
        if not any(case.outside for case in some):
            seconds = self.check.limits.seconds or self.seconds
            sent = self.exam.sent
            if first not in sent:
                sent[first] = [codec.encode(self.asked(case)) for case in some]
            self.subject.ahead(self.check.exercise.name, sent[first], seconds)

    def passes(self):
        """Is the answer right in every case? It ends at the first that is not."""
        return all(case.right for case in self.tried())

    def attempt(self, number, part, case, own=False):
        """Let the answer do one case."""
        known = self.exam.expected
        if number not in known:
            known[number] = self.value(self.check.reference, case)
        got, outcome = self.got(self.subject, case, own)
        expected = known[number]
        try:
            right = (
                raises(got, expected) if isinstance(expected, Raises)
                else not (outcome.problem or isinstance(got, Problem))
                and bool(self.check.compare(got, expected, case))
            )  # fmt: skip
        except UNLIKE:
            right = False
        args = (*case.args, *([case.options] if case.options else ()))
        return Tried(right, part, args, expected, got, outcome, number, case)

    def asked(self, case):
        """A case's arguments as a subject is given them."""
        driver = case.driver or self.check.driver
        plain = LAID_OUT.isdisjoint(map(type, case.args))
        args = [*(case.args if plain else map(given, case.args))]
        if driver or case.options:
            name = driver.__name__ if driver else "plain_call"
            args = [{"scene": name, **case.options}, *args]
        return args

    def got(self, subject, case, own=False):
        """(what is seen of a result, or a Problem; the Outcome) of an answer."""
        subject.outside = outside = case.outside and case.outside()
        seconds = self.check.limits.seconds or self.seconds
        name, args = self.check.exercise.name, self.asked(case)
        outcome = subject.call(name, args, seconds, own)
        subject.outside = None
        if outcome.problem or not self.check.observe:
            return outcome.problem or outcome.value, outcome
        try:
            return self.observed(outcome.value, case, outside, subject), outcome
        except UNLIKE:  # it's shown as it is, and wrong, whatever it looks like
            unlike = Problem("type", "a result of another kind")
            return outcome.value, outcome._replace(problem=unlike)

    def value(self, function, case):
        """What a reference, or a model of a mistake, gives for a case; or Raises."""
        plain = TENSORS.isdisjoint(map(type, case.args))
        args = case.args if plain else [*map(tensor_of, case.args)]
        more, driver = case.options, case.driver or self.check.driver
        library = PLAYED_BY.get(driver)
        if driver and not library:  # it has options of its own
            wanted, more = parameters(function), {}
            for name in wanted & case.options.keys():
                more[name] = case.options[name]
            if case.outside and "outside" in wanted:
                more["outside"] = case.outside()
        try:
            value = (functools.partial(library, function) if library else function)(
                *args, **more
            )
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            return Raises(type(error).__name__, str(error).split("\n")[0])
        if type(value).__module__.startswith("torch"):
            value = describe.described_torch(value, args)
        return self.observed(value, case) if self.check.observe else value

    def observed(self, value, case, outside=None, subject=None):
        """What is seen of a result."""
        wanted, more = parameters(self.check.observe), {}
        if "outside" in wanted:
            more["outside"] = outside
        if "simulator" in wanted:
            more["simulator"] = subject and self.simulator_of(subject)
        return self.check.observe(value, case, **more)

    def simulator_of(self, subject):
        """What compiles and launches a text; it has so much time for all of them."""
        from ..kernels.simulation import Simulator

        known = self.exam.kept if subject is not self.subject else vars(self)
        if "simulator" not in known:
            known["simulator"] = getattr(subject, "simulator", None) or Simulator()
            if subject is self.subject:
                known["simulator"].left = self.check.limits.patience
        return known["simulator"]

    @classmethod
    def refusing(cls, check, subject, seeds):
        """Those of the seeds in whose cases the answer is wrong."""
        return [seed for seed in seeds if not check.passes(subject, seed)]


def judge(exercise, subject, seed=None, exam=None):
    """The verdict on an exercise, whatever happens: what is not checked earns nothing.

    exam: of the same seed, where several answers are judged by it.
    """
    try:
        return find_check(exercise).judgment(subject, seed, exam).verdict()
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        said = "not run: PyTorch is not installed. Install it: pip install torch"
        summary = f"{exercise.name}: {said}"
        return Verdict(exercise.name, 0, exercise.points, "not run", summary)


def find_check(exercise):
    """The check of an exercise. TypeError for anything but one that has a check."""
    if not isinstance(exercise, Exercise):
        raise WrongAnswerType(not_an_exercise(exercise, "check"))
    return _check(exercise)


@functools.cache
def _check(exercise):
    """The one in `checks/03_strides/expand.py`."""
    if not (file := file_of(exercise)).exists():
        raise LookupError(f"{exercise.name} has no check yet: write {file}")
    name = f"grading.checks.{exercise.chapter}.{exercise.name}"
    return fitting(importlib.import_module(name).check, exercise)


def fitting(check, exercise):
    """A check; a ValueError where it is another exercise's, or has other mistakes."""
    if check.exercise is not exercise:
        other = check.exercise.name
        raise ValueError(f"{file_of(exercise)} has the check of {other}: rename it")
    if unknown := check.models.keys() - mistakes_of(exercise).keys():
        table = file_of(exercise).with_suffix(".toml")
        raise ValueError(f"{table} has no mistake called {' or '.join(unknown)}")
    return check


def file_of(exercise):
    """`checks/03_strides/expand.py`."""
    checks = Path(__file__).parents[1] / "checks"
    return checks / exercise.chapter / f"{exercise.name}.py"


def judged_by(exercise):
    """The kind of Judgment of an exercise: by calls, by launches, or of a build."""
    if isinstance(exercise, CppExercise):
        from .built_judgment import BuiltJudgment as Kind
    elif isinstance(exercise, KernelExercise):
        from .kernel_judgment import KernelJudgment as Kind
    else:
        Kind = Judgment  # noqa: N806
    return Kind


def raises(got, expected):
    """Is an answer's Problem the error that belongs there?"""
    types = got.types if isinstance(got, Problem) else ()
    unwritten = {"NotImplementedError", "RecursionError"} & set(types)
    return expected.type in types and not unwritten


@functools.cache
def parameters(function):
    """The names of a function's parameters."""
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some that are written in C
        return frozenset()
