"""Every answer that is listed: those that prove mistakes, and those of tests/answers.

The others are right answers by other algorithms, and wrong ones that no message needs:
`tests/answers/03_strides/expand.toml`

    [right."by a loop"]         # edits of marked lines, or code, as in a mistake
    [wrong.dtype]               # the cause that the check must name
    [[wrong.dtype.or]]

and `expand.py` beside it, for what is easier to read as a program:

    @answer(Tensor.expand, right="by new dimensions first")
    def _(self, *sizes): ...
"""

import functools
import importlib.util
import sys
import textwrap

from grading.checking.answers import Rewritten, Specimen, written
from grading.checking.mistakes import CHECKS, answers_in, mistakes_of, read
from minigrad import course

ANSWERS = course.home() / "tests" / "answers"

_functions = {}  # exercise -> its Specimens in a .py


def answer(exercise, right="", wrong=""):
    """Say that a function is a right answer, and how; or a wrong one, and its cause."""

    def keep(given):
        title = f"right {right}" if right else wrong
        one = Specimen(exercise, given, wrong or None, title)
        _functions.setdefault(exercise, []).append(one)
        return given

    return keep


@functools.cache
def specimens_of(exercise):
    """The Specimens of an exercise, no two with one title."""
    specimens = [s for m in mistakes_of(exercise).values() for s in m.answers]
    place = ANSWERS / exercise.chapter / exercise.name
    tables = read(place.with_suffix(".toml"))
    for more in *candidates_of(exercise), tables:
        for cause, table in more.get("wrong", {}).items():
            before = sum(s.cause == cause for s in specimens)
            specimens += answers_in(exercise, cause, table, before)
        for how, table in more.get("right", {}).items():
            specimens.append(Specimen(exercise, written(table), None, f"right {how}"))
    _import(place.with_suffix(".py"))
    return [*specimens, *_functions.get(exercise, ()), *swallowed(exercise)]


@functools.cache
def _import(path):
    if path.exists():
        name = ".".join(["answers", path.parent.name, path.stem])
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)


def candidates_of(exercise):
    """The tables of what the test of an exercise is given, if it has a test."""
    tests = map(read, sorted((CHECKS / exercise.chapter).glob("test_*.toml")))
    return [tables for tables in tests if tables.get("of") == exercise.name]


def swallowed(exercise):
    """The course's solution, where it is a test, but its assertions do nothing."""
    if not exercise.name.startswith("test_"):
        return []

    def change(text):
        decorator, head, *body = text.rstrip().splitlines()
        body = textwrap.indent("\n".join(body), "    ")
        end = "    except AssertionError:\n        pass"
        return f"{decorator}\n{head}\n    try:\n{body}\n{end}"

    given = Rewritten(change, "swallowed")
    return [Specimen(exercise, given, "let_through", "let_through swallowed")]
