"""Pictures of chapter 00: words stay in their boxes; bars are as long as they say."""

import itertools

import pytest

matplotlib = pytest.importorskip(
    "matplotlib", reason="not run: tests of pictures (matplotlib is not installed)"
)

from matplotlib.patches import Rectangle  # noqa: E402

from minigrad import viz  # noqa: E402
from minigrad.viz.machine import outcome  # noqa: E402

DRIVERS, WHEELS = [(12, 4), (12, 8), (13, 0)], [(11, 8), (12, 6), (12, 8), (13, 0)]
STILL = {
    "machine": viz.machine,
    "calls": viz.calls,
    "toolchain": viz.toolchain,
    "memories": viz.memories,
    "versions": lambda: viz.versions(DRIVERS, WHEELS),
}


def extents(picture, kind):
    """The boxes on the page, in pixels, of all texts or rectangles."""
    canvas = matplotlib.backends.backend_agg.FigureCanvasAgg(picture.figure)
    canvas.draw()
    (axes,) = picture.figure.axes
    things = axes.texts if kind == "text" else axes.patches
    if kind == "box":
        things = [p for p in things if isinstance(p, Rectangle)]
    return [thing.get_window_extent() for thing in things]


@pytest.mark.parametrize("name", STILL)
def test_words_do_not_overlap_and_stay_on_the_page(name):
    import matplotlib.backends.backend_agg  # noqa: F401

    picture = STILL[name]()
    page = picture.figure.bbox
    words = extents(picture, "text")
    for word in words:
        assert page.x0 <= word.x0 and word.x1 <= page.x1
        assert page.y0 <= word.y0 and word.y1 <= page.y1
    for a, b in itertools.combinations(words, 2):
        apart = a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
        assert apart, name


@pytest.mark.slow
@pytest.mark.parametrize("name", STILL)
def test_no_word_crosses_the_side_of_a_box(name):
    import matplotlib.backends.backend_agg  # noqa: F401

    picture = STILL[name]()
    for word in extents(picture, "text"):
        for box in extents(picture, "box"):
            beside = word.y1 < box.y0 or word.y0 > box.y1
            inside = box.x0 <= word.x0 and word.x1 <= box.x1
            outside = word.x1 <= box.x0 or word.x0 >= box.x1
            around = word.x0 < box.x0 and word.x1 > box.x1
            assert beside or inside or outside or around, name


@pytest.mark.parametrize("name", STILL)
def test_a_picture_says_what_it_shows(name):
    assert len(STILL[name]().alt) > 100


def test_which_wheel_runs_with_which_driver():
    assert outcome((12, 4), (11, 8)) == "touched"
    assert outcome((12, 8), (12, 8)) == "touched"
    assert outcome((12, 4), (12, 6)) == "line"
    assert outcome((12, 8), (13, 0)) == "wrong"
    said = viz.versions(DRIVERS, WHEELS).alt
    assert "CUDA 13.0 with a driver of 12.8: refused" in said
    assert "CUDA 12.6 with a driver of 12.4: runs; not its PTX" in said


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
