"""The tables of operators, gradients and trainings beside NumPy and PyTorch."""

import math

import numpy as np
import pytest
from answers import filled  # noqa: F401

from benchmarks import autograd, mnist, operators
from minigrad import data

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_row_of_the_table(device):
    head, line = operators.table(device, [2], operators.EXPRESSIONS[:1])
    assert line[:2] == ["x + y", "2 x 2"] and len(line) == len(head)
    assert ("NumPy us" in head) == (device == "cpu")
    assert all(float(cell) > 0 for cell in line[2:])


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_rows_of_the_table_of_gradients(device):
    head, line, step = autograd.table(device, autograd.EXPRESSIONS[:1])
    assert (line[0], step[0]) == ("x + y", "training step")
    assert len(line) == len(step) == len(head)
    assert all(math.isfinite(float(cell)) for cell in [*line[1:], *step[1:]] if cell)


class Few(data.MNIST):
    """70 images of noise."""

    def __init__(self):
        random = np.random.default_rng(0)
        self.images = random.integers(0, 256, (70, 28, 28), np.uint8)
        self.labels = random.integers(0, 10, 70, np.uint8)


def test_rows_of_the_table_of_trainings(monkeypatch):
    monkeypatch.setattr(mnist, "SIZES", (1, 1))
    head, *rows = mnist.table("cpu", 1, 2, [Few(), Few()])
    assert [cells[0] for cells in rows] == [
        "minigrad, answered", "minigrad, fastest", "minigrad.jit",
        "minigrad.jit with a CUDA graph", "PyTorch, eager",
    ]  # fmt: skip
    for _, *steps, used, taken, seconds, shares, mean in rows:
        peak = [used, taken]
        assert all(float(step) > 0 for step in steps) and float(seconds) >= 0
        assert peak == ["–", "–"] and 0 <= float(mean) <= 100
        assert len(shares.split(", ")) == 2
    assert len(rows[0]) == len(head)
