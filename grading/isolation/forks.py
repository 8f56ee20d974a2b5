"""Processes of the box: they are forked from a zygote, and ended from here.

The first message to one, [kind, ...], says what it's for; see zygote.KINDS.
"""

import atexit
import contextlib
import os
import socket
import tempfile

from . import sandbox
from .connection import Line

START_SECONDS = 120  # to import NumPy and minigrad on a busy machine
END_SECONDS = 5  # until a guard has ended what it guards
CODE = (  # collections would look through what is imported, again and again
    "import gc; gc.disable(); from grading.processes.zygote import serve; "
    "serve({fd}, {boxed})"
)


class Zygote:
    """The process from which the others are forked."""

    def __init__(self, unsafe):
        if not unsafe:
            sandbox.expect()
            sandbox.boxing = True

        def how(fd):
            command = sandbox.python(CODE.format(fd=fd, boxed=not unsafe))
            return {"args": command} if unsafe else sandbox.boxed(command)

        environment = sandbox.ENVIRONMENT | {
            "CUDA_VISIBLE_DEVICES": "",
            "LD_BIND_NOW": "1",  # else each fork looks up what it's first to call
        }
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            more = {"env": environment, "stderr": errors}
            self._process, self.control = sandbox.started(how, **more)
            atexit.register(self.end)
            self.control.settimeout(START_SECONDS)
            self.kind = self.control.recv(16).decode()
            if not self.kind:
                self.end()
                errors.seek(0)
                said = errors.read(2**20).split("\n")
                raise OSError(
                    next((x for x in reversed(said) if x.strip()), "it ended")
                )

    def lives(self):
        return self.kind and self._process.poll() is None

    def end(self):
        """End it and, in a box, all that was ever forked from it."""
        atexit.unregister(self.end)
        self.control.close()
        sandbox.end(self._process)


_zygotes = {}  # (this process, unsafe, box) -> Zygote


def zygote(unsafe=False, box="students"):
    """The zygote of this process; or a new one, if what it forks cannot be parted.

    box: whose it is; others have another.
    """
    key = os.getpid(), unsafe, box
    found = _zygotes.get(key)
    if found is None or not found.lives():
        found = _zygotes[key] = Zygote(unsafe)
    if found.kind == "shared":  # one box, one process
        del _zygotes[key]
    return found


class Fork:
    """A process in namespaces of its own. `line` leads to it.

    again(): have another one in its place, in the same namespaces, of which the first
    has left nothing. OSError where none can be started.
    """

    def __init__(self, *box):
        """box: the arguments of zygote."""
        self._box, self.line = box, None
        for _ in range(2):  # the zygote may have been killed
            try:
                self._zygote = zygote(*box)
                self._spawner, self._guard = _pair(self._zygote.control)
                self._spawn()
                return
            except OSError as error:
                why = error
        raise OSError(f"no process can be started for the answers: {why}")

    def again(self):
        self.leave()
        try:
            if self._zygote.kind == "shared":
                raise OSError("one box, one process")
            self._spawn()
        except OSError:
            self.end()
            self.__init__(*self._box)

    def end(self):
        """End the process, and wait until nothing is left of it."""
        self.leave()
        self._spawner.close()
        self._guard.shutdown(socket.SHUT_WR)
        self._guard.settimeout(END_SECONDS)
        with contextlib.suppress(OSError):
            self._guard.recv(1)
        self._guard.close()
        if self._zygote.kind == "shared":
            self._zygote.end()

    def _spawn(self):
        line, self._lifeline = _pair(self._spawner)
        self.line = Line(line, reads_ahead=True)

    def leave(self):
        """Have the process ended."""
        if self.line:
            self.line.close()
            self._lifeline.shutdown(socket.SHUT_WR)  # close() is not enough, if we fork
            self._lifeline.close()
            self.line = None


def _pair(control):
    """Our ends of two pairs of sockets, whose other ends are sent away."""
    (one, theirs), (other, guards) = socket.socketpair(), socket.socketpair()
    with theirs, guards:
        socket.send_fds(control, [b"."], [theirs.fileno(), guards.fileno()])
    return one, other
