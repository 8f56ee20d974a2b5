"""References stand in from a process of their own: what they give, and hide."""

import random

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import numpy as np  # noqa: E402
from attacks import HEAD  # noqa: E402

from cudasim import KernelError  # noqa: E402
from grading.checking.answers import Specimen  # noqa: E402
from grading.checking.check import find_check  # noqa: E402
from grading.checking.runner import LocalSubject  # noqa: E402
from grading.classroom import judging  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import channel, sandbox  # noqa: E402
from grading.processes import references  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import cells_of, is_setup  # noqa: E402
from minigrad.exercises.cells import answered_in  # noqa: E402
from minigrad.exercises.registry import KernelExercise, exercises, find  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

LAB = "03_strides"
PYTHON = [e for e in exercises() if not isinstance(e.exercise, KernelExercise)]
THIEF = (
    HEAD
    + """
import marshal, types
from minigrad.exercises import exercise
from minigrad.exercises.registry import exercises, find
taken = {}
def calls(function):
    'Call it with whatever it takes, so that it is there if it can be.'
    for args in [((2, 3),), ((0, 1), (3, 1)), (5, (2, 3)), ((2, 3), (3, 1), 0, (1,))]:
        try: function(*args)
        except Exception: pass
def take():
    'Every stand-in that can be had, and all code of a course that is in memory.'
    for entry in exercises():
        found = entry.exercise.course_answer()
        if found is not None:
            calls(found)
            taken[entry.name] = found
    for thing in gc.get_objects() + list(taken.values()):
        for code in getattr(thing, "__code__", None), getattr(thing, "gi_code", None):
            if code and code.co_filename in ("<the course>", "<a candidate>"):
                raise ValueError(f"STOLEN: {code.co_name}")
def given(name):
    return lambda *args: (taken or take(), taken[name](*args))[1]
def answer(exercise):
    import inspect
    form = inspect.signature(exercise.__wrapped__)
    named = ", ".join("*" * (p.kind == p.VAR_POSITIONAL) + n
                      for n, p in form.parameters.items())
    space = {"given": given(exercise.name)}
    exec(f"def {exercise.name}{form}: return given({named})", space)
    return space[exercise.name]
"""
)


def judged(lab, cells, *names):
    with ProcessSubject("x.ipynb", cells, lab) as subject:
        results = [verdict_on(find(name), subject) for name in names]
    assert not any("STOLEN" in f"{v} {v.failures}" for v in results)
    return results if len(names) > 1 else results[0]


@pytest.mark.slow
@pytest.mark.parametrize("entry", PYTHON, ids=lambda entry: entry.name)
def test_every_answer_is_right_where_all_others_are_references(entry):
    cells = [
        (c.id, c.text)
        for c in cells_of(course.solution(entry.chapter))
        if is_setup(c.text) or answered_in(c.text) == entry.name
    ]
    verdict = judged(entry.chapter, cells, entry.name)
    assert verdict.points == entry.points, f"{verdict} {verdict.failures}"


def test_a_notebook_without_answers_earns_nothing_by_those_of_the_course():
    names = [e.name for e in PYTHON if e.chapter == LAB]
    cells = [("0", THIEF)]
    cells += [(n, f"solves(find({n!r}))(answer(find({n!r})))") for n in names]
    for verdict in judged(LAB, cells, *names):
        assert verdict.points == 0 and verdict.state == "wrong", verdict
        assert "KeyError" in str(verdict.failures), verdict.failures


CELLS = {
    "before": "t = minigrad.arange(6)\nassert t.shape == (6,)",
    "endless": """
from minigrad.kernels.transfers import needless_copies
def events():
    while True: yield ("copy", "x")
needless_copies(events())""",
    "after": """
t = minigrad.arange(12).as_strided((3, 4), (4, 1))
assert t.T.shape == (4, 3)""",
}


def test_a_time_limit_within_a_reference_disturbs_no_later_call(monkeypatch):
    from grading.processes import process

    monkeypatch.setattr(process, "CELL_SECONDS", 1)
    cells = [(name, HEAD + text) for name, text in CELLS.items()]
    cells += [(c.id, c.text) for c in cells_of(course.solution("04_elementwise"))]
    with ProcessSubject("x.ipynb", cells, "04_elementwise") as subject:
        assert verdict_on(find("result_type"), subject).state == "right"
        assert set(subject.problems) == {"endless"}


@pytest.mark.parametrize(
    "name",
    ["minigrad.exercises.cells:io.FileIO", "minigrad.tensor:Tensor", "builtins:open",
     "minigrad.capture:np.testing._private.utils.unittest.TestProgram",
     "minigrad.errors:__class__", "grading.processes.zygote:serve", "io:FileIO"],
)  # fmt: skip
def test_nothing_but_an_error_is_made_of_what_a_student_raises(name):
    error = references.References({}).error_of([name], (0, "r"), 0)
    assert type(error) is RuntimeError


def test_an_error_of_ours_keeps_its_type():
    name = f"{KernelError.__module__}:KernelError"
    assert references._class(name) is KernelError
    assert references.References.error_type(None, name) is KernelError


LAID_OUT = {
    "transposed": np.arange(24.0).reshape(2, 3, 4).T,
    "every second": np.arange(24).reshape(2, 12)[:, ::2],
    "from the end": np.arange(6, dtype=np.float16)[::-1],
    "expanded": np.broadcast_to(np.arange(4)[:, None], (4, 3)),
    "overlapping": np.lib.stride_tricks.sliding_window_view(np.arange(6), 3),
    "empty": np.zeros((3, 0, 2)),
    "a number": np.array(3.5),
}


@pytest.mark.parametrize("array", LAID_OUT.values(), ids=LAID_OUT)
def test_an_array_that_crosses_keeps_its_values_and_its_strides(array):
    got = channel._array(channel._laid_out(array))
    np.testing.assert_array_equal(got, array, strict=True)
    assert got.strides == array.strides and got.flags.writeable


def test_an_array_takes_no_more_memory_there_than_its_elements_need():
    got = channel._array(channel._laid_out(np.arange(10_000)[::1000]))
    np.testing.assert_array_equal(got, np.arange(0, 10_000, 1000), strict=True)
    with pytest.raises(ValueError, match="an array of shape"):
        channel._array(["<f8", (2**40,), b"12345678", (0,), 0])


SEES = """
def verify(op, reference):
    import hashlib
    import minigrad
    a, b = (minigrad.arange(n).view(3, -1) / 4 - 1 for n in (12, 15))
    odd = minigrad.tensor([[float("nan"), float("inf"), 0.0, -2.0]])
    views = [x.T.contiguous().T for x in (a, b)]
    pairs = [(a, b), views, (a[:1].expand(3, 4), b), (a, minigrad.cat([b, b])[3:])]
    pairs += [(odd, odd), (a[:0], b[:0]), (a.half(), b.half()), (a[:1], b[:1])]
    seen = []
    def see(x):
        values = (x.detach().numpy() + 0).tolist()  # NaN and 0 without a sign
        seen.append((x.shape, x.strides, x.offset, x.dtype, values))
    for a, b in pairs:
        try:
            y = op(a, b)
            see(y), op(-a, b), see(y), see(a), see(b)
            leaves = [x.detach().requires_grad_() for x in (a, b)]
            op(*leaves).backward(-reference(b, a).transpose(1, 2))
            for x in leaves:
                see(x.grad)
        except Exception as error:
            seen.append((type(error).__name__, str(error)))
    page = hashlib.md5(repr(seen).encode()).hexdigest()
    raise AssertionError(f"{page} {seen}")
"""


def test_an_operator_does_in_the_box_what_it_does_in_a_notebook():
    exercise, names = find("verify"), {}
    check = find_check(exercise)
    exec(SEES, names)
    candidates = [candidate for _, candidate in check.cases(random.Random(0))]

    def seen(subject):
        judgment = check.judgment(subject)
        return [judgment.got(subject, one.call)[0].message for one in candidates]

    with Specimen(exercise, names["verify"], None, "sees").in_place():
        here = seen(LocalSubject())
    cells = [("0", f"{HEAD}\nfrom minigrad.testing.verify import verify")]
    cells += [("1", f"@solves(verify){SEES}")]
    with ProcessSubject("x.ipynb", cells, exercise.chapter) as subject:
        subject.about("verify")
        there = seen(subject)
    for candidate, one, other in zip(candidates, here, there, strict=True):
        assert one == other, candidate.words


PERMUTE = """
@solves(Tensor.permute)
def permute(self, *dims):
    dims = [layout.wrap_dim(d, self.ndim) for d in layout.as_ints(dims)]
    if sorted(dims) != [*range(self.ndim)]:
        raise RuntimeError("each once")
    y, now = self, [*range(self.ndim)]
    for i, d in enumerate(dims):
        j = now.index(d)
        y, now[i], now[j] = y.transpose(i, j), now[j], now[i]
    return y
"""
GUARD = "if busy: return self\n    busy.append(1)\n    y, now ="
GUARDED = "busy = []" + PERMUTE.replace("y, now =", GUARD)
GUARDED = GUARDED.replace("return y", "busy.pop()\n    return y")
TRANSPOSE = """
@solves(Tensor.transpose)
def transpose(self, dim0, dim1):
    dims = [*range(self.ndim)]
    a, b = (layout.wrap_dim(d, self.ndim) for d in (dim0, dim1))
    if dims:
        dims[a], dims[b] = b, a
    return self.permute(dims)
"""
DIRECT = TRANSPOSE.replace(
    "self.permute(dims)",
    "self.as_strided([self.shape[d] for d in dims], "
    "[self.strides[d] for d in dims], self.offset)",
)


@pytest.mark.parametrize(
    "permute, transpose, earned",
    [
        (PERMUTE, TRANSPOSE, [0, 0]),
        (GUARDED, TRANSPOSE, [0, 0]),
        (PERMUTE, DIRECT, [2, 1]),
        (PERMUTE, DIRECT.replace("offset", "offset + 1"), [2, 0]),  # its own mistake
        (PERMUTE, TRANSPOSE.replace("self.permute", "self + self.permute"), [0, 0]),
    ],
)
def test_answers_that_only_call_each_other_earn_nothing(permute, transpose, earned):
    """Even if a guard ends their circle, or one of them is wrong besides."""
    cells = [(str(n), text) for n, text in enumerate([HEAD, permute, transpose])]
    verdicts, _ = judging.run(LAB, cells, ["permute", "transpose"])
    assert [verdict.points for verdict in verdicts] == earned
