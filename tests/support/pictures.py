"""What tests of pictures share: what is drawn, and what a notebook is sent."""

from collections import Counter

import pytest

matplotlib = pytest.importorskip(
    "matplotlib", reason="not run: tests of pictures (matplotlib is not installed)"
)


def texts(picture, size=None, over=None):
    """What is written, as a Counter; over: True in boxes that lines pass below."""
    written = picture.figure.axes[0].texts
    return Counter(
        t.get_text()
        for t in written
        if size in (None, t.get_fontsize()) and over in (None, t.get_zorder() > 6)
    )


def boxes(picture, kind):
    """How many boxes of a kind there are, the legend's among them."""
    from minigrad.viz.draw.canvas import BOXES

    axes = picture.figure.axes[0]
    colors = [matplotlib.colors.to_rgba(BOXES[kind][name]) for name in ("fc", "ec")]
    single = [[p.get_facecolor(), p.get_edgecolor()] for p in axes.patches]
    many = [[tuple(c.get_facecolor()[0]), tuple(c.get_edgecolor()[0])]
            for c in axes.collections for _ in c.get_paths()]  # fmt: skip
    return (single + many).count(colors)


def shown(monkeypatch, it):
    """What a front end is sent for a widget, and then for each update of it."""
    ipython = pytest.importorskip(
        "IPython.display", reason="not run: display of widgets (no IPython)"
    )
    sent = []
    handle = type("Handle", (), {"update": lambda self, it: sent.append(it)})()
    display = lambda it, **options: sent.append(it) or handle  # noqa: E731
    monkeypatch.setattr(ipython, "display", display)
    it._ipython_display_()
    return sent
