"""Kernels that are launched in another process, where their text is.

The two ends of a launch: `Elsewhere` in a student's process, and `launch` in that of
the references. What is reported of a launch shows nothing of the text.
"""

import contextlib
import dataclasses
import re

import numpy as np

from cudasim import Finding, KernelError, Report
from minigrad.kernel import Kernel

STRUCT = re.compile(r"struct \w+ {[^}]*};")


class Declared(str):
    """A kernel's declaration, in the place of its text: launched, it is elsewhere."""

    def __new__(cls, course, exercise, called):
        structs = STRUCT.findall(exercise.__doc__)
        text = super().__new__(
            cls, "\n".join([*structs, f"{exercise.form()} {{ __trap(); }}"])
        )
        text.course, text.called = course, called
        return text


class Elsewhere(Kernel):
    """A kernel whose text is in the process of the references, where it is launched."""

    def check(self, grid, block, args, shared_mem=0, **how):
        _, *launch = self._checked(grid, block, args, shared_mem)
        _, report = self._request(*launch, shared_mem, how)
        report["findings"] = [Finding(**finding) for finding in report["findings"]]
        return Report(**report)

    def _simulate(self, grid, block, args, shared_mem):
        bases, changed = self._request(grid, block, args, shared_mem, None)
        for base, after in zip(bases, changed, strict=True):
            if base.flags.writeable:
                base[...] = after

    def _request(self, grid, block, args, shared_mem, how):
        """Memory that two arrays share is given once, so that they share it there."""
        bases, given = [], []
        for value in args:
            if isinstance(value, np.ndarray):
                value = _part_of(bases, value)
            given.append(value)
        launch = (
            self.source.called,
            self.options,
            grid,
            block,
            bases,
            given,
            shared_mem,
            how,
        )
        return bases, self.source.course.request("launch", *launch)


def of_text(cls, source, *how, **named):
    """Kernel.__new__ of a student's process: of what is only declared, Elsewhere."""
    return object.__new__(Elsewhere if isinstance(source, Declared) else cls)


def launch(kernel, grid, block, bases, given, shared_mem, how):
    """What a launch leaves in the bases; or, where it is to be checked, its report."""
    memory = [base.reshape(-1).view(np.uint8) for base in bases]
    args = tuple(_array(memory, **v) if isinstance(v, dict) else v for v in given)
    if how is not None:
        report = kernel.check(grid, block, args, shared_mem, **how)
        return dataclasses.asdict(without_text(report))
    with telling_no_text():
        kernel(grid, block, args, shared_mem)
    return bases


def _array(memory, base, at, dtype, shape):
    size = np.dtype(dtype).itemsize * int(np.prod(shape))
    return memory[base][at : at + size].view(dtype).reshape(shape)


@contextlib.contextmanager
def telling_no_text():
    """Let the error of a launch show nothing of the kernel's text."""
    try:
        yield
    except KernelError as error:
        raise KernelError(without_text(error.report)) from None


def without_text(report):
    """A report with its findings, and nothing that shows the kernel's text."""
    bare = {"source_line": "", "hint": "", "other": None, "line": 0, "column": 0}
    findings = [dataclasses.replace(one, **bare) for one in report.findings]
    counts = {name: count for name, count in report.counts.items() if name != "lines"}
    none = {"warnings": [], "notes": [], "output": ""}
    return dataclasses.replace(report, findings=findings, counts=counts, **none)


def _part_of(bases, array):
    """An array as a dict: which of the bases it lies in, and where."""
    base = array if array.base is None else array.base
    if not isinstance(base, np.ndarray) or not base.flags.c_contiguous:
        base = array
    number = next((n for n, b in enumerate(bases) if b is base), len(bases))
    bases[number:] = bases[number:] or [base]
    place = {"base": number, "at": array.ctypes.data - base.ctypes.data}
    return place | {"dtype": array.dtype.str, "shape": array.shape}
