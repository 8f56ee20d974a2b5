"""Whether operators are recorded: no_grad, enable_grad; and anomaly mode.

As in PyTorch each thread decides for itself what it records, and begins by recording;
anomaly mode is one for all of them.
"""

import functools
import inspect
import sys
import threading
import traceback
from pathlib import Path

from ..check import check

anomaly = None  # None, or in anomaly mode: is NaN looked for?


class ThreadState:
    """What a thread does now."""

    __slots__ = "enabled", "made_in"

    def __init__(self):
        self.enabled = True  # are operators recorded?
        self.made_in = None  # the nn.module_calls.Call of the module whose forward runs


class _Thread(threading.local):
    def __init__(self):
        self.state = ThreadState()  # to be looked up once, where it is used often


thread = _Thread()


def is_grad_enabled():
    """Are operators recorded now, in this thread?"""
    return thread.state.enabled


class Switch:
    """A context manager that sets one thing and puts it back; also a decorator."""

    variable = "enabled"

    def __init__(self, value):
        self.value, self.before = value, []

    def place(self):
        """What has the variable."""
        return thread.state

    def swap(self, value):
        """Set the variable; return what it was."""
        place = self.place()
        before = getattr(place, self.variable)
        setattr(place, self.variable, value)
        return before

    def __enter__(self):
        self.before.append(self.swap(self.value))
        return self

    def __exit__(self, *error):
        self.swap(self.before.pop())

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return self.while_it_runs(function)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            before = self.swap(self.value)  # not kept in self: threads may share that
            try:
                return function(*args, **kwargs)
            finally:
                self.swap(before)

        return inside

    def while_it_runs(self, function):
        """The generator function, each of whose steps runs in this mode."""

        @functools.wraps(function)
        def inside(*args, **kwargs):
            generator = function(*args, **kwargs)
            step, given = generator.send, None
            while True:
                before = self.swap(self.value)
                try:
                    found = step(given)
                except StopIteration as end:
                    return end.value
                finally:
                    self.swap(before)
                try:
                    step, given = generator.send, (yield found)
                except BaseException as error:  # GeneratorExit too: pass it on
                    step, given = generator.throw, error

        return inside


class no_grad(Switch):  # noqa: N801  PyTorch's name
    """Nothing is recorded while this is open: `with no_grad():`, or `@no_grad()`."""

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()
        return mode(function)  # @no_grad without brackets

    def __init__(self, function=None):
        super().__init__(False)


class enable_grad(no_grad):  # noqa: N801
    """Operators are recorded while this is open, also inside of no_grad()."""

    def __init__(self, function=None):
        Switch.__init__(self, True)


class set_grad_enabled(Switch):  # noqa: N801
    """Record operators or not, from now on, or while `with` this is open."""

    def __init__(self, mode):
        check(type(mode) is bool, lambda: "set_grad_enabled(): argument 'mode' must be "
              f"bool, not {type(mode).__name__}", TypeError)  # fmt: skip
        super().__init__(mode)
        self.outer = self.swap(self.value)

    def __enter__(self):
        self.swap(self.value)
        self.before.append(self.outer)
        return self

    def __call__(self, function):
        self.swap(self.outer)  # a decorator sets nothing by itself
        return super().__call__(function)


class detect_anomaly(Switch):  # noqa: N801
    """While this is open an error in backward names the line of its forward.

    So does a gradient with NaN in it, unless check_nan=False. It costs time.
    """

    variable = "anomaly"

    def __init__(self, check_nan=True):
        super().__init__(check_nan)

    def place(self):
        return sys.modules[__name__]


HERE = str(Path(__file__).parent.parent)


def forward_line():
    """The innermost line of the running program that is not of the library."""
    frames = reversed(traceback.extract_stack())
    return next((f for f in frames if not f.filename.startswith(HERE)), None)


def explained(node, problem):
    """The error of a backward, with the line of its forward."""
    frame = node.line
    if frame is None:
        where = "It was recorded before detect_anomaly(): open that around forward too."
    else:
        where = (
            f"Its forward is in {frame.filename}, line {frame.lineno}, in {frame.name}:"
            f"\n    {frame.line}"
        )
    return RuntimeError(f"{problem}\nError detected in {node.name()}. {where}")


def first_nan(gradients):
    """The number of the first gradient that holds NaN, or None."""
    nans = (g is not None and bool((g != g).any()) for g in gradients)
    return next((number for number, nan in enumerate(nans) if nan), None)
