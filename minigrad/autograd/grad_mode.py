"""Whether operators are recorded: no_grad, enable_grad; and anomaly mode.

As in PyTorch each thread decides for itself what it records, and begins by recording;
anomaly mode is one for all of them.
"""

import contextlib
import functools
import inspect
import threading

from .. import lines
from ..check import check

anomaly = False  # is anomaly mode on?


class _Thread(threading.local):
    enabled = True  # are operators recorded?
    made_in = None  # the nn.module_calls.Call of the module whose forward runs


thread = _Thread()


def is_grad_enabled():
    """Are operators recorded now, in this thread?"""
    return thread.enabled


class no_grad:  # noqa: N801  PyTorch's name
    """Nothing is recorded while this is open: `with no_grad():`, or `@no_grad()`."""

    value = False

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        return mode if function is None else mode(function)  # @no_grad without brackets

    def __enter__(self):
        self.before, thread.enabled = thread.enabled, self.value

    def __exit__(self, *error):
        thread.enabled = self.before

    def __call__(self, function):
        mode = type(self)  # a new one for each call: threads may share the function

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with mode():
                return function(*args, **kwargs)

        @functools.wraps(function)
        def steps(*args, **kwargs):
            items = function(*args, **kwargs)
            while True:
                with mode():
                    try:
                        item = next(items)
                    except StopIteration:
                        return
                yield item

        return steps if inspect.isgeneratorfunction(function) else inside


class enable_grad(no_grad):  # noqa: N801
    """Operators are recorded while this is open, also inside of no_grad()."""

    value = True


class set_grad_enabled(no_grad):  # noqa: N801
    """Record operators or not, from now on, or while `with` this is open."""

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        check(type(mode) is bool, lambda: "set_grad_enabled(): argument 'mode' must be "
              f"bool, not {type(mode).__name__}", TypeError)  # fmt: skip
        self.value = mode
        super().__enter__()

    def __enter__(self):
        thread.enabled = self.value

    def __call__(self, function):
        thread.enabled = self.before  # a decorator sets nothing by itself
        return (enable_grad if self.value else no_grad)(function)


@contextlib.contextmanager
def detect_anomaly():
    """While this is open an error in backward names the line of its forward.

    So does a gradient with NaN in it. It costs time.
    """
    global anomaly
    before, anomaly = anomaly, True
    try:
        yield
    finally:
        anomaly = before


def explained(node, problem):
    """The error of a backward, with the line of its forward."""
    where = "It was recorded before detect_anomaly(): open that around forward too."
    if node.line is not None:
        where = f"Its forward is in {lines.shown(node.line)}"
    return RuntimeError(f"{problem}\nError detected in {node.name()}. {where}")
