"""What comes from a student's process, examined: of the right shape, or a ValueError.

Nothing here believes what it says; it may be written by hand. A check gets plain values
of the types that it was promised, whatever was sent.
"""

from typing import NamedTuple

import numpy as np

from minigrad.dtypes import DTYPES

from .codec import REPLY, SHORT, Seen, decode, encode

STATES = {"answered", "not answered", "solution"}
LONGEST_TEXT = 2**16  # characters of a kernel
LONGEST = 10_000  # characters of a message, or of what is printed
EARLY = 2**16  # bytes of what is said of an answer before it is called
DEEPEST, MOST = 40, 200_000  # of a value, and how many values in it
NAMES = {dtype.name for dtype in DTYPES}


class Problem(NamedTuple):
    """Why a call gave no value. kind: "raised", "time", "type", "much", or "gone"."""

    kind: str
    message: str
    types: tuple = ()  # the exception's class and its bases, by name
    where: str = ""  # the learner's own line

    @property
    def is_last(self):
        """Is there no use in trying further cases?"""
        return self.kind in ("time", "gone", "listed")


class Outcome(NamedTuple):
    value: object
    problem: Problem | None
    printed: str


class About(NamedTuple):
    """What is known of an answer. state: "answered", "not answered" or "solution"."""

    state: str
    uses_torch: bool = False


class WireSubject:
    """A subject that is reached by bytes: `send(request) -> reply`."""

    simulator = outside = None
    ahead = None  # ahead(name, messages, seconds): hear the next calls, encoded

    def __init__(self, send):
        self._send, self.wrong_with_own = send, set()

    def about(self, name):
        return about(self._ask(EARLY, "about", name))

    def text(self, name):
        given = self._ask(SHORT, "text", name)
        if not isinstance(given, str) or len(given) > LONGEST_TEXT + 1:
            raise ValueError("a kernel's answer is a text, and not a huge one")
        return given

    def call(self, name, args, seconds, own=False):
        return outcome(self._ask(REPLY, "call", name, args, seconds, own))

    def _ask(self, most, *request):
        return decode(self._send(encode([*request])), most=most)


def message(value):
    """[kind, ...], kind being a text."""
    expect(isinstance(value, list) and value and type(value[0]) is str)
    return value


def question(data):
    """What an answer asks while it is called, [what, ...]; None for its Outcome."""
    value = decode(data, most=REPLY)
    asks = isinstance(value, list) and value[:1] == ["ask"]
    return value[1:] if asks else None


def outcome(reply):
    """The Outcome of a call."""
    value, wrong, printed = _sized(reply, 3)
    _examine(value)
    return Outcome(value, wrong and problem(wrong), text(printed))


def about(reply):
    """What is said of an answer."""
    state, uses_torch = _sized(reply, 2)
    expect(state in STATES and type(uses_torch) is bool)
    return About(state, uses_torch)


def text(value):
    """A text, not too long, of characters that any file can hold."""
    expect(type(value) is str)
    return value[:LONGEST].encode("utf-8", "replace").decode()


def problem(parts):
    """What went wrong."""
    kind, message, types, where = _sized(parts, 4)
    expect(isinstance(types, tuple) and len(types) < 50)
    return Problem(text(kind), text(message), tuple(map(text, types)), text(where))


def _sized(value, size):
    expect(isinstance(value, tuple | list) and len(value) == size)
    return value


def _examine(value):
    """Raise for what is nested too deeply, or has too many parts."""
    level, count = [value], 0
    for _ in range(DEEPEST):
        count += len(level)
        expect(count <= MOST)
        level = [part for one in level for part in _parts(one)]
        if not level:
            return
    raise ValueError("nested too deeply")


def _parts(value):
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, Seen):
        _examine_tensor(*value)
        return []
    return value if isinstance(value, list | tuple) else []


def _examine_tensor(shape, strides, offset, dtype, values, shares):
    """Raise unless the parts of a tensor fit each other."""
    for sizes in (shape, strides):
        expect(isinstance(sizes, tuple) and len(sizes) <= 64)
    numbers = [*shape, *strides, offset]
    expect(all(type(n) is int and abs(n) < 2**63 for n in numbers))
    expect(len(shape) == len(strides) and dtype in NAMES and type(shares) is bool)
    expect(values is None or isinstance(values, np.ndarray) and values.shape == shape)


def expect(holds):
    if not holds:
        raise ValueError("not what was agreed")
