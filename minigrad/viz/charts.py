"""Charts in one style, readable without colour: lines, histograms, bars, a surface."""

import numpy as np

from .curve import COLOURS
from .picture import Picture, style

DASHES = "-", "--", ":", "-."
WIDE, FEW = 8.6, 40  # inches; values up to which each is marked


def numbers(values):
    """Values as an array: of a tensor of any device, or of numbers or tensors."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.array([float(v) for v in values]) if isinstance(values, list) else values


def figure_of(panels, high, whole=False):
    """A figure with as many axes, side by side; of one alone not of the whole width."""
    from matplotlib.figure import Figure

    size = WIDE if whole or panels > 1 else 0.62 * WIDE, high
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    return figure, figure.subplots(1, panels, squeeze=False)[0]


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
                look = {"ls": DASHES[n % 4], "color": COLOURS[n % 4], "lw": 1.6}
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
                beside = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
                ax.legend(fontsize=8, **(beside if len(named) > 3 else {}))
        said = [
            f"{label or 'values'} over {x}: {words(name, values)}"
            for label, named in panels.items()
            for name, values in named.items()
        ]
        return Picture(figure, " ".join(said))


def logarithmic(axis):
    """Make an axis logarithmic: 1, 2, 5, 10 where it is short, else powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    low, high = axis.get_data_interval()
    if low > 0 and high < 1e3 * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))
        axis.set_minor_formatter(NullFormatter())


def short(number):
    """Three digits at least, and no exponent where none is needed: 1,046."""
    return f"{number:,.0f}" if 1e3 <= abs(number) < 1e7 else f"{number:.3g}"


def pair_of(values):
    """(xs, ys) as arrays of finite numbers."""
    xs, ys = values if isinstance(values, tuple) else (range(len(values)), values)
    xs, ys = np.asarray(xs, float), np.asarray(numbers(ys), float)
    return xs, np.where(np.isfinite(ys), ys, np.nan)


def words(name, values):
    xs, ys = pair_of(values)
    fine = ys[~np.isnan(ys)]
    lost = f", {len(ys) - len(fine)} of {len(ys)} not finite" * (len(fine) < len(ys))
    if not len(fine):
        return f"{name}: no finite value{lost}."
    return (
        f"{name}: from {short(fine[0])} to {short(fine[-1])}, lowest "
        f"{short(fine.min())}, highest {short(fine.max())}{lost}."
    )


def histograms(rows):
    """Draw {row: {panel: values}}: how the values are spread, a row for each name.

    All panels of a row have the same axis; the standard deviation stands above.
    """
    from matplotlib.figure import Figure

    across, said = max(map(len, rows.values())), []
    with style():
        figure = Figure(figsize=(WIDE + 1, 1.5 * len(rows)), layout="constrained")
        axes = figure.subplots(len(rows), across, squeeze=False)
        for line, (name, panels) in zip(axes, rows.items(), strict=True):
            arrays = [np.ravel(numbers(v)) for v in panels.values()]
            most = max(abs(v[np.isfinite(v)]).max(initial=0) for v in arrays) or 1
            line[0].set_ylabel(name, fontsize=8)
            for ax, title, values in zip(line, panels, arrays, strict=False):
                spread = f"{values.std():.2g}"
                ax.hist(values, np.linspace(-most, most, 41), color=COLOURS[0])
                ax.set_title(f"{title}, deviation {spread}", fontsize=8)
                ax.tick_params(labelsize=7)
                ax.set_yticks([])
                said.append(f"{name}, {title}: standard deviation {spread}.")
        return Picture(figure, " ".join(said))


def ranking(panels):
    """Draw {panel: {name: value}} as bars: a row for each name, in all panels."""
    names = [*dict.fromkeys(name for values in panels.values() for name in values)]
    with style():
        longest = max(map(len, names))
        high = 0.55 + 0.27 * len(names)
        figure, axes = figure_of(len(panels), high, whole=longest > 30)
        for ax, (title, values) in zip(axes, panels.items(), strict=True):
            sizes = [values.get(name, 0) for name in names]
            bars = ax.barh(names, sizes, fc="#CFE8F7", ec="#3B6E8F")
            texts = [short(values[n]) if n in values else "\u2013" for n in names]
            ax.bar_label(bars, texts, padding=3, fontsize=8)
            ax.set_title(title, fontsize=9)
            ax.margins(x=0.22)
            ax.invert_yaxis()
            ax.set_xticks([])
            ax.spines[["top", "right", "bottom"]].set_visible(False)
            if ax is not axes[0]:
                ax.set_yticks([])
        said = [
            f"{title}: " + ", ".join(f"{n} {short(v)}" for n, v in values.items()) + "."
            for title, values in panels.items()
        ]
        return Picture(figure, " ".join(said))


def surface(loss, ways, x=(-1, 1), y=(-1, 1)):
    """Draw the surface loss(x, y) by lines of equal height, and ways across it.

    loss: a function of two arrays. ways: {name: [(x, y), ...]}, a panel for each; the
    first place is marked by a square, the last by a cross.
    """
    across, up = np.meshgrid(np.linspace(*x, 80), np.linspace(*y, 60))
    heights = np.asarray(loss(across, up))
    levels = np.quantile(heights, np.linspace(0, 1, 12))
    with style():
        figure, axes = figure_of(len(ways), 2.6)
        for ax, (name, places) in zip(axes, ways.items(), strict=True):
            xs, ys = np.asarray(places, float).T
            ax.contour(across, up, heights, np.unique(levels), colors="#999999",
                       linewidths=0.7)  # fmt: skip
            ax.plot(xs, ys, ".-", color=COLOURS[1], linewidth=1, markersize=4)
            ax.plot(xs[0], ys[0], "s", xs[-1], ys[-1], "x", color="black", ms=6, mew=2)
            ax.set_title(f"{name}: {len(xs) - 1} steps", fontsize=9)
            ax.set(xlim=x, ylim=y)
        said = [
            f"{name}: from {point(places[0], loss)} to {point(places[-1], loss)} in "
            f"{len(places) - 1} steps."
            for name, places in ways.items()
        ]
        return Picture(figure, "Lines of equal height. " + " ".join(said))


def point(place, loss):
    x, y = map(float, place)
    return f"({x:.2g}, {y:.2g}), height {float(loss(x, y)):.3g},"
