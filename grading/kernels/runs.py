"""Launches of a kernel's text, and what came of them."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from minigrad.kernels.copy import STRIDES

MARGIN = 64  # cells around an array that must stay as they are
FILL = 0xC5  # every byte of a blank array, and of a margin


@dataclass(frozen=True)
class Launch:
    """kernel(grid, block, args, shared_mem), and limits of what may be counted.

    options: the compiler's, for this launch; they follow those of the check. long: is
    it left out where its part, or the core, is wrong already? needs_shared: is it wrong
    to do it as well without shared memory?
    """

    grid: tuple
    block: tuple
    args: tuple
    shared_mem: int = 0
    limits: dict = field(default_factory=dict)
    options: tuple = ()
    long: bool = False
    needs_shared: bool = False

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


class Finding(NamedTuple):
    """What a tool of the simulator has found."""

    kind: str
    count: int  # of threads that saw it
    line: int
    other: int | None  # the line of a conflict's other side
    apart: bool  # are the two sides in different blocks?
    text: str  # what the simulator says of it
    guard: list | None = None  # [line, column, condition] that may mend it


class Report(NamedTuple):
    """What the simulator reports of a launch."""

    findings: list
    notes: list  # Findings, too, that are no mistake on a GPU
    counts: dict
    output: str  # what printf wrote


class Ran(NamedTuple):
    """A launch that came to its end, or to a fault."""

    arrays: dict  # name of an output -> what it holds now
    report: Report
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


def names(exercise):
    """The names of a kernel's parameters, in order."""
    return [re.search(r"(\w+)\s*(\[\w*\])?$", p)[1] for p in exercise.parameters]


def outputs(exercise):
    """The names of the parameters that the kernel writes to."""
    pairs = zip(names(exercise), exercise.parameters, strict=True)
    return [n for n, p in pairs if "*" in p and "const" not in p.split("*")[0]]


def by_name(exercise, values):
    """{name: value} of a value for each output, or of the value of the only one."""
    if values is None or isinstance(values, Fault):
        return values
    values = values if isinstance(values, dict) else {outputs(exercise)[0]: values}
    return {name: np.asarray(value) for name, value in values.items()}


def with_body(exercise, body):
    """A whole text of a kernel's body; a text that is whole already stays."""
    return body if "__global__" in body else f"{exercise.form()} {{\n{body}\n}}"


def same_arrays(got, expected, rtol=0, atol=0):
    """Equal in every element; NaN equals NaN. Tolerances count for floats alone."""
    expected = expected.astype(got.dtype).reshape(got.shape)
    if got.dtype.kind != "f":
        return np.array_equal(got, expected)
    with np.errstate(
        over="ignore"
    ):  # of numbers far apart; text on stderr costs points
        return np.allclose(got, expected, rtol, atol, equal_nan=True)


def sent(value):
    """An argument as plain values: ("array", itself), ("number", an array of it), or
    ("struct", its bytes)."""
    if isinstance(value, np.void):
        return "struct", np.frombuffer(value.tobytes(), np.uint8)
    return "array" if isinstance(value, np.ndarray) else "number", np.asarray(value)


def taken(sort, array):
    """The argument that `sent` has made plain."""
    if sort == "struct":
        return array.view(STRIDES)[0]
    return array if sort == "array" else array[()]


def ran(exercise, launch, args, report, torn=False):
    """The Ran of arguments as they are after a launch."""
    by_name = dict(zip(names(exercise), args, strict=True))
    arrays = {name: by_name.pop(name) for name in outputs(exercise)}
    before = dict(zip(names(exercise), launch.args, strict=True))
    inputs = {n: a for n, a in by_name.items() if isinstance(a, np.ndarray)}
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
