"""A process that hears of many calls at once is judged as if it heard of each alone."""

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from altered import LAB, answer  # noqa: E402

from grading.checking import check  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.processes import process  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.cells import answered_in, cells_of, is_setup  # noqa: E402
from minigrad.exercises.registry import find  # noqa: E402

UNSAFE = bool(sandbox.why_not())
RIGHT = """
steps, count = [], 1
for size in reversed(shape):
    steps.append(count)
    count *= max(size, 1)
return tuple(reversed(steps))
"""
COUNTED = "calls = globals().setdefault('calls', [])\ncalls.append(shape)\n"
BODIES = {
    "right": ("right", ""),
    "wrong where a size is 0": ("partly right", "if 0 in shape: return ()"),
    "raises for no sizes": ("partly right", "if not shape: raise KeyError(3)"),
    "ends at the sixth call": ("crashed", f"{COUNTED}if len(calls) == 6: os._exit(0)"),
    "never ends where a size is 0": ("partly right", "while 0 in shape: pass"),
    "lists all elements": ("partly right", "list(np.ndindex(*shape))"),
    "prints": ("right", "print(shape)"),
    "remembers calls": ("wrong", f"{COUNTED}if len(calls) > 3: return calls[-2]"),
}


def verdicts(body):
    """What is said of this answer and, afterwards, of a right one."""
    cells = [
        (id, answer("contiguous_strides", f"import os\n{body}\n{RIGHT}")
         if answered_in(text) == "contiguous_strides" else text)
        for id, text in cells_of(course.solution(LAB))
        if is_setup(text) or answered_in(text) in ("contiguous_strides", "offset_of")
    ]  # fmt: skip
    with ProcessSubject("x.ipynb", cells, LAB, unsafe=UNSAFE) as subject:
        results = [
            verdict_on(find(name), subject, 7)
            for name in ("contiguous_strides", "offset_of")
        ]
    return [(v.points, v.state, v.summary, [f.message for f in v.failures])
            for v in results]  # fmt: skip


@pytest.mark.parametrize("state, body", BODIES.values(), ids=BODIES)
def test_calls_sent_ahead_earn_what_they_earn_one_by_one(state, body, monkeypatch):
    monkeypatch.setattr(check.Judgment, "seconds", 1)
    sent, tell = [], ProcessSubject._tell

    def told(subject, message):
        sent.append(message)
        tell(subject, message)

    monkeypatch.setattr(ProcessSubject, "_tell", told)
    ahead, few = verdicts(body), len(sent)
    monkeypatch.setattr(ProcessSubject, "ahead", lambda *args: None)
    assert ahead == verdicts(body) and ahead[0][1] == state
    assert ahead[1][0] == find("offset_of").points
    assert len(sent) - few > few  # the second time each call was a message


def test_only_as_many_calls_are_sent_ahead_as_make_a_short_message(monkeypatch):
    monkeypatch.setattr(process, "LONG", 300)
    assert verdicts("")[0][0] == find("contiguous_strides").points
