"""Asking the box to read a file that a student has handed in, and what it replies.

Nothing here parses such a file. A process of the box does (see ../isolation/reader.py),
a new one for each file, and what it replies is examined before it is used.
"""

import functools
import socket
import time
import weakref
from typing import NamedTuple

from minigrad.exercises.sandbox import PATIENCE

from ..isolation import codec, sandbox
from ..isolation.connection import LONGEST
from ..isolation.forks import Fork
from ..isolation.reader import ALL_CODE, CELLS, LIMITS, NAME, NAMES, SHOWN
from .files import LIMIT, fingerprint, opened

SECONDS = PATIENCE * LIMITS["RLIMIT_CPU"]
TRIES = 3  # where the process was ended soon: that may have come from outside
SOON = 5  # seconds
MEMBERS = 1000  # packed files of one student
PATH = 4096  # bytes of a path
_idle = []  # Forks without a process


class Cell(NamedTuple):
    """What is taken of a cell.

    claimed: the grade_id, or else the id, that it claims, or "". answers: the names of
    the exercises that it answers. check: the one that it checks first, or "". checks:
    does it do nothing else? ran: when it last ran, in seconds since 1970, or None.
    """

    code: bool
    claimed: str
    tags: list
    source: str
    answers: list
    check: str
    checks: bool
    ran: float | None


class Notebook(NamedTuple):
    """The Cells of a notebook, and notes on them. why: why it cannot be read, or ""."""

    why: str
    notes: list
    cells: list


class About(NamedTuple):
    """Of a notebook: the chapter and kind that it names, the exercises it answers."""

    chapter: str
    kind: str
    answers: list


class Entry(NamedTuple):
    """A file, or one that is packed in it. path: in the archive; "" for the file.

    about: an About where it is a notebook, else None. data: of what was packed.
    """

    path: str
    problem: str
    date: int
    about: About | None
    data: bytes


class Broken(ValueError):
    """The file cannot be read, or takes too much: the message says why."""


class NoReader(sandbox.NoIsolation):
    """No process can be started that would read a file."""


def notebook(path):
    """The Notebook in a file, whatever the file is; OSError if it cannot be opened."""
    return _notebook(path, fingerprint(path))


def entries(file, name, seconds=SECONDS):
    """The Entries of an open file that one student has handed in.

    seconds: by the clock, of waiting for the box.
    """
    late = time.monotonic() + seconds

    def ask():
        with Reader(file, "entries", name, MEMBERS, LIMIT) as reader:
            reader.left = late - time.monotonic()
            return [*iter(lambda: _entry(reader), None)]

    try:
        return _tried(ask)
    except Broken as error:
        return [Entry("", str(error), 0, None, b"")]


class Reader:
    """A process of the box that has got an open file and a task."""

    def __init__(self, file, task, *values):
        try:
            self.fork = _fork()
        except OSError as error:
            why = "what students hand in cannot be read"
            raise NoReader(f"{why}: {error}. `minigrad doctor` may know more") from None
        self.left = SECONDS
        self.say(["reader", task, *values])
        socket.send_fds(self.fork.line.end, [b"."], [file.fileno()])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end()

    def end(self):
        """End the process; its namespaces stay for the next one."""
        self.fork.leave()
        _idle.append(self.fork)

    def say(self, value):
        self.fork.line.send(codec.encode(value), self.left)

    def heard(self, longest=LONGEST):
        """The bytes of its next message."""
        begun = time.monotonic()
        try:
            return self.fork.line.receive(max(self.left, 0.001), longest)
        finally:
            self.left -= time.monotonic() - begun

    def value(self, longest=LONGEST):
        """The plain value that is its next message."""
        return codec.decode(self.heard(longest), most=longest)


def _fork():
    """A Fork with a new process, in namespaces where nothing is left of an earlier one.

    Making namespaces takes longer than reading a lab.
    """
    if not _idle:
        return Fork(bool(sandbox.why_not()))
    fork = _idle.pop()
    fork.again()
    return fork


class Archive:
    """A platform's own .zip, of any size: its members are read one by one."""

    def __init__(self, path):
        self.file, self.readers = opened(path, None), []  # one at most
        # Not __del__: in a cycle, the sockets would be closed before it is called.
        weakref.finalize(self, _end, self.readers)

    def members(self):
        """[(path, problem, date and time)] of all members; Broken where it is none."""
        members = _tried(self._restarted)
        if isinstance(members, str):
            raise Broken(members)
        return [
            (_text(path, PATH), _text(problem, PATH), [_number(n) for n in date])
            for path, problem, date in members
        ]

    def read(self, number):
        """The bytes of a member; Broken where it cannot be read."""

        def ask():
            if not self.readers:
                self._restarted()
            (reader,) = self.readers
            try:
                reader.left = SECONDS
                reader.say(number)
                why = reader.value()
                return (why, b"") if why else ("", reader.heard(LIMIT))
            except BaseException:
                _end(self.readers)
                raise

        why, data = _tried(ask)
        if why:
            raise Broken(_text(why[0], PATH))
        return data

    def _restarted(self):
        _end(self.readers)
        self.readers.append(Reader(self.file, "members", LIMIT))
        return self.readers[0].value(LIMIT)


def _end(readers):
    while readers:
        readers.pop().end()


def _tried(ask):
    """What `ask` returns; Broken where the process that reads fails again and again."""
    why = "it takes more time or memory to read than a submission may"
    for _ in range(TRIES):
        begun = time.monotonic()
        try:
            return ask()
        except (OSError, EOFError):
            if time.monotonic() - begun > SOON:
                break
        except (ValueError, TypeError, LookupError):
            why = "what the box says of it makes no sense"
    raise Broken(why)


@functools.lru_cache(8)  # where others judge, it is read twice
def _notebook(path, _fingerprint):
    def ask():
        with Reader(file, "notebook") as reader:
            why, notes, cells = reader.value(4 * (SHOWN + ALL_CODE) + LONGEST)
            notes = [_text(note, NAME) for note in _list(notes, NAMES)]
            cells = [_cell(*values) for values in _list(cells, CELLS)]
            return Notebook(_text(why, PATH), notes, cells)

    with opened(path) as file:
        try:
            return _tried(ask)
        except Broken as error:
            return Notebook(str(error), [], [])


def _cell(code, claimed, tags, source, answers, check, checks, ran):
    return Cell(
        _of(bool, code),
        _text(claimed, NAME),
        [_text(tag, NAME) for tag in _list(tags, NAMES)],
        _text(source, SHOWN),
        [_text(name, NAME) for name in _list(answers, NAMES)],
        _text(check, NAME),
        _of(bool, checks),
        None if ran is None else _of(float, ran),
    )


def _entry(reader):
    """The next Entry; None after the last one."""
    entry = reader.value()
    if entry is None:
        return None
    path, problem, date, about = entry
    has_data = _text(path, PATH) and not _text(problem, PATH)
    data = reader.heard(LIMIT) if has_data else b""
    return Entry(path, problem, _number(date), _about(*about) if about else None, data)


def _about(chapter, kind, answers):
    names = [_text(name, NAME) for name in _list(answers, CELLS)]
    return About(_text(chapter, NAME), _text(kind, NAME), names)


def _of(kind, value):
    if type(value) is not kind:
        raise ValueError(f"a {type(value).__name__} instead of a {kind.__name__}")
    return value


def _text(value, most):
    if len(_of(str, value)) > most:
        raise ValueError(f"{len(value)} characters")
    return value


def _list(value, most):
    if len(_of(list, value)) > most:
        raise ValueError(f"{len(value)} items")
    return value


def _number(value):
    if not -(2**40) < _of(int, value) < 2**40:
        raise ValueError("a number of many digits")
    return value
