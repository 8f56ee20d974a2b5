"""How values are spread, in rows and columns of histograms."""

import numpy as np

from .draw.chart import COLORS, WIDE, numbers
from .draw.picture import Picture, style


def histograms(rows):
    """Draw {row: {panel: values}}: how the values are spread, a row for each name.

    All panels of a row have the same axis; the standard deviation stands above.
    """
    from matplotlib.figure import Figure

    across, captions = max(map(len, rows.values())), []
    with style():
        figure = Figure(figsize=(WIDE, 0.3 + 1.6 * len(rows)), layout="constrained")
        axes = figure.subplots(len(rows), across, squeeze=False)
        for line, (name, panels) in zip(axes, rows.items(), strict=True):
            arrays = [np.ravel(numbers(v)) for v in panels.values()]
            most = max(abs(v[np.isfinite(v)]).max(initial=0) for v in arrays) or 1
            line[0].set_ylabel(name, fontsize=8)
            for ax, title, values in zip(line, panels, arrays, strict=False):
                spread = f"{values.std():.2g}"
                ax.hist(values, np.linspace(-most, most, 41), color=COLORS[0])
                ax.set_title(f"{title}\ndeviation {spread}", fontsize=8)
                ax.tick_params(labelsize=8)
                ax.set_yticks([])
                captions.append(f"{name}, {title}: standard deviation {spread}.")
        figure.supxlabel("value (height: how often it occurs)", fontsize=8)
        return Picture(figure, " ".join(captions))
