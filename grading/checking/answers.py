"""Answers of an exercise as files have them: edits of the solution, or whole texts.

In a .toml, {mark: text} are edits of the solution's marked lines (marks.py), and
`code` is instead a whole function or the body of a kernel.
"""

import ast
import contextlib
import functools
import linecache
import re
from typing import NamedTuple

from minigrad import course
from minigrad.exercises.answers import load_references
from minigrad.exercises.cells import MARK, answered_in, cells_of, percent_cells
from minigrad.exercises.exercise import KernelExercise
from minigrad.exercises.registry import Exercise, collecting, solves

from ..kernels.runs import with_body
from .marks import edited

BOUNDS = re.compile(r"^ *(//|#+) (BEGIN|END) SOLUTION(\n|\Z)", re.M)


class Rewritten:
    """The solution's text, changed by a function of texts. name: by which it goes."""

    def __init__(self, change, name):
        self.change, self.name = change, name

    def text(self, exercise):
        """The whole text. FileNotFoundError: the solutions are not here."""
        return self.change(solution(exercise))

    @functools.cache  # noqa: B019  answers live as long as the program
    def answer(self, exercise):
        """What `solves` is given: a function, or a kernel's text."""
        text, name = self.text(exercise), f"<{exercise.name}: {self.name}>"
        if isinstance(exercise, KernelExercise):
            return text
        load_references(exercise.chapter)
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        with collecting() as answers:
            exec(compile(text, name, "exec"), {**exercise.reference.__globals__})
        return answers[exercise]


class Edits(Rewritten):
    """The solution with some of its marked lines changed."""

    def __init__(self, changes):
        self.changes, self.name = changes, str(changes)

    def text(self, exercise):
        return edited(marked_solution(exercise), self.changes)


class Code(Rewritten):
    """A whole function, after what it needs; or the body of a kernel, or all of it."""

    def __init__(self, code):
        self.code, self.name = code, code

    def text(self, exercise):
        if isinstance(exercise, KernelExercise):
            return with_body(exercise, self.code.strip("\n"))
        begin = rf"^(?=def {exercise.name}\()"
        return re.sub(begin, f"{solved_by(exercise)}\n", self.code, count=1, flags=re.M)


def written(table):
    """The answer in a table of a .toml: its edits, or code."""
    return Code(table["code"]) if "code" in table else Edits(table)


def solution(exercise):
    """The text of the course's solution: its cell, or the kernel's text."""
    load_references(exercise.chapter)
    kernel = isinstance(exercise, KernelExercise)
    return BOUNDS.sub("", exercise.reference if kernel else cell_of(exercise))


@functools.cache
def marked_solution(exercise):
    """The same with its marks."""
    path = course.solution(exercise.chapter)
    cells = percent_cells(path.read_text(encoding="utf-8"))
    (cell,) = (c.text for c in cells if answered_in(c.text) == exercise.name)
    if isinstance(exercise, KernelExercise):
        load_references(exercise.chapter)
        nodes = [n for n in ast.walk(ast.parse(cell)) if isinstance(n, ast.Constant)]
        (cell,) = (n.value for n in nodes
                   if MARK.sub("", str(n.value)) == exercise.reference)  # fmt: skip
    return BOUNDS.sub("", cell)


@functools.cache
def cell_of(exercise):
    """The text of the cell in which the course answers an exercise."""
    cells = cells_of(course.solution(exercise.chapter))
    (text,) = (c.text for c in cells if answered_in(c.text) == exercise.name)
    return text


def solved_by(exercise):
    """`@solves(layout.offset_of)`, as the course's solution has it."""
    return re.search(r"^@?solves\([\w.]+\)", cell_of(exercise), re.M)[0]


class Specimen(NamedTuple):
    """An answer of an exercise. cause: what the check must name; None: it is right."""

    exercise: Exercise
    given: object  # the answer, or how it is Rewritten
    cause: str | None
    title: str

    def __str__(self):
        return f"{self.exercise.name}-{self.title}".replace(" ", "_")

    @property
    def answer(self):
        is_text = isinstance(self.given, Rewritten)
        return self.given.answer(self.exercise) if is_text else self.given

    @contextlib.contextmanager
    def in_place(self):
        """Let this be the answer, for as long as it lasts."""
        exercise = self.exercise
        before = exercise.answer, exercise._run
        try:
            solves(exercise)(self.answer)
            yield self
        finally:
            exercise.answer, exercise._run = before
