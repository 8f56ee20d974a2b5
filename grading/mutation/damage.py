"""What edits do to results and arguments while an answer runs.

Some need something to be done to: no int can be detached. `touched` says whether there
was anything in all the calls, whether or not it showed.
"""

import contextlib
import functools
import itertools

import numpy as np

from minigrad.dtypes import bfloat16, float32, float64
from minigrad.tensor import Tensor

touched = False


def _each(value, change):
    """The value with `change` of every tensor and number in it; None: it stays."""
    global touched
    if isinstance(value, tuple | list):
        items = [_each(v, change) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {k: _each(v, change) for k, v in value.items()}
    new = change(value)
    touched |= new is not None
    return value if new is None else new


def _is_tensor(x, kinds="fiub"):
    return isinstance(x, Tensor) and x.dtype is not bfloat16 and x.dtype.kind in kinds


def halved(value, args):
    """Rounded to float16, in the same dtype."""

    def change(x):
        if _is_tensor(x, "f"):
            return x.half().to(x.dtype)
        return float(np.float16(x)) if type(x) is float else None

    return _each(value, change)


def whole(value, args):
    """Without fractions, in the same type."""

    def change(x):
        if _is_tensor(x, "f"):
            return x.trunc()
        return float(int(x)) if type(x) is float and abs(x) < 2**63 else None

    return _each(value, change)


def in_another_dtype(value, args):
    def change(x):
        if _is_tensor(x):
            return x.to(float64 if x.dtype == float32 else float32)
        return None

    return _each(value, change)


def detached(value, args):
    def change(x):
        return x.detach() if isinstance(x, Tensor) and x.requires_grad else None

    return _each(value, change)


def copied(value, args):
    """A copy in place of a view of an argument."""
    memory = [a.storage for a in args if isinstance(a, Tensor)]

    def change(x):
        shared = isinstance(x, Tensor) and any(x.storage is m for m in memory)
        return x.clone() if shared else None

    return _each(value, change)


def spoils(value, args):
    """Change the first argument that can be."""
    global touched
    for x in args:
        if isinstance(x, Tensor) and x.numel() and x.storage.data.flags.writeable:
            x.storage.data[x.offset] = x.storage.data[x.offset] == 0
        elif isinstance(x, list) and x:
            x.pop()
        elif isinstance(x, dict) and x:
            x.popitem()
        else:
            continue
        touched = True
        break
    return value


def remembers(function):
    """The first result again, for later tensors of the same shape."""
    known = {}

    @functools.wraps(function)
    def run(*args, **named):
        global touched
        try:
            key = tuple(map(_outside, (*args, *named.values())))
            if known.setdefault(key, None) is not None:
                touched |= any(k[0] == "tensor" for k in key)
                return known[key]
        except TypeError:
            return function(*args, **named)
        known[key] = result = function(*args, **named)
        return result

    return run


def _outside(x):
    if isinstance(x, Tensor):
        return "tensor", x.shape, x.dtype
    hash(x)
    return type(x), x


def reuses(function):
    """Each result in the memory of the first of its shape."""
    known = {}

    @functools.wraps(function)
    def run(*args, **named):
        global touched
        y = function(*args, **named)
        if not isinstance(y, Tensor) or not y.is_contiguous() or y.requires_grad:
            return y
        first = known.setdefault((y.shape, y.dtype), y)
        if first is not y:
            touched = True
            first.storage.data[...] = y.storage.data[: len(first.storage.data)]
        return first

    return run


def first(values, count):
    """The first `count` of them."""
    global touched
    taken = list(itertools.islice(iter(values), count + 1))
    touched |= len(taken) > count
    return taken[:count]


_rounds = {}


def few(goes_on, where, most=64):
    """The condition of a loop that ends after some rounds."""
    global touched
    _rounds[where] = _rounds.get(where, 0) + 1
    if not goes_on or _rounds[where] > most:
        touched |= bool(goes_on)
        del _rounds[where]
        return False
    return True


def nothing():
    return contextlib.nullcontext()
