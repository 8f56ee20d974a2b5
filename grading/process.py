"""A subject in a process of its own: what happens there stays there."""

import contextlib
import os
import subprocess
import sys
import tempfile
from multiprocessing import Pipe

from minigrad import course

from . import wire
from .subject import About, Outcome, Problem, WireSubject
from .worker import CELL_SECONDS

START_SECONDS = 60  # to import NumPy and minigrad on a busy machine
GRACE = 5  # beyond its own time limit, before a process is ended
CODE = (
    "import sys; sys.path[:0] = [{home!r}]; from grading.worker import main; main({fd})"
)


class Gone(Exception):
    """The process has ended, or had to be ended. `kind`: "gone" or "time"."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class ProcessSubject(WireSubject):
    """A notebook's answers, in a process that runs its cells.

    cells: (id, text) of its code cells, in order. A cell that ends the process is left
    out when the process is started again, so it costs no other exercise anything.
    After `with`, `problems` says what went wrong in which cell: {id: text}.
    """

    def __init__(self, name, cells):
        super().__init__(self._exchange)
        self.name, self.cells = name, [tuple(cell) for cell in cells]
        self.problems = {}
        self._process = self._pipe = None
        self._seconds = GRACE

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="minigrad-")
        return self

    def __exit__(self, *error):
        self._end()
        self._folder.cleanup()

    def call(self, name, args, seconds, own=False):
        self._seconds = seconds + GRACE
        try:
            return super().call(name, args, seconds, own)
        except Gone as error:
            return Outcome(None, Problem(error.kind, str(error)), "")
        finally:
            self._seconds = GRACE

    def about(self, name):
        self._start()
        return About(*super().about(name))

    def _exchange(self, request):
        if self._process is None:
            raise Gone("gone", "the process that held the answer has ended")
        self._pipe.send_bytes(request)
        return self._receive(self._seconds)

    def _receive(self, seconds):
        """The next message; after `seconds`, or where none can come, Gone."""
        try:
            if self._pipe.poll(seconds):
                return self._pipe.recv_bytes(wire.MAX_BYTES)
            kind, text = "time", f"not done after {seconds} s"
        except (EOFError, OSError):
            kind = "gone"
            text = "the process ended: does the code call exit, or use up the memory?"
        self._end()
        raise Gone(kind, text)

    def _start(self):
        """Have a process that has run the cells; it may take several tries."""
        while self._process is None:
            self._launch()
            cell = None
            try:
                while True:
                    message = wire.decode(self._receive(self._patience(cell)))
                    if message[0] == "ready":
                        return
                    cell = message[1] if message[0] == "begin" else None
                    if message[0] == "end" and message[2]:
                        self.problems[message[1]] = message[2]
            except Gone as error:
                if cell is None:
                    raise
                self.problems[cell] = str(error)
                self.cells = [c for c in self.cells if c[0] != cell]

    def _patience(self, cell):
        return START_SECONDS if cell is None else CELL_SECONDS + GRACE

    def _launch(self):
        self._pipe, theirs = Pipe()
        fd = theirs.fileno()
        code = CODE.format(home=str(course.home()), fd=fd)
        keep = {
            k: os.environ[k] for k in ("PATH", "LANG", "SYSTEMROOT") if k in os.environ
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", code],
            cwd=self._folder.name,
            env=keep | {"HOME": self._folder.name, "OMP_NUM_THREADS": "1"},
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._pipe.send_bytes(wire.encode([self.name, self.cells]))

    def _end(self):
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, 9)
        self._process.wait()
        self._pipe.close()
        self._process = None
