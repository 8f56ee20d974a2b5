"""Checks of exercises whose answer is a test: it must tell right from wrong.

    check = TestCheck(
        test_permute,
        of=Tensor.permute,
        rejects={                       # names of its mistakes, and what each is
            "copies": "a permute that copies",
            "inverse": "a permute in the inverse order",
        },
        accepts={"other_errors": "with other errors"},  # no test may look for them
    )

Candidates are answers of the other exercise, so nothing is written twice: right ones,
which a test must let pass, and the wrong ones in `rejects`. The right ones, and wrong
ones that are no mistakes with a message, stand in the test's own .toml, whose `of`
names the exercise: [right."by transpose"] and [wrong.copies], written as mistakes are.
The first wrong one, the plainest, belongs to the core: a test that passes all is worth
nothing. Each of the others is a part of its own.

No test can know which candidate it is given: they come in an order, and as often, as
chance has it, and each time the test has been defined anew, in a process of its own
where it is graded. So who guesses is right in all of them once in 1,000 times.

A check whose candidates are others yields them as cases, `Candidate(words, right,
drive(...))`, and is `judged_by=TestJudgment`, or CoreFirst.
"""

import functools
import random as random_numbers
from dataclasses import dataclass, replace

from ..drivers.candidates import own_test
from ..isolation.replies import Problem
from . import describe
from .answers import Edits
from .candidate_texts import right_for, text_of, wrong_for
from .cases import Tried
from .check import Call, Check, Judgment, Limits, drive, parameters

CORE = "tells right from wrong"
SEEDS = 4  # of random numbers: a test that leaves no room for chance fails in one
LEAST = 5  # times that a right one is presented, and a wrong one; 2 ** -10 by chance


@dataclass(frozen=True, eq=False)
class Candidate:
    """What a test is given. words: what it is. right: must the test let it pass?"""

    words: str
    right: bool
    call: Call

    driver = property(lambda self: self.call.driver)
    args = property(lambda self: self.call.args)


def TestCheck(  # noqa: N802  it makes a Check
    exercise, *, of, rejects, accepts=None, options=(), times=1, not_tested=None
):
    """The check of a test of the exercise `of`; see the head of this file.

    options: the compiler's, of a kernel. times: that each candidate is presented at
    least: more where chance has a say.
    """

    @functools.cache  # their texts take long to write
    def presented():
        return [*candidates()]

    def candidates():
        plainest, *others = rejects
        known = wrong_for(exercise, of)
        yield CORE, offered("the course's solution", Edits({}), True)
        for title, how in (accepts or {}).items():
            yield CORE, offered(f"a right one, {how}", known[title], True)
        for how, given in right_for(exercise).items():
            yield CORE, offered(f"a right one, {how}", given, True)
        yield CORE, offered(rejects[plainest], known[plainest], False)
        for title in others:
            yield rejects[title], offered(rejects[title], known[title], False)

    def offered(words, given, right):
        text = text_of(of, given)
        how = {"of": of.name, "text": text, "options": options}
        return Candidate(words, right, drive(own_test, **how))

    return Check(
        exercise,
        cases=lambda random: presented(),
        not_tested=not_tested or "wrong answers that no list names: no test finds all",
        limits=Limits(seconds=15),  # in a box each call of the candidate is a message
        judged_by=TestJudgment if times == 1 else several(times),
    )


def several(times):
    """A TestJudgment that presents each candidate more than once."""
    return type("TestJudgment", (TestJudgment,), {"times": times})


@dataclass(eq=False)
class TestJudgment(Judgment):
    """The judgment of a test, by the candidates that it lets pass."""

    times = 1
    __test__ = False  # for pytest
    plain = False

    @property
    def all_right(self):
        wrong = sum(not candidate.right for _, candidate in self.exam.cases)
        return f"all right: {wrong} wrong ones do not pass your test"

    def tried(self, own=False):
        """Each candidate once: as it failed, if it ever did."""
        shown = {}
        for case in self.attempts():
            if case.number not in shown or not case.right:
                shown[case.number] = case
        yield from (shown[number] for number in sorted(shown))

    def passes(self):
        return all(case.right for case in self.attempts())

    def attempts(self):
        """What comes of the candidates; after one that never ends nothing is run."""
        cases, last = [*enumerate(self.exam.cases)], None
        random = random_numbers.Random()
        random.setstate(self.exam.random.getstate())  # after the cases were drawn
        for n, (number, (part, candidate)) in enumerate(self.presented(random, cases)):
            if last and isinstance(last.got, Problem) and last.got.is_last:
                last = last._replace(part=part, number=number)
            else:
                last = self.attempt(number, part, candidate, n % SEEDS)
            yield last

    def presented(self, random, cases):
        """The cases in an order, and as often, as chance has it."""
        shown = []
        for right in True, False:
            group = [case for case in cases * self.times if case[1][1].right == right]
            group.append(group[0])  # the core's: one lucky guess isn't enough
            more = max(LEAST - len(group), 0) + random.randrange(2)
            shown += [*group, *random.choices(group, k=more)]
        random.shuffle(shown)
        return shown

    def attempt(self, number, part, candidate, seed):
        call = candidate.call
        if "seed" in parameters(call.driver):  # for each its own, but not by chance
            call = replace(call, options=call.options | {"seed": seed})
        got, outcome = self.got(self.subject, call)
        if isinstance(got, Problem):
            right = not candidate.right and got.kind == "raised"
        else:
            right = candidate.right == (not str(got).startswith("fails"))
        expected = "passes" if candidate.right else "fails"
        args = (candidate.words,)
        return Tried(right, part, args, expected, got, outcome, number, candidate)

    def gives(self, way, case):
        raise FileNotFoundError  # nothing is computed: what passes, says the cause

    def causes(self):
        return []

    def any_cause(self, case):
        if isinstance(case.got, Problem) and case.got.kind != "raised":
            return super().any_cause(case)
        if case.expected == "fails":
            if str(case.got) == "passes, and returns False":
                return "returns_bool", (
                    f"your test returns False for {case.case.words}, but must raise an "
                    f"AssertionError: use `assert`"
                )
            return "let_through", f"{case.case.words} passes your test"
        if isinstance(case.got, Problem):
            hint = describe.hint(case.got)
        else:
            hint = _parts(case.got)[3]
        said = "your test fails where it should pass: this one is right"
        return "false_alarm", f"{said}. {hint}" if hint else said

    def lines(self, case):
        words, got = case.case.words, case.got
        if case.expected == "fails" and not isinstance(got, Problem):
            return []  # the cause says it
        values = ""
        if not isinstance(got, Problem):
            said, where, values, _ = _parts(got)
            got = Problem("raised", said, ("AssertionError",), where)
        said = [("got", describe.text(got)), ("where", got.where), ("values", values)]
        return [("candidate", words), *said]


def _parts(got):
    """(message, line, values, hint) of a test that failed; see failures.py."""
    message, *more = got.split("\n") if got.startswith("fails: ") else [got]
    return (message.partition(": ")[2], *more[:3], *[""] * (3 - len(more)))


@dataclass(eq=False)
class CoreFirst(TestJudgment):
    """The core's candidates come first, and others only where these are told apart.

    Each candidate has a process of its own, so the order tells nothing.
    """

    def attempts(self):
        core, right = self.exam.cases[0][0], True
        for case in super().attempts():
            if case.part != core and not right:
                return
            right = right and (case.right or case.part != core)
            yield case

    def presented(self, random, cases):
        core = [case for case in cases if case[1][0] == cases[0][1][0]]
        yield from super().presented(random, core)
        others = [case for case in cases if case not in core]
        others += random.choices(others, k=random.randrange(3))
        random.shuffle(others)
        yield from others
