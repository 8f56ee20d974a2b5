"""Two processes that call each other by message: a student's, and the references'.

A value crosses if it is plain. Any other object stays where it is, and the other side
gets a stand-in for it, which sends back whatever is done with it. So a reference can
work on a module of the student's process, and nothing of either is ever copied: no
code, no frame, no closure.

A request waits for its result, and serves what it is asked meanwhile. Every message
says which request it belongs to, so one that was given up (by a time limit, say) does
no harm to those that come after it.
"""

import builtins
import contextlib
import itertools
import math
import signal
import socket
import threading

import msgpack
import numpy as np

from minigrad.dtypes import DTYPES
from minigrad.kernels.copy import STRIDES

from .codec import CROSSING, NotPlain
from .connection import HEAD

# Kinds of values that msgpack does not know: an object of the sender or the receiver; a
# name of minigrad; ...
MINE, YOURS, PLACE, LIST, DICT, ARRAY, SLICE, ELLIPSIS, DTYPE, NUMBER, STRUCT, RANGE = (
    range(12)
)
BIG = 12
HOW = {"use_list": False, "strict_map_key": False}  # messages are read
SMALL = 2**16  # bytes of a message that the system takes at once
LONGEST = 2**28
SPARSE = 8  # times as much memory as an array has elements, that is sent with it
MOST = 2**63
REPLIES = "gives", "raises"
BY_NAME = {dtype.name: dtype for dtype in DTYPES}
NAME_OF = {id(dtype): dtype.name for dtype in DTYPES}
PLAIN = {int, float, str, bool, type(None), bytes}
VIEWS = type({}.keys()), type({}.values()), type({}.items())
ERRORS = {
    name: error for name, error in vars(builtins).items()
    if isinstance(error, type) and issubclass(error, Exception)
}  # fmt: skip


class Closed(RuntimeError):
    """The other side has ended, or refuses to go on."""


class Abandoned(BaseException):
    """The request that this serves was given up; a later message has come."""


class StandIn:
    """What stands for an object of the other side, which knows it by a number."""

    __slots__ = ("channel__", "number__")

    def __init__(self, channel, number):
        object.__setattr__(self, "channel__", channel)
        object.__setattr__(self, "number__", number)


class Channel:
    """One end. `perform(what, values)` does what the other side requests."""

    def __init__(self, end):
        self.end = end if isinstance(end, socket.socket) else socket.socket(fileno=end)
        self.end.settimeout(None)
        self.lock = threading.RLock()
        self.mine, self.numbers = {}, {}  # number -> object; id of an object -> number
        self.held = {}  # those of `mine` that are needed in later requests, too
        self.count = itertools.count(1)
        self.depth = 0  # of what is said about a value within what is said
        self.told = set()  # numbers of those of which the other side knows
        self.theirs = {}  # number -> what stands for an object of the other side
        self.requests = 0
        self.waiting, self.serving = [], [0]  # requests that are under way, and whose
        self.posted = set()  # requests whose results nobody waits for
        self.later = []  # messages for requests around the one that is under way
        self.next = None  # a message that was read by one who had to give up
        self.packer = msgpack.Packer(unicode_errors="replace")
        self.makers = {
            MINE: self._their,
            YOURS: lambda n: self.held[n] if n in self.held else self.mine[n],
            PLACE: self.place,
            LIST: self._list,
            DICT: self._dict,
            ARRAY: _array,
            SLICE: lambda parts: slice(*map(self._whole, parts)),
            ELLIPSIS: lambda _: ...,
            DTYPE: BY_NAME.__getitem__,
            NUMBER: _number,
            STRUCT: lambda data: np.frombuffer(data, STRIDES)[0],
            RANGE: lambda parts: range(*parts),
            BIG: lambda text: int(text, 16),
        }
        self.dated = False  # was something used that another message may change?
        self.done = 0  # requests of the other side that were served

    def request(self, what, *values):
        """What the other side gives; or raises, as an error of the same type."""
        with self.lock:
            if self.next is not None:
                raise Abandoned
            self.requests += 1
            number = self.requests
            self._send(number, self.serving[-1], what, values)
            self.waiting.append(number)
            try:
                return self._result(number)
            finally:
                del self.waiting[self.waiting.index(number) :]
                self.later = [m for m in self.later if m[1] in self.waiting]
                if not self.waiting and self.serving == [0]:
                    self.forget()

    def post(self, what, *values):
        """Have something done, and go on; the number of what will come of it.

        An error of it is raised where it is done.
        """
        if self.next is not None:
            raise Abandoned
        self.requests += 1
        self.posted.add(self.requests)
        self._send(self.requests, self.serving[-1], "post", [what, *values])
        return -self.requests

    def serve_one(self):
        """Do what is requested next, and what has come instead of it."""
        while True:
            with contextlib.suppress(Abandoned):
                number, of, what, values = self._message()
                if of == 0:  # what was lent for the request before is needed no more
                    self.posted.clear()
                    self.forget()
                if (of == 0 or of in self.posted) and what not in REPLIES:
                    self._do(number, what, self._list(values))
                return

    def forget(self):
        """Let go of the objects that were lent for one request."""
        self.mine.clear()
        self.numbers.clear()
        self.told.clear()
        self.theirs.clear()

    def perform(self, what, values):
        raise NotImplementedError

    def stand_in(self, number, about):
        """What stands for an object of the other side."""
        raise NotImplementedError

    def about(self, value):
        """What the other side should know of an object, as a plain value."""
        return None

    def news(self, value):
        """The same, of an object that the other side knows already."""
        return None

    def heard(self, stand_in, news):
        """Note what is new of an object of the other side."""

    def place(self, name):
        """What a PLACE of the other side is here."""
        raise NotPlain("a place")

    def error_of(self, types, args, number):
        """The error to raise for one that the other side has raised."""
        types = (ERRORS.get(name) or self.error_type(name) for name in types)
        return next(filter(None, types), RuntimeError)(*args)

    def error_type(self, name):
        """A type of errors that is not Python's own; None for one that is unknown."""

    def raised(self, error):
        """What the other side learns of an error: types, arguments, and a number."""
        types = [f"{c.__module__}:{c.__qualname__}" for c in type(error).__mro__[:-2]]
        args = error.args if all(type(a) in PLAIN for a in error.args) else [f"{error}"]
        return [[name.removeprefix("builtins:") for name in types], list(args), 0]

    # ------------------------------------------------------------ messages

    def _result(self, number):
        while True:
            message = self._message(number)
            of, request, what, values = message
            if request == number and what in REPLIES:
                values = self._list(values)
                if what == "gives":
                    result, self.dated = values
                    return result
                raise self.error_of(*values)
            if what == "post" and request == number:
                self._post(of, *self._list(values))
            elif request == number or request in self.posted:
                with contextlib.suppress(Abandoned):
                    self._do(of, what, self._list(values))
            elif request == 0 or request in self.waiting:
                self.of_another(message)

    def of_another(self, message):
        """A message has come that belongs to a request around this one."""
        raise NotImplementedError

    def _do(self, number, what, values):
        self.serving.append(number)
        self.done += 1
        try:
            result = self.perform(what, values)
            reply = "gives", [result, self.dated]
        except Exception as error:
            reply = "raises", self.raised(error)
        finally:
            self.serving.pop()
        try:
            self._send(0, number, *reply)
        except NotPlain as error:
            self._send(0, number, "raises", [["TypeError"], [f"{error}"], 0])

    def _post(self, number, what, *values):
        self.serving.append(number)
        self.done += 1
        try:
            self.mine[-number] = self.perform(what, values)
        finally:
            self.serving.pop()

    def _message(self, number=0):
        """The next message; first those that have waited for this request."""
        if self.next is not None:
            message, self.next = self.next, None
            return message
        for n, message in enumerate(self.later):
            if message[1] == number:
                return self.later.pop(n)
        return self._read()

    def _send(self, number, of, what, values):
        values = [self._flat(value) for value in values]
        try:
            data = self.packer.pack([number, of, what, values])
        except (ValueError, OverflowError) as error:
            raise NotPlain(f"{error}") from None
        message = HEAD.pack(len(data)) + data
        if len(message) <= SMALL:  # there is room for it, so it is sent as a whole
            self.end.sendall(message)
        else:
            with undisturbed():
                self.end.sendall(message)

    def _read(self):
        """The next message. Where a time limit ends this, none is read in part."""
        while True:
            seen = self.end.recv(SMALL, socket.MSG_PEEK)
            if not seen:
                raise Closed("the process of the references has ended")
            if len(seen) < HEAD.size:
                continue
            size = HEAD.size + HEAD.unpack_from(seen)[0]
            if size <= len(seen):
                data = self.end.recv(size)
                break
            if size > LONGEST:
                raise Closed(f"a message of {size} bytes")
            with undisturbed():
                data = self.end.recv(size, socket.MSG_WAITALL)
            if len(data) < size:
                raise Closed("the process of the references has ended")
            break
        message = msgpack.unpackb(data[HEAD.size :], **HOW)
        if type(message) is not tuple or len(message) != 4:
            raise ValueError("no message")
        return message

    # ------------------------------------------------------------ values

    def _flat(self, value):
        """A value as msgpack has it; what it has not is a map of its kind."""
        kind = type(value)
        if kind in PLAIN:
            return (
                value if kind is not int or -MOST < value < MOST else {BIG: hex(value)}
            )
        if kind is tuple:
            return [self._flat(item) for item in value]
        if kind is list:
            return {LIST: [self._flat(item) for item in value]}
        if kind is dict:
            return {DICT: [[self._flat(k), self._flat(v)] for k, v in value.items()]}
        if kind is np.ndarray and value.dtype.kind in "biuf":
            return {ARRAY: _laid_out(value)}
        if kind is slice:
            return {
                SLICE: [self._flat(n) for n in (value.start, value.stop, value.step)]
            }
        if value is ...:
            return {ELLIPSIS: None}
        if id(value) in NAME_OF:
            return {DTYPE: NAME_OF[id(value)]}
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return {NUMBER: [value.dtype.str, value.tobytes()]}
        if kind is np.void and value.dtype == STRIDES:
            return {STRUCT: value.tobytes()}
        if kind is range:
            return {RANGE: [value.start, value.stop, value.step]}
        if kind in VIEWS:
            return {LIST: [self._flat(item) for item in value]}
        return self._lent(value)

    def _lent(self, value):
        """An object as its number."""
        if isinstance(value, StandIn):
            return {YOURS: value.number__}
        number = self.numbers.get(id(value))
        if number is None:
            number = self.numbers[id(value)] = next(self.count)
            self.mine[number] = value
        if number in self.told:
            return {MINE: [number, self._flat(self.news(value))]}
        self.depth += 1
        try:
            self.told.add(number)
            return {MINE: [number, self._flat(self.about(value))]}
        finally:
            self.depth -= 1

    def _whole(self, value):
        """The value that `_flat` was given on the other side."""
        kind = type(value)
        if kind is tuple:
            return tuple([self._whole(item) for item in value])
        if kind is not dict:
            return value
        ((kind, parts),) = value.items()
        return self.makers[kind](parts)

    def _list(self, parts):
        return [self._whole(item) for item in parts]

    def _dict(self, parts):
        return {self._whole(k): self._whole(v) for k, v in parts}

    def _their(self, parts):
        number, about = parts
        if number not in self.theirs:
            self.theirs[number] = self.stand_in(number, self._whole(about))
        elif about is not None:
            self.heard(self.theirs[number], self._whole(about))
        return self.theirs[number]


def _number(parts):
    return np.frombuffer(parts[1], _dtype(parts[0]))[0]


def _laid_out(array):
    """An array's dtype, shape, bytes, strides, and offset: it stays laid out as it is.

    Where it uses a small part of its memory, no strides: its elements are in order.
    """
    dtype, steps = array.dtype, zip(array.shape, array.strides, strict=True)
    steps = [(size - 1) * stride for size, stride in steps]
    offset = -sum(step for step in steps if step < 0)
    size = offset + sum(step for step in steps if step > 0) + dtype.itemsize
    if array.flags.c_contiguous or size > SPARSE * array.nbytes:
        strides = array.strides if array.flags.c_contiguous else None
        return [dtype.str, array.shape, array.tobytes(), strides, 0]
    data = bytearray(size)
    np.ndarray(array.shape, dtype, data, offset, array.strides)[...] = array
    return [dtype.str, array.shape, bytes(data), array.strides, offset]


def _array(parts):
    dtype, shape, data, strides, offset = parts
    if math.prod(shape) > LONGEST:
        raise ValueError(f"an array of shape {shape}")
    return np.ndarray(shape, _dtype(dtype), bytearray(data), offset, strides)


def _dtype(name):
    if name not in CROSSING:
        raise ValueError(f"arrays of {name!r:.40} do not cross")
    return np.dtype(name)


@contextlib.contextmanager
def undisturbed():
    """Let no time limit break a message in two."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
