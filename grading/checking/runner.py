"""The subject: what a check talks to instead of the learner's function.

A check says "call this hole with these plain values" and gets plain values back. A
tensor is made on the learner's side, and seen there. So one check serves an answer in
this process and one in another, behind bytes.
"""

import contextlib
import dis
import functools
import linecache
import traceback
import types

import numpy as np

from minigrad import layout, suggest
from minigrad.course import CHAPTERS, solution
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import exercises, find, isolated, kind
from minigrad.exercises.sandbox import TimeUp, alone, captured, time_limit
from minigrad.tensor import Tensor

from .. import drivers
from ..drivers import fake_gpu
from ..drivers.guards import Misuse, without_torch
from ..isolation.codec import ANY, NotPlain, Seen, decode, encode, plain
from ..isolation.replies import LONGEST_TEXT, About, Outcome, Problem

MOST = 2**20  # elements of a tensor that are looked at
READS = "LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"  # steps that name what is outside


class LocalSubject:
    """The answers that this process holds. trusted: they are the course's own.

    Arguments go through bytes here, too: `is` then says what it says elsewhere.
    """

    simulator = None  # what compiles kernels' texts; None: this process does
    outside = None  # what an answer may ask while it is called: a check's function

    def __init__(self, trusted=False):
        self._watch = contextlib.nullcontext if trusted else without_torch
        self._results = {}  # name of a hole -> memory of its results, see Watched

    def about(self, name):
        """Is there an answer, and where does it come from?"""
        answer = find(name).answer
        if answer is None:
            return About("not answered")
        state = "solution" if answer.from_solutions else "answered"
        return About(state, *answer.source[:3], _uses_torch(answer.value))

    def text(self, name):
        """A kernel's answer, CUDA C, and nothing of it is run here.

        Of a text that is too long, one character too many; without lone surrogates.
        """
        text = plain(find(name).answer.value, _refuse)[: LONGEST_TEXT + 1]
        return text.encode("utf-8", "replace").decode()

    def ahead(self, name, many, seconds):
        """Hear what the next calls will be; here each waits for its turn."""

    def call(self, name, args, seconds, own=False):
        """Call an answer. The other holes run the course's solutions, unless `own`."""
        return self.called(name, decode(encode(args)), seconds, own)

    def called(self, name, values, seconds, own=False):
        """Call an answer with values that nobody else has."""
        hole = find(name)
        arguments = fake_gpu.arguments(values, self.outside)
        bases = [(_memory(a), a.storage) for a in arguments if isinstance(a, Tensor)]
        with captured() as page, alone():
            try:
                value = self._call(hole, arguments, seconds, own)
                value = plain(value, functools.partial(_kept, bases=bases))
                problem = None
            except TimeUp:
                value, problem = None, Problem("time", f"not done after {seconds} s")
            except NotPlain as error:
                value, problem = None, Problem("type", str(error))
            except Misuse as error:
                value, problem = None, Problem(error.kind, str(error))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                value, problem = None, _raised(error, hole)
        return Outcome(value, problem, page.getvalue())

    def _call(self, hole, arguments, seconds, own):
        if not own:
            _references()
        others = contextlib.nullcontext() if own else isolated(hole)
        with others, time_limit(seconds), self._watch():
            earlier = self._results.setdefault(hole.name, [])
            return drivers.played(hole, arguments, earlier)


def served(subject, request):
    """Yield the replies, in bytes, to a request of a ProcessSubject."""
    method, *args = decode(request, most=ANY)
    if method != "calls":
        yield serve(subject, request)
        return
    name, many, seconds = args
    for values in many:
        outcome = subject.called(name, decode(values, most=ANY), seconds)
        yield _encoded(outcome)
        if outcome.problem and outcome.problem.is_last:
            return


def serve(subject, request):
    """The reply, in bytes, to a request of a WireSubject; see replies.py."""
    method, *args = decode(request, most=ANY)
    do = {"about": subject.about, "text": subject.text, "call": subject.called}
    if method not in do:
        raise ValueError(f"a subject has no {method!r}")
    return _encoded(do[method](*args))


def _encoded(reply):
    try:
        return encode(_bare(reply))
    except NotPlain as error:
        return encode((None, ("type", f"{error}", (), ""), ""))


def _bare(value):
    """Named tuples, but for tensors, as plain tuples."""
    if isinstance(value, tuple) and not isinstance(value, Seen):
        return tuple(_bare(item) for item in value)
    return value


@functools.cache
def _references():
    """Load the course's own answers once: other holes run them while one is judged."""
    with_holes = {entry.chapter for entry in exercises()}
    for chapter in CHAPTERS:
        if chapter.name in with_holes and solution(chapter.name).exists():
            load_references(chapter.name)


def _kept(value, bases):
    """What crosses in the place of a value that is not plain. bases: of `_seen`."""
    if fake_gpu.described(value):
        return fake_gpu.described(value)
    if not isinstance(value, Tensor):
        _refuse(value)
    _examine(value)
    return _seen(value, bases)


def _refuse(value):
    raise NotPlain(kind(value))


def _seen(t, bases):
    """A tensor as Seen. bases: (memory, storage) of those that were given.

    Its offset counts from where a base's storage begins, if it lies in there.
    """
    data, offset, shares = t.storage.data, t.offset, False
    inside = layout.extent(t.shape, t.strides, offset) <= len(data)
    inside = inside and min(0, offset, *t.strides, *t.shape) == 0
    values = np.array(t.numpy()) if inside and t.numel() <= MOST else None
    for memory, base in bases:
        cell, rest = divmod(_memory(t) - memory, base.data.itemsize)
        if 0 <= cell < len(base.data) and rest == 0 and len(data):
            offset, shares = offset + cell, True
            break
    numbers = (plain(part, _refuse) for part in (t.shape, t.strides, offset))
    return Seen(*numbers, str(t.dtype), values, shares)


def _memory(t):
    """Where the memory of a tensor begins."""
    return int(t.storage.data.__array_interface__["data"][0])


def _examine(tensor):
    """Raise NotPlain for a tensor that nobody could read."""
    shape, strides, offset = tensor.shape, tensor.strides, tensor.offset
    numbers = *shape, *strides, offset
    whole = all(
        isinstance(n, int | np.integer) and abs(int(n)) < 2**63 for n in numbers
    )
    data = getattr(tensor.storage, "data", None)
    if not whole or len(shape) != len(strides):
        raise NotPlain(
            f"a tensor of shape {shape}, strides {strides}, offset {offset}: "
            f"it needs as many strides as sizes, and ints of 64 bits everywhere"
        )
    if not (isinstance(data, np.ndarray) and data.ndim == 1):
        raise NotPlain("a tensor whose storage is no flat array")


def _raised(error, hole):
    names = tuple(c.__name__ for c in type(error).__mro__[:-1])
    try:
        message = str(error) + suggest.meant(error)
    except Exception:
        message = "(its message cannot be read)"
    return Problem("raised", message, names, _own_line(error, hole))


def _own_line(error, hole):
    """The last line of the learner's cell that the error passed through."""
    answer = hole.answer.value
    own = getattr(getattr(answer, "__code__", None), "co_filename", None)
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == own:
            text = linecache.getline(own, frame.lineno).strip()
            return f"line {frame.lineno}: {text}"
    return ""


def _uses_torch(function, depth=3):
    """Does an answer, or a function of the notebook that it calls, use PyTorch?"""
    values = getattr(function, "__globals__", {})
    names = names_in(getattr(function, "__code__", None), *READS)
    for name in names:
        value = values.get(name)
        module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
        if str(module).split(".")[0] == "torch" or name.split(".")[0] == "torch":
            return True
        helper = isinstance(value, types.FunctionType) and depth
        if helper and value.__globals__ is values and _uses_torch(value, depth - 1):
            return True
    return False


def names_in(code, *steps):
    """The names that such steps of a function's code, or of one inside, speak of."""
    if code is None:
        return
    for step in dis.get_instructions(code):
        if step.opname in steps:
            yield step.argval
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_in(inner, *steps)
