"""The base of checks whose answer is a test: it must tell right from wrong.

    own_test(test_permute, Tensor.permute, allowed=["other_errors"], rejects={
        "copies": "a permute that copies",
        "inverse": "a permute in the inverse order",
    })

Candidates are answers of the other exercise, so nothing is written twice. `rejects` has
its mistakes, in words; those that are `allowed` have a fault that no test may look for.
The right ones, and wrong ones that are no mistakes with a message, stand in the test's
own .toml, whose `of` names the exercise: [right."by transpose"] and [wrong.copies],
written as mistakes are. The first wrong one, the plainest,
belongs to the heart: a test that passes all is worth nothing. Each of the others is a
part of its own.

No test can know which candidate it is given: they come in an order, and as often, as
chance has it, and each time the test has been defined anew, in a process of its own
where it is graded. So who guesses is right in all of them once in 1,000 times.
"""

import ast
import inspect
import linecache
import random as random_numbers
import textwrap

from minigrad.exercises.registry import Exercise

from ..isolation.replies import Problem
from .answers import Edits, Rewritten, written
from .cases import stops
from .mistakes import CHECKS, answers_in, mistakes_of, read
from .old_check import Check, checks

HEART = "tells right from wrong"
SEEDS = 4  # of random numbers: a test that leaves no room for chance fails in one
LEAST = 5  # times that a right one is presented, and a wrong one; 2 ** -10 by chance


class OfATest(Check):
    """The base of checks that give a test right and wrong things, one in each case."""

    def is_right(self, args):
        """Is it a right one?"""
        raise NotImplementedError

    def tried(self, subject, seed):
        """What comes of the candidates; after one that never ends nothing is run."""
        random = random_numbers.Random(seed)
        cases, case = [*enumerate(self.cases(random))], None
        for number, (part, *args) in self.presented(random, cases):
            if case and stops(case.got):
                case = case._replace(part=part, number=number)
            else:
                case = self._try(subject, part, tuple(args))._replace(number=number)
            yield case

    def presented(self, random, cases):
        """The cases in an order, and as often, as chance has it."""
        shown = []
        for right in True, False:
            group = [case for case in cases if self.is_right(case[1][1:]) == right]
            more = max(LEAST - len(group), 0) + random.randrange(3)
            shown += [*group, *random.choices(group, k=more)]
        random.shuffle(shown)
        return shown

    def all_tried(self, subject, seed):
        """Each candidate once: as it failed, if it ever did."""
        found = {}
        for case in super().all_tried(subject, seed):
            if case.number not in found or not case.right:
                found[case.number] = case
        return [found[number] for number in sorted(found)]


class OwnTest(OfATest):
    """Leaves out wrong answers that no list names: no test can find them all."""

    of: Exercise
    wrong, allowed, options, times = {}, (), (), 1
    seconds = 15  # in a box each call of the candidate is a message

    def cases(self, random):
        plainest, *others = self.wrong.items()
        known = wrong_for(self.exercise, type(self).of)
        yield HEART, "the course's solution", self.candidate(Edits({}))
        for title in self.allowed:
            yield HEART, f"a right one, {title}", self.candidate(known[title])
        for how, given in right_for(self.exercise).items():
            yield HEART, f"a right one, {how}", self.candidate(given)
        yield HEART, plainest[1], self.candidate(known[plainest[0]])
        for title, words in others:
            yield words, words, self.candidate(known[title])

    def presented(self, random, cases):
        """With a seed for each: what minigrad draws for all of one is the same."""
        shown = enumerate(super().presented(random, cases * self.times))
        return [(number, (part, words, scene | {"seed": n % SEEDS}))
                for n, (number, (part, words, scene)) in shown]  # fmt: skip

    def source(self):
        """The base's text, and which wrong answers a test must not let pass."""
        wrong = "".join(f"\n# must fail: {words}" for words in self.wrong.values())
        return inspect.getsource(OwnTest) + wrong

    def _circular(self, subject, seed):
        return []  # a test needs no other answer

    def candidate(self, given):
        text = text_of(type(self).of, given)
        how = {"of": type(self).of.name, "text": text, "options": self.options}
        return {"scene": "own_test", **how}

    def _got(self, subject, args, own=False):
        return super()._got(subject, args[1:], own)

    def is_right(self, args):
        return args[0] not in self.wrong.values()

    def expected(self, words, scene):
        return "passes" if self.is_right([words]) else "fails"

    def _right(self, got, expected, args):
        if isinstance(got, Problem):
            return expected == "fails" and got.kind == "raised"
        return got.startswith(expected)

    def general(self, case):
        words, _ = case.args
        if isinstance(case.got, Problem) and case.got.kind != "raised":
            return super().general(case)
        if case.expected == "fails":
            return "let_through", f"{words} passes your test"
        return "false_alarm", "your test fails where it should pass: this one is right"

    def lines(self, case):
        words, got = case.args[0], case.got
        if case.expected == "fails" and not isinstance(got, Problem):
            return []  # the cause says it
        said = got.message if isinstance(got, Problem) else got.partition(": ")[2]
        raised = got.types[0] if getattr(got, "types", ()) else "AssertionError"
        where = got.where if isinstance(got, Problem) else ""
        return [("candidate", words), ("got", f"{raised}: {said}"), ("where", where)]

    def all_right(self, tried):
        return f"all right: {len(self.wrong)} wrong ones do not pass your test"


def right_for(test):
    """{how: answer} of the right answers that the .toml of a test has for it."""
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("right", {})
    return {how: written(table) for how, table in tables.items()}


def wrong_for(test, of):
    """{title: answer} of the wrong ones: of mistakes, and what its .toml has."""
    found = [s for m in mistakes_of(of).values() for s in m.answers]
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("wrong", {})
    for cause, table in tables.items():
        found += answers_in(of, cause, table)
    return {s.title: s.given for s in found}


def text_of(exercise, given):
    """The text of an answer of `exercise` as a specimen has it."""
    if isinstance(given, Rewritten):
        return given.text(exercise)
    if isinstance(given, str):
        return given
    if given.__name__ == "<lambda>":
        return f"answer = {_lambda(given.__code__)}"
    tree = ast.parse(textwrap.dedent(inspect.getsource(given)))
    tree.body[0].decorator_list = []
    return ast.unparse(tree)


def _lambda(code):
    """The text of a lambda that stands somewhere in a file."""
    text = "".join(linecache.getlines(code.co_filename))
    found = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]  # fmt: skip
    if len(found) > 1:
        starts = {(line, column) for line, _, column, _ in code.co_positions()}
        found = [f for f in found if (f.body.lineno, f.body.col_offset) in starts]
    (found,) = found
    return ast.unparse(found)


def own_test(exercise, of, rejects, allowed=(), options=(), times=1):
    """Say that the answer of `exercise` is a test; see the head of this file.

    times: that each candidate is presented at least: more where chance has a say.
    """
    how = {"of": of, "wrong": rejects, "allowed": allowed}
    how |= {"options": options, "times": times}
    checks(exercise)(type(exercise.name, (OwnTest,), how))
