"""Max pooling: the largest of each window, and where it comes from."""

import numpy as np

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import sized


def pooling(image, kernel_size, stride=None, padding=0):
    """Draw max pooling: the largest of each window, and where it comes from."""
    window = SlidingWindow(image, kernel_size, stride or kernel_size, padding, 1)
    pooled, chosen = {}, {}
    for n, place in enumerate(window.places):
        inside = [cell for cell in window.taps(place) if window.is_inside(cell)]
        best = max(
            inside, key=lambda cell: window.image[cell]
        )  # of equal ones the first
        pooled[place] = "read", window.value(best), str(n)
        chosen.setdefault(best, []).append(str(n))
    cells = {
        cell: ("marked" if cell in chosen else "unused", window.value(cell),
               " ".join(chosen.get(cell, [])))
        for cell in np.ndindex(window.image.shape)
    }  # fmt: skip
    heading = f"max pooling, {window.text()}"
    alt = f"An image of {sized(window.image.shape)}, {heading}. " + " ".join(
        f"Window {n} takes {window.value(cell)} from {cell}."
        for cell, numbers in chosen.items() for n in numbers
    )  # fmt: skip
    grids = [[Grid("image", cells), Grid("result", pooled)]]
    key = [("marked", "a window's maximum, with the windows that chose it")]
    return grids_picture(heading, grids, key, alt)
