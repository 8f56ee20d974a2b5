"""A class of thousands takes no more memory than one of twenty: nothing is kept."""

import gc
import logging

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import psutil  # noqa: E402
import stand_in  # noqa: E402
from altered import LAB  # noqa: E402
from stand_in import hand_in, lab  # noqa: E402

from cudasim.engine import memory  # noqa: E402
from grading.classroom import course_dir, judging  # noqa: E402
from grading.isolation import forks, sandbox  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.cells import cells_of  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),
]
FIRST, MORE = 8, 12  # submissions, before and while objects are counted


def objects():
    for kept in memory.access, memory.leaves_of:  # of the last texts, on purpose
        assert kept.cache_info().maxsize
        kept.cache_clear()
    gc.collect()
    return len(gc.get_objects())


def test_the_gradebook_keeps_nothing_of_a_submission(tmp_path, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [])  # pytest keeps what is logged
    course_dir.release(tmp_path / "course", ["03"])
    for n in range(FIRST + MORE):
        hand_in(tmp_path / "course", f"student{n}", lab("right"))
    counts = []
    with stand_in.judging_words():
        for n, _ in enumerate(course_dir.grade(tmp_path / "course")):
            if n + 1 in (FIRST, FIRST + MORE):
                counts.append(objects())
    assert counts[1] - counts[0] < 10 * MORE


def test_the_judge_keeps_nothing_of_a_submission():
    counts, unsafe = [], bool(sandbox.why_not())
    for n in range(FIRST + MORE):
        names = {"offset_of", "contiguous_kernel"}
        verdicts, _ = judging.run(LAB, answers(n), names, unsafe=unsafe)
        assert {verdict.state for verdict in verdicts} == {"right"}
        if n + 1 in (FIRST, FIRST + MORE):
            counts.append(objects() + handles(unsafe))
    assert counts[1] - counts[0] < 10 * MORE


def answers(n):
    """The cells of the solved lab; no two have a text in common."""
    for id, text in cells_of(course.solution(LAB)):
        kernel = "__global__" in text
        text = text.replace('r"""', f'r"""// {n}\n') if kernel else f"{text}\n# {n}"
        yield id, text


def handles(unsafe):
    """Files that this process and its zygote have open, and processes below them."""
    here = psutil.Process()
    below = here.children(recursive=True)
    zygote = forks.zygote(unsafe)._process.pid
    return here.num_fds() + psutil.Process(zygote).num_fds() + len(below)
