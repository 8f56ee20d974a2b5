"""One piece of work by several libraries: each is run, timed, compared, and tabled."""

import contextlib
import linecache
import sys
import traceback
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..devices import on_gpu
from .frameworks import LIBRARIES, gpu_count, needs
from .timing import duration

# By name: who compiles, where the data lies, who copies, who launches, what comes back.
WHO = {
    "numpy": ("its makers: C, before", "host", "-", "-: it is a loop", "an array"),
    "numba": ("Numba: Python, at the first call of each signature",
              "both, by to_device", "you; of NumPy arrays Numba, always",
              "you: f[grid, block]", "nothing: z was filled"),
    "pycuda": ("nvcc: CUDA C, when SourceModule is made", "both, by mem_alloc", "you",
               "you", "nothing: z was filled"),
    "minigrad": ("CuPy's NVRTC, or the simulator: CUDA C", "both, by to_device",
                 "you", "you", "nothing: z was filled"),
    "cupy": ("NVRTC: CUDA C, at the first call", "device", "you: asarray, asnumpy",
             "CuPy; you with RawKernel", "an array on the device"),
    "torch": ("its makers: C++ and CUDA, before", "where .device says",
              "you: .to, .cpu", "PyTorch", "a tensor on the same device"),
    "tensorflow": ("its makers: C++ and CUDA, before", "where tf.device says",
                   "TensorFlow", "TensorFlow", "a tensor on that device"),
}  # fmt: skip
AFTERWARDS = 5  # calls after the first; the median is shown
TITLES = {"numpy": "NumPy", "minigrad": "minigrad.Kernel"}


class Row(NamedTuple):
    """What came of one way."""

    title: str
    place: str  # where it ran
    result: str  # the type of what it gives
    lines: int  # of its cell
    first: float  # seconds
    later: float


class Ways:
    """expected = function(*args) is what every way must give.

    with ways("cupy") as run:      # where CuPy is missing, the block says so
        run(function, back)        # back: makes a NumPy array of what function gives
    """

    def __init__(self, function, *args):
        self.args, self.expected = args, function(*args)
        self.rows = {}  # title -> Row
        self.tried = {}  # name -> did any of its blocks run?

    @contextlib.contextmanager
    def __call__(self, name, label=None):
        """Run the block where this library is; say why not where it is not."""
        lines = length(sys._getframe(2))
        library = LIBRARIES.get(name)
        title = label or (library.title if library else TITLES[name])
        self.tried.setdefault(name, False)
        with needs(name):
            try:
                yield lambda function, back=np.asarray: self.run(
                    title, name, lines, function, back
                )
            except Exception as error:
                if library and failed_to_load(error):
                    print(f"not run: {title} cannot be loaded here, beside NumPy "
                          f"{np.__version__}. It says: {last_line(error)}")  # fmt: skip
                    return
                if library is None or gpu_count() or is_own(error):
                    raise
                print(f"not run: {title} needs a GPU. It says: {last_line(error)}")

    def run(self, title, name, lines, function, back):
        """Call a function: first alone, then some more times; keep what came of it."""
        first, (given, got) = timed(function, self.args, back)
        if not np.array_equal(got, self.expected):
            raise AssertionError(f"{title} gives {got}, not {self.expected}")
        later = [timed(function, self.args, back)[0] for _ in range(AFTERWARDS)]
        row = Row(title, place(given, name), type(given).__name__, lines, first,
                  float(np.median(later)))  # fmt: skip
        self.rows[title], self.tried[name] = row, True
        times = f"first call {duration(row.first)}, later ones {duration(row.later)}"
        print(f"{title}: {got[:3]} ..., right; {row.place}; {times}")

    def table(self):
        """What was measured, as a table."""
        head = ["", "ran on", "gives", "lines", "first call", "later"]
        return Rows(head, [
            [r.title, r.place, r.result, r.lines, duration(r.first), duration(r.later)]
            for r in self.rows.values()
        ])  # fmt: skip

    def who(self):
        """Who does what, of the libraries that ran; the others are named."""
        head = [
            "",
            "compiles what, when",
            "data is on",
            "copies",
            "launches",
            "comes back",
        ]
        title = {name: entry.title for name, entry in LIBRARIES.items()} | TITLES
        blank = ["not run here", *[""] * (len(head) - 2)]
        return Rows(head, [
            [title[name], *(WHO[name] if ran else blank)]
            for name, ran in self.tried.items()
        ])  # fmt: skip

    def times(self):
        """{title: (first call, later ones)}, in seconds."""
        return {title: (row.first, row.later) for title, row in self.rows.items()}


class Rows:
    """A table: HTML in a notebook, aligned text elsewhere."""

    def __init__(self, head, rows):
        self.head, self.rows = head, [[str(cell) for cell in row] for row in rows]

    def __repr__(self):
        rows = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, r, widths)).rstrip() for r in rows)

    def _repr_markdown_(self):
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def length(frame):
    """How many lines of a cell say something."""
    lines = map(str.strip, linecache.getlines(frame.f_code.co_filename))
    return sum(bool(line) and not line.startswith("#") for line in lines)


def timed(function, args, back):
    """(seconds, (what it gives, the same as a NumPy array))"""
    start = perf_counter()
    given = function(*args)
    got = back(given)
    return perf_counter() - start, (given, got)


def place(given, name):
    """Where a way ran, as far as the result or the library says so."""
    if name == "numba":
        simulated = sys.modules["numba"].config.ENABLE_CUDASIM
        return "Numba's simulator" if simulated else "the GPU"
    if name == "minigrad":
        return "the GPU" if on_gpu(given) else "minigrad's simulator"
    if name in ("cupy", "pycuda"):
        return "the GPU"
    device = str(getattr(given, "device", "cpu")).rpartition("device:")[2]
    return "the CPU" if device.lower().startswith("cpu") else f"the GPU ({device})"


def failed_to_load(error):
    """Did a module that is installed fail while it was imported?"""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any(code.co_name == "<module>" and "-packages" in code.co_filename
               for code in codes)  # fmt: skip


def is_own(error):
    """Is it an error of the cell, and not of a library that misses its GPU?"""
    built_in = type(error).__module__ == "builtins"
    missing = isinstance(error, ModuleNotFoundError)
    return missing or (built_in and not isinstance(error, ImportError))


def last_line(error):
    said = [line for line in str(error).splitlines() if line.strip(" :")]
    return f"{type(error).__name__}: {said[-1] if said else ''}"[:160]
