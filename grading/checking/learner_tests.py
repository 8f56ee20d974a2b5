"""What a test is given: right and wrong answers of another exercise, as text."""

import ast
import inspect
import linecache
import random as random_numbers
import textwrap

from .answers import Rewritten, written
from .cases import stops
from .mistakes import CHECKS, answers_in, mistakes_of, read
from .old_check import Check

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


def right_for(test):
    """{how: answer} of the right answers that the .toml of a test has for it."""
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("right", {})
    return {how: written(table) for how, table in tables.items()}


def wrong_for(test, of):
    """{title: answer} of the wrong ones: of mistakes, and what its .toml has."""
    specimens = [s for m in mistakes_of(of).values() for s in m.answers]
    tables = read(CHECKS / test.chapter / f"{test.name}.toml").get("wrong", {})
    for cause, table in tables.items():
        specimens += answers_in(of, cause, table)
    return {s.title: s.given for s in specimens}


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
    lambdas = [
        node for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]  # fmt: skip
    if len(lambdas) > 1:
        starts = {(line, column) for line, _, column, _ in code.co_positions()}
        places = [(node.body.lineno, node.body.col_offset) for node in lambdas]
        lambdas = [n for n, at in zip(lambdas, places, strict=True) if at in starts]
    (node,) = lambdas
    return ast.unparse(node)
