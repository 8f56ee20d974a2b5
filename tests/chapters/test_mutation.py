"""Machine-made wrong answers: each kind is made, and a sample is rejected."""

import contextlib

import pytest
import styles_cuda
from styles import PYTHON, other_names, rights
from table import table

from minigrad.exercises.exercise import CppExercise
from minigrad.exercises.registry import exercises, find
from tools.audit import cuda_edits, mutants, report
from tools.audit.edits import edits, solution
from tools.audit.mutants import REJECTED, STALE, SURVIVED, Found, audit, draw, gone

ALL = [entry.exercise.name for entry in exercises()]


@table("name", ALL)
def test_every_solution_is_edited_in_many_ways(name):
    exercise = find(name)
    outcomes = edits(exercise)
    texts = {edit.change(solution(exercise)) for edit in outcomes}
    assert len(texts) == len(outcomes) >= 5 and solution(exercise) not in texts
    assert all(edit.kind and " -> " in edit.title for edit in outcomes)
    assert any(map(_is_answer(exercise), outcomes))


def _is_answer(exercise):
    """Can an edit be judged at all? What fails to run is no mutant that was killed."""

    def check(edit):
        with contextlib.suppress(SyntaxError, NameError):
            return edit.answer(exercise) is not None

    return check


@table("name", ALL)
def test_every_solution_is_written_in_other_styles(name):
    exercise = find(name)
    answers, own = rights(exercise), solution(exercise)
    texts = {one.given.change(own) for one in answers}
    assert len(texts) == len(answers) and own not in texts
    assert texts or type(exercise) is CppExercise


def test_styles_of_python():
    text = """@solves(f)
def f(shape, k=1):
    rows = [n + k for n in shape if n > 1]
    for n in rows:
        if n == 3:
            continue
        k = k * n if k else 1
    return tuple(rows), k * (k + 1)
"""
    first = {"solves": lambda exercise: lambda f: f, "f": None}
    exec(text, known := {**first})
    for style in PYTHON:
        exec(style(text), names := {**first})
        for shape in (), (1,), (2, 1, 5, 3):
            assert names["f"](shape, k=2) == known["f"](shape, 2), style(text)
    assert "rows_ = [n_ + k" in other_names(text) and "k_" not in other_names(text)


def test_styles_of_kernels():
    text = """__global__ void f(float* x, int n) {
    int i = threadIdx.x;
    for (int k = 0; k < n; k++)
        if (i <= k) x[i] += k; else for (;;) break;
}"""
    styles = [" ".join(style(text).split()) for style in styles_cuda.STYLES]
    assert "for (int k_ = 0; k_ < n; k_++) if (i_ <= k_) x[i_] += k_;" in styles[0]
    assert styles[1].endswith("__global__ void f(float* x, int n) { f_(x, n); }")
    loop = "{ int k = 0; while (k < n) { if (i <= k) x[i] += k; else for (;;) break;"
    assert f"{loop} k++; }} }} }}" in styles[2]
    assert "n > k; k++) if (k >= i) x[i] += k; else for" in styles[3]


@table("name", ALL)
def test_every_edit_that_is_listed_as_no_mistake_exists(name):
    assert gone([name]) == []


def test_an_edit_that_does_not_exist_is_stale(monkeypatch):
    listed = [("off by one: sum(i", "it was")]
    monkeypatch.setattr(mutants, "equivalents", lambda exercise: listed)
    assert gone(["offset_of"]) == ["offset_of: off by one: sum(i"]


def test_an_edit_that_is_rejected_is_stale(monkeypatch):
    listed = [("term dropped: -> return (offset)", "it was")]
    monkeypatch.setattr(mutants, "equivalents", lambda exercise: listed)
    outcomes = [*audit(draw(["offset_of"]))]
    assert [one.edit.split()[-1] for one in outcomes if one.state == STALE] == [
        "(offset)"
    ]


@pytest.mark.parametrize("how", ["remembers", "reuses", "damage.once(lambda: [])"])
def test_state_that_is_kept_is_found(how):
    name = "tanh_backward" if how == "reuses" else "contiguous_strides"
    for number, edit in enumerate(edits(find(name))):
        if edit.kind == "state kept" and how in edit.title:
            (one,) = audit([(name, number, 0)])
            assert one.state == REJECTED


@pytest.mark.slow
@pytest.mark.kept("verdicts")
def test_of_a_sample_nearly_all_are_rejected(nightly):
    sample = 4 if nightly else 1
    outcomes = [*audit(draw(ALL, seed=0, sample=sample))]
    assert len(outcomes) == sample * len(ALL)
    told = [one for one in outcomes if one.state in (SURVIVED, STALE)]
    share = report.share(report.table(outcomes))
    assert share >= 0.99 and not any(s.state == STALE for s in told), told


def test_the_page_says_what_came_of_each():
    states = "killed", "killed", "killed", "survived", "equivalent"
    outcomes = [
        Found("offset_of", "a: b", s, "why" * (s == "equivalent")) for s in states
    ]
    text = report.page(outcomes)
    assert "| 03.2 offset_of | 5 | 3 | 1 | 1 |" in text and "| all | 5 |" in text
    assert "**75.00%" in text and "- why: offset_of 1\n" in text


def test_other_rows_of_the_page_stay():
    states = ("index_of", "killed"), ("permute", "survived"), ("permute", "equivalent")
    outcomes = [Found(name, "a: b", state, "so: it is") for name, state in states]
    outcomes.append(Found("offset_of", "a: b", "equivalent", "so: it is"))
    before = report.page(outcomes)
    assert "- so: it is: offset_of 1, permute 1\n" in before
    after = report.page([Found("offset_of", "a: b", "survived")], before)
    assert "| 03.2 offset_of | 1 | 0 | 0 | 1 |\n| 03.3 index_of | 1 | 1 |" in after
    assert "| all | 4 | 1 | 1 | 2 |" in after and "**33.33%" in after
    assert "- so: it is: permute 1\n" in after
    assert report.page([], after) == after


def test_what_only_a_huge_launch_shows_is_said():
    said = {edit.title: cuda_edits.too_large(edit) for edit in edits(find("sum_dim"))}
    (loop,) = (why for title, why in said.items() if "-> for (short k" in title)
    (index,) = (
        why for title, why in said.items() if title.endswith("float offset = 0;")
    )
    assert "2 ** 15 rounds" in loop and "2 ** 24" in index
    shorts = [title for title in said if "-> short i = " in title]
    assert shorts and not any(said[title] for title in shorts)


def test_an_edited_test_that_tells_right_from_wrong_is_as_good(monkeypatch):
    """One that passes every candidate as it should; of any other it survives."""

    class Passes:
        def passes(self, subject, seed):
            return True

    monkeypatch.setattr(mutants, "find_check", lambda exercise: Passes())
    states = {}
    for name in "test_permute", "permute":
        exercise = find(name)
        edit = next(e for e in edits(exercise) if not e.is_idle_if_untouched)
        states[name] = mutants.state_of(exercise, edit)[1]
    assert states == {"test_permute": mutants.AS_GOOD, "permute": ""}
