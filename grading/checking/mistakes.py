"""Mistakes that learners make. A wrong answer proves each one.

An exercise's mistakes are in a .toml beside its check, `checks/03_strides/expand.toml`:

    [minus_one]
    message = "-1 stands for the size that the dimension has"
    size = "size = sizes[d]"

A mistake has a message and a wrong answer, written as edits of the solution's marked
lines (marks.py), or as `code`, which is a whole function or the body of a kernel.
[[minus_one.or]] adds a wrong answer with the same mistake that gives other results. A
message that several exercises share is under the mistake's name in common.toml, the
chapter's or the one for all chapters.

A Mistake explains a learner's answer if one of its wrong answers gives the same result
in every case (diagnosis.py). It may also have a model, which is a function in the check
that gives what the mistake gives. Or it has a sign, which also shows in other answers
with the mistake:

- `finding = "race"`: a tool reports this.
- `mended_by = "__syncthreads();"`: the kernel is right if this statement is added.
- `first_wrong = "missing"`: this is the first fact that's wrong in the result.

The message of a mistake with a sign must claim no more than the sign shows.
"""

import contextlib
import difflib
import functools
import importlib
import importlib.resources
import itertools
import re
import tomllib
from typing import NamedTuple

from ..kernels.runs import Fault
from .answers import Edits, Rewritten, Specimen, written

CHECKS = importlib.resources.files("grading") / "checks"
OTHERS = {"message", "or"}  # keys of a table beside its answer's, and signs
CANDIDATES = {"of", "right", "wrong"}  # of a test: see candidates.py


class Model(NamedTuple):
    """A function in a check that gives what a mistake gives in a case."""

    function: object


class FirstWrong(NamedTuple):
    """The fact that is wrong first in each wrong result of a mistake."""

    value: str


class Missing(NamedTuple):
    """A statement of CUDA C: where it is added, a kernel that was wrong is right."""

    statement: str


SIGNS = {
    "finding": Fault,
    "mended_by": Missing,
    "first_wrong": FirstWrong,
}


class Mistake(NamedTuple):
    """A mistake's name, message, wrong answers, and sign."""

    name: str
    message: str
    answers: tuple = ()
    sign: object = None


@functools.cache
def mistakes_of(exercise):
    """{name: Mistake} of an exercise."""
    folder = CHECKS / exercise.chapter
    tables = read(folder / f"{exercise.name}.toml")
    shared = read(CHECKS / "common.toml") | read(folder / "common.toml")
    return {
        name: _mistake(exercise, name, table, shared)
        for name, table in tables.items()
        if name not in CANDIDATES
    }


def _mistake(exercise, name, table, shared):
    about = table if "message" in table else {**shared.get(name, {}), **table}
    if "message" not in about:
        raise ValueError(f"{exercise.name}.toml: {name} has no message, and no "
                         f"common.toml has one for it")  # fmt: skip
    answers = answers_in(exercise, name, table)
    sign = next((SIGNS[key](about[key]) for key in SIGNS if key in about), None)
    return Mistake(name, folded(about["message"]), tuple(answers), sign)


def answers_in(exercise, cause, table, before=0):
    """The Specimens of a table. Of one cause the second is called `cause 2`."""
    tables = [table, *table.get("or", ())]
    for n, one in enumerate(tables, 1 + before):
        edits = {key: one[key] for key in one.keys() - OTHERS - SIGNS.keys()}
        title = f"{cause} {n}" if n > 1 else cause
        yield Specimen(exercise, written(edits), cause, title)


def folded(text):
    """A message of several lines in one."""
    return " ".join(text.split())


@functools.cache
def read(path):
    """The tables of a .toml; {} where there is none. ValueError says where it fails."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path.parent.name}/{path.name}: {error}") from None


@functools.cache
def both(one, other):
    """An answer with two Mistakes: the first edits of each; None: not together."""
    pair = [mistake.answers[0] for mistake in (one, other) if mistake.answers]
    if len(pair) < 2 or not all(isinstance(s.given, Edits) for s in pair):
        return None
    exercise = pair[0].exercise
    with contextlib.suppress(Exception):  # together they may be no program
        texts = [Edits({}).text(exercise), *(s.given.text(exercise) for s in pair)]
        names = f"{one.name}+{other.name}"
        merged = Rewritten(lambda _: _merged(*map(_words, texts)), names)
        exercise.fits(merged.answer(exercise))
        return Specimen(exercise, merged, names, "two mistakes")
    return None


def _words(text):
    return re.findall(r"\s+|\w+|.", text)


def _changes(before, words):
    """(begin, end, new words) of each change."""
    matcher = difflib.SequenceMatcher(None, before, words, autojunk=False)
    return [
        (begin, end, words[first:last])
        for kind, begin, end, first, last in matcher.get_opcodes()
        if kind != "equal"
    ]


def _merged(before, one, other):
    """Words with the changes of both. ValueError: they change the same words.

    Within a line, the changes of one come before those of the other: `x[j * N + i]` and
    `x[i * M + j]` would give `x[j * M + i]`, which is a mistake of its own.
    """
    pair = [_changes(before, words) for words in (one, other)]
    lines = [*itertools.accumulate("\n" in word for word in before), -1]
    for line in {lines[begin] for begin, *_ in pair[0]}:
        a, b = ([c for c in changes if lines[c[0]] == line] for changes in pair)
        if b and a[0][0] < b[-1][1] and b[0][0] < a[-1][1]:
            raise ValueError("they change the same words")
    changes = sorted(pair[0] + pair[1])
    parts, at = [], 0
    for begin, end, new in changes:
        if begin < at:
            raise ValueError("they change the same words")
        parts += [*before[at:begin], *new]
        at = end
    return "".join([*parts, *before[at:]])
