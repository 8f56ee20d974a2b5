"""The curve of a loss: static, live, and what is not finite."""

import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from minigrad import viz


def drawn(curve):
    """{name of a line: its points as an array (n, 2)}, in pixels."""
    html = curve._repr_html_()
    ElementTree.fromstring(html)  # it is well formed
    svg = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    parts = {kind: [e for e in svg.iter() if e.tag.endswith(kind)]
             for kind in ("polyline", "text", "circle")}  # fmt: skip
    names = {e.get("fill"): e.text for e in parts["text"]}
    for circle in parts["circle"]:  # a dot at the end of each line that has one
        ends = [e.get("points").split()[-1] for e in parts["polyline"]
                if e.get("points")]  # fmt: skip
        assert f"{circle.get('cx')},{circle.get('cy')}" in ends
    return {
        names[e.get("stroke")]: np.array(
            [p.split(",") for p in e.get("points").split()], float
        ).reshape(-1, 2)
        for e in parts["polyline"]
    }


def ticks(curve):
    """The numbers at the side, from below."""
    result = re.findall(r'text-anchor="end">([^<]+)</text>', curve._repr_html_())
    return [float(text) for text in result[:3]]


def test_an_empty_curve_is_a_bar_and_a_sentence():
    curve = viz.curve(5, "epochs")
    assert str(curve) == "0 of 5 epochs"
    html = curve._repr_html_()
    assert "<svg" not in html and "width:0.0%" in html and "0 of 5 epochs" in html


def test_one_point_is_a_dot():
    curve = viz.curve(1)
    curve.add(loss=0.5)
    assert drawn(curve)["loss"].shape == (1, 2)
    assert curve._repr_html_().count("<circle") == 1
    assert str(curve) == "1 of 1 steps, loss 0.5"


def test_points_go_right_by_steps_and_up_by_values():
    curve = viz.curve(4)
    for value in 4.0, 2.0, 0.0:
        curve.add(loss=value)
    (x0, y0), (x1, y1), (x2, y2) = drawn(curve)["loss"]
    assert x0 < x1 < x2 and x2 - x1 == pytest.approx(x1 - x0, abs=0.2)
    assert y0 < y1 < y2 and y2 - y1 == pytest.approx(y1 - y0, abs=0.2)
    assert ticks(curve) == [0, 2, 4] and "width:75.0%" in curve._repr_html_()


POSITIVE = 7.0, 1e20, 5e-324, 1.7e308


@pytest.mark.parametrize(
    "value, log",
    [(0.0, False), (-2.0, False), (-1.7e308, False)]
    + [(value, log) for value in POSITIVE for log in (False, True)],
)
def test_equal_values_are_a_level_line(value, log):
    curve = viz.curve(3, log=log)
    for _ in range(3):
        curve.add(loss=value)
    assert len({y for _, y in drawn(curve)["loss"]}) == 1
    assert np.isfinite(ticks(curve)).all()


def test_several_lines_each_have_their_steps_color_and_name():
    curve = viz.curve(3)
    curve.add(train=3.0)
    curve.add(train=2.0, **{"<test> & co": 2.5})
    curve.add(train=1.0)
    lines = drawn(curve)
    assert [len(lines[name]) for name in ("train", "<test> & co")] == [3, 1]
    assert lines["<test> & co"][0][0] == lines["train"][1][0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_reported_and_left_out_of_the_line(value):
    curve = viz.curve(4)
    for loss in 2.0, value, 1.0, value:
        curve.add(loss=loss)
    assert len(drawn(curve)["loss"]) == 2 and ticks(curve) == [1, 1.5, 2]
    assert str(curve) == f"4 of 4 steps, loss {value:.4g}"
    head, _, parts = curve._svg().partition(">")
    assert "loss is not finite in 2 steps from 2 on" in head
    assert "nan" not in parts and "inf" not in parts
    assert parts.count("m-4,-4l8,8") == 1  # a cross where it is lost


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("log", [False, True])
def test_a_curve_of_nothing_finite_is_still_shown(value, log):
    curve = viz.curve(2, log=log)
    curve.add(loss=value)
    assert str(curve) in curve._repr_html_() and "<svg" not in curve._repr_html_()


def test_log_draws_powers_of_ten_and_leaves_out_what_has_none():
    curve = viz.curve(5, log=True)
    for loss in 100.0, 10.0, 1.0, 0.0, -3.0:
        curve.add(loss=loss)
    heights = drawn(curve)["loss"][:, 1]
    assert len(heights) == 3 and np.diff(heights, 2) == pytest.approx(0, abs=0.2)
    assert ticks(curve) == [1, 10, 100]


def test_huge_values_are_drawn():
    curve = viz.curve(3)
    for loss in -1e308, 0.0, 1e308:
        curve.add(loss=loss)
    heights = drawn(curve)["loss"][:, 1]
    assert np.isfinite(heights).all() and heights[0] > heights[1] > heights[2]


@pytest.mark.parametrize("count", [599, 600, 601, 1799, 50_000])
def test_a_long_curve_is_thinned_and_keeps_its_ends(count):
    curve = viz.curve(count)
    for step in range(count):
        curve.add(loss=count - step)
    line = drawn(curve)["loss"]
    assert 300 <= len(line) <= 601
    short = viz.curve(1)
    short.add(loss=0.0)
    assert line[-1][0] == drawn(short)["loss"][-1][0]  # the last step is at the right


def test_more_steps_than_were_announced_are_no_error():
    curve = viz.curve(1)
    for loss in 3.0, 2.0:
        curve.add(loss=loss)
    assert "width:100.0%" in curve._repr_html_() and str(curve).startswith("2 of 1")


class Screen:
    """What a notebook shows of one curve."""

    def __init__(self, monkeypatch):
        ipython = pytest.importorskip(
            "IPython", reason="not run: live curves (IPython is not installed)"
        )
        self.shown, self.updates, self.now = [], [], 1000.0
        monkeypatch.setattr(ipython, "get_ipython", object)
        monkeypatch.setattr("IPython.display.display", self.display)
        monkeypatch.setattr("time.perf_counter", lambda: self.now)

    def display(self, curve, display_id):
        assert display_id is True
        self.shown.append(str(curve))
        return self

    def update(self, curve):
        self.updates.append(str(curve))


def test_a_live_curve_is_shown_once_and_then_updated(monkeypatch):
    screen = Screen(monkeypatch)
    curve = viz.curve(3)
    for loss in 3.0, 2.0, 1.0:
        screen.now += 1
        curve.add(loss=loss)
    assert screen.shown == ["1 of 3 steps, loss 3"]
    assert screen.updates == ["2 of 3 steps, loss 2", "3 of 3 steps, loss 1"]
    assert "3.0 s" in curve._repr_html_()


def test_fast_steps_are_not_all_drawn_but_the_last_is(monkeypatch):
    screen = Screen(monkeypatch)
    curve = viz.curve(1000)
    for loss in range(1000):
        screen.now += 0.001
        curve.add(loss=loss)
    assert 5 <= len(screen.updates) <= 15  # one second, ten pictures
    assert screen.updates[-1] == "1000 of 1000 steps, loss 999"


def test_outside_of_a_notebook_nothing_is_drawn(capsys):
    curve = viz.curve(2)
    curve.add(loss=1.0)
    assert curve._shown is None and capsys.readouterr() == ("", "")


def test_what_is_not_finite_is_counted_from_its_first_step():
    curve = viz.curve(3, title="too large")
    for value in 1.0, math.nan, math.inf:
        curve.add(loss=value)
    html = curve._repr_html_()
    assert "loss is not finite in 2 steps from 2 on" in html
    assert html.index("too large") < html.index("<svg") < html.index("width:100.0%")


def test_steps_have_round_numbers_below():
    curve = viz.curve(3750)
    for loss in 193.0, 37_100.0:
        curve.add(loss=loss)
    middle = re.findall(r'text-anchor="middle">([^<]+)<', curve._repr_html_())
    assert middle == ["0", "1,000", "2,000", "3,000", "steps"]
    side = re.findall(r'text-anchor="end">([^<]+)<', curve._repr_html_())
    assert side == ["10,000", "20,000", "30,000", "loss"]
