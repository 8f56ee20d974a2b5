"""The course's kernels under NVIDIA's compute-sanitizer, at awkward sizes.

    python benchmarks/sanitizer.py [--write] [--tool TOOL ...] [ROW ...]

A row is a file of the library's kernels, with the launches of the tests, a solved lab,
with the launches of its checks, or what minigrad.jit has written. Each tool runs the
rows in processes of its own, several rows in each. memcheck finds accesses outside of
arrays; racecheck races in shared memory; initcheck reads of global memory that nobody
has written; synccheck barriers that not all threads reach. In the last row a kernel is
wrong on purpose, one for each tool: where nothing is found there, the column means
nothing.

Ends with 0: no errors; 1: errors, or something did not run; 2: nothing was run.
"""

import collections
import concurrent.futures
import dataclasses
import functools
import os
import random
import re
import shutil
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import alone, common, generated
from benchmarks.common import Launch
from benchmarks.sanitizer_report import read
from cudasim import fresh_of
from minigrad import devices
from minigrad.testing.progress import slowly

PAGE = common.HOME / "docs" / "benchmarks" / "sanitizer.md"
SECONDS = 300  # for the launches of one process
PORT = 49152  # each process gets ten of its own, or they would take each other's
OPTIONS = {  # of each tool
    "memcheck": ["--padding", "4096", "--report-api-errors", "no"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
COMMON = [
    "--target-processes", "application-only", "--check-exit-code", "no",
    "--show-backtrace", "device", "--destroy-on-device-error", "kernel",
    "--print-limit", "1000", "--launch-timeout", "120",
]  # fmt: skip
CONTROLS = {  # a planted bug of cudasim/tests/bugs for each tool
    "memcheck": "guard",
    "racecheck": "reverse",
    "initcheck": "device_array",
    "synccheck": "barrier_of_one_warp",
}
SUPPORT = "tests/support"
CONTROL, ELSEWHERE, CLEAN = "wrong on purpose", "elsewhere", "0 errors"

# ---------------------------------------------------------------- what is launched


@functools.cache
def families():
    """{file of the library: its launches in the tests}."""
    for path in sorted((common.HOME / SUPPORT).glob("variant_cases*.py")):
        common.of_tests(path.stem, SUPPORT)
    tests = common.of_tests("variant_cases", SUPPORT)
    return {
        stem: [of_family(stem, tests.text(stem), case) for case in make()]
        for stem, make in tests.FAMILIES.items()
    }


def of_family(stem, text, case):
    blank = np.array(77)  # what the tests put where nothing is written yet
    outputs = ((i, case.args[i]) for i in case.expected)
    unset = tuple(i for i, a in outputs if (a == blank.astype(a.dtype)).all())
    return Launch(stem, text, case.name, case.grid, case.block, case.args,
                  prelude=case.prelude, file=f"{stem}.cu", unset=unset)  # fmt: skip


@functools.cache
def labs():
    """{lab: the launches of its solutions' kernels in the checks}."""
    from grading.checking.check import find_check
    from minigrad.exercises.answers import load_references
    from minigrad.exercises.registry import KernelExercise, exercises

    rows = {}
    for exercise in (entry.exercise for entry in exercises()):
        if type(exercise) is KernelExercise:
            load_references(exercise.chapter)
            check = find_check(exercise)
            cases = (of_check(check, one) for _, one in check.cases(random.Random(0)))
            rows.setdefault(exercise.chapter, []).extend(filter(None, cases))
    return rows


def of_check(check, one):
    """A launch of a check; None for the large ones."""
    from grading.kernels.runs import FILL, names, outputs

    if max(one.threads, one.cells) > check.limits.watched:
        return None
    exercise, known = check.exercise, names(check.exercise)
    written = ((i, one.args[i]) for i in map(known.index, outputs(exercise)))
    unset = tuple(i for i, a in written if (a.reshape(-1).view("u1") == FILL).all())
    return Launch(exercise.chapter, exercise.reference, exercise.name, one.grid,
                  one.block, one.args, one.shared_mem,
                  one.options,
                  file=f"lab_{exercise.name}.cu", unset=unset)  # fmt: skip


def control(tool):
    """A launch in which the tool must find something."""
    return planted(common.of_tests("bugs").cases()[CONTROLS[tool]], CONTROL)


def planted(case, row):
    """The launch of a planted bug."""
    asked = case.arguments()
    arrays = ((i, a) for i, a in enumerate(asked["args"]) if np.ndim(a))
    unset = tuple(i for i, a in arrays if fresh_of(a) is not None)
    return Launch(row, case.source, case.name, file=case.file, unset=unset, **asked)


# ---------------------------------------------------------------- running


def program():
    """Where compute-sanitizer is, or None."""
    homes = os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"
    places = [os.environ.get("PATH", ""), *(f"{home}/bin" for home in homes if home)]
    return shutil.which("compute-sanitizer", path=os.pathsep.join(places))


def missing():
    """Why nothing can be run here, or ""."""
    if not devices.gpu_available():
        return "needs an NVIDIA GPU and CuPy"
    if program() is None:
        return "compute-sanitizer of the CUDA toolkit is not on the PATH"
    if lost := [name for name in ("torch", "pytest") if find_spec(name) is None]:
        return f"the launches need {' and '.join(lost)}"
    return ""


def tasks(rows, tools, jobs):
    """[(tool, {row: launches})] of each process; the rows are dealt by their size."""
    parts = min(len(rows), max(1, jobs // len(tools)))
    names = sorted(rows, key=lambda name: -kernels_of(rows[name]))
    for tool in tools:
        for i in range(parts):
            yield tool, {name: rows[name] for name in names[i::parts]}
        yield tool, {CONTROL: [control(tool)]}


def kernels_of(launches):
    """How many kernels there are to compile."""
    return len({(one.prelude, one.name, one.options) for one in launches})


def run(number, tool, rows, seconds):
    """The Watched of a process."""
    command = [program(), "--tool", tool, "--port", str(PORT + 10 * number)]
    command += [*COMMON, *OPTIONS[tool]]
    launches = [named(one, row) for row, some in rows.items() for one in some]
    return alone.watch(command, launches, seconds)


def named(one, row):
    """The launch as part of a row; its kernel knows its lines, which reports name."""
    return dataclasses.replace(one, label=row, options=(*one.options, "-lineinfo"))


# ---------------------------------------------------------------- the table


def cells(rows, watched, seconds):
    """{row: what a tool found there}, and ELSEWHERE what belongs to none."""
    findings, total = read(watched.output)
    shown, known = {}, set()
    for name, launches in rows.items():
        files = {one.file for one in launches}
        known |= files
        mine = [one for one in findings if one.file in files]
        problem = trouble(name, rows, watched, total, seconds)
        shown[name] = errors(mine) if mine or not problem else f"not run: {problem}"
    more = (total or 0) - len(findings)
    others = [str(one) for one in findings if one.file not in known]
    others += [f"{more} more, not printed"] * (more > 0)
    return shown | ({ELSEWHERE: "; ".join(others)} if others else {})


def trouble(name, rows, watched, total, seconds):
    """Why there is no result for a row, or ""."""
    at = next((row for row in rows if row not in watched.done), "its end")
    if watched.code is None:
        return f"took over {seconds:g} s, at {at}"
    if total is None:
        lines = watched.output.strip().splitlines() or ["nothing"]
        return f"compute-sanitizer ended with {lines[-1]}"
    return watched.done.get(name, f"the process ended at {at}")


def errors(findings):
    """ "0 errors", or how many and which."""
    if not findings:
        return CLEAN
    counts = collections.Counter(map(str, findings))
    which = [f"{text} ({n} x)" if n > 1 else text for text, n in counts.items()]
    which[5:] = [f"{len(which) - 5} other places"] * (len(which) > 5)
    return f"{len(findings)} error{'s' * (len(findings) > 1)}: {'; '.join(which)}"


def table(rows, results):
    """Rows of texts. results: {tool: {row: cell}}."""
    elsewhere = [ELSEWHERE] * any(ELSEWHERE in shown for shown in results.values())
    body = []
    for name in [*rows, *elsewhere, CONTROL]:
        shown = (result.get(name, "") for result in results.values())
        body.append((name, len(rows.get(name, ())) or "", *shown))
    return [("kernels of", "launches", *results), *body]


def judged(results):
    """The rows of each tool that are not as they must be: [(tool, row)]."""
    for tool, shown in results.items():
        for name, cell in shown.items():
            if name == CONTROL and not re.match(r"[1-9]\d* error", cell):
                yield tool, f"{name}: nothing was found there"
            elif name != CONTROL and cell != CLEAN:
                yield tool, name


# ---------------------------------------------------------------- the script


def main(arguments=None):
    options = parser().parse_args(arguments)
    if reason := missing():
        print(f"not run: compute-sanitizer ({reason})")
        return 2
    rows = {**families(), **labs(), generated.LABEL: generated.launches()}
    if unknown := set(options.rows) - set(rows):
        print(f"no row {', '.join(sorted(unknown))}: choose of {', '.join(rows)}")
        return 2
    rows = {name: rows[name] for name in options.rows or rows}
    results = all_results(rows, options)
    text = f"{common.machine()}.\n\n{common.markdown(table(rows, results))}"
    print(text)
    bad = list(judged(results))
    for tool, what in bad:
        print(f"{tool}: {what}", file=sys.stderr)
    if options.write:
        common.write(PAGE, text, "sanitizer")
    return 1 if bad else 0


def all_results(rows, options):
    """{tool: {row: cell}}."""
    results = {tool: {} for tool in options.tool or OPTIONS}
    jobs = options.jobs or common.cores()
    todo = list(tasks(rows, list(results), jobs))
    for (tool, some), watched in watched_all(todo, jobs, options.limit, "processes"):
        add(results[tool], cells(some, watched, options.limit))
    return results


def watched_all(todo, jobs, seconds, unit):
    """For each of the tasks (tool, rows), in a process of its own: (task, Watched)."""
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        futures = [
            pool.submit(run, number % 1000, tool, some, seconds)
            for number, (tool, some) in enumerate(todo)
        ]
        for task, future in slowly([*zip(todo, futures, strict=True)], unit):
            yield task, future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        alone.end_all()


def add(results, shown):
    """Put cells to those of other processes; ELSEWHERE may be in several."""
    both = [one[ELSEWHERE] for one in (results, shown) if ELSEWHERE in one]
    results.update(shown | ({ELSEWHERE: "; ".join(both)} if both else {}))


def parser():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="default: all")
    tool = {"action": "append", "choices": OPTIONS, "help": "default: all four"}
    parser.add_argument("--tool", **tool)
    parser.add_argument("--jobs", type=int, help="processes; default: cores")
    help_limit = f"seconds for a process; default: {SECONDS}"
    parser.add_argument("--limit", type=float, default=SECONDS, help=help_limit)
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and end the processes
    sys.exit(main())
