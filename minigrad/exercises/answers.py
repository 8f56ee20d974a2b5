"""Running answers that stand in notebooks, without running the notebooks.

Only set-up cells and answer cells are run, and from the other cells the imports,
functions and constants that answers use. What is filled:

- An answer in the notebook replaces what an earlier `answers_from` has filled.
- An answer that the learner has given in this kernel by running its cell stays.
- `answers_from("solutions")` replaces everything, so one has to write it out.
"""

import ast
import builtins
import contextlib
import io
import linecache
import traceback
from pathlib import Path

from .. import course, suggest
from .cells import (
    NotANotebook,
    all_cells,
    answered_in,
    bound_by,
    cells_of,
    definition,
    is_answer,
    is_definition,
    is_setup,
    names_used,
    python,
)
from .registry import collecting, exercises, running
from .sandbox import TimeUp, time_limit
from .source import relative

__all__ = [
    "answered_in",
    "answers_from",
    "cells_of",
    "exercises_of",
    "is_answer",
    "is_setup",
    "load_references",
    "run",
]

SECONDS = 20  # for one cell

_running = False  # a set-up cell that asks for earlier answers must not start it again
_filled = {}  # exercise -> the Answer that answers_from has put there


def answers_from(where, before=None):
    """Answer the exercises of earlier labs; a line says where a solution stands in.

    where: "labs", the learner's own notebooks; where those have no answer the course's
    solution stands in, and a printed line says so. "solutions": solutions for all.
    before: a chapter ("05_reductions"); it and later ones are left alone.
    """
    if where not in ("labs", "solutions"):
        raise ValueError(f'answers come from "labs" or "solutions", not {where!r}')
    last = course.chapter(before).number if before is not None else len(course.CHAPTERS)
    if _running:
        return
    chapters = [c.name for c in course.CHAPTERS[:last] if exercises_of(c.name)]
    if whole := [name for name in chapters if _fill(name, where)]:
        numbers = ", ".join(name[:2] for name in whole)
        if whole[2:] and whole == [c.name for c in course.CHAPTERS[: len(whole)]]:
            numbers = f"{whole[0][:2]} to {whole[-1][:2]}"
        _say(numbers if whole[1:] else whole[0], "every exercise")


def exercises_of(name):
    """The exercises of one chapter, in course order."""
    return [entry.exercise for entry in exercises() if entry.chapter == name]


def load_references(name):
    """Give every exercise of a chapter the course's own solution as `reference`."""
    if all(exercise.reference is not None for exercise in exercises_of(name)):
        return
    path = course.solution(name)
    with collecting() as references:
        failed = run(cells_of(path), path)
    for message in failed.values():
        raise RuntimeError(f"the course's own solution fails: {message}")
    for exercise, answer in references.items():
        exercise.reference = answer


def run(cells, path):
    """Run cells in one namespace; return {cell id: message} of those that failed."""
    global _running
    names, failed = {"__name__": "__lab__"}, {}
    before, _running = _running, True
    try:
        others = [c for c in all_cells(path) if c not in cells]
        for cell in cells:
            failed[cell.id] = _problem(cell, names, others, path)
        for cell in filter(lambda c: is_answer(c.text) and not failed[c.id], cells):
            failed[cell.id] = _unknown_name(cell, names, others)
    finally:
        _running = before
    place = relative(path)
    titles = {cell.id: cell.title for cell in cells}
    return {i: f"{place}, {titles[i]}, {m}" for i, m in failed.items() if m}


def _fill(name, where):
    """Answer a chapter's exercises. Does the course's solution stand in for all?"""
    exercises = exercises_of(name)
    if where == "labs":
        _fill_from_lab(name, exercises)
    missing = [h for h in exercises if where == "solutions" or h.answer is None]
    if not missing or not _stand_in(name, missing):
        return False
    if missing != exercises:
        _say(name, ", ".join(exercise.name for exercise in missing))
    return missing == exercises


def _say(name, which):
    stand_in = f"the course's solutions stand in for {which}, and they earn no points"
    print(f"{name}: {stand_in}")


def _fill_from_lab(name, exercises):
    live = {
        h: h.answer for h in exercises if h.answer and h.answer is not _filled.get(h)
    }
    for exercise in exercises:
        _put(exercise, None)
    try:
        for message in _run_lab(course.lab(name)):
            print(f"{name}: {message}")
    finally:
        _filled.update({exercise: exercise.answer for exercise in exercises})
        for exercise, answer in live.items():
            _put(exercise, answer)


def _put(exercise, answer):
    exercise.answer = answer
    exercise._run = answer and answer.value


def _run_lab(path):
    """Run a lab's cells; return a message for each that failed."""
    if not path.exists():
        return []
    try:
        return list(run(cells_of(path), path).values())
    except NotANotebook as error:
        return [str(error)]


def _stand_in(name, missing):
    """Fill exercises with the course's solutions. Are they there?"""
    path = course.solution(name)
    if not path.exists():
        print(f"{name}: no answer and no solution, since {relative(path)} is not here")
        return False
    load_references(name)
    cells = {answered_in(cell.text): cell for cell in cells_of(path)}
    for exercise in missing:
        cell = cells[exercise.name]
        with running(relative(path), cell.id, cell.text):
            exercise.fill(exercise.reference)
        _filled[exercise] = exercise.answer
    return True


def _problem(cell, names, others, path):
    """Run a cell, and return what went wrong: "line 3: NameError: ..."."""
    try:
        _add_missing(cell.text, names, others, path)
        _execute(cell, ast.parse(python(cell.text)), names, path)
    except TimeUp:
        return f"was not done after {SECONDS} s: is there a loop that never ends?"
    except (Exception, SystemExit) as error:
        trace = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in trace if f.filename == _filename(cell, path)]
        line = lines[-1] if lines else getattr(error, "lineno", "?")
        reason = suggest.syntax(error) if isinstance(error, SyntaxError) else error
        return f"line {line}: {type(error).__name__}: {reason}"


def _add_missing(text, names, others, path):
    """Make those imports, functions and constants of other cells that `text` needs."""
    for name in _unknown(text, names):
        node, cell = definition(name, others)
        if node and is_definition(node):
            names[name] = None  # a function may need itself
            _add_missing(ast.unparse(node), names, others, path)
            _execute(cell, ast.Module([node], []), names, path)


def _unknown(text, names):
    """The names that Python text uses, and that neither it nor anybody else made."""
    text = python(text)
    bound = {name for node in ast.parse(text).body for name in bound_by(node)}
    return sorted(names_used(text) - bound - set(names))


def _unknown_name(cell, names, others):
    for name in (n for n in _unknown(cell.text, names) if not hasattr(builtins, n)):
        _, elsewhere = definition(name, others)
        where = f"{elsewhere.title} makes" if elsewhere else "no cell makes"
        return f"uses {name}, which {where}: put it into the answer's own cell"


def _execute(cell, tree, names, path):
    text, filename = python(cell.text), _filename(cell, path)
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    with (
        running(relative(path), cell.id, cell.text),
        contextlib.redirect_stdout(io.StringIO()),
        time_limit(SECONDS),
    ):
        exec(compile(tree, filename, "exec"), names)


def _filename(cell, path):
    return f"<{Path(path).name}, {cell.title}, id {cell.id}>"
