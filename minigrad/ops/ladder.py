"""Ladders: the kernels of an operator on a device, from the plainest to the fastest.

A rung is one kernel of a CUDA C text. Which rung runs is decided by the operands, and
by `with minigrad.rungs(...)`.
"""

import contextlib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import faults, memo, trace
from ..kernel import Kernel
from ..kernels.copy import MOST_DIMS, STRIDES
from ..launching import for_cupy
from ..layout import broadcast_shapes
from ..recorder import recorder
from ..storage import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)

C_NAMES = {
    bool_: "bool", uint8: "unsigned char", int8: "signed char", int16: "short",
    int32: "int", int64: "long long", float16: "__half", bfloat16: "__nv_bfloat16",
    float32: "float", float64: "double",
}  # fmt: skip
HEADERS = {float16: "cuda_fp16.h", bfloat16: "cuda_bf16.h"}

STANDS_IN = "// The course's solution"  # so a solution's text begins when exported

chosen = "answered"
NAMES = {"answered", "fastest"}  # what rungs() takes: these, and every rung's name


@contextlib.contextmanager
def rungs(which):
    """While this is open, run other rungs of the ladders.

    which: "answered", as always: the highest kernel that the learner has written, where
    the ladder has one, else the library's best; "fastest", the library's best
    everywhere; or a rung's name, where the ladder has one of that name that is made for
    such operands. "yours" is the learner's kernel, or the solution that stands in.
    ValueError where no ladder has a rung of that name.
    """
    global chosen
    if which not in NAMES:
        raise ValueError(
            f"there is no rung {which!r}; there are {', '.join(sorted(NAMES))}"
        )
    before, chosen = chosen, which
    memo.forget()  # the kernels that were chosen before
    try:
        yield
    finally:
        chosen = before
        memo.forget()


def formula(hole, fastest):
    """The learner's formula for "cpu", or, where that is asked for, a faster one."""

    def run(*arrays):
        return (fastest if chosen == "fastest" else hole)(*arrays)

    return run


_functions = memo.kept()


class RungFields(NamedTuple):
    """What is known of a rung."""

    name: str  # its idea
    kernel: str  # its name in the text
    source: object  # a file in kernels/, or a hole whose answer is the text
    applies: Callable = lambda **facts: True  # is it made for such operands?
    like: str = ""  # the rung that is launched in the same way, if not by its own name
    before: str = ""  # what stands in front of a hole's answer


class Rung(RungFields):
    """One kernel of a ladder."""

    __slots__ = ()

    def __new__(cls, name, *rest, **more):
        NAMES.add(name)
        return super().__new__(cls, name, *rest, **more)

    @property
    def is_hole(self):
        return not isinstance(self.source, str) or not self.source.endswith(".cu")

    @property
    def is_own(self):
        """Is it a kernel that the learner has written?"""
        if isinstance(self.source, str):  # a file, or a text of an exported package
            return self.is_hole and not self.source.startswith(STANDS_IN)
        return self.source.is_own

    @property
    def way(self):
        """How it is launched."""
        return self.like or self.name

    def text(self):
        """The CUDA C; a hole that nobody has filled raises what it is."""
        if self.is_hole:
            return self.before + getattr(self.source, "text", self.source)
        return file_text(self.source)

    def function(self, device, types, before=""):
        """The compiled kernel, for a device.

        types: the dtypes and numbers of its template (a hole's kernel is none). before:
        what stands in front of the text.
        """
        key = self, device, *types, before
        found = _functions.get(key)
        if found is None:
            name = self.kernel if self.is_hole else template(self.kernel, *types)
            text = with_headers(before + self.text(), types)
            found = memo.keep(_functions, key, compiled(text, name, device), 4096)
        return found


def choose(ladder, **facts):
    """The rung to run for operands with these facts."""
    there = [rung for rung in ladder if rung.applies(**facts)]
    named = [rung for rung in there if rung.name == chosen]
    own = [rung for rung in there if rung.is_own and chosen == "answered"]
    library = [rung for rung in there if not rung.is_hole]
    for rung in reversed(named or own or library or there):
        if not rung.is_hole or is_answered(rung):
            return rung
    there[0].text()  # raises: which exercise it is
    raise AssertionError(ladder)


def is_answered(rung):
    try:
        return bool(rung.text())
    except NotImplementedError:
        return False


@functools.cache
def file_text(name):
    """A file of minigrad/kernels."""
    folder = Path(__file__).parent.parent / "kernels"
    return (folder / name).read_text(encoding="utf-8")


class Ready(NamedTuple):
    """A compiled kernel."""

    run: Callable  # (grid, block, args)
    name: str  # `unary<float, bool>`


@functools.lru_cache(4096)
def compiled(text, name, device):
    """A kernel of a text, ready to be launched on a device."""
    kernel = Kernel(text, name)
    return Ready(kernel._compiled if device == "cuda" else kernel._simulated, name)


def with_headers(text, dtypes):
    """The text with the headers that half and bfloat16 need."""
    lines = sorted(f"#include <{HEADERS[d]}>\n" for d in set(dtypes) if d in HEADERS)
    return "".join(lines) + text


def template(kernel, *arguments):
    """`unary<float, bool>`: a kernel's name with dtypes and numbers."""
    listed = ", ".join(C_NAMES.get(a) or str(a) for a in arguments)
    return f"{kernel}<{listed}>" if arguments else kernel


def computed_in(dtype):
    """Where an operator computes: float32 for half and bfloat16, else in the dtype."""
    return float32 if dtype in HEADERS else dtype


def memory(tensor):
    """Where a tensor's first element lies, as a kernel's argument."""
    storage = tensor.storage
    return memory_of(storage.data, tensor._layout[2], storage.device)


def memory_of(data, offset, device):
    """Where element number `offset` of a storage's array lies, as an argument."""
    if device == "cuda":
        found = data.data + offset * data.itemsize if offset else data.data
    else:
        found = data[offset:] if offset else data
    if recorder.active is not None:
        recorder.active.address(found, data, offset)
    return found


@functools.lru_cache(4096)
def strides_of(shape, strides, device):
    """A kernel's argument `Strides`."""
    if len(shape) > MOST_DIMS:
        raise RuntimeError(
            f"a kernel reads up to {MOST_DIMS} dimensions that cannot be joined, not "
            f"{len(shape)}: make a copy with reshape first"
        )
    view = np.zeros((), STRIDES)
    shape, strides = shape or (1,), strides or (0,)
    view["dims"] = len(shape)
    view["shape"][: len(shape)], view["stride"][: len(shape)] = shape, strides
    return struct(view, device)


def struct(value, device):
    """An array without dimensions as a kernel's argument: a struct of its type."""
    return for_cupy(value) if device == "cuda" else value[()]


def broadcast(operator, shapes, shown=()):
    """The shape that all have together; an error names the operator and the shapes.

    shown: the shapes to name, where these are parts of others.
    """
    try:
        return broadcast_shapes(*shapes)
    except NotImplementedError:  # a hole that nobody has filled
        raise
    except RuntimeError as error:
        listed = " and ".join(str(list(shape)) for shape in shown or shapes)
        raise RuntimeError(
            f"{operator}: tensors of the shapes {listed} do not fit together: {error}"
        ) from None


@functools.lru_cache(4096)
def joined(shape, *strides):
    """The same loops with as few dimensions as will do: a shape, and tuples of strides.

    Two neighbours are one dimension if in every tensor the outer one's stride is the
    inner one's times its size.
    """
    dims = [d for d in zip(shape, *strides, strict=True) if d[0] != 1]
    kept = []
    for size, *steps in dims:
        outer = kept[-1] if kept else None
        if outer and all(o == s * size for o, s in zip(outer[1:], steps, strict=True)):
            kept[-1] = [outer[0] * size, *steps]
        else:
            kept.append([size, *steps])
    if not kept:
        return (), *(() for _ in strides)
    return tuple(zip(*kept, strict=True))


def launch(operator, rung, kernel, device, grid, block, args, nbytes):
    """Launch a kernel, and tell the trace."""
    if recorder.active is not None:
        how = operator, rung, kernel, device, grid, block, nbytes
        recorder.active.launched(args, *how)
    if trace.active is None:
        kernel.run(grid, block, args)
    else:
        clock = _timed(kernel.run, grid, block, args, device)
        told = kernel.name, device, grid, block, nbytes, clock
        trace.active.append(trace.Launch(operator, rung, *told))
    if device == "sim":  # which waits for each launch
        faults.check(device)


def _timed(function, grid, block, args, device):
    """Launch, between two events on a GPU; the clock that reads them."""
    if device != "cuda":
        function(grid, block, args)
        return lambda: None
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    function(grid, block, args)
    stop.record()
    return trace.gpu_clock(start, stop)
