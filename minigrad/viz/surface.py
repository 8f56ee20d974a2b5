"""A surface by lines of equal height, and ways across it."""

import inspect

import numpy as np

from .draw.canvas import SOFT
from .draw.chart import COLORS, figure_of
from .draw.picture import Picture, style

KEY = "gray: lines of equal height    square: the start    cross: the end"


def surface(loss, ways, x=(-1, 1), y=(-1, 1)):
    """Draw the surface loss(x, y) by lines of equal height, and ways across it.

    loss: a function of two arrays, whose names are those of the axes. ways:
    {name: [(x, y), ...]}, a panel for each; the first place is marked by a square, the
    last by a cross.
    """
    across, up = np.meshgrid(np.linspace(*x, 80), np.linspace(*y, 60))
    heights = np.asarray(loss(across, up))
    names = list(inspect.signature(loss).parameters)[:2]
    levels = np.quantile(heights, np.linspace(0, 1, 12))
    with style():
        figure, axes = figure_of(len(ways), 2.9)
        for ax, (name, places) in zip(axes, ways.items(), strict=True):
            xs, ys = np.asarray(places, float).T
            ax.contour(across, up, heights, np.unique(levels), colors="#999999",
                       linewidths=0.7)  # fmt: skip
            ax.plot(xs, ys, ".-", color=COLORS[1], linewidth=1, markersize=4)
            ax.plot(xs[0], ys[0], "s", xs[-1], ys[-1], "x", color="black", ms=6, mew=2)
            ax.set_title(f"{name}: {len(xs) - 1} steps", fontsize=9)
            ax.set(xlim=x, ylim=y, xlabel=names[0], ylabel=names[1])
        figure.supxlabel(KEY, fontsize=8, color=SOFT)
        captions = [
            f"{name}: from {point(places[0], loss)} to {point(places[-1], loss)} in "
            f"{len(places) - 1} steps."
            for name, places in ways.items()
        ]
        return Picture(figure, "Lines of equal height. " + " ".join(captions))


def point(place, loss):
    x, y = map(float, place)
    return f"({x:.2g}, {y:.2g}), height {float(loss(x, y)):.3g},"
