"""Planted bugs: which of them the simulator sees, and which compute-sanitizer's tools.

    python benchmarks/planted.py [--write] [BUG ...]

The bugs are those of cudasim/tests/bugs, each launched under each tool in a process of
its own, as benchmarks/sanitizer.py does it with kernels that are right. A cell says how
many errors a tool counts, or "fails", where the launch ends with an error of CUDA's and
the tool adds nothing, or "no end", where it had to be ended. Of the simulator it says
which kinds of findings it has.

Ends with 0, or with 2: nothing was run.
"""

import itertools
import signal
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import cudasim
from benchmarks import common, sanitizer
from benchmarks.sanitizer_report import read

PAGE = sanitizer.PAGE
SECONDS = 60  # for a launch under a tool
LIMITS = cudasim.Limits(steps=2_000)
NOTHING = "–"


def kinds(case):
    """What the simulator finds."""
    kernel = cudasim.RawKernel(case.source, case.name)
    report = cudasim.run(kernel, **case.arguments(), limits=LIMITS)
    return ", ".join(dict.fromkeys(f.kind for f in report.findings)) or NOTHING


def overlap(case):
    """Do two of its arrays share memory? On the GPU each has its own."""
    arrays = [a for a in case.arguments()["args"] if isinstance(a, np.ndarray)]
    return any(itertools.starmap(np.shares_memory, itertools.combinations(arrays, 2)))


def cell(watched):
    """What a tool found."""
    _, total = read(watched.output)
    if total:
        return str(total)
    if watched.code is None:
        return "no end"
    if total is None:
        return f"not run: {watched.output.strip().splitlines()[-1]}"
    return "fails" if any(watched.done.values()) else NOTHING


def table(cases, results):
    """Rows of texts. results: {(bug, tool): cell}."""
    tools = [*sanitizer.OPTIONS]
    body = [
        [case.name, case.file.removesuffix(".cu"), kinds(case),
         *(results[case.name, tool] for tool in tools)]
        for case in cases
    ]  # fmt: skip
    found = [[row[2] != NOTHING, *map(str.isdigit, row[3:])] for row in body]
    seen = [f"{sum(column)} of {len(body)}" for column in zip(*found, strict=True)]
    last = ["seen", "", *seen]
    return [("bug", "of", "simulator", *tools), *body, last]


def main(arguments=None):
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("bugs", nargs="*", metavar="BUG", help="default: all")
    parser.add_argument("--jobs", type=int, help="processes; default: cores")
    parser.add_argument("--limit", type=float, default=SECONDS,
                        help=f"seconds for a launch; default: {SECONDS}")  # fmt: skip
    options = parser.parse_args(arguments)
    if reason := sanitizer.missing():
        print(f"not run: compute-sanitizer ({reason})")
        return 2
    wrong = {case.name: case for case in common.of_tests("bugs").wrong()}
    if unknown := set(options.bugs) - set(wrong):
        print(f"no bug {', '.join(sorted(unknown))}: choose of {', '.join(wrong)}")
        return 2
    chosen = [wrong[name] for name in options.bugs or wrong]
    left = [case.name for case in chosen if overlap(case)]
    cases = [case for case in chosen if case.name not in left]
    results = all_results(cases, options.jobs or common.cores(), options.limit)
    text = f"{common.machine()}.\n\n{common.markdown(table(cases, results))}"
    if left:
        text += f"\n\nNot run, because their arrays overlap: {', '.join(left)}."
    print(text)
    if options.write:
        common.write(PAGE, text, "planted bugs")
    return 0


def all_results(cases, jobs, seconds):
    """{(bug, tool): cell}."""
    todo = [
        (tool, {case.name: [sanitizer.planted(case, case.name)]})
        for case, tool in itertools.product(cases, sanitizer.OPTIONS)
    ]
    done = sanitizer.watched_all(todo, jobs, seconds, "launches")
    return {(*rows, tool): cell(watched) for (tool, rows), watched in done}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and end the processes
    sys.exit(main())
