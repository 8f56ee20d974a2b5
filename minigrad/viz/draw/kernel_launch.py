"""Run a learner's kernel for a picture: watched, on copies, and in words if it cannot.

The simulator runs it, also for arrays on a GPU. What the kernel does wrong is no error
here: it becomes a note under the picture, or a picture of one sentence.
"""

import contextlib
import dataclasses
import functools
from typing import NamedTuple

import numpy as np

import cudasim
from cudasim import admit

from ...kernel import Kernel, arguments, host_copies
from .page import Text, page

SECONDS = 5  # a picture is not worth waiting for longer
ODD = (
    cudasim.CompileError,
    NotImplementedError,  # an exercise that nobody has answered
    TypeError,
    ValueError,
    OverflowError,
    MemoryError,
)


class CannotRun(Exception):
    """What is wrong with a kernel or its launch, for the learner to read."""


class Launch(NamedTuple):
    """A kernel's launch. args: copies on the host; report: None before it has run."""

    kernel: cudasim.RawKernel
    grid: tuple
    block: tuple
    args: tuple
    report: cudasim.Report | None = None

    @property
    def arrays(self):
        """The arrays among the arguments, by the names of their parameters."""
        pairs = zip(self.kernel.parameters, self.args, strict=True)
        return {p.name: a for p, a in pairs if isinstance(a, np.ndarray)}

    @property
    def lines(self):
        return source_lines(self.kernel.code)

    @property
    def heading(self):
        return f"{self.kernel.name}   {launch_words(self.grid, self.block)}"

    def run(self, shared_mem, tools):
        """This launch after it has run under `tools`; CannotRun where it can't."""
        with launched(self.kernel):
            report = cudasim.run(*self[:4], shared_mem, tools)
        return self._replace(report=report)

    def notes(self, but=()):
        """A line for each finding that is not of the kinds `but`."""
        findings = [f for f in self.report.findings if f.kind not in but]
        return [f"Line {f.line}: {f.kind}: {f.message}." for f in findings]


def source_lines(code):
    """The lines as the compiler counts them, tabs as spaces: their columns stay."""
    return code.replace("\r\n", "\n").replace("\t", " ").split("\n")


def launch_words(grid, block):
    return f"grid {extent(grid)}   block {extent(block)}"


def extent(size):
    """(4, 2, 1) as people write it: (4, 2), and (4, 1, 1) as 4."""
    kept = list(size)
    while len(kept) > 1 and kept[-1] == 1:
        kept.pop()
    return str(kept[0]) if len(kept) == 1 else f"({', '.join(map(str, kept))})"


def place(xyz, size):
    """Where a thread or block is, with as many numbers as `size` needs."""
    used = max((i + 1 for i, n in enumerate(size) if n > 1), default=1)
    return ",".join(str(int(n)) for n in xyz[:used])


def block_number(only, grid):
    """The number of the block `only`, which is (x, y, z) or shorter."""
    x, y, z = (*only, 0, 0, 0)[:3] if isinstance(only, tuple | list) else (only, 0, 0)
    if not (0 <= x < grid[0] and 0 <= y < grid[1] and 0 <= z < grid[2]):
        raise ValueError(f"only={only}: the grid is {extent(grid)}, counted from 0")
    return x + grid[0] * (y + grid[1] * z)


def simulated(kernel):
    """The simulator's kernel for a Kernel, a RawKernel, or an exercise's text."""
    if isinstance(kernel, Kernel):
        twin = cudasim.RawKernel(kernel.source, kernel.name, kernel.options)
        twin.max_dynamic_shared_size_bytes = kernel.max_dynamic_shared_size_bytes
        return twin
    if isinstance(kernel, cudasim.RawKernel):
        return kernel
    if hasattr(type(kernel), "text"):  # an exercise; its text is the learner's answer
        return cudasim.RawKernel(kernel.text, kernel.name)
    raise TypeError(
        f"expected a kernel (minigrad.Kernel, cudasim.RawKernel, or an exercise whose "
        f"answer is one), got {type(kernel).__name__}"
    )


def prepared(kernel, grid, block, args):
    """The Launch of a launch, checked as a launch of minigrad.Kernel is."""
    with refused():
        raw = simulated(kernel)
        args = arguments(raw.name, raw.function, args)
        bounds = raw.function.launch_bounds
        shape = admit.sizes(raw.name, grid, block, bounds)
        return Launch(raw, *shape, host_copies(args))


@contextlib.contextmanager
def refused():
    """Errors that a wrong text or a wrong launch has become CannotRun."""
    try:
        yield
    except ODD as error:
        raise CannotRun(str(error)) from error


@contextlib.contextmanager
def launched(kernel):
    """A launch for a picture: not for long, and what it changes is put back.

    That is the __device__ and __constant__ variables; the arguments are copies.
    """
    variables, limits = kernel.module.variables, kernel.limits
    before = {variable: data.copy() for variable, data in variables.items()}
    kernel.limits = dataclasses.replace(limits, seconds=SECONDS)
    try:
        with refused():
            yield
    finally:
        kernel.limits = limits
        for variable, data in before.items():
            variables[variable][...] = data


def or_sentence(draw):
    """A picture of what is wrong, where there is nothing else to draw."""

    @functools.wraps(draw)
    def drawn(*args, **options):
        try:
            return draw(*args, **options)
        except CannotRun as error:
            return sentence(str(error))

    return drawn


def sentence(text, head="There is nothing to draw."):
    """A picture that is only words; a compiler's message keeps its caret."""
    lines = text.split("\n")
    caret = any(line.strip() == "^" for line in lines)
    title = Text([head], weight="bold", size=11)
    return page([title, Text(lines, 9, mono=caret)], f"{head} {text}")
