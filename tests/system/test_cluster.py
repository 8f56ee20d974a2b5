"""`grade` by others: Dask workers that die, hang or make no sense; several cores."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
distributed = pytest.importorskip(
    "distributed", reason='not run: many machines (pip install "minigrad[cluster]")'
)

import stand_in  # noqa: E402
from altered import LAB  # noqa: E402
from stand_in import hand_in, lab  # noqa: E402

from grading.classroom import cluster, course_dir, forkserver, judging, local_jobs  # noqa: E402
from grading.isolation import forks, sandbox  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.registry import find  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Dask's, of ports and memory
]
WORDS = "right", "half", "wrong", "exit"
ODD = "dies", "hangs", "babbles"


def task(lab, cells, checks, files=(), unsafe=False):
    """In place of cluster.judge: what the worker's name says."""
    name = distributed.get_worker().name
    if name == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "hangs":
        time.sleep(3600)
    if name == "babbles":
        return {"verdicts": [{"name": "permute", "points": 99}], "warnings": []}
    with stand_in.judging_words():
        return cluster.judge(lab, cells, checks, unsafe=unsafe)


@contextlib.contextmanager
def workers(*names):
    """A scheduler and workers, each a process on this machine's loopback.

    They are forked by one that has imported what takes seconds.
    """
    from dask import config
    from distributed import Nanny, Scheduler, SpecCluster
    from distributed.utils import get_mp_context

    here = {"host": "127.0.0.1", "dashboard_address": ":0"}
    about = {"nthreads": 1, "host": "127.0.0.1", "dashboard": False}
    spec = {n: {"cls": Nanny, "options": about | {"name": n}} for n in names}
    scheduler = {"cls": Scheduler, "options": here}
    with config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        get_mp_context().set_forkserver_preload(["grading.__main__", __name__])
        with SpecCluster(spec, scheduler, silence_logs=50) as pool:
            yield pool


@pytest.fixture
def root(tmp_path, monkeypatch):
    places = *(Path(f).parent for f in (__file__, stand_in.__file__)), course.home()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, places)))
    root = tmp_path / "course"
    course_dir.release(root, ["03"])
    for n in range(12):
        hand_in(root, f"s{n:02}", lab(WORDS[n % 4], permute=WORDS[n % 3]))
    return root


def test_what_goes_wrong_in_a_cluster_changes_no_grade(root, tmp_path, monkeypatch):
    alone = shutil.copytree(root, tmp_path / "alone")
    with stand_in.judging_words():
        expected = {one.student: one.points for one in course_dir.grade(alone)}
    seen = []

    def judging(*args):
        judge = cluster.Cluster(*args, task=task, patience=20, alone=2)
        seen.append(judge)
        return judge

    monkeypatch.setattr(course_dir, "Cluster", judging)
    with workers("honest", *ODD) as pool, stand_in.judging_words():
        pool.wait_for_workers(4)
        done = list(course_dir.grade(root, scheduler=pool.scheduler_address))
    assert {one.student: one.points for one in done} == expected
    assert {one.state for one in done} == {"graded"}
    assert len(seen[0].bad) >= 3
    assert not [one for one in course_dir.grade(root) if one.fresh]


def test_without_workers_this_machine_judges(root, monkeypatch):
    def judging(*args):
        return cluster.Cluster(*args, task=task, patience=5, alone=0)

    monkeypatch.setattr(course_dir, "Cluster", judging)
    with workers("babbles") as pool, stand_in.judging_words():
        pool.wait_for_workers(1)
        work = course_dir.grade(root, scheduler=pool.scheduler_address)
        assert [one.state for one in work] == 12 * ["graded"]


def slow(lab, cells, checks):
    time.sleep(2)
    return {"verdicts": [], "warnings": []}


def test_a_scheduler_is_seldom_asked_while_a_worker_is_busy(monkeypatch):
    """It may have to share a machine with those that judge."""
    asked, known = [], cluster.Cluster._known
    count = lambda info: asked.append(info) or known(info)  # noqa: E731
    monkeypatch.setattr(cluster.Cluster, "_known", count)
    item = cluster.Item(("s", LAB), LAB, [], [], {})
    with workers("honest") as pool:
        pool.wait_for_workers(1)
        with cluster.Cluster(pool.scheduler_address, slow) as others:
            assert [*others.judged([item])] == [(item, ([], []))]
    assert len(asked) < 20


def test_no_worker_is_lost_when_the_client_refreshes_what_it_knows(monkeypatch):
    """It does so every few seconds, and asks for no workers then."""
    known = distributed.Client._update_scheduler_info

    async def refreshed(client, n_workers=0):
        await known(client)

    monkeypatch.setattr(distributed.Client, "_update_scheduler_info", refreshed)
    item = cluster.Item(("s", LAB), LAB, [], [], {})
    with (
        workers("honest") as pool,
        cluster.Cluster(pool.scheduler_address, slow, alone=5) as others,
    ):
        pool.wait_for_workers(1)
        assert [*others.judged([item])] == [(item, ([], []))]
        assert not others.bad


def words(lab, cells, checks, files=(), unsafe=False, examined=False):
    with stand_in.judging_words():
        return cluster.judge(lab, cells, checks, unsafe=unsafe)


def dies_at_one(lab, cells, checks, files=(), unsafe=False, examined=False):
    if any("says exit" in text for _, text in cells):
        os.kill(os.getpid(), signal.SIGKILL)
    return words(lab, cells, checks, unsafe=unsafe)


def in_order(lab, unsafe):
    """In place of judging.examine."""


def out_of_order(lab, unsafe):
    raise judging.GraderError("permute is not found right")


def test_no_verdict_is_taken_from_processes_whose_grader_is_out_of_order(
    root, monkeypatch
):
    monkeypatch.setattr(course_dir, "WORTH", 1)
    monkeypatch.setattr(
        course_dir, "Cores", lambda count: local_jobs.Cores(count, words, out_of_order)
    )
    monkeypatch.setattr(judging, "in_order", out_of_order)
    done = [*course_dir.grade(root, jobs=2)]
    assert {one.state for one in done} == {"failed"}
    assert "permute is not found right" in done[0].why


def test_with_workers_this_machine_needs_no_box(root, monkeypatch):
    """As on a Mac."""
    config = root / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.RunAnswers.unsafe = True\n", ""))
    monkeypatch.setattr(sandbox, "why_not", lambda: "only Linux has what it takes")
    monkeypatch.setattr(forks, "_zygotes", {})
    monkeypatch.setattr(
        course_dir, "Cluster", lambda address: cluster.Cluster(address, task=words)
    )
    with workers("honest") as pool:
        pool.wait_for_workers(1)
        work = list(course_dir.grade(root, scheduler=pool.scheduler_address))
    assert [(one.state, one.why) for one in work] == 12 * [("graded", "")]
    with pytest.raises(sandbox.NoIsolation, match="only Linux"):
        list(course_dir.grade(root, everything=True))


def test_where_nobody_can_judge_it_says_why(root, monkeypatch):
    monkeypatch.setattr(judging, "in_order", no_box)
    assert "bubblewrap is missing" in [*course_dir.grade(root)][0].why


def no_box(*args, **how):
    raise sandbox.NoIsolation("bubblewrap is missing")


@pytest.mark.parametrize(
    "count, graded, everything, begun",
    [(20, 0, False, 1), (19, 0, False, 0), (20, 1, False, 0), (20, 1, True, 1)],
)
def test_pytorch_is_imported_early_if_several_processes_judge(
    tmp_path, monkeypatch, count, graded, everything, begun
):
    calls = []
    server = forkserver.forkserver
    monkeypatch.setattr(server, "ensure_running", lambda: calls.append(1))
    for n in range(count):
        (tmp_path / "submitted" / f"s{n}" / LAB).mkdir(parents=True)
    (tmp_path / "verdicts" / LAB).mkdir(parents=True)
    for n in range(graded):
        (tmp_path / "verdicts" / LAB / f"s{n}.json").touch()
    forkserver.begin(tmp_path, everything)
    assert len(calls) == begun


def test_a_process_of_a_class_draws_its_cases_once(monkeypatch):
    exams = []
    monkeypatch.setattr(judging, "judge", lambda *args: exams.append(args[3]))
    monkeypatch.setattr(judging, "seed_of_all", None)
    subject, exercise = SimpleNamespace(ended=False), find("permute")
    judging.verdict_on(exercise, subject)
    judging.draw_once()
    judging.verdict_on(exercise, subject)
    judging.verdict_on(exercise, subject)
    judging.draw_once()
    judging.verdict_on(exercise, subject)
    alone, first, second, other = exams
    assert alone is None and first.cases is second.cases is not other.cases
    assert first.mistaken is not second.mistaken


@pytest.mark.parametrize("task", [words, dies_at_one])
def test_several_processes_give_the_grades_of_one(root, tmp_path, monkeypatch, task):
    alone = shutil.copytree(root, tmp_path / "alone")
    monkeypatch.setattr(course_dir, "WORTH", 1)
    monkeypatch.setattr(
        course_dir, "Cores", lambda count: local_jobs.Cores(count, task, in_order)
    )
    with stand_in.judging_words():
        expected = sorted(course_dir.grade(alone))
        assert sorted(course_dir.grade(root, jobs=2)) == expected
    assert not [one for one in course_dir.grade(root, jobs=2) if one.fresh]
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    "reply",
    [None, 1, {}, {"verdicts": []}, {"verdicts": [{}], "warnings": []},
     {"verdicts": [{"name": "permute", "points": 9, "max_points": 1, "state": "right",
                    "summary": "", "failures": []}], "warnings": []}],
)  # fmt: skip
def test_a_reply_that_makes_no_sense_is_no_verdict(reply):
    assert cluster.understood(reply, ["permute"]) is None


def test_a_worker_with_other_checks_judges_nothing():
    with pytest.raises(RuntimeError, match="other checks: update its clone"):
        cluster.judge(LAB, [], "other")
