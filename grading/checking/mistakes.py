"""Mistakes that learners make. Each explains answers that have it, and is proved.

In the file of an exercise, `checks/07_03_conv2d_gemm.py`:

    mistakes(conv2d_gemm, in_double=Model(in_double))(LIST)

    @mistake(conv2d_backward)
    def not_summed(dy, columns, w): ...

    @right(conv2d_backward, "by einsum")
    def _(dy, columns, w): ...

A wrong or right answer is a patch of the course's solution, "old -> new" (every "old"
becomes "new"; several, one after the other; any white space is as good as any other),
or "= expression", what it returns in the place of all that the solution does; or a
kernel's text or body, or a Python function. All but functions stand in the list:

    no_bias: the bias is left out
    > sum + bias[row] -> sum
    no_barrier: a tile is read before all of it is there
    + __syncthreads();
    > __syncthreads(); ->
    outside:
    > row < O && k + tx < K ? w -> true ? w
    right: a thread for each element
    >
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...
    equivalent: one more round adds zeros
    > comparison: k <= K;

Each cause has its text, or none; a sign, if it has one (see below): "!" and a Fault's
kind, "+" and what is Missing, or "?" and what it Differs in; then its answers: ">" and
a change, and "&" before each further change of the same answer. What is no mistake has
"right" and its style in the place of a cause, or "equivalent" and the reason, and then
edits of `mutate`. What is indented goes on with the line before, and r"\n" is a new
line; after a mark alone, or a line that ends in "->", it is a text of several lines.
What no text can say, such as a Model, stands before the list, by its cause's name. The
text of a function's cause stands in the list.

A Mistake explains a learner's answer where one of its own gives the same in every case
(diagnosis.py). Its answers are specimens: the check must reject each, and name this
mistake. It may have a Model, a function that gives what the mistake gives; or a sign by
which others that have it are known: a Fault, which the tools find, Missing, a barrier
that mends a kernel, or Shows, a result as `same` compares it. The text then claims no
more than the sign shows. Without a text its cause is explained elsewhere: in the list
`known` of the check's base, by its `general`, or by what is said of any exercise.
"""

import collections
import contextlib
import functools
import importlib
import linecache
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

from minigrad import course
from minigrad.exercises.answers import load_references
from minigrad.exercises.cells import answered_in, cells_of
from minigrad.exercises.hole import KernelExercise
from minigrad.exercises.registry import Exercise, collecting, solves

from ..kernels.runs import Fault, with_body

MARKS = re.compile(r"^ *(//|#+) (BEGIN|END) SOLUTION(\n|\Z)", re.M)

_of = {}  # name of a hole -> {cause: Mistake}
_specimens = collections.defaultdict(list)  # hole -> its Specimens
_equivalents = {}  # name of a hole -> [(edit, reason)]


class Model(NamedTuple):
    """What a mistake gives: function(check, *arguments of a case)."""

    function: object


class Shows(NamedTuple):
    """What is seen in each wrong result of a mistake, as `same` compares it."""

    value: object


class Differs(str):
    """What is wrong first in a result, in the words of the check's `same`."""


class Missing(NamedTuple):
    """A statement of CUDA C: where it is added, a kernel that was wrong is right."""

    statement: str


HEAD = re.compile(r".*?\bdef .*?:\n", re.S)
SIGNS = {"!": Fault, "+": Missing, "?": lambda what: Shows(Differs(what))}
ENTRY = re.compile(r"[>&!+?]( |\Z)|[^\s=;(){}][^=;(){}]*:( |\Z)")  # begins in a list
TEXT = re.compile(r"[>&]( .* ->)?(\n|\Z)")  # below it a text of several lines


class Patch:
    """The solution's text, in which some words are others."""

    def __init__(self, *changes):
        self.changes = changes

    def __call__(self, text):
        text = MARKS.sub("", text)
        for change in self.changes:
            if change.startswith("= ") and " ->" not in change:
                text = f"{HEAD.match(text)[0]}    return {change[2:]}\n"
                continue
            old, arrow, new = change.partition(" ->")
            words = [re.escape(word) for word in re.split(r"(?<=\S)\s+(?=\S)", old)]
            text, count = re.subn(
                r"\s+".join(words), lambda _, new=new: new.removeprefix(" "), text
            )
            if not arrow or not count:
                raise ValueError(f"{change!r} does not change\n{text}")
        return text

    def text(self, hole):
        """A hole's answer as text. FileNotFoundError: the solutions are not here."""
        load_references(hole.chapter)
        kernel = isinstance(hole, KernelExercise)
        return self(hole.reference if kernel else cell_of(hole))

    @functools.cache  # noqa: B019  patches live as long as the program
    def made(self, hole):
        """The answer of a hole."""
        text, name = self.text(hole), f"<{hole.name}: {self.changes}>"
        if isinstance(hole, KernelExercise):
            return text
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        with collecting() as found:
            exec(compile(text, name, "exec"), {**hole.reference.__globals__})
        return found[hole]


@functools.cache
def cell_of(hole):
    """The text of the cell in which the course answers a hole."""
    cells = cells_of(course.solution(hole.chapter))
    (text,) = (c.text for c in cells if answered_in(c.text) == hole.name)
    return text


class Mistake:
    """A cause's text, its Model or sign, and answers; see the head of this file."""

    def __init__(self, text, *answers):
        signs = Fault | Shows | Missing
        self.cause = text
        self.model = next((a for a in answers if isinstance(a, Model)), None)
        self.sign = next((a for a in answers if isinstance(a, signs)), None)
        self.answers = [a for a in answers if not isinstance(a, Model | signs)]

    def ways(self, hole, cause):
        """What computes it: its Model, and its answers."""
        answers = [s for s in _specimens[hole] if s.cause == cause]
        return [self.model, *answers] if self.model else answers


class Specimen(NamedTuple):
    """An answer of a hole. cause: the one that the check must name; None: right."""

    hole: Exercise
    given: object  # the answer, or a Patch
    cause: str | None
    title: str

    def __str__(self):
        return f"{self.hole.name}-{self.title}".replace(" ", "_")

    @property
    def answer(self):
        patch = isinstance(self.given, Patch)
        return self.given.made(self.hole) if patch else self.given

    @contextlib.contextmanager
    def in_place(self):
        """Let this be the answer, for as long as it lasts."""
        hole = self.hole
        before = hole.answer, hole._run
        try:
            solves(hole)(self.answer)
            yield self
        finally:
            hole.answer, hole._run = before


def described(hole, given):
    """An answer as a Specimen has it, for one as it is written in a file."""
    if isinstance(given, tuple) and " ->" in given[0]:
        return Patch(*given)
    (given,) = given if isinstance(given, tuple) else (given,)
    if not isinstance(given, str) or "__global__" in given:
        return given
    kernel = isinstance(hole, KernelExercise) and " ->" not in given
    return with_body(hole, given) if kernel else Patch(given)


def mistakes(hole, /, **more):
    """Say which mistakes the check of `hole` knows, by a list that the result is given.

    more: Models of causes in the list, or signs that no text can say.
    """
    return lambda text: say(hole, listed(text, more))


def say(hole, found):
    """Keep [(cause, Mistake)] of a hole."""
    known = _of.setdefault(hole.name, {})
    for cause, new in found:
        if cause == "equivalent":
            edits = [(edit, new.cause) for (edit,) in new.answers]
            _equivalents.setdefault(hole.name, []).extend(edits)
            continue
        for given in new.answers:
            if cause == "right":
                right(hole, new.cause)(described(hole, given))
            else:
                _specimen(hole, described(hole, given), cause)
        if new.cause and cause != "right":
            known[cause] = new


def listed(simple, more=()):
    """[(cause, Mistake)] of a list; see the head of this file."""
    found, last, lines = [], [], []
    indent = re.match(r"\s*", simple)[0].split("\n")[-1]
    for line in simple.strip().splitlines():
        entry = line.removeprefix(indent)
        if ENTRY.match(entry):
            lines.append(entry)
        elif TEXT.match(lines[-1]):
            lines[-1] += f"\n{entry}"
        elif entry.strip():
            lines[-1] += f" {line.strip()}"
    for line in lines:
        first, _, text = line.partition("\n")
        mark, _, rest = first.replace(r"\n", "\n").partition(" ")
        rest = f"{rest} {textwrap.dedent(text)}".strip(" ") if text else rest
        if mark == ">":
            last.append((rest,))
        elif mark == "&":
            last[-1] += (rest,)
        elif mark in SIGNS:
            last.append(SIGNS[mark](rest))
        else:
            cause, _, text = line.partition(":")
            last = [text.strip(), *(more[c] for c in more if c == cause)]
            found.append((cause, last))
    if unknown := {*more} - {cause for cause, _ in found}:
        raise ValueError(f"the list has no {unknown}")
    return [(cause, Mistake(*parts)) for cause, parts in found]


def mistake(hole):
    """Say that the function below has the mistake that its name says."""

    def keep(function):
        say(hole, [(function.__name__, Mistake(None, function))])
        return function

    return keep


def right(hole, style):
    """Say that the function below is right."""

    def keep(given):
        _specimen(hole, given, None, f"right {style}")
        return given

    return keep


def equivalents(hole):
    """[(edit, reason)] of those that are listed."""
    load(hole)
    return _equivalents.get(hole.name, [])


def _specimen(hole, given, cause, title=None):
    """Keep a specimen. Of several with one cause, the second is called `cause 2`."""
    count = sum(s.cause == cause for s in _specimens[hole])
    title = title or (f"{cause} {count + 1}" if count else cause)
    _specimens[hole].append(Specimen(hole, given, cause, title))


@functools.cache
def both(hole, *causes):
    """An answer with two mistakes: their patches, one after the other; None: not so."""
    pair = [
        next((s.given for s in _specimens[hole] if s.cause == cause
              and isinstance(s.given, Patch)), None)
        for cause in causes
    ]  # fmt: skip
    if None in pair:
        return None
    for first, second in pair, pair[::-1]:
        patch = Patch(*first.changes, *second.changes)
        with contextlib.suppress(Exception):  # together they may be no program
            hole.fits(patch.made(hole))
            return Specimen(hole, patch, "+".join(causes), "two mistakes")
    return None


def mistakes_of(hole):
    """{cause: Mistake} of those that explain."""
    return _of.get(hole.name, {})


def specimens_of(hole):
    """Every specimen of a hole."""
    load(hole)
    return [*_specimens[hole]]


def load(hole):
    """Import the file of an exercise: `checks/03_02_offset_of.py`."""
    number = "_".join(f"{int(n):02}" for n in hole.number.split("."))
    _import(f"checks/{number}_*.py")
    _import(f"checks/{hole.chapter}*.py")


@functools.cache
def _import(pattern):
    for path in sorted(Path(__file__).parent.parent.glob(pattern)):
        importlib.import_module(f"grading.{path.parent.name}.{path.stem}")
