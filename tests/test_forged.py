"""Who controls an answer's process earns no points by what it replies."""

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading import sandbox  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import cells_of  # noqa: E402
from minigrad.exercises.cells import answered_in, is_setup  # noqa: E402
from minigrad.exercises.registry import find  # noqa: E402

FORGED = {
    "a clock that is read, and set right": (
        "bench",
        """
import gc, statistics

@solves(bench)
def bench(run, device, warmup=3, repeat=20):
    for _ in range(warmup + repeat):
        run()
    device._left_over = device.left_over = [False] * (warmup + repeat)
    device._is_asked = device.is_asked = True
    lists = [device._times] if hasattr(device, "_times") else [
        [t for t in o if type(t) is float] for o in gc.get_objects()
        if type(o) is list and len(o) == warmup + repeat]
    return max([1.0, *(statistics.median(t[warmup:]) for t in lists if t[warmup:])])
""",
    ),
    "a device that is asked for what nobody offers": (
        "bench",
        """
@solves(bench)
def bench(run, device, warmup=3, repeat=20):
    for what in ("_times", "__init__", "left_over"):
        found = device._ask(what)
    return float(found[0])
""",
    ),
}


def judged(name, answer):
    """The verdict on the answer of a cell; None: on the course's own."""
    cells = cells_of(course.solution(find(name).chapter))
    kept = [c for c in cells if is_setup(c.text) or answered_in(c.text) == name]
    texts = [c.text for c in kept if answer is None or is_setup(c.text)]
    cells = [*enumerate([*texts, *([answer] if answer else [])])]
    cells = [(str(n), text) for n, text in cells]
    lab, unsafe = find(name).chapter, bool(sandbox.why_not())
    with ProcessSubject("x.ipynb", cells, lab, unsafe=unsafe) as subject:
        verdict = verdict_on(find(name), subject)
        assert not subject.problems
    return verdict


@pytest.mark.parametrize("title", FORGED)
def test_a_forged_reply_earns_nothing(title):
    verdict = judged(*FORGED[title])
    assert verdict.points == 0, verdict


@pytest.mark.parametrize("name", sorted({name for name, _ in FORGED.values()}))
def test_the_solution_earns_every_point_in_the_same_process(name):
    assert judged(name, None).state == "right"
