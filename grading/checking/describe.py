"""What a check sees of a value: comparing, saying it in words, naming mistakes."""

import math
import os
import re
import sys
import textwrap
from typing import NamedTuple

import numpy as np

from minigrad.exercises.registry import kind

from ..isolation.codec import Seen
from .compare import same

# Causes that are certain once they are seen: a check's own do not go before them.
CERTAIN = {"endless", "gone", "circular", "recursion", "type", "changed", "reused"}
CERTAIN |= {"list", "float", "copies", "much"}

# What Python says of some beginners' mistakes -> what to do.
HINTS = {
    "truth value of an array with more": "`==`, `<`, and `>` compare arrays element by "
    "element. To ask whether all of them are equal, use `np.array_equal(a, b)`.",
    "'function'": "This is a function, not what it returns. Parentheses call it.",
    "Boolean value of Tensor with more": "A tensor of several elements is neither true "
    "nor false. Use `.all()`, count what's True with `.sum()`, or test `is None`.",
    "required positional argument": "The call has fewer arguments than the function "
    "takes. A tuple is one argument, and `f(*pair)` passes its two values.",
    "has no setter": "This attribute may only be read. A tensor with another shape or "
    "other strides is a new one, made with `self.as_strided(...)`.",
    "'NoneType' object has no attribute": "Something is None here. Which step gave it "
    "no value, or forgot its `return`?",
    "object has no attribute": "The object before the dot has no attribute of that "
    "name. Is it misspelled, or is the object of another type than you think?",
    "'tuple' object does not support item assignment": "A tuple can't be changed. "
    "Make a list of it with `list(...)`, change that, and make a tuple of it with "
    "`tuple(...)`.",
}

MODULES = {  # what is often used without being imported
    "reduce": "functools", "partial": "functools", "cache": "functools",
    "product": "itertools", "accumulate": "itertools", "zip_longest": "itertools",
    "defaultdict": "collections", "Counter": "collections", "deque": "collections",
    "ceil": "math", "floor": "math", "sqrt": "math", "prod": "math", "inf": "math",
    "exp": "math", "log": "math", "deepcopy": "copy", "median": "statistics",
}  # fmt: skip

ENDLESS = "It doesn't end in time. Does a loop run forever, or far too often?"
WIDE = 96  # characters of a message's line, without its key
ABSENT = type("Absent", (), {"__repr__": lambda _: "not there"})()  # from a dict
LONGEST_ERROR = 240  # characters of an error's message


class Filled(NamedTuple):
    """A row-major tensor of given values among a case's arguments."""

    values: np.ndarray


def described_torch(value, bases):
    """A value of PyTorch's, a tensor as Seen. bases: the tensors of the input."""
    import torch

    if isinstance(value, torch.Tensor):
        memory = value.untyped_storage().data_ptr()
        shares = any(memory == b.untyped_storage().data_ptr() for b in bases)
        dtype = str(value.dtype).removeprefix("torch.")
        how = (tuple(value.shape), value.stride(), value.storage_offset())
        return Seen(*how, dtype, value.numpy(), shares)
    return tuple(value) if isinstance(value, torch.Size) else value


def beside(got, expected):
    """(expected, got) in words; where these are alike, of what differs first."""
    where = ""
    if text(got) == text(expected):
        where, got, expected = difference(got, expected, _near)
    both = text(expected), text(got)
    if both[0] == both[1]:
        both = _parted([shown(value) for value in (expected, got)], 88)
    return where + both[0], where + both[1]


def in_brief(got, expected):
    """(expected, got) in one line each, with as many digits as tell them apart."""
    if hasattr(got, "kind") or hasattr(expected, "message"):
        got = text(got) if hasattr(got, "kind") else _short(brief(got), 88)
        return (text(expected) if hasattr(expected, "message") else ""), got
    digits = 6 if brief(expected) != brief(got) else 12
    return _parted([brief(value, digits) for value in (expected, got)], 160)


def _parted(both, most):
    """Two texts in a line each, from where they differ if that comes too late."""
    both = [" ".join(said.split()) for said in both]
    if _short(both[0], most) == _short(both[1], most):
        start = max(0, len(os.path.commonprefix(both)) - 40)
        both = ["... " * (start > 0) + said[start:] for said in both]
    return [_short(said, most) for said in both]


def brief(value, digits=6):
    """A value in one line."""
    if isinstance(value, np.ndarray):
        flat = [f"{v:.{digits}g}" for v in value.reshape(-1)[:6]]
        more = ", ..." if value.size > 6 else ""
        return f"shape {value.shape}: {', '.join(flat) or 'no elements'}{more}"
    if isinstance(value, dict):
        return ", ".join(f"{k}: {brief(v, digits)}" for k, v in value.items())
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray | float):
        return "; ".join(brief(v, digits) for v in value[:3])
    return f"{value:.{digits}g}" if isinstance(value, float) else shown(value)


def _near(got, expected):
    if isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        return len(got) == len(expected) and all(map(_near, got, expected))
    kinds = {np.asarray(value).dtype.kind for value in (got, expected)}
    if kinds == {"f"} and np.shape(got) == np.shape(expected):
        return np.allclose(got, expected, 1e-7, 0, equal_nan=True)
    return same(got, expected)


def difference(got, expected, same):
    """(where, got, expected) of the first parts that are not the same."""
    if isinstance(expected, Seen) and isinstance(got, Seen):
        return difference(got.values, expected.values, same)
    if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() & got:
        keys = expected | got
        pairs = [(f"{k}: ", got.get(k, ABSENT), expected.get(k, ABSENT)) for k in keys]
    elif isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        pairs = [(f"[{n}] ", *both) for n, both in
                 enumerate(zip(got, expected, strict=False))]  # fmt: skip
    elif isinstance(expected, np.ndarray) and np.shape(got) == expected.shape != ():
        pairs = [(f"[{', '.join(map(str, i))}] = ", got[i].item(), expected[i].item())
                 for i in np.ndindex(expected.shape)]  # fmt: skip
    else:
        pairs = []
    for where, g, e in pairs:
        if not same(g, e):
            inner, g, e = difference(g, e, same)
            return (where + inner).replace("] [", "]["), g, e
    return "", got, expected


def text(value):
    """A value in words, for a learner."""
    if isinstance(value, Seen):
        where = "a view" if value.shares else "a copy"
        numbers = f"strides {value.strides}, offset {value.offset}"
        return f"a tensor of shape {value.shape}, {numbers}, {where}"
    if hasattr(value, "kind"):  # a Problem
        said = [part for part in (*value.types[:1], value.message) if part]
        return _error(": ".join(said))
    if hasattr(value, "message"):  # an error of PyTorch's
        return _error(f"{value.type}: {value.message}")
    return _short(shown(value), 88)


def _error(said):
    """An error's message; less of one whose words are too long for a line."""
    longest = max(map(len, said.split()), default=0)
    return _short(said, LONGEST_ERROR if longest < 88 else 88)


def _short(text, most):
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 4] + " ..."


def shown(value):
    """An argument as a learner would write it: `...` and short slices."""
    if value is ...:
        return "..."
    if isinstance(value, dict):
        inside = (f"{key!r}: {shown(inner)}" for key, inner in value.items())
        return _described(value) or f"{{{', '.join(inside)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, np.ndarray):
        return " ".join(repr(value).split())
    if isinstance(value, Filled):
        said = shown(value.values).replace("array(", "tensor(", 1)
        steps = [step // value.values.itemsize for step in value.values.strides]
        plain = value.values.flags.c_contiguous
        return said if plain else f"{said} of strides {shown(tuple(steps))}"
    if isinstance(value, slice):
        stop = repr(value.stop)
        if value.step is not None:
            return f"slice({value.start}, {stop}, {value.step})"
        return (
            f"slice({stop})" if value.start is None else f"slice({value.start}, {stop})"
        )
    if isinstance(value, tuple):
        inside = ", ".join(map(shown, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return repr(value)


def _described(value):
    """A dtype or a tensor of zeros, as fake_gpu.py describes them; "" for others."""
    if value.keys() == {"dtype"}:
        return value["dtype"]
    if value.keys() == {"tensor"}:
        name, shape = value["tensor"]
        return f"zeros({shown(shape)}, dtype={name})"
    return ""


def general_cause(got, expected):
    """(name, text) of a mistake that any exercise may have; None for no idea."""
    if hasattr(got, "kind"):
        return _cause_of_problem(got, expected)
    if hasattr(expected, "message"):
        return "no_error", f"For this input, {expected.type} must be raised."
    if got is None and expected is not None:
        return "none", "Nothing is returned. Does every path end in `return`?"
    if isinstance(got, Seen) and isinstance(expected, Seen):
        return _cause_of_tensor(got, expected)
    if _has(got, list, expected, tuple):
        return "list", "Here's a list where a tuple is expected. Return `tuple(...)`."
    if _has(got, float, expected, int):
        return (
            "float",
            "Here's a float where an int is expected. Divide with `//`, or use "
            "`int(...)`.",
        )
    if type(got) is not type(expected):
        return "wrong_type", f"Expected {_kind(expected)}, not {_kind(got)}."
    return None


def _cause_of_problem(got, expected):
    if got.kind == "time":
        return "endless", ENDLESS
    if got.kind == "type":
        return "type", got.message
    if got.kind == "changed":
        return (
            "changed",
            "An argument has changed that must stay as it is. Work on a copy.",
        )
    if got.kind == "reused":
        return (
            "reused",
            "Each call must return something new: the first result is still used.",
        )
    if got.kind != "raised":
        return got.kind, got.message
    if "CircularAnswers" in got.types:
        return "circular", got.message
    if "RecursionError" in got.types:
        return "recursion", "It calls itself again and again, until Python stops it."
    bare = got.types[:1] == ("NotImplementedError",) and not got.message
    if bare or "NotAnswered" in got.types:
        return "unfinished", "This part isn't written yet."
    if hasattr(expected, "message"):
        return "wrong_error", f"For this input, {expected.type} must be raised."
    if said := hint(got):
        return "raised", said
    error = ", ".join(got.types[:1]) or "an error"
    if isinstance(expected, dict):  # of a scene, where another may be expected
        return "raised", f"It raises {error}, which isn't expected here."
    value = "None" if expected is None else "a value"
    if is_own(got):
        return "raised", (
            f"Your `raise {error}` is reached, but for this input {value} is expected. "
            f"Which inputs should get there?"
        )
    return "raised", f"It raises {error}, but for this input {value} is expected."


def is_own(error):
    """Is it raised by a `raise` of an answer, and not by what that has called?"""
    return re.search(r"\braise\b", error.where) is not None


def hint(got):
    """What to do about an error that was raised; "" for no idea."""
    if name := re.match(r"name '(\w+)' is not defined", got.message):
        return _unknown(name[1], got.where)
    return next((hint for said, hint in HINTS.items() if said in got.message), "")


def _unknown(name, where):
    """The same of a name that Python doesn't know, in a line."""
    if name in sys.stdlib_module_names and f"{name}." in where:
        return f"`{name}` isn't known here. For the module, add `import {name}`."
    if module := MODULES.get(name):
        return f"`{name}` isn't known here. Add `from {module} import {name}`."
    return f"`{name}` isn't known here. Is it misspelled, or is no value given to it?"


def _cause_of_tensor(got, expected):
    if got.values is None:
        return "outside", "The tensor is huge, or reads cells outside its storage."
    alike = np.array_equal(got.values, expected.values) and got.values.size
    if alike and expected.shares and not got.shares:
        return "copies", "The values are right, but copied. A view shares the storage."
    return None


def _kind(value):
    names = {Seen: "a tensor", np.ndarray: "a NumPy array", type(None): "None"}
    if isinstance(value, dict) and set(value) in ({"dtype"}, {"tensor"}):
        return f"a {next(iter(value))}"  # as fake_gpu.py describes them
    return names.get(type(value)) or kind(value)


def _has(got, kind, expected, other):
    """Does `got` have one kind of value where `expected` has the other?"""
    if isinstance(got, tuple) and isinstance(expected, tuple):
        pairs = zip(got, expected, strict=False)
        return any(_has(a, kind, b, other) for a, b in pairs)
    return type(got) is kind and type(expected) is other


def listed(parts):
    """The first two of many, and how many more."""
    more = f" and {len(parts) - 2} more" if len(parts) > 3 else ""
    return ", ".join(parts[:2] if more else parts) + more


def folded(text):
    """Long lines as several, below each other; what has lines already stays."""
    if "\n" in text or len(text) <= WIDE:
        return text
    return textwrap.fill(text, WIDE, subsequent_indent=" " * 12, break_long_words=False)


def beginning(printed):
    """The first lines of what was printed, in one."""
    lines = printed.strip().splitlines()
    return " | ".join(lines[:3])[:200] + (" | ..." if len(lines) > 3 else "")
