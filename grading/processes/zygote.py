"""A warm process from which students' processes are forked; it runs in the box.

It has imported NumPy and minigrad, and never a check, a seed, a solution or a
submission. For each student it forks a guard, which makes the namespaces and forks a
spawner into them. That forks the student's processes, one after another, and none of
their code: when either side ends, nothing is left of them.
"""

import contextlib
import functools
import gc
import os
import select
import signal
import socket
import sys
import tempfile

from ..isolation import codec, locks, reader, render
from ..isolation.connection import Line
from ..kernels import simulation
from . import references, worker

# What a process is for -> what it runs.
KINDS = {
    "answers": worker.main,
    "kernels": simulation.serve,
    "pages": render.main,
    "reader": reader.main,
    "references": references.main,
}
OWN, SHARED, OPEN = "own", "shared", "open"  # namespaces: own, the box's, the machine's


def serve(descriptor, boxed):
    """Fork a guard for each pair of sockets that comes in, until nobody sends any.

    Its spawner gets more of them by the first; it ends with the second.

    The first message says of what kind the students' namespaces are.
    """
    _silence()
    control = socket.socket(fileno=descriptor)
    if boxed:
        locks.drop_root()
    worker.warm()
    simulation.warm()
    reader.warm()
    room = Room(boxed)
    gc.freeze()  # so that collections in the children touch no shared page
    gc.enable()
    signal.signal(signal.SIGCHLD, _forget_ended)
    control.send(room.kind.encode())
    while True:
        _, sockets, *_ = socket.recv_fds(control, 1, 2)
        if not sockets:
            return
        if os.fork() == 0:
            control.close()
            room.guard(*sockets)
        for one in sockets:
            os.close(one)


class Room:
    """What a student's process is locked into."""

    def __init__(self, boxed):
        self.kind = (OWN if self._nests() else SHARED) if boxed else OPEN
        self.shown = {}  # what is shown in /tmp, by path: opened
        try:
            self.filter = locks.Filter()
        except OSError:  # no libseccomp
            self.filter = None
            if boxed:
                raise

    def guard(self, control, lifeline):
        """Have a spawner until it ends, or the lifeline's other end closes."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if self.kind == OWN:
            locks.private_namespaces()

        _run(self._spawn, lifeline, control)
        os._exit(0)

    def _spawn(self, control):
        """Fork a process for each pair of sockets, a line and a lifeline."""
        locks.end_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else a student might send it
        if self.kind == OWN:
            self.shown = locks.shown_in_tmp()
            locks.private_proc()
        locks.hide()
        control = socket.socket(fileno=control)
        while True:
            _, sockets, *_ = socket.recv_fds(control, 1, 2)
            if not sockets:
                return
            with self._folder() as folder:
                line, lifeline = sockets
                student = functools.partial(self._student, folder, control)
                _run(student, lifeline, line)
                if self.kind == OWN:
                    locks.end_all()
            os.close(lifeline)

    @contextlib.contextmanager
    def _folder(self):
        """A folder for a process to write to, of which nothing is left."""
        if self.kind == OWN:
            with locks.private_tmp(self.shown):
                yield "/tmp"
        elif self.kind == OPEN:
            with tempfile.TemporaryDirectory(
                prefix="minigrad-", ignore_cleanup_errors=True
            ) as folder:
                yield folder
        else:  # one box for one process
            yield "/tmp"

    def _student(self, folder, control, pipe):
        control.close()
        for opened in self.shown.values():
            os.close(opened)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        locks.end_with_parent()
        os.setsid()  # signals to the group stay with it
        os.chdir(folder)
        os.environ["HOME"] = folder
        sys.path.append(folder)  # last: a file there takes no module's place
        locks.limit(locks.LIMITS)
        if self.kind != OPEN:
            locks.powerless()
        locks.show()
        if self.filter:
            self.filter.shut()
        line = Line(pipe)
        kind, *values = codec.decode(line.receive(), most=codec.ANY)
        KINDS[kind](line, *values)

    def _nests(self):
        """May a process of the box have namespaces of its own?"""
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                locks.private_namespaces()
                inner = os.fork()
                if inner == 0:
                    with contextlib.suppress(BaseException):
                        shown = locks.shown_in_tmp()
                        locks.private_proc()
                        with locks.private_tmp(shown):
                            os._exit(0)
                    os._exit(1)
                os._exit(os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1]))
            os._exit(1)
        return os.waitpid(child, 0)[1] == 0


def _run(function, lifeline, end):
    """Call function(end) in a child until it ends, or the lifeline's other end closes.

    end: the descriptor of a socket, which only the child has then.
    """
    ends, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ends)
        os.close(lifeline)
        try:
            function(end)
        finally:
            os._exit(1)
    os.close(held)
    os.close(end)
    select.select([lifeline, ends], [], [])
    os.close(ends)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _forget_ended(*_):
    """Let Linux forget the guards that have ended, and add up their CPU time."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _silence():
    """Send what is printed below Python's own streams nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
