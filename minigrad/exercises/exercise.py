"""An exercise of the library, and its answer. (How to use: registry.py.)"""

import contextlib
import functools
import inspect
import re
import textwrap
import traceback
import types
from typing import NamedTuple

from .. import plan_cache
from . import signature
from .errors import CircularAnswers, NotAnswered, WrongAnswerType
from .order import place
from .source import Source, source_of

LEVELS = "core", "good to know", "extra"  # how much an exercise matters
_judged = None  # the exercise that is `isolated`, if one is
supply = None  # supply(exercise): its reference, or None; where solutions are elsewhere


def judged():
    """The exercise that is `isolated`; None where none is."""
    return _judged


class Answer(NamedTuple):
    value: object  # a function, or a kernel's text
    source: Source

    @property
    def from_solutions(self):
        """Did the course's own solution stand in? Then it earns nothing."""
        return (self.source.notebook or "").startswith("solutions/")


class Exercise:
    """Called, it runs its answer; without one, it says where to write it."""

    def __init__(self, spec, points, stars, minutes, level):
        functools.update_wrapper(self, spec)
        self.points, self.stars, self.minutes = points, stars, minutes
        if level not in LEVELS:
            raise ValueError(f"{spec.__name__}: level {level!r} is none of {LEVELS}")
        self.level = level
        self.name = spec.__name__
        self.answer = None  # the learner's, or a solution that stands in
        self.reference = None  # the course's own, for `isolated`
        self.refused = ""  # why the newest answer does not fit
        self._run = None  # the answer's value

    def __setattr__(self, name, value):
        """Set an attribute; what was worked out with another answer is void then."""
        super().__setattr__(name, value)
        plan_cache.clear()

    def __call__(self, *args, **kwargs):
        try:
            return self.in_use()(*args, **kwargs)
        except RecursionError as error:
            circle = _circle(error)
            if not circle:
                raise
            raise CircularAnswers(circle) from None

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        state = "answered" if self.answer else "not answered"
        if self.answer and self.answer.from_solutions:
            state = "the course's solution"
        return f"<exercise {self.number} {self.name}: {state}>"

    @property
    def is_own(self):
        """Does a call run the learner's own answer?"""
        own = self.answer is not None and not self.answer.from_solutions
        return own and _judged in (None, self)

    @property
    def chapter(self):
        return place(self.name)[0]

    @property
    def number(self):
        """Its place in the course: "03.1" is the first of lab 03."""
        chapter, n = place(self.name)
        return f"{chapter[:2]}.{n}"

    @property
    def title(self):
        chapter, n = place(self.name)
        return f"exercise {n} of lab {chapter}"

    def form(self):
        """The exercise as it is written: `offset_of(index, strides, offset=0)`."""
        return self.name + signature.plain(inspect.signature(self.__wrapped__))

    @property
    def contract(self):
        """All that is tested of an answer: its form and its docstring."""
        form = textwrap.fill(self.form(), 88, subsequent_indent="    ")
        return f"{form}\n\n{inspect.getdoc(self)}"

    def solved_by(self):
        """How the cell of its answer begins."""
        return f"@solves({self.__qualname__})"

    def in_use(self):
        """What a call runs: the answer or, while another is isolated, the reference."""
        others = _judged not in (None, self) or (supply and self._run is None)
        run = (others and self.course_answer()) or self._run
        if run is None:
            raise NotAnswered(self.unanswered())
        return run

    def course_answer(self):
        """The course's own answer, where it is loaded or can be had; else None."""
        if self.reference is None and supply:
            self.reference = supply(self)
        return self.reference

    def unanswered(self):
        return (
            f"{self.name} has no answer yet. It is {self.title}: write it there and "
            f'run its cell. To go on without it, run minigrad.answers_from("labs"): '
            f"then the course's solution stands in for it, and earns no points."
        )

    def fill(self, answer):
        """Take an answer, or, where it is still the lab's empty stub, take none."""
        try:
            self.refused = ""
            self.fits(answer)
        except WrongAnswerType as error:
            self.refused = str(error)
            raise
        empty = self.is_stub(answer)
        self.answer = None if empty else Answer(answer, source_of(answer))
        self._run = None if empty else answer

    def fits(self, answer):
        """Raise unless `answer` is a function with this exercise's parameters."""
        if not callable(answer) or isinstance(answer, type | Exercise):
            raise WrongAnswerType(
                f"{self.name} is answered by a function: write @solves({self.name}) on "
                f"the line above its `def`. Got {kind(answer)}."
            )
        name = getattr(answer, "__name__", "")
        other = getattr(answer, "__globals__", {}).get(name)
        if isinstance(other, Exercise) and other is not self:
            raise WrongAnswerType(
                f"the cell says {self.solved_by()}, but its `def` is called {name}, as "
                f"another exercise is. Which of the two does it answer? Call the def "
                f"{self.name}, or write {other.solved_by()} above it."
            )
        try:
            got = inspect.signature(answer)
        except ValueError:  # some that are written in C; a partial of what is not there
            raise WrongAnswerType(
                f"{self.name} is answered by a function of your own: {kind(answer)} "
                f"does not tell its parameters."
            ) from None
        if not signature.accepts(got, inspect.signature(self.__wrapped__)):
            name = getattr(answer, "__name__", "").replace("<lambda>", "")
            raise WrongAnswerType(
                f"{self.name} is called with other parameters.\n"
                f"  expected  {self.form()}\n"
                f"  got       {name or self.name}{signature.plain(got)}\n"
                f"Keep names, order and defaults. More parameters may follow, each "
                f"with a default."
            )

    def is_stub(self, answer):
        return signature.is_stub(answer)


class KernelExercise(Exercise):
    """An exercise in CUDA C: a `.cu` file declares the kernel, the lab has its text."""

    head = "__global__ void"  # what stands before its name
    language = "CUDA C"

    def __init__(self, declaration, module, points, stars, minutes, level):
        name, self.parameters = self.signature_in(declaration)
        spec = types.FunctionType((lambda *args: None).__code__, {}, name)
        spec.__qualname__, spec.__module__ = name, module
        comment, head = re.fullmatch(r"((?://.*\n)+)([^;]+);\n", declaration).groups()
        spec.__doc__ = f"{head}\n\n{re.sub('^// ?', '', comment, flags=re.M).strip()}"
        spec.__signature__ = inspect.Signature(map(_parameter, self.parameters))
        super().__init__(spec, points, stars, minutes, level)

    @property
    def contract(self):
        return inspect.getdoc(self)

    @property
    def text(self):
        """The CUDA C that fills this exercise."""
        return self.in_use()

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.name} is a kernel: launch it with minigrad.Kernel")

    def form(self):
        return f"{self.head} {self.name}({', '.join(self.parameters)})"

    def signature_in(self, text, name=None):
        return signature.kernel_signature(text, name)

    def solved_by(self):
        return f"solves({self.__qualname__})"

    def fits(self, answer):
        if not isinstance(answer, str):
            raise WrongAnswerType(
                f"{self.name}: its answer is {self.language} in a string, "
                f'solves({self.name})(r"""..."""). Got {kind(answer)}.'
            )
        try:
            name, parameters = self.signature_in(answer, self.name)
        except signature.NoKernel as error:
            raise WrongAnswerType(f"{error}\n  expected  {self.form()}") from None
        if parameters != self.parameters:
            raise WrongAnswerType(
                f"{self.name} is called with other parameters.\n"
                f"  expected  {self.form()}\n"
                f"  got       {self.head} {name}({', '.join(parameters)})"
            )

    def is_stub(self, answer):
        return "YOUR CODE HERE" in answer


class CppExercise(KernelExercise):
    """An exercise for a C++ function of the host, which an extension is made of."""

    language = "C++"

    def __init__(self, declaration, *rest):
        bare = signature.without_comments(declaration).strip()
        self.head = bare[: bare.index("(")].rpartition(" ")[0]
        super().__init__(declaration, *rest)

    def __call__(self, *args, **kwargs):
        raise TypeError(f"{self.name} is C++: minigrad.testing.native builds it")

    def signature_in(self, text, name=None):
        return signature.function_signature(text, name, self.head)


@contextlib.contextmanager
def isolated(exercise):
    """While this lasts, let every exercise but this one run the course's own solution.

    So `exercise` is judged by itself: a mistake elsewhere can't make it look wrong.
    Exercises without a `reference` (see answers.load_references) run what they have.
    """
    global _judged
    before, _judged = _judged, exercise
    plan_cache.clear()
    try:
        yield
    finally:
        _judged = before
        plan_cache.clear()


def kind(thing):
    """What a thing is, in words: "the function f", "the class C", "an int", "None"."""
    if thing is None:
        return "None"
    if isinstance(thing, Exercise):
        return f"the exercise {thing.name} itself"
    name = getattr(thing, "__name__", None)
    if name == "<lambda>":
        return "a lambda"
    if name:
        return f"{'the class' if isinstance(thing, type) else 'the function'} {name}"
    name = type(thing).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _parameter(declared):
    """A parameter of CUDA C, `const float* x`, as help() shows it."""
    name = re.search(r"\w+$", declared)[0]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)


def _circle(error):
    """The names of the answers that call each other, if that is what ran too deep.

    Only the outermost exercise says it: the others have no room left on the stack.
    """
    outer = error.__traceback__.tb_frame.f_back
    while outer and outer.f_code is not Exercise.__call__.__code__:
        outer = outer.f_back
    if outer:
        return []
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    exercises = [f for f in frames if f.f_code is Exercise.__call__.__code__]
    calls = [frame.f_locals["self"].name for frame in exercises[-30:]]
    return sorted(name for name in set(calls) if _comes_again(name, calls))


def _comes_again(name, calls):
    """Does `name` stand on both sides of another name?"""
    first, last = calls.index(name), len(calls) - calls[::-1].index(name)
    return set(calls[first:last]) != {name}
