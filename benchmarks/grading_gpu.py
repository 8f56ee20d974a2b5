"""How fast kernels are graded where a GPU is: one submission at a time, and many.

    python benchmarks/grading_gpu.py [--write] [--submissions N] [--jobs N]

A class has solved lab 01: each kernel is judged in the simulator, then runs on the GPU,
in a process of its own. `python -m grading grade` grades a few submissions with one
process that judges, then all of them with N. Each is the whole command, start included.
MB on the GPU is the most that nvidia-smi has seen in use while it ran, less what was in
use before. Where there is no bubblewrap, it is `grade --unsafe`, and the page says so.
"""

import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import common
from benchmarks.grading import PAGE, Run, ran
from grading.isolation import sandbox
from minigrad.devices import gpu_available

LAB = "01_threads"
FEW = 4  # submissions, one at a time
ASKED = "nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"


class GpuMemory:
    """The most MB in use on the GPU while it is open, less those before."""

    def __enter__(self):
        self.before = self.most = self.used()
        self._done = threading.Event()
        self._watch = threading.Thread(target=self._look)
        self._watch.start()
        return self

    def __exit__(self, *error):
        self._done.set()
        self._watch.join()

    @property
    def taken(self):
        return self.most - self.before

    @staticmethod
    def used():
        return int(subprocess.check_output(ASKED, text=True).split()[0])

    def _look(self):
        while not self._done.wait(0.2):
            self.most = max(self.most, self.used())


def graded(root, count, jobs):
    """(Run, MB on the GPU) of so many submissions, by so many processes that judge."""
    from grading.classroom.course_dir import release

    release(root, [LAB])
    solved = json.dumps(common.of_tests("kernel_class", "tests/support").solved(LAB))
    for n in range(count):
        folder = root / "submitted" / f"student-{n:04}" / LAB
        folder.mkdir(parents=True)
        (folder / f"{LAB}.ipynb").write_text(solved)
    grade = [sys.executable, "-m", "grading", "grade", str(root), "--jobs", str(jobs)]
    grade += ["--unsafe"] if sandbox.why_not() else []
    with GpuMemory() as memory:
        run = Run(*ran(grade, cwd=common.HOME), count)
    expect_all_right(root, count)
    return run, memory.taken


def expect_all_right(root, count):
    """SystemExit unless every answer is right, and the kernels are so on the GPU."""
    records = [json.loads(p.read_text()) for p in root.glob(f"verdicts/{LAB}/*.json")]
    found = [one for record in records for one in record["exercises"]]
    wrong = [one["summary"] for one in found if one["points"] != one["max_points"]]
    on_gpu = sum("and on the GPU" in one["summary"] for one in found)
    kernels = len(common.of_tests("kernel_class", "tests/support").kernels(LAB))
    if wrong or len(records) != count or on_gpu != count * kernels:
        raise SystemExit(
            f"{len(records)} of {count} submissions are graded, {on_gpu} answers on "
            f"the GPU, {len(wrong)} are not right: {'; '.join(wrong[:3])}"
        )


def table(rows):
    head = "processes that judge", "submissions", "s each", "a minute"
    rows = [
        (jobs, run.count, f"{run.clock / run.count:.3g}",
         f"{60 * run.count / run.clock:.0f}", f"{run.memory / 2**20:.0f}", taken)
        for jobs, run, taken in rows
    ]  # fmt: skip
    return common.markdown([(*head, "MB", "MB on the GPU"), *rows])


def main(arguments=None):
    options = parser().parse_args(arguments)
    if not gpu_available():
        print("not run: grading on a GPU (needs an NVIDIA GPU and CuPy)")
        return 2
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for jobs, count in (1, FEW), (options.jobs, options.submissions):
            root = Path(folder) / str(len(rows))
            rows.append((jobs, *graded(root, count, jobs)))
    box = sandbox.why_not()
    shown = (
        f"{common.machine()}. Lab {LAB}, solved; all points in every submission"
        f"{f', graded with --unsafe ({box})' if box else ''}.\n\n{table(rows)}"
    )
    print(shown)
    if options.write:
        common.write(PAGE, shown, "grading on a GPU")
    return 0


def parser():
    return common.counts(
        common.parser(__doc__, PAGE),
        ("submissions", 24, "in the class"),
        ("jobs", 8, "processes that judge; 3 submissions for each, or fewer do"),
    )


if __name__ == "__main__":
    sys.exit(main())
