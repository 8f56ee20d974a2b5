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
    held = hold(directory)
    try:
        yield
    finally:
        held.let_go()


def hold(directory):
    """The Hold of a directory. It is over when it is let go, or forgotten."""
    directory = Path(directory).resolve()
    return Hold(directory) if directory not in _held else Within()


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


class Within:
    """Inside of a Hold of this process there is nothing to do."""

    def let_go(self):
        pass
