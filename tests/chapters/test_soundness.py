"""`python -m tools.audit soundness`: answers as cells, through the split executor."""

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.checking.answers import Specimen  # noqa: E402
from grading.checking.verdict import Verdict  # noqa: E402
from minigrad.exercises.cells import answered_in  # noqa: E402
from minigrad.exercises.registry import exercises, find  # noqa: E402
from tools.audit import soundness  # noqa: E402
from tools.audit.specimens import specimens_of  # noqa: E402
from tools.audit.to_cell import NoText, as_cell  # noqa: E402


@pytest.mark.slow
def test_every_specimen_can_be_written_as_a_cell():
    for specimen in (s for e in exercises() for s in specimens_of(e.exercise)):
        text = as_cell(specimen)
        compile(text, str(specimen), "exec")
        assert answered_in(text) == specimen.exercise.name


def test_what_uses_pytorch_is_no_cell():
    import torch

    def answer(shape):
        return torch.empty(shape).stride()

    exercise = find("contiguous_strides")
    with pytest.raises(NoText, match="torch is PyTorch's"):
        as_cell(Specimen(exercise, answer, None, "with PyTorch"))


@pytest.mark.slow
def test_an_exercise_is_audited():
    outcomes = list(soundness.audit(["offset_of"]))
    assert len(outcomes) == soundness.count(["offset_of"])
    assert all(one.well for one in outcomes), [one for one in outcomes if not one.well]
    rows = soundness.table(outcomes)
    (_, wrong, *caught, right, accepted), row = rows
    assert caught == [wrong, wrong] and accepted == right
    assert row[0] == "03.2 offset_of"
    assert "(100.0%)" in soundness.summary(rows)


def test_a_check_that_takes_everything_is_found_out(monkeypatch):
    exercise = find("offset_of")
    full = Verdict(
        exercise.name, exercise.points, exercise.points, "right", "all right"
    )
    monkeypatch.setattr(soundness, "verdict_on", lambda *args: full)
    some = specimens_of(exercise)
    outcomes = [soundness._judged(one, None, None, 0) for one in some]
    assert {one.kind for one in outcomes if not one.well} == {soundness.WRONG}
    page = soundness.page(outcomes)
    assert "## Not as they should be" in page
    assert soundness.page([], page) == page
    outcomes = [one._replace(caught=True, named=True) for one in outcomes]
    assert "## Not as they should be" not in soundness.page(outcomes, page)
    unsent = soundness._judged(some[0], None, "uses PyTorch", 0)
    assert not unsent.well
