"""One command at a time works on a course directory."""

import contextlib
import fcntl
from pathlib import Path

_held = set()  # the directories that this process holds


class Busy(ValueError):
    """Another command is at work there."""


@contextlib.contextmanager
def alone(directory):
    """Hold the directory; Busy where another process does. It ends with the process."""
    hold = Hold(Path(directory).resolve())
    try:
        yield
    finally:
        hold.let_go()


def held(directory):
    """A Hold of a directory until it is forgotten; None where this process has it."""
    directory = Path(directory).resolve()
    return None if directory in _held else Hold(directory)


class Hold:
    def __init__(self, directory):
        self.directory, self.file = directory, (directory / ".lock").open("a")
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            raise Busy(
                f"another command is at work on {directory}: try again when it is done"
            ) from None
        _held.add(directory)

    def let_go(self):
        if not self.file.closed:
            _held.discard(self.directory)
            self.file.close()

    __del__ = let_go
