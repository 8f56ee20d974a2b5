"""Images in rows, on one scale for all."""

import numpy as np

from .draw.chart import WIDE, numbers
from .draw.picture import Picture, style


def images(pictures, titles=None, columns=10, signed=False):
    """Draw images (N, height, width) or (N, 1, height, width), a title over each.

    Black is the largest value of all, white the smallest. signed: white is the largest
    absolute value, black its negative, gray is 0.
    """
    from matplotlib.figure import Figure

    values = [np.asarray(numbers(one)).reshape(one.shape[-2:]) for one in pictures]
    if not values:
        raise ValueError("there is no image to draw")
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    if signed:
        high = max(-low, high)
        low = -high
    titles = [] if titles is None else [str(title) for title in titles]
    rows, columns = -(-len(values) // columns), min(columns, len(values))
    side = WIDE / max(columns, 8)
    above = 0.24 * (1 + max((t.count("\n") for t in titles), default=-1))
    scale = f"white {high if signed else low:.3g}, black {low if signed else high:.3g}"
    with style():
        size = side * columns, (side + above) * rows + 0.25
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        axes = figure.subplots(rows, columns, squeeze=False)
        look = {"cmap": "gray" if signed else "gray_r", "vmin": low, "vmax": high}
        for n, ax in enumerate(axes.flat):
            ax.axis("off")
            if n < len(values):
                ax.imshow(values[n], **look)
                ax.set_title(titles[n] if n < len(titles) else "", fontsize=8)
        figure.supxlabel(scale, fontsize=8)
        named = f": {', '.join(titles)}" if titles else ""
        return Picture(figure, f"{len(values)} images{named}; {scale}.", is_photo=True)
