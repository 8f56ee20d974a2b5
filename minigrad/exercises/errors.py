"""Errors that a learner meets, and how Jupyter shows them."""

import re
import traceback
from pathlib import Path


class Brief:
    """For errors whose message says all: Jupyter shows no line of this library."""

    def _render_traceback_(self):
        return f"{type(self).__name__}: {self}{own_line(self)}".split("\n")


class NotAnswered(Brief, NotImplementedError):
    """An exercise was used that nobody has filled."""


class WrongAnswerType(Brief, TypeError):
    """An answer does not fit its exercise: the message says what was expected."""


class Stopped(Brief, KeyboardInterrupt):
    """The learner has stopped what ran: Jupyter shows in one line where it was."""


class CircularAnswers(Brief, RecursionError):
    """Answers call each other round and round; none of them does the work."""

    def __init__(self, circle):
        self.circle = circle  # their names
        super().__init__(
            f"{' and '.join(circle)} call each other without end: one of them must do "
            f"the work without calling the other"
        )


def own_line(error):
    """The last line of a learner's cell that the error passed through.

    Of an answer in another notebook it says which; the course's are passed over.
    """
    frames = traceback.extract_tb(error.__traceback__)
    cells = [f for f in frames if f.line and not Path(f.filename).exists()]
    cells = [f for f in cells if not re.match(r"<\w+\.py,", f.filename)]
    if not cells:
        return ""
    other = re.match(r"<(\w+\.ipynb, .+), id ", cells[-1].filename)
    place = f"{other[1]}, line" if other else "line"
    return f"\n  {place} {cells[-1].lineno}: {cells[-1].line}"
