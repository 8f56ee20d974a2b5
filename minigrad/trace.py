"""Trace: the list of all kernels that were launched.

with minigrad.trace() as launches:
    (x * y).sum()
print(launches)
"""

import time
from collections.abc import Callable
from html import escape
from typing import NamedTuple

HEAD = "operator", "variant", "kernel", "grid", "block", "bytes", "time"


class Launch(NamedTuple):
    """One kernel that ran."""

    operator: str
    variant: str  # which of the operator's kernels; "numpy" on "cpu"
    kernel: str  # the kernel's name; on "cpu" the NumPy function's
    device: str
    grid: tuple
    block: tuple
    bytes: int  # of the tensors it read and wrote, each element once
    clock: Callable  # () -> seconds, or None where a time says nothing

    @property
    def seconds(self):
        """How long it took on a GPU or on "cpu"; None in the simulator."""
        return self.clock()


class Trace(list):
    """Launches, in order. It prints as a table, without columns that say nothing."""

    active = None  # the one that listens, if one does

    def __enter__(self):
        self.outer, Trace.active = Trace.active, self
        return self

    def __exit__(self, *error):
        Trace.active = self.outer

    def run(self, operator, kernel, operands, options, traffic=None):
        """Run an operator's kernel; a NumPy function counts as a launch itself.

        traffic: (operands, result) -> bytes, where a tensor isn't read in whole.
        """
        if any(getattr(x, "device", "cpu") != "cpu" for x in operands):
            return kernel(*operands, **options)
        begin = time.perf_counter()
        result = kernel(*operands, **options)
        took = time.perf_counter() - begin
        results = result if isinstance(result, tuple) else (result,)
        every = (*operands, *results)
        size = traffic(operands, result) if traffic else sum(map(nbytes_of, every))
        name = getattr(kernel, "__name__", operator)
        self.append(Launch(operator, "numpy", name, "cpu", (), (), size, lambda: took))
        return result

    def __str__(self):
        columns = zip(HEAD, *map(_row, self), strict=True)
        columns = [column for column in columns if {*column[1:]} != {"-"}]
        pad = [str.ljust] * 3 + [str.rjust] * (len(columns) - 3)
        cells = [[side(cell, max(map(len, column))) for cell in column]
                 for side, column in zip(pad, columns, strict=True)]  # fmt: skip
        first, *lines = ["  ".join(row).rstrip() for row in zip(*cells, strict=True)]
        return "\n".join([first, "-" * len(first), *lines])

    __repr__ = __str__

    def _repr_html_(self):
        style = "font:13px monospace;overflow-x:auto;white-space:pre"  # no line wraps
        return f'<pre style="{style}">{escape(str(self))}</pre>'


def trace(*matrix):
    """A context manager that lists every kernel that is launched while it is open."""
    if matrix:
        raise TypeError(
            "minigrad.trace() takes no arguments: it records the operators that run, "
            "with minigrad.trace() as launches. The sum of a matrix's diagonal is "
            "x.diagonal().sum()"
        )
    return Trace()


def nbytes_of(x):
    """The bytes of a tensor's elements; a dimension of stride 0 is read once."""
    if not hasattr(x, "storage"):
        return 0
    size = x.storage.data.itemsize
    for n, stride in zip(x.shape, x.strides, strict=True):
        size *= n if stride or not n else 1
    return size


def _row(launch):
    grid, block, seconds = _sizes(launch.grid), _sizes(launch.block), launch.seconds
    time = "-" if seconds is None else f"{seconds * 1e6:.1f} us"
    return (*launch[:3], grid, block, f"{launch.bytes:,}", time)


def _sizes(numbers):
    """(2, 1, 1) -> "2"."""
    text = " x ".join(map(str, numbers))
    return text.removesuffix(" x 1").removesuffix(" x 1") or "-"
