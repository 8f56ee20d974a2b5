"""Does the simulator compute what a GPU computes? Bit for bit, kernel by kernel.

    python benchmarks/gpu_agreement.py [--write] [KERNEL ...]

The launches of the teaching kernels of the tests, of kernels that minigrad.jit writes,
of lessons and of solved labs run through CuPy and in the simulator, with --fmad=false
(each operation rounded on its own) and with --fmad=true, NVRTC's default (a * b + c
rounded once). Kernels of integers, copies, and floats without transcendental functions
or float atomics must agree in every bit; the others within a bound.

The simulator runs in a process for each core; the GPU is used by this one alone. What
takes longer than --limit seconds is named, and left. With --write the page is written
after each kernel, so a run that is cut off leaves the rows that it has.

Ends with 0: all agree; 1: some do not; 2: nothing was run, because there is no GPU.
"""

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import cudasim
from benchmarks import cases as course
from benchmarks import common
from benchmarks.cases import in_words
from benchmarks.outcomes import Outcome
from minigrad import devices
from minigrad.kernel import Kernel
from minigrad.testing.progress import slowly

PAGE = common.HOME / "docs" / "benchmarks" / "gpu_agreement.md"
WAYS = ("--fmad=false", "--fmad=true")
SECONDS = 60  # for one kernel, or for the launches of one lesson
CUT_OFF = "Cut off: the kernels that are not in the table were not compared."


# ---------------------------------------------------------------- running


def on_the_gpu(case, options):
    """(arrays afterwards, what was printed)."""
    kernel = Kernel(case.source, case.name, (*case.options, *options))
    args = [devices.to_device(a) if isinstance(a, np.ndarray) else a for a in case.args]
    with printed() as output:
        kernel(case.grid, case.block, tuple(args), shared_mem=case.shared_mem)
        finish()
    return [devices.to_host(a) for a in args if devices.on_gpu(a)], output[0]


def finish():
    """Wait for the GPU; a limit in time can end this, other than a wait of CUDA's."""
    import cupy

    event = cupy.cuda.Event()
    event.record()
    while not event.done:
        time.sleep(1e-4)
    devices.synchronize()


class Gpu:
    """Runs cases, each within `seconds`; after one that never ends, no more."""

    def __init__(self, seconds):
        self.seconds, self.stuck = seconds, ""

    def __call__(self, case, way):
        if self.stuck:
            raise TimeoutError(f"the GPU is still at {self.stuck}")
        try:
            return common.within(self.seconds, on_the_gpu, case, (way,))
        except TimeoutError:
            self.stuck = case.label
            raise


def in_the_simulator(case, options, tools=()):
    """(arrays afterwards, the Report)."""
    kernel = cudasim.RawKernel(case.source, case.name, (*case.options, *options))
    args = common.fresh(case.args)
    report = cudasim.run(kernel, case.grid, case.block, args, case.shared_mem, tools=())
    report.raise_if_any()
    return [a for a in args if isinstance(a, np.ndarray)], report


def simulated(cases):
    """{way: [(arrays afterwards, what was printed)] of the cases}."""
    runs = {way: [in_the_simulator(case, (way,)) for case in cases] for way in WAYS}
    return {w: [(a, report.output) for a, report in each] for w, each in runs.items()}


@contextlib.contextmanager
def printed():
    """[what C code writes to its standard output meanwhile], filled in at the end."""
    sys.stdout.flush()
    keep, text = os.dup(1), [""]
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield text
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(keep, 1)
            os.close(keep)
            file.seek(0)
            text[0] = file.read().decode()


# ---------------------------------------------------------------- comparing


def compared(cases, way, gpu, ours):
    """The Outcome of all launches of one kernel. ours: returns what simulated does."""
    outcome = Outcome()
    try:
        theirs = [gpu(case, way) for case in cases]
        for case, one, other in zip(cases, theirs, ours()[way], strict=True):
            if sorted(one[1].splitlines()) != sorted(other[1].splitlines()):
                outcome.problem = "prints other lines"  # their order is free
            for a, b in zip(one[0], other[0], strict=True):
                outcome.add(a, b, case.bound.scale if case.bound else 0)
    except Exception as error:  # the other kernels shall be compared all the same
        outcome.problem = in_words(error)
    return outcome


def by_label(cases):
    groups = {}
    for case in cases:
        groups.setdefault(case.label, []).append(case)
    return groups


def agreement(cases, pool, gpu):
    """For each kernel (row of the table, does it agree?)."""
    groups = by_label(cases)
    ask = common.within, gpu.seconds, simulated
    ours = {label: pool.submit(*ask, group) for label, group in groups.items()}
    for label, group in slowly(groups.items(), "kernels"):
        outcomes = [compared(group, way, gpu, ours[label].result) for way in WAYS]
        bound = group[0].bound
        needed = f"within {bound.most:g}: {bound.why}" if bound else "the same bits"
        good = all(outcome.holds(bound) for outcome in outcomes)
        yield (label, needed, *map(str, outcomes)), good


# ---------------------------------------------------------------- the script


def main(arguments=None):
    options = parser().parse_args(arguments)
    if not devices.gpu_available():
        print("not run: agreement with a GPU (needs an NVIDIA GPU and CuPy)")
        return 2
    pool, gpu, table = (
        common.processes(options.jobs),
        Gpu(options.limit),
        Table(options),
    )
    try:
        compare(table, pool, gpu)
    finally:
        common.stop(pool)
    if table.bad:
        print(f"\ndisagree: {', '.join(table.bad)}", file=sys.stderr)
    if gpu.stuck:  # who leaves in the usual way waits for the GPU
        sys.stdout.flush()
        os._exit(1)
    return 1 if table.bad else 0


def compare(table, pool, gpu):
    """Fill the table."""
    only = table.options.kernels
    teaching = [*course.of_teaching(only), *course.of_jit(only)]
    rest = not only or set(only) - {case.label for case in teaching}
    texts = course.recorded(pool, gpu.seconds) if rest else {}
    try:
        table.add(agreement(teaching, pool, gpu))
        cases, failed, lost = course.of_chapters(texts, only)
        table.failed += failed
        table.add(((text, "the same bits", *[why] * len(WAYS)), False)
                  for text, why in lost)  # fmt: skip
        table.add(agreement(cases, pool, gpu))
        table.whole = True
    finally:
        table.keep(aloud=True)


class Table:
    """The rows so far, on the page as soon as they are there."""

    def __init__(self, options):
        self.options, self.whole = options, False
        self.rows, self.failed, self.bad = [("kernel", "must be", *WAYS)], [], []

    def add(self, rows):
        """rows: pairs (row, is it good?)."""
        for row, good in rows:
            self.rows.append(row)
            self.bad += [] if good else [row[0]]
            self.keep()

    def keep(self, aloud=False):
        parts = [common.markdown(self.rows)]
        if self.failed or self.whole:
            parts.append(left_out_text(self.failed))
        parts += [] if self.whole else [CUT_OFF]
        keep(self.options, "\n\n".join(parts), "agreement", aloud)


def keep(options, text, name, aloud):
    """Write a part of the page, and print it if it is to be aloud."""
    text = f"{common.machine()}.\n\n{text}"
    if options.write:
        common.write(PAGE, text, name)
    if aloud:
        print(text, end="\n\n", flush=True)


def left_out_text(pairs):
    if not pairs:
        return "No launch is left out."
    return "Left out:\n\n" + common.markdown([("launch", "why"), *dict.fromkeys(pairs)])


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="default: all")
    parser.add_argument("--jobs", type=int, help="processes; default: cores")
    help_limit = f"seconds for a kernel or a lesson; default: {SECONDS}"
    parser.add_argument("--limit", type=float, default=SECONDS, help=help_limit)
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # with the rows so far
    sys.exit(main())
