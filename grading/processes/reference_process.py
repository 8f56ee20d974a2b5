"""The process of the references, as the grader has it: one for each submission."""

import ast
import functools
import marshal
import socket

from minigrad import course
from minigrad.course import CHAPTERS
from minigrad.exercises.answers import cells_of

from ..isolation import codec
from ..isolation.forks import Fork

SECONDS = 5  # for a reply


class StandingIn:
    """It begins when a student's process first needs it. OSError where it cannot.

    Only `close` hears from it, and it runs no student's code; still it's a stranger, as
    students' processes write to it.
    """

    def __init__(self, unsafe):
        self._unsafe, self._fork = unsafe, None
        self.candidate = None  # (exercise, text, options) of what a test is to call
        self.waiting = None  # our end of a channel that nobody serves yet

    def channel(self):
        """The end of a new channel that a student's process is given."""
        self._leave()
        self.waiting, theirs = socket.socketpair()
        return theirs

    def connect(self, closed):
        """Serve whoever has begun to talk. closed: names that are not served."""
        try:
            self._connect(closed)
        except OSError:
            self.end_process()
            self._connect(closed)
        self._leave()

    def close(self, names):
        """Do not serve these from now on. The names that were served so far."""
        if self._fork is None or self.waiting:
            return set()
        self._fork.line.send(codec.encode(["close", names]), SECONDS)
        served = codec.decode(self._fork.line.receive(SECONDS, codec.SHORT))
        return set(served)

    def end(self):
        self._leave()
        self.end_process()

    def end_process(self):
        if self._fork:
            self._fork.end()
            self._fork = None

    def _connect(self, closed):
        if self._fork is None:
            self._fork = Fork(self._unsafe, "references")
            self._fork.line.send(codec.encode(["references", codes()]), SECONDS)
        self._fork.line.send(codec.encode(["connect", closed, self.candidate]), SECONDS)
        self._fork.line.send_end(self.waiting)

    def _leave(self):
        if self.waiting:
            self.waiting.close()
            self.waiting = None


@functools.cache
def codes():
    """The course's set-up and answer cells as compiled code, by chapter."""
    chapters = [c.name for c in CHAPTERS if course.solution(c.name).exists()]
    return {
        name: [
            marshal.dumps(_compiled(c.text)) for c in cells_of(course.solution(name))
        ]
        for name in chapters
    }


def _compiled(text):
    """Code without docstrings; a set-up's does not ask for other answers."""
    tree = ast.parse(text)
    tree.body = [node for node in tree.body if "answers_from(" not in ast.unparse(node)]
    return compile(tree, "<the course>", "exec", optimize=2)
