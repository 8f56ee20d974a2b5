"""The subject: what a check talks to instead of the learner's function.

A check says "call this exercise with these plain values" and gets plain values back. A
tensor is made on the learner's side, and seen there. So one check serves an answer in
this process and one in another, behind bytes.
"""

import contextlib
import dis
import functools
import io
import linecache
import pickle
import sys
import traceback
import types
from dataclasses import dataclass, field

import numpy as np

from minigrad import layout, suggest
from minigrad.course import CHAPTERS, solution
from minigrad.exercises import exercise as exercise_module
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import exercises, find, isolated, kind
from minigrad.exercises.sandbox import TimeUp, alone, captured, time_limit
from minigrad.tensor import Tensor

from .. import drivers
from ..drivers import fake_gpu
from ..drivers.guards import Misuse, resume
from ..isolation.codec import (
    ANY,
    MAX_BITS,
    NotPlain,
    Seen,
    TooMuch,
    decode,
    encode,
    expect_short,
)
from ..isolation.replies import LONGEST, LONGEST_TEXT, About, Outcome, Problem

MOST = 2**20  # elements of a tensor that are looked at
FEW = 40  # of an error's classes
NUMBERS = {bool, int, float, type(None)}
READS = "LOAD_GLOBAL", "LOAD_NAME", "IMPORT_NAME"  # steps that name what is outside


class Apart(pickle.Pickler):
    """Copies plain values as they come out of bytes; if `fast`, nothing is shared."""

    def reducer_override(self, value):
        if type(value) is not np.ndarray:
            return NotImplemented
        return _array, (value.tobytes(), value.dtype.str, value.shape)


@dataclass(eq=False)
class LocalSubject:
    """The answers that this process holds. trusted: they are the course's own.

    Arguments are copies, as elsewhere: `is` then says what it says there.
    """

    trusted: bool = False
    earlier: dict = field(default_factory=dict)  # exercise -> memory, see Watched

    wrong_with_own: set = field(default_factory=set)  # see Judgment.tried
    simulator = None  # what compiles kernels' texts; None: this process does
    outside = None  # what an answer may ask while it is called: a check's function
    ahead = None  # here each call waits for its turn

    def about(self, name):
        """Is there an answer, and whose is it?"""
        answer = find(name).answer
        if answer is None:
            return About("not answered")
        state = "solution" if answer.from_solutions else "answered"
        return About(state, _uses_torch(answer.value))

    def text(self, name):
        """A kernel's answer, CUDA C, and nothing of it is run here.

        Of a text that is too long, one character too many; without lone surrogates.
        """
        text = plain(find(name).answer.value, _refuse)[: LONGEST_TEXT + 1]
        return text.encode("utf-8", "replace").decode()

    def call(self, name, args, seconds, own=False):
        """Call an answer. All others are the course's solutions, unless `own`."""
        exercise, page, bases, value, problem = find(name), io.BytesIO(), [], None, None
        copier = Apart(page, 4)
        copier.fast = True  # the same value twice is two values
        copier.dump([*args])
        arguments = pickle.loads(page.getvalue())
        is_scene = arguments and type(arguments[0]) is dict and "scene" in arguments[0]
        if dict in map(type, arguments[bool(is_scene) :]):
            arguments = fake_gpu.arguments(arguments, self.outside)
            for tensor in filter(Tensor.__instancecheck__, arguments):
                bases.append((_memory(tensor), tensor.storage))
        if not own:
            _references()
        others = contextlib.nullcontext() if own else isolated(exercise)
        watch = contextlib.nullcontext() if self.trusted else without_torch()
        earlier = self.earlier.setdefault(exercise.name, [])
        with captured() as page, alone():
            try:
                with others, time_limit(seconds), watch:
                    value = drivers.played(exercise, arguments, earlier)
                value = plain(value, functools.partial(_kept, bases=bases))
                flat = type(value) is tuple and len(value) <= 100
                if not flat or not NUMBERS.issuperset(map(type, value)):
                    expect_short(value)  # else it is
            except TimeUp:
                problem = Problem("time", f"not done after {seconds} s")
            except NotPlain as error:
                problem = Problem("type", str(error))
            except TooMuch as error:
                problem = Problem("much", f"it returns {error}")
            except Misuse as error:
                problem = Problem(error.kind, str(error))
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                problem = _raised(error, exercise)
        return Outcome(None if problem else value, problem, page.getvalue())


@contextlib.contextmanager
def without_torch():
    """Raise Misuse if PyTorch was called in this block, by whatever name or way."""
    if getattr(sys.modules.get("torch"), "is_absent", False):  # it cannot be
        yield
        return
    called, before = set(), sys.getprofile()

    def look(frame, event, function):  # at every call and return: nothing to spare
        if event == "call":
            of = frame.f_globals.get("__name__")
        elif event == "c_call":
            of = function.__module__ or type(function.__self__).__module__
        else:
            return
        if of and of[:5] == "torch":
            python = event == "call"
            name = frame.f_code.co_name if python else function.__name__
            frame = frame.f_back if python else frame
            caller = (frame and frame.f_globals.get("__name__")) or ""
            # what runs when an object of the check's, or an earlier cell's, dies now,
            # and in the place of inspect's getfile
            own = caller in ("weakref", "inspect") or of == "torch.utils.weak"
            if name != "__del__" and not own and caller[:5] != "torch":
                called.add(name)

    sys.setprofile(look)
    try:
        yield
    finally:
        resume(before)
        if called:
            text = f"PyTorch is the judge here, and {max(called)}() is its own"
            raise Misuse("uses_torch", text)


def plain(value, keep, depth=0):
    """`value` as a plain value of exact types; `keep(object)` for any other."""
    if depth > 32:
        _refuse(what="a value nested more than 32 deep")
    if value is None or value is ... or isinstance(value, bool | np.bool_):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, int | np.integer):
        if int(value).bit_length() > MAX_BITS:
            _refuse(what="an int of more than a thousand digits")
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may have a __str__ of its own
    inside = functools.partial(plain, keep=keep, depth=depth + 1)
    if isinstance(value, tuple):
        return tuple(map(inside, value))
    if isinstance(value, list):
        return [*map(inside, value)]
    if isinstance(value, dict):
        return {inside(k): inside(v) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*map(inside, (value.start, value.stop, value.step)))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return np.array(value, copy=True, subok=False)
    return keep(value)


def _array(data, dtype, shape):
    return np.frombuffer(data, dtype).reshape(shape).copy()


def served(subject, request):
    """Yield the replies, in bytes, to a request of a ProcessSubject."""
    method, *args = decode(request, most=ANY)
    if method != "calls":
        yield serve(subject, request)
        return
    name, many, seconds = args
    for values in many:
        outcome = subject.call(name, decode(values, most=ANY), seconds)
        yield _encoded(outcome)
        if outcome.problem and outcome.problem.is_last:
            return


def serve(subject, request):
    """The reply, in bytes, to a request of a WireSubject; see replies.py."""
    method, *args = decode(request, most=ANY)
    do = {"about": subject.about, "text": subject.text, "call": subject.call}
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
    """Load the course's own answers, unless another process has them, once."""
    if exercise_module.supply:
        return
    with_exercises = {entry.chapter for entry in exercises()}
    for chapter in CHAPTERS:
        if chapter.name in with_exercises and solution(chapter.name).exists():
            load_references(chapter.name)


def _kept(value, bases):
    """What crosses in the place of a value that is not plain. bases: of `_seen`."""
    if isinstance(value, BaseException):
        error = type(value).__name__
        raise NotPlain(f"{kind(value)} is returned, but must be raised: write "
                       f"`raise {error}(...)`")  # fmt: skip
    if fake_gpu.described(value):
        return fake_gpu.described(value)
    if not isinstance(value, Tensor):
        _refuse(value)
    _examine(value)
    return _seen(value, bases)


def _refuse(value=None, what=""):
    wanted = "return numbers, tuples or a tensor, with ints inside"
    raise NotPlain(f"{wanted}, not {what or kind(value)}")


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
        _refuse(what="a tensor whose storage is no flat array")


def _raised(error, exercise):
    names = tuple(c.__name__ for c in type(error).__mro__[:-1])
    try:
        message = str(error) + suggest.meant(error)
    except Exception:
        message = "(its message cannot be read)"
    where = _own_line(error, exercise)
    return Problem("raised", message[:LONGEST], names[:FEW], where[:LONGEST])


def _own_line(error, exercise):
    """The last line of the learner's cell that the error passed through."""
    answer = exercise.answer.value
    own = getattr(getattr(answer, "__code__", None), "co_filename", None)
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        if frame.f_code.co_filename == own:
            return f"line {line}: {linecache.getline(own, line).strip()}"
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
