"""Fuzzing the simulator: random kernels against g++, bit for bit.

python cudasim/tests/fuzz.py --seeds 0:1000 --minutes 5 --kind all
"""

import argparse
import dataclasses
import pathlib
import re
import tempfile
import time

import cudasim
import numpy as np
import random_kernels
from rich.console import Console
from rich.progress import Progress

import native

OPTIONS = ("--fmad=false",)
SCHEDULES = ("lockstep", "warps")
BATCH = 32
# Lines without which a kernel would not be well defined.
KEPT = re.compile(r"__sync|live|NT|__global__|^#|^ *s\d")
HARMLESS = {"assignment", "double-constant", "unused", "template"}


def same(a, b):
    """Are two arguments the same, bit for bit? Any NaN is any other."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.names:
        return all(same(a[name], b[name]) for name in a.dtype.names)
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    bits = np.dtype(f"u{a.dtype.itemsize}")
    nan = np.isnan(a) & np.isnan(b)
    return bool(
        np.all(nan | (np.atleast_1d(a).view(bits) == np.atleast_1d(b).view(bits)))
    )


def differences(program, expected, got):
    """Lines that say where two runs of a kernel differ."""
    lines = []
    for (name, *_), a, b in zip(program.parameters, expected, got, strict=True):
        if not same(a, b):
            wrong = [i for i in range(a.size) if not same(a[i], b[i])]
            i = wrong[0]
            lines.append(
                f"differs: {name}[{i}] is {a[i]!r} by g++, {b[i]!r} in the simulator "
                f"({len(wrong)} of {a.size} differ)"
            )
    return lines


def judge(program, kernel, schedules=SCHEDULES, tools=()):
    """What is wrong with the simulator's runs of a kernel: lines, none if nothing."""
    expected = program.arguments()
    kernel(program.grid, program.block, expected, program.shared_mem)
    lines = []
    for schedule in schedules:
        try:
            differences = simulated(program, schedule, tools, expected)
        except Exception as error:  # the simulator's own faults are findings too
            differences = [f"{type(error).__name__}: {error}"]
        lines += [f"{schedule}: {line}" for line in differences]
    return lines


def simulated(program, schedule, tools, expected):
    kernel = cudasim.RawKernel(program.source, program.name, OPTIONS)
    lints = [f"{w.kind}: {w}" for w in kernel.warnings if w.kind not in HARMLESS]
    got = program.arguments()
    report = cudasim.run(
        kernel, program.grid, program.block, got, program.shared_mem, tools=tools,
        schedule=schedule, seed=program.seed,
    )  # fmt: skip
    findings = [f"{f.kind}: line {f.line}: {f.message}" for f in report.findings]
    return lints + findings + differences(program, expected, got)


def failures(programs, schedules, tools):
    """(program, lines) for those that fail, of many compiled at once."""
    kernels = native.build([(p.source, p.name) for p in programs])
    judged = [
        (p, judge(p, k, schedules, tools))
        for p, k in zip(programs, kernels, strict=True)
    ]
    return [(p, lines) for p, lines in judged if lines]


def fewer_choices(program, kind):
    """(smaller programs, how many choices each lacks), the largest parts first."""
    choices = program.choices
    lists = [
        (choices[:begin] + simplest + choices[end:], end - begin)
        for begin, end, simplest in program.parts
    ]
    for at, value in enumerate(choices):
        for less in {0, value // 2, value - 1} if value else ():
            lists.append(([*choices[:at], less, *choices[at + 1 :]], 0))
    for shorter, size in sorted(lists, key=lambda pair: -pair[1]):
        yield random_kernels.make(program.seed, kind, shorter), size


def fewer_lines(program, kind):
    """(programs without a statement or a function, how many lines each lacks)."""
    lines = program.source.splitlines()
    ranges = [(at, end_of(lines, at)) for at in range(len(lines))]
    for begin, end in sorted(ranges, key=lambda r: r[0] - r[1]):
        if not KEPT.search("".join(lines[begin:end])):
            text = "\n".join(lines[:begin] + lines[end:]) + "\n"
            yield dataclasses.replace(program, source=text), end - begin


def end_of(lines, at):
    """Behind the statement, or the block with its else, that begins in a line."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    while lines[at].endswith("{") and at + 1 < len(lines):
        at += 1
        while at + 1 < len(lines) and not lines[at][indent:].startswith("}"):
            at += 1
    return at + 1


def weight(program):
    return len(program.source), sum(program.choices)


def sorts(lines):
    """What sorts of failure these are, so that shrinking stays with one."""
    return {line.split(": ")[1] for line in lines}


def shrink(program, lines, kind, schedules, tools, seconds=120):
    """The smallest kernel found within some time that fails in a like way."""
    best = program, lines
    for fewer in (fewer_choices, fewer_lines):
        largest, tried, end = None, set(), time.monotonic() + seconds / 2
        while time.monotonic() < end:
            candidates = batches(fewer(best[0], kind), best[0], tried, largest)
            smaller, size = first_failing(
                candidates, sorts(lines), schedules, tools, end
            )
            if not smaller and largest is None:
                break
            largest = size if smaller else None
            best = min([best, *smaller], key=lambda f: weight(f[0]))
    return best


def first_failing(candidates, wanted, schedules, tools, end):
    """(those that fail of the first batch where any does, its size)."""
    for batch, size in candidates:
        try:
            failing = failures(batch, schedules, tools)
        except ValueError:  # one without which another does not compile
            failing = []
        failing = [f for f in failing if sorts(f[1]) & wanted]
        if failing or time.monotonic() > end:
            return failing, size
    return [], 0


def batches(candidates, program, tried, largest, count=8):
    """(programs to compile together, the greatest of their sizes)."""
    batch, most = [], 0
    for candidate, size in candidates:
        too_large = largest is not None and size > largest
        if (
            too_large
            or candidate.source in tried
            or weight(candidate) >= weight(program)
        ):
            continue
        tried.add(candidate.source)
        if accepted(candidate):
            batch.append(candidate)
            most = max(most, size)
        if len(batch) == count:
            yield batch, most
            batch, most = [], 0
    if batch:
        yield batch, most


def accepted(program):
    """Does it compile, with nothing that is read before it has a value?"""
    try:
        lints = cudasim.compile(program.source).warnings
    except cudasim.CompileError:
        return False
    return all(w.kind in HARMLESS for w in lints)


def save(folder, program, lines, kind):
    """Write a failing kernel with what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}_{program.seed}.cu"
    head = [f"// seed {program.seed}, kind {kind}"]
    head += [f"// grid {program.grid}, block {program.block}"]
    head += [f"// {part}" for line in lines for part in line.splitlines()]
    path.write_text("\n".join(head) + "\n" + program.source)
    return path


def arguments():
    parser = argparse.ArgumentParser(
        prog="python cudasim/tests/fuzz.py", description=__doc__
    )
    parser.add_argument("--seeds", default="0:1000", help="first:end")
    parser.add_argument("--minutes", type=float, default=5, help="stop after these")
    parser.add_argument("--kind", default="all", choices=["all", *random_kernels.KINDS])
    parser.add_argument("--schedule", default="all", choices=["all", *SCHEDULES])
    parser.add_argument("--tools", action="store_true", help="with all tools on")
    parser.add_argument("--shrink", type=float, default=60, help="seconds a failure")
    folder = pathlib.Path(tempfile.gettempdir(), "simt_fuzz")
    parser.add_argument("--folder", type=pathlib.Path, default=folder)
    return parser.parse_args()


def main():
    options, console = arguments(), Console()
    if why := native.missing():
        raise SystemExit(f"not run: fuzz ({why})")
    first, end = map(int, options.seeds.split(":"))
    kinds = random_kernels.KINDS if options.kind == "all" else (options.kind,)
    schedules = SCHEDULES if options.schedule == "all" else (options.schedule,)
    tools = "all" if options.tools else ()
    stop, failed, done = time.monotonic() + 60 * options.minutes, 0, first
    with Progress(console=console) as progress:
        task = progress.add_task("kernels", total=end - first)
        for done in range(first, end, BATCH):
            if time.monotonic() > stop:
                break
            seeds = range(done, min(done + BATCH, end))
            programs = [random_kernels.make(s, kinds[s % len(kinds)]) for s in seeds]
            for program, lines in failures(programs, schedules, tools):
                failed += 1
                kind = kinds[program.seed % len(kinds)]
                small = shrink(program, lines, kind, schedules, tools, options.shrink)
                path = save(options.folder, *small, kind)
                console.print(path.read_text(), markup=False, soft_wrap=True)
            progress.update(task, completed=seeds.stop - first)
    console.print(f"{progress.tasks[0].completed} kernels, {failed} failed")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
