"""How fast the simulator is, beside NumPy, the same text built by g++, and Numba.

    python cudasim/benchmarks/speed.py [--write] [--quick] [--rounds N] [WORKLOAD ...]

Contestants take turns, round after round, so that a computer that slows down meanwhile
slows all of them; each number is a median. "plain" is a launch as in a notebook,
"race + init" and "all tools" what checks use, "warps" the schedule that runs one warp
after the other. g++ builds the kernel's own text (one thread, -O2); Numba's simulator
runs the same algorithm written in Python, at the size it can bear.
"""

import functools
import importlib.util
import itertools
import os
import shutil
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import cudasim
import numpy as np
from cudasim.benchmarks import common
from cudasim.benchmarks.common import Timing, bench, sample, slowly
from cudasim.benchmarks.workloads import WORKLOADS

PAGE = common.PAGES / "speed.md"
# ---------------------------------------------------------------- contestants


def contestants(work):
    """{name: function}; None where there is nothing to compare with."""
    kernel = cudasim.RawKernel(work.source, work.name)
    launch = work.grid, work.block, work.args

    def watched(**how):
        cudasim.run(kernel, *launch, work.shared_mem, **how)

    return {
        "plain": lambda: kernel(*launch, shared_mem=work.shared_mem),
        "race + init": lambda: watched(tools=("race", "init")),
        "all tools": lambda: watched(),
        "warps": lambda: watched(tools=(), schedule="warps"),
        "NumPy": work.numpy,
        "g++": built(work),
    }


def built(work):
    """The kernel's text, built by g++; None without g++."""
    if shutil.which("g++") is None:
        return None
    args = tuple(np.int32(a) if isinstance(a, int) else a for a in work.args)
    (kernel,) = common.of_tests("native").build([(work.source, work.name)], ("-O2",))
    return lambda: kernel(work.grid, work.block, args, work.shared_mem)


def timings(functions, rounds):
    """{name: Timing}; one sample of each in every round."""
    samples = {name: () for name, function in functions.items() if function}
    for _ in range(rounds):
        for name in samples:
            timing = bench(functions[name], warmup=1, repeat=1)
            samples[name] += timing.samples
    return {name: Timing(s) for name, s in samples.items()}


def compiling(rounds):
    """The Timing of compiling the tiled matmul; each text is new, so none is cached."""
    text, number = common.source("matmul_tiled"), itertools.count()

    def compile_it():
        kernel = cudasim.RawKernel(f"{text}// {next(number)}\n", "matmul_tiled")
        kernel.module.module(kernel.function, "lockstep")

    return bench(compile_it, repeat=max(rounds, 5))


# ---------------------------------------------------------------- Numba


def has_numba():
    return all(map(importlib.util.find_spec, ("numba", "numba_cuda")))


def against_numba(rounds):
    """Rows of the second table, or why there is none."""
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # read when numba.cuda is imported
    if not has_numba():
        return "numba-cuda is not installed"
    from cudasim.benchmarks import numba_kernels

    rows = [("workload", "plain", "Numba's simulator", "Numba / plain")]
    for work, theirs in slowly(list(numba_kernels.contestants()), "Numba"):
        kernel = cudasim.RawKernel(work.source, work.name)
        mine = functools.partial(
            kernel, work.grid, work.block, work.args, shared_mem=work.shared_mem
        )
        plain = bench(mine, repeat=max(rounds, 5))
        other = Timing((sample(theirs),))  # it takes seconds: once will do
        ratio = other.median / plain.median
        rows.append(
            (work.label, str(plain), str(other), f"{float(f'{ratio:.2g}'):,.0f}")
        )
    return rows


# ---------------------------------------------------------------- the table


def ratio(timing, other):
    if timing is None:
        return "–"
    value = timing.median / other.median
    return f"{timing} ({value:.2g} x)"


def rows_of(names, rounds):
    """The table; ratios are against the plain launch."""
    head = ("plain", "race + init", "all tools", "warps", "NumPy", "g++")
    yield ("workload", "goal", *head)
    for name in slowly(names, "workloads"):
        work = WORKLOADS[name]()
        times = timings(contestants(work), rounds)
        goal = f"{work.goal:g} ms" if work.goal else "–"
        others = (ratio(times.get(key), times["plain"]) for key in head[1:])
        yield (work.label, goal, str(times["plain"]), *others)
    yield ("compile, tiled matmul", "5 ms", str(compiling(rounds)), *"–" * 5)


def main(arguments=None):
    options = parser().parse_args(arguments)
    if unknown := set(options.workloads) - set(WORKLOADS):
        parser().error(f"no workload {', '.join(unknown)}: {', '.join(WORKLOADS)}")
    if options.quick and options.write:
        parser().error("--quick is for a look: its numbers are not for the page")
    rounds = 1 if options.quick else options.rounds
    rows = list(rows_of(options.workloads or list(WORKLOADS), rounds))
    numba = "--quick" if options.quick else against_numba(rounds)
    if isinstance(numba, str):
        numba = f"not run: Numba's simulator ({numba})"
    else:
        numba = common.markdown(numba)
    what = f"Medians of {rounds} rounds; in brackets, times the plain launch."
    shown = f"{common.machine()}. {what}\n\n{common.markdown(rows)}\n\n{numba}"
    print(shown)
    if options.write:
        common.write(PAGE, shown, "speed")
    return 0


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD",
        help=f"default: all of {', '.join(WORKLOADS)}",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="default: 5")
    parser.add_argument(
        "--quick", action="store_true",
        help="one round, without Numba: for a look, not for the page",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
