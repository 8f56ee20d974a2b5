"""The table of operators beside NumPy and PyTorch."""

import pytest
from answers import filled  # noqa: F401

from benchmarks import operators


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_row_of_the_table(device):
    head, line = operators.table(device, [2], operators.EXPRESSIONS[:1])
    assert line[:2] == ["x + y", "2 x 2"] and len(line) == len(head)
    assert ("NumPy us" in head) == (device == "cpu")
    assert all(float(cell) > 0 for cell in line[2:])
