"""The launches that lessons and solved labs make, recorded while their cells run."""

import contextlib
import dataclasses
import importlib.util
import io
import os
import re
from unittest.mock import patch

import cudasim
from benchmarks import common
from minigrad.exercises import cells
from minigrad.kernel import Kernel

MOST = 3  # launches of one kernel's text; the rest is more of the same


@dataclasses.dataclass
class Recorded:
    """A launch, with its arguments as they were before. left_out: why, if it is."""

    kernel: Kernel
    grid: tuple
    block: tuple
    args: tuple
    shared_mem: int
    left_out: str = ""

    @property
    def launch(self):
        return self.kernel, self.grid, self.block, self.args, self.shared_mem

    @property
    def text(self):
        return self.kernel.source, self.kernel.name

    @property
    def key(self):
        shapes = tuple(getattr(a, "shape", a) for a in self.args)
        return *self.text, str((self.grid, self.block, shapes, self.shared_mem))


def texts():
    """The lessons and solved labs that launch kernels."""
    for folder in ("solutions", "lessons"):  # lessons use what labs have answered
        for path in sorted((common.HOME / folder).glob("*.py")):
            if "Kernel(" in path.read_text(encoding="utf-8"):
                yield path


def recorded(path):
    """(Recorded launches of a text, [(cell, why it could not be run)]).

    In the simulator: what a lesson breaks on purpose could end a GPU's context.
    """
    records, launch = [], Kernel.__call__

    def recording(kernel, grid, block, args, shared_mem=0):
        one = Recorded(kernel, grid, block, common.fresh(args), shared_mem)
        try:
            launch(kernel, grid, block, args, shared_mem)
        except (TypeError, ValueError):  # refused: nothing was launched
            raise
        except Exception:
            records.append(one)
            raise
        records.append(one)

    with patch.object(Kernel, "__call__", recording), without_gpu():
        return records, run_cells(path)


@contextlib.contextmanager
def without_gpu():
    """While this lasts, nobody finds a GPU."""
    with contextlib.ExitStack() as open_:
        for name in ("cupy", "torch"):
            if importlib.util.find_spec(name):
                cuda = importlib.import_module(name).cuda
                open_.enter_context(patch.object(cuda, "is_available", lambda: False))
        yield


def run_cells(path):
    """Run the code cells but checks; [(cell, error)] of those that fail unforeseen."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    names = {"__name__": "__main__", "display": lambda *_, **__: None}
    parts = re.split(r"^# %%(.*)\n", cells.source_of(path), flags=re.M)[1:]
    failed = []
    for header, text in zip(parts[::2], parts[1::2], strict=True):
        if "[markdown]" in header or "check=" in header:
            continue
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(cells.python(text), path.name, "exec"), names)
        except Exception as error:
            failed.append((f"cell {text.strip()[:40]!r}", f"{error!r:.200}"))
    return failed


def launches(path):
    """(launches without repetitions, [(cell, why it could not be run)]).

    Left out are those that are wrong on purpose: where a tool finds a race, say, a
    GPU's result is anybody's guess.
    """
    launched, failed = recorded(path)
    different, count = {one.key: one for one in reversed(launched)}, {}
    for one in reversed(different.values()):
        if count.get(one.text, 0) >= MOST:
            one.left_out = f"{MOST} launches of the same text are compared"
        else:
            one.left_out = mistake(one)
            count[one.text] = count.get(one.text, 0) + (not one.left_out)
    return list(reversed(different.values())), failed


def mistake(one):
    """What a tool finds in this launch, or its text owns to, or ""."""
    kernel = one.kernel
    if "// wrong on purpose" in kernel.source:  # where a GPU's result is undefined
        return "wrong on purpose, as its text says"
    twin = cudasim.RawKernel(kernel.source, kernel.name, kernel.options)
    args, tools = common.fresh(one.args), ("race", "init")
    report = cudasim.run(twin, one.grid, one.block, args, one.shared_mem, tools=tools)
    return f"wrong on purpose: {report.findings[0].kind}" if report.findings else ""
