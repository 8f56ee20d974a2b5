"""Values as bars, a row for each name."""

from .draw.chart import figure_of, short
from .draw.picture import Picture, style


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
        captions = [
            f"{title}: " + ", ".join(f"{n} {short(v)}" for n, v in values.items()) + "."
            for title, values in panels.items()
        ]
        return Picture(figure, " ".join(captions))
