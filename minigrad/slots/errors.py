"""Errors that a learner meets, and how Jupyter shows them."""

import traceback
from pathlib import Path


class Brief:
    """For errors whose message says all: Jupyter shows no line of this library."""

    def _render_traceback_(self):
        return f"{type(self).__name__}: {self}{own_line(self)}".split("\n")


class NotAnswered(Brief, NotImplementedError):
    """A hole was used that nobody has filled."""


class WrongAnswerType(Brief, TypeError):
    """An answer does not fit its hole: the message says what was expected."""


class CircularAnswers(Brief, RecursionError):
    """Answers call each other round and round; none of them does the work."""

    def __init__(self, circle):
        self.circle = circle  # their names
        super().__init__(
            f"{' and '.join(circle)} call each other without end: one of them must do "
            f"the work without calling the other"
        )


def own_line(error):
    """The last line of a notebook's cell that the error passed through."""
    frames = traceback.extract_tb(error.__traceback__)
    cells = [f for f in frames if f.line and not Path(f.filename).exists()]
    return f"\n  line {cells[-1].lineno}: {cells[-1].line}" if cells else ""
