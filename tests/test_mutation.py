"""Machine-made wrong answers: each kind is made, and a sample is rejected."""

import pytest

from grading.mutation.audit import REJECTED, SURVIVED, audit, draw, table
from grading.mutation.edits import edits, solution
from minigrad.exercises.registry import exercises, find

ALL = [entry.hole.name for entry in exercises()]


@pytest.mark.parametrize("name", ALL)
def test_every_solution_is_edited_in_many_ways(name):
    hole = find(name)
    found = edits(hole)
    texts = {edit(solution(hole)) for edit in found}
    assert len(texts) == len(found) >= 5 and solution(hole) not in texts
    assert all(edit.kind and " -> " in edit.title for edit in found)


@pytest.mark.slow
def test_of_a_sample_nearly_all_are_rejected():
    found = [*audit(draw(ALL, seed=0, sample=2))]
    states = [one.state for one in found]
    survivors = [one for one in found if one.state == SURVIVED]
    assert len(found) == 2 * len(ALL) and sum(row[0] for row in table(found).values())
    assert len(survivors) <= 0.03 * states.count(REJECTED), survivors
