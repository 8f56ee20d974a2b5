"""Type promotion against torch.result_type: every pair, in every category."""

import itertools

import pytest
from answers import filled  # noqa: F401

import minigrad
from minigrad.dtypes import DTYPES

torch = pytest.importorskip("torch", reason="not run: promotion (needs torch)")
NUMBERS = [True, 3, 2.5]


def theirs(dtype):
    return getattr(torch, dtype.name)


def operands(m):
    """Of each dtype a tensor with dimensions and one without; numbers."""
    types = DTYPES if m is minigrad else map(theirs, DTYPES)
    return [m.zeros(s, dtype=d) for d in types for s in [(2,), ()]] + NUMBERS


@pytest.mark.parametrize("number", range(2 * len(DTYPES) + 3))
def test_pairs(number):
    first = operands(minigrad)[number], operands(torch)[number]
    for ours, other in zip(operands(minigrad), operands(torch), strict=True):
        result = minigrad.result_type(first[0], ours).name
        expected = str(torch.result_type(first[1], other))
        assert result == expected.removeprefix("torch."), (first, ours)


def test_promote_types():
    for a, b in itertools.product(DTYPES, DTYPES):
        expected = str(torch.promote_types(theirs(a), theirs(b)))
        assert f"torch.{minigrad.promote_types(a, b).name}" == expected


def test_three_operands_promote_by_category():
    x, z = minigrad.zeros(2, dtype=minigrad.int32), minigrad.zeros((), dtype="f8")
    assert minigrad.result_type(x, 1, True) == minigrad.int32
    assert minigrad.result_type(x, z, 2.5) == minigrad.float64
    assert minigrad.result_type(x, 2.5, x) == minigrad.float32


def test_strangers_are_named():
    with pytest.raises(TypeError, match="got str: tensor"):
        minigrad.result_type(minigrad.zeros(2), "a")
