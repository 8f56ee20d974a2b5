"""References stand in from a process of their own: what they give, and hide."""

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from attacks import HEAD  # noqa: E402

from cudasim import KernelError  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.processes import references  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import cells_of, is_setup  # noqa: E402
from minigrad.exercises.cells import answered_in  # noqa: E402
from minigrad.exercises.registry import KernelExercise, exercises, find  # noqa: E402

if sandbox.why_not():
    pytest.skip(f"not run: {sandbox.why_not()}", allow_module_level=True)

LAB = "03_strides"
PYTHON = [e for e in exercises() if not isinstance(e.hole, KernelExercise)]
THIEF = (
    HEAD
    + """
import marshal, types
from minigrad.exercises import hole
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
        found = entry.hole.course_answer()
        if found is not None:
            calls(found)
            taken[entry.name] = found
    for thing in gc.get_objects() + list(taken.values()):
        for code in getattr(thing, "__code__", None), getattr(thing, "gi_code", None):
            if code and code.co_filename in ("<the course>", "<a candidate>"):
                raise ValueError(f"STOLEN: {code.co_name}")
def given(name):
    return lambda *args: (taken or take(), taken[name](*args))[1]
def answer(hole):
    import inspect
    form = inspect.signature(hole.__wrapped__)
    named = ", ".join("*" * (p.kind == p.VAR_POSITIONAL) + n
                      for n, p in form.parameters.items())
    space = {"given": given(hole.name)}
    exec(f"def {hole.name}{form}: return given({named})", space)
    return space[hole.name]
"""
)


def judged(lab, cells, *names):
    with ProcessSubject("x.ipynb", cells, lab) as subject:
        found = [verdict_on(find(name), subject) for name in names]
    assert not any("STOLEN" in f"{v} {v.failures}" for v in found)
    return found if len(names) > 1 else found[0]


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
