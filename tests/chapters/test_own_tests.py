"""Tests that learners write: cheats earn nothing, and read no candidate's text."""

import random
import time

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from attacks import HEAD  # noqa: E402

from grading.checking.check import find_check  # noqa: E402
from grading.checking.lab import check  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.cells import answered_in, cells_of  # noqa: E402
from minigrad.exercises.own_tests import test_permute as of_permute  # noqa: E402
from minigrad.exercises.registry import exercises, find  # noqa: E402

TESTS = [e for e in exercises() if e.exercise.__module__.endswith("own_tests")]
boxed = pytest.mark.skipif(
    bool(sandbox.why_not()), reason=f"not run: a box ({sandbox.why_not()})"
)
EXERCISE = """
from minigrad.exercises import own_tests
solves(own_tests.{0})({0})
"""
COUNTS = """
n = 0
def {0}({1}):
    global n
    n += 1
    assert n <= {2}
"""
COUNTS_IN_A_FILE = """
def {0}({1}):
    open("/tmp/n", "a").write("x")
    assert os.path.getsize("/tmp/n") <= {2}
"""
COUNTS_IN_A_DEFAULT = """
def {0}({1}, seen=[]):
    seen.append(1)
    assert len(seen) <= {2}
"""
MAJORITY = """
seen = []
def {0}({1}):
    x = minigrad.arange(6).as_strided((2, 3), (3, 1), 0)
    y = {1}(x, 1, 0)
    seen.append((y.shape, y.strides, y.offset))
    assert seen.count(seen[-1]) > 1 or len(seen) == 1
"""
BY_THE_CLOCK = """
begun = time.monotonic()
def {0}({1}):
    assert time.monotonic() - begun < 0.05
"""
BY_CHANCE = """
def {0}({1}):
    assert os.urandom(1)[0] < 100
"""
READS = """
def texts(thing, depth=4):
    import inspect, linecache
    yield repr(thing)
    for name in "__code__", "func", "__func__", "__wrapped__", "_launch", "_check",\
 "__self__", "source", "_simulated", "__closure__", "args", "__globals__":
        inner = getattr(thing, name, None)
        if inner is not None and depth:
            yield from texts(inner, depth - 1)
    for ask in inspect.getsource, inspect.getsourcelines, vars, inspect.getdoc:
        try: yield str(ask(thing))
        except Exception: pass
def {0}({1}):
    frame, found = sys._getframe(), [*texts({1})]
    while frame:
        found += [repr(frame.f_locals), repr(frame.f_globals)]
        frame = frame.f_back
    codes = [c for o in gc.get_objects() if (c := getattr(o, "__code__", None))]
    found += [repr(c.co_consts) for c in codes if "candi|date>"[:5] in c.co_filename]
    found += [repr(o) for o in gc.get_objects() if type(o) in (str, tuple, list, dict)]
    signs = "as_stri|ded([se", "2 |* x[i]", "a candi|date>"
    signs = [sign.replace("|", "") for sign in signs]
    found = [text for text in found if any(sign in text for sign in signs)]
    raise ValueError(f"FOUND {{len(found)}} {{found[:1]}}"[:300])
"""


def cells(name, text, *values):
    (argument,) = find(name).form().partition("(")[2].rstrip(")").split(", ")
    body = text.format(name, argument, *values)
    return [("a", HEAD), ("b", body + EXERCISE.format(name))]


def graded(name, text, *values):
    exercise = find(name)
    with ProcessSubject(
        "x.ipynb", cells(name, text, *values), exercise.chapter
    ) as subject:
        return verdict_on(exercise, subject)


@boxed
@pytest.mark.slow
@pytest.mark.parametrize("most", range(1, 7))
@pytest.mark.parametrize(
    "text", [COUNTS, COUNTS_IN_A_FILE, COUNTS_IN_A_DEFAULT], ids=["n", "file", "seen"]
)
def test_a_test_that_counts_its_calls_earns_nothing(text, most):
    assert graded("test_permute", text, most).points == 0


@boxed
@pytest.mark.parametrize("text", [MAJORITY, BY_THE_CLOCK, BY_CHANCE])
def test_a_test_that_guesses_earns_little(text):
    """At most for candidates that it makes raise, which is no guess.

    Luck earns the core once in some hundred times, so a second one is allowed.
    """
    assert any(graded("test_permute", text).points < 1 for _ in range(2))


SLOWLY = """
import time
time.sleep(1)
"""
NEEDED = """
def swapped(permute):
    x = minigrad.arange(sizes[0]).as_strided((2, 3, 4), (20, 4, 1), 2)
    for dims in (2, 0, 1), ((2, 0, 1),), (-1, 0, -2):
        z = permute(x, *dims)
        assert (z.shape, z.strides, z.offset) == ((4, 2, 3), (1, 20, 4), 2)
        assert np.shares_memory(z.numpy(), x.numpy())
"""


@boxed
def test_cells_that_a_test_does_not_need_are_not_run_for_each_candidate():
    """Those that an answer needs are, and those that change its data."""
    before = [("s", SLOWLY), ("x", "sizes = []"), ("y", "sizes.append(40)")]
    answer = "def test_permute(permute):\n    swapped(permute)\n"
    answer = ("a", answer + EXERCISE.format("test_permute"))
    cells = [("h", "# Set-up\n" + HEAD), *before, answer, ("n", NEEDED)]
    begun = time.monotonic()
    with ProcessSubject("x.ipynb", cells, of_permute.chapter) as subject:
        verdict = verdict_on(of_permute, subject)
        assert not subject.problems
    assert verdict.points == 2, verdict.failures
    assert time.monotonic() - begun < 12


@boxed
@pytest.mark.parametrize("name", ["test_permute", "test_tail_guard"])
def test_no_test_can_read_a_candidate(name):
    verdict = graded(name, READS)
    assert verdict.points == 0
    assert "FOUND 0" in str(verdict.failures[0]), verdict.failures


READS_AN_OPERATOR = (
    READS.partition("    signs =")[0].replace("({1})", "(op, reference)", 1)
    + """
    found = [text for text in found if "summ|ed(dy".replace("|", "") in text]
    op(minigrad.randn(2, 3), minigrad.randn(2, 3))
    raise ValueError(f"FOUND {{len(found)}} {{found[:1]}}"[:300])
"""
)


@boxed
def test_no_verification_can_read_an_operator():
    text = READS_AN_OPERATOR.format("verify", "op")
    given = "from minigrad.testing.verify import verify as task\nsolves(task)(verify)"
    cells = [("a", HEAD), ("b", f"{text}\n{given}")]
    with ProcessSubject("x.ipynb", cells, "11_extending_pytorch") as subject:
        verdict = verdict_on(find("verify"), subject)
    assert verdict.points == 0
    assert "FOUND 0" in str(verdict.failures[0]), verdict.failures


@pytest.mark.parametrize("entry", TESTS, ids=lambda entry: entry.name)
def test_who_guesses_is_seldom_right(entry):
    """A coin of any kind: what it says is independent of the candidate."""
    judgment, orders = find_check(entry.exercise).judgment(None, 0), set()
    cases = [*enumerate(judgment.exam.cases)]
    for seed in range(20):
        shown = judgment.presented(random.Random(seed), cases)
        wrong = sum(not candidate.right for _, (_, candidate) in shown)
        share = wrong / len(shown)
        assert share**wrong * (1 - share) ** (len(shown) - wrong) < 1e-3
        assert {number for number, _ in shown} == set(range(len(cases)))
        orders.add(tuple(number for number, _ in shown))
    assert len(orders) == 20


def test_a_notebook_s_test_that_counts_its_calls_earns_nothing(monkeypatch):
    names = {}
    exec(HEAD + COUNTS_IN_A_DEFAULT.format("of", "permute", 5), names)
    exec(COUNTS.format("counting", "permute", 5), names)
    for text in names["of"], names["counting"]:
        of_permute.fill(text)
        assert check(of_permute).points == 0
        assert text.__defaults__ in (None, ([],)) and names["n"] == 0


@boxed
@pytest.mark.parametrize(
    "cell", ["x = " + "-" * 7000 + "1", "x = " + "(" * 300], ids=["minus", "open"]
)
def test_a_cell_that_python_cannot_read_costs_a_test_nothing(cell):
    texts = [cell.text for cell in cells_of(course.solution("03_strides"))]
    answer = next(text for text in texts if answered_in(text) == "test_permute")
    names = "\nfrom minigrad.exercises.own_tests import test_permute\n"
    cells = [("a", HEAD + names), ("x", cell), ("b", answer)]
    with ProcessSubject("x.ipynb", cells, "03_strides") as subject:
        assert verdict_on(find("test_permute"), subject).points == 2
