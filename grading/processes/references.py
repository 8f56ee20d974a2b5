"""The course's own answers, in a process of their own: references.

They stand in for the exercises that are not judged. A student's process calls them by
message (channel.py) and gets nothing of them but what they return or raise. What they
are given stays there, too, unless it is plain: a StandIn sends back what is done with
it, so `x * y`, `node.edges` and minigrad itself run in the student's process.
"""

import builtins
import functools
import marshal
import re
import select
import sys
import types

from minigrad.autograd.graph import Node
from minigrad.exercises.registry import Exercise, KernelExercise, find
from minigrad.exercises.signature import kernel_signature
from minigrad.kernel import Kernel
from minigrad.tensor import Tensor

from ..drivers.candidates import compiled, defined_last
from ..drivers.reference_calls import CANDIDATE
from ..isolation import codec
from ..isolation.channel import PLACE, Abandoned, Channel, StandIn
from ..kernels.remote_launch import launch

PURE = "minigrad.layout", "minigrad.dtypes"  # modules of functions of plain values
OURS = "minigrad", "cudasim", "grading"
FUNCTIONS = (
    types.FunctionType,
    functools.partial,
    StandIn,
)  # what may be called from elsewhere
OPTION = re.compile(r"-D(T|OP)=\w+")
GIVE_TENSORS = set(  # methods of a tensor, for whose results nobody has to wait
    """add_ sub_ mul_ div_ copy_ unsqueeze expand transpose permute reshape view sum
    mean sqrt rsqrt detach clone as_strided abs""".split()  # noqa: SIM905
)


class Lent(StandIn):
    """An object of the student's process."""

    __slots__ = ("class__", "known__", "news__")
    __array_ufunc__ = None  # NumPy leaves operators to it
    __hash__ = object.__hash__  # within a call, there is one for each object

    def __init__(self, channel, number, kind, known, news):
        super().__init__(channel, number)
        object.__setattr__(self, "class__", kind)
        object.__setattr__(self, "known__", known)
        object.__setattr__(self, "news__", (news, channel.requests))

    def __getattr__(self, name):
        if name in self.known__:
            return self.known__[name]
        if name == "version" and self.news__ == (
            self.news__[0],
            self.channel__.requests,
        ):
            return self.news__[0]
        method = getattr(self.class__, name, None)
        if isinstance(method, types.FunctionType | Exercise):
            return functools.partial(_method, self, name)
        return self.channel__.request("do", "getattr", self, name)

    def __setattr__(self, name, value):
        self.channel__.post("do", "setattr", self, name, value)

    def __call__(self, *args, **named):
        return self.channel__.request("call", self, args, named)

    def __exit__(self, *error):
        return self.channel__.request("do", "__exit__", self, None, None, None)

    def __contains__(self, key):
        if self.class__ is not dict:
            return self.channel__.request("do", "__contains__", self, key)
        known = self.channel__
        there, value = known.request("do", "looked up", self, key)
        known.looked_up = self, key, value, known.requests
        return there

    def __getitem__(self, key):
        known = self.channel__
        thing, name, value, when = known.looked_up
        if thing is self and when == known.requests and name == key:
            return value  # it has been asked whether it is there
        return known.request("do", "__getitem__", self, key)

    def __format__(self, how):
        return self.channel__.request("do", "format", self, how)

    def __array__(self, dtype=None, copy=None):
        array = self.channel__.request("do", "asarray", self)
        return array if dtype is None else array.astype(dtype)

    @property
    def __class__(self):
        return self.class__ or Lent


def _method(thing, name, /, *args, **named):
    if name == "release" and issubclass(thing.class__, Node):
        thing.channel__.post("method", thing, name, args, named)
        return None
    if name in GIVE_TENSORS and _is_tensor(thing):
        return thing.channel__.promise("method", thing, name, args, named)
    return thing.channel__.request("method", thing, name, args, named)


def _class(place):
    """The class that is written at a place of ours; None for anything else."""
    if place == "builtins:dict":
        return dict
    module, _, name = place.partition(":")
    value = sys.modules.get(module) if module.partition(".")[0] in OURS else None
    for part in name.split("."):
        value = vars(value).get(part) if hasattr(value, "__dict__") else None
    written = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    return value if isinstance(value, type) and written == (module, name) else None


def _is_tensor(thing):
    return thing.class__ is not None and issubclass(thing.class__, Tensor)


BINARY = "add sub mul truediv floordiv mod pow matmul and or xor".split()  # noqa: SIM905
OTHERS = """lt le eq ne gt ge neg pos abs invert setitem delitem index
enter""".split()  # noqa: SIM905


def _forwarded(name, function, turned=False, gives_tensor=False):
    def method(self, *others):
        values = (*others, self) if turned else (self, *others)
        known = self.channel__
        ask = known.promise if gives_tensor and _is_tensor(self) else known.request
        return ask("do", function, *values)

    setattr(Lent, name, method)


for _name in BINARY:
    for _method_name in f"__{_name}__", f"__i{_name}__":
        _forwarded(_method_name, _method_name, gives_tensor=True)
    _forwarded(f"__r{_name}__", f"__{_name}__", turned=True, gives_tensor=True)
for _name in OTHERS:
    _forwarded(f"__{_name}__", f"__{_name}__")
for _function in len, iter, next, bool, int, float, str, repr, reversed, round:
    _forwarded(f"__{_function.__name__}__", _function.__name__)


class Place:
    """A module, class, or function of minigrad in the student's process."""

    def __init__(self, references, value, place):
        vars(self).update(references=references, value=value, place=place)

    def __getattr__(self, name):
        value = getattr(self.value, name)
        separator = ":" if isinstance(self.value, types.ModuleType) else "."
        return self.references.placed(value, f"{self.place}{separator}{name}")

    def __call__(self, *args, **named):
        known = self.references
        ask = known.promise if self.value is Tensor else known.request
        return ask("call", self, args, named)

    def __instancecheck__(self, thing):
        return self.references.request("do", "isinstance", thing, self)

    def __mro_entries__(self, bases):
        return (type("Elsewhere", (Elsewhere,), {"references": self.references}),)


class Elsewhere:
    """The base of a class that has minigrad's Function as its base."""

    @classmethod
    def apply(cls, *args):
        return cls.references.request("apply", cls.forward, cls.backward, args)


class ExercisePlace(Place):
    """An exercise: called, it's the student's answer if that is judged."""

    def __call__(self, *args, **named):
        known = self.references
        if known.alone and self.value.name not in known.closed:
            return known.answers[self.value.name](*args, **named)
        return super().__call__(*args, **named)


class References(Channel):
    """The answers, at their end of a channel.

    closed: names of those that are not served. alone: is an exercise judged by itself,
    so that all others run references? served: names of those that were called since
    some were closed.
    """

    def __init__(self, codes):
        """codes: of the course's cells, by chapter."""
        self.answers = self.solved = {}
        self.kernels = {}  # (name, options) -> Kernel
        self.builtins = vars(builtins) | {"__import__": self._import}
        for chapter in codes.values():
            names = {"__name__": "__lab__", "__builtins__": self.builtins}
            for code in chapter:
                exec(marshal.loads(code), names)

    def connect(self, end, closed, candidate=None):
        """Serve another process."""
        super().__init__(end)
        self.answers.pop(CANDIDATE, None)
        if candidate:
            self.take(*candidate)
        self.closed, self.alone, self.served = closed, False, set()
        self.looked_up = None, None, None, 0

    def forget(self):
        self.theirs.clear()  # but a function that was returned may be called later

    def perform(self, what, values):
        do = {"has": self.has, "call": self.call, "run": self.run}
        return (do | {"launch": self.launch})[what](*values)

    def of_another(self, message):
        """Give up: the student's process has given up what this is for."""
        self.next = message
        raise Abandoned

    def has(self, name):
        return name in self.answers and name not in self.closed

    def call(self, name, args, named, alone):
        if not self.has(name):
            raise NotImplementedError(f"{name} is not served")
        self.served.add(name)
        before, self.alone, self.dated = self.alone, alone, False
        try:
            return self.answers[name](*args, **named)
        finally:
            self.alone = before

    def run(self, function, args, named):
        """Call a function that a reference has returned."""
        return function(*args, **named)

    def launch(self, name, options, *how):
        """Launch a kernel. Only T and OP are the caller's, as in its contract."""
        if not self.has(name) or not all(map(OPTION.fullmatch, options)):
            raise NotImplementedError(f"{name} is not served with {options}")
        key = name, tuple(options)
        if key not in self.kernels:
            called = kernel_signature(self.answers[name])[0]
            self.kernels[key] = Kernel(self.answers[name], called, options)
        return launch(self.kernels[key], *how)

    def take(self, of, text, options):
        """Have this answer of an exercise, for a test to call. options: a kernel's.

        Of none: one of several operators, by its name.
        """
        if of is None:
            names = {"__name__": "operators", "__builtins__": self.builtins}
            exec(compiled(text, "<a candidate>", "exec"), names)
            names["held"] = self.held_there
            self.answers[CANDIDATE] = names["OF_NAME"][options]
            return
        self.answers[CANDIDATE], self.kernels = text, {}
        if not isinstance(find(of), KernelExercise):
            names, self.solved = {**self.answers[of].__globals__}, {}
            exec(compiled(text, "<a candidate>", "exec"), names)
            found = self.solved.get(of) or names[defined_last(text)]
            self.answers[CANDIDATE] = found

    # ------------------------------------------------------------ what it is given

    def stand_in(self, number, about):
        place, known, news = about or ("", {}, None)
        return Lent(self, number, _class(place), known, news)

    def heard(self, stand_in, news):
        stand_in = stand_in.known__.get("storage", stand_in)
        object.__setattr__(stand_in, "news__", (news, self.requests))

    def held_there(self, thing):
        """Have an object of the student's process kept for later calls.

        So is what is known of it, as a tensor's storage: nobody asks for it again.
        """
        known = [v for v in thing.known__.values() if isinstance(v, Lent)]
        self.request("hold", *(one.number__ for one in (thing, *known)))
        return thing

    def promise(self, what, *values):
        """A tensor that the student's process is to compute; nobody waits for it."""
        return Lent(self, self.post(what, *values), Tensor, {}, None)

    def error_type(self, name):
        found = _class(name)
        return found if found and issubclass(found, Exception) else None

    def error_of(self, types, args, number):
        error = super().error_of(types, args, number)
        error.number__ = number
        return error

    def raised(self, error):
        *about, _ = super().raised(error)
        return [*about, getattr(error, "number__", 0)]

    def _lent(self, value):
        if isinstance(value, Place):
            return {PLACE: value.place}
        if not isinstance(value, FUNCTIONS):
            raise codec.NotPlain(f"a reference gives no {type(value).__name__}")
        return super()._lent(value)

    # ------------------------------------------------------------ names of minigrad

    def _import(self, name, *how):
        module = __import__(name, *how)
        ours = name.partition(".")[0] in OURS
        return Place(self, module, module.__name__) if ours else module

    def placed(self, value, place):
        """What a name of minigrad means here: pure functions and constants alone run.

        Everything else is in the student's process.
        """
        exercise = getattr(value, "__func__", value)  # where it is a class method
        if isinstance(exercise, Exercise):
            return ExercisePlace(self, exercise, place)
        if place.endswith(":solves"):
            return self._solves
        is_error = isinstance(value, type) and issubclass(value, Exception)
        is_pure = getattr(value, "__module__", None) in PURE
        elsewhere = isinstance(value, types.ModuleType) or callable(value)
        if is_error or is_pure or not elsewhere:
            return value
        name = value.__name__ if isinstance(value, types.ModuleType) else place
        return Place(self, value, name)

    def _solves(self, exercise):
        def keep(answer):
            self.solved[exercise.value.name] = answer
            return exercise

        return keep


def main(line, codes):
    """Serve those whom the grader connects, until it closes its line."""
    references, end = References(codes), None
    while True:
        ends = [line.end, *([end] if end else [])]
        if line.end in select.select(ends, [], [])[0]:
            what, *values = codec.decode(line.receive(), most=codec.ANY)
            if what == "connect":
                end = line.receive_end()
                references.connect(end, *values)
            elif what == "close":
                (references.closed,) = values
                line.send(codec.encode(sorted(references.served)))
                references.served = set()
        else:
            try:
                references.serve_one()
            except (OSError, ValueError, LookupError, TypeError, RuntimeError):
                end.close()
                end = None
