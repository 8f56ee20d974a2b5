"""`python -m tools.audit seeds`: is each solution right, whatever the seed?"""

import pytest
from typer.testing import CliRunner

from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import find
from minigrad.testing.extension import has_compiler
from tools.audit import seeds
from tools.audit.__main__ import app


def test_a_solution_is_tried_by_each_seed():
    work = seeds.draw(["offset_of", "roll"], 30)
    assert [(n, [*s][:1], len(s)) for n, s in work][1:3] == [
        ("offset_of", [25], 5),
        ("roll", [0], 25),
    ]
    done = CliRunner().invoke(app, ["seeds", "offset_of", "roll", "--seeds", "2"])
    assert done.exit_code == 0
    assert "2 solutions are right by each of 2 seeds" in done.output


def wrong_offset(index, strides, offset=0):
    return -1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["offset_of", "bias_gelu_cpu"])
def test_seeds_that_refuse_a_solution_are_named(name, monkeypatch):
    exercise = find(name)
    load_references(exercise.chapter)
    answer = wrong_offset
    if name == "bias_gelu_cpu":
        if not has_compiler():
            pytest.skip("not run: a C++ answer (needs a C++ compiler)")
        answer = exercise.reference.replace("* (1 +", "* (2 +")
    monkeypatch.setattr(exercise, "reference", answer)
    assert seeds.refused(name, [3, 4]) == (name, [3, 4])
