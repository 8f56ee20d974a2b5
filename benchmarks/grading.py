"""How fast a class is graded, beside plain nbgrader, with the same verdicts.

    python benchmarks/grading.py [--write] [--submissions N] [--plain N]

A third of the class has solved the lab, a third the first half of it, a third nothing.
`python -m grading grade` grades all of them, plain `nbgrader autograde` the first few:
it takes seconds for each. Both have two cores, and begin with nothing graded. Ours is
the whole command over its submissions, start included; of nbgrader's, the start is
taken off: the command for one submission. CPU seconds are those of all processes, and
MB the most memory that they had (pss: what some share is counted once). A class of 20
stands beside the whole one: does its memory grow with the class?
"""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psutil

from benchmarks import common

PAGE = common.HOME / "docs" / "benchmarks" / "grading.md"
CORES = 2
EVERY = 0.25  # seconds from one look at the CPU time of the processes to the next
SELDOM = 8  # looks from one at their memory to the next, which keeps them waiting
SMALL = 20  # submissions


class Run(NamedTuple):
    """A command: seconds by the clock, of CPU, bytes, and submissions graded."""

    clock: float
    cpu: float
    memory: int
    count: int

    def without(self, start):
        """What each further submission took."""
        clock, cpu, _, count = (a - b for a, b in zip(self, start, strict=True))
        return Run(clock, cpu, self.memory, count)

    def each(self):
        return self.clock / self.count, self.cpu / self.count


def lab():
    return common.of_tests("altered", "tests/support")


def half():
    """The lab with the first half of its exercises solved."""
    nb, names = lab().solved(), list(lab().EXERCISES)
    for name in names[len(names) // 2 :]:
        lab().edited(nb, name, lab().cell(lab().empty(), name)["source"])
    return nb


def hand_in(root, count):
    """The class's submissions: solved, half-solved, empty, and so on."""
    notebooks = [json.dumps(nb) for nb in (lab().solved(), half(), lab().empty())]
    for n in range(count):
        folder = root / "submitted" / f"student-{n:04}" / lab().LAB
        folder.mkdir(parents=True)
        (folder / f"{lab().LAB}.ipynb").write_text(notebooks[n % len(notebooks)])


def course(root, count):
    """A course of ours with so many submissions."""
    from grading.classroom.course_dir import release

    release(root, [lab().LAB])
    hand_in(root, count)
    return root


def plain_course(root, ours, count):
    """nbgrader's own course, of the same lab, and with the same submissions."""
    shutil.copytree(ours / "source", root / "source")
    nbgrader(root, "generate_assignment", lab().LAB)
    hand_in(root, count)
    return root


def nbgrader(root, *args):
    """Run nbgrader's own program in a folder with no configuration of ours."""
    places = {
        "PYTHONPATH": str(common.HOME),
        "JUPYTER_CONFIG_DIR": str(root / "config"),
        "IPYTHONDIR": str(root / "ipython"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [sys.executable, "-m", "nbgrader", *args]
    return ran(command, cwd=root, env=os.environ | places)


def ran(command, **how):
    """(seconds by the clock, of CPU, bytes), of it and all processes that it starts."""
    begun, cpu, memory, said = time.monotonic(), 0, 0, []
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, **pipes, **how) as running:
        reader = threading.Thread(target=lambda: said.extend(running.stdout))
        reader.start()
        for look in itertools.count():
            if running.poll() is not None:
                break
            seconds, size = used(running.pid, with_memory=look % SELDOM == 0)
            cpu, memory = max(cpu, seconds), max(memory, size)
            time.sleep(EVERY)
        reader.join()
    if running.returncode:
        raise SystemExit(f"{' '.join(command)}\n{''.join(said)}")
    return time.monotonic() - begun, cpu, memory


def used(pid, with_memory=True):
    """(CPU seconds, bytes now or 0) of a process and all below it.

    The seconds are also those of processes that have ended.
    """
    seconds = size = 0
    with contextlib.suppress(psutil.NoSuchProcess):
        main = psutil.Process(pid)
        for one in main, *main.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                seconds += sum(one.cpu_times()[:4])  # with those of its children
                size += one.memory_full_info().pss if with_memory else 0
    return seconds, size


def points(root):
    """{student: {exercise: points}} of a gradebook."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        return {
            submission.student_id: {
                grade.name: grade.score for grade in submission.notebooks[0].grades
            }
            for submission in book.assignment_submissions(lab().LAB)
        }


def measured(folder, count, few):
    """(our Runs, of 20 and of all; nbgrader's; how many verdicts are the same)."""
    ours = []
    for name, n in ("small", min(SMALL, count)), ("ours", count):
        root = course(folder / name, n)
        grade = [sys.executable, "-m", "grading", "grade", str(root)]
        ours.append(Run(*ran(grade, cwd=common.HOME), n))
    runs = []
    for name, n in ("one", 1), ("few", few + 1):
        stock = plain_course(folder / name, root, n)
        runs.append(Run(*nbgrader(stock, "autograde", lab().LAB, "--create"), n))
    one, more = runs
    theirs, mine = points(stock), points(root)
    differ = [who for who in theirs if theirs[who] != mine[who]]
    if differ:
        raise SystemExit(f"other points: {differ[0]}: {theirs[differ[0]]}, "
                         f"ours {mine[differ[0]]}")  # fmt: skip
    return ours, more.without(one), sum(map(len, theirs.values()))


def table(ours, plain):
    head = "submissions", "s each", "CPU s each", "times as fast", "by CPU", "MB"
    rows, names = [("", *head)], ("plain `nbgrader autograde`",)
    names += 2 * ("`python -m grading grade`",)
    for name, run in zip(names, (plain, *ours), strict=True):
        each = zip(plain.each(), run.each(), strict=True)
        ratios = [f"{theirs / mine:.0f}" for theirs, mine in each]
        took = [f"{s:.3g}" for s in run.each()]
        rows.append((name, run.count, *took, *ratios, f"{run.memory / 2**20:.0f}"))
    return common.markdown(rows)


def main(arguments=None):
    options = parser().parse_args(arguments)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [*os.sched_getaffinity(0)][:CORES])
    with tempfile.TemporaryDirectory() as folder:
        ours, plain, same = measured(Path(folder), options.submissions, options.plain)
    shown = (
        f"{common.machine()}, nbgrader {version('nbgrader')}. Lab {lab().LAB}, "
        f"{len(lab().EXERCISES)} exercises. The same points in all {same} of the "
        f"verdicts that both gave.\n\n{table(ours, plain)}"
    )
    print(shown)
    if options.write:
        common.write(PAGE, shown, "grading")
    return 0


def parser():
    return common.counts(
        common.parser(__doc__, PAGE),
        ("submissions", 200, "in the class"),
        ("plain", 9, "of them by plain nbgrader"),
    )


if __name__ == "__main__":
    sys.exit(main())
