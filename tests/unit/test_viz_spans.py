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


def test_times_of_spans_may_have_another_unit():
    picture = viz.spans({"warp 0": [("load", 2, 3), ("wait", 3, 6)]}, unit="cycles")
    assert picture.alt == "warp 0: load from 0 to 1 cycles, wait from 1 to 4 cycles."


def test_places_of_warps_are_taken_by_blocks():
    picture = viz.slots(
        {"small": (3, 2, "by blocks"), "none": (0, 8, "by registers")}, 8
    )
    sizes = [len(c.get_paths()) for c in picture.figure.axes[0].collections]
    assert sizes == [2, 2, 2, 2, 8]  # three blocks, what is free; all is free
    assert picture.alt == (
        "small: 3 blocks of 2 warps take 6 of 8 places, by blocks. "
        "none: 0 blocks of 8 warps take 0 of 8 places, by registers."
    )
    with pytest.raises(ValueError, match="big: 10 warps in 8 places"):
        viz.slots({"big": (5, 2, "")}, 8)


def test_bars_are_as_long_as_their_logarithms():
    picture = viz.bars({"a": (1e-3, 1e-5), "b": (1e-1, 1e-4)}, ["first", "later"])
    widths = [p.get_width() for p in picture.figure.axes[0].patches][2:]
    assert widths[0] - widths[3] == pytest.approx((widths[2] - widths[0]) / 2)
    assert picture.alt == ("a: first 1 ms, later 10 us; b: first 100 ms, later 100 us.")
