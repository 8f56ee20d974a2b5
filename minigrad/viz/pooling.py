"""Max pooling: the largest of each window, and where it comes from."""

import numpy as np

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import sized


def pooling(image, kernel_size, stride=None, padding=0):
    """Draw max pooling: the largest of each window, and where it comes from."""
    sweep = SlidingWindow(image, kernel_size, stride or kernel_size, padding, 1)
    pooled, chosen = {}, {}
    for n, place in enumerate(sweep.places):
        inside = [cell for cell in sweep.taps(place) if sweep.is_inside(cell)]
        best = max(
            inside, key=lambda cell: sweep.image[cell]
        )  # of equal ones the first
        pooled[place] = "read", sweep.value(best), str(n)
        chosen.setdefault(best, []).append(str(n))
    cells = {
        cell: ("marked" if cell in chosen else "unused", sweep.value(cell),
               " ".join(chosen.get(cell, [])))
        for cell in np.ndindex(sweep.image.shape)
    }  # fmt: skip
    heading = f"max pooling, {sweep.words()}"
    alt = f"An image of {sized(sweep.image.shape)}, {heading}. " + " ".join(
        f"Window {n} takes {sweep.value(cell)} from {cell}."
        for cell, numbers in chosen.items() for n in numbers
    )  # fmt: skip
    grids = [[Grid("image", cells), Grid("result", pooled)]]
    key = [("marked", "the largest of a window; beneath: the windows' numbers")]
    return grids_picture(heading, grids, key, alt)
