"""A canvas to draw a digit on, and what a network says of it, stroke by stroke."""

import base64
import json
from pathlib import Path

import numpy as np

from .draw.picture import Picture, matplotlib, style
from .widgets import show, widget_class

NO_CANVAS = (
    "A canvas to draw on needs anywidget and a running JupyterLab or VS Code. Without "
    "it: pad.show(image), of a PNG file or an array, of any size."
)


def drawing(read):
    """A canvas; after each stroke `read` is asked what it sees.

    read: a function of an array (28, 28), ink from 0 to 1, centered as MNIST's digits
    are; it returns ten probabilities. pad.show(image) asks it about an image that is
    there. Where no canvas can be shown (no anywidget, or Colab), a sentence says so.
    """
    return Drawing(read)


def centered(ink, size=28, box=20):
    """An image as MNIST has its digits: an array (size, size) of float32.

    ink: an array of two dimensions, 0 for paper and 1 for ink. The part with ink is
    scaled until its longer side is `box` pixels, and its center of mass is put in the
    middle. Source: LeCun, Cortes and Burges, The MNIST database.
    """
    ink, page = np.asarray(ink, np.float64), np.zeros((size, size), np.float32)
    rows, columns = (np.flatnonzero((ink > 0.1).any(axis)) for axis in (1, 0))
    if not len(rows):
        return page
    part = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = box / max(part.shape)
    high, wide = (max(1, round(n * scale)) for n in part.shape)
    part = shares(part.shape[0], high) @ part @ shares(part.shape[1], wide).T
    middle = (np.indices(part.shape) * part).sum((1, 2)) / part.sum()
    top, left = (
        int(np.clip(round((size - 1) / 2 - m), 0, size - n))
        for m, n in zip(middle, part.shape, strict=True)
    )
    page[top : top + high, left : left + wide] = part.clip(0, 1)
    return page


def shares(n, m):
    """A matrix (m, n) that makes m numbers of n: each the mean of what it covers."""
    ends = np.arange(m + 1) * n / m
    low, high = ends[:-1, None], ends[1:, None]
    cells = np.arange(n)
    covered = np.minimum(high, cells + 1) - np.maximum(low, cells)
    return covered.clip(0) * m / n


def ink_of(image):
    """The ink of an image, an array (H, W) from 0 to 1: a PNG file, or an array.

    The paper is what most of the border has; the ink is how far a pixel differs.
    """
    if isinstance(image, str | Path):
        matplotlib()
        from matplotlib.image import imread

        image = imread(image)
    gray = np.asarray(image, np.float64)
    gray = gray / 255 if gray.size and gray.max() > 1 else gray
    if gray.ndim == 3:
        color, clear = gray[..., :3].mean(2), gray[..., 3:]
        gray = color * clear[..., 0] + 1 - clear[..., 0] if clear.size else color
    if gray.ndim != 2 or 0 in gray.shape:
        raise ValueError(
            f"an image is (H, W), or (H, W, 3 or 4) with colors, not {gray.shape}"
        )
    border = np.concatenate([gray[0], gray[-1], gray[:, 0], gray[:, -1]])
    ink = abs(gray - np.median(border))
    return ink / max(ink.max(), 1e-9)


class Drawing:
    """A canvas that shows itself. ink: the array (28, 28) that was read last."""

    def __init__(self, read):
        self.read, self.ink, self.panel = read, np.zeros((28, 28), np.float32), None
        widget = widget_class("drawing", "drawn", "said")
        if widget is not None:
            self.panel = widget()
            self.panel.observe(self._drawn, "drawn")

    def show(self, image):
        """The picture of an image, as the network gets it, and what it says."""
        self.ink = centered(ink_of(image))
        return answer(self.ink, self._read())

    def __repr__(self):
        return NO_CANVAS if self.panel is None else "A canvas to draw a digit on."

    def _ipython_display_(self):
        if self.panel is None:
            print(NO_CANVAS)
        else:
            show(self.panel, "Run this cell to draw a digit here.")

    def _read(self):
        probabilities = np.asarray(self.read(self.ink), np.float64).reshape(-1)
        if len(probabilities) != 10:
            size = len(probabilities)
            raise ValueError(f"read returns 10 probabilities, not {size} numbers")
        return probabilities

    def _drawn(self, change):
        """A stroke has come: JSON of its width, and of bytes of ink in base64."""
        caption = json.loads(change["new"])
        data = np.frombuffer(base64.b64decode(caption["ink"]), np.uint8)
        self.ink = centered(data.reshape(-1, caption["width"]) / 255)
        said = {"image": (255 * self.ink).astype(int).ravel().tolist(), "shares": []}
        try:
            if self.ink.any():
                said["shares"] = self._read().tolist()
        except Exception as error:  # the canvas is the one place where it is seen
            said["error"] = f"{type(error).__name__}: {error}"
        self.panel.said = json.dumps(said)


def answer(ink, shares_):
    """The Picture of an image, and of ten probabilities beside it."""
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 2.4), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.7))
        left.imshow(ink, cmap="gray_r", vmin=0, vmax=1)
        left.set(xticks=[], yticks=[], title="what the network gets")
        colors = ["#9db8cf"] * 10
        colors[int(np.argmax(shares_))] = "#1f6fb4"
        right.bar(range(10), shares_, color=colors)
        right.set(xticks=range(10), ylim=(0, 1), title="what it says")
    best = int(np.argmax(shares_))
    return Picture(figure, f"read as a {best}, probability {shares_[best]:.2f}")
