"""Times as bars: as long, and where, they were measured."""

import pictures  # noqa: F401  not run without matplotlib
import pytest

from minigrad import viz


def test_spans_lie_where_they_were_measured():
    picture = viz.spans({"CPU": [("wait", 5.0, 5.3)], "stream": [("add", 5.1, 5.2)]})
    wait, add = picture.figure.axes[0].patches
    assert add.get_width() * 3 == pytest.approx(wait.get_width())
    assert add.get_x() - wait.get_x() == pytest.approx(add.get_width())
    assert picture.alt == "CPU: wait from 0 to 300 ms; stream: add from 100 to 200 ms."


def test_bars_are_as_long_as_their_logarithms():
    picture = viz.bars({"a": (1e-3, 1e-5), "b": (1e-1, 1e-4)}, ["first", "later"])
    widths = [p.get_width() for p in picture.figure.axes[0].patches][2:]
    assert widths[0] - widths[3] == pytest.approx((widths[2] - widths[0]) / 2)
    assert picture.alt == ("a: first 1 ms, later 10 us; b: first 100 ms, later 100 us.")
