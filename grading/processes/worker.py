"""What runs in a student's process: the cells, then the answers, by bytes.

`zygote` forks it. It gets the cells, says before each one that it begins, then serves
the calls of the checks. The course's answers to other exercises are in another process
(references.py). What is printed goes nowhere; PyTorch is out of reach; no check is run
here.
"""

import contextlib
import linecache
import os
import sys
import types
from pathlib import Path

from minigrad.exercises.cells import (
    UNREADABLE,
    Cell,
    answered_in,
    bound_by,
    is_setup,
    names_used,
    python,
    statements,
)
from minigrad.exercises.registry import exercises
from minigrad.exercises.sandbox import TimeUp, captured, time_limit
from minigrad.kernel import Kernel

from ..drivers import reference_calls
from ..drivers.reference_calls import Course
from ..isolation import codec
from ..isolation.channel import undisturbed
from ..kernels import remote_launch

pristine = []  # what plays scenes, before any cell has run
PLAYERS = (
    "grading.drivers",
    "grading.checking.runner",
    "grading.drivers.fake_gpu",
    "grading.drivers.guards",
)


class Absent(types.ModuleType):
    """Stands where PyTorch would be: it can be imported, and used for nothing."""

    is_absent = True

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(f"answers run without PyTorch: {self.__name__}.{name}")


def warm():
    """Import what students' processes need; before any of them is forked."""
    sys.modules["torch"] = Absent("torch")
    import grading
    import minigrad.models
    import minigrad.viz  # noqa: F401  with all exercises, what set-up cells import
    from grading.checking import runner  # noqa: F401

    exercises()  # imports what minigrad loads at first use
    pristine.extend(_players())
    grading.check = grading.show_check = lambda *args, **kwargs: None
    minigrad.answers_from = lambda *args, **kwargs: None  # the references answer


class Talk:
    """The student's end of the line; a process that a cell has forked has none."""

    def __init__(self, line):
        self.line, self.process = line, os.getpid()

    def say(self, *values):
        self.send(codec.encode(list(values)))

    def send(self, message):
        if os.getpid() != self.process:
            os._exit(0)
        self.line.send(message)

    def ask(self, *question):
        """What the grader answers while it waits for a reply."""
        with undisturbed():
            self.say("ask", *question)
            value, error = codec.decode(self.line.receive())
        if error:
            raise RuntimeError(error)
        return value


def main(line, name, cells, files, seconds, only, is_test):
    """Run the cells of a notebook, then serve calls.

    only: the exercise whose answer has to be there; cells that it has no need of are
    left out. is_test: it is asked nothing but whether it passes, so no cell could gain
    by changing what plays the scene.
    """
    from minigrad.exercises import exercise
    from minigrad.exercises.registry import running

    from ..checking.runner import LocalSubject, served

    talk = Talk(line)
    course = reference_calls.connected = Course(line.receive_end())
    for file, text in files:
        Path(file).write_text(text, encoding="utf-8")
    exercise.supply, Kernel.__new__ = course.reference, remote_launch.of_text
    names = {"__name__": "__main__", "display": lambda *shown, **how: None}
    cells = _needed(cells, only) if only else cells
    for _ in range(2):
        early = []
        for id, text in cells:
            talk.say("begin", id)
            with running(name, id, text):
                problem = _try(id, text, names, seconds)
            talk.say("end", id, problem)
            if problem and _is_early(text, problem):
                early.append((id, text))
        cells = early
    talk.say("ready")
    if not is_test:
        _put_back(pristine)
    reference_calls.connected, answers = course, LocalSubject()
    answers.outside = talk.ask
    while True:
        try:
            request = talk.line.receive()
        except EOFError:
            return
        for reply in served(answers, request):
            talk.send(reply)


def _players():
    """What plays the scenes, as it is: [(function, class, or dict, its values)].

    Each once, though most modules have the same functions and Python's builtins.
    """
    found = {}
    for module in [sys.modules[n] for n in sys.modules if n.startswith(PLAYERS)]:
        for value in [module, *vars(module).values()]:
            if isinstance(value, types.FunctionType):
                values = {"__code__": value.__code__}
            elif isinstance(value, dict):
                values = {**value}
            elif value is module or getattr(value, "__module__", 0) == module.__name__:
                values = {**getattr(value, "__dict__", {})}
            else:
                continue
            found[id(value)] = value, values
    return [*found.values()]


def _put_back(found):
    """Undo what cells have changed in them. It closes nothing: an answer is free to."""
    for thing, values in found:
        if isinstance(thing, dict):
            thing.update(values)
            continue
        is_function = isinstance(thing, types.FunctionType)
        now = getattr(thing, "__dict__", {})
        now = {"__code__": thing.__code__} if is_function else now
        for name, value in values.items():
            if now.get(name) is not value:
                setattr(thing, name, value)


def _needed(cells, name):
    """The set-up, the cell with an answer, and all that has to do with its names.

    All cells, where none says that it has the answer.
    """
    cells = [Cell(*cell) for cell in cells]
    answered = {cell: answered_in(cell.text) for cell in cells}
    if name not in answered.values():
        return cells
    setup = {cell for cell in cells if is_setup(cell.text)}
    used, bound = ({cell: set() for cell in cells} for _ in range(2))
    for cell in cells:
        with contextlib.suppress(*UNREADABLE):
            used[cell] = set(names_used(python(cell.text)))
            bound[cell] = {n for node in statements(cell) for n in bound_by(node)}
    needed, more = {*setup}, {cell for cell in cells if answered[cell] == name}
    while more:
        needed |= more
        read = set().union(*[used[cell] for cell in needed])
        theirs = set().union(*[bound[cell] for cell in needed - setup])
        more = {
            cell
            for cell in cells
            if read & bound[cell] or (theirs & used[cell] and not answered[cell])
        } - needed
    return [cell for cell in cells if cell in needed]


def _is_early(text, problem):
    """Does a cell need a later one, as where cells were run out of order?"""
    answered = {entry.exercise.name for entry in exercises() if entry.exercise.answer}
    return problem.startswith("NameError") and answered_in(text) not in answered


def _try(id, text, names, seconds):
    """Run a cell; what went wrong, in one line, or None."""
    with captured():
        try:
            with time_limit(seconds):
                text, filename = python(text), f"<cell {id}>"
                lines = text.splitlines(True)
                linecache.cache[filename] = len(text), None, lines, filename
                exec(compile(text, filename, "exec"), names)
        except TimeUp:
            return f"not done after {seconds} s"
        except BaseException as error:
            try:
                return f"{type(error).__name__}: {error}"[:500]
            except Exception:
                return "it raises an error whose message cannot be read"
