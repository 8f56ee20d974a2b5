"""One command at a time works on a course directory."""

import contextlib
import fcntl
from pathlib import Path

_held = set()  # the directories that this process holds


class Busy(ValueError):
    """Another command is at work there."""


@contextlib.contextmanager
def alone(directory):
    """Hold the directory; Busy where it is held. It ends with the process."""
    directory = Path(directory).resolve()
    with (directory / ".lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(
                f"another command is at work on {directory}: try again when it is done"
            ) from None
        _held.add(directory)
        try:
            yield
        finally:
            _held.discard(directory)


def is_held(directory):
    """Does this process hold the directory?"""
    return Path(directory).resolve() in _held
