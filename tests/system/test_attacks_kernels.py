"""Hostile texts of kernels: the grader reads none, and each costs its own time."""

import socket
import time

import numpy as np
import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from judging import unanswered, verdict_on  # noqa: E402, F401

from cudasim import front  # noqa: E402
from cudasim.front import preprocess  # noqa: E402
from grading.checking.check import judge  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.kernels import barriers, simulation  # noqa: E402
from grading.kernels.runs import Launch, Ran  # noqa: E402
from grading.kernels.simulation import BoxedSimulator, Simulator, Text  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad.exercises import signature  # noqa: E402
from minigrad.kernels.memory import shared_reverse  # noqa: E402
from minigrad.kernels.threads import tail_guard  # noqa: E402

MARK = "of_a_student"
BODY = f"""{{
    int {MARK} = blockIdx.x * blockDim.x + threadIdx.x;
    if ({MARK} < n) y[{MARK}] = 2 * x[{MARK}];
}}"""
RIGHT = f"{tail_guard.form()} {BODY}"
NO_BARRIER = f"""{shared_reverse.form()} {{
    __shared__ float tile[256];
    int {MARK} = threadIdx.x, begin = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - begin);
    if ({MARK} < count) tile[{MARK}] = x[begin + {MARK}];
    if ({MARK} < count) y[begin + {MARK}] = tile[count - 1 - {MARK}];
}}"""
NOT_SHARED = f"""{shared_reverse.form()} {{
    int {MARK} = threadIdx.x, begin = blockIdx.x * blockDim.x;
    int count = min((int)blockDim.x, n - begin);
    extern __shared__ float tile[];
    if ({MARK} < count) tile[{MARK}] = x[begin + count - 1 - {MARK}];
    if ({MARK} < count) y[begin + {MARK}] = tile[{MARK}];
}}"""
LONG = {  # what once took longer than its length says, or still does
    "comments that are not closed": "/* " * 20_000 + RIGHT,
    "extern, again and again": RIGHT + "extern " * 9_000,
    "shared arrays without a size": RIGHT + "extern __shared__ " * 3_000,
    "launch bounds that are not closed": "__launch_bounds__( " * 3_000 + RIGHT,
    "heads that are not closed": "__global__ void tail_guard( " * 2_000 + RIGHT,
    "types that are not named": "typedef INT_MAX " * 3_800 + RIGHT,
    "macros of macros": "".join(f"#define A{n} A{n + 1} A{n + 1}\n" for n in range(900))
    + RIGHT.replace("2 *", "A0 *"),
    "an error of 60,000 letters": f"#error {'x' * 60_000}\n{RIGHT}",
    "a line of 60,000 letters": RIGHT.replace("2 *", f"f({'1, ' * 20_000}1) *"),
    "a loop without end": RIGHT.replace("if (", "while (true) y[0] = 1; if ("),
    "printf without end": RIGHT.replace(
        "if (", 'for (int k = 0; k < 9999999; k++) printf("%999d", k); if ('
    ),
    "shared memory without end": RIGHT.replace(
        "if (", "__shared__ float a[1 << 28]; a[0] = 1; if ("
    ),
}


def boxed(code, exercise=tail_guard):
    """(the verdict on a text that is graded in the box, seconds of work here)"""
    imports = (
        "from minigrad import solves\nfrom minigrad.kernels import memory, threads"
    )
    module = exercise.__module__.rpartition(".")[2]
    cell = f"{imports}\nsolves({module}.{exercise.name})({code!r})"
    with ProcessSubject("x.ipynb", [("a", cell)], exercise.chapter) as subject:
        begin = time.process_time()
        return judge(exercise, subject, 0), time.process_time() - begin


@pytest.fixture
def unread(monkeypatch):
    """Functions that read a text get none of a student's in this process."""
    if sandbox.why_not():
        pytest.skip(f"not run: {sandbox.why_not()}")

    def guarded(read):
        def reading(*given):
            assert not any(isinstance(text, str) and MARK in text for text in given)
            return read(*given)

        return reading

    readers = (barriers, "lex"), (front, "_lex"), (preprocess, "lex")
    readers += (signature, "without_comments"), (simulation, "without_shared")
    for module, name in readers:
        monkeypatch.setattr(module, name, guarded(getattr(module, name)))
    return monkeypatch


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_long_text_costs_its_own_time_alone(name, unread):
    boxed(RIGHT)  # so that the zygote, and PyTorch, are there
    begin = time.monotonic()
    verdict, seconds = boxed(LONG[name])
    assert verdict.points == 0 and verdict.counts, verdict
    assert seconds < 1 and len(str(verdict)) < 4000
    assert time.monotonic() - begin < 60
    assert boxed(RIGHT)[0].state == "right"


@pytest.mark.parametrize("code", [RIGHT, RIGHT.replace("< n", "<= n"), RIGHT[:-1]])
def test_the_box_and_the_notebook_give_the_same_verdict(code, unread):
    there = boxed(code)[0]
    unread.undo()
    assert str(there) == str(verdict_on(tail_guard, code))


def test_a_barrier_is_tried_in_the_box(unread):
    verdict = boxed(NO_BARRIER, shared_reverse)[0]
    assert verdict.failures[0].cause == "no_barrier"
    assert "with __syncthreads() after line 5 every case is right" in str(verdict)


def test_that_shared_memory_is_of_no_use_is_seen_in_the_box(unread):
    assert boxed(NOT_SHARED, shared_reverse)[0].failures[0].cause == "no_shared"


# ------------------------------------------------------------ the process in the box


def launch():
    x = np.arange(5, dtype=np.float32)
    return Launch(1, 32, (x, 0 * x, np.int32(5)))


def test_a_process_that_was_ended_from_outside_is_replaced():
    simulator = BoxedSimulator(unsafe=True)
    text = Text(RIGHT, simulator)
    for _ in range(2):
        got = text.launched(tail_guard, launch())
        assert got.arrays["y"].tolist() == [0, 2, 4, 6, 8]
        simulator._fork.line.end.shutdown(socket.SHUT_RDWR)
    simulator.end()


REPLY = [[np.zeros(5, np.float32)], False, [], [], {"sectors": 1}, ""]
FINDING = ["race", 1, 1, None, False, "text"]


def changed(place, value):
    return [value if n == place else part for n, part in enumerate(REPLY)]


@pytest.mark.parametrize(
    "reply",
    [
        *(None, 7, [], {}, "time", REPLY[:5], [*REPLY, 1]),
        *(changed(0, v) for v in (None, [], [np.zeros(5)], REPLY[0] * 2)),
        *(changed(0, [v]) for v in (np.zeros((5, 1), np.float32), "y", [0.0] * 5)),
        *(changed(1, v) for v in (None, 1, "no")),
        *(
            changed(n, v)
            for n in (2, 3)
            for v in (None, [1], ["race"], 999 * [FINDING])
        ),
        *(changed(2, [[*FINDING[:n], [], *FINDING[n + 1 :]]]) for n in range(6)),
        *(changed(4, v) for v in (None, [], {1: 1}, {"sectors": 1.5}, {"x": [1]})),
        changed(4, {str(n): n for n in range(999)}),
        *(changed(5, v) for v in (None, b"bytes", ["text"])),
        ("time", "not done", "types", ""),
        (1, "not done", (), ""),
    ],
)
def test_a_reply_that_makes_no_sense_is_a_problem(reply):
    class Mad(Simulator):
        def _replied(self, *request):
            return 0.1, reply

    assert Text(RIGHT, Mad()).launched(tail_guard, launch()).kind == "gone"
    if reply:
        assert Text(RIGHT, Mad()).repairs("x;", [1], 3) == []
        assert Text(RIGHT, Mad()).guarded([1, 1, "i < n"]) == []


def test_texts_and_times_of_a_reply_are_bounded():
    class Mad(Simulator):
        left = 5

        def _replied(self, *request):
            results = [["race", 1, 1, None, False, "x" * 10**6, None]]
            return -1.0, [*REPLY[:2], results, [], {}, "x" * 10**6]

    simulator = Mad()
    got = Text(RIGHT, simulator).launched(tail_guard, launch())
    assert isinstance(got, Ran) and simulator.left < 0
    assert len(got.report.output) == len(got.report.findings[0].text) == 10_000
