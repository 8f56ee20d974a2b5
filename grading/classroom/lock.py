"""One command at a time works on a course directory."""

import contextlib
import fcntl
from pathlib import Path


class Busy(ValueError):
    """Another command is at work there."""


@contextlib.contextmanager
def alone(directory):
    """Hold the directory; Busy where another process does. It ends with the process."""
    with (Path(directory) / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                f"another command is at work on {directory}: try again when it is done"
            ) from None
        yield
