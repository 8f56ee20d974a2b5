"""Charts in one style, readable without color."""

import numpy as np

COLORS = "#1f6fb4", "#d95f02", "#2a9d5c", "#8e44ad"
WIDE = 8.6  # inches


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


def short(number):
    """Three digits at least, and no exponent where none is needed: 1,046."""
    return f"{number:,.0f}" if 1e3 <= abs(number) < 1e7 else f"{number:.3g}"
