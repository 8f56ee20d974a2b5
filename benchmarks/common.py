"""What the benchmarks share: the course's launches, tables, the name of the machine."""

import argparse
import concurrent.futures
import dataclasses
import datetime
import importlib
import multiprocessing
import os
import platform
import re
import sys
from pathlib import Path

import numpy as np

from minigrad.devices import gpu_available
from minigrad.exercises.sandbox import TimeUp, time_limit
from minigrad.testing import bench_table

HOME = Path(__file__).resolve().parent.parent
KERNELS = HOME / "tests" / "simt" / "kernels"


def source(stem):
    """The text of a teaching kernel."""
    return (KERNELS / f"{stem}.cu").read_text()


def of_tests(name, folder="tests/simt"):
    """A module of the tests."""
    folder = str(HOME / folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


@dataclasses.dataclass
class Launch:
    """One launch of a kernel of the course. `label` names it in tables.

    prelude: stands before the source. file: what reports call the source. unset: the
    positions of arrays that the kernel writes before anybody reads them.
    """

    label: str
    source: str
    name: str
    grid: tuple
    block: tuple
    args: tuple
    shared_mem: int = 0
    options: tuple = ()
    prelude: str = ""
    file: str = ""
    unset: tuple = ()


def fresh(args):
    """Copies of the arrays, everything else as it is."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


def fastest(runs, device, **how):
    """The seconds of the fastest sample of each {name: function}; they take turns.

    how: as for `bench_table`.
    """
    clock = "cuda" if device == "cuda" else "sim"
    times = bench_table(runs, [0], lambda _: (), device=clock, **how)
    return [timing.best for timing in times.timings[0].values()]


def cores():
    """How many processors this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes(jobs=None):
    """A pool; its processes know nothing of this one's GPU."""
    context = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(jobs or cores(), context)


def stop(pool):
    """End the processes of a pool, whatever they are at."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.kill()


def within(seconds, function, *args):
    """The function's result; TimeoutError if it takes longer."""
    try:
        with time_limit(seconds):
            return function(*args)
    except TimeUp:
        raise TimeoutError(f"took over {seconds:g} s") from None


def processor():
    """What the processor calls itself."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    match = re.search(r"model name\s*: (.*)", text)
    return match[1] if match else platform.machine()


def machine():
    """The computer and the versions, for the head of a table."""
    parts = [
        f"{processor()}, {cores()} cores",
        f"Python {platform.python_version()}",
        f"NumPy {np.__version__}",
    ]
    if gpu_available():
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        nvrtc = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
        parts += [name, f"CuPy {cupy.__version__}", f"NVRTC {nvrtc}"]
    return ", ".join(parts)


def markdown(rows):
    """Rows of texts as a Markdown table; the first is the head."""
    rows = [[str(cell).replace("|", r"\|") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *body = ("| " + " | ".join(map(str.ljust, r, widths)) + " |" for r in rows)
    return "\n".join([head, "|" + "|".join("-" * (w + 2) for w in widths) + "|", *body])


def parser(description, page):
    """What the scripts' command lines have in common: --help and --write."""
    head, _, rest = description.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=head, epilog=rest.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--write", action="store_true", help=f"also into {page.name}")
    return parser


def counts(parser, *options):
    """The parser with options that are numbers: (name, default, what it counts)."""
    for name, count, what in options:
        parser.add_argument(
            f"--{name}", type=int, default=count, metavar="N",
            help=f"{what}; default: {count}",
        )  # fmt: skip
    return parser


def write(path, text, name):
    """Put the text, under its day, between the marks `name` of a Markdown file."""
    begin, end = f"<!-- {name}: written by a script -->", f"<!-- end of {name} -->"
    page = path.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise SystemExit(f"{path} has no lines '{begin}' and '{end}'")
    text = f"{begin}\n\nRun on {datetime.date.today()}.\n\n{text}\n\n{end}"
    path.write_text(f"{before}{text}{after}", encoding="utf-8")
