"""`with trying():` runs an example that needs answers which may not be right yet."""

import contextlib
import math
import sys
import textwrap
import traceback
import types

import cudasim
from minigrad.exercises.errors import NotAnswered, Stopped, own_line
from minigrad.exercises.registry import exercises
from minigrad.exercises.sandbox import TimeUp, time_limit

from .check import Judgment, find_check

UNSET = "\n  is there a cell above that was not run, and gives this name its value?"


@contextlib.contextmanager
def trying():
    """Run the block; say in a line what is missing or goes wrong, and go on.

    So that Run All comes to the end. `show` displays a picture or a value. The limits
    are those of the check of what the cell calls.
    """
    cell = sys._getframe(2).f_code  # above this function and contextlib's
    seconds, steps = _limits(_names(cell))
    try:
        with cudasim.at_most(seconds / 2, steps), time_limit(seconds):
            yield _display()
    except NotAnswered as error:
        print(f"{str(error).partition('. ')[0]}, and this cell needs one.")
    except TimeUp as error:
        print(
            f"not done after {seconds} s: does a loop go on for ever, or far too often?"
            f"{own_line(error)}"
        )
    except KeyboardInterrupt as stop:
        trace = stop.__traceback__
        raise Stopped("you stopped this cell").with_traceback(trace) from None
    except Exception as error:
        unset = UNSET if _is_unset(error) else ""
        print(wrapped(f"{type(error).__name__}: {error}{own_line(error)}{unset}"))


def wrapped(message, width=96):
    """A message, its long lines broken at words; lines of code stay as they are."""
    lines = message.splitlines()
    return "\n".join(
        line if line.startswith(" ") else textwrap.fill(
            line, width, subsequent_indent="  ", break_long_words=False,
            break_on_hyphens=False) for line in lines)  # fmt: skip


def _names(code):
    """All that a cell and what is defined in it call by name."""
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return {*code.co_names}.union(*map(_names, inner))


def _limits(names):
    """(seconds of the cell, rounds of a launch's loops)"""
    tried = [entry.exercise for entry in exercises() if entry.exercise.name in names]
    try:
        checks = [*map(find_check, tried)]
    except ModuleNotFoundError:  # PyTorch
        checks = []
    seconds = max((check.seconds for check in checks), default=Judgment.seconds)
    return seconds, max((check.steps for check in checks), default=math.inf)


def _is_unset(error):
    """Does the cell itself use a name that no cell has set?"""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return isinstance(error, NameError) and last.name == "<module>"


def _display():
    try:
        from IPython.display import display
    except ImportError:
        return print
    return display
