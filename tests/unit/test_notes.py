"""Many notes that say the same become a few."""

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

from grading.classroom import course_dir, repair  # noqa: E402
from grading.classroom.notes import SHOWN, fewer, named  # noqa: E402
from grading.classroom.reading import Cell  # noqa: E402

LAB = "03_strides"


def test_a_few_notes_stay_as_they_are():
    notes = ["a: 1", "b", 'the cell that begins "x": no', 'the cell that begins "y": 2']
    assert fewer(notes) == notes and fewer([]) == []


def test_a_note_that_is_there_often_is_counted():
    assert fewer(["a", "b", "a", "a"]) == ["a (3 times)", "b"]


def test_of_paths_each_folder_is_named_once():
    assert named(["a/1", "a/2", "b/1"]) == "a/1, b/1 and 1 more"
    assert named(["a"]) == "a" and named(["a/1", "a/2"]) == "a/1 and 1 more"


@pytest.mark.slow
def test_thousands_of_odd_cells_are_a_few_notes(tmp_path):
    course_dir.release(tmp_path / "course", ["03"])
    released = repair.released(tmp_path / "course", LAB)
    lab = repair.Released(released)
    odd = [(False, id, [f"name{n}"]) for id in lab.answer_ids for n in range(500)]
    odd += [(True, id, []) for id in lab.check_ids for _ in range(100)]
    cells = [Cell(code, id, [], "x", names, "", False, None) for code, id, names in odd]
    _, warnings = repair.repaired(cells, released)
    assert len(warnings) > len(odd)
    assert len(fewer(warnings)) < 3 * SHOWN + 3 * len(lab.checks)
