"""What benchmarks share: launches, clocks, tables, the name of the machine."""

import argparse
import dataclasses
import datetime
import importlib
import os
import platform
import re
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.progress import track

HOME = Path(__file__).resolve().parent.parent
PAGES = HOME / "docs" / "benchmarks"
KERNELS = HOME / "tests" / "kernels"
SAMPLE = 2e-3  # seconds; far longer than what a clock can tell
UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def source(stem):
    """The text of a teaching kernel."""
    return (KERNELS / f"{stem}.cu").read_text()


def of_tests(name, folder=HOME / "tests"):
    """A module of the tests."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(name)


@dataclasses.dataclass
class Launch:
    """One launch of a kernel. `label` names it in tables."""

    label: str
    source: str
    name: str
    grid: tuple
    block: tuple
    args: tuple
    shared_mem: int = 0
    options: tuple = ()


def fresh(args):
    """Copies of the arrays, everything else as it is."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)


@dataclasses.dataclass(frozen=True)
class Timing:
    """Seconds of one call, measured several times."""

    samples: tuple

    @property
    def median(self):
        return float(np.median(self.samples))

    @property
    def best(self):
        return min(self.samples)

    def __str__(self):
        size, unit = next((u for u in UNITS if self.median >= u[0]), UNITS[-1])
        return f"{self.median / size:.3g} {unit}"


def bench(function, repeat, warmup=3):
    """The Timing of function(): each sample is the mean of calls that take 2 ms."""
    for _ in range(warmup):
        function()
    runs = 1
    while sample(function, runs) * runs < SAMPLE:
        runs *= 2
    return Timing(tuple(sample(function, runs) for _ in range(repeat)))


def sample(function, runs=1):
    """Seconds of one of `runs` calls."""
    start = perf_counter()
    for _ in range(runs):
        function()
    return (perf_counter() - start) / runs


def slowly(steps, what):
    """The steps one by one, with a bar that moves between them only."""
    how = {"auto_refresh": False, "transient": True, "console": Console(stderr=True)}
    return track(list(steps), what, **how)


def cores():
    """How many processors this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{processor()}, {cores()} cores, {versions}"


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
    before, marker, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (marker and closed):
        raise SystemExit(f"{path} has no lines '{begin}' and '{end}'")
    text = f"{begin}\n\nRun on {datetime.date.today()}.\n\n{text}\n\n{end}"
    path.write_text(f"{before}{text}{after}", encoding="utf-8")
