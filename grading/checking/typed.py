"""A case as the learner would type it, so that it can be pasted into a cell.

Of large arrays, dtype and shape follow it: `tail_guard(2, 32, (x, y, 33)); x: float32
(33,), y: float32 (33,)`.
"""

import inspect
import itertools
import math
import textwrap

import numpy as np

from ..kernels.runs import Launch, names
from .describe import Filled, shown
from .features import View

LONG = 80  # characters of a call whose arguments are named
FEW = 6  # elements of an array that are written out
MOST = 400  # characters of what a driver gets
MANY = 40  # entries of a list of which only the first are written out


def typed(exercise, case):
    """The statements that make a call, a launch, or what a driver gets, in one line."""
    if isinstance(case, Launch):
        return _launch(exercise, case)
    if case.options and not case.args:
        said = "; ".join(f"{name} = {_first(v)}" for name, v in case.options.items())
        return textwrap.shorten(said, MOST, placeholder=" ...")
    names = [*inspect.signature(exercise.__wrapped__).parameters]
    method = names[:1] == ["self"]
    names = ["x" if name == "self" else name for name in names]
    named = zip(names + names[-1:] * len(case.args), case.args, strict=False)
    before, said, after = [], [], []
    for name, value in [*named, *case.options.items()]:
        text = _described(value) or shown(value)
        if isinstance(value, View):
            before, text = [*before, f"{name} = {_view(value)}; "], name
        elif isinstance(value, np.ndarray | Filled):
            array = value.values if isinstance(value, Filled) else value
            library = "np" if array is value else "minigrad"
            turned = array.T.flags.c_contiguous and not array.flags.c_contiguous
            text = f"{shown(array.T)}.T" if turned else text
            text = f"{library}.{text.replace('dtype=', f'dtype={library}.')}"
            if not 0 < array.size <= FEW:
                text = name
                how = ", column by column" * turned
                after.append(f"{name}: {array.dtype} {shown(array.shape)}{how}")
        said.append(text)
    count = len(case.args)
    args, options = said[:count], zip(case.options, said[count:], strict=True)
    args += [f"{name}={text}" for name, text in options if name in names]
    front = f"{args.pop(0)}." if method else ""
    if not method and len(names) >= count > 1:
        pairs, named = zip(names, args[:count], strict=False), False
        full = [t if not (named := named or n != t) else f"{n}={t}" for n, t in pairs]
        full += args[count:]
        args = full if len(", ".join(full)) < LONG else args
    call = f"{front}{exercise.name}({', '.join(args)})"
    return "; ".join(["".join(before) + call, *after])


def _described(value):
    """What a dict describes (fake_gpu.py), as a learner makes it; "" for any other."""
    if not isinstance(value, dict) or len(value) != 1:
        return ""
    ((kind, how),) = value.items()
    if kind == "tensor":
        name, shape = how
        return f"minigrad.zeros({shown(shape)}, dtype=minigrad.{name})"
    return f"np.{how[0]}({how[1]})" if kind == "numpy" else ""


def _view(view):
    """How a learner makes such a view."""
    steps = tuple(math.prod(view.shape[d + 1 :]) for d in range(len(view.shape)))
    if view.strides == steps and not view.offset:
        return f"minigrad.arange({math.prod(view.shape)}).reshape{shown(view.shape)}"
    where = f", {view.offset}" if view.offset else ""
    how = f"{shown(view.shape)}, {shown(view.strides)}{where}"
    return f"minigrad.arange({view.cells}).as_strided({how})"


def _launch(exercise, launch):
    pairs = [*zip(names(exercise), launch.args, strict=True)]
    args = ", ".join(n if np.ndim(a) or isinstance(a, np.void) else f"{a}"
                     for n, a in pairs)  # fmt: skip
    size = lambda s: str(s[0]) if len(s) == 1 else str(s)  # noqa: E731
    shared = f", {launch.shared_mem}" if launch.shared_mem else ""
    call = f"{size(launch.grid)}, {size(launch.block)}, ({args}){shared}"
    arrays = [_array(n, a) for n, a in pairs if np.ndim(a) or isinstance(a, np.void)]
    arrays += [f"compiled with {' '.join(launch.options)}"] if launch.options else []
    return "; ".join([f"{exercise.name}({call})", ", ".join(arrays)])


def _array(name, value):
    if isinstance(value, np.void):  # a struct Strides
        dims = int(value["dims"])
        shape, strides = (tuple(value[k][:dims].tolist()) for k in ("shape", "stride"))
        return f"{name}: Strides({shape}, {strides})"
    return f"{name}: {value.dtype} {value.shape}"


def _first(value):
    """A value; of a long list or dict its first entries."""
    if not isinstance(value, dict | list) or len(value) <= MANY:
        return shown(value)
    entries = value.items() if isinstance(value, dict) else value
    few = type(value)(itertools.islice(entries, FEW))
    return f"{shown(few)} and {len(value) - FEW:,} more"


def program(exercise, case):
    """What a case's driver does, as its docstring says, and its options."""
    options = (f"{name} = {shown(value)}" for name, value in case.options.items())
    return "; ".join([case.driver.__doc__, *options])
