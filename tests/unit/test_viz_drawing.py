"""The canvas for digits: centred as MNIST's are, read, and never an error in JSON."""

import base64
import json
import sys

import numpy as np
import pictures  # noqa: F401  not run without matplotlib
import pytest

from minigrad import viz
from minigrad.viz.drawing import centered, ink_of, shares


def blot(height, width, top=0, left=0, size=100):
    page = np.zeros((size, size))
    page[top : top + height, left : left + width] = 1
    return page


@pytest.mark.parametrize("top, left", [(0, 0), (30, 50), (60, 70)])
def test_a_digit_fills_20_pixels_and_lies_in_the_middle_wherever_it_was(top, left):
    page = centered(blot(40, 30, top, left))
    rows, columns = np.flatnonzero(page.any(1)), np.flatnonzero(page.any(0))
    assert page.shape == (28, 28) and page.dtype == np.float32
    assert (len(rows), len(columns)) == (20, 15)
    middle = (np.indices(page.shape) * page).sum((1, 2)) / page.sum()
    assert abs(middle - 13.5).max() <= 0.5


def test_the_centre_of_mass_counts_and_not_that_of_the_box():
    page = blot(40, 10) + blot(5, 40, 0, 0)
    box = np.flatnonzero(centered(page.clip(0, 1)).any(0))
    assert (box[0] + box[-1]) / 2 > 13.5 + 1  # most of its ink is on the left


@pytest.mark.parametrize("ink", [np.zeros((5, 7)), np.ones((1, 1)), np.ones((300, 2))])
def test_any_image_is_centered(ink):
    page = centered(ink)
    assert page.shape == (28, 28) and page.min() >= 0 and page.max() <= 1
    assert page.any() == ink.any()


@pytest.mark.parametrize("n, m", [(8, 20), (20, 8), (7, 7), (1, 5), (5, 1)])
def test_scaling_keeps_means(n, m):
    values = np.random.default_rng(0).random(n)
    assert np.allclose(shares(n, m).sum(1), 1)
    assert np.isclose((shares(n, m) @ values).mean(), values.mean())


def test_ink_is_what_differs_from_the_border():
    dark = blot(10, 10, 40, 40)
    for image in (dark, 1 - dark, 255 * dark, np.stack([1 - dark] * 3, 2)):
        assert np.allclose(ink_of(image), dark)
    clear = np.dstack([np.zeros((100, 100, 3)), dark])  # black ink on nothing
    assert np.allclose(ink_of(clear), dark)
    with pytest.raises(ValueError, match="an image is"):
        ink_of(np.zeros(5))


def seven(ink):
    """Says 7 whatever it gets."""
    return np.eye(10)[7]


def test_an_image_of_a_file_is_read(tmp_path):
    from matplotlib.image import imsave

    imsave(tmp_path / "digit.png", 1 - blot(40, 30, 20, 20), cmap="gray")
    picture = viz.drawing(seven).show(tmp_path / "digit.png")
    assert "read as a 7" in repr(picture)


def stroke(pad, ink):
    data = base64.b64encode((255 * ink).astype(np.uint8).tobytes()).decode()
    pad.panel.drawn = json.dumps({"width": ink.shape[1], "ink": data})
    return json.loads(pad.panel.said)


def test_a_stroke_is_answered():
    pytest.importorskip("anywidget", reason="not run: the canvas (no anywidget)")
    pad = viz.drawing(seven)
    said = stroke(pad, blot(40, 30, 10, 10, 70))
    assert np.argmax(said["shares"]) == 7 and len(said["image"]) == 784
    assert stroke(pad, np.zeros((70, 70)))["shares"] == []


def test_a_network_that_fails_is_reported_of_in_the_canvas():
    pytest.importorskip("anywidget", reason="not run: the canvas (no anywidget)")
    said = stroke(viz.drawing(lambda ink: ink), blot(40, 30, 10, 10, 70))
    assert "10 probabilities, not 784" in said["error"]


@pytest.mark.parametrize("missing", ["google.colab", "anywidget"])
def test_without_a_canvas_a_sentence_says_what_to_do(monkeypatch, capsys, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    pad = viz.drawing(seven)
    pad._ipython_display_()
    assert "pad.show(image)" in capsys.readouterr().out
    assert pad.panel is None and "read as a 7" in repr(pad.show(blot(40, 30)))
