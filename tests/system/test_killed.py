"""A student's process that is ended from outside costs nothing, and no endless loop."""

import random
import time

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import psutil  # noqa: E402
from altered import LAB, answer  # noqa: E402
from submissions import HALF  # noqa: E402

from grading.classroom import judging  # noqa: E402
from grading.isolation import forks, sandbox  # noqa: E402
from grading.isolation.connection import Line  # noqa: E402
from grading.processes import process  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.cells import answered_in, cells_of  # noqa: E402

pytestmark = pytest.mark.slow
UNSAFE = bool(sandbox.why_not())
BESIDE = 0 if UNSAFE else 2  # bwrap's own process and the zygote are below the first
ABOVE = "guard", "spawner", "student"
MOMENTS = 80
NAMES = "contiguous_strides", "offset_of", "index_of"


def cells(**bodies):
    """The solved lab with other bodies of some answers."""
    for id, text in cells_of(course.solution(LAB)):
        name = answered_in(text)
        yield id, answer(name, bodies[name]) if name in bodies else text


VARIES = 12  # messages fewer, at most, where chance draws other cases
SOME = [*cells(contiguous_strides=HALF, index_of="return [0]")]


def results(some):
    verdicts, _ = judging.run(LAB, some, NAMES, unsafe=UNSAFE)
    return [(verdict.name, verdict.points, verdict.state) for verdict in verdicts]


def at_moment(monkeypatch, number, act):
    """Do something when the grader waits for a student for the nth time."""
    count, receive = [], Line.receive

    def counted(line, *args):
        count.append(1)
        if len(count) == number:
            act()
        return receive(line, *args)

    monkeypatch.setattr(Line, "receive", counted)
    return count


def kill(which, killed):
    """The student's process, one above it, or the zygote with all that is below."""
    zygote = forks.zygote(UNSAFE)._process
    below = psutil.Process(zygote.pid).children(recursive=True)[BESIDE:]
    if which == "zygote":
        zygote.kill()
    elif len(below) == len(ABOVE):  # it lives
        below[ABOVE.index(which)].kill()
        killed.append(which)


REPLY = """
    import gc
    from grading.isolation import codec
    from grading.isolation.connection import Line
    line = next(o for o in gc.get_objects() if isinstance(o, Line))
    line.send(codec.encode((VALUE, None, "")))
    raise SystemExit
"""
LONG = {
    "a text": '"a b" * 209_000',
    "texts": '("ab",) * 209_000',
    "texts of the same structure": '[["ab", "cd"]] * 80_000',
    "keys": "{str(n): '' for n in range(90_000)}",
}


@pytest.mark.parametrize("value", LONG.values(), ids=LONG)
def test_a_long_reply_is_not_read(monkeypatch, value):
    forging = [*cells(offset_of=REPLY.replace("VALUE", value))]
    verdicts, _ = judging.run(LAB, forging, NAMES[:1], unsafe=UNSAFE)  # warm
    begun = time.process_time()
    verdicts, _ = judging.run(LAB, forging, NAMES, unsafe=UNSAFE)
    assert time.process_time() - begun < 3
    states = {v.name: v.state for v in verdicts}
    assert states == dict.fromkeys(NAMES, "right") | {"offset_of": "crashed"}
    assert "too much to read" in str(verdicts[1])


def test_killed_at_any_moment(monkeypatch):
    with monkeypatch.context() as patch:
        moments = at_moment(patch, None, None)
        expected = results(SOME)
    assert [state for *_, state in expected] == ["partly right", "right", "wrong"]
    draw, killed = random.Random(0), []
    for n in range(MOMENTS):
        which = "zygote" if n % 20 == 0 else draw.choice(ABOVE)
        moment = draw.randrange(len(moments) - VARIES)
        with monkeypatch.context() as patch:
            count = at_moment(patch, moment + 1, lambda: kill(which, killed))  # noqa: B023
            assert results(SOME) == expected, (which, moment)
        assert len(count) > moment
    assert min(map(killed.count, ABOVE)) > MOMENTS / 8


@pytest.mark.parametrize("name", ["in the answer", "in a cell"])
def test_what_ends_itself_is_tried_a_few_times(monkeypatch, name):
    started, launch = [], process.ProcessSubject._launch
    counted = lambda *args: started.append(1) or launch(*args)  # noqa: E731
    monkeypatch.setattr(process.ProcessSubject, "_launch", counted)
    exit = "import os; os._exit(0)"
    if name == "in a cell":
        verdicts = results([*SOME[:1], ("exit", exit), *SOME[1:]])
        assert [state for *_, state in verdicts] == ["partly right", "right", "wrong"]
    else:
        verdicts = results([*cells(contiguous_strides=exit)])
        assert [state for *_, state in verdicts] == ["crashed", "right", "right"]
    assert len(started) == process.TRIES + 1
