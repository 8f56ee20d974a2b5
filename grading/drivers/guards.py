"""What every call of an answer must leave alone: its arguments, and earlier results."""

import contextlib
import functools
import inspect
import sys
import weakref

import numpy as np

from minigrad.tensor import Tensor

FIXED = {bool, int, float, str, slice, type(None), type(...)}


class Misuse(Exception):
    """kind: "changed", of an argument; "reused", of an earlier result; "uses_torch"."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def resume(profiler):
    """Go on with what sys.getprofile returned: %prun's is not a function."""
    if hasattr(profiler, "enable"):
        profiler.enable()
    else:
        sys.setprofile(profiler)


@contextlib.contextmanager
def replaced(thing, name, value):
    """While this lasts, let an attribute of a module or class have another value."""
    before = getattr(thing, name)
    setattr(thing, name, value)
    try:
        yield
    finally:
        setattr(thing, name, before)


@functools.cache
def unwatched(function):
    """A function of the course's own: it takes long, and nobody looks at its calls."""

    @functools.wraps(function)
    def run(*args, **named):
        before = sys.getprofile()
        sys.setprofile(None)
        try:
            return function(*args, **named)
        finally:
            resume(before)

    return run


class Watched:
    """An exercise whose calls are watched. changes: the arguments that it may change.

    earlier: weak references to the memory of what it was given and has returned so far;
    it grows.
    """

    def __init__(self, exercise, earlier, changes=()):
        self._exercise, self._earlier, self._changes = exercise, earlier, changes

    def __getattr__(self, name):
        return getattr(self._exercise, name)

    def __call__(self, *args, **named):
        names = _parameters(inspect.unwrap(self._exercise))
        given = [*zip(names, args, strict=False), *named.items()]
        given = [(n, a) for n, a in given if n not in self._changes and not _fixed(a)]
        before = [_inside(value) for _, value in given]
        try:
            result = self._exercise(*args, **named)
        except Exception:
            _expect_unchanged(given, before, " before the error")
            raise
        _expect_unchanged(given, before)
        if not given and _fixed(result):
            return result
        own = [m for value in (*args, *named.values()) for m in _memory(value)]
        new = [m for m in _memory(result) if not any(m is other for other in own)]
        earlier = [reference() for reference in self._earlier]
        if any(memory is other for memory in new for other in earlier):
            text = "the result lies in the memory of an earlier call"
            raise Misuse("reused", text)
        self._earlier.extend(map(weakref.ref, [*new, *own]))
        return result


def _expect_unchanged(given, before, when=""):
    """Raise Misuse if an argument isn't what it was. given: pairs of name and value."""
    for (name, value), was in zip(given, before, strict=True):
        if not _alike(_inside(value), was):
            raise Misuse("changed", f"{name}, which it was given, has changed{when}")


@functools.cache
def _parameters(function):
    return [*inspect.signature(function).parameters]


def _fixed(value):
    """Is it a number, a text, or a tuple of these, which nobody can change?"""
    if type(value) is tuple:
        return FIXED.issuperset(map(type, value))
    return type(value) in FIXED


def _array(value):
    return value.storage.data if isinstance(value, Tensor) else value


def _memory(value):
    """The arrays that own the memory of a tensor, or of each in a tuple or list."""
    if isinstance(value, tuple | list):
        return [memory for item in value for memory in _memory(item)]
    array = _array(value)
    if not isinstance(array, np.ndarray) or not array.size:
        return []
    while isinstance(array.base, np.ndarray):
        array = array.base
    return [array]


def _inside(value):
    """What a later look is compared with: copies of arrays, the items of the others."""
    if isinstance(value, Tensor):
        return [value.spec, value.storage, value.storage.data.copy()]
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple | list):
        return [_inside(item) for item in value]
    if isinstance(value, set):
        return {*value}
    return dict(value) if isinstance(value, dict) else value


def _alike(now, was):
    if isinstance(was, np.ndarray):
        return now.tobytes() == was.tobytes()
    if isinstance(was, list):
        return len(now) == len(was) and all(map(_alike, now, was))
    if isinstance(was, dict):
        return now.keys() == was.keys() and all(now[k] is v for k, v in was.items())
    if isinstance(was, set):
        return now == was
    return now is was
