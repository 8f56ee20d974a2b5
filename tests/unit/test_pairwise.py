"""Cases in which every two values meet."""

import itertools
import random

import pytest

from grading.checking.pairwise import pairwise

CHOICES = {"size": (0, 1, 5, 33), "stride": (0, 1, -2), "offset": (0, 7), "n": (1, 2)}


@pytest.mark.parametrize("seed", range(5))
def test_every_two_values_meet_in_few_rows(seed):
    rows = [*pairwise(random.Random(seed), **CHOICES)]
    for a, b in itertools.combinations(CHOICES, 2):
        met = {(row[a], row[b]) for row in rows}
        assert met == {*itertools.product(CHOICES[a], CHOICES[b])}
    assert 12 <= len(rows) <= 18  # of 48


def test_a_seed_gives_the_same_rows():
    one, two = ([*pairwise(random.Random(3), **CHOICES)] for _ in range(2))
    assert one == two


def test_values_may_be_of_any_kind():
    rows = [*pairwise(random.Random(0), x=([], [1]), y=({}, None))]
    assert len(rows) == 4
