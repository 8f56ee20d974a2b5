"""Launches of a kernel's text, and what came of them in the simulator."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from minigrad import simt
from minigrad.exercises.errors import WrongAnswerType
from minigrad.exercises.sandbox import TimeUp, time_limit
from minigrad.exercises.signature import without_comments

from .subject import LONGEST_TEXT, Problem

MARGIN = 64  # cells around an array that must stay as they are
DYNAMIC = re.compile(r"\bextern\b[^;]*\b__shared__")
NO_DYNAMIC = (
    "the launch gives no dynamic shared memory, so an `extern __shared__` array has no "
    "cells: give it a size, as in __shared__ float cells[256]"
)
FILL = 0xC5  # every byte of a blank array, and of a margin


@dataclass(frozen=True)
class Launch:
    """kernel(grid, block, args, shared_mem), and limits of what may be counted.

    options: the compiler's, for this launch; they follow those of the check.
    """

    grid: tuple
    block: tuple
    args: tuple
    shared_mem: int = 0
    limits: dict = field(default_factory=dict)
    options: tuple = ()

    def __post_init__(self):
        for name in ("grid", "block"):
            size = getattr(self, name)
            size = (size,) if isinstance(size, int) else tuple(size)
            object.__setattr__(self, name, size)

    @property
    def cells(self):
        """How many elements its arrays have."""
        return sum(np.size(a) for a in self.args)

    @property
    def threads(self):
        """How many threads there are in all."""
        return int(np.prod(self.grid, dtype=object) * np.prod(self.block, dtype=object))


class Fault(NamedTuple):
    """What a tool has found, or a count that is too high; "strided": for no use."""

    kind: str


class Ran(NamedTuple):
    """A launch that came to its end, or to a fault."""

    arrays: dict  # name of an output -> what it holds now
    report: object  # the simulator's
    spoilt: tuple = ()  # "changed": an input has; "out-of-bounds": cells beside arrays


def blank(*shape, dtype=np.float32):
    """An array full of a pattern that no right answer contains: an output."""
    array = np.empty(shape, dtype)
    array.view(np.uint8).fill(FILL)
    return array


def distinct(random, *shape, dtype=np.float32):
    """Numbers of both signs in no order, no two alike and none 0 (but a type's).

    Floats have fractions, as far as 20 bits hold them: more than int or half can.
    """
    draw = np.random.default_rng(random.getrandbits(64))
    values = draw.permutation(np.arange(1, np.prod(shape, dtype=int) + 1))
    if np.dtype(dtype).kind == "f":
        steps = 2.0 ** (20 - len(values).bit_length())  # in 1
        values = values - np.floor(draw.random(values.shape) / 2 * steps) / steps
    signs = draw.choice([-1, 1], values.shape)
    return (values * signs).astype(dtype).reshape(shape)


def names(hole):
    """The names of a kernel's parameters, in order."""
    return [re.search(r"(\w+)\s*(\[\w*\])?$", p)[1] for p in hole.parameters]


def outputs(hole):
    """The names of the parameters that the kernel writes to."""
    pairs = zip(names(hole), hole.parameters, strict=True)
    return [n for n, p in pairs if "*" in p and "const" not in p.split("*")[0]]


def by_name(hole, values):
    """{name: value} of a value for each output, or of the value of the only one."""
    if values is None or isinstance(values, Fault):
        return values
    values = values if isinstance(values, dict) else {outputs(hole)[0]: values}
    return {name: np.asarray(value) for name, value in values.items()}


def with_body(hole, body):
    """A whole text of a kernel's body; a text that is whole already stays."""
    return body if "__global__" in body else f"{hole.form()} {{\n{body}\n}}"


def same_arrays(got, expected, rtol=0, atol=0):
    """Equal in every element; NaN equals NaN. Tolerances count for floats alone."""
    expected = expected.astype(got.dtype).reshape(got.shape)
    if got.dtype.kind != "f":
        return np.array_equal(got, expected)
    return np.allclose(got, expected, rtol, atol, equal_nan=True)


def compiled(hole, text, options=()):
    """The kernel of a hole's answer; a Problem where it is none."""
    if len(text) > LONGEST_TEXT:
        most = f"{LONGEST_TEXT:,}"
        return Problem("compile", f"the text is too long: at most {most} characters")
    try:
        hole.fits(text)
        with time_limit(5):
            simt.compile(text, f"{hole.name}.cu", options)
            return simt.RawKernel(text, hole.name, options)
    except WrongAnswerType as error:
        return Problem("compile", str(error))
    except simt.CompileError as error:
        return Problem("compile", str(error))
    except TimeUp:
        return Problem("compile", "the compiler is not done after 5 s")


class Reads(simt.Tool):
    """Counts how often each array is read: counts["reads of x"]."""

    def begin(self, launch):
        self.counts = launch.counts
        self.counts |= {f"reads of {root.name}": 0 for root in launch.roots}

    def access(self, kind, space, root, address, size, mask, site):
        if kind == "read" and space == "global":
            lanes, mask = self.geometry.lanes, True if mask is None else mask
            share = np.count_nonzero(mask) / np.size(mask)
            self.counts[f"reads of {root.name}"] += round(lanes * share)


def simulate(kernel, hole, launch, tools, limits):
    """Run a launch on copies of its arrays: a Ran, or a Problem."""
    if not launch.shared_mem and DYNAMIC.search(without_comments(kernel.code)):
        return Problem("dynamic", NO_DYNAMIC)
    if any(key.startswith("reads of") for key in launch.limits):
        tools = [*simt.TOOLS, Reads()]
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in launch.args]
    where = launch.grid, launch.block, tuple(args), launch.shared_mem
    longest = limits.seconds + 5  # the simulator itself ends earlier
    try:
        with time_limit(longest):
            report = simt.run(kernel, *where, tools=tools, limits=limits)
    except TimeUp:
        return Problem("time", f"not done after {longest} s")
    except simt.CompileError as error:
        return Problem("compile", str(error))
    except (TypeError, ValueError, MemoryError) as error:  # a struct, shared memory
        return Problem("raised", str(error), (type(error).__name__,))
    for found in report.findings:
        where = f"line {found.line}: {found.source_line.strip()}"
        if found.kind == "timeout":
            return Problem("time", found.message, where=where)
        if found.kind == "memory":  # too much local memory
            return Problem("raised", found.message, ("MemoryError",), where=where)
    return ran(hole, launch, args, report)


def ran(hole, launch, args, report, torn=False):
    """The Ran of arguments as they are after a launch."""
    known = dict(zip(names(hole), args, strict=True))
    arrays = {name: known.pop(name) for name in outputs(hole)}
    before = dict(zip(names(hole), launch.args, strict=True))
    inputs = {n: a for n, a in known.items() if isinstance(a, np.ndarray)}
    changed = not all(np.array_equal(a, before[n], True) for n, a in inputs.items())
    return Ran(arrays, report, ("changed",) * changed + ("out-of-bounds",) * torn)


class Guarded:
    """A copy of an array between margins that nothing should touch; for a GPU.

    (In the simulator every access outside an array is found as such.)
    """

    def __init__(self, array):
        self.cells = np.empty(array.size + 2 * MARGIN, array.dtype)
        self.cells.view(np.uint8).fill(FILL)
        self.array = self.cells[MARGIN : MARGIN + array.size].reshape(array.shape)
        self.array[...] = array

    def is_torn(self):
        data, edge = self.cells.view(np.uint8), MARGIN * self.cells.itemsize
        return bool((data[:edge] != FILL).any() or (data[-edge:] != FILL).any())
