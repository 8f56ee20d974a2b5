"""Errors that suggest a name: notebooks show the message and nothing else."""

import difflib
import keyword
import sys
from functools import partial

from .pytorch_names import ABSENT, INSTEAD

nearest = partial(difflib.get_close_matches, n=1, cutoff=0.7)


def hint(name, names):
    """ " Did you mean 'name'?" with the nearest of the names; "" if none is near."""
    close = nearest(name, names)
    return f" Did you mean {close[0]!r}?" if close else ""


def no_attribute(name, obj, what=None):
    """The AttributeError for a name that an object does not have.

    what: how the message calls the object, by default "'Linear' object".
    """
    text = f"{what or f'{type(obj).__name__!r} object'} has no attribute {name!r}"
    if name.startswith("_"):  # Python and Jupyter look for such names in any object
        return AttributeError(text)
    if name in ABSENT and is_own(obj):
        text += ": PyTorch has it, but minigrad does not"
        way = f". Instead: {INSTEAD[name]}" if name in INSTEAD else ""
        return AttributeError(text + way, name=name, obj=None)
    names = [n for n in dir(obj) if not n.startswith("_")]
    lower = {n.lower(): n for n in reversed(names)}  # the class Adam, not its module
    close = nearest(name, names) or [lower[n] for n in nearest(name.lower(), lower)]
    if not close:
        return AttributeError(text)
    text += f". Did you mean: {close[0]!r}?"
    return AttributeError(text, name=name, obj=None)  # or Python suggests it again


def is_own(obj):
    """Is this a module of minigrad's, or an object of a class of minigrad's?"""
    home = getattr(obj, "__name__", None) or type(obj).__module__
    return home.partition(".")[0] == "minigrad"


def meant(error):
    """What an error that names something unknown should add: the nearest known name.

    The names are those where it was raised: variables, attributes, or a dict's keys.
    """
    name = getattr(error, "name", None) or (error.args or ("",))[0]
    trace = error.__traceback__
    if not isinstance(name, str) or "Did you mean" in str(error) or not trace:
        return ""
    while trace.tb_next:
        trace = trace.tb_next
    frame = trace.tb_frame
    if type(error) is NameError:
        names = [*frame.f_locals, *frame.f_globals, *frame.f_builtins]
    elif type(error) is AttributeError:
        names = [n for n in dir(error.obj) if not n.startswith("_")]
    elif type(error) is KeyError:
        dicts = [d for d in frame.f_locals.values() if type(d) is dict]
        names = [key for d in dicts for key in d if isinstance(key, str)]
    else:
        return ""
    close = [n for n in nearest(name, names) if n != name]
    return f". Did you mean: {close[0]!r}?" if close else ""


def syntax(error):
    """A SyntaxError's message, and the keyword that a line's first word may stand for.

    Python says so itself from 3.14 on.
    """
    words = (error.text or "").replace(":", " ").split()[:1]
    close = [k for w in words for k in nearest(w, keyword.kwlist) if k != w]
    if error.msg != "invalid syntax" or not close:
        return error.msg
    return f"{error.msg}. Did you mean {close[0]!r}?"


def in_module(module):
    """The `__getattr__` of the module of that name."""

    def __getattr__(name):  # noqa: N807
        raise no_attribute(name, sys.modules[module], f"module {module!r}")

    return __getattr__


class Suggesting:
    """The base of a class whose objects suggest the attribute that was meant."""

    __slots__ = ()

    def __getattr__(self, name):
        raise no_attribute(name, self)
