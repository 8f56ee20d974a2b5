"""Values as lines, readable without color."""

import numpy as np

from .draw.chart import COLORS, figure_of, numbers, short
from .draw.picture import Picture, style

DASHES = "-", "--", ":", "-."
FEW = 40  # values up to which each is marked


def lines(series, x="step", y="", log="", dots=()):
    """Draw {name: values} as lines, or {panel: {name: values}} as panels of lines.

    values: y alone, counted from 0, or a pair (xs, ys). log: the axes that are
    logarithmic: "y", "x" or "xy". dots: the names of what is points.
    What is no finite number is left out, and said.
    """
    from matplotlib.ticker import MaxNLocator

    nested = isinstance(next(iter(series.values())), dict)
    panels = series if nested else {y: series}
    with style():
        figure, axes = figure_of(len(panels), 2.7)
        for ax, (label, named) in zip(axes, panels.items(), strict=True):
            whole = "x" not in log
            for n, (name, values) in enumerate(named.items()):
                xs, ys = pair_of(values)
                whole = whole and not (xs % 1).any()
                look = {"ls": DASHES[n % 4], "color": COLORS[n % 4], "lw": 1.6}
                look["marker"] = "osD^"[n % 4] if len(ys) <= FEW else None
                look |= {"ls": "", "marker": "o"} if name in dots else {}
                ax.plot(xs, ys, label=name, markersize=3, **look)
            ax.set_xlabel(x)
            ax.set_ylabel(label)
            for name, axis in ("x", ax.xaxis), ("y", ax.yaxis):
                if name in log:
                    logarithmic(axis)
            ax.grid(color="#D9D9D9", linewidth=0.6)
            if whole:
                ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            if len(named) > 1:
                legend(ax, named, room=70 // len(panels))
        captions = [
            f"{label or 'values'} over {x}: {alt_of(name, values)}"
            for label, named in panels.items()
            for name, values in named.items()
        ]
        return Picture(figure, " ".join(captions))


def legend(ax, names, room):
    """Write the names above the axes, or beside them, where no line passes.

    room: how many characters fit above.
    """
    look = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    if sum(len(name) + 7 for name in names) <= room:
        look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": len(names)}
    ax.legend(fontsize=8, frameon=False, borderpad=0.2, **look)


def logarithmic(axis):
    """Make an axis logarithmic: 1, 2, 5, 10 where it is short, else powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    low, high = axis.get_data_interval()
    if low > 0 and high < 1e3 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        axis.set_minor_formatter(NullFormatter())


def pair_of(values):
    """(xs, ys) as arrays of finite numbers."""
    xs, ys = values if isinstance(values, tuple) else (range(len(values)), values)
    xs, ys = np.asarray(xs, float), np.asarray(numbers(ys), float)
    return xs, np.where(np.isfinite(ys), ys, np.nan)


def alt_of(name, values):
    xs, ys = pair_of(values)
    fine = ys[~np.isnan(ys)]
    lost = f", {len(ys) - len(fine)} of {len(ys)} not finite" * (len(fine) < len(ys))
    if not len(fine):
        return f"{name}: no finite value{lost}."
    return (
        f"{name}: from {short(fine[0])} to {short(fine[-1])}, lowest "
        f"{short(fine.min())}, highest {short(fine.max())}{lost}."
    )
