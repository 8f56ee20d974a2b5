"""A subject in a process of its own: what happens there stays there."""

import contextlib
import os
import subprocess
import sys
import tempfile
from multiprocessing import Pipe

from minigrad import course
from minigrad.exercises.sandbox import PATIENCE

from . import wire
from .subject import About, Outcome, Problem, WireSubject
from .worker import CELL_SECONDS

START_SECONDS = 60  # to import NumPy and minigrad on a busy machine
LONGEST = 16 * 2**20  # bytes of one reply
GRACE = 5  # seconds beyond its own time limit, before a process is ended
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
        self._seconds = PATIENCE * seconds + GRACE
        try:
            with self._understood():
                outcome = super().call(name, args, seconds, own)
                return outcome._replace(printed="".join(outcome.printed))
        except Gone as error:
            return Outcome(None, Problem(error.kind, str(error)), "")
        finally:
            self._seconds = GRACE

    def about(self, name):
        if self._process and self._pipe.poll():  # what the exercise before left over
            self._end()
        self._start()
        with self._understood():
            return About(*super().about(name))

    def text(self, name):
        with self._understood():
            return super().text(name)

    def make(self, *numbers):
        with self._understood():
            return wire.Handle(*super().make(*numbers))

    def look(self, handle):
        with self._understood():
            return dict(super().look(handle))

    @contextlib.contextmanager
    def _understood(self):
        """End a process that does not keep to the protocol."""
        try:
            yield
        except (ValueError, TypeError, LookupError):
            self._end()
            raise Gone(
                "gone",
                "its process cannot be understood: does the code fork, or write to a "
                "file that it did not open?",
            ) from None

    def _exchange(self, request):
        if self._process is None:
            raise Gone("gone", "the process that held the answer has ended")
        self._pipe.send_bytes(request)
        return self._receive(self._seconds)

    def _receive(self, seconds):
        """The next message; after `seconds`, or where none can come, Gone."""
        try:
            if self._pipe.poll(seconds):
                return self._pipe.recv_bytes(LONGEST)
            kind, text = "time", f"not done after {seconds} s"
        except (EOFError, OSError):
            kind = "gone"
            text = "the process ended: does the code exit, or make something huge?"
        self._end()
        raise Gone(kind, text)

    def _start(self):
        """Have a process that has run the cells; it may take several tries."""
        while self._process is None:
            self._launch()
            cell = None
            try:
                while True:
                    said, id, problem = self._said(self._patience(cell))
                    if said == "ready":
                        return
                    cell = id if said == "begin" else None
                    if problem:
                        self.problems[id] = problem
            except Gone as error:
                if cell is None:
                    raise
                self.problems[cell] = str(error)
                self.cells = [c for c in self.cells if c[0] != cell]

    def _said(self, seconds):
        """What the process says of a cell: ("begin", "end" or "ready", id, problem)."""
        with self._understood():
            said, id, problem = wire.decode(self._receive(seconds))
            if said != "ready" and id not in dict(self.cells):
                raise LookupError(id)
            return said, id, problem and str(problem)[:500]

    def _patience(self, cell):
        return START_SECONDS if cell is None else PATIENCE * CELL_SECONDS + GRACE

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
