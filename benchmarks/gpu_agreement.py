"""Does the simulator compute what a GPU computes? Bit for bit, kernel by kernel.

    python benchmarks/gpu_agreement.py [--write] [KERNEL ...]

The launches of the teaching kernels of the tests, of lessons and of solved labs run
through CuPy and in the simulator, with --fmad=false (each operation rounded on its own)
and with --fmad=true, NVRTC's default (a * b + c rounded once). Kernels of integers,
copies, and floats without transcendental functions or float atomics must agree in every
bit; the others within a bound. Where Nsight Compute runs, the traffic that it counts is
put beside what the simulator counts.

Ends with 0: all agree; 1: some do not; 2: nothing was run, because there is no GPU.
"""

import argparse
import contextlib
import ctypes
import dataclasses
import os
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import chapters, common, ncu, reasons
from minigrad import device, simt
from minigrad.kernel import Kernel
from minigrad.testing.progress import slowly

PAGE = common.HOME / "docs" / "benchmarks" / "gpu_agreement.md"
WAYS = ("--fmad=false", "--fmad=true")
EXACT = None


@dataclasses.dataclass
class Bound:
    """Errors of at most `most`, in 2**-23 of the expected value, or of `scale` where
    that is larger (for results of cancellation)."""

    most: float
    why: str
    scale: float = 0


# Kernels whose bits may differ; CUDA's programming guide gives the functions' errors.
BOUNDS = {
    "adam": Bound(16, "powf (up to 8 ulp)", 1),
    "bfloat_sum": Bound(16, "float atomics, in any order", 32),
    "gelu": Bound(8, "tanhf (2 ulp)", 1),
    "layernorm": Bound(32, "rsqrtf (2 ulp)", 1),
    "reduce_shared": Bound(32, "float atomics, in any order", 32),
    "softmax": Bound(16, "expf (2 ulp), __expf"),
}


@dataclasses.dataclass
class Case(common.Launch):
    """One launch to compare. left_out: why it is not, if so."""

    options: tuple = ()
    left_out: str = ""

    @property
    def bound(self):
        return BOUNDS.get(self.label, EXACT)

    def __str__(self):
        return f"{self.label} {self.grid} {self.block}"


def without_fmad(options):
    return tuple(o for o in options if "fmad" not in o)


def teaching_cases(only=()):
    """The launches with which the simulator's tests run the teaching kernels."""
    launches = common.of_tests("test_simt_kernels").LAUNCHES
    for stem, make in launches.items():
        if only and stem not in only:
            continue
        text = common.source(stem)
        for one in make():
            yield Case(stem, text, one.name, one.grid, one.block, one.args,
                       one.shared_mem, without_fmad(one.options))  # fmt: skip


def chapter_cases(only=()):
    """(launches of lessons and solved labs, [(cell, why it could not be run)])."""
    cases, failed = [], []
    for path in chapters.texts():
        text = f"{path.parent.name}/{path.stem}"
        found, problems = chapters.launches(path)
        failed += [(f"{text}: {cell}", why) for cell, why in problems]
        for one in found:
            kernel, label = one.kernel, f"{text}: {one.kernel.name}"
            if not only or {label, kernel.name, path.stem} & set(only):
                cases.append(Case(
                    label, kernel.source, kernel.name, one.grid, one.block, one.args,
                    one.shared_mem, without_fmad(kernel.options), one.left_out,
                ))  # fmt: skip
    return cases, failed


# ---------------------------------------------------------------- running


def on_the_gpu(case, options):
    """(arrays afterwards, what was printed)."""
    kernel = Kernel(case.source, case.name, (*case.options, *options))
    args = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in case.args]
    with printed() as output:
        kernel(case.grid, case.block, tuple(args), shared_mem=case.shared_mem)
        device.synchronize()
    return [device.to_host(a) for a in args if device.on_gpu(a)], output[0]


def in_the_simulator(case, options, tools=()):
    """(arrays afterwards, the Report)."""
    kernel = simt.RawKernel(case.source, case.name, (*case.options, *options))
    args = common.fresh(case.args)
    report = simt.run(kernel, case.grid, case.block, args, case.shared_mem, tools=tools)
    report.raise_if_any()
    return [a for a in args if isinstance(a, np.ndarray)], report


@contextlib.contextmanager
def printed():
    """[what C code writes to its standard output meanwhile], filled in at the end."""
    sys.stdout.flush()
    keep, found = os.dup(1), [""]
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield found
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(keep, 1)
            os.close(keep)
            file.seek(0)
            found[0] = file.read().decode()


# ---------------------------------------------------------------- comparing


@dataclasses.dataclass
class Outcome:
    """How the results of a kernel's launches compare: elements, and what differs."""

    elements: int = 0
    differ: int = 0
    error: float = 0.0
    problem: str = ""

    def add(self, gpu, sim, scale):
        """One array of each."""
        bits = [np.ascontiguousarray(a).view(f"u{a.itemsize}") for a in (gpu, sim)]
        differ = bits[0] != bits[1]
        self.elements += gpu.size
        self.differ += int(differ.sum())
        if differ.any():
            self.error = max(self.error, error(gpu[differ], sim[differ], scale))

    def holds(self, bound):
        """Is this good enough?"""
        good = self.differ == 0 if bound is EXACT else self.error <= bound.most
        return good and not self.problem

    def __str__(self):
        if self.problem:
            return self.problem
        if not self.differ:
            return "same bits"
        return f"{self.differ} of {self.elements} differ, error up to {self.error:.3g}"


def error(gpu, sim, scale):
    """The largest difference, in 2**-23 of the value, or of a larger `scale`."""
    gpu, sim = gpu.astype(np.float64), sim.astype(np.float64)
    if not np.isfinite(gpu).all() or not np.isfinite(sim).all():
        return np.inf
    size = np.maximum(np.abs(gpu), scale)
    return float(np.max(np.abs(gpu - sim) / (np.where(size, size, 1) * 2.0**-23)))


def compared(cases, options):
    """The Outcome of all launches of one kernel."""
    outcome = Outcome()
    for case in cases:
        try:
            gpu, text = on_the_gpu(case, options)
            sim, report = in_the_simulator(case, options)
        except Exception as error:  # the other kernels shall be compared all the same
            outcome.problem = f"failed: {type(error).__name__}: {error}".split("\n")[0]
            break
        if sorted(text.splitlines()) != sorted(report.output.splitlines()):
            outcome.problem = "prints other lines"  # their order is free
        for a, b in zip(gpu, sim, strict=True):
            outcome.add(a, b, case.bound.scale if case.bound else 0)
    return outcome


def agreement(cases):
    """(rows of the table, labels of the kernels that do not agree)."""
    groups = {}
    for case in cases:
        groups.setdefault(case.label, []).append(case)
    rows, bad = [("kernel", "must be", *WAYS)], []
    for label, group in slowly(groups.items(), "kernels"):
        outcomes = [compared(group, (way,)) for way in WAYS]
        bound = group[0].bound
        if not all(outcome.holds(bound) for outcome in outcomes):
            bad.append(label)
        needed = f"within {bound.most:g}: {bound.why}" if bound else "the same bits"
        rows.append((label, needed, *map(str, outcomes)))
    return rows, bad


def traffic(cases):
    """Rows of counts, the simulator's beside ncu's; or why there are none."""
    labels = dict.fromkeys(case.label for case in cases)
    command = [sys.executable, __file__, "--launch-only", *labels]
    counts = ncu.counted(command, len(cases))
    if isinstance(counts, str):
        return counts
    names = list(ncu.METRICS)
    rows = [("launch", *(f"{name}: simulator, ncu" for name in names), "equal", "why")]
    for case, theirs in slowly(list(zip(cases, counts, strict=True)), "counts"):
        _, report = in_the_simulator(case, WAYS[1:], ("coalescing", "banks"))
        ours = {name: int(report.counts.get(name, 0)) for name in names}
        pairs = (f"{ours[name]:,}, {theirs[name]:,}" for name in names)
        equal = "yes" if ours == theirs else "no"
        rows.append((str(case), *pairs, equal, reasons.why(case.label, ours, theirs)))
    return rows


# ---------------------------------------------------------------- the script


def main(arguments=None):
    options = parser().parse_args(arguments)
    if not device.gpu_available():
        print("not run: agreement with a GPU (needs an NVIDIA GPU and CuPy)")
        return 2
    of_chapters, failed = chapter_cases(options.kernels)
    every = [*teaching_cases(options.kernels), *of_chapters]
    cases = [case for case in every if not case.left_out]
    if options.launch_only:
        for case in cases:
            on_the_gpu(case, WAYS[1:])
        return 0
    rows, bad = agreement(cases)
    failed += [(str(case), case.left_out) for case in every if case.left_out]
    parts = [common.markdown(rows), left_out_text(failed), counts_text(traffic(cases))]
    told = "\n\n".join([f"{common.machine()}.", *parts])
    print(told)
    if bad:
        print(f"\ndisagree: {', '.join(bad)}", file=sys.stderr)
    if options.write:
        common.write(PAGE, told, "agreement")
    return 1 if bad else 0


def left_out_text(pairs):
    if not pairs:
        return "No launch is left out."
    return "Left out:\n\n" + common.markdown([("launch", "why"), *dict.fromkeys(pairs)])


def counts_text(rows):
    if isinstance(rows, str):
        return f"not run: comparison of counts with Nsight Compute ({rows})"
    return f"{common.markdown(rows)}\n\n{reasons.legend(rows[1:])}".strip()


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="default: all")
    parser.add_argument("--launch-only", action="store_true", help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
