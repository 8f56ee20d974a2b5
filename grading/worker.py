"""The process that runs a student's cells and serves the answers, by bytes.

Started by `process.ProcessSubject`. It gets the cells, says before each one that it
begins, then serves the calls of the checks. What is printed goes nowhere; PyTorch is
out of reach; no check is ever run here.
"""

import linecache
import os
import sys
import types
from multiprocessing.connection import Connection

from minigrad.slots.cells import python
from minigrad.slots.limits import TimeUp, captured, time_limit

from . import wire

CELL_SECONDS = 20


class Absent(types.ModuleType):
    """Stands where PyTorch would be: it can be imported, and used for nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(f"answers run without PyTorch: {self.__name__}.{name}")


def main(descriptor):
    """Run the cells that come first through the connection, then serve calls."""
    connection = Connection(descriptor)
    _silence()
    sys.modules["torch"] = Absent("torch")

    import grading
    import minigrad  # noqa: F401  the holes
    from minigrad.slots.exercise import running

    from .subject import LocalSubject, serve

    grading.check = grading.show_check = lambda *args, **kwargs: None
    name, cells = wire.decode(connection.recv_bytes())
    names = {"__name__": "__main__"}
    for id, text in cells:
        connection.send_bytes(wire.encode(("begin", id)))
        with running(name, id, text):
            problem = _try(id, text, names)
        connection.send_bytes(wire.encode(("end", id, problem)))
    connection.send_bytes(wire.encode(("ready",)))
    subject = LocalSubject()
    while True:
        try:
            request = connection.recv_bytes()
        except EOFError:
            return
        connection.send_bytes(serve(subject, request))


def _try(id, text, names):
    """Run a cell; what went wrong, in one line, or None."""
    with captured():
        try:
            text, filename = python(text), f"<cell {id}>"
            linecache.cache[filename] = len(text), None, text.splitlines(True), filename
            with time_limit(CELL_SECONDS):
                exec(compile(text, filename, "exec"), names)
        except TimeUp:
            return f"not done after {CELL_SECONDS} s"
        except BaseException as error:
            return f"{type(error).__name__}: {error}"[:500]


def _silence():
    """Send what is printed below Python's own streams nowhere, too."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
