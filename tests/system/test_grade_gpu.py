"""What only a GPU can tell: graded in a process of its own, or not graded and not lost.

No GPU is needed: one part has a stand-in for CuPy, the other has none at all.
"""

import csv
import json
import random

import numpy as np
import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from bs4 import BeautifulSoup  # noqa: E402
from kernel_class import EXERCISES, I, solved, text  # noqa: E402

from grading.checking import check  # noqa: E402
from grading.checking.check import Check  # noqa: E402
from grading.checking.kernel_judgment import KernelJudgment  # noqa: E402
from grading.classroom import judging  # noqa: E402
from grading.classroom.course_dir import grade, open_course, release  # noqa: E402
from grading.classroom.export import export  # noqa: E402
from grading.classroom.feedback import feedback  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.isolation.replies import Problem  # noqa: E402
from grading.kernels import cpp, gpu  # noqa: E402
from grading.kernels.runs import Launch, blank, distinct  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.cli import progress, start  # noqa: E402

LAB, OPEN = "02_memory", "coalesced_copy"
MOST = sum(exercise.points for exercise in EXERCISES[LAB].values())
REST = MOST - EXERCISES[LAB][OPEN].points
TAIL_GUARD = EXERCISES["01_threads"]["tail_guard"]
FAKE = """
import sys, types, numpy
cupy = types.ModuleType("cupy")
cupy.asarray = cupy.asnumpy = numpy.asarray
cupy.cuda = types.SimpleNamespace(
    runtime=types.SimpleNamespace(deviceSynchronize=lambda: None))
import minigrad
sys.modules["cupy"] = cupy
from grading.isolation import sandbox
from grading.kernels import gpu
sandbox.answer(gpu.serve)
"""


ONLY_GPU = Check(  # nothing but what a GPU can tell
    EXERCISES[LAB][OPEN],
    cases=lambda random: (),
    on_gpu={"bandwidth": lambda exercise, text: [(True, "")]},
    not_tested="all that the simulator can tell",
)


def launches():
    x, y = distinct(random.Random(1), 300), blank(300)
    return [Launch(2, 256, (x, y, np.int32(300)))]


@pytest.fixture
def fake_gpu(monkeypatch):
    monkeypatch.setattr(gpu, "CODE", FAKE)
    monkeypatch.setattr(gpu, "available", lambda: True)


def on_gpu(body):
    code = eval(text(body))
    return gpu.run(TAIL_GUARD, code, launches())[0]


def test_a_launch_in_the_process_of_the_gpu(fake_gpu):
    (launch,) = launches()
    done = on_gpu(f"{I} if (i < n) y[i] = 2 * x[i];")
    assert np.array_equal(done.arrays["y"], 2 * launch.args[0]) and not done.spoilt


def test_what_a_kernel_prints_is_no_answer(fake_gpu):
    done = on_gpu(f'{I} if (i < n) {{ y[i] = 2 * x[i]; printf("%d\\n", i); }}')
    assert not isinstance(done, Problem) and not done.spoilt


def test_a_fault_stays_in_the_process(fake_gpu):
    done = on_gpu("y[n + 1000000] = 1;")
    assert isinstance(done, Problem) and "on the GPU" in done.message
    wild = eval(text("y[n + 1000000] = 1;"))
    timed = gpu.share(TAIL_GUARD, wild, wild, *launches(), 0.5)
    assert isinstance(timed, Problem)


@pytest.mark.parametrize("seconds, tries", [(9, 3), (0, 1)])
def test_memory_that_another_holds_is_waited_for(monkeypatch, seconds, tries):
    replies = [Problem("raised", "on the GPU: it crashed: out of memory"),
               ["on the GPU: OutOfMemoryError: Out of memory allocating 512 bytes"],
               ["on the GPU: no"], []]  # fmt: skip
    left = [*replies]
    monkeypatch.setattr(gpu, "_served", lambda asked: left.pop(0))
    monkeypatch.setattr(gpu, "START_SECONDS", seconds)
    monkeypatch.setattr(gpu, "PAUSE", 0.01)
    gpu.run(TAIL_GUARD, "text", launches())
    assert len(replies) - len(left) == tries


@pytest.mark.parametrize("times, tries", [([2], 1), ([1, 2], 2), ([1, 1.2, 1.1], 3)])
def test_who_is_too_slow_is_timed_again(monkeypatch, times, tries):
    left = [*times]
    monkeypatch.setattr(gpu, "seconds", lambda *_: [left.pop(0), 2])
    share = max(times[:tries]) / 2
    assert gpu.share(TAIL_GUARD, "text", "copy", None, 0.7)[0] == share
    assert len(left) == len(times) - tries


BROKEN = ["print('x')", "import os; os.abort()", "1 / 0",
          "\nwhile True: print('x' * 2**16)"]  # fmt: skip
ODD = """from grading.isolation import codec
sys.stdout.buffer.write(codec.encode([{'shape': 3}]))"""


@pytest.mark.parametrize("code", BROKEN)
def test_a_process_that_breaks_costs_the_launch_alone(fake_gpu, monkeypatch, code):
    monkeypatch.setattr(sandbox, "REPLY", 2**20)
    monkeypatch.setattr(gpu, "CODE", code)
    assert isinstance(on_gpu("y[0] = 1;"), Problem)


@pytest.mark.parametrize("code", [*BROKEN, ODD])
def test_a_host_that_breaks_is_said(monkeypatch, code):
    monkeypatch.setattr(sandbox, "REPLY", 2**20)
    monkeypatch.setattr(cpp, "CUDA_CODE", code)
    cases = [([np.zeros(3)], [3], 3)]
    assert isinstance(cpp.launched("bias_gelu_kernel", "", cases), str)


@pytest.fixture
def course_dir(tmp_path, monkeypatch):
    """A course in which one exercise needs a GPU; one solved lab is graded."""
    result = check._check
    monkeypatch.setattr(
        check, "_check", lambda e: ONLY_GPU if e is ONLY_GPU.exercise else result(e)
    )
    monkeypatch.setattr(gpu, "available", lambda: False)
    judging.in_order.cache_clear()
    release(tmp_path / "course", [LAB])
    path = tmp_path / "course" / "submitted" / "ada" / LAB / f"{LAB}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(solved(LAB)))
    (one,) = grade(tmp_path / "course")
    assert (one.points, one.max_points) == (REST, REST)
    assert one.why.startswith(f"{OPEN}: not graded, needs a GPU")
    yield tmp_path / "course"
    judging.in_order.cache_clear()


def table(root, form):
    export(root, root / "table.csv", form, force=True)
    with open(root / "table.csv", encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_what_needs_a_gpu_neither_gives_nor_takes_points(course_dir, monkeypatch):
    with open_course(course_dir).gradebook as book:
        cell = book.find_grade(f"{OPEN}-check", LAB, LAB, "ada")
        assert cell.needs_manual_grade and cell.auto_score is None
    (row,) = table(course_dir, "csv")
    assert (float(row["points"]), float(row["max_points"])) == (REST, REST)
    assert row[OPEN] == "" and "needs a GPU" in row["why"]
    possible, ada = table(course_dir, "canvas")
    assert float(possible[LAB]) == float(ada[LAB]) == REST
    (row,) = table(course_dir, "moodle")
    assert f"{OPEN}: not graded · bandwidth (needs a GPU)" in row[f"{LAB} feedback"]
    assert shown(course_dir) == (REST, REST)
    assert not [one for one in grade(course_dir) if one.fresh]
    monkeypatch.setattr(gpu, "available", lambda: True)
    monkeypatch.setattr(gpu, "seconds", lambda *_: [1.0, 1.0])
    monkeypatch.setattr(KernelJudgment, "on_gpu_too", lambda self, tried: tried)
    assert [(one.points, one.fresh) for one in grade(course_dir)] == [(MOST, True)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
def test_points_given_by_hand_count(course_dir):
    with open_course(course_dir).gradebook as book:
        cell = book.find_grade(f"{OPEN}-check", LAB, LAB, "ada")
        cell.manual_score, cell.needs_manual_grade = 1, False
        book.db.commit()
    (row,) = table(course_dir, "csv")
    assert (float(row["points"]), float(row["max_points"])) == (REST + 1, MOST)
    assert shown(course_dir) == (REST + 1, MOST)


def shown(root):
    """(points, maximum) at the head of the student's page."""
    assert [one.state for one in feedback(root)] == ["written"]
    page = (root / "feedback" / "ada" / LAB / f"{LAB}.html").read_text()
    soup = BeautifulSoup(page, "html.parser")
    row = next(r for r in soup.table("tr") if OPEN in r.get_text())
    assert "needs a GPU" in row.get_text()
    points, most = (
        soup.find(id="result").get_text().removeprefix("Result: ").split(" of ")
    )
    return float(points), float(most.removesuffix(" points"))


def test_progress_does_not_count_what_needs_a_gpu():
    done = {name: {"points": h.points, "state": "right"}
            for name, h in EXERCISES[LAB].items()}  # fmt: skip
    done[OPEN] = {"points": 0, "state": "needs a GPU"}
    chapter, count = course.chapter(LAB), len(EXERCISES[LAB]) - 1
    assert progress.tally(chapter, done) == (REST, REST, count, count, 1)


def test_the_map_names_what_needs_a_gpu(monkeypatch):
    done = {OPEN: {"points": 0, "max_points": 2, "state": "needs a GPU"}}
    monkeypatch.setattr(start, "link", lambda word, path: word)
    row = start.CourseMap().row(course.chapter(LAB), done)
    assert f"0 of {len(EXERCISES[LAB]) - 1} (1 not graded: no GPU)" in row
